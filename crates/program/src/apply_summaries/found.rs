//! What a callee surely left in memory, as commands of the caller.

use super::Applier;
use super::callees::Left;
use crate::summary::LeftIs;
use gainsay_ir::eval::mask;
use gainsay_ir::gc::{Access, BinaryOp, Call, CallBase, CmdKind, Expr, ExprData};
use gainsay_ir::types::Type;

/// What is found at a place once the call has returned.
pub(super) struct Found {
    addr: Expr,
    access: Access,
    /// Without it, anything but NULL.
    value: Option<Expr>,
}

impl Applier<'_> {
    /// In terms that mean the same behind the call as before it, if the arguments are what the callee thinks they are.
    pub(super) fn found(&mut self, left: &Left, call: &Call) -> Option<Found> {
        let base = match left.base {
            CallBase::Argument(param) => self.argument(param, Type::Ptr, call)?,
            CallBase::Symbol(symbol) => self.expr(ExprData::SymbolAddr(symbol)),
            CallBase::Errno | CallBase::Anywhere | CallBase::Outside => return None,
        };
        let ty = left.access.ty;
        let value = match left.is {
            LeftIs::Const(bits) => Some(self.constant(ty, bits)),
            LeftIs::Param(param, 0) => Some(self.argument(param, ty, call)?),
            LeftIs::Param(param, offset) => {
                let pointer = self.argument(param, Type::Ptr, call).filter(|_| ty == Type::Ptr)?;
                Some(self.moved(pointer, offset))
            }
            LeftIs::NotNull => None,
        };
        let addr = self.moved(base, left.offset);
        let addr = self.kept(addr, call.dst);
        let value = value.map(|value| self.kept(value, call.dst));
        Some(Found { addr, access: left.access, value })
    }

    /// To store what is there already changes nothing, and tells what it is.
    pub(super) fn emit_found(&mut self, found: Found) {
        let Found { addr, access, value } = found;
        if let Some(value) = value {
            self.emit(CmdKind::Store { addr, value, access });
            return;
        }
        let found = self.temp(access.ty);
        self.emit(CmdKind::Load { dst: found, addr, access });
        let (found, null) = (self.expr(ExprData::Var(found)), self.constant(Type::Ptr, 0));
        let holds = self.expr(ExprData::Binary(BinaryOp::Ne, found, null));
        self.emit(CmdKind::Assume(holds));
    }

    fn argument(&self, param: u32, ty: Type, call: &Call) -> Option<Expr> {
        let arg = *call.args.get(param as usize)?;
        (self.is_declared(call, param) && self.ty(arg) == ty).then_some(arg)
    }

    fn moved(&mut self, pointer: Expr, offset: i64) -> Expr {
        if offset == 0 {
            return pointer;
        }
        let bits = self.unit.target.pointer_bits;
        let by = self.constant(Type::Int(bits), u128::from(offset as u64) & mask(bits));
        self.expr(ExprData::Binary(BinaryOp::PtrAdd, pointer, by))
    }
}
