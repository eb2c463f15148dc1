//! Which objects the pointers of a function may point into, whenever.
//!
//! A pointer read from memory may point anywhere, so may one made from a number. Only numbers made from pointers
//! carry an address; a sum of a pointer and a number stays in the pointer's object.

use super::PointerSource;
use cranelift_entity::{EntityRef, SecondaryMap};
use gainsay_ir::gc::{BinaryOp, CastOp, CmdKind, Expr, ExprData, Function, Var};
use gainsay_ir::table::table;
use gainsay_ir::types::Type;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

pub(super) struct Sources<'a> {
    f: &'a Function,
    of_var: SecondaryMap<Var, BTreeSet<PointerSource>>,
}

impl<'a> Sources<'a> {
    /// Calls and allocations are numbered in the order of the blocks.
    pub(super) fn new(f: &'a Function) -> Sources<'a> {
        let mut of_var: SecondaryMap<Var, BTreeSet<PointerSource>> = table(f.vars.len());
        let mut copies: SecondaryMap<Var, Vec<Var>> = table(f.vars.len());
        for (i, &param) in f.params.iter().enumerate() {
            if f.vars[param].ty == Type::Ptr {
                of_var[param].insert(PointerSource::Param(i as u32));
            }
        }
        let (mut calls, mut allocations) = (0, 0);
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            match &cmd.kind {
                CmdKind::Assign(var, value) => {
                    let (direct, vars) = leaves(f, *value);
                    of_var[*var].extend(direct);
                    vars.into_iter().for_each(|from| copies[from].push(*var));
                }
                CmdKind::Havoc(var) | CmdKind::Load { dst: var, .. } if f.vars[*var].ty == Type::Ptr => {
                    of_var[*var].insert(PointerSource::Unknown);
                }
                CmdKind::Alloca { dst, .. } => {
                    of_var[*dst].insert(PointerSource::Local);
                }
                CmdKind::Allocate { dst, .. } => {
                    of_var[*dst].insert(PointerSource::Fresh(allocations));
                    allocations += 1;
                }
                CmdKind::Call(call) => {
                    if let Some(dst) = call.dst
                        && f.vars[dst].ty == Type::Ptr
                    {
                        of_var[dst].insert(PointerSource::Call(calls));
                    }
                    calls += 1;
                }
                // Lowering asserts that what is read was assigned, but for what is returned: see `slots`.
                _ => {}
            }
        }
        let mut work: Vec<Var> = f.vars.keys().filter(|&var| !of_var[var].is_empty()).collect();
        while let Some(from) = work.pop() {
            let sources = of_var[from].clone();
            for &to in &copies[from] {
                let before = of_var[to].len();
                of_var[to].extend(&sources);
                if of_var[to].len() > before {
                    work.push(to);
                }
            }
        }
        Sources { f, of_var }
    }

    pub(super) fn of(&self, expr: Expr) -> Vec<PointerSource> {
        let (mut sources, vars) = leaves(self.f, expr);
        for var in vars {
            sources.extend(&self.of_var[var]);
        }
        sources.into_iter().collect()
    }

    /// Is the address made of nothing but numbers, and not NULL?
    pub(super) fn is_number(&self, addr: Expr) -> bool {
        !matches!(self.f.exprs[addr], ExprData::Const(_, 0)) && self.of(addr).is_empty()
    }

    /// Where an access at the address goes.
    pub(super) fn of_address(&self, addr: Expr) -> Vec<PointerSource> {
        let sources = self.of(addr);
        match self.f.exprs[addr] {
            _ if !sources.is_empty() => sources,
            ExprData::Const(_, 0) => sources,
            _ => vec![PointerSource::Unknown],
        }
    }
}

/// What the value of an expression is made of, as far as addresses go.
fn leaves(f: &Function, expr: Expr) -> (BTreeSet<PointerSource>, Vec<Var>) {
    let mut sources = BTreeSet::new();
    let mut vars = Vec::new();
    // Most expressions have a few nodes.
    let mut seen: SmallVec<[Expr; 16]> = SmallVec::new();
    let mut stack: SmallVec<[Expr; 16]> = smallvec![expr];
    while let Some(expr) = stack.pop() {
        if matches!(f.exprs[expr], ExprData::Const(..)) || seen.contains(&expr) {
            continue;
        }
        seen.push(expr);
        match f.exprs[expr] {
            ExprData::Var(var) => vars.push(var),
            ExprData::ObjectAddr(_) => {
                sources.insert(PointerSource::Local);
            }
            ExprData::SymbolAddr(symbol) => {
                sources.insert(PointerSource::Symbol(symbol.index() as u32));
            }
            ExprData::Cast(op, _, operand) => {
                if op == CastOp::IntToPtr {
                    sources.insert(PointerSource::Unknown);
                }
                stack.push(operand);
            }
            ExprData::Ite(_, yes, no) => stack.extend([yes, no]),
            // Conditions and distances give no address away.
            ExprData::Binary(op, ..) if op.is_comparison() || op == BinaryOp::PtrSub => {}
            ExprData::Unary(..) | ExprData::Binary(..) => stack.extend(f.exprs[expr].operands()),
            ExprData::Const(..) | ExprData::Initialised(_) | ExprData::Valid(..) | ExprData::Freeable(_) => {}
        }
    }
    (sources, vars)
}
