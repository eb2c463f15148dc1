//! From contradictory beliefs to findings that name both places.

use super::Beliefs;
use super::freed::PointerSite;
use super::locked::LockChange;
use super::unchecked::Producer;
use super::uses::{Use, UseKind};
use crate::source::Spot;
use crate::wording::Wording;
use gainsay_ir::check::Check;
use gainsay_ir::gc::Loc;
use gainsay_program::link::NullTests;
use gainsay_program::models::Locking;
use gainsay_report::finding::{Finding, Related};
use gainsay_report::fingerprint::fingerprint;
use gainsay_report::noise::Noise;
use gainsay_report::rules::{UNCHECKED_RESULT, rule};
use gainsay_vc::Statement;

const INCONSISTENT_NULL: &str = "inconsistent-null";
const INCONSISTENT_ZERO: &str = "inconsistent-zero";
const NULL_SOURCE: &str = "null-source";
const USE_AFTER_FREE: &str = "use-after-free";
const INCONSISTENT_LOCK: &str = "inconsistent-lock";

const NAME: &str = "beliefs";

/// Indices of a test, of a use that it protects, and of a use of the same value that can fail.
pub(super) struct Contradiction {
    pub(super) test: usize,
    pub(super) protected: usize,
    pub(super) used: usize,
}

pub(super) fn inconsistent(beliefs: &Beliefs, contradiction: Contradiction) -> Option<Finding> {
    let Contradiction { test, protected, used } = contradiction;
    let (test, protected, used) = (&beliefs.tests[test], &beliefs.uses[protected], &beliefs.uses[used]);
    let is_division = used.kind.is_division();
    let id = if is_division { INCONSISTENT_ZERO } else { INCONSISTENT_NULL };
    let here = beliefs.judge.source.spot(used.loc)?;
    let there = beliefs.judge.source.spot(test.loc)?;
    let (name, other) = (name(beliefs, used), name(beliefs, protected));
    let zero = if is_division { "zero" } else { "NULL" };
    let same = if other == name { "it".to_owned() } else { format!("the same value, `{other}`,") };
    let (callers, calls) = callers(beliefs, used, &here).unwrap_or_default();
    let message = format!(
        "{}, but{} {same} is tested for {zero} before it is used{callers}",
        untested(beliefs, &name, used),
        at(&there, &here),
    );
    let mut related = Vec::new();
    note(beliefs, &mut related, test.loc, format!("`{other}` is tested here"));
    if beliefs.judge.source.spot(protected.loc) != Some(there) {
        let text = format!("`{other}` {} here, after the test", what_happens(protected));
        note(beliefs, &mut related, protected.loc, text);
    }
    related.extend(calls);
    finding(beliefs, id, here, message, related)
}

pub(super) fn source(beliefs: &Beliefs, source: Statement, used: usize) -> Option<Finding> {
    let used = &beliefs.uses[used];
    let here = beliefs.judge.source.spot(used.loc)?;
    let loc = beliefs.judge.function.blocks[source.block].cmds[source.index as usize].loc;
    let there = beliefs.judge.source.spot(loc)?;
    let name = name(beliefs, used);
    let message = format!(
        "{}, but it can be NULL, which it is set to{}",
        untested(beliefs, &name, used),
        at(&there, &here)
    );
    let mut related = Vec::new();
    note(beliefs, &mut related, loc, format!("`{name}` is set to NULL here"));
    finding(beliefs, NULL_SOURCE, here, message, related)
}

pub(super) fn unchecked(
    beliefs: &Beliefs,
    producer: Producer,
    habit: NullTests,
    used: usize,
) -> Option<Finding> {
    let used = &beliefs.uses[used];
    let here = beliefs.judge.source.spot(used.loc)?;
    let name = name(beliefs, used);
    let of = match producer {
        Producer::Function(symbol) => format!("the result of `{}`", beliefs.judge.unit.symbols[symbol].name),
        Producer::Allocation => "what a library function allocates".into(),
    };
    let message = format!(
        "{}, but {of} can be NULL: it is tested at {} of {} calls",
        untested(beliefs, &name, used),
        habit.tested,
        // The counts come from summaries, which do not see every use, so this call may not be among them.
        habit.calls.max(habit.tested + 1),
    );
    let finding = finding(beliefs, UNCHECKED_RESULT, here, message, Vec::new())?;
    // One finding per producer: see `report::finding::once_per_giver`.
    Some(Finding { fingerprint: fingerprint(UNCHECKED_RESULT, &of, &[]), ..finding })
}

