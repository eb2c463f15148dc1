//! From the text of an annotation to its clauses. ACSL's grammar, as far as [`super::Expr`] goes.

use super::lex::{Kind, Token, tokens};
use super::{Arith, Clause, Compare, Expr};

/// Words that begin a clause of a function's contract.
const CLAUSES: &[&str] = &[
    "requires",
    "ensures",
    "assigns",
    "allocates",
    "frees",
    "decreases",
    "terminates",
    "exits",
    "behavior",
    "complete",
    "disjoint",
    "check",
    "admit",
];

/// Longer than a person writes; keeps recursion shallow.
const MAX_TOKENS: usize = 500;

/// The clauses of a comment; none if it is no contract (other tools have their own `/*@null@*/`).
pub(crate) fn clauses(comment: &str) -> Vec<Clause> {
    let body = match comment.strip_prefix("/*@") {
        Some(block) => block.strip_suffix("*/").unwrap_or(block),
        None => comment.strip_prefix("//@").unwrap_or_default(),
    };
    let start = comment.find('@').map_or(0, |at| at + 1);
    let tokens = tokens(body);
    let mut clauses = Vec::new();
    let mut in_behavior = false;
    for segment in tokens.split(|token| token.kind == Kind::Mark(";")) {
        // A `;` inside a quantifier: the rest belongs to a clause that was not understood.
        let Some((Token { kind: Kind::Word(word), offset }, rest)) = segment.split_first() else { continue };
        if !CLAUSES.contains(word) {
            continue;
        }
        // What a behavior requires, it requires only where the behavior applies.
        in_behavior |= matches!(*word, "behavior" | "complete" | "disjoint");
        let requires = if *word == "requires" && !in_behavior { expression(rest) } else { None };
        clauses.push(Clause { offset: (start + offset) as u32, requires });
    }
    // The last clause must end in `;`: a comment that only begins with the word is prose.
    match tokens.last() {
        Some(Token { kind: Kind::Mark(";"), .. }) => clauses,
        _ => Vec::new(),
    }
}

fn expression(tokens: &[Token<'_>]) -> Option<Expr> {
    if tokens.len() > MAX_TOKENS {
        return None;
    }
    // `requires name: P`
    let tokens = match tokens {
        [Token { kind: Kind::Word(_), .. }, Token { kind: Kind::Mark(":"), .. }, rest @ ..] => rest,
        _ => tokens,
    };
    let mut parser = Parser { rest: tokens, in_validity: false };
    let expr = parser.implication()?;
    parser.rest.is_empty().then_some(expr)
}

struct Parser<'a> {
    rest: &'a [Token<'a>],
    /// Ranges are read with one step back; not allowing validity inside validity keeps that linear.
    in_validity: bool,
}

