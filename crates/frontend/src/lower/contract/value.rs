//! Lowers terms of annotations to expressions. Names are parameters and variables; integers get a width in which
//! nothing overflows.

use super::Env;
use crate::clang::ast::{DeclId, Type, TypeId};
use crate::contract::{Arith, Expr as Term};
use crate::lower::function::FunctionCx;
use crate::lower::place::{Memory, Place};
use crate::lower::types::{MAX_BITS, is_void, pointee, value_type};
use gainsay_ir::gc::{BinaryOp, Expr, ExprData, UnaryOp};
use gainsay_ir::types::{self, BOOL};

/// The meaning of an annotation, or why it has none here.
pub(in crate::lower) type Meaning<T> = Result<T, String>;

#[derive(Clone, Copy, Debug)]
pub(in crate::lower) enum Value {
    /// A mathematical integer, as two's complement of this width.
    Int(Expr, u16),
    Null,
    /// With the type that it points to.
    Pointer(Expr, TypeId),
    Truth(Expr),
}

impl FunctionCx<'_> {
    pub(super) fn term(&mut self, env: &mut Env, term: &Term) -> Meaning<Value> {
        match term {
            Term::Int(value) => Ok(self.number(u128::from(*value), 65 - value.leading_zeros() as u16)),
            Term::Null => Ok(Value::Null),
            Term::Result => match env.result {
                Some((value, ty)) => self.typed(value, ty),
                None => Err("there is no `\\result` here".into()),
            },
            Term::Old(inner) => match env.olds.iter().find(|(known, _)| known == inner.as_ref()) {
                Some((_, value)) => value.clone(),
                None => Err("`\\old` has no meaning here".into()),
            },
            Term::Name(name) => self.named(env, name),
            Term::Neg(inner) => {
                let (inner, width) = self.integer(env, inner)?;
                let width = fitting(width + 1)?;
                let inner = self.resize(inner, true, width);
                Ok(Value::Int(self.unary(UnaryOp::Neg, inner), width))
            }
            Term::Complement(inner) => {
                let (inner, width) = self.integer(env, inner)?;
                Ok(Value::Int(self.unary(UnaryOp::Not, inner), width))
            }
            Term::Arith(op, left, right) => self.arith(env, *op, left, right),
            Term::Ite(condition, yes, no) => {
                let condition = self.plain_truth(env, condition)?;
                match (self.term(env, yes)?, self.term(env, no)?) {
                    (Value::Int(yes, a), Value::Int(no, b)) => {
                        let width = a.max(b);
                        let [yes, no] = [yes, no].map(|side| self.resize(side, true, width));
                        let ty = types::Type::Int(width);
                        Ok(Value::Int(self.push_expr(ExprData::Ite(condition, yes, no), ty), width))
                    }
                    (Value::Truth(yes), Value::Truth(no)) => {
                        Ok(Value::Truth(self.push_expr(ExprData::Ite(condition, yes, no), BOOL)))
                    }
                    _ => Err("`?:` is supported for integers and conditions only".into()),
                }
            }
            Term::Cast(name, inner) => {
                let (inner, width) = self.integer(env, inner)?;
                let Some((bits, signed)) = self.integer_type(name) else {
                    return Ok(Value::Int(inner, width));
                };
                let narrow = self.resize(inner, true, bits);
                let width = bits + u16::from(!signed);
                Ok(Value::Int(self.resize(narrow, signed, width), width))
            }
            Term::AddressOf(inner) => match self.lvalue(env, inner)? {
                (Place::Memory(memory), ty) => Ok(Value::Pointer(memory.addr, ty)),
                _ => Err("the address of something that has none".into()),
            },
            Term::Deref(_) | Term::Index(..) | Term::Field(..) => {
                let (place, ty) = self.lvalue(env, term)?;
                self.content(place, ty)
            }
            Term::Truth(_)
            | Term::Compare(..)
            | Term::Not(_)
            | Term::All(_)
            | Term::Any(_)
            | Term::Iff(..)
            | Term::Valid(_)
            | Term::Separated(_)
            | Term::Quantified { .. } => Ok(Value::Truth(self.plain_truth(env, term)?)),
        }
    }

    /// The integer and its width.
    pub(super) fn integer(&mut self, env: &mut Env, term: &Term) -> Meaning<(Expr, u16)> {
        match self.term(env, term)? {
            Value::Int(value, width) => Ok((value, width)),
            Value::Null => Err("an integer is expected, not a pointer".into()),
            Value::Pointer(..) => Err("an integer is expected, not a pointer".into()),
            Value::Truth(_) => Err("an integer is expected, not a condition".into()),
        }
    }

    fn number(&mut self, value: u128, width: u16) -> Value {
        // A single bit would be a Boolean.
        let width = width.max(8);
        Value::Int(self.int(width, value), width)
    }

    /// Width and sign of an integer type by its name; `None` for `integer`.
    fn integer_type(&self, name: &str) -> Option<(u16, bool)> {
        let long = if name.contains("long long") { 64 } else { self.unit.target.pointer_bits };
        let unsigned = name.contains("unsigned");
        Some(match name {
            "integer" => return None,
            "_Bool" | "bool" => (8, false),
            "size_t" => (self.pointer_bits(), false),
            "ssize_t" | "ptrdiff_t" => (self.pointer_bits(), true),
            "int8_t" => (8, true),
            "int16_t" => (16, true),
            "int32_t" => (32, true),
            "int64_t" => (64, true),
            "uint8_t" => (8, false),
            "uint16_t" => (16, false),
            "uint32_t" => (32, false),
            "uint64_t" => (64, false),
            _ if name.contains("char") => (8, !unsigned),
            _ if name.contains("short") => (16, !unsigned),
            _ if name.contains("long") => (long, !unsigned),
            _ => (32, !unsigned),
        })
    }

    fn named(&mut self, env: &mut Env, name: &str) -> Meaning<Value> {
        if let Some(bound) = env.bound.iter().rev().find(|bound| bound.name == name) {
            return Ok(Value::Int(bound.value, bound.width));
        }
        if let Some((_, value)) = env.params.iter().find(|(param, _)| param == name) {
            return value.clone();
        }
        if let Some(limit) = self.limit(name) {
            return Ok(limit);
        }
        if let Some(constant) = self.enum_constant(name) {
            let width = 65;
            return Ok(Value::Int(self.int(width, i128::from(constant).cast_unsigned()), width));
        }
        let (place, ty) = self.lvalue(env, &Term::Name(name.to_owned()))?;
        self.content(place, ty)
    }

    /// The macros of limits.h, which are not expanded in comments.
    fn limit(&mut self, name: &str) -> Option<Value> {
        let long = self.pointer_bits();
        let (bits, signed, least) = match name {
            "INT_MAX" => (32, true, false),
            "INT_MIN" => (32, true, true),
            "UINT_MAX" => (32, false, false),
            "LONG_MAX" => (long, true, false),
            "LONG_MIN" => (long, true, true),
            "ULONG_MAX" | "SIZE_MAX" => (long, false, false),
            "CHAR_BIT" => return Some(self.number(8, 8)),
            "SHRT_MAX" => (16, true, false),
            "SHRT_MIN" => (16, true, true),
            "UCHAR_MAX" => (8, false, false),
            _ => return None,
        };
        let top = 1_u128 << (bits - u16::from(signed));
        let value = if least { top.wrapping_neg() } else { top - 1 };
        let width = bits + 1;
        Some(Value::Int(self.int(width, value), width))
    }

    fn enum_constant(&self, name: &str) -> Option<i64> {
        let mut all = (1..self.unit.n_decls() as u32).map(DeclId);
        let found = all.find(|&decl| self.unit.is_enum_constant(decl) && self.unit.name(decl) == name)?;
        Some(self.unit.enum_value(found))
    }

    fn arith(&mut self, env: &mut Env, op: Arith, left: &Term, right: &Term) -> Meaning<Value> {
        let left = self.term(env, left)?;
        if let (Value::Pointer(pointer, elem), Arith::Add | Arith::Sub) = (left, op) {
            if let Value::Pointer(other, _) = self.term(env, right)? {
                return self.distance(pointer, other, elem);
            }
            let (mut index, _) = self.integer(env, right)?;
            if op == Arith::Sub {
                index = self.unary(UnaryOp::Neg, index);
            }
            return Ok(Value::Pointer(self.element_address(pointer, index, elem)?, elem));
        }
        let Value::Int(left, a) = left else { return Err("arithmetic needs integers".into()) };
        let (right, b) = self.integer(env, right)?;
        let shift = self.as_const(right).filter(|&by| by < u128::from(MAX_BITS)).map(|by| by as u16);
        let width = fitting(match (op, shift) {
            (Arith::Add | Arith::Sub | Arith::Div, _) => a.max(b) + 1,
            (Arith::Mul, _) => a + b,
            (Arith::Rem | Arith::And | Arith::Or | Arith::Xor, _) => a.max(b),
            (Arith::Shl, Some(by)) => a + by,
            (Arith::Shr, Some(by)) => a.max(by + 1),
            (Arith::Shl | Arith::Shr, None) => return Err("only shifts by constants are supported".into()),
        })?;
        let [left, right] = [left, right].map(|side| self.resize(side, true, width));
        let op = match op {
            Arith::Add => BinaryOp::Add,
            Arith::Sub => BinaryOp::Sub,
            Arith::Mul => BinaryOp::Mul,
            Arith::Div => BinaryOp::SDiv,
            Arith::Rem => BinaryOp::SRem,
            Arith::And => BinaryOp::And,
            Arith::Or => BinaryOp::Or,
            Arith::Xor => BinaryOp::Xor,
            Arith::Shl => BinaryOp::Shl,
            Arith::Shr => BinaryOp::AShr,
        };
        Ok(Value::Int(self.binary(op, left, right), width))
    }

    /// `p - q`, in elements.
    fn distance(&mut self, left: Expr, right: Expr, elem: TypeId) -> Meaning<Value> {
        let size = self.element_size(elem)?;
        let bytes = self.binary(BinaryOp::PtrSub, left, right);
        let size = self.word(size);
        Ok(Value::Int(self.binary(BinaryOp::SDiv, bytes, size), self.pointer_bits()))
    }

    pub(super) fn element_size(&self, elem: TypeId) -> Meaning<u64> {
        let size = if is_void(self.unit, elem) { Some(1) } else { self.unit.size_of(elem) };
        size.filter(|&size| size > 0).ok_or_else(|| "it points to something of unknown size".into())
    }

    pub(super) fn element_address(&mut self, pointer: Expr, index: Expr, elem: TypeId) -> Meaning<Expr> {
        let size = self.element_size(elem)?;
        let index = self.resize(index, true, self.pointer_bits());
        let size = self.word(size);
        let bytes = self.binary(BinaryOp::Mul, index, size);
        Ok(self.binary(BinaryOp::PtrAdd, pointer, bytes))
    }

    /// The place and its type.
    pub(super) fn lvalue(&mut self, env: &mut Env, term: &Term) -> Meaning<(Place, TypeId)> {
        match term {
            Term::Name(name) => {
                let decl = self.visible(env, name).ok_or_else(|| format!("`{name}` is not known here"))?;
                let ty = self.unit.decl_type(decl);
                Ok((self.variable(decl, ty), ty))
            }
            Term::Deref(inner) => {
                let Value::Pointer(pointer, elem) = self.term(env, inner)? else {
                    return Err("`*` needs a pointer".into());
                };
                Ok((Place::Memory(self.through(pointer, elem)), elem))
            }
            Term::Index(base, index) => {
                let Value::Pointer(pointer, elem) = self.term(env, base)? else {
                    return Err("`[]` needs an array or a pointer".into());
                };
                let (index, _) = self.integer(env, index)?;
                let addr = self.element_address(pointer, index, elem)?;
                Ok((Place::Memory(self.through(addr, elem)), elem))
            }
            Term::Field(record, name) => {
                let (Place::Memory(memory), ty) = self.lvalue(env, record)? else {
                    return Err(format!("`{name}` is asked of something that is no record"));
                };
                let Type::Record(decl) = self.unit.ty(ty) else {
                    return Err(format!("`{name}` is asked of something that is no record"));
                };
                let field =
                    self.unit.members(decl).iter().copied().find(|&f| self.unit.field(f).name == name);
                let field = field.ok_or_else(|| format!("there is no member `{name}`"))?;
                let ty = self.unit.field(field).ty;
                Ok((self.member_of(memory, field, ty), ty))
            }
            Term::Old(_) => Err("`\\old` of a place is not supported; take `\\old` of its value".into()),
            _ => Err("this names no place".into()),
        }
    }

    /// Resolves a name to a local or a global.
    fn visible(&self, env: &Env, name: &str) -> Option<DeclId> {
        let local =
            env.locals.then(|| self.scope.iter().rev().copied().find(|&decl| self.unit.name(decl) == name));
        local.flatten().or_else(|| self.unit.globals().find(|&decl| self.unit.name(decl) == name))
    }

    /// The contents of an lvalue; an array stands for its address. Nothing is checked: terms of annotations always have
    /// a value.
    fn content(&mut self, mut place: Place, ty: TypeId) -> Meaning<Value> {
        if let Type::Array { elem, .. } | Type::IncompleteArray(elem) | Type::VariableArray { elem, .. } =
            self.unit.ty(ty)
        {
            return match place {
                Place::Memory(Memory { addr, .. }) => Ok(Value::Pointer(addr, elem)),
                _ => Err("an array without an address".into()),
            };
        }
        if value_type(self.unit, ty).is_none() {
            return Err(format!("a value of type `{}` is not supported", self.unit.spelling(ty)));
        }
        place.forget_checks();
        let value = match place {
            Place::Var(var) => self.read(var),
            place => self.load(&place),
        };
        self.typed(value, ty)
    }

    pub(super) fn typed(&mut self, value: Expr, ty: TypeId) -> Meaning<Value> {
        match self.unit.ty(ty) {
            Type::Bool => Ok(Value::Int(self.resize(value, false, 9), 9)),
            Type::Int { bits, signed, .. } => {
                let width = fitting(bits + u16::from(!signed))?;
                Ok(Value::Int(self.resize(value, signed, width), width))
            }
            Type::Enum { underlying: Some(inner) } | Type::Atomic(inner) => self.typed(value, inner),
            Type::Enum { underlying: None } => Ok(Value::Int(value, 32)),
            Type::Pointer(_) => match pointee(self.unit, ty) {
                Some(elem) => Ok(Value::Pointer(value, elem)),
                None => Err("a pointer to something unknown".into()),
            },
            _ => Err(format!("a value of type `{}` is not supported", self.unit.spelling(ty))),
        }
    }

    /// A condition without quantifiers.
    pub(super) fn plain_truth(&mut self, env: &mut Env, term: &Term) -> Meaning<Expr> {
        let sense = env.sense.take();
        let truth = self.clause_truth(env, term);
        env.sense = sense;
        truth
    }

    pub(super) fn truth_of(&mut self, value: Value) -> Expr {
        match value {
            Value::Truth(truth) => truth,
            Value::Int(value, _) | Value::Pointer(value, _) => self.is_nonzero(value),
            Value::Null => self.constant(BOOL, 0),
        }
    }
}

fn fitting(width: u16) -> Meaning<u16> {
    if width <= MAX_BITS { Ok(width) } else { Err("the numbers get too large (more than 128 bits)".into()) }
}
