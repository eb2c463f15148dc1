//! Invariants that hold at the points independently of the query (Houdini): simple candidates (bounds, order of two variables,
//! parity) that hold at the start and that every piece keeps. Computed on the exact formulas, once per function.
//!
//! They free the Horn solver of most wrap-around, prove the easy edges, and often make a better explanation.

use super::{Formula, Integer, Piece, Reading, Readings, Relation, System};
use crate::answer::{Answer, Budget};
use crate::horn::refute_candidates::{Arrival, Shaken};
use crate::limits::{MAX_CANDIDATES, MAX_COMPARED_ARGUMENTS, MAX_CONSTANTS, MAX_HOUDINI_QUERIES};
use crate::session::Session;
use gainsay_term::{Node, Sort, Term};
use std::collections::BTreeSet;

/// Formulas over the arguments of each point.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownInvariants {
    pub(super) at: Vec<Vec<Formula>>,
}

impl KnownInvariants {
    pub(super) fn nothing(system: &System) -> KnownInvariants {
        KnownInvariants { at: vec![Vec::new(); system.points.len()] }
    }

    pub(super) fn find(
        session: &mut Session,
        system: &mut System,
        readings: &Readings,
        budget: Budget,
    ) -> KnownInvariants {
        for with_others in [true, false] {
            let candidates = KnownInvariants { at: candidates(system, readings, with_others) };
            if let Some(known) = candidates.kept(session, system, readings, budget) {
                return known;
            }
        }
        KnownInvariants::nothing(system)
    }

    /// The candidates that hold; `None` if a query got no answer.
    fn kept(
        mut self,
        session: &mut Session,
        system: &mut System,
        readings: &Readings,
        budget: Budget,
    ) -> Option<KnownInvariants> {
        let mut questions = 0;
        loop {
            let mut has_changed = false;
            for piece in 0..system.pieces.len() {
                has_changed |=
                    self.keep(session, &mut system.pieces[piece], readings, budget, &mut questions)?;
            }
            if !has_changed {
                return Some(self);
            }
        }
    }

    /// Drops candidates that the piece does not keep; `None` if a query got no answer.
    fn keep(
        &mut self,
        session: &mut Session,
        piece: &mut Piece,
        readings: &Readings,
        budget: Budget,
        questions: &mut u32,
    ) -> Option<bool> {
        session.reset();
        piece.facts.iter().for_each(|&fact| session.assert(&piece.pool, fact));
        let mut shaken = Shaken::new(piece);
        let mut has_changed = false;
        loop {
            let before = match piece.from {
                Some(point) => terms(piece, readings, point, &piece.before.clone(), &self.at[point])?,
                None => Vec::new(),
            };
            let mut arrivals: Vec<Arrival> = Vec::new();
            for step in piece.steps.clone() {
                let after = terms(piece, readings, step.to, &step.after, &self.at[step.to])?;
                arrivals.push(Arrival { at: step.to, when: step.when, candidates: after });
            }
            if let Some(lost) = shaken.lost(&mut piece.pool, &before, &arrivals) {
                has_changed |= self.drop(lost);
                continue;
            }
            let mut broken = Vec::new();
            for arrival in &arrivals {
                let kept = piece.pool.all(&arrival.candidates);
                let lost = piece.pool.not(kept);
                broken.push(piece.pool.and(arrival.when, lost));
            }
            let broken = piece.pool.any(&broken);
            let before = piece.pool.all(&before);
            let question = piece.pool.and(before, broken);
            if piece.pool.as_bool(question) == Some(false) {
                return Some(has_changed);
            }
            *questions += 1;
            if *questions > MAX_HOUDINI_QUERIES {
                return None;
            }
            match session.check(&piece.pool, &[question], budget) {
                Answer::Unsat => return Some(has_changed),
                Answer::Unknown(_) => return None,
                Answer::Sat => {}
            }
            let wanted: Vec<Term> = arrivals
                .iter()
                .flat_map(|arrival| std::iter::once(arrival.when).chain(arrival.candidates.iter().copied()))
                .collect();
            let values = session.truths(&mut piece.pool, &wanted).ok()?;
            let mut values = values.into_iter();
            let mut lost: Vec<(usize, Vec<bool>)> = Vec::new();
            for arrival in &arrivals {
                let is_taken = values.next() == Some(true);
                let of_step = values.by_ref().take(arrival.candidates.len());
                lost.push((arrival.at, of_step.map(|holds| is_taken && !holds).collect()));
            }
            if !self.drop(lost) {
                return None;
            }
            has_changed = true;
        }
    }

