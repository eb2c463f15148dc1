//! Clauses over bit-vectors as SMT-LIB text over mathematical integers, for solvers of Horn clauses.
//!
//! Every bit-vector is the number it is read as ([`Readings`]). With [`Mode::Exact`] a sum that can leave the range of
//! its width is brought back into it; with [`Mode::Unbounded`] numbers just grow, which proves more and may be wrong.
//! What has no counterpart (products of unknowns, most bit operations) is an unknown.

mod number;

use super::houdini::KnownInvariants;
use super::{Clause, Formula, Integer, Predicate, Reading, Readings, Relation, System};
use crate::limits::MAX_INTEGER_WIDTH;
use crate::smtlib::variable_symbol;
use gainsay_term::{BinaryOp, CompareOp, Node, Sort, Term, TermPool};
use number::{Number, constant, masked, negated, product, quotient, remainder, towards_zero};
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Numbers wrap around as they do in bit-vectors.
    Exact,
    /// Numbers never wrap around.
    Unbounded,
}

pub(super) fn predicate_name(system: &System, predicate: Predicate) -> String {
    let after = if predicate.passed { "-after" } else { "" };
    format!("|{}{after}|", system.points[predicate.point].name)
}

/// The question whether the clauses have a solution: then no run passes the edge and ends well. What is known to hold
/// at the points is added to every clause.
pub(super) fn text(
    system: &System,
    clauses: &[Clause],
    readings: &Readings,
    known: &KnownInvariants,
    mode: Mode,
) -> String {
    let mut out = String::from("(set-logic HORN)\n");
    let mut predicates: Vec<Predicate> =
        clauses.iter().flat_map(|c| c.body.into_iter().chain(c.head.iter().map(|(head, _)| *head))).collect();
    predicates.sort();
    predicates.dedup();
    for &predicate in &predicates {
        let _ = write!(out, "(declare-fun {} (", predicate_name(system, predicate));
        for argument in &system.points[predicate.point].arguments {
            out.push_str(if argument.sort == Sort::Bool { "Bool " } else { "Int " });
        }
        out.push_str(") Bool)\n");
        let names: Vec<&str> =
            system.points[predicate.point].arguments.iter().map(|argument| argument.name.as_str()).collect();
        let _ = writeln!(out, "; arguments: {}", names.join(", ").replace('\n', " "));
    }
    for (piece, data) in system.pieces.iter().enumerate() {
        for clause in clauses.iter().filter(|clause| clause.piece == piece) {
            let mut writer = Writer::new(&data.pool, &readings.terms[piece], mode);
            writer.clause(system, readings, known, clause, &mut out);
        }
    }
    out.push_str("(check-sat)\n");
    out
}

struct Writer<'a> {
    pool: &'a TermPool,
    readings: &'a BTreeMap<Term, Reading>,
    mode: Mode,
    numbers: BTreeMap<Term, Number>,
    formulas: BTreeMap<Term, String>,
    uses: BTreeMap<Term, u32>,
    /// Bounds that follow from the clause's condition.
    bounds: BTreeMap<Term, (i128, i128)>,
    /// Variables of the clause with their sorts.
    variables: Vec<(String, &'static str)>,
    /// What is known of variables.
    ranges: Vec<String>,
    bindings: Vec<(String, String)>,
}

impl<'a> Writer<'a> {
    fn new(pool: &'a TermPool, readings: &'a BTreeMap<Term, Reading>, mode: Mode) -> Self {
        Writer {
            pool,
            readings,
            mode,
            numbers: BTreeMap::new(),
            formulas: BTreeMap::new(),
            uses: BTreeMap::new(),
            bounds: BTreeMap::new(),
            variables: Vec::new(),
            ranges: Vec::new(),
            bindings: Vec::new(),
        }
    }

