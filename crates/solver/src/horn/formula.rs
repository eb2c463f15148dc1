//! Invariants as the Horn solver writes them, over integers, and as bit-vector terms.

use super::Reading;
use crate::smtlib::Sexpr;
use crate::term::{Term, TermPool};
use std::collections::BTreeMap;

/// Over the arguments of a point, which are named by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    Bool(bool),
    Argument(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Same(Box<Formula>, Box<Formula>),
    Choice(Box<Formula>, Box<Formula>, Box<Formula>),
    Compare(Relation, Integer, Integer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    AtMost,
    Less,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    Constant(i128),
    Argument(usize),
    Sum(Vec<Integer>),
    Product(i128, Box<Integer>),
    /// Rounds down; the divisor is positive.
    Quotient(Box<Integer>, i128),
    /// Never negative; the divisor is positive.
    Remainder(Box<Integer>, i128),
    Choice(Box<Formula>, Box<Integer>, Box<Integer>),
}

/// Larger formulas than this are given up.
const LARGEST: usize = 20_000;

#[derive(Clone)]
enum Value {
    Formula(Formula),
    Integer(Integer),
}

impl Formula {
    /// The body of a `define-fun` whose parameters have these names; `bool` says which are Booleans.
    pub fn read(body: &Sexpr, parameters: &[(String, bool)]) -> Option<Formula> {
        let mut names: BTreeMap<String, Value> = BTreeMap::new();
        for (number, (name, is_bool)) in parameters.iter().enumerate() {
            let value = if *is_bool {
                Value::Formula(Formula::Argument(number))
            } else {
                Value::Integer(Integer::Argument(number))
            };
            names.insert(name.clone(), value);
        }
        let mut reader = Reader { names, left: LARGEST };
        match reader.value(body)? {
            Value::Formula(formula) => Some(formula),
            Value::Integer(_) => None,
        }
    }

    pub(super) fn not(self) -> Formula {
        match self {
            Formula::Bool(value) => Formula::Bool(!value),
            Formula::Not(inner) => *inner,
            Formula::And(all) => Formula::Or(all.into_iter().map(Formula::not).collect()),
            Formula::Or(any) => Formula::And(any.into_iter().map(Formula::not).collect()),
            Formula::Compare(Relation::AtMost, a, b) => Formula::Compare(Relation::Less, b, a),
            Formula::Compare(Relation::Less, a, b) => Formula::Compare(Relation::AtMost, b, a),
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Does it speak of such an argument?
    pub(super) fn mentions(&self, is_it: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Formula::Bool(_) => false,
            Formula::Argument(number) => is_it(*number),
            Formula::Not(inner) => inner.mentions(is_it),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| part.mentions(is_it)),
            Formula::Same(a, b) => a.mentions(is_it) || b.mentions(is_it),
            Formula::Choice(c, a, b) => c.mentions(is_it) || a.mentions(is_it) || b.mentions(is_it),
            Formula::Compare(_, a, b) => a.mentions(is_it) || b.mentions(is_it),
        }
    }

    /// The parts that hold together.
    pub fn conjuncts(&self) -> Vec<Formula> {
        match self {
            Formula::And(all) => all.iter().flat_map(Formula::conjuncts).collect(),
            Formula::Bool(true) => Vec::new(),
            other => vec![other.clone()],
        }
    }

    /// The same statement about bit-vectors, read as numbers that are wide enough for everything to be exact. `None` if
    /// that would be wider than can be computed with.
    pub(super) fn term(&self, pool: &mut TermPool, arguments: &[(Term, Reading)]) -> Option<Term> {
        match self {
            Formula::Bool(value) => Some(pool.bool(*value)),
            Formula::Argument(number) => Some(arguments.get(*number)?.0),
            Formula::Not(inner) => {
                let inner = inner.term(pool, arguments)?;
                Some(pool.not(inner))
            }
            Formula::And(all) => {
                let all = all.iter().map(|f| f.term(pool, arguments)).collect::<Option<Vec<_>>>()?;
                Some(pool.all(&all))
            }
            Formula::Or(any) => {
                let any = any.iter().map(|f| f.term(pool, arguments)).collect::<Option<Vec<_>>>()?;
                Some(pool.any(&any))
            }
            Formula::Same(a, b) => {
                let (a, b) = (a.term(pool, arguments)?, b.term(pool, arguments)?);
                Some(pool.eq(a, b))
            }
            Formula::Choice(c, a, b) => {
                let c = c.term(pool, arguments)?;
                let (a, b) = (a.term(pool, arguments)?, b.term(pool, arguments)?);
                Some(pool.ite(c, a, b))
            }
            Formula::Compare(relation, a, b) => Sides::of(*relation, a, b)?.term(pool, arguments),
        }
    }
}

/// A comparison with everything added on the side where it is positive: solvers of bit-vectors find `i < n` easy, and
/// `i - n < 0` in more bits hard.
struct Sides {
    /// Parts with how often they count.
    left: Vec<(i128, Integer)>,
    right: Vec<(i128, Integer)>,
    /// Added on the right.
    constant: i128,
    is_equality: bool,
}

impl Sides {
    fn of(relation: Relation, a: &Integer, b: &Integer) -> Option<Sides> {
        let mut parts: Vec<(i128, Integer)> = Vec::new();
        let mut constant = collect(a, 1, &mut parts)?;
        constant = constant.checked_add(collect(b, -1, &mut parts)?)?;
        // parts + constant <= 0
        if relation == Relation::Less {
            constant = constant.checked_add(1)?;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (times, part) in parts {
            match times.signum() {
                1 => left.push((times, part)),
                -1 => right.push((-times, part)),
                _ => {}
            }
        }
        Some(Sides {
            left,
            right,
            constant: constant.checked_neg()?,
            is_equality: relation == Relation::Equal,
        })
    }

    fn term(self, pool: &mut TermPool, arguments: &[(Term, Reading)]) -> Option<Term> {
        if let Some(term) = self.plain(pool, arguments) {
            return Some(term);
        }
        let sum = |side: &[(i128, Integer)], constant: i128| {
            let part = |(times, of): &(i128, Integer)| match times {
                1 => of.clone(),
                times => Integer::Product(*times, Box::new(of.clone())),
            };
            let mut parts: Vec<Integer> = side.iter().map(part).collect();
            if constant != 0 || parts.is_empty() {
                parts.push(Integer::Constant(constant));
            }
            Integer::Sum(parts)
        };
        let left = sum(&self.left, (-self.constant).max(0));
        let right = sum(&self.right, self.constant.max(0));
        let width = left.bits(pool, arguments)?.max(right.bits(pool, arguments)?);
        let (left, right) = (left.term(pool, arguments, width)?, right.term(pool, arguments, width)?);
        Some(if self.is_equality { pool.eq(left, right) } else { pool.bv_sle(left, right) })
    }

    /// Of two arguments, or one and a constant, in their own width.
    fn plain(&self, pool: &mut TermPool, arguments: &[(Term, Reading)]) -> Option<Term> {
        let single = |side: &[(i128, Integer)]| match side {
            [(1, Integer::Argument(number))] => arguments.get(*number).copied(),
            _ => None,
        };
        let at_most = |pool: &mut TermPool, a, b, reading| match reading {
            Reading::Signed => pool.bv_sle(a, b),
            Reading::Unsigned => pool.bv_ule(a, b),
        };
        let (left, right) = (single(&self.left), single(&self.right));
        if let (Some((a, reading)), Some((b, other))) = (left, right) {
            if reading != other || pool.width(a) != pool.width(b) {
                return None;
            }
            return match (self.is_equality, self.constant) {
                (true, 0) => Some(pool.eq(a, b)),
                (false, 0) => Some(at_most(pool, a, b, reading)),
                (false, -1) => {
                    let reverse = at_most(pool, b, a, reading);
                    Some(pool.not(reverse))
                }
                _ => None,
            };
        }
        // argument <= constant, or argument >= bound
        let (term, reading, constant, is_upper) = match (left, right) {
            (Some((term, reading)), None) if self.right.is_empty() => (term, reading, self.constant, true),
            (None, Some((term, reading))) if self.left.is_empty() => {
                (term, reading, self.constant.checked_neg()?, false)
            }
            _ => return None,
        };
        let width = pool.width(term);
        if width == 0 || width > 100 {
            return None;
        }
        let (low, high) = reading.bounds(width);
        let bits = pool.bits(width, constant as u128);
        if self.is_equality {
            return Some(if (low..=high).contains(&constant) {
                pool.eq(term, bits)
            } else {
                pool.bool(false)
            });
        }
        Some(if is_upper {
            if constant >= high {
                pool.bool(true)
            } else if constant < low {
                pool.bool(false)
            } else {
                at_most(pool, term, bits, reading)
            }
        } else if constant <= low {
            pool.bool(true)
        } else if constant > high {
            pool.bool(false)
        } else {
            at_most(pool, bits, term, reading)
        })
    }
}

/// Adds the parts of a sum; gives its constant.
fn collect(integer: &Integer, times: i128, parts: &mut Vec<(i128, Integer)>) -> Option<i128> {
    match integer {
        Integer::Constant(value) => value.checked_mul(times),
        Integer::Sum(all) => {
            let mut constant: i128 = 0;
            for part in all {
                constant = constant.checked_add(collect(part, times, parts)?)?;
            }
            Some(constant)
        }
        Integer::Product(factor, of) => collect(of, times.checked_mul(*factor)?, parts),
        other => {
            match parts.iter_mut().find(|(_, part)| part == other) {
                Some((count, _)) => *count = count.checked_add(times)?,
                None => parts.push((times, other.clone())),
            }
            Some(0)
        }
    }
}

impl Integer {
    fn mentions(&self, is_it: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Integer::Constant(_) => false,
            Integer::Argument(number) => is_it(*number),
            Integer::Sum(parts) => parts.iter().any(|part| part.mentions(is_it)),
            Integer::Product(_, of) | Integer::Quotient(of, _) | Integer::Remainder(of, _) => {
                of.mentions(is_it)
            }
            Integer::Choice(c, a, b) => c.mentions(is_it) || a.mentions(is_it) || b.mentions(is_it),
        }
    }

    /// The numbers between which the value lies.
    fn bounds(&self, pool: &TermPool, arguments: &[(Term, Reading)]) -> Option<(i128, i128)> {
        match self {
            Integer::Constant(value) => Some((*value, *value)),
            Integer::Argument(number) => {
                let &(term, reading) = arguments.get(*number)?;
                let width = pool.width(term);
                (1..=100).contains(&width).then(|| reading.bounds(width))
            }
            Integer::Sum(parts) => parts.iter().try_fold((0i128, 0i128), |(low, high), part| {
                let (a, b) = part.bounds(pool, arguments)?;
                Some((low.checked_add(a)?, high.checked_add(b)?))
            }),
            Integer::Product(factor, of) => {
                let (a, b) = of.bounds(pool, arguments)?;
                let (a, b) = (a.checked_mul(*factor)?, b.checked_mul(*factor)?);
                Some((a.min(b), a.max(b)))
            }
            Integer::Quotient(of, by) => {
                let (a, b) = of.bounds(pool, arguments)?;
                Some((a.div_euclid(*by), b.div_euclid(*by)))
            }
            Integer::Remainder(_, by) => Some((0, *by - 1)),
            Integer::Choice(_, a, b) => {
                let (a, b) = (a.bounds(pool, arguments)?, b.bounds(pool, arguments)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
        }
    }

    /// A width in which this and all its parts are exact, with room for a correction by one divisor.
    fn bits(&self, pool: &TermPool, arguments: &[(Term, Reading)]) -> Option<u32> {
        let (low, high) = self.bounds(pool, arguments)?;
        let own = 2 + i128::BITS - low.unsigned_abs().max(high.unsigned_abs()).leading_zeros();
        let below = match self {
            Integer::Constant(_) | Integer::Argument(_) => 0,
            Integer::Sum(parts) => {
                let mut widest = 0;
                // Partial sums count, in whatever order.
                let mut total: i128 = 0;
                for part in parts {
                    let (a, b) = part.bounds(pool, arguments)?;
                    let largest = i128::try_from(a.unsigned_abs().max(b.unsigned_abs())).ok()?;
                    total = total.checked_add(largest)?;
                    widest = widest.max(part.bits(pool, arguments)?);
                }
                widest.max(2 + i128::BITS - total.leading_zeros())
            }
            Integer::Product(factor, of) => {
                of.bits(pool, arguments)?.max(2 + i128::BITS - factor.unsigned_abs().leading_zeros())
            }
            Integer::Quotient(of, by) | Integer::Remainder(of, by) => {
                1 + of.bits(pool, arguments)?.max(2 + i128::BITS - by.leading_zeros())
            }
            // The condition has a width of its own.
            Integer::Choice(_, a, b) => a.bits(pool, arguments)?.max(b.bits(pool, arguments)?),
        };
        let bits = own.max(below);
        (bits <= 128).then_some(bits)
    }

    fn term(&self, pool: &mut TermPool, arguments: &[(Term, Reading)], width: u32) -> Option<Term> {
        match self {
            Integer::Constant(value) => Some(pool.bits(width, *value as u128)),
            Integer::Argument(number) => {
                let &(term, reading) = arguments.get(*number)?;
                let by = width.checked_sub(pool.width(term))?;
                Some(match reading {
                    Reading::Signed => pool.sign_extend(by, term),
                    Reading::Unsigned => pool.zero_extend(by, term),
                })
            }
            Integer::Sum(parts) => {
                let zero = pool.bits(width, 0);
                parts.iter().try_fold(zero, |sum, part| {
                    let part = part.term(pool, arguments, width)?;
                    Some(pool.bv_add(sum, part))
                })
            }
            Integer::Product(factor, of) => {
                let of = of.term(pool, arguments, width)?;
                if *factor == -1 {
                    return Some(pool.bv_neg(of));
                }
                let factor = pool.bits(width, *factor as u128);
                Some(pool.bv_mul(factor, of))
            }
            Integer::Quotient(of, by) => {
                let rest = Integer::Remainder(of.clone(), *by).term(pool, arguments, width)?;
                let of = of.term(pool, arguments, width)?;
                if by.count_ones() == 1 {
                    let by = pool.bits(width, u128::from(by.trailing_zeros()));
                    return Some(pool.bv_ashr(of, by));
                }
                let multiple = pool.bv_sub(of, rest);
                let by = pool.bits(width, *by as u128);
                Some(pool.bv_sdiv(multiple, by))
            }
            Integer::Remainder(of, by) => {
                let of = of.term(pool, arguments, width)?;
                if by.count_ones() == 1 {
                    let mask = pool.bits(width, *by as u128 - 1);
                    return Some(pool.bv_and(of, mask));
                }
                let by = pool.bits(width, *by as u128);
                let rest = pool.bv_srem(of, by);
                let zero = pool.bits(width, 0);
                let is_negative = pool.bv_slt(rest, zero);
                let corrected = pool.bv_add(rest, by);
                Some(pool.ite(is_negative, corrected, rest))
            }
            Integer::Choice(c, a, b) => {
                let c = c.term(pool, arguments)?;
                let (a, b) = (a.term(pool, arguments, width)?, b.term(pool, arguments, width)?);
                Some(pool.ite(c, a, b))
            }
        }
    }
}

impl Reading {
    /// The smallest and the largest number of a width.
    pub(super) fn bounds(self, width: u32) -> (i128, i128) {
        match self {
            Reading::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            Reading::Unsigned => (0, (1 << width) - 1),
        }
    }
}

struct Reader {
    names: BTreeMap<String, Value>,
    /// Nodes that may still be made.
    left: usize,
}

impl Reader {
    fn value(&mut self, expr: &Sexpr) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        match expr {
            Sexpr::Text(_) => None,
            Sexpr::Atom(atom) => match atom.as_str() {
                "true" => Some(Value::Formula(Formula::Bool(true))),
                "false" => Some(Value::Formula(Formula::Bool(false))),
                name => match self.names.get(name) {
                    Some(value) => {
                        // A name may stand for much, and is copied.
                        self.left = self.left.checked_sub(size(value))?;
                        Some(value.clone())
                    }
                    None => name.parse().ok().map(|number| Value::Integer(Integer::Constant(number))),
                },
            },
            Sexpr::List(list) => {
                let (head, rest) = list.split_first()?;
                self.application(head.as_atom()?, rest)
            }
        }
    }

    fn application(&mut self, head: &str, operands: &[Sexpr]) -> Option<Value> {
        match head {
            "let" => return self.binding(operands),
            "exists" => return self.weakened(operands),
            // Annotations.
            "!" => return self.value(operands.first()?),
            _ => {}
        }
        let values = operands.iter().map(|operand| self.value(operand)).collect::<Option<Vec<Value>>>()?;
        let formulas = || {
            values
                .iter()
                .map(|value| match value {
                    Value::Formula(formula) => Some(formula.clone()),
                    Value::Integer(_) => None,
                })
                .collect::<Option<Vec<Formula>>>()
        };
        let integers = || {
            values
                .iter()
                .map(|value| match value {
                    Value::Integer(integer) => Some(integer.clone()),
                    Value::Formula(_) => None,
                })
                .collect::<Option<Vec<Integer>>>()
        };
        let formula = match head {
            "and" => Some(Formula::And(formulas()?)),
            "or" => Some(Formula::Or(formulas()?)),
            "not" => Some(formulas()?.pop()?.not()),
            "=>" => {
                let mut parts = formulas()?;
                let last = parts.pop()?;
                let mut any: Vec<Formula> = parts.into_iter().map(Formula::not).collect();
                any.push(last);
                Some(Formula::Or(any))
            }
            "<=" | ">=" | "<" | ">" => Some(chain(head, integers()?)?),
            "=" => match (formulas(), integers()) {
                (Some(parts), _) => match <[Formula; 2]>::try_from(parts).ok()? {
                    [a, b] => Some(Formula::Same(Box::new(a), Box::new(b))),
                },
                (None, Some(parts)) => {
                    let [a, b] = <[Integer; 2]>::try_from(parts).ok()?;
                    Some(Formula::Compare(Relation::Equal, a, b))
                }
                (None, None) => return None,
            },
            "ite" => match values.as_slice() {
                [Value::Formula(c), Value::Formula(a), Value::Formula(b)] => {
                    Some(Formula::Choice(Box::new(c.clone()), Box::new(a.clone()), Box::new(b.clone())))
                }
                [Value::Formula(c), Value::Integer(a), Value::Integer(b)] => {
                    let choice =
                        Integer::Choice(Box::new(c.clone()), Box::new(a.clone()), Box::new(b.clone()));
                    return Some(Value::Integer(choice));
                }
                _ => return None,
            },
            _ => None,
        };
        if let Some(formula) = formula {
            return Some(Value::Formula(formula));
        }
        arithmetic(head, integers()?).map(Value::Integer)
    }

    /// What remains of a quantified conjunction without the parts that speak of the bound variables: that is weaker.
    fn weakened(&mut self, operands: &[Sexpr]) -> Option<Value> {
        let [Sexpr::List(bound), body] = operands else { return None };
        let names =
            bound.iter().map(|pair| pair.as_list()?.first()?.as_atom()).collect::<Option<Vec<_>>>()?;
        let hidden: Vec<(&str, Option<Value>)> =
            names.into_iter().map(|name| (name, self.names.remove(name))).collect();
        let mut body = body;
        while let Some([Sexpr::Atom(mark), inner, ..]) = body.as_list()
            && mark == "!"
        {
            body = inner;
        }
        let parts = match body.as_list() {
            Some([Sexpr::Atom(and), parts @ ..]) if and == "and" => parts,
            _ => std::slice::from_ref(body),
        };
        let mut kept = Vec::new();
        for part in parts {
            if let Some(Value::Formula(part)) = self.value(part) {
                kept.push(part);
            }
        }
        for (name, before) in hidden {
            self.names.extend(before.map(|before| (name.to_owned(), before)));
        }
        Some(Value::Formula(Formula::And(kept)))
    }

    fn binding(&mut self, operands: &[Sexpr]) -> Option<Value> {
        let [Sexpr::List(bindings), body] = operands else { return None };
        let mut bound = Vec::new();
        for binding in bindings {
            let [name, value] = binding.as_list()? else { return None };
            bound.push((name.as_atom()?.to_owned(), self.value(value)?));
        }
        let hidden: Vec<(String, Option<Value>)> =
            bound.into_iter().map(|(name, value)| (name.clone(), self.names.insert(name, value))).collect();
        let value = self.value(body);
        for (name, before) in hidden {
            match before {
                Some(before) => self.names.insert(name, before),
                None => self.names.remove(&name),
            };
        }
        value
    }
}

fn chain(operator: &str, operands: Vec<Integer>) -> Option<Formula> {
    let pairs: Vec<Formula> = operands
        .windows(2)
        .map(|pair| {
            let (a, b) = (pair[0].clone(), pair[1].clone());
            match operator {
                "<=" => Formula::Compare(Relation::AtMost, a, b),
                "<" => Formula::Compare(Relation::Less, a, b),
                ">=" => Formula::Compare(Relation::AtMost, b, a),
                _ => Formula::Compare(Relation::Less, b, a),
            }
        })
        .collect();
    match pairs.len() {
        0 => None,
        1 => pairs.into_iter().next(),
        _ => Some(Formula::And(pairs)),
    }
}

fn arithmetic(operator: &str, mut operands: Vec<Integer>) -> Option<Integer> {
    match operator {
        "+" => Some(Integer::Sum(operands)),
        "-" if operands.len() == 1 => Some(negative(operands.pop()?)),
        "-" => {
            let rest = operands.split_off(1).into_iter().map(negative);
            Some(Integer::Sum(operands.into_iter().chain(rest).collect()))
        }
        "*" => {
            let [a, b] = <[Integer; 2]>::try_from(operands).ok()?;
            match (a, b) {
                (Integer::Constant(a), Integer::Constant(b)) => Some(Integer::Constant(a.checked_mul(b)?)),
                (Integer::Constant(factor), of) | (of, Integer::Constant(factor)) => {
                    Some(Integer::Product(factor, Box::new(of)))
                }
                _ => None,
            }
        }
        "div" | "mod" => {
            let [of, by] = <[Integer; 2]>::try_from(operands).ok()?;
            let Integer::Constant(by) = by else { return None };
            if by <= 0 {
                return None;
            }
            let of = Box::new(of);
            Some(if operator == "div" { Integer::Quotient(of, by) } else { Integer::Remainder(of, by) })
        }
        _ => None,
    }
}

fn negative(value: Integer) -> Integer {
    match value {
        Integer::Constant(value) => Integer::Constant(-value),
        other => Integer::Product(-1, Box::new(other)),
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Formula(formula) => formula_size(formula),
        Value::Integer(integer) => integer_size(integer),
    }
}

fn formula_size(formula: &Formula) -> usize {
    1 + match formula {
        Formula::Bool(_) | Formula::Argument(_) => 0,
        Formula::Not(inner) => formula_size(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(formula_size).sum(),
        Formula::Same(a, b) => formula_size(a) + formula_size(b),
        Formula::Choice(c, a, b) => formula_size(c) + formula_size(a) + formula_size(b),
        Formula::Compare(_, a, b) => integer_size(a) + integer_size(b),
    }
}

fn integer_size(integer: &Integer) -> usize {
    1 + match integer {
        Integer::Constant(_) | Integer::Argument(_) => 0,
        Integer::Sum(parts) => parts.iter().map(integer_size).sum(),
        Integer::Product(_, of) | Integer::Quotient(of, _) | Integer::Remainder(of, _) => integer_size(of),
        Integer::Choice(c, a, b) => formula_size(c) + integer_size(a) + integer_size(b),
    }
}
