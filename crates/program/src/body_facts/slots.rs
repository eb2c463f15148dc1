//! Which variables hold what a parameter held at entry, and which are returned; conditions on them as atoms.

use super::AbstractValue;
use crate::limits::{MAX_COPY_STEPS, MAX_RETURNED_VALUES, MAX_RETURNED_VARS};
use crate::summary::{Atom, AtomOp};
use cranelift_entity::SecondaryMap;
use gainsay_ir::eval::mask;
use gainsay_ir::gc::{
    BinaryOp, Block, CastOp, CmdKind, Expr, ExprData, Function, Linkage, Next, UnaryOp, Unit, Var,
};
use gainsay_ir::table::table;
use gainsay_ir::types::{BOOL, Type};
use std::collections::BTreeSet;

/// Further assigned parameters are not followed.
// not a limit: bits of the set `ChangedParams`
const MAX_ASSIGNED: usize = 64;

pub(super) struct Slots<'a> {
    unit: &'a Unit,
    f: &'a Function,
    /// The parameter whose value at entry the variable holds whenever it is read.
    always: SecondaryMap<Var, Option<u32>>,
    /// Assigned parameters, as numbers of bits in `changed`.
    assigned: Vec<(Var, u32)>,
    /// At the start of each block: assigned parameters that may hold something else than at entry.
    changed: SecondaryMap<Block, u64>,
    tracked: SecondaryMap<Var, Option<u32>>,
    /// The types of all slots.
    pub(super) types: Vec<Type>,
    /// Parameters with a slot for their current value: that slot, and that of the value at entry.
    pub(super) at_entry: Vec<(u32, u32)>,
}

/// The assigned parameters that may have changed by now.
#[derive(Clone, Copy)]
pub(super) struct ChangedParams(u64);