impl Parser<'_> {
    fn eat(&mut self, mark: &str) -> bool {
        match self.rest {
            [Token { kind: Kind::Mark(found), .. }, rest @ ..] if *found == mark => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// The first of the marks that stands here.
    fn eat_any<T: Copy>(&mut self, marks: &[(&str, T)]) -> Option<T> {
        marks.iter().find(|(mark, _)| self.eat(mark)).map(|&(_, meaning)| meaning)
    }

    fn implication(&mut self) -> Option<Expr> {
        let left = self.disjunction()?;
        if !self.eat("==>") {
            return Some(left);
        }
        let right = self.implication()?;
        Some(Expr::Any(vec![Expr::Not(Box::new(left)), right]))
    }

    fn disjunction(&mut self) -> Option<Expr> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("||") {
            parts.push(self.conjunction()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expr::Any(parts) })
    }

    fn conjunction(&mut self) -> Option<Expr> {
        let mut parts = vec![self.comparison()?];
        while self.eat("&&") {
            parts.push(self.comparison()?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expr::All(parts) })
    }

    /// `a <= b < c` means `a <= b && b < c`; a chain goes one way.
    fn comparison(&mut self) -> Option<Expr> {
        use Compare::*;
        let operators = [("<=", Le), ("<", Lt), (">=", Ge), (">", Gt), ("==", Eq), ("!=", Ne)];
        let mut left = self.sum()?;
        let mut parts = Vec::new();
        let mut used = Vec::new();
        while let Some(operator) = self.eat_any(&operators) {
            let right = self.sum()?;
            parts.push(Expr::Compare(operator, Box::new(left), Box::new(right.clone())));
            used.push(operator);
            left = right;
        }
        match parts.len() {
            0 => Some(left),
            1 => parts.pop(),
            _ => {
                let rises = used.iter().all(|op| matches!(op, Lt | Le | Eq));
                let falls = used.iter().all(|op| matches!(op, Gt | Ge | Eq));
                (rises || falls).then_some(Expr::All(parts))
            }
        }
    }

    fn sum(&mut self) -> Option<Expr> {
        let mut left = self.product()?;
        while let Some(op) = self.eat_any(&[("+", Arith::Add), ("-", Arith::Sub)]) {
            left = Expr::Arith(op, Box::new(left), Box::new(self.product()?));
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Expr> {
        let mut left = self.unary()?;
        while let Some(op) = self.eat_any(&[("*", Arith::Mul), ("/", Arith::Div), ("%", Arith::Rem)]) {
            left = Expr::Arith(op, Box::new(left), Box::new(self.unary()?));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expr> {
        if self.eat("!") {
            return Some(Expr::Not(Box::new(self.unary()?)));
        }
        if self.eat("-") {
            return Some(Expr::Neg(Box::new(self.unary()?)));
        }
        if self.eat("(") {
            let inner = self.implication()?;
            return self.eat(")").then_some(inner);
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        match first.kind {
            Kind::Number(value) => Some(Expr::Int(value)),
            Kind::Word("\\null" | "NULL") => Some(Expr::Null),
            Kind::Word("\\valid" | "\\valid_read") => self.validity(),
            Kind::Word(name) if !name.starts_with('\\') => Some(Expr::Name(name.to_owned())),
            _ => None,
        }
    }

    /// `(p)`, `(p + n)` or `(p + (lo .. hi))`.
    fn validity(&mut self) -> Option<Expr> {
        if self.in_validity || !self.eat("(") {
            return None;
        }
        self.in_validity = true;
        let mut pointer = self.product()?;
        let mut range = None;
        while let Some(op) = self.eat_any(&[("+", Arith::Add), ("-", Arith::Sub)]) {
            let before = self.rest;
            range = if op == Arith::Add { self.range() } else { None };
            if range.is_some() {
                break;
            }
            self.rest = before;
            pointer = Expr::Arith(op, Box::new(pointer), Box::new(self.product()?));
        }
        self.in_validity = false;
        self.eat(")").then_some(Expr::Valid(Box::new(pointer), range))
    }

    fn range(&mut self) -> Option<Box<(Expr, Expr)>> {
        let begins = self.eat("(");
        let low = begins.then(|| self.sum())??;
        let high = self.eat("..").then(|| self.sum())??;
        self.eat(")").then(|| Box::new((low, high)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions with every operation in parentheses; `?` for a clause that is not understood.
    fn read(comment: &str) -> String {
        let of = |clause: Clause| clause.requires.map_or("?".to_owned(), |expr| show(&expr));
        clauses(comment).into_iter().map(of).collect::<Vec<_>>().join("; ")
    }

    fn show(expr: &Expr) -> String {
        let all = |parts: &[Expr], mark: &str| {
            format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(mark))
        };
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Null => "null".to_owned(),
            Expr::Name(name) => name.clone(),
            Expr::Neg(a) => format!("(-{})", show(a)),
            Expr::Not(a) => format!("(!{})", show(a)),
            Expr::Arith(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
            Expr::Compare(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
            Expr::All(parts) => all(parts, " && "),
            Expr::Any(parts) => all(parts, " || "),
            Expr::Valid(p, None) => format!("valid({})", show(p)),
            Expr::Valid(p, Some(range)) => {
                format!("valid({}, {}, {})", show(p), show(&range.0), show(&range.1))
            }
        }
    }

    #[test]
    fn clauses_are_read_as_acsl_reads_them() {
        for (comment, expected) in [
            ("/*@ requires beg ≤ end; */", "(beg Le end)"),
            ("/*@ requires a < b; requires b != 0; @*/", "(a Lt b); (b Ne 0)"),
            ("//@ requires n > 0;", "(n Gt 0)"),
            ("/*@ requires 0 <= i < n; */", "((0 Le i) && (i Lt n))"),
            ("/*@ requires a ≠ b ∧ ¬c ∨ d ⇒ e; */", "((!(((a Ne b) && (!c)) || d)) || e)"),
            ("/*@ requires a ==> b ==> c; */", "((!a) || ((!b) || c))"),
            ("/*@ requires a + b * -c - 0x10 == 010; */", "(((a Add (b Mul (-c))) Sub 16) Eq 8)"),
            ("/*@ requires p != \\null && q == NULL; */", "((p Ne null) && (q Eq null))"),
            ("/*@ requires \\valid(p) && \\valid(p + n - 1); */", "(valid(p) && valid(((p Add n) Sub 1)))"),
            ("/*@ requires \\valid(p + (0 .. n - 1)); */", "valid(p, 0, (n Sub 1))"),
            ("/*@ requires \\valid(p + (i)); */", "valid((p Add i))"),
            ("/*@ requires\n  @   positive: n > 0;\n  @*/", "(n Gt 0)"),
            ("/*@ requires n > 0; ensures \\result > 0; assigns \\nothing; */", "(n Gt 0); ?; ?"),
            ("/*@ requires \\forall integer i; 0 <= i < n ==> a[i] > 0; requires n > 0; */", "?; (n Gt 0)"),
            ("/*@ behavior b: assumes n > 0; requires m > 0; ensures x; */", "?; ?; ?"),
            ("/*@ requires a <= b >= c; */", "?"),
            ("/*@ requires a.b > 0; requires f(a); requires (a; */", "?; ?; ?"),
            ("//@ requires a \\\n < b;", "(a Lt b)"),
            ("/*@null@*/", ""),
            ("/*@ requires some thought */", ""),
            ("/*@ loop invariant i < n; */", ""),
            ("// gainsay-ignore requires n;", ""),
        ] {
            assert_eq!(read(comment), expected, "{comment}");
        }
    }

    #[test]
    fn clauses_know_their_place_and_size_is_limited() {
        assert_eq!(clauses("/*@ requires a; requires b; */")[1].offset, 16);
        assert_eq!(read(&format!("/*@ requires {}a; */", "!".repeat(100_000))), "?");
        assert_eq!(read(&format!("/*@ requires {}a; */", "(".repeat(400))), "?");
    }
}