    fn clause(
        &mut self,
        system: &System,
        readings: &Readings,
        known: &KnownInvariants,
        clause: &Clause,
        out: &mut String,
    ) {
        let data = &system.pieces[clause.piece];
        let mut needed = vec![clause.when];
        needed.extend(clause.head.iter().flat_map(|(_, after)| after));
        if clause.body.is_some() {
            needed.extend(&data.before);
        }
        let facts: Vec<Term> = data.facts.iter().copied().filter(|&fact| self.is_plain_fact(fact)).collect();
        let wanted = self.pool.subterms(&needed);
        // Only facts about variables that occur.
        let facts: Vec<Term> = facts.into_iter().filter(|&fact| self.says_of(fact, &wanted)).collect();
        needed.extend(&facts);
        for &term in &self.pool.subterms(&needed) {
            for operand in self.pool.node(term).operands() {
                *self.uses.entry(operand).or_default() += 1;
            }
        }
        for &root in &needed {
            *self.uses.entry(root).or_default() += 1;
        }
        let known: &[Formula] = clause.body.map_or(&[], |body| &known.at[body.point]);
        if self.mode == Mode::Exact {
            known.iter().for_each(|formula| self.bound_by(formula, &data.before));
            self.bound(clause.when);
        }
        for term in self.pool.subterms(&needed) {
            self.term(term);
        }
        let body = clause.body.map(|predicate| {
            let arguments = self.arguments(readings, predicate.point, &data.before);
            application(&predicate_name(system, predicate), &arguments)
        });
        let head = match &clause.head {
            Some((predicate, after)) => {
                let arguments = self.arguments(readings, predicate.point, after);
                application(&predicate_name(system, *predicate), &arguments)
            }
            None => "false".to_owned(),
        };
        let mut conditions: Vec<String> = body.into_iter().collect();
        conditions.append(&mut self.ranges);
        for formula in known {
            conditions.extend(self.known_text(readings, clause, formula, &data.before));
        }
        conditions.extend(facts.iter().map(|fact| self.formulas[fact].clone()));
        conditions.push(self.formulas[&clause.when].clone());
        out.push_str("(assert ");
        if !self.variables.is_empty() {
            out.push_str("(forall (");
            for (name, sort) in &self.variables {
                let _ = write!(out, "({name} {sort})");
            }
            out.push_str(")\n ");
        }
        for (name, text) in &self.bindings {
            let _ = write!(out, " (let (({name} {text}))\n ");
        }
        let _ = write!(out, " (=> (and {}) {head})", conditions.join(" "));
        for _ in &self.bindings {
            out.push(')');
        }
        if !self.variables.is_empty() {
            out.push(')');
        }
        out.push_str(")\n");
    }

    /// `pointer != 0`; the rest are lemmas about bits.
    fn is_plain_fact(&self, fact: Term) -> bool {
        match self.pool.node(fact) {
            Node::Not(equal) => match self.pool.node(equal) {
                Node::Eq(a, b) => self.pool.is_constant(a) || self.pool.is_constant(b),
                _ => false,
            },
            _ => false,
        }
    }

    fn says_of(&self, fact: Term, wanted: &[Term]) -> bool {
        self.pool.subterms(&[fact]).iter().all(|term| {
            self.pool.is_constant(*term)
                || !matches!(self.pool.node(*term), Node::Var(_))
                || wanted.binary_search(term).is_ok()
        })
    }

    fn arguments(&mut self, readings: &Readings, point: usize, terms: &[Term]) -> Vec<String> {
        let mut texts = Vec::with_capacity(terms.len());
        for (&term, &reading) in terms.iter().zip(&readings.arguments[point]) {
            texts.push(match self.pool.sort(term) {
                Sort::Bool => self.formulas[&term].clone(),
                _ => self.number(term, reading).text,
            });
        }
        texts
    }

