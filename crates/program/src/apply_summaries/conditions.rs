//! Facts of summaries about arguments and results, as conditions of the caller.

use super::Applier;
use crate::summary::{Atom, AtomOp, ResultFacts};
use gainsay_ir::eval;
use gainsay_ir::gc::{BinaryOp, Call, CmdKind, Expr, ExprData, Var};
use gainsay_ir::types::{BOOL, Type};

impl Applier<'_> {
    /// "One of the atoms does not hold"; `None` if that cannot be expressed or is trivially true.
    pub(super) fn not_all(&mut self, atoms: &[Atom], call: &Call) -> Option<Expr> {
        if !atoms.iter().all(|atom| self.can_be_expressed(atom, call)) {
            return None;
        }
        let mut any = None;
        for atom in atoms {
            let arg = call.args[atom.param as usize];
            let negated = match self.not_atom(atom, arg) {
                Simplified::Constant(true) => return None,
                Simplified::Constant(false) => continue,
                Simplified::Condition(negated) => negated,
            };
            any = Some(match any {
                None => negated,
                Some(others) => self.out.expr(ExprData::Binary(BinaryOp::Or, others, negated)),
            });
        }
        match any {
            None if atoms.is_empty() => None,
            // With these constants the callee never returns.
            None => Some(self.out.constant(BOOL, 0)),
            any => any,
        }
    }

    fn can_be_expressed(&self, atom: &Atom, call: &Call) -> bool {
        let Some(&arg) = call.args.get(atom.param as usize) else { return false };
        let ty = self.out.ty(arg);
        let is_signed = matches!(atom.op, AtomOp::SLt | AtomOp::SLe | AtomOp::SGt | AtomOp::SGe);
        let fits = match ty {
            Type::Int(bits) => atom.value <= eval::mask(bits),
            Type::Ptr => !is_signed && atom.value <= eval::mask(self.out.unit.target.pointer_bits),
            Type::Float(_) => false,
        };
        fits && self.is_declared(call, atom.param)
    }

    fn not_atom(&mut self, atom: &Atom, arg: Expr) -> Simplified {
        let ty = self.out.ty(arg);
        let value = self.out.constant(ty, atom.value);
        let (op, a, b) = match atom.op {
            AtomOp::Eq => (BinaryOp::Ne, arg, value),
            AtomOp::Ne => (BinaryOp::Eq, arg, value),
            AtomOp::SLt => (BinaryOp::SLe, value, arg),
            AtomOp::SLe => (BinaryOp::SLt, value, arg),
            AtomOp::SGt => (BinaryOp::SLe, arg, value),
            AtomOp::SGe => (BinaryOp::SLt, arg, value),
            AtomOp::ULt => (BinaryOp::ULe, value, arg),
            AtomOp::ULe => (BinaryOp::ULt, value, arg),
            AtomOp::UGt => (BinaryOp::ULe, arg, value),
            AtomOp::UGe => (BinaryOp::ULt, arg, value),
        };
        if let (ExprData::Const(_, a), ExprData::Const(_, b)) = (self.out.f.exprs[a], self.out.f.exprs[b])
            && let Some(holds) = eval::binary(op, ty, a, b, self.out.unit.target.pointer_bits)
        {
            return Simplified::Constant(holds != 0);
        }
        if op == BinaryOp::Ne && atom.value == 0 && ty == Type::Ptr && self.out.is_never_null(arg) {
            return Simplified::Constant(true);
        }
        Simplified::Condition(self.out.expr(ExprData::Binary(op, a, b)))
    }

    /// Assumes the facts about the result.
    pub(super) fn result_facts(&mut self, facts: &ResultFacts, dst: Var) {
        let ty = self.out.f.vars[dst].ty;
        let result = self.out.expr(ExprData::Var(dst));
        if facts.nonnull && ty == Type::Ptr {
            let null = self.out.constant(ty, 0);
            let holds = self.out.expr(ExprData::Binary(BinaryOp::Ne, result, null));
            self.out.emit(CmdKind::Assume(holds));
        }
        let (Some((least, most)), Type::Int(bits @ 2..)) = (facts.range, ty) else { return };
        let limit = 1i128 << (bits - 1).min(126);
        // A wider type than the numbers of the summary has no limits here.
        let limits = if bits < 128 { (-limit, limit - 1) } else { (i128::MIN, i128::MAX) };
        let bound = |number: i128| (number as u128) & eval::mask(bits);
        let holds = if least > most {
            return;
        } else if least == most && limits.0 <= least && most <= limits.1 {
            let only = self.out.constant(ty, bound(least));
            Some(self.out.expr(ExprData::Binary(BinaryOp::Eq, result, only)))
        } else {
            let low = (least > limits.0 && least <= limits.1).then(|| {
                let least = self.out.constant(ty, bound(least));
                self.out.expr(ExprData::Binary(BinaryOp::SLe, least, result))
            });
            let high = (most < limits.1 && most >= limits.0).then(|| {
                let most = self.out.constant(ty, bound(most));
                self.out.expr(ExprData::Binary(BinaryOp::SLe, result, most))
            });
            match (low, high) {
                (Some(low), Some(high)) => Some(self.out.expr(ExprData::Binary(BinaryOp::And, low, high))),
                (low, high) => low.or(high),
            }
        };
        if let Some(holds) = holds {
            self.out.emit(CmdKind::Assume(holds));
        }
    }
}

enum Simplified {
    Constant(bool),
    Condition(Expr),
}