    /// Which candidates of a point are lost; true if there were any.
    fn drop(&mut self, lost: Vec<(usize, Vec<bool>)>) -> bool {
        let mut has_dropped = false;
        for (at, lost) in lost {
            let before = self.at[at].len();
            let mut lost = lost.into_iter();
            self.at[at].retain(|_| !lost.next().unwrap_or(false));
            has_dropped |= self.at[at].len() < before;
        }
        has_dropped
    }
}

fn terms(
    piece: &mut Piece,
    readings: &Readings,
    point: usize,
    values: &[Term],
    formulas: &[Formula],
) -> Option<Vec<Term>> {
    let arguments: Vec<(Term, Reading)> =
        values.iter().copied().zip(readings.arguments[point].iter().copied()).collect();
    formulas.iter().map(|formula| formula.term(&mut piece.pool, &arguments)).collect()
}

/// Bounds of each argument, and other things that may cost more.
fn candidates(system: &System, readings: &Readings, with_others: bool) -> Vec<Vec<Formula>> {
    let at_most = |a: &Integer, b: &Integer| Formula::Compare(Relation::AtMost, a.clone(), b.clone());
    let mut at = Vec::new();
    for (point, data) in system.points.iter().enumerate() {
        let mut bounds = Vec::new();
        let mut others = Vec::new();
        for (number, argument) in data.arguments.iter().enumerate() {
            let own = Integer::Argument(number);
            let Sort::BitVec(width) = argument.sort else {
                bounds.push(Formula::Argument(number));
                bounds.push(Formula::Argument(number).not());
                continue;
            };
            if width > 64 {
                continue;
            }
            let reading = readings.arguments[point][number];
            for constant in constants(system, width, reading) {
                let constant = Integer::Constant(constant);
                bounds.extend([at_most(&own, &constant), at_most(&constant, &own)]);
            }
            // The parity of pointers is irrelevant.
            for rest in if width < 64 { 0..2 } else { 0..0 } {
                let parity = Integer::Remainder(Box::new(own.clone()), 2);
                others.push(Formula::Compare(Relation::Equal, parity, Integer::Constant(rest)));
            }
            for other in 0..number.min(MAX_COMPARED_ARGUMENTS) {
                let is_alike = data.arguments[other].sort == argument.sort
                    && readings.arguments[point][other] == reading;
                if is_alike && number < MAX_COMPARED_ARGUMENTS {
                    let other = Integer::Argument(other);
                    others.extend([at_most(&own, &other), at_most(&other, &own)]);
                }
            }
        }
        if with_others && bounds.len() + others.len() <= MAX_CANDIDATES {
            bounds.extend(others);
        }
        at.push(bounds);
    }
    at
}

/// What bounds may be: the constants of the function, and their neighbours.
fn constants(system: &System, width: u32, reading: Reading) -> Vec<i128> {
    let mut found: BTreeSet<(u128, i128)> = BTreeSet::new();
    let (low, high) = reading.bounds(width);
    let mut add = |value: i128| {
        if (low..=high).contains(&value) {
            found.insert((value.unsigned_abs(), value));
        }
    };
    add(0);
    for piece in &system.pieces {
        let roots: Vec<Term> = piece.steps.iter().flat_map(|step| step.after.iter().copied()).collect();
        for &term in &roots {
            if let (true, Some(bits)) = (piece.pool.width(term) == width, piece.pool.as_bits(term)) {
                add(read(bits, width, reading));
            }
        }
        for term in piece.pool.terms() {
            let (a, b) = match piece.pool.node(term) {
                Node::Compare(_, a, b) | Node::Eq(a, b) => (a, b),
                Node::Ite(_, a, b) if piece.pool.width(a) == width => (a, b),
                _ => continue,
            };
            for side in [a, b] {
                // A wider comparison of an extended value bounds the value as well.
                if let Some(bits) = piece.pool.as_bits(side) {
                    let value = read(bits, piece.pool.width(side), reading);
                    (value - 1..=value + 1).for_each(&mut add);
                }
            }
        }
    }
    found.into_iter().take(MAX_CONSTANTS).map(|(_, value)| value).collect()
}

fn read(bits: u128, width: u32, reading: Reading) -> i128 {
    if width > 100 {
        return i128::MAX - 1;
    }
    let (_, high) = reading.bounds(width);
    let value = bits as i128;
    if value > high { value - (1 << width) } else { value }
}
