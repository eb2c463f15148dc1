//! Preconditions in C's terms, as ACSL writes them.

use super::{Input, Precondition};
use gainsay_ir::eval;
use gainsay_ir::gc::{BinaryOp, CastOp, UnaryOp};
use gainsay_ir::types::Type;

/// How tightly an operator binds, as in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    And,
    Compare,
    Sum,
    Product,
    Unary,
    Name,
}

struct BoundText {
    text: String,
    binds: Binds,
}

impl Precondition {
    /// The precondition in ACSL: `n != 0`, `len > 0 ==> p != \null`. `None` if it has no short form.
    pub fn as_acsl(&self, params: &[(String, Type)]) -> Option<String> {
        let (when, holds) = self.condition_texts(&ConditionWriter { params, null: "\\null" })?;
        Some(if when.is_empty() { holds } else { format!("{when} ==> {holds}") })
    }

    /// The same for messages: `n != 0`, `p != NULL if len > 0`.
    pub fn as_words(&self, params: &[(String, Type)]) -> Option<String> {
        let (when, holds) = self.condition_texts(&ConditionWriter { params, null: "NULL" })?;
        Some(if when.is_empty() { holds } else { format!("{holds} if {when}") })
    }

    /// The tests on the path, and what must hold then.
    fn condition_texts(&self, writer: &ConditionWriter) -> Option<(String, String)> {
        let holds = writer.condition(&self.fails.clone().negated())?.text;
        let tests = self.when.iter().map(|test| Some(writer.within(writer.condition(test)?, Binds::Compare)));
        let when: Option<Vec<String>> = tests.collect();
        Some((when?.join(" && "), holds))
    }
}

impl Input {
    /// As C writes it.
    pub fn text(&self, params: &[(String, Type)]) -> Option<String> {
        let writer = ConditionWriter { params, null: "NULL" };
        match self {
            Input::Binary(op, ..) if op.is_comparison() => Some(writer.condition(self)?.text),
            _ => Some(writer.value(self)?.text),
        }
    }
}

struct ConditionWriter<'a> {
    params: &'a [(String, Type)],
    /// How a null pointer is written.
    null: &'static str,
}