pub(super) fn freed(beliefs: &Beliefs, source: &PointerSite, sink: &PointerSite) -> Option<Finding> {
    let here = beliefs.judge.source.spot(sink.loc)?;
    let there = beliefs.judge.source.spot(source.loc)?;
    let wording = Wording { unit: beliefs.judge.unit, function: beliefs.judge.function };
    let name = wording.text(sink.pointer).unwrap_or_else(|| "this".into());
    let what = if sink.frees { "freed here once more" } else { "used here" };
    let message = format!("`{name}` is {what}, but it can have been freed{}", at(&there, &here));
    let mut related = Vec::new();
    let freed = wording.text(source.pointer).unwrap_or(name);
    note(beliefs, &mut related, source.loc, format!("`{freed}` is freed here"));
    finding(beliefs, USE_AFTER_FREE, here, message, related)
}

/// A lock that is locked twice or unlocked twice.
pub(super) fn locked(beliefs: &Beliefs, first: &LockChange, second: &LockChange) -> Option<Finding> {
    let here = beliefs.judge.source.spot(second.loc)?;
    let there = beliefs.judge.source.spot(first.loc)?;
    let wording = Wording { unit: beliefs.judge.unit, function: beliefs.judge.function };
    let name = |pointer| {
        let text = wording.text(pointer);
        text.map_or("a lock".into(), |text| format!("the lock `{}`", text.trim_start_matches('&')))
    };
    let what = match second.locking {
        Locking::Locks => "locked",
        Locking::Unlocks => "unlocked",
    };
    let (repeated, before) = (name(second.pointer), name(first.pointer));
    let message =
        format!("{repeated} is {what} here, but it can have been {what}{} already", at(&there, &here));
    let mut related = Vec::new();
    note(beliefs, &mut related, first.loc, format!("{before} is {what} here"));
    finding(beliefs, INCONSISTENT_LOCK, here, message, related)
}

