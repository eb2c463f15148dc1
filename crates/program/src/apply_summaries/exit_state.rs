//! The exit state of a callee, as commands of the caller.

use super::Applier;
use super::callees::CallExitFact;
use crate::summary::ExitContents;
use gainsay_ir::eval::mask;
use gainsay_ir::gc::{Access, BinaryOp, Call, CallBase, CmdKind, Expr, ExprData};
use gainsay_ir::types::Type;

/// The contents of a place once the call has returned.
pub(super) struct ContentsAfterCall {
    addr: Expr,
    access: Access,
    /// `None`: anything but NULL.
    value: Option<Expr>,
}

impl Applier<'_> {
    /// The expressions mean the same after the call as before it. `None` if the arguments do not have the declared types.
    pub(super) fn contents_after_call(
        &mut self,
        fact: &CallExitFact,
        call: &Call,
    ) -> Option<ContentsAfterCall> {
        let base = match fact.base {
            CallBase::Argument(param) => self.argument(param, Type::Ptr, call)?,
            CallBase::Symbol(symbol) => self.out.expr(ExprData::SymbolAddr(symbol)),
            CallBase::Errno | CallBase::Anywhere | CallBase::Outside => return None,
        };
        let ty = fact.access.ty;
        let value = match fact.contents {
            ExitContents::Const(bits) => Some(self.out.constant(ty, bits)),
            ExitContents::Param(param, 0) => Some(self.argument(param, ty, call)?),
            ExitContents::Param(param, offset) => {
                let pointer = self.argument(param, Type::Ptr, call).filter(|_| ty == Type::Ptr)?;
                Some(self.moved(pointer, offset))
            }
            ExitContents::NotNull => None,
        };
        let addr = self.moved(base, fact.offset);
        let addr = self.kept(addr, call.dst);
        let value = value.map(|value| self.kept(value, call.dst));
        Some(ContentsAfterCall { addr, access: fact.access, value })
    }

    /// Storing the value that is there anyway changes nothing and makes it known.
    pub(super) fn emit_contents(&mut self, known: ContentsAfterCall) {
        let ContentsAfterCall { addr, access, value } = known;
        if let Some(value) = value {
            self.out.emit(CmdKind::Store { addr, value, access });
            return;
        }
        let found = self.out.temp(access.ty);
        self.out.emit(CmdKind::Load { dst: found, addr, access });
        let (found, null) = (self.out.expr(ExprData::Var(found)), self.out.constant(Type::Ptr, 0));
        let holds = self.out.expr(ExprData::Binary(BinaryOp::Ne, found, null));
        self.out.emit(CmdKind::Assume(holds));
    }

    fn argument(&self, param: u32, ty: Type, call: &Call) -> Option<Expr> {
        let arg = *call.args.get(param as usize)?;
        (self.is_declared(call, param) && self.out.ty(arg) == ty).then_some(arg)
    }

    fn moved(&mut self, pointer: Expr, offset: i64) -> Expr {
        if offset == 0 {
            return pointer;
        }
        let bits = self.out.unit.target.pointer_bits;
        let by = self.out.constant(Type::Int(bits), u128::from(offset as u64) & mask(bits));
        self.out.expr(ExprData::Binary(BinaryOp::PtrAdd, pointer, by))
    }
}
