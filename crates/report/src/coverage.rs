//! The ledger: what was analysed and what was not, and why.
//!
//! A function defined in a header is seen by many units. It is one function of the program, so the ledger
//! counts it once, by file, line and name: it is given up if any unit gave it up, inconsistent if any unit found it
//! so, and its gaps are those of the first unit that lowered it. Gaps outside functions count once by their place.

use crate::loops::Asked;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What became of one translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitReport {
    pub file: String,
    /// Why nothing of the unit was analysed.
    pub failed: Option<String>,
    /// The first error of a unit that does not compile; the functions without errors are analysed.
    pub error: Option<String>,
    pub functions: Vec<FunctionReport>,
    /// What was not modelled exactly outside functions: initialisers of globals.
    pub gaps: Vec<GlobalGap>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GlobalGap {
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// What became of one function definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub given_up: Option<String>,
    /// How often something was not modelled exactly, by kind.
    pub gaps: BTreeMap<String, u64>,
    /// A branch edge of it lies on no run that ends well, whether the finding is shown or hidden.
    #[serde(default)]
    pub inconsistent: bool,
    /// Branch edges that the solver gave no answer for.
    #[serde(default)]
    pub undecided: u64,
    /// Boundary values that always fail, and of which it could not be shown that they occur.
    #[serde(default)]
    pub boundary_unconfirmed: u64,
    #[serde(default)]
    pub loops: Asked,
    /// Calls of functions that are not modelled, and how many of them may write anything.
    #[serde(default)]
    pub calls: u64,
    #[serde(default)]
    pub calls_unknown: u64,
    /// `evidence` looked at nothing of it.
    #[serde(default)]
    pub is_too_large: bool,
}

/// The ledger of a whole run, in its stable JSON form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    pub units: u64,
    pub units_failed: u64,
    /// Units with compile errors; they are not failed.
    pub units_with_errors: u64,
    /// Function definitions seen, including those given up.
    pub functions: u64,
    pub given_up: u64,
    /// Functions with nothing wrong and nothing undecided. With the inconsistent, the undecided and those given up
    /// they are all functions.
    #[serde(default)]
    pub consistent: u64,
    #[serde(default)]
    pub inconsistent: u64,
    /// Functions that are not known to be inconsistent, but have edges without an answer.
    #[serde(default)]
    pub functions_undecided: u64,
    /// Edges without an answer, those of inconsistent functions too.
    #[serde(default)]
    pub edges_undecided: u64,
    /// Boundary values that always fail, and of which it could not be shown that they occur: nothing is reported.
    #[serde(default)]
    pub boundary_unconfirmed: u64,
    /// What was asked about loops, of all functions together.
    #[serde(default)]
    pub loops: Asked,
    /// Calls of functions that are not modelled, and how many of them may write anything.
    #[serde(default)]
    pub calls: u64,
    #[serde(default)]
    pub calls_unknown: u64,
    /// Findings that were not shown, by kind of noise. Filled in by whoever decides what is shown.
    #[serde(default)]
    pub hidden: BTreeMap<String, u64>,
    pub gaps: BTreeMap<String, u64>,
    /// The run was interrupted: the rest of the units was not looked at.
    pub partial: bool,
    /// Entries of the compile database that are not C.
    pub entries_skipped: u64,
    pub functions_given_up: Vec<GivenUp>,
    /// Functions that are too large for `evidence`; the other analyses looked at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_evidence: Vec<GivenUp>,
    pub failed_units: Vec<UnitNote>,
    pub erroneous_units: Vec<UnitNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GivenUp {
    pub file: String,
    pub line: u32,
    pub function: String,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitNote {
    pub file: String,
    pub reason: String,
}

impl Coverage {
    /// The ledger of these units, in their order.
    pub fn of(units: &[UnitReport], partial: bool) -> Coverage {
        let mut coverage = Coverage { units: units.len() as u64, partial, ..Coverage::default() };
        let mut functions: BTreeMap<_, FunctionReport> = BTreeMap::new();
        let mut global_gaps = BTreeSet::new();
        for unit in units {
            global_gaps.extend(&unit.gaps);
            let note = |reason: &String| UnitNote { file: unit.file.clone(), reason: reason.clone() };
            coverage.failed_units.extend(unit.failed.as_ref().map(note));
            coverage.erroneous_units.extend(unit.error.as_ref().map(note));
            for function in &unit.functions {
                let key = (function.file.clone(), function.line, function.name.clone());
                functions
                    .entry(key)
                    .and_modify(|known| merge(known, function))
                    .or_insert_with(|| function.clone());
            }
        }
        coverage.units_failed = coverage.failed_units.len() as u64;
        coverage.units_with_errors = coverage.erroneous_units.len() as u64;
        coverage.functions = functions.len() as u64;
        for gap in global_gaps {
            *coverage.gaps.entry(gap.kind.clone()).or_default() += 1;
        }
        for function in functions.values() {
            for (kind, count) in &function.gaps {
                *coverage.gaps.entry(kind.clone()).or_default() += count;
            }
            coverage.functions_given_up.extend(function.given_up.as_ref().map(|reason| GivenUp {
                file: function.file.clone(),
                line: function.line,
                function: function.name.clone(),
                reason: reason.clone(),
            }));
            if function.given_up.is_some() {
                continue;
            }
            coverage.without_evidence.extend(function.is_too_large.then(|| GivenUp {
                file: function.file.clone(),
                line: function.line,
                function: function.name.clone(),
                reason: "too large for evidence".into(),
            }));
            coverage.edges_undecided += function.undecided;
            coverage.boundary_unconfirmed += function.boundary_unconfirmed;
            coverage.loops += function.loops;
            coverage.calls += function.calls;
            coverage.calls_unknown += function.calls_unknown;
            *match (function.inconsistent, function.undecided) {
                (true, _) => &mut coverage.inconsistent,
                (false, 0) => &mut coverage.consistent,
                (false, _) => &mut coverage.functions_undecided,
            } += 1;
        }
        coverage.given_up = coverage.functions_given_up.len() as u64;
        coverage
    }
}

/// Adds what another unit made of the same function.
fn merge(known: &mut FunctionReport, again: &FunctionReport) {
    if known.given_up.is_none() && again.given_up.is_some() {
        *known = again.clone();
    }
    known.inconsistent |= again.inconsistent;
    known.undecided = known.undecided.max(again.undecided);
    known.boundary_unconfirmed = known.boundary_unconfirmed.max(again.boundary_unconfirmed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, given_up: Option<&str>, gaps: &[(&str, u64)]) -> FunctionReport {
        FunctionReport {
            name: name.into(),
            file: "a.h".into(),
            line: 1,
            given_up: given_up.map(str::to_owned),
            gaps: gaps.iter().map(|&(kind, n)| (kind.to_owned(), n)).collect(),
            inconsistent: false,
            undecided: 0,
            ..FunctionReport::default()
        }
    }

    fn unit(functions: Vec<FunctionReport>) -> UnitReport {
        UnitReport { file: "x.c".into(), functions, ..UnitReport::default() }
    }

    #[test]
    fn every_function_is_in_one_class() {
        let f = |name: &str, inconsistent, undecided| FunctionReport {
            inconsistent,
            undecided,
            ..function(name, None, &[])
        };
        let units = [
            unit(vec![f("a", false, 0), f("b", true, 2), f("c", false, 3), f("d", false, 0)]),
            unit(vec![f("a", true, 0), f("c", false, 1), function("e", Some("why"), &[])]),
        ];
        let ledger = Coverage::of(&units, false);
        let classes = [ledger.consistent, ledger.inconsistent, ledger.functions_undecided, ledger.given_up];
        assert_eq!((classes, ledger.functions, ledger.edges_undecided), ([1, 2, 1, 1], 5, 5));
    }

    #[test]
    fn a_header_function_counts_once_and_a_unit_that_gave_it_up_decides() {
        let units = [
            unit(vec![function("f", None, &[("builtin", 2)]), function("g", None, &[])]),
            unit(vec![function("f", None, &[("builtin", 2)]), function("g", Some("why"), &[])]),
            UnitReport { file: "y.c".into(), failed: Some("gone".into()), ..UnitReport::default() },
        ];
        let coverage = Coverage::of(&units, false);
        assert_eq!((coverage.units, coverage.units_failed), (3, 1));
        assert_eq!((coverage.functions, coverage.given_up), (2, 1));
        assert_eq!(coverage.gaps, BTreeMap::from([("builtin".to_owned(), 2)]));
        assert_eq!(coverage.functions_given_up[0].reason, "why");
    }
}