/// What the known callers pass for a parameter, which decides whether the use or the test is to be changed;
/// with the calls that show it.
fn callers(beliefs: &Beliefs, used: &Use, here: &Spot) -> Option<(String, Vec<Related>)> {
    let function = beliefs.judge.function;
    let wording = Wording { unit: beliefs.judge.unit, function };
    let number = function.params.iter().position(|&param| wording.is_value_of(used.expr, param))?;
    let callers = beliefs.hints.callers.get(&function.symbol.as_u32()).filter(|callers| callers.calls > 0)?;
    let passed = callers.params.get(number)?;
    let null = if used.kind.is_division() { "0" } else { "NULL" };
    if passed.zero > 0 {
        let own = &beliefs.judge.unit.symbols[function.symbol].name;
        let mut calls = Vec::new();
        let mut from: Vec<String> = Vec::new();
        for caller in &passed.zero_from {
            from.push(match &caller.place {
                Some(place) if place.file == here.file => {
                    format!("`{}` at line {}", caller.function, place.line)
                }
                Some(place) => format!("`{}` at {}:{}", caller.function, place.file, place.line),
                None => format!("`{}`", caller.function),
            });
            calls.extend(caller.place.clone().map(|place| Related {
                file: place.file,
                line: place.line,
                column: place.column,
                message: format!("`{own}` is called with {null} here"),
            }));
        }
        from.dedup();
        let passes = if from.len() == 1 { "passes" } else { "pass" };
        return Some((format!("; {} {passes} {null}: the use needs a test", from.join(", ")), calls));
    }
    let text = match (passed.never_zero == callers.calls, callers.may_be_others, callers.calls) {
        (false, ..) => return None,
        (true, false, 1) => format!("; the only call cannot pass {null}: the test is redundant"),
        (true, false, n) => format!("; none of the {n} calls can pass {null}: the test is redundant"),
        (true, true, 1) => format!("; the only call that is known cannot pass {null}"),
        (true, true, n) => format!("; none of the {n} calls that are known can pass {null}"),
    };
    Some((text, Vec::new()))
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

/// The value as the source spells it at the use.
fn name(beliefs: &Beliefs, used: &Use) -> String {
    let wording = Wording { unit: beliefs.judge.unit, function: beliefs.judge.function };
    wording.text(used.expr).unwrap_or_else(|| "this".into())
}

/// "`p` is dereferenced here without a test"
fn untested(beliefs: &Beliefs, name: &str, used: &Use) -> String {
    match used.kind {
        UseKind::Callee(can_fail) => {
            let (place, _) = &can_fail.place;
            let callee = match callee(beliefs, used) {
                Some(first) if first != place => format!("`{first}`, and on to `{place}`,"),
                _ => format!("`{place}`,"),
            };
            format!("`{name}` is passed here without a test to {callee} which can fail if it is NULL")
        }
        UseKind::Check(Check::CalleeFails) => match callee(beliefs, used) {
            Some(callee) => {
                format!("`{name}` is passed here without a test to `{callee}`, which fails if it is NULL")
            }
            None => format!("`{name}` {} here without a test", what_happens(used)),
        },
        UseKind::Check(_) => format!("`{name}` {} here without a test", what_happens(used)),
    }
}

/// The function to which the used value is passed.
fn callee<'a>(beliefs: &'a Beliefs, used: &Use) -> Option<&'a str> {
    let wording = Wording { unit: beliefs.judge.unit, function: beliefs.judge.function };
    let symbol = wording.symbol_called_at(used.at)?;
    Some(&beliefs.judge.unit.symbols[symbol].name)
}

fn what_happens(used: &Use) -> &'static str {
    match used.kind {
        UseKind::Check(Check::NullDereference) => "is dereferenced",
        UseKind::Check(Check::NullCall) => "is called",
        UseKind::Check(Check::DivisionByZero) => "is a divisor",
        UseKind::Check(_) => "is passed where NULL is not allowed",
        UseKind::Callee(_) => "is passed on",
    }
}

fn at(place: &Spot, here: &Spot) -> String {
    if place.file == here.file {
        format!(" at line {}", place.line)
    } else {
        format!(" at {}:{}", place.file, place.line)
    }
}

/// Adds findings, one per place: a finding of another analysis gets `beliefs` as a further analysis, and what both
/// Definition 3 and Definition 5 find is one finding of the latter. Returns the new ones.
pub(super) fn merge(known: &mut [Finding], found: Vec<Finding>) -> Vec<Finding> {
    let mut added = Vec::new();
    for finding in found {
        add(known, &mut added, finding);
    }
    added
}

fn add(known: &mut [Finding], added: &mut Vec<Finding>, finding: Finding) {
    let places = |one: &Finding| {
        let mut places = vec![(one.file.clone(), one.line)];
        places.extend(one.related.iter().map(|related| (related.file.clone(), related.line)));
        places
    };
    let own = places(&finding);
    let is_same = |other: &&mut Finding| {
        // Reasons in macro definitions are computed only if they are shown
        // (docs/decisions/032-display-decides-nothing.md), so they must not take part in the comparison.
        let is_macro = other.class.as_deref() == Some(Noise::Macro.name());
        let others = if is_macro { Vec::new() } else { places(other) };
        let is_here =
            (&other.file, other.line, other.column) == (&finding.file, finding.line, finding.column);
        is_here || own.iter().take(2).all(|place| others.contains(place))
    };
    let Some(same) = known.iter_mut().chain(added.iter_mut()).find(is_same) else {
        added.push(finding);
        return;
    };
    if same.analyses == [NAME] {
        same.related.extend(finding.related);
        same.related.dedup();
    } else if !same.analyses.iter().any(|name| name == NAME) {
        same.analyses.push(NAME.into());
        same.analyses.sort();
    }
}
