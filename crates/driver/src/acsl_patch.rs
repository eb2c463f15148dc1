//! Inferred ACSL clauses as patches for the sources.

use crate::link::RequiredClause;
use gainsay_report::acsl::{self, Annotation, Before};
use gainsay_report::finding::Finding;
use gainsay_report::verdict::{Found, UnitVerdict};

/// What functions require of their callers. A check that a finding is about is left out: there the function is at fault,
/// not its caller.
pub fn precondition_patch(required: &[RequiredClause], findings: &[Finding]) -> String {
    let is_reported = |one: &&RequiredClause| {
        let at = |file: &str, line: u32, column: u32| {
            one.chain
                .iter()
                .any(|place| (place.file.as_str(), place.line, place.column) == (file, line, column))
        };
        findings.iter().any(|finding| at(&finding.file, finding.line, finding.column))
    };
    patch(&contracts(required.iter().filter(|one| !is_reported(one))))
}

/// Loop invariants that were found, and what functions without a contract require of their callers. A header is part of
/// many units, so equal annotations count once.
pub fn invariant_patch(units: &[UnitVerdict], required: &[RequiredClause]) -> String {
    let functions = units.iter().flat_map(|unit| &unit.functions);
    let mut all = contracts(required.iter());
    for Found { file, line, column, holds } in functions.flat_map(|function| &function.invariants) {
        let clauses = holds.iter().map(|condition| format!("loop invariant {condition}")).collect();
        let (file, line, column) = (file.clone(), *line, *column);
        let annotation = Annotation { file, line, column, clauses, before: Before::Place };
        if !all.contains(&annotation) {
            all.push(annotation);
        }
    }
    patch(&all)
}

/// One annotation for each function.
fn contracts<'a>(required: impl Iterator<Item = &'a RequiredClause>) -> Vec<Annotation> {
    let mut annotations: Vec<Annotation> = Vec::new();
    for one in required {
        let home = &one.home;
        match annotations.iter_mut().find(|other| (&other.file, other.line) == (&home.file, home.line)) {
            Some(other) => other.clauses.push(one.clause.clone()),
            None => annotations.push(Annotation {
                file: home.file.clone(),
                line: home.line,
                column: home.column,
                clauses: vec![one.clause.clone()],
                before: Before::Declaration,
            }),
        }
    }
    annotations
}

fn patch(annotations: &[Annotation]) -> String {
    acsl::patch(annotations, &|file| std::fs::read_to_string(file).ok())
}
