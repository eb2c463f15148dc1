//! Expressions and lvalues in C syntax.

use super::Wording;
use crate::limits::QUOTED_DEPTH;
use gainsay_ir::gc::{self, BinaryOp, CastOp, UnaryOp};
use gainsay_ir::passive::{Callee, CmdKind, Definition, Effect, Expr, ExprData, Var};
use gainsay_ir::types::{BOOL, Type};

impl Wording<'_> {
    /// The text and whether it needs parentheses as an operand.
    pub(super) fn render(&self, expr: Expr, depth: u32) -> Option<(String, bool)> {
        let depth = depth.checked_sub(1)?;
        match self.function.exprs[expr] {
            ExprData::Const(Type::Ptr, 0) => Some(("NULL".into(), false)),
            ExprData::Const(ty, bits) => number(ty, bits).map(|text| (text, false)),
            ExprData::Var(var) => match self.variable(var) {
                Some(name) => Some((name, false)),
                None => match self.defined_as(var) {
                    Some(value) => self.render(value, depth),
                    None => self.call_result(var).map(|text| (text, false)),
                },
            },
            ExprData::ObjectAddr(object) => {
                let data = &self.function.objects[object];
                data.written_by_user.then(|| (format!("&{}", data.name), true))
            }
            ExprData::SymbolAddr(symbol) => Some((format!("&{}", self.unit.symbols[symbol].name), true)),
            ExprData::Unary(UnaryOp::Not, a) => Some((format!("!{}", self.operand_text(a, depth)?), true)),
            ExprData::Unary(UnaryOp::Neg | UnaryOp::FNeg, a) => {
                Some((format!("-{}", self.operand_text(a, depth)?), true))
            }
            // Conversions say little; a Boolean made a number is the Boolean.
            ExprData::Cast(
                CastOp::ZeroExtend
                | CastOp::SignExtend
                | CastOp::Truncate
                | CastOp::PtrToInt
                | CastOp::IntToPtr,
                _,
                a,
            ) => self.render(a, depth),
            ExprData::Cast(..) => None,
            // `x > 100` reads better than `100 < x`.
            ExprData::Binary(op, a, b)
                if self.is_number(a) && !self.is_number(b) && mirrored(op).is_some() =>
            {
                let text =
                    format!("{} {} {}", self.side(op, b, depth)?, mirrored(op)?, self.side(op, a, depth)?);
                Some((text, true))
            }
            ExprData::Binary(op, a, b) => {
                // A signed number that is compared as unsigned must not be negative either.
                let is_bound = matches!(op, BinaryOp::ULt | BinaryOp::ULe)
                    && matches!(self.function.exprs[a], ExprData::Cast(CastOp::SignExtend, ..));
                let least = if is_bound { "0 <= " } else { "" };
                let (left, right) = (self.side(op, a, depth)?, self.side(op, b, depth)?);
                Some((format!("{least}{left} {} {right}", operator(op)?), true))
            }
            ExprData::Ite(..) | ExprData::Valid(..) | ExprData::Freeable(..) => None,
            ExprData::Load(_, access, addr) => {
                self.place_at(addr, access.class, depth).map(|text| (text, false))
            }
        }
    }

    pub(super) fn operand_text(&self, expr: Expr, depth: u32) -> Option<String> {
        let (text, is_compound) = self.render(expr, depth)?;
        Some(if is_compound { format!("({text})") } else { text })
    }

    /// An operand; numbers are signed or unsigned as the operator reads them.
    fn side(&self, op: BinaryOp, expr: Expr, depth: u32) -> Option<String> {
        use BinaryOp::{And, LShr, Or, UDiv, ULe, ULt, URem, Xor};
        match (self.function.exprs[expr], op) {
            (ExprData::Const(Type::Int(1..=64), bits), ULt | ULe | UDiv | URem) => Some(bits.to_string()),
            (ExprData::Const(Type::Int(2..=64), bits), And | Or | Xor | LShr) if bits > 9 => {
                Some(format!("{bits:#x}"))
            }
            _ => self.operand_text(expr, depth),
        }
    }

    pub(super) fn call_result(&self, var: Var) -> Option<String> {
        let Definition::Fresh(block, index) = self.function.vars[var].definition else { return None };
        let cmd = self.function.blocks[block].cmds.get(index as usize)?;
        match &cmd.kind {
            CmdKind::Update { effect: Effect::Call(call), .. } if call.result == Some(var) => {
                match call.callee {
                    Callee::Symbol(symbol) => Some(format!("{}()", self.unit.symbols[symbol].name)),
                    Callee::Pointer(_) => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn place(&self, addr: Expr, class: gc::Class) -> Option<String> {
        self.place_at(addr, class, QUOTED_DEPTH)
    }

    /// The lvalue at an address: `x`, `p->f`, `*p`.
    fn place_at(&self, addr: Expr, class: gc::Class, depth: u32) -> Option<String> {
        let field = self.unit.classes[class].field.as_ref();
        let addr = self.resolved(addr);
        match (self.function.exprs[addr], field) {
            (ExprData::ObjectAddr(object), None) => Some(self.function.objects[object].name.clone()),
            (ExprData::SymbolAddr(symbol), None) => Some(self.unit.symbols[symbol].name.clone()),
            (ExprData::ObjectAddr(object), Some(field)) => {
                Some(format!("{}.{}", self.function.objects[object].name, field.name))
            }
            (ExprData::SymbolAddr(symbol), Some(field)) => {
                Some(format!("{}.{}", self.unit.symbols[symbol].name, field.name))
            }
            (ExprData::Binary(BinaryOp::PtrAdd, base, offset), Some(field)) => {
                let at_field =
                    self.function.exprs[offset] == ExprData::Const(self.word(), u128::from(field.offset));
                let base = self.resolved(base);
                match (at_field, self.function.exprs[base]) {
                    (false, _) => None,
                    (true, ExprData::ObjectAddr(object)) => {
                        Some(format!("{}.{}", self.function.objects[object].name, field.name))
                    }
                    (true, ExprData::SymbolAddr(symbol)) => {
                        Some(format!("{}.{}", self.unit.symbols[symbol].name, field.name))
                    }
                    // A member of a member: the name of the outer one is not known.
                    (true, ExprData::Binary(BinaryOp::PtrAdd, outer, _)) => {
                        Some(format!("{}->...{}", self.operand_text(outer, depth)?, field.name))
                    }
                    (true, _) => Some(format!("{}->{}", self.operand_text(base, depth)?, field.name)),
                }
            }
            (ExprData::Binary(BinaryOp::PtrAdd, base, offset), None) => {
                let array = self.array(base, depth)?;
                let index = self.index(offset, depth)?;
                Some(format!("{array}[{index}]"))
            }
            (_, Some(field)) if field.offset == 0 => {
                Some(format!("{}->{}", self.operand_text(addr, depth)?, field.name))
            }
            (_, Some(_)) => None,
            (_, None) => Some(format!("*{}", self.operand_text(addr, depth)?)),
        }
    }

    /// An array, or a pointer into one.
    fn array(&self, base: Expr, depth: u32) -> Option<String> {
        match self.function.exprs[self.resolved(base)] {
            ExprData::ObjectAddr(object) => Some(self.function.objects[object].name.clone()),
            ExprData::SymbolAddr(symbol) => Some(self.unit.symbols[symbol].name.clone()),
            _ => self.operand_text(base, depth),
        }
    }

    /// The index for an offset in bytes.
    fn index(&self, offset: Expr, depth: u32) -> Option<String> {
        match self.function.exprs[offset] {
            ExprData::Binary(BinaryOp::Mul, index, size) if self.is_number(size) => {
                self.render(index, depth).map(|(text, _)| text)
            }
            ExprData::Cast(..) => self.render(offset, depth).map(|(text, _)| text),
            _ => None,
        }
    }

    pub(super) fn is_number(&self, expr: Expr) -> bool {
        matches!(self.function.exprs[expr], ExprData::Const(..))
    }

    fn word(&self) -> Type {
        Type::Int(self.unit.target.pointer_bits)
    }
}

pub(super) fn number(ty: Type, bits: u128) -> Option<String> {
    match ty {
        BOOL => Some(if bits == 0 { "false" } else { "true" }.into()),
        Type::Int(width) if width <= 64 => {
            let unused = 128 - u32::from(width);
            let value = ((bits << unused) as i128) >> unused;
            // Unsigned values with the top bit set are rarer than negative ones.
            Some(value.to_string())
        }
        Type::Int(_) | Type::Float(_) => None,
        Type::Ptr => Some(format!("{bits:#x}")),
    }
}

/// The operator with its operands exchanged.
fn mirrored(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::FEq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::ULt | BinaryOp::SLt | BinaryOp::FLt => ">",
        BinaryOp::ULe | BinaryOp::SLe | BinaryOp::FLe => ">=",
        _ => return None,
    })
}

fn operator(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add | BinaryOp::FAdd | BinaryOp::PtrAdd => "+",
        BinaryOp::Sub | BinaryOp::FSub | BinaryOp::PtrSub => "-",
        BinaryOp::Mul | BinaryOp::FMul => "*",
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::FDiv => "/",
        BinaryOp::URem | BinaryOp::SRem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr | BinaryOp::AShr => ">>",
        BinaryOp::Eq | BinaryOp::FEq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::ULt | BinaryOp::SLt | BinaryOp::FLt => "<",
        BinaryOp::ULe | BinaryOp::SLe | BinaryOp::FLe => "<=",
    })
}
