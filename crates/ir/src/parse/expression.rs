//! Expressions: operands may be prefixed; an infix operation stands alone or in parentheses.

use super::{FunctionParser, type_of_name};
use crate::gc::{BinaryOp, CastOp, Expr, ExprData, UnaryOp};
use crate::lex::Result;
use crate::syntax;
use crate::types::Type;
use smallvec::SmallVec;

/// An operation that waits for an operand.
pub(super) enum Pending {
    /// An open parenthesis.
    Group,
    Prefix(UnaryOp),
    Infix(BinaryOp, Expr),
    Arguments(Form, SmallVec<[Expr; 3]>),
}

/// What is written like a call.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Cast(CastOp, Type),
    Ite,
    Valid,
    Freeable,
}

impl Form {
    fn from_word(word: &str) -> Option<Form> {
        match word {
            "ite" => Some(Form::Ite),
            "valid" => Some(Form::Valid),
            "freeable" => Some(Form::Freeable),
            _ => syntax::cast_from_word(word).map(|(op, ty)| Form::Cast(op, ty)),
        }
    }

    fn build(self, arguments: &[Expr]) -> Option<ExprData> {
        match (self, arguments) {
            (Form::Cast(op, ty), &[a]) => Some(ExprData::Cast(op, ty, a)),
            (Form::Ite, &[a, b, c]) => Some(ExprData::Ite(a, b, c)),
            (Form::Valid, &[a, b]) => Some(ExprData::Valid(a, b)),
            (Form::Freeable, &[a]) => Some(ExprData::Freeable(a)),
            _ => None,
        }
    }
}

impl FunctionParser<'_, '_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.pending.clear();
        loop {
            let operand = self.operand()?;
            if let Some(expr) = self.complete(operand)? {
                return Ok(expr);
            }
        }
    }

    /// Reads up to the next operand that has no operands of its own.
    fn operand(&mut self) -> Result<Expr> {
        loop {
            let pending = match self.cursor.peek() {
                Some(b'(') => ("(", Pending::Group),
                Some(b'!') => ("!", Pending::Prefix(UnaryOp::Not)),
                Some(b'-') if self.cursor.eat("-.") => ("", Pending::Prefix(UnaryOp::FNeg)),
                Some(b'-') => ("-", Pending::Prefix(UnaryOp::Neg)),
                _ => match self.cursor.peek_word().and_then(|word| Some((word, Form::from_word(word)?))) {
                    Some((word, form)) => {
                        self.cursor.expect_word(word)?;
                        ("(", Pending::Arguments(form, SmallVec::new()))
                    }
                    None => {
                        let data = self.leaf()?;
                        return Ok(self.f.exprs.push(data));
                    }
                },
            };
            self.cursor.expect(pending.0)?;
            self.pending.push(pending.1);
        }
    }

    /// Finishes the operations that were waiting for this operand only; `None` if another one must follow.
    fn complete(&mut self, operand: Expr) -> Result<Option<Expr>> {
        let mut value = operand;
        loop {
            if let Some(&Pending::Prefix(op)) = self.pending.last() {
                self.pending.pop();
                value = self.f.exprs.push(ExprData::Unary(op, value));
                continue;
            }
            if let Some(&Pending::Infix(op, left)) = self.pending.last() {
                self.pending.pop();
                value = self.f.exprs.push(ExprData::Binary(op, left, value));
                let position = self.cursor.position();
                if self.cursor.infix().is_some() {
                    return self.cursor.error_at(position, "nested operations need parentheses");
                }
            } else if let Some(op) = self.cursor.infix() {
                self.pending.push(Pending::Infix(op, value));
                return Ok(None);
            }
            match self.pending.pop() {
                None => return Ok(Some(value)),
                Some(Pending::Arguments(form, mut arguments)) => {
                    arguments.push(value);
                    if self.cursor.eat(",") {
                        self.pending.push(Pending::Arguments(form, arguments));
                        return Ok(None);
                    }
                    self.cursor.expect(")")?;
                    value = match form.build(&arguments) {
                        Some(data) => self.f.exprs.push(data),
                        None => return self.cursor.error("wrong number of operands"),
                    };
                }
                Some(Pending::Group | Pending::Prefix(_) | Pending::Infix(..)) => self.cursor.expect(")")?,
            }
        }
    }

    fn leaf(&mut self) -> Result<ExprData> {
        match self.cursor.peek() {
            Some(b'&') => {
                self.cursor.expect("&")?;
                return Ok(ExprData::ObjectAddr(self.object()?));
            }
            Some(b'@') => return Ok(ExprData::SymbolAddr(self.symbol()?)),
            Some(b'0'..=b'9') => return self.constant(),
            _ => {}
        }
        let word = match self.cursor.peek_word() {
            Some(word) if syntax::is_reserved(word) => word,
            _ => return Ok(ExprData::Var(self.var()?)),
        };
        let start = self.cursor.position();
        self.cursor.expect_word(word)?;
        match word {
            "true" => Ok(ExprData::Const(Type::Int(1), 1)),
            "false" => Ok(ExprData::Const(Type::Int(1), 0)),
            "null" => Ok(ExprData::Const(Type::Ptr, 0)),
            "init" => {
                self.cursor.expect("(")?;
                let var = self.var()?;
                self.cursor.expect(")")?;
                Ok(ExprData::Initialised(var))
            }
            _ => self.cursor.error_at(start, format!("`{word}` does not begin an expression")),
        }
    }

    fn constant(&mut self) -> Result<ExprData> {
        let start = self.cursor.position();
        let bits =
            if self.cursor.eat("0x") { self.cursor.hex_before_suffix()? } else { self.cursor.number()? };
        let Some(ty) = self.cursor.word().and_then(|name| type_of_name(name, self.unit.target)) else {
            return self.cursor.error_at(start, "a constant needs its type: 4i32");
        };
        let width = ty.bits(self.unit.target.pointer_bits);
        if width < 128 && bits >> width != 0 {
            return self.cursor.error_at(start, "the constant does not fit its type");
        }
        Ok(ExprData::Const(ty, bits))
    }
}
