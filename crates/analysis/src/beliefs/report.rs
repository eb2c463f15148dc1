//! Findings about beliefs, in words that name both places.

use super::Beliefs;
use super::uses::{Kind, Use};
use crate::pipeline::Outcome;
use crate::source::Spot;
use crate::words::Words;
use gainsay_ir::check::Check;
use gainsay_ir::gc::Loc;
use gainsay_report::finding::{Finding, Related};
use gainsay_report::fingerprint::fingerprint;
use gainsay_report::rules::rule;

pub(super) const INCONSISTENT_NULL: &str = "inconsistent-null";
pub(super) const INCONSISTENT_ZERO: &str = "inconsistent-zero";

const NAME: &str = "beliefs";

/// Numbers of a test, a use that it protects, and a use of the same value that can fail.
pub(super) struct Contradiction {
    pub(super) test: usize,
    pub(super) protected: usize,
    pub(super) used: usize,
}

pub(super) fn inconsistent(beliefs: &Beliefs, contradiction: Contradiction) -> Option<Finding> {
    let Contradiction { test, protected, used } = contradiction;
    let (test, protected, used) = (&beliefs.tests[test], &beliefs.uses[protected], &beliefs.uses[used]);
    let id = if used.kind.is_division() { INCONSISTENT_ZERO } else { INCONSISTENT_NULL };
    let here = beliefs.judge.source.spot(used.loc)?;
    let there = beliefs.judge.source.spot(test.loc)?;
    let name = name(beliefs, used);
    let also = match self::name(beliefs, protected) {
        other if other != name => format!(" (as `{other}`)"),
        _ => String::new(),
    };
    let zero = if used.kind.is_division() { "zero" } else { "NULL" };
    let message = format!(
        "`{name}` {} here without a test, but{also} it is tested for {zero}{} before it is used there",
        what_happens(beliefs, used),
        at(&there, &here),
    );
    let mut related = Vec::new();
    note(beliefs, &mut related, test.loc, format!("`{}` is tested here", self::name(beliefs, protected)));
    if beliefs.judge.source.spot(protected.loc) != Some(there) {
        note(beliefs, &mut related, protected.loc, format!("and here it {} after the test", what_happens(beliefs, protected)));
    }
    finding(beliefs, id, here, message, related)
}

fn note(beliefs: &Beliefs, notes: &mut Vec<Related>, loc: Loc, message: String) {
    if let Some(spot) = beliefs.judge.source.spot(loc) {
        notes.push(Related { file: spot.file, line: spot.line, column: spot.column, message });
    }
}

fn finding(
    beliefs: &Beliefs,
    id: &str,
    spot: Spot,
    message: String,
    related: Vec<Related>,
) -> Option<Finding> {
    let name = &beliefs.judge.unit.symbols[beliefs.judge.function.symbol].name;
    let mut texts = vec![message.split(" at ").next().unwrap_or(&message).to_owned()];
    texts.extend(related.iter().map(|related| related.message.clone()));
    Some(Finding {
        rule: id.into(),
        severity: rule(id)?.severity,
        class: None,
        analyses: vec![NAME.into()],
        function: name.clone(),
        file: spot.file,
        line: spot.line,
        column: spot.column,
        end_line: spot.end_line,
        end_column: spot.end_column,
        message,
        related,
        fingerprint: fingerprint(id, name, &texts),
    })
}

/// The value as it is written at the use.
fn name(beliefs: &Beliefs, used: &Use) -> String {
    let words = Words { unit: beliefs.judge.unit, function: beliefs.judge.function };
    words.text(used.expr).unwrap_or_else(|| "the value".into())
}

/// What is done with the value.
fn what_happens(beliefs: &Beliefs, used: &Use) -> String {
    match used.kind {
        Kind::Check(Check::NullDereference) => "is dereferenced".into(),
        Kind::Check(Check::NullCall) => "is called".into(),
        Kind::Check(Check::DivisionByZero) => "is a divisor".into(),
        Kind::Check(Check::CalleeFails) => "is passed to a function that fails with NULL".into(),
        Kind::Check(_) => "is passed where NULL is not allowed".into(),
        Kind::Callee(can_fail) => {
            let _ = beliefs;
            format!("is passed on, and `{}` can fail with it", can_fail.place.0)
        }
    }
}

fn at(place: &Spot, here: &Spot) -> String {
    if place.file == here.file { format!(" at line {}", place.line) } else { format!(" at {}:{}", place.file, place.line) }
}

/// One place, one finding: what `reach` has already is not said twice.
pub(super) fn add(outcome: &mut Outcome, finding: Finding) {
    let places = |one: &Finding| {
        let mut places = vec![(one.file.clone(), one.line)];
        places.extend(one.related.iter().map(|related| (related.file.clone(), related.line)));
        places
    };
    let own = places(&finding);
    let is_same = |other: &&mut Finding| {
        other.function == finding.function && {
            let others = places(other);
            own.iter().take(2).all(|place| others.contains(place))
        }
    };
    match outcome.findings.iter_mut().find(is_same) {
        Some(same) => {
            if !same.analyses.iter().any(|name| name == NAME) {
                same.analyses.push(NAME.into());
                same.analyses.sort();
            }
        }
        None => outcome.findings.push(finding),
    }
}
