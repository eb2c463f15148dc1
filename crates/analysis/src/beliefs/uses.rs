//! Statements that fail if a value is zero (NULL): the *check* statements of
//! semantic-inconsistency-inference, section 2, with the condition under which a run reaches them.

use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Loc};
use gainsay_ir::passive::{Call, Callee, CmdKind, Effect, Expr, ExprData, Function};
use gainsay_program::link::Hints;
use gainsay_program::summary::{Atom, AtomOp, CanFail};
use gainsay_term::Node;
use gainsay_term::{Sort, Term, TermPool};
use gainsay_vc::{Statement, Vc};

pub(super) struct Use<'a> {
    pub(super) at: Statement,
    pub(super) loc: Loc,
    /// The value that must not be zero, without conversions that preserve zero.
    pub(super) value: Term,
    pub(super) expr: Expr,
    /// A run reaches the statement, whether or not an earlier check failed.
    pub(super) guard: Term,
    /// The check fails, if a run reaches it.
    pub(super) fails: Term,
    pub(super) kind: UseKind<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum UseKind<'a> {
    Check(Check),
    /// A check in the called function can fail (section 4.3).
    Callee(&'a CanFail),
}

impl UseKind<'_> {
    pub(super) fn is_division(self) -> bool {
        match self {
            UseKind::Check(check) => check == Check::DivisionByZero,
            UseKind::Callee(can_fail) => can_fail.check == Check::DivisionByZero,
        }
    }
}

/// All uses, ordered by block and command.
pub(super) fn uses<'a>(function: &'a Function, vc: &mut Vc, hints: &'a Hints) -> Vec<Use<'a>> {
    let mut uses: Vec<Use> = Vec::new();
    for (at, guard) in vc.events.clone() {
        let cmd = &function.blocks[at.block].cmds[at.index as usize];
        match &cmd.kind {
            CmdKind::Assert(check, holds) => {
                let Some(expr) = checked(function, *check, *holds) else { continue };
                let (Some(term), Some(holds)) = (vc.term(expr), vc.term(*holds)) else { continue };
                let fails = vc.pool.not(holds);
                let value = without_conversions(&vc.pool, term);
                uses.push(Use { at, loc: cmd.loc, value, expr, guard, fails, kind: UseKind::Check(*check) });
            }
            CmdKind::Update { effect: Effect::Call(call), .. } => {
                let Callee::Symbol(symbol) = call.callee else { continue };
                for can_fail in hints.can_fail.get(&symbol.as_u32()).into_iter().flatten() {
                    let Some((expr, fails)) = applied(vc, call, can_fail) else { continue };
                    let Some(term) = vc.term(expr) else { continue };
                    let value = without_conversions(&vc.pool, term);
                    // A certain failure of the callee is already an assertion before the call.
                    let is_known = |one: &Use| one.loc == cmd.loc && one.value == value;
                    if !uses.iter().rev().take_while(|one| one.at.block == at.block).any(is_known) {
                        let kind = UseKind::Callee(can_fail);
                        uses.push(Use { at, loc: cmd.loc, value, expr, guard, fails, kind });
                    }
                }
            }
            _ => {}
        }
    }
    uses.retain(|one| !vc.pool.is_constant(one.value));
    uses
}

/// The value that the check requires not to be zero.
fn checked(function: &Function, check: Check, holds: Expr) -> Option<Expr> {
    let is_of_zero = matches!(
        check,
        Check::NullDereference
            | Check::NullCall
            | Check::NonnullArgument
            | Check::DivisionByZero
            | Check::CalleeFails
    );
    match function.exprs[holds] {
        ExprData::Binary(BinaryOp::Ne, value, zero)
            if is_of_zero && matches!(function.exprs[zero], ExprData::Const(_, 0)) =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// The argument, and the caller's condition under which the check in the callee can fail (Definition 7).
fn applied(vc: &mut Vc, call: &Call, can_fail: &CanFail) -> Option<(Expr, Term)> {
    let expr = *call.args.get(can_fail.param as usize)?;
    let value = vc.term(expr)?;
    let mut fails = is_zero(&mut vc.pool, value)?;
    for atom in &can_fail.when {
        let arg = vc.term(*call.args.get(atom.param as usize)?)?;
        let holds = atom_term(&mut vc.pool, *atom, arg)?;
        fails = vc.pool.and(fails, holds);
    }
    Some((expr, fails))
}

pub(super) fn is_zero(pool: &mut TermPool, value: Term) -> Option<Term> {
    match pool.sort(value) {
        Sort::BitVec(width) => {
            let zero = pool.bits(width, 0);
            Some(pool.eq(value, zero))
        }
        Sort::Bool | Sort::Array { .. } => None,
    }
}

fn atom_term(pool: &mut TermPool, atom: Atom, arg: Term) -> Option<Term> {
    let Sort::BitVec(width) = pool.sort(arg) else { return None };
    let constant = pool.bits(width, atom.value);
    Some(match atom.op {
        AtomOp::Eq => pool.eq(arg, constant),
        AtomOp::Ne => pool.distinct(arg, constant),
        AtomOp::SLt => pool.bv_slt(arg, constant),
        AtomOp::SLe => pool.bv_sle(arg, constant),
        AtomOp::SGt => pool.bv_slt(constant, arg),
        AtomOp::SGe => pool.bv_sle(constant, arg),
        AtomOp::ULt => pool.bv_ult(arg, constant),
        AtomOp::ULe => pool.bv_ule(arg, constant),
        AtomOp::UGt => pool.bv_ult(constant, arg),
        AtomOp::UGe => pool.bv_ule(constant, arg),
    })
}

/// Removes zero and sign extensions, which preserve zero.
pub(super) fn without_conversions(pool: &TermPool, mut value: Term) -> Term {
    while let Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } = pool.node(value) {
        value = of;
    }
    value
}
