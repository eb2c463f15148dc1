//! Lowers conditions of annotations to expressions.
//!
//! Solvers get no quantifiers. A `\forall` to be proved is proved for an arbitrary value; an assumed `\forall` becomes
//! a variable that stands for all values ([`gainsay_ir::gc::UNIVERSAL`]), which the encoder instantiates; `\exists` is
//! dual. In the search for counterexamples ranges are small and expanded.

use super::value::{Meaning, Value};
use super::{Bound, Env, Sense};
use crate::contract::{Compare, Expr as Term, Places};
use crate::limits;
use crate::lower::Purpose;
use crate::lower::function::FunctionCx;
use gainsay_ir::gc::{BinaryOp, CHOSEN, CmdKind, Expr, ExprData, UNIVERSAL, VarData};
use gainsay_ir::types::{BOOL, Type};

impl FunctionCx<'_> {
    pub(super) fn clause_truth(&mut self, env: &mut Env, term: &Term) -> Meaning<Expr> {
        match term {
            Term::Truth(value) => Ok(self.constant(BOOL, u128::from(*value))),
            Term::Not(inner) => {
                env.sense = env.sense.map(Sense::negated);
                let inner = self.clause_truth(env, inner);
                env.sense = env.sense.map(Sense::negated);
                let inner = inner?;
                Ok(self.not(inner))
            }
            Term::All(parts) => self.joined(env, BinaryOp::And, parts),
            Term::Any(parts) => self.joined(env, BinaryOp::Or, parts),
            Term::Iff(left, right) => {
                let (left, right) = (self.plain_truth(env, left)?, self.plain_truth(env, right)?);
                Ok(self.binary(BinaryOp::Eq, left, right))
            }
            Term::Compare(op, left, right) => self.clause_comparison(env, *op, left, right),
            Term::Valid(places) => self.valid_places(env, places),
            Term::Separated(all) => self.separated(env, all),
            Term::Quantified { forall, names, body } => self.quantified(env, *forall, names, body),
            other => {
                let value = self.term(env, other)?;
                Ok(self.truth_of(value))
            }
        }
    }

    fn joined(&mut self, env: &mut Env, op: BinaryOp, parts: &[Term]) -> Meaning<Expr> {
        let mut joined = self.constant(BOOL, u128::from(op == BinaryOp::And));
        for part in parts {
            let part = self.clause_truth(env, part)?;
            let is_neutral = self.as_const(joined) == Some(u128::from(op == BinaryOp::And));
            joined = if is_neutral { part } else { self.binary(op, joined, part) };
        }
        Ok(joined)
    }

    fn clause_comparison(&mut self, env: &mut Env, op: Compare, left: &Term, right: &Term) -> Meaning<Expr> {
        let (left, right) = (self.term(env, left)?, self.term(env, right)?);
        if let (Value::Int(left, a), Value::Int(right, b)) = (left, right) {
            let width = a.max(b);
            let [left, right] = [left, right].map(|side| self.resize(side, true, width));
            return Ok(self.clause_compared(op, left, right, [BinaryOp::SLt, BinaryOp::SLe]));
        }
        if let (Value::Truth(left), Value::Truth(right), Compare::Eq | Compare::Ne) = (left, right, op) {
            return Ok(self.clause_compared(op, left, right, [BinaryOp::ULt, BinaryOp::ULe]));
        }
        let (left, right) = (self.as_pointer(left)?, self.as_pointer(right)?);
        Ok(self.clause_compared(op, left, right, [BinaryOp::ULt, BinaryOp::ULe]))
    }

    fn as_pointer(&mut self, value: Value) -> Meaning<Expr> {
        match value {
            Value::Pointer(pointer, _) => Ok(pointer),
            Value::Null => Ok(self.null()),
            Value::Int(value, _) if self.as_const(value) == Some(0) => Ok(self.null()),
            _ => Err("a pointer is compared with something that is none".into()),
        }
    }

    fn clause_compared(
        &mut self,
        op: Compare,
        left: Expr,
        right: Expr,
        [less, at_most]: [BinaryOp; 2],
    ) -> Expr {
        match op {
            Compare::Lt => self.binary(less, left, right),
            Compare::Le => self.binary(at_most, left, right),
            Compare::Gt => self.binary(less, right, left),
            Compare::Ge => self.binary(at_most, right, left),
            Compare::Eq => self.binary(BinaryOp::Eq, left, right),
            Compare::Ne => self.binary(BinaryOp::Ne, left, right),
        }
    }

    /// First byte, number of bytes, and the condition that there are none. `base` is a pointer.
    pub(super) fn bytes_at(&mut self, env: &mut Env, places: &Places) -> Meaning<Extent> {
        let Value::Pointer(pointer, elem) = self.term(env, &places.base)? else {
            return Err("a pointer is expected here".into());
        };
        self.extent(env, pointer, elem, places.range.as_ref())
    }

    pub(super) fn extent(
        &mut self,
        env: &mut Env,
        pointer: Expr,
        elem: crate::clang::ast::TypeId,
        range: Option<&(Term, Term)>,
    ) -> Meaning<Extent> {
        let size = self.element_size(elem)?;
        let Some((first, last)) = range else {
            let length = self.word(size);
            return Ok(Extent { pointer, begin: pointer, length, none: None, fits: None });
        };
        let ((first, a), (last, b)) = (self.integer(env, first)?, self.integer(env, last)?);
        let width = a.max(b) + 2;
        let [first, last] = [first, last].map(|bound| self.resize(bound, true, width));
        let one = self.int(width, 1);
        let distance = self.binary(BinaryOp::Sub, last, first);
        let count = self.binary(BinaryOp::Add, distance, one);
        // Elements beyond the address space belong to no object, whatever the wrapped offset says.
        let elements = self.resize(count, true, self.pointer_bits());
        let bytes = self.word(size);
        let length = self.binary(BinaryOp::Mul, elements, bytes);
        let begin = self.element_address(pointer, first, elem)?;
        let none = self.binary(BinaryOp::SLt, last, first);
        // No object is larger than half the address space.
        let most = (1_u128 << (self.pointer_bits() - 1)) / u128::from(size);
        let wide = width.max(self.pointer_bits() + 1);
        let (count, most) = (self.resize(count, true, wide), self.int(wide, most));
        let fits = self.binary(BinaryOp::SLt, count, most);
        let none = (self.as_const(none) != Some(0)).then_some(none);
        Ok(Extent { pointer, begin, length, none, fits: Some(fits) })
    }

    /// The range is empty, or within one live object.
    fn valid_places(&mut self, env: &mut Env, places: &Places) -> Meaning<Expr> {
        let checks = self.options.purpose == Purpose::Check;
        // The encoder of `check` over-approximates validity, so it is used only where it is positive.
        if checks && !env.sense.is_some_and(|sense| sense.positive) {
            return Err("`\\valid` under a negation is used by `verify` only".into());
        }
        let extent = self.bytes_at(env, places)?;
        let inside = self.push_expr(ExprData::Valid(extent.begin, extent.length), BOOL);
        let nonnull = self.is_nonzero(extent.pointer);
        let mut valid = self.binary(BinaryOp::And, nonnull, inside);
        if let Some(fits) = extent.fits.filter(|_| !checks) {
            valid = self.binary(BinaryOp::And, valid, fits);
        }
        if self.options.purpose == Purpose::Refute {
            let most = self.word(limits::COUNTEREXAMPLE_OBJECT_BYTES);
            let small = self.binary(BinaryOp::ULe, extent.length, most);
            let small = match extent.none {
                Some(none) => self.binary(BinaryOp::Or, none, small),
                None => small,
            };
            self.emit(CmdKind::Assume(small));
        }
        Ok(match extent.none {
            Some(none) => self.binary(BinaryOp::Or, none, valid),
            None => valid,
        })
    }

    fn separated(&mut self, env: &mut Env, all: &[Places]) -> Meaning<Expr> {
        let extents: Vec<Extent> = all.iter().map(|one| self.bytes_at(env, one)).collect::<Meaning<_>>()?;
        let mut apart = self.constant(BOOL, 1);
        for (i, a) in extents.iter().enumerate() {
            for b in &extents[i + 1..] {
                let ends = [a, b].map(|one| self.binary(BinaryOp::PtrAdd, one.begin, one.length));
                let before = self.binary(BinaryOp::ULe, ends[0], b.begin);
                let behind = self.binary(BinaryOp::ULe, ends[1], a.begin);
                let mut pair = self.binary(BinaryOp::Or, before, behind);
                for none in [a.none, b.none].into_iter().flatten() {
                    pair = self.binary(BinaryOp::Or, none, pair);
                }
                apart = self.binary(BinaryOp::And, apart, pair);
            }
        }
        Ok(apart)
    }

    fn quantified(&mut self, env: &mut Env, forall: bool, names: &[String], body: &Term) -> Meaning<Expr> {
        let Some((name, rest)) = names.split_first() else { return self.clause_truth(env, body) };
        let Some(sense) = env.sense else { return Err("a quantifier is not supported inside this".into()) };
        let side = |side| outermost(forall, name, names, body, side, names.len());
        let (Some(low), Some(high)) = (side(Side::Low), side(Side::High)) else {
            let op = if forall { "==>" } else { "&&" };
            return Err(format!("`{name}` needs bounds: `lo <= {name} < hi {op} ...`"));
        };
        let ((low, a), (high, b)) = (self.bound(env, low)?, self.bound(env, high)?);
        let width = a.max(b) + 1;
        let of_all = forall == sense.is_known();
        if of_all && self.options.purpose == Purpose::Refute {
            let [low, high] = [low, high].map(|bound| self.resize(bound, true, width + 2));
            let distance = self.binary(BinaryOp::Sub, high, low);
            let most = self.int(width + 2, u128::from(limits::COUNTEREXAMPLE_RANGE));
            let small = self.binary(BinaryOp::SLt, distance, most);
            self.emit(CmdKind::Assume(small));
            let op = if forall { BinaryOp::And } else { BinaryOp::Or };
            let mut all = self.constant(BOOL, u128::from(forall));
            for step in 0..limits::COUNTEREXAMPLE_RANGE {
                let step = self.int(width + 2, u128::from(step));
                let value = self.binary(BinaryOp::Add, low, step);
                env.bound.push(Bound { name: name.clone(), value, width: width + 2, of_all: false });
                let one = self.quantified(env, forall, rest, body);
                env.bound.pop();
                let one = one?;
                all = self.binary(op, all, one);
            }
            return Ok(all);
        }
        if !of_all && self.options.purpose == Purpose::Prove && env.bound.iter().any(|bound| bound.of_all) {
            return Err("`\\exists` inside `\\forall` is not supported here".into());
        }
        let var = self.temp(Type::Int(width));
        let prefix = if of_all { UNIVERSAL } else { CHOSEN };
        let unique = format!("{prefix}{}", self.n_temps);
        self.function.vars[var] = VarData { name: unique, ty: Type::Int(width), written_by_user: false };
        self.emit(CmdKind::Havoc(var));
        let value = self.read(var);
        env.bound.push(Bound { name: name.clone(), value, width, of_all });
        let truth = self.quantified(env, forall, rest, body);
        env.bound.pop();
        truth
    }

    fn bound(&mut self, env: &mut Env, (term, by): (&Term, i8)) -> Meaning<(Expr, u16)> {
        let (value, width) = self.integer(env, term)?;
        let value = self.resize(value, true, width + 1);
        let by = self.int(width + 1, i128::from(by).cast_unsigned());
        Ok((self.binary(BinaryOp::Add, value, by), width + 1))
    }
}