impl ConditionWriter<'_> {
    fn within(&self, text: BoundText, least: Binds) -> String {
        if text.binds < least { format!("({})", text.text) } else { text.text }
    }

    fn condition(&self, input: &Input) -> Option<BoundText> {
        let compare = |text: String| BoundText { text, binds: Binds::Compare };
        match input {
            Input::Unary(UnaryOp::Not, a) => {
                let inner = self.within(self.condition(a)?, Binds::Unary);
                Some(BoundText { text: format!("!{inner}"), binds: Binds::Unary })
            }
            Input::Binary(op, a, b) => {
                let ordered = |sign: &str| {
                    let (a, b) = (self.operand(a, *op)?, self.operand(b, *op)?);
                    Some(compare(format!("{a} {sign} {b}")))
                };
                match op {
                    BinaryOp::Eq => ordered("=="),
                    BinaryOp::Ne => ordered("!="),
                    BinaryOp::SLt => self.mirrored(a, b, "<", ">", *op),
                    BinaryOp::SLe => self.mirrored(a, b, "<=", ">=", *op),
                    BinaryOp::ULt | BinaryOp::ULe => self.unsigned(*op, a, b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `0 < n` is written `n > 0` by most.
    fn mirrored(&self, a: &Input, b: &Input, sign: &str, mirrored: &str, op: BinaryOp) -> Option<BoundText> {
        let (x, y) = (self.operand(a, op)?, self.operand(b, op)?);
        let is_number = matches!(a, Input::Const(..));
        let text = if is_number { format!("{y} {mirrored} {x}") } else { format!("{x} {sign} {y}") };
        Some(BoundText { text, binds: Binds::Compare })
    }

    /// ACSL integers are unbounded, so both bounds are written for values that may be negative in C.
    fn unsigned(&self, op: BinaryOp, a: &Input, b: &Input) -> Option<BoundText> {
        let is_low = |input: &Input| match input {
            Input::Const(ty @ Type::Int(_), value) => *value <= eval::mask(ty.bits(64)) >> 1,
            _ => false,
        };
        let narrow = |input: &Input| match input {
            Input::Cast(CastOp::ZeroExtend, _, a) => a.as_ref().clone(),
            other => other.clone(),
        };
        let sign = if op == BinaryOp::ULt { "<" } else { "<=" };
        match (a, b) {
            (a, b @ Input::Const(..)) if is_low(b) => {
                let (a, b) = (self.operand(&narrow(a), op)?, self.operand(b, op)?);
                Some(BoundText { text: format!("0 <= {a} && {a} {sign} {b}"), binds: Binds::And })
            }
            (a @ Input::Const(..), b) if is_low(a) => {
                let (a, b) = (self.operand(a, op)?, self.operand(&narrow(b), op)?);
                let other = if op == BinaryOp::ULt { ">" } else { ">=" };
                Some(BoundText { text: format!("({b} < 0 || {b} {other} {a})"), binds: Binds::Name })
            }
            _ => None,
        }
    }

    fn operand(&self, input: &Input, op: BinaryOp) -> Option<String> {
        match input {
            Input::Const(Type::Ptr, 0) => Some(self.null.to_owned()),
            Input::Const(ty @ Type::Int(2..), value) => {
                let bits = ty.bits(64);
                let is_unsigned = matches!(op, BinaryOp::ULt | BinaryOp::ULe);
                Some(if is_unsigned { value.to_string() } else { eval::signed(*value, bits).to_string() })
            }
            Input::Cast(CastOp::ZeroExtend | CastOp::SignExtend, _, a) => self.operand(a, op),
            other => Some(self.within(self.value(other)?, Binds::Sum)),
        }
    }

    fn value(&self, input: &Input) -> Option<BoundText> {
        let name = |text: String| Some(BoundText { text, binds: Binds::Name });
        match input {
            Input::Param(i, _) => name(self.params.get(*i as usize)?.0.clone())
                .filter(|text| !text.text.is_empty() && !text.text.contains('.')),
            Input::Const(ty @ Type::Int(2..), value) => name(eval::signed(*value, ty.bits(64)).to_string()),
            Input::Load { addr, class, .. } => match (addr.as_ref(), &class.field) {
                (Input::Global(global), None) => name(global.name.clone()),
                (addr, Some(field)) => {
                    let base = field_base(addr, field.offset)?;
                    match base {
                        Input::Global(global) => name(format!("{}.{}", global.name, field.name)),
                        base => {
                            let base = self.within(self.value(base)?, Binds::Name);
                            name(format!("{base}->{}", field.name))
                        }
                    }
                }
                (addr, None) => {
                    let inner = self.within(self.value(addr)?, Binds::Unary);
                    Some(BoundText { text: format!("*{inner}"), binds: Binds::Unary })
                }
            },
            Input::Binary(op, a, b) => {
                let (sign, binds, right) = match op {
                    BinaryOp::Add => ("+", Binds::Sum, Binds::Sum),
                    BinaryOp::Sub => ("-", Binds::Sum, Binds::Product),
                    BinaryOp::Mul => ("*", Binds::Product, Binds::Product),
                    _ => return None,
                };
                let a = self.within(self.value(a)?, binds);
                let b = self.within(self.value(b)?, right);
                Some(BoundText { text: format!("{a} {sign} {b}"), binds })
            }
            _ => None,
        }
    }
}

/// What the member's offset is added to.
fn field_base(addr: &Input, offset: u64) -> Option<&Input> {
    match addr {
        Input::Binary(BinaryOp::PtrAdd, base, by) if matches!(**by, Input::Const(_, by) if by == u128::from(offset)) => {
            Some(base)
        }
        base if offset == 0 && !matches!(base, Input::Binary(..)) => Some(base),
        _ => None,
    }
}
