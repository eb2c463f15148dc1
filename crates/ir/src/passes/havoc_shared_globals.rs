//! Makes loads from shared globals volatile: other threads may write them at any time, so each load gives any value.

use crate::gc::{BinaryOp, CmdKind, Expr, ExprData, Function, Symbol};

pub fn havoc_shared_globals(is_meant: &dyn Fn(Symbol) -> bool, mut f: Function) -> Function {
    let exprs = &f.exprs;
    let is_meant = |mut addr: Expr| {
        while let ExprData::Binary(BinaryOp::PtrAdd, base, _) = exprs[addr] {
            addr = base;
        }
        matches!(exprs[addr], ExprData::SymbolAddr(symbol) if is_meant(symbol))
    };
    for cmd in f.blocks.values_mut().flat_map(|data| &mut data.cmds) {
        if let CmdKind::Load { addr, access, .. } = &mut cmd.kind {
            access.volatile |= is_meant(*addr);
        }
    }
    f
}