/// The bytes that an annotation refers to.
pub(super) struct Extent {
    pub(super) pointer: Expr,
    pub(super) begin: Expr,
    pub(super) length: Expr,
    /// Condition that the range is empty.
    pub(super) none: Option<Expr>,
    /// Condition that offsets do not wrap.
    pub(super) fits: Option<Expr>,
}

/// A bound, and the offset to the outermost value.
type Edge<'t> = (&'t Term, i8);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Low,
    High,
}

/// A bound of the name that does not depend on the other names: in `0 <= i < j < n`, `i` has the bound of `j`.
fn outermost<'t>(
    forall: bool,
    name: &str,
    names: &[String],
    body: &'t Term,
    side: Side,
    depth: usize,
) -> Option<Edge<'t>> {
    let (low, high) = bounds(forall, name, body)?;
    let (term, by) = if side == Side::Low { low } else { high };
    match term {
        Term::Name(other) if names.contains(other) && other != name && depth > 0 => {
            outermost(forall, other, names, body, side, depth - 1)
        }
        _ if names.iter().any(|name| mentions(term, name)) => None,
        _ => Some((term, by)),
    }
}

/// The terms that bound a name from both sides, with offsets to the outermost values.
fn bounds<'t>(forall: bool, name: &str, body: &'t Term) -> Option<(Edge<'t>, Edge<'t>)> {
    let mut guards = Vec::new();
    match (forall, body) {
        // An implication, possibly nested.
        (true, Term::Any(parts)) => {
            for part in parts {
                match part {
                    Term::Not(guard) => conjuncts(guard, &mut guards),
                    other => {
                        if let Some(found) = bounds(forall, name, other) {
                            return Some(found);
                        }
                    }
                }
            }
        }
        (false, body) => conjuncts(body, &mut guards),
        (_, Term::Quantified { forall: inner, body, .. }) if *inner == forall => {
            return bounds(forall, name, body);
        }
        _ => return None,
    }
    let is_name = |term: &Term| matches!(term, Term::Name(found) if found == name);
    let (mut low, mut high) = (None, None);
    for guard in guards {
        let Term::Compare(op, left, right) = guard else { continue };
        match op {
            Compare::Le | Compare::Lt => {
                let strict = i8::from(*op == Compare::Lt);
                if is_name(right) {
                    low = low.or(Some((left.as_ref(), strict)));
                } else if is_name(left) {
                    high = high.or(Some((right.as_ref(), -strict)));
                }
            }
            Compare::Ge | Compare::Gt => {
                let strict = i8::from(*op == Compare::Gt);
                if is_name(left) {
                    low = low.or(Some((right.as_ref(), strict)));
                } else if is_name(right) {
                    high = high.or(Some((left.as_ref(), -strict)));
                }
            }
            Compare::Eq | Compare::Ne => {}
        }
    }
    Some((low?, high?))
}

fn conjuncts<'t>(term: &'t Term, all: &mut Vec<&'t Term>) {
    match term {
        Term::All(parts) => parts.iter().for_each(|part| conjuncts(part, all)),
        other => all.push(other),
    }
}

fn mentions(term: &Term, name: &str) -> bool {
    match term {
        Term::Name(found) => found == name,
        Term::Int(_) | Term::Null | Term::Truth(_) | Term::Result => false,
        Term::Neg(a)
        | Term::Complement(a)
        | Term::Not(a)
        | Term::Old(a)
        | Term::Deref(a)
        | Term::AddressOf(a) => mentions(a, name),
        Term::Field(a, _) | Term::Cast(_, a) => mentions(a, name),
        Term::Arith(_, a, b) | Term::Compare(_, a, b) | Term::Iff(a, b) | Term::Index(a, b) => {
            mentions(a, name) || mentions(b, name)
        }
        Term::Ite(a, b, c) => [a, b, c].into_iter().any(|part| mentions(part, name)),
        Term::All(parts) | Term::Any(parts) => parts.iter().any(|part| mentions(part, name)),
        Term::Valid(_) | Term::Separated(_) | Term::Quantified { .. } => true,
    }
}
