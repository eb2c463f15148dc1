//! The coverage ledger: what was analysed, what was not, and why.
//!
//! A function of a header is part of many units but counts once, by file, line and name. It is given up if any unit gave
//! it up, inconsistent if any unit found it so, and its gaps are those of the first unit. Gaps outside functions count
//! once by their position.

use crate::loops::Asked;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The coverage of one translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitReport {
    pub file: String,
    /// Why nothing of the unit was analysed.
    pub failed: Option<String>,
    /// Why the analysis of the unit ended early; the functions before are reported. Such a result depends on the machine and
    /// may differ from run to run.
    #[serde(default)]
    pub cut_short: Option<String>,
    /// The first compile error; functions without errors are analysed.
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

/// The coverage of one function definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub given_up: Option<String>,
    /// How often something was not modelled exactly, by kind.
    pub gaps: BTreeMap<String, u64>,
    /// A branch edge of it lies on no error-free terminating run, whether the finding is shown or hidden.
    #[serde(default)]
    pub inconsistent: bool,
    /// Branch edges that were not decided.
    #[serde(default)]
    pub undecided: u64,
    /// Queries of `beliefs` without an answer.
    #[serde(default)]
    pub beliefs_undecided: u64,
    /// Boundary values that always fail and were not shown to occur.
    #[serde(default)]
    pub boundary_unconfirmed: u64,
    #[serde(default)]
    pub loops: Asked,
    /// Calls of functions that are not modelled, and how many of them may write anything.
    #[serde(default)]
    pub calls: u64,
    #[serde(default)]
    pub calls_unknown: u64,
    /// Too large for `evidence`, which skipped it.
    #[serde(default)]
    pub is_too_large: bool,
}

/// The ledger of a whole run, in its stable JSON form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    pub units: u64,
    pub units_failed: u64,
    /// Units with compile errors; they do not count as failed.
    pub units_with_errors: u64,
    /// Units that ran out of time or memory, or crashed, after a part was analysed; they do not count as failed.
    #[serde(default)]
    pub units_cut_short: u64,
    /// Function definitions seen, including those given up.
    pub functions: u64,
    pub given_up: u64,
    /// Functions with no contradiction and nothing undecided. Consistent, inconsistent, undecided and given-up functions add
    /// up to all functions.
    #[serde(default)]
    pub consistent: u64,
    #[serde(default)]
    pub inconsistent: u64,
    /// Functions without a known contradiction but with undecided edges.
    #[serde(default)]
    pub functions_undecided: u64,
    /// Undecided edges, also of inconsistent functions.
    #[serde(default)]
    pub edges_undecided: u64,
    /// Queries of `beliefs` without an answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beliefs_undecided: u64,
    /// Boundary values that always fail, and of which it could not be shown that they occur: nothing is reported.
    #[serde(default)]
    pub boundary_unconfirmed: u64,
    /// Queries about loops, summed over all functions.
    #[serde(default)]
    pub loops: Asked,
    /// Calls of functions that are not modelled, and how many of them may write anything.
    #[serde(default)]
    pub calls: u64,
    #[serde(default)]
    pub calls_unknown: u64,
    /// Queries on which a solver died, ran out of time, or gave a malformed answer. Filled in when units are merged, as is
    /// the list of solvers.
    #[serde(default)]
    pub solver_failures: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing_solvers: Vec<SolverUse>,
    /// Findings that are not shown, by noise class. Filled in when units are merged.
    #[serde(default)]
    pub hidden: BTreeMap<String, u64>,
    pub gaps: BTreeMap<String, u64>,
    /// The run was interrupted; the remaining units were not analysed.
    pub partial: bool,
    /// Entries of the compile database that are not C.
    pub entries_skipped: u64,
    pub functions_given_up: Vec<GivenUp>,
    /// Functions that are too large for `evidence`; the other analyses ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_evidence: Vec<GivenUp>,
    pub failed_units: Vec<UnitNote>,
    #[serde(default)]
    pub cut_short_units: Vec<UnitNote>,
    pub erroneous_units: Vec<UnitNote>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
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

/// How a solver program served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverUse {
    /// Its path.
    pub solver: String,
    /// It does not answer a trivial query.
    pub is_broken: bool,
    pub asked: u64,
    pub failed: u64,
    /// Of the last failure.
    pub reason: String,
}

impl SolverUse {
    /// It answered no query and does not answer a trivial one, so the absence of findings means nothing. A solver that only
    /// failed on a few hard queries, in a run whose other answers were cached, is not useless.
    pub fn is_useless(&self) -> bool {
        self.is_broken && self.asked != 0 && self.failed == self.asked
    }

