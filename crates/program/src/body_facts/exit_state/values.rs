//! The values of variables in the exit-state analysis: constants, parameters at entry, results of calls.

use super::{ExitStateFinder, MemoryState};
use crate::body_facts::ExitValue;
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::gc::{BinaryOp, CmdKind, Expr, ExprData, Function, Linkage, Var};
use gainsay_ir::table::table;
use gainsay_ir::types::Type;

/// The variables that the values are copies of, with constant offsets for pointers, transitively.
pub(super) fn followed(f: &Function, values: Vec<Expr>) -> EntitySet<Var> {
    let mut copied_from: SecondaryMap<Var, Vec<Var>> = table(f.vars.len());
    for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
        if let CmdKind::Assign(var, value) = cmd.kind {
            copied_from[var].extend(base(f, value));
        }
    }
    let mut followed = EntitySet::new();
    let mut work: Vec<Var> = values.into_iter().filter_map(|value| base(f, value)).collect();
    while let Some(var) = work.pop() {
        if followed.insert(var) {
            work.extend(&copied_from[var]);
        }
    }
    followed
}

fn base(f: &Function, mut value: Expr) -> Option<Var> {
    while let ExprData::Binary(BinaryOp::PtrAdd, base, _) = f.exprs[value] {
        value = base;
    }
    match f.exprs[value] {
        ExprData::Var(var) => Some(var),
        _ => None,
    }
}

impl ExitValue {
    /// Once it was found not to be NULL.
    pub(super) fn tested(self) -> ExitValue {
        match self {
            ExitValue::Param { param, offset, .. } => ExitValue::Param { param, offset, is_nonnull: true },
            _ => ExitValue::Address,
        }
    }

    fn is_nonnull(self) -> bool {
        matches!(self, ExitValue::Address | ExitValue::Param { is_nonnull: true, .. })
    }
}

impl ExitStateFinder<'_> {
    pub(super) fn at_entry(&self) -> MemoryState {
        let params = self.f.params.iter().enumerate().filter(|(_, var)| self.followed.contains(**var));
        let known =
            params.map(|(i, &var)| (var, ExitValue::Param { param: i as u32, offset: 0, is_nonnull: false }));
        MemoryState { known: known.collect(), ..MemoryState::default() }
    }

    /// The command gives the variable a value. `call`: the number of the next call.
    pub(super) fn assign(&self, var: Var, kind: &CmdKind, call: u32, state: &mut MemoryState) {
        // Evaluated first: the value may depend on the variable itself.
        let value = match kind {
            CmdKind::Assign(_, value) => self.value(*value, state),
            CmdKind::Alloca { .. } => ExitValue::Address,
            CmdKind::Call(_) => ExitValue::Call(call),
            _ => ExitValue::Unknown,
        };
        let copied = match kind {
            CmdKind::Assign(_, value) => match self.f.exprs[*value] {
                ExprData::Var(from) => state.copies.get(&from).copied(),
                _ => None,
            },
            _ => None,
        };
        state.known.remove(&var);
        state.nonnull.remove(&var);
        state.copies.remove(&var);
        state.copies.extend(copied.map(|place| (var, place)));
        if self.followed.contains(var) {
            state.nonnull.extend(value.is_nonnull().then_some(var));
            if !matches!(value, ExitValue::Unknown | ExitValue::Address) {
                state.known.insert(var, value);
            }
        }
    }

    pub(super) fn value(&self, value: Expr, state: &MemoryState) -> ExitValue {
        match self.f.exprs[value] {
            ExprData::Const(Type::Ptr | Type::Int(_), bits) => ExitValue::Const(bits),
            ExprData::ObjectAddr(_) => ExitValue::Address,
            ExprData::SymbolAddr(symbol) if self.unit.symbols[symbol].linkage != Linkage::Weak => {
                ExitValue::Address
            }
            ExprData::Binary(BinaryOp::PtrAdd, base, by) => match (self.value(base, state), self.f.exprs[by])
            {
                (ExitValue::Param { param, offset, is_nonnull }, ExprData::Const(_, by)) => {
                    match offset.checked_add(self.signed(by)) {
                        Some(offset) => ExitValue::Param { param, offset, is_nonnull },
                        None => ExitValue::Unknown,
                    }
                }
                (base, _) if base.is_nonnull() => ExitValue::Address,
                _ => ExitValue::Unknown,
            },
            ExprData::Var(var) => match state.known.get(&var) {
                Some(value) if state.nonnull.contains(&var) => value.tested(),
                Some(value) => *value,
                None if state.nonnull.contains(&var) => ExitValue::Address,
                None => ExitValue::Unknown,
            },
            _ => ExitValue::Unknown,
        }
    }
}
