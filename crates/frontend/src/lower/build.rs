//! Builds the expressions and commands of one function. Constants are folded; nothing else is simplified.

use super::function::FunctionCx;
use crate::limits;
use gainsay_ir::gc::{
    BinaryOp, Block, BlockData, Branch, CastOp, Cmd, CmdKind, Expr, ExprData, LocalObject, Next, Object,
    Origin, Outcome, UnaryOp, Var, VarData,
};
use gainsay_ir::types::{BOOL, Type};

impl FunctionCx<'_> {
    pub(super) fn push_expr(&mut self, data: ExprData, ty: Type) -> Expr {
        self.expr_types.push(ty);
        self.function.exprs.push(data)
    }

    pub(super) fn ty(&self, expr: Expr) -> Type {
        self.expr_types[expr]
    }

    pub(super) fn constant(&mut self, ty: Type, bits: u128) -> Expr {
        let width = ty.bits(self.pointer_bits());
        self.push_expr(ExprData::Const(ty, mask(bits, width)), ty)
    }

    pub(super) fn int(&mut self, bits: u16, value: u128) -> Expr {
        self.constant(Type::Int(bits), value)
    }

    /// An integer of the pointer's width.
    pub(super) fn word(&mut self, value: u64) -> Expr {
        self.int(self.pointer_bits(), u128::from(value))
    }

    pub(super) fn null(&mut self) -> Expr {
        self.constant(Type::Ptr, 0)
    }

    pub(super) fn as_const(&self, expr: Expr) -> Option<u128> {
        match self.function.exprs[expr] {
            ExprData::Const(_, bits) => Some(bits),
            _ => None,
        }
    }

    pub(super) fn read(&mut self, var: Var) -> Expr {
        let ty = self.function.vars[var].ty;
        self.push_expr(ExprData::Var(var), ty)
    }

    pub(super) fn not(&mut self, expr: Expr) -> Expr {
        let ty = self.ty(expr);
        if ty == BOOL {
            match self.function.exprs[expr] {
                ExprData::Unary(UnaryOp::Not, inner) => return inner,
                ExprData::Binary(BinaryOp::Eq, a, b) => return self.binary(BinaryOp::Ne, a, b),
                ExprData::Binary(BinaryOp::Ne, a, b) => return self.binary(BinaryOp::Eq, a, b),
                ExprData::Binary(BinaryOp::ULt, a, b) => return self.binary(BinaryOp::ULe, b, a),
                ExprData::Binary(BinaryOp::ULe, a, b) => return self.binary(BinaryOp::ULt, b, a),
                ExprData::Binary(BinaryOp::SLt, a, b) => return self.binary(BinaryOp::SLe, b, a),
                ExprData::Binary(BinaryOp::SLe, a, b) => return self.binary(BinaryOp::SLt, b, a),
                _ => {}
            }
        }
        self.unary(UnaryOp::Not, expr)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, expr: Expr) -> Expr {
        let ty = self.ty(expr);
        match (op, self.as_const(expr)) {
            (UnaryOp::Not, Some(bits)) => self.constant(ty, !bits),
            (UnaryOp::Neg, Some(bits)) => self.constant(ty, bits.wrapping_neg()),
            _ => self.push_expr(ExprData::Unary(op, expr), ty),
        }
    }

    pub(super) fn cast(&mut self, op: CastOp, to: Type, expr: Expr) -> Expr {
        let from = self.ty(expr);
        if let (Some(bits), Type::Int(width)) = (self.as_const(expr), from) {
            match op {
                CastOp::ZeroExtend | CastOp::Truncate | CastOp::IntToPtr => return self.constant(to, bits),
                CastOp::SignExtend => return self.constant(to, sign_extend(bits, width)),
                _ => {}
            }
        }
        if let (Some(bits), CastOp::PtrToInt) = (self.as_const(expr), op) {
            return self.constant(to, bits);
        }
        self.push_expr(ExprData::Cast(op, to, expr), to)
    }

    /// An integer in another width, extended by its sign or by zeros.
    pub(super) fn resize(&mut self, expr: Expr, signed: bool, to: u16) -> Expr {
        let Type::Int(from) = self.ty(expr) else { return expr };
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => expr,
            std::cmp::Ordering::Greater => self.cast(CastOp::Truncate, Type::Int(to), expr),
            std::cmp::Ordering::Less if signed => self.cast(CastOp::SignExtend, Type::Int(to), expr),
            std::cmp::Ordering::Less => self.cast(CastOp::ZeroExtend, Type::Int(to), expr),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let ty = match op {
            _ if op.is_comparison() => BOOL,
            BinaryOp::PtrSub => Type::Int(self.pointer_bits()),
            _ => self.ty(a),
        };
        if op == BinaryOp::PtrAdd && self.as_const(b) == Some(0) {
            return a;
        }
        if let (Some(x), Some(y), Type::Int(width)) = (self.as_const(a), self.as_const(b), self.ty(a)) {
            let folded = match op {
                BinaryOp::Add => Some(x.wrapping_add(y)),
                BinaryOp::Sub => Some(x.wrapping_sub(y)),
                BinaryOp::Mul => Some(x.wrapping_mul(y)),
                BinaryOp::Shl if y < u128::from(width) => Some(x << y),
                BinaryOp::And => Some(x & y),
                BinaryOp::Or => Some(x | y),
                BinaryOp::Xor => Some(x ^ y),
                BinaryOp::Eq => Some(u128::from(x == y)),
                BinaryOp::Ne => Some(u128::from(x != y)),
                BinaryOp::ULt => Some(u128::from(x < y)),
                BinaryOp::ULe => Some(u128::from(x <= y)),
                BinaryOp::SLt => Some(u128::from(
                    sign_extend(x, width).cast_signed() < sign_extend(y, width).cast_signed(),
                )),
                BinaryOp::SLe => Some(u128::from(
                    sign_extend(x, width).cast_signed() <= sign_extend(y, width).cast_signed(),
                )),
                _ => None,
            };
            if let Some(bits) = folded {
                return self.constant(ty, bits);
            }
        }
        self.push_expr(ExprData::Binary(op, a, b), ty)
    }

    /// Pointer plus a constant number of bytes.
    pub(super) fn offset(&mut self, pointer: Expr, bytes: u64) -> Expr {
        let bytes = self.word(bytes);
        self.binary(BinaryOp::PtrAdd, pointer, bytes)
    }

    /// Is the value neither zero nor NULL?
    pub(super) fn is_nonzero(&mut self, expr: Expr) -> Expr {
        match self.ty(expr) {
            BOOL => expr,
            ty @ Type::Float(_) => {
                let zero = self.constant(ty, 0);
                let equal = self.binary(BinaryOp::FEq, expr, zero);
                self.not(equal)
            }
            ty => {
                let zero = self.constant(ty, 0);
                self.binary(BinaryOp::Ne, expr, zero)
            }
        }
    }

    /// A Boolean as an integer 0 or 1.
    pub(super) fn truth_as_int(&mut self, truth: Expr, bits: u16) -> Expr {
        self.cast(CastOp::ZeroExtend, Type::Int(bits), truth)
    }

    pub(super) fn emit(&mut self, kind: CmdKind) {
        self.check_frames(&kind);
        self.push_cmd(kind);
    }

    /// Adds a command without checking it against `assigns`.
    pub(super) fn push_cmd(&mut self, kind: CmdKind) {
        let block = self.block();
        let loc = self.loc;
        self.function.blocks[block].cmds.push(Cmd { kind, loc });
    }

    pub(super) fn assign(&mut self, var: Var, value: Expr) {
        self.emit(CmdKind::Assign(var, value));
    }

    pub(super) fn temp(&mut self, ty: Type) -> Var {
        self.n_temps += 1;
        let name = format!("t.{}", self.n_temps);
        self.function.vars.push(VarData { name, ty, written_by_user: false })
    }

    /// A temporary whose name begins with a mark of [`gainsay_ir::gc`].
    pub(super) fn marked(&mut self, mark: &str, ty: Type) -> Var {
        let var = self.temp(ty);
        self.function.vars[var].name = format!("{mark}{}", self.n_temps);
        var
    }

    /// A temporary with the current value, unaffected by later assignments.
    pub(super) fn hold(&mut self, value: Expr) -> Expr {
        if matches!(
            self.function.exprs[value],
            ExprData::Const(..) | ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_)
        ) {
            return value;
        }
        if let ExprData::Var(var) = self.function.exprs[value]
            && !self.function.vars[var].written_by_user
        {
            return value;
        }
        let temp = self.temp(self.ty(value));
        self.assign(temp, value);
        self.read(temp)
    }

    /// An expression small enough to be used several times.
    pub(super) fn atom(&mut self, value: Expr) -> Expr {
        match self.function.exprs[value] {
            ExprData::Var(_) => value,
            _ => self.hold(value),
        }
    }

    /// A value that is not modelled.
    pub(super) fn unknown(&mut self, ty: Type) -> Expr {
        let temp = self.temp(ty);
        self.emit(CmdKind::Havoc(temp));
        self.read(temp)
    }

    /// A value that C leaves indeterminate. It may be anything, but it is not a gap.
    pub(super) fn indeterminate(&mut self, ty: Type) -> Expr {
        let temp = self.temp(ty);
        self.emit(CmdKind::Enter(temp));
        self.read(temp)
    }

    pub(super) fn temp_object(&mut self, what: &str, size: u64, align: u64) -> Object {
        self.n_temps += 1;
        let name = format!("{what}.{}", self.n_temps);
        self.function.objects.push(LocalObject { name, size, align, written_by_user: false })
    }

    pub(super) fn address_of(&mut self, object: Object) -> Expr {
        self.push_expr(ExprData::ObjectAddr(object), Type::Ptr)
    }

    pub(super) fn new_block(&mut self) -> Block {
        self.function.blocks.push(BlockData {
            branch: None,
            cmds: Vec::new(),
            next: Next::Goto(Default::default()),
        })
    }

    /// The block that receives commands; after a jump, a fresh unreachable one.
    pub(super) fn block(&mut self) -> Block {
        match self.current {
            Some(block) => block,
            None => {
                let block = self.new_block();
                self.current = Some(block);
                block
            }
        }
    }

    pub(super) fn end(&mut self, next: Next) {
        let block = self.block();
        self.function.blocks[block].next = next;
        self.current = None;
    }

    pub(super) fn goto(&mut self, target: Block) {
        if self.current.is_some() {
            self.end(Next::Goto(smallvec::smallvec![target]));
        }
    }

    /// Continues in `block`, and connects the current block to it if it is open.
    pub(super) fn enter_block(&mut self, block: Block) {
        self.goto(block);
        self.current = Some(block);
    }

    /// The number of a new condition.
    pub(super) fn new_condition(&mut self) -> u32 {
        self.n_conditions += 1;
        self.n_conditions - 1
    }

    /// A block that is one edge of a branch.
    pub(super) fn edge(
        &mut self,
        condition: u32,
        origin: Origin,
        outcome: Outcome,
        guard: Expr,
        to: Block,
    ) -> Block {
        let cmds = vec![Cmd { kind: CmdKind::Assume(guard), loc: self.loc }];
        let branch = Some(Branch { condition, origin, outcome });
        self.function.blocks.push(BlockData { branch, cmds, next: Next::Goto(smallvec::smallvec![to]) })
    }

    /// Ends the block with a two-way branch on `guard`.
    pub(super) fn branch(&mut self, origin: Origin, guard: Expr, if_true: Block, if_false: Block) {
        let condition = self.new_condition();
        let guard = self.hold_unless_small(guard);
        let negated = self.not(guard);
        let true_edge = self.edge(condition, origin, Outcome::True, guard, if_true);
        let false_edge = self.edge(condition, origin, Outcome::False, negated, if_false);
        self.end(Next::Goto(smallvec::smallvec![true_edge, false_edge]));
    }

    /// A guard occurs twice, once negated, so a large one is computed once.
    fn hold_unless_small(&mut self, guard: Expr) -> Expr {
        let mut budget = limits::REPEATED_GUARD_NODES;
        if self.is_small(guard, &mut budget) { guard } else { self.hold(guard) }
    }

    fn is_small(&self, expr: Expr, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match self.function.exprs[expr] {
            ExprData::Unary(_, a) | ExprData::Cast(_, _, a) | ExprData::Freeable(a) => {
                self.is_small(a, budget)
            }
            ExprData::Binary(_, a, b) | ExprData::Valid(a, b) => {
                self.is_small(a, budget) && self.is_small(b, budget)
            }
            ExprData::Ite(a, b, c) => {
                self.is_small(a, budget) && self.is_small(b, budget) && self.is_small(c, budget)
            }
            _ => true,
        }
    }
}

pub(super) fn mask(bits: u128, width: u16) -> u128 {
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}

pub(super) fn sign_extend(bits: u128, width: u16) -> u128 {
    if width >= 128 {
        return bits;
    }
    let shift = 128 - u32::from(width);
    ((bits << shift).cast_signed() >> shift).cast_unsigned()
}