    /// The sum for each program, in the order of first use.
    pub fn sum<'a>(all: impl Iterator<Item = &'a SolverUse>) -> Vec<SolverUse> {
        let mut sums: Vec<SolverUse> = Vec::new();
        for one in all {
            match sums.iter_mut().find(|sum| sum.solver == one.solver) {
                Some(sum) => {
                    sum.is_broken |= one.is_broken;
                    sum.asked += one.asked;
                    sum.failed += one.failed;
                    if sum.reason.is_empty() {
                        sum.reason.clone_from(&one.reason);
                    }
                }
                None => sums.push(one.clone()),
            }
        }
        sums
    }
}

impl fmt::Display for SolverUse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let SolverUse { solver, asked, failed, reason, .. } = self;
        match (failed, asked) {
            (1, 1) => write!(f, "the solver {solver} failed on the only question: {reason}"),
            (failed, asked) if failed == asked => {
                write!(f, "the solver {solver} failed on all {asked} questions: {reason}")
            }
            _ => write!(f, "the solver {solver} failed on {failed} of {asked} questions: {reason}"),
        }
    }
}

impl Coverage {
    /// Whether there was something to analyse and nothing could be analysed.
    pub fn is_void(&self) -> bool {
        let is_obstructed = self.units_failed != 0 || self.units_with_errors != 0 || self.given_up != 0;
        self.functions == self.given_up && is_obstructed
    }

    /// Whether something was not analysed that a complete run would have analysed.
    pub fn is_incomplete(&self) -> bool {
        self.given_up != 0 || self.units_failed != 0 || self.units_cut_short != 0 || self.solver_failures != 0
    }

    /// The ledger of these units, in their order.
    pub fn of(units: &[UnitReport], partial: bool) -> Coverage {
        let mut coverage = Coverage { units: units.len() as u64, partial, ..Coverage::default() };
        let mut functions: BTreeMap<_, FunctionReport> = BTreeMap::new();
        let mut global_gaps = BTreeSet::new();
        for unit in units {
            global_gaps.extend(&unit.gaps);
            let note = |reason: &String| UnitNote { file: unit.file.clone(), reason: reason.clone() };
            coverage.failed_units.extend(unit.failed.as_ref().map(note));
            coverage.cut_short_units.extend(unit.cut_short.as_ref().map(note));
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
        coverage.units_cut_short = coverage.cut_short_units.len() as u64;
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
            coverage.beliefs_undecided += function.beliefs_undecided;
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

/// Adds what another unit found for the same function.
fn merge(known: &mut FunctionReport, again: &FunctionReport) {
    if known.given_up.is_none() && again.given_up.is_some() {
        *known = again.clone();
    }
    known.inconsistent |= again.inconsistent;
    known.undecided = known.undecided.max(again.undecided);
    known.beliefs_undecided = known.beliefs_undecided.max(again.beliefs_undecided);
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
    fn a_solver_is_useless_if_it_never_answered() {
        let used = |is_broken, asked, failed, reason: &str| SolverUse {
            solver: "/x/z3".into(),
            is_broken,
            asked,
            failed,
            reason: reason.into(),
        };
        let sum = |all: &[SolverUse]| SolverUse::sum(all.iter()).remove(0);
        assert!(sum(&[used(true, 2, 2, "died"), used(false, 0, 0, "")]).is_useless());
        assert!(!sum(&[used(true, 2, 2, "died"), used(false, 3, 0, "")]).is_useless());
        assert!(!sum(&[used(false, 1, 1, "late")]).is_useless(), "one hard question");
        assert!(!sum(&[used(false, 0, 0, "")]).is_useless());
        let text = sum(&[used(false, 3, 0, ""), used(false, 2, 2, "late")]).to_string();
        assert_eq!(text, "the solver /x/z3 failed on 2 of 5 questions: late");
    }

    #[test]
    fn nothing_analysed_is_void_only_if_something_is_wrong() {
        assert!(!Coverage::default().is_void());
        assert!(!Coverage { units: 1, ..Coverage::default() }.is_void());
        assert!(Coverage { units: 1, units_failed: 1, ..Coverage::default() }.is_void());
        assert!(Coverage { units: 1, units_with_errors: 1, ..Coverage::default() }.is_void());
        assert!(Coverage { units: 1, functions: 2, given_up: 2, ..Coverage::default() }.is_void());
        assert!(!Coverage { units: 2, units_failed: 1, functions: 1, ..Coverage::default() }.is_void());
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