impl<'a> Slots<'a> {
    pub(super) fn new(unit: &'a Unit, f: &'a Function) -> Slots<'a> {
        let mut definitions: SecondaryMap<Var, u32> = table(f.vars.len());
        let mut copied_from: SecondaryMap<Var, Vec<Var>> = table(f.vars.len());
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let Some(var) = cmd.assigned() {
                // `enter` is not counted: a read before the assignment fails, but for a return, which is not looked up here.
                definitions[var] += u32::from(!matches!(cmd.kind, CmdKind::Enter(_)));
            }
            if let CmdKind::Assign(var, value) = cmd.kind {
                copied_from[var].extend(copied(f, value));
            }
        }
        let returned = returned(f, &copied_from);
        let mut slots = Slots {
            unit,
            f,
            always: table(f.vars.len()),
            assigned: Vec::new(),
            changed: table(f.blocks.len()),
            tracked: table(f.vars.len()),
            types: f.params.iter().map(|&param| f.vars[param].ty).collect(),
            at_entry: Vec::new(),
        };
        for (i, &param) in f.params.iter().enumerate() {
            if definitions[param] == 0 {
                slots.always[param] = Some(i as u32);
            } else if slots.assigned.len() < MAX_ASSIGNED {
                slots.assigned.push((param, i as u32));
            }
        }
        slots.find_copies(&definitions, &returned);
        for &var in returned.iter().filter(|&&var| slots.always[var].is_none()).take(MAX_RETURNED_VARS) {
            let slot = slots.types.len() as u32;
            slots.tracked[var] = Some(slot);
            slots.types.push(f.vars[var].ty);
            if let Some(param) = f.params.iter().position(|&param| param == var) {
                slots.at_entry.push((slot, param as u32));
            }
        }
        slots.find_changes();
        slots
    }

    /// Variables that are only ever a copy of a parameter that is never assigned.
    fn find_copies(&mut self, definitions: &SecondaryMap<Var, u32>, returned: &BTreeSet<Var>) {
        // Copies of copies come later in the text, so one round finds nearly all.
        for cmd in self.f.blocks.values().flat_map(|data| &data.cmds) {
            if let CmdKind::Assign(var, value) = cmd.kind
                && definitions[var] == 1
                && !returned.contains(&var)
                && !self.f.params.contains(&var)
                && let ExprData::Var(from) = self.f.exprs[value]
            {
                self.always[var] = self.always[from];
            }
        }
    }

    fn find_changes(&mut self) {
        if self.assigned.is_empty() {
            return;
        }
        let mut work: Vec<Block> = self.f.blocks.keys().collect();
        while let Some(block) = work.pop() {
            let mut now = ChangedParams(self.changed[block]);
            for cmd in &self.f.blocks[block].cmds {
                self.pass(cmd.assigned(), &mut now);
            }
            for &target in self.f.blocks[block].next.targets() {
                if self.changed[target] | now.0 != self.changed[target] {
                    self.changed[target] |= now.0;
                    work.push(target);
                }
            }
        }
    }

    pub(super) fn at(&self, block: Block) -> ChangedParams {
        ChangedParams(self.changed[block])
    }

    /// Records that a command assigns the variable.
    pub(super) fn pass(&self, assigned: Option<Var>, now: &mut ChangedParams) {
        if let Some(var) = assigned
            && let Some(bit) = self.assigned.iter().position(|&(param, _)| param == var)
        {
            now.0 |= 1 << bit;
        }
    }

    /// The slot that a variable's value is in.
    fn slot(&self, var: Var, now: ChangedParams) -> Option<u32> {
        let unchanged = || {
            let bit = self.assigned.iter().position(|&(param, _)| param == var)?;
            (now.0 >> bit & 1 == 0).then_some(self.assigned[bit].1)
        };
        self.always[var].or_else(unchanged).or(self.tracked[var])
    }

    /// The slot to set where the variable is assigned.
    pub(super) fn tracked(&self, var: Var) -> Option<u32> {
        self.tracked[var]
    }

    /// Atoms that hold if the condition does (or does not), and whether together they are equivalent to it.
    pub(super) fn atoms(&self, condition: Expr, holds: bool, now: ChangedParams) -> (Vec<Atom>, bool) {
        let mut atoms = Vec::new();
        let mut exact = true;
        let mut stack = vec![(condition, holds)];
        while let Some((expr, holds)) = stack.pop() {
            match self.f.exprs[expr] {
                ExprData::Unary(UnaryOp::Not, operand) => stack.push((operand, !holds)),
                ExprData::Binary(BinaryOp::And, a, b) if holds => stack.extend([(a, true), (b, true)]),
                ExprData::Binary(BinaryOp::Or, a, b) if !holds => stack.extend([(a, false), (b, false)]),
                ExprData::Const(BOOL, value) if (value == 1) == holds => {}
                ExprData::Binary(op, a, b) => match self.comparison(op, a, b, now) {
                    Some(atom) => atoms.push(if holds { atom } else { atom.negated() }),
                    None => exact = false,
                },
                _ => exact = false,
            }
        }
        atoms.sort();
        atoms.dedup();
        (atoms, exact)
    }

    /// The parts of a condition that all must hold.
    pub(super) fn conjuncts(&self, condition: Expr) -> Vec<Expr> {
        let mut parts = Vec::new();
        let mut stack = vec![condition];
        while let Some(expr) = stack.pop() {
            match self.f.exprs[expr] {
                ExprData::Binary(BinaryOp::And, a, b) => stack.extend([b, a]),
                _ => parts.push(expr),
            }
        }
        parts
    }

    fn comparison(&self, op: BinaryOp, a: Expr, b: Expr, now: ChangedParams) -> Option<Atom> {
        let op = match op {
            BinaryOp::Eq => AtomOp::Eq,
            BinaryOp::Ne => AtomOp::Ne,
            BinaryOp::ULt => AtomOp::ULt,
            BinaryOp::ULe => AtomOp::ULe,
            BinaryOp::SLt => AtomOp::SLt,
            BinaryOp::SLe => AtomOp::SLe,
            _ => return None,
        };
        let (var, op, value) = match (self.f.exprs[a], self.f.exprs[b]) {
            (ExprData::Var(var), ExprData::Const(_, value)) => (var, op, value),
            (ExprData::Const(_, value), ExprData::Var(var)) => (var, op.swapped(), value),
            _ => return None,
        };
        Some(Atom { param: self.slot(var, now)?, op, value })
    }

    /// The possible values of an expression, as far as they are evident.
    pub(super) fn values(&self, expr: Expr, now: ChangedParams) -> Vec<AbstractValue> {
        let mut values = BTreeSet::new();
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            if values.len() > MAX_RETURNED_VALUES {
                return vec![AbstractValue::Unknown];
            }
            match self.f.exprs[expr] {
                ExprData::Ite(_, yes, no) => stack.extend([yes, no]),
                _ => {
                    values.insert(self.value(expr, now));
                }
            }
        }
        values.into_iter().collect()
    }

    pub(super) fn value(&self, expr: Expr, now: ChangedParams) -> AbstractValue {
        let word = self.unit.target.pointer_bits;
        match self.f.exprs[expr] {
            ExprData::Const(_, value) => AbstractValue::Const(value),
            ExprData::Var(var) => self.slot(var, now).map_or(AbstractValue::Unknown, AbstractValue::Slot),
            ExprData::ObjectAddr(_) => AbstractValue::Address,
            ExprData::SymbolAddr(symbol) if self.unit.symbols[symbol].linkage != Linkage::Weak => {
                AbstractValue::Address
            }
            ExprData::Binary(BinaryOp::PtrAdd, mut base, _) => {
                while let ExprData::Binary(BinaryOp::PtrAdd, pointer, _) = self.f.exprs[base] {
                    base = pointer;
                }
                let is_object =
                    matches!(self.f.exprs[base], ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_));
                if is_object { AbstractValue::Address } else { AbstractValue::Unknown }
            }
            ExprData::Cast(CastOp::ZeroExtend, _, operand) => {
                let bits = self.f.ty(operand, word).bits(word);
                if bits < 127 { AbstractValue::Range(0, mask(bits) as i128) } else { AbstractValue::Unknown }
            }
            ExprData::Cast(CastOp::SignExtend, _, operand) => {
                let most = (mask(self.f.ty(operand, word).bits(word)) >> 1) as i128;
                AbstractValue::Range(-most - 1, most)
            }
            _ => AbstractValue::Unknown,
        }
    }
}

/// Variables that are returned, directly or through copies. In order.
fn returned(f: &Function, copied_from: &SecondaryMap<Var, Vec<Var>>) -> BTreeSet<Var> {
    let mut returned = BTreeSet::new();
    let mut work: Vec<Var> = Vec::new();
    for data in f.blocks.values() {
        if let Next::Return(Some(value)) = data.next {
            work.extend(copied(f, value));
        }
    }
    while let Some(var) = work.pop() {
        if returned.insert(var) {
            work.extend(&copied_from[var]);
        }
    }
    returned
}

/// The variables that an expression may be a plain copy of.
fn copied(f: &Function, expr: Expr) -> Vec<Var> {
    let mut vars = Vec::new();
    let mut stack = vec![expr];
    let mut steps = 0;
    while let Some(expr) = stack.pop() {
        steps += 1;
        match f.exprs[expr] {
            ExprData::Var(var) => vars.push(var),
            ExprData::Ite(_, yes, no) if steps < MAX_COPY_STEPS => stack.extend([yes, no]),
            _ => {}
        }
    }
    vars
}
