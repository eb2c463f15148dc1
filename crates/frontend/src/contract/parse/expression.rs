//! Parses conditions, terms and locations of ACSL.

use super::{Failure, Parser};
use crate::contract::lex::{Kind, Token};
use crate::contract::{Arith, Compare, Expr, Places};
use crate::limits;

/// Words that a cast may consist of.
const TYPE_WORDS: &[&str] = &[
    "int",
    "unsigned",
    "signed",
    "char",
    "short",
    "long",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "_Bool",
    "bool",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "integer",
];

impl Parser<'_> {
    /// Consumes the first of the marks that is next.
    fn eat_any<T: Copy>(&mut self, marks: &[(&str, T)]) -> Option<T> {
        marks.iter().find(|(mark, _)| self.eat(mark)).map(|&(_, meaning)| meaning)
    }

    pub(super) fn top(&mut self) -> Result<Expr, Failure> {
        self.depth += 1;
        if self.depth > limits::ANNOTATION_DEPTH {
            return self.fail("the expression is nested too deeply");
        }
        let read = self.equivalence();
        self.depth -= 1;
        read
    }

    fn equivalence(&mut self) -> Result<Expr, Failure> {
        let mut left = self.implication()?;
        while self.eat("<==>") {
            left = Expr::Iff(Box::new(left), Box::new(self.implication()?));
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<Expr, Failure> {
        let mut parts = vec![self.conditional()?];
        while self.eat("==>") {
            parts.push(self.conditional()?);
        }
        let last = parts.pop().unwrap_or(Expr::Truth(true));
        Ok(parts
            .into_iter()
            .rev()
            .fold(last, |right, left| Expr::Any(vec![Expr::Not(Box::new(left)), right])))
    }

    fn conditional(&mut self) -> Result<Expr, Failure> {
        let condition = self.disjunction()?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.top()?;
        self.expect(":")?;
        let no = self.top()?;
        Ok(Expr::Ite(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn disjunction(&mut self) -> Result<Expr, Failure> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("||") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Any(parts) })
    }

    fn conjunction(&mut self) -> Result<Expr, Failure> {
        let mut parts = vec![self.bits()?];
        while self.eat("&&") {
            parts.push(self.bits()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::All(parts) })
    }

    /// `|`, `^` and `&` bind weaker than comparisons, as in C.
    fn bits(&mut self) -> Result<Expr, Failure> {
        let mut left = self.comparison()?;
        while let Some(op) = self.eat_any(&[("|", Arith::Or), ("^", Arith::Xor), ("&", Arith::And)]) {
            left = Expr::Arith(op, Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    /// `a <= b < c` means `a <= b && b < c`; all operators of a chain point in the same direction.
    fn comparison(&mut self) -> Result<Expr, Failure> {
        use Compare::*;
        let operators = [("<=", Le), ("<", Lt), (">=", Ge), (">", Gt), ("==", Eq), ("!=", Ne)];
        let mut left = self.shift()?;
        let mut parts = Vec::new();
        let mut used = Vec::new();
        while let Some(operator) = self.eat_any(&operators) {
            let right = self.shift()?;
            parts.push(Expr::Compare(operator, Box::new(left), Box::new(right.clone())));
            used.push(operator);
            left = right;
        }
        match parts.len() {
            0 => Ok(left),
            1 => Ok(parts.remove(0)),
            _ => {
                let rises = used.iter().all(|op| matches!(op, Lt | Le | Eq));
                let falls = used.iter().all(|op| matches!(op, Gt | Ge | Eq));
                if rises || falls {
                    Ok(Expr::All(parts))
                } else {
                    self.fail("a chain of comparisons must go one way")
                }
            }
        }
    }

    fn shift(&mut self) -> Result<Expr, Failure> {
        let mut left = self.sum()?;
        while let Some(op) = self.eat_any(&[("<<", Arith::Shl), (">>", Arith::Shr)]) {
            left = Expr::Arith(op, Box::new(left), Box::new(self.sum()?));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr, Failure> {
        let mut left = self.product()?;
        while let Some(op) = self.eat_any(&[("+", Arith::Add), ("-", Arith::Sub)]) {
            left = Expr::Arith(op, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, Failure> {
        let mut left = self.unary()?;
        while let Some(op) = self.eat_any(&[("*", Arith::Mul), ("/", Arith::Div), ("%", Arith::Rem)]) {
            left = Expr::Arith(op, Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Failure> {
        self.depth += 1;
        if self.depth > limits::ANNOTATION_DEPTH {
            return self.fail("the expression is nested too deeply");
        }
        let read = self.prefixed();
        self.depth -= 1;
        read
    }

    fn prefixed(&mut self) -> Result<Expr, Failure> {
        if self.eat("!") {
            return Ok(Expr::Not(Box::new(self.unary()?)));
        }
        if self.eat("-") {
            return Ok(Expr::Neg(Box::new(self.unary()?)));
        }
        if self.eat("~") {
            return Ok(Expr::Complement(Box::new(self.unary()?)));
        }
        if self.eat("*") {
            return Ok(Expr::Deref(Box::new(self.unary()?)));
        }
        if self.eat("&") {
            return Ok(Expr::AddressOf(Box::new(self.unary()?)));
        }
        if let Some(name) = self.cast()? {
            return Ok(Expr::Cast(name, Box::new(self.unary()?)));
        }
        let mut value = self.primary()?;
        loop {
            if self.eat("[") {
                let index = self.top()?;
                self.expect("]")?;
                value = Expr::Index(Box::new(value), Box::new(index));
            } else if self.eat(".") {
                value = Expr::Field(Box::new(value), self.field()?);
            } else if self.eat("->") {
                value = Expr::Field(Box::new(Expr::Deref(Box::new(value))), self.field()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn field(&mut self) -> Result<String, Failure> {
        match self.word() {
            Some(name) => Ok(name.to_owned()),
            None => self.fail("the name of a member is expected here"),
        }
    }

    fn cast(&mut self) -> Result<Option<String>, Failure> {
        let [Token { kind: Kind::Mark("("), .. }, Token { kind: Kind::Word(first), .. }, ..] = self.rest
        else {
            return Ok(None);
        };
        if !TYPE_WORDS.contains(first) {
            return Ok(None);
        }
        self.expect("(")?;
        let mut words = Vec::new();
        while let Some(word) = self.word() {
            if !TYPE_WORDS.contains(&word) {
                return self.fail("a cast to an integer type ends here with `)`");
            }
            words.push(word);
        }
        if !self.eat(")") {
            return self.fail("only casts to integer types are supported");
        }
        Ok(Some(words.join(" ")))
    }

    fn primary(&mut self) -> Result<Expr, Failure> {
        if self.eat("(") {
            let inner = self.top()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("\\forall") {
            return self.quantified(true);
        }
        if self.eat("\\exists") {
            return self.quantified(false);
        }
        let Some((first, rest)) = self.rest.split_first() else {
            return self.fail("an expression is expected here");
        };
        let before = self.rest;
        self.rest = rest;
        match first.kind {
            Kind::Number(value) => Ok(Expr::Int(value)),
            Kind::Word("\\null" | "NULL") => Ok(Expr::Null),
            Kind::Word("\\true") => Ok(Expr::Truth(true)),
            Kind::Word("\\false") => Ok(Expr::Truth(false)),
            Kind::Word("\\result") => Ok(Expr::Result),
            Kind::Word("\\forall") => self.quantified(true),
            Kind::Word("\\exists") => self.quantified(false),
            Kind::Word("\\valid" | "\\valid_read") => {
                let mut all = self.set()?;
                Ok(if all.len() == 1 {
                    Expr::Valid(Box::new(all.remove(0)))
                } else {
                    Expr::All(all.into_iter().map(|one| Expr::Valid(Box::new(one))).collect())
                })
            }
            Kind::Word("\\separated") => Ok(Expr::Separated(self.set()?)),
            Kind::Word("\\old") => {
                self.expect("(")?;
                let inner = self.top()?;
                self.expect(")")?;
                Ok(Expr::Old(Box::new(inner)))
            }
            Kind::Word("\\at") => {
                self.expect("(")?;
                let inner = self.top()?;
                self.expect(",")?;
                if !self.eat_word("Pre") && !self.eat_word("Old") {
                    return self.fail("of labels only `Pre` and `Old` are supported");
                }
                self.expect(")")?;
                Ok(Expr::Old(Box::new(inner)))
            }
            Kind::Word(name) if !name.starts_with('\\') => {
                if let [Token { kind: Kind::Mark("("), .. }, ..] = self.rest {
                    self.rest = before;
                    return self.fail(format!("`{name}(...)`: predicates and functions are not supported"));
                }
                Ok(Expr::Name(name.to_owned()))
            }
            Kind::Word(name) => {
                self.rest = before;
                self.fail(format!("`{name}` is not supported"))
            }
            _ => {
                self.rest = before;
                self.fail("an expression is expected here")
            }
        }
    }

    /// After `\forall`: `integer i, j; body`
    fn quantified(&mut self, forall: bool) -> Result<Expr, Failure> {
        let mut names = Vec::new();
        loop {
            let Some(mut name) = self.word() else {
                return self.fail("the name of a variable is expected here");
            };
            while TYPE_WORDS.contains(&name) {
                name = match self.word() {
                    Some(next) => next,
                    None => return self.fail("quantifiers range over integers: a name is expected here"),
                };
            }
            names.push(name.to_owned());
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        let body = Box::new(self.top()?);
        Ok(Expr::Quantified { forall, names, body })
    }

    /// `(p, q + (0 .. n - 1))`
    fn set(&mut self) -> Result<Vec<Places>, Failure> {
        self.expect("(")?;
        let places = self.places()?;
        self.expect(")")?;
        Ok(places)
    }

    pub(super) fn places(&mut self) -> Result<Vec<Places>, Failure> {
        if self.in_set {
            return self.fail("a set inside a set is not supported");
        }
        self.in_set = true;
        let mut all = vec![self.place()?];
        while self.eat(",") {
            all.push(self.place()?);
        }
        self.in_set = false;
        Ok(all)
    }

    /// `p`, `p + n`, `p + (lo .. hi)`, `a[lo .. hi]`, `*(p + (lo .. hi))`, `p->f`
    fn place(&mut self) -> Result<Places, Failure> {
        if let [Token { kind: Kind::Mark("*"), .. }, Token { kind: Kind::Mark("("), .. }, inside @ ..] =
            self.rest
        {
            let before = self.rest;
            self.rest = inside;
            if let Ok(Places { base, range: Some(range) }) = self.pointers()
                && self.eat(")")
            {
                return Ok(Places { base: Expr::Deref(Box::new(base)), range: Some(range) });
            }
            self.rest = before;
        }
        if let Some((base, range)) = self.element_range() {
            return Ok(Places { base: Expr::Deref(Box::new(base)), range: Some(range) });
        }
        self.pointers()
    }

    /// `p`, `p + n`, `p + (lo .. hi)`
    fn pointers(&mut self) -> Result<Places, Failure> {
        let mut pointer = self.product()?;
        while let Some(op) = self.eat_any(&[("+", Arith::Add), ("-", Arith::Sub)]) {
            let before = self.rest;
            if op == Arith::Add
                && let Some(range) = self.range("(", ")")
            {
                return Ok(Places { base: pointer, range: Some(range) });
            }
            self.rest = before;
            pointer = Expr::Arith(op, Box::new(pointer), Box::new(self.product()?));
        }
        Ok(Places { base: pointer, range: None })
    }

    /// `name[lo .. hi]`, `name->f[lo .. hi]`; consumes nothing if it is something else.
    fn element_range(&mut self) -> Option<(Expr, (Expr, Expr))> {
        let before = self.rest;
        let mut base = Expr::Name(self.word().filter(|word| !word.starts_with('\\'))?.to_owned());
        let found = loop {
            if self.eat("->") {
                let Some(name) = self.word() else { break None };
                base = Expr::Field(Box::new(Expr::Deref(Box::new(base))), name.to_owned());
            } else if self.eat(".") {
                let Some(name) = self.word() else { break None };
                base = Expr::Field(Box::new(base), name.to_owned());
            } else {
                break self.range("[", "]");
            }
        };
        if found.is_none() {
            self.rest = before;
        }
        found.map(|range| (base, range))
    }

    /// `None` if it is not a range.
    fn range(&mut self, begin: &str, end: &str) -> Option<(Expr, Expr)> {
        let begins = self.eat(begin);
        let low = begins.then(|| self.sum().ok())??;
        let high = self.eat("..").then(|| self.sum().ok())??;
        self.eat(end).then_some((low, high))
    }
}
