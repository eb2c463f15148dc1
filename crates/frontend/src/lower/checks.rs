//! The only place where undefined behaviour becomes `assert`: one small function per kind.
//!
//! Checks that are trivially true (a constant index within bounds, the address of a variable) are omitted.

use super::function::FunctionCx;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Cmd, CmdKind, Expr, ExprData, Linkage, Next, Var};
use gainsay_ir::types::{BOOL, Type};

impl FunctionCx<'_> {
    fn assert(&mut self, check: Check, holds: Expr) {
        if self.as_const(holds) != Some(1) {
            self.emit(CmdKind::Assert(check, holds));
        }
    }

    /// Is the address a constant of the source, such as a device register? NULL counts only for volatile accesses
    /// (`*(volatile int *)0`); any other access to it is an error.
    pub(super) fn is_fixed_address(&self, addr: Expr, volatile: bool) -> bool {
        let mut base = addr;
        while let ExprData::Binary(BinaryOp::PtrAdd, pointer, _) = self.function.exprs[base] {
            base = pointer;
        }
        match self.as_const(base) {
            Some(0) => volatile || self.unit.target.null_is_valid,
            number => number.is_some(),
        }
    }

    /// Checks an access of `bytes` bytes at `addr`, reached through `pointer`.
    pub(super) fn check_pointer(&mut self, pointer: Expr, addr: Expr, bytes: u64) {
        let is_object =
            matches!(self.function.exprs[pointer], ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_));
        if is_object && self.is_never_null(pointer) && pointer == addr {
            return;
        }
        if !self.is_never_null(pointer) {
            let nonnull = self.is_nonzero(pointer);
            self.assert(Check::NullDereference, nonnull);
        }
        let len = self.word(bytes);
        let valid = self.push_expr(ExprData::Valid(addr, len), BOOL);
        self.assert(Check::InvalidAccess, valid);
    }

    pub(super) fn check_call(&mut self, pointer: Expr) {
        if !self.is_never_null(pointer) {
            let nonnull = self.is_nonzero(pointer);
            self.assert(Check::NullCall, nonnull);
        }
    }

    pub(super) fn check_nonnull_argument(&mut self, argument: Expr) {
        if !self.is_never_null(argument) {
            let nonnull = self.is_nonzero(argument);
            self.assert(Check::NonnullArgument, nonnull);
        }
    }

    /// Addresses of objects, and of functions that are not weak. The answer does not matter where NULL is a valid
    /// address.
    fn is_never_null(&self, pointer: Expr) -> bool {
        match self.function.exprs[pointer] {
            _ if self.unit.target.null_is_valid => true,
            ExprData::ObjectAddr(_) => true,
            ExprData::SymbolAddr(symbol) => self.symbols.data[symbol].linkage != Linkage::Weak,
            _ => false,
        }
    }

    pub(super) fn check_bounds(&mut self, index: Expr, count: u64) {
        let count = self.word(count);
        let within = self.binary(BinaryOp::ULt, index, count);
        self.assert(Check::Bounds, within);
    }

    pub(super) fn check_division(&mut self, dividend: Expr, divisor: Expr, signed: bool) {
        let nonzero = self.is_nonzero(divisor);
        self.assert(Check::DivisionByZero, nonzero);
        let Type::Int(bits) = self.ty(divisor) else { return };
        let minus_one = super::build::mask(u128::MAX, bits);
        if !signed || self.as_const(divisor).is_some_and(|divisor| divisor != minus_one) {
            return;
        }
        let lowest = self.int(bits, 1 << (bits - 1));
        let minus_one = self.int(bits, minus_one);
        let above = self.binary(BinaryOp::Ne, dividend, lowest);
        let other = self.binary(BinaryOp::Ne, divisor, minus_one);
        let fits = self.binary(BinaryOp::Or, above, other);
        self.assert(Check::DivisionOverflow, fits);
    }

    /// `amount` has its own type; a negative one is a large unsigned one.
    pub(super) fn check_shift(&mut self, amount: Expr, width: u16) {
        let Type::Int(bits) = self.ty(amount) else { return };
        if bits < 16 && 1 << bits <= width {
            return;
        }
        let width = self.int(bits, u128::from(width));
        let within = self.binary(BinaryOp::ULt, amount, width);
        self.assert(Check::Shift, within);
    }

    /// Does the exact result of `a op b` fit? Computed in twice the width.
    pub(super) fn check_signed_overflow(&mut self, op: BinaryOp, a: Expr, b: Expr) {
        let Type::Int(bits) = self.ty(a) else { return };
        if !self.options.signed_overflow || bits > 64 {
            return;
        }
        let wide = [a, b].map(|operand| self.resize(operand, true, bits * 2));
        let exact = self.binary(op, wide[0], wide[1]);
        let narrow = self.resize(exact, true, bits);
        let back = self.resize(narrow, true, bits * 2);
        let fits = self.binary(BinaryOp::Eq, exact, back);
        self.assert(Check::SignedOverflow, fits);
    }

    pub(super) fn check_initialised(&mut self, var: Var) {
        if self.function.vars[var].written_by_user && !self.function.params.contains(&var) {
            let initialised = self.push_expr(ExprData::Initialised(var), BOOL);
            self.assert(Check::Uninitialised, initialised);
        }
    }

    /// Checks the size of a variable-length array; gcc and clang allow zero.
    pub(super) fn check_vla_size(&mut self, size: Expr) {
        let zero = self.word(0);
        let possible = self.binary(BinaryOp::SLe, zero, size);
        self.assert(Check::VlaSize, possible);
    }

    /// Control must not get here. The run ends in error.
    pub(super) fn fail(&mut self, check: Check) {
        let never = self.constant(BOOL, 0);
        self.assert(check, never);
        self.end(Next::Error);
    }

    /// Control must not get here. Directly after a call this states that the call does not return.
    pub(super) fn unreachable(&mut self, check: Check) {
        let block = self.block();
        match self.function.blocks[block].cmds.last() {
            Some(Cmd { kind: CmdKind::Call(_), .. }) => self.end(Next::Raise),
            _ => self.fail(check),
        }
    }
}