    /// Collects bounds of single terms from the comparisons that must hold: `i < n` keeps `i + 1` from wrapping around.
    fn bound(&mut self, when: Term) {
        let mut stack = vec![when];
        while let Some(term) = stack.pop() {
            match self.pool.node(term) {
                Node::And(a, b) => stack.extend([a, b]),
                Node::Compare(op, a, b) => self.bound_order(op, a, b, 1),
                Node::Not(of) => {
                    if let Node::Compare(op, a, b) = self.pool.node(of) {
                        self.bound_order(op, b, a, 0);
                    }
                }
                Node::Eq(a, b) if self.pool.is_constant(a) || self.pool.is_constant(b) => {
                    for op in CompareOp::ALL {
                        self.bound_order(op, a, b, 0);
                        self.bound_order(op, b, a, 0);
                    }
                }
                _ => {}
            }
        }
    }

    /// One number and the gap are at most the other.
    fn bound_order(&mut self, op: CompareOp, a: Term, b: Term, gap: i128) {
        let reading = match op {
            CompareOp::SLt => Reading::Signed,
            CompareOp::ULt => Reading::Unsigned,
        };
        if let (Some((low, _)), Some((_, high))) = (self.limits(a, reading), self.limits(b, reading)) {
            self.narrow(b, reading, (low + gap, i128::MAX));
            self.narrow(a, reading, (i128::MIN, high - gap));
        }
    }

    /// Likewise of what is known of an argument and a constant.
    fn bound_by(&mut self, formula: &Formula, before: &[Term]) {
        let Formula::Compare(Relation::AtMost, a, b) = formula else { return };
        let (number, bounds) = match (a, b) {
            (Integer::Argument(number), Integer::Constant(high)) => (*number, (i128::MIN, *high)),
            (Integer::Constant(low), Integer::Argument(number)) => (*number, (*low, i128::MAX)),
            _ => return,
        };
        let Some(&term) = before.get(number) else { return };
        if self.is_narrow(term) {
            self.narrow(term, self.reading(term), bounds);
        }
    }

    /// The known facts that have a short form.
    fn known_text(
        &mut self,
        readings: &Readings,
        clause: &Clause,
        formula: &Formula,
        before: &[Term],
    ) -> Option<String> {
        let point = clause.body?.point;
        let mut side = |integer: &Integer| match integer {
            Integer::Constant(value) => Some(constant(*value)),
            Integer::Argument(number) => {
                Some(self.number(*before.get(*number)?, *readings.arguments[point].get(*number)?).text)
            }
            _ => None,
        };
        match formula {
            Formula::Compare(Relation::AtMost, a, b) => Some(format!("(<= {} {})", side(a)?, side(b)?)),
            Formula::Compare(Relation::Equal, Integer::Remainder(of, by), b) => {
                Some(format!("(= (mod {} {by}) {})", side(of)?, side(b)?))
            }
            Formula::Argument(number) => self.formulas.get(before.get(*number)?).cloned(),
            Formula::Not(inner) => match **inner {
                Formula::Argument(number) => {
                    Some(format!("(not {})", self.formulas.get(before.get(number)?)?))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn limits(&self, term: Term, reading: Reading) -> Option<(i128, i128)> {
        let width = self.pool.width(term);
        if !self.is_narrow(term) {
            return None;
        }
        let (low, high) = reading.bounds(width);
        if let Some(bits) = self.pool.as_bits(term) {
            let value = bits as i128;
            let value = if value > high { value - (1 << width) } else { value };
            return Some((value, value));
        }
        if self.reading(term) != reading {
            return Some((low, high));
        }
        Some(self.bounds.get(&term).copied().unwrap_or((low, high)))
    }

    fn narrow(&mut self, term: Term, reading: Reading, (low, high): (i128, i128)) {
        if self.pool.is_constant(term) || self.reading(term) != reading {
            return;
        }
        if let Some((a, b)) = self.limits(term, reading) {
            let (low, high) = (a.max(low), b.min(high));
            // Contradictory bounds: the clause is trivially true.
            if low <= high {
                self.bounds.insert(term, (low, high));
            }
        }
    }

    fn bind(&mut self, text: String, prefix: &str) -> String {
        if !text.starts_with('(')
            || text.starts_with("(- ") && text[3..].starts_with(|c: char| c.is_ascii_digit())
        {
            return text;
        }
        let name = format!("{prefix}{}", self.bindings.len());
        self.bindings.push((name.clone(), text));
        name
    }

    fn reading(&self, term: Term) -> Reading {
        self.readings.get(&term).copied().unwrap_or(Reading::Signed)
    }

    fn term(&mut self, term: Term) {
        let is_shared = self.uses.get(&term).is_some_and(|&uses| uses > 1);
        match self.pool.sort(term) {
            Sort::Bool => {
                let text = self.formula(term);
                let text = if is_shared { self.bind(text, "c") } else { text };
                self.formulas.insert(term, text);
            }
            Sort::BitVec(width) if width <= MAX_INTEGER_WIDTH => {
                if self.pool.is_constant(term) {
                    return;
                }
                let mut number = self.translate(term, width).unwrap_or_else(|| self.unknown(term, width));
                if let Some(&(low, high)) = self.bounds.get(&term) {
                    (number.low, number.high) = (number.low.max(low), number.high.min(high));
                }
                if is_shared {
                    number.text = self.bind(number.text, "n");
                }
                self.numbers.insert(term, number);
            }
            _ => {}
        }
    }

    fn declare(&mut self, name: String, sort: &'static str) -> String {
        let name = format!("|{}|", variable_symbol(&name).replace('|', "~"));
        if !self.variables.iter().any(|(known, _)| *known == name) {
            self.variables.push((name.clone(), sort));
        }
        name
    }

    fn name(&self, term: Term) -> String {
        match self.pool.node(term) {
            Node::Var(number) => self.pool.name(number).to_owned(),
            _ => format!("unknown {}", term.index()),
        }
    }

    fn unknown(&mut self, term: Term, width: u32) -> Number {
        let text = self.declare(self.name(term), "Int");
        let (low, high) = self.reading(term).bounds(width);
        match self.mode {
            Mode::Exact => {
                self.ranges.push(format!("(<= {} {text} {})", constant(low), constant(high)));
            }
            Mode::Unbounded if low == 0 => self.ranges.push(format!("(<= 0 {text})")),
            Mode::Unbounded => {}
        }
        Number { text, low, high }
    }

    /// The term as the number that it is under a reading.
    fn number(&mut self, term: Term, reading: Reading) -> Number {
        let width = self.pool.width(term);
        if let Some(bits) = self.pool.as_bits(term) {
            let (low, high) = reading.bounds(width);
            let mut value = bits as i128;
            if value > high {
                value -= 1 << width;
            }
            debug_assert!(value >= low);
            return Number { text: constant(value), low: value, high: value };
        }
        let Some(number) = self.numbers.get(&term).cloned() else {
            // Too wide for this translation.
            let width = width.min(MAX_INTEGER_WIDTH);
            let (low, high) = reading.bounds(width);
            let text = self.declare(format!("{} {:?}", self.name(term), reading), "Int");
            return Number { text, low, high };
        };
        if self.reading(term) == reading { number } else { self.wrapped(number, width, reading) }
    }

    /// Brings a number that is right but for a multiple of 2^width into the range of the reading.
    fn wrapped(&mut self, number: Number, width: u32, reading: Reading) -> Number {
        let (low, high) = reading.bounds(width);
        let period = 1i128 << width;
        if self.mode == Mode::Unbounded || (low <= number.low && number.high <= high) {
            return number;
        }
        if number.low >= low - period && number.high <= high + period {
            let text = self.bind(number.text, "w");
            let mut wrapped = text.clone();
            if number.low < low {
                wrapped = format!("(ite (< {text} {}) (+ {text} {period}) {wrapped})", constant(low));
            }
            if number.high > high {
                wrapped = format!("(ite (> {text} {}) (- {text} {period}) {wrapped})", constant(high));
            }
            return Number { text: wrapped, low, high };
        }
        let text = match low {
            0 => format!("(mod {} {period})", number.text),
            _ => format!("(+ (mod (+ {} {}) {period}) {})", number.text, -low, constant(low)),
        };
        Number { text, low, high }
    }

    fn formula(&mut self, term: Term) -> String {
        match self.pool.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Not(a) => format!("(not {})", self.formulas[&a]),
            Node::And(a, b) => format!("(and {} {})", self.formulas[&a], self.formulas[&b]),
            Node::Or(a, b) => format!("(or {} {})", self.formulas[&a], self.formulas[&b]),
            Node::Xor(a, b) => format!("(xor {} {})", self.formulas[&a], self.formulas[&b]),
            Node::Eq(a, b) if self.pool.sort(a) == Sort::Bool => {
                format!("(= {} {})", self.formulas[&a], self.formulas[&b])
            }
            Node::Eq(a, b) if self.is_narrow(a) => {
                let reading = self.reading(if self.pool.is_constant(a) { b } else { a });
                let (a, b) = (self.number(a, reading), self.number(b, reading));
                format!("(= {} {})", a.text, b.text)
            }
            Node::Ite(c, a, b) => {
                format!("(ite {} {} {})", self.formulas[&c], self.formulas[&a], self.formulas[&b])
            }
            Node::Compare(op, a, b) if self.is_narrow(a) => {
                let reading = match op {
                    CompareOp::SLt => Reading::Signed,
                    CompareOp::ULt => Reading::Unsigned,
                };
                if let (Reading::Unsigned, Some(text)) = (reading, self.unsigned_as_signed(a, b)) {
                    return text;
                }
                let (a, b) = (self.number(a, reading), self.number(b, reading));
                format!("(< {} {})", a.text, b.text)
            }
            _ => self.declare(self.name(term), "Bool"),
        }
    }

    /// An unsigned comparison with a number that is not negative, where the other is read as signed.
    fn unsigned_as_signed(&mut self, a: Term, b: Term) -> Option<String> {
        let is_signed = |term: Term| self.pool.is_constant(term) || self.reading(term) == Reading::Signed;
        if self.pool.is_constant(a) && self.pool.is_constant(b) || !is_signed(a) || !is_signed(b) {
            return None;
        }
        let (a, b) = (self.number(a, Reading::Signed), self.number(b, Reading::Signed));
        if b.low >= 0 && a.low < 0 {
            Some(format!("(and (<= 0 {0}) (< {0} {1}))", a.text, b.text))
        } else if a.low >= 0 && b.low < 0 {
            Some(format!("(or (< {1} 0) (< {0} {1}))", a.text, b.text))
        } else if a.low >= 0 && b.low >= 0 {
            Some(format!("(< {} {})", a.text, b.text))
        } else {
            None
        }
    }

    fn is_narrow(&self, term: Term) -> bool {
        (1..=MAX_INTEGER_WIDTH).contains(&self.pool.width(term))
    }

    /// `None` where nothing is known of the result.
    fn translate(&mut self, term: Term, width: u32) -> Option<Number> {
        let reading = self.reading(term);
        let number = match self.pool.node(term) {
            Node::Ite(c, a, b) => {
                let (a, b) = (self.number(a, reading), self.number(b, reading));
                let text = format!("(ite {} {} {})", self.formulas[&c], a.text, b.text);
                Number { text, low: a.low.min(b.low), high: a.high.max(b.high) }
            }
            Node::Neg(a) => negated(self.number(a, reading)),
            Node::BvNot(a) => {
                let a = negated(self.number(a, reading));
                Number { text: format!("(- {} 1)", a.text), low: a.low - 1, high: a.high - 1 }
            }
            Node::Binary(op, a, b) => self.binary(op, a, b, reading)?,
            Node::Concat(a, b) if self.is_narrow(a) && self.is_narrow(b) => {
                let shift = 1i128 << self.pool.width(b);
                let (a, b) = (self.number(a, Reading::Unsigned), self.number(b, Reading::Unsigned));
                let text = format!("(+ (* {shift} {}) {})", a.text, b.text);
                Number { text, low: a.low * shift + b.low, high: a.high * shift + b.high }
            }
            Node::Extract { low, of, .. } if self.is_narrow(of) => {
                let of = self.number(of, self.reading(of));
                if low == 0 { of } else { quotient(of, 1 << low) }
            }
            Node::ZeroExtend { of, .. } if self.is_narrow(of) => self.number(of, Reading::Unsigned),
            Node::SignExtend { of, .. } if self.is_narrow(of) => self.number(of, Reading::Signed),
            _ => return None,
        };
        Some(self.wrapped(number, width, reading))
    }

    fn binary(&mut self, op: BinaryOp, a: Term, b: Term, reading: Reading) -> Option<Number> {
        let (constant_a, constant_b) = (self.pool.as_bits(a), self.pool.as_bits(b));
        let width = self.pool.width(a);
        match op {
            BinaryOp::Add => {
                let (a, b) = (self.number(a, reading), self.small(b, reading));
                Some(Number {
                    text: format!("(+ {} {})", a.text, b.text),
                    low: a.low + b.low,
                    high: a.high + b.high,
                })
            }
            BinaryOp::Sub => {
                let (a, b) = (self.number(a, reading), self.small(b, reading));
                Some(Number {
                    text: format!("(- {} {})", a.text, b.text),
                    low: a.low - b.high,
                    high: a.high - b.low,
                })
            }
            BinaryOp::Mul => {
                let (factor, of) = match (constant_a, constant_b) {
                    (Some(_), _) => (a, b),
                    (_, Some(_)) => (b, a),
                    _ => return None,
                };
                let (factor, of) = (self.small(factor, reading).low, self.number(of, reading));
                product(of, factor)
            }
            BinaryOp::Shl => {
                let by = constant_b.filter(|&by| by < u128::from(width))?;
                product(self.number(a, reading), 1 << by)
            }
            BinaryOp::LShr => {
                let by = constant_b.filter(|&by| by < u128::from(width))?;
                Some(quotient(self.number(a, Reading::Unsigned), 1 << by))
            }
            BinaryOp::AShr => {
                let by = constant_b.filter(|&by| by < u128::from(width))?;
                Some(quotient(self.number(a, Reading::Signed), 1 << by))
            }
            BinaryOp::UDiv => {
                let by = constant_b.filter(|&by| by != 0)? as i128;
                Some(quotient(self.number(a, Reading::Unsigned), by))
            }
            BinaryOp::URem => {
                let by = constant_b.filter(|&by| by != 0)? as i128;
                Some(remainder(self.number(a, Reading::Unsigned), by))
            }
            BinaryOp::SDiv | BinaryOp::SRem => {
                constant_b?;
                let by = self.number(b, Reading::Signed).low;
                let mut of = self.number(a, Reading::Signed);
                if by == 0 {
                    return None;
                }
                of.text = self.bind(of.text, "d");
                Some(towards_zero(of, by, op == BinaryOp::SDiv))
            }
            BinaryOp::And => {
                let (mask, of) = match (constant_a, constant_b) {
                    (Some(mask), _) => (mask, b),
                    (_, Some(mask)) => (mask, a),
                    _ => return None,
                };
                let of = self.number(of, self.reading(of));
                masked(of, mask, width)
            }
            BinaryOp::Or | BinaryOp::Xor => None,
        }
    }

    /// A constant as the number closest to zero: adding 2^32 - 1 is subtracting 1.
    fn small(&mut self, term: Term, reading: Reading) -> Number {
        let reading = if self.pool.is_constant(term) { Reading::Signed } else { reading };
        self.number(term, reading)
    }
}

fn application(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
}
