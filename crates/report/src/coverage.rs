//! The ledger: what was analysed and what was not, and why.
//!
//! A function defined in a header is seen by many units. It is one function of the program, so the ledger
//! counts it once, by file, line and name: it is given up if any unit gave it up, and its gaps are those of
//! the first unit that lowered it. Gaps outside functions count once by their place.

use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub given_up: Option<String>,
    /// How often something was not modelled exactly, by kind.
    pub gaps: BTreeMap<String, u64>,
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
    pub gaps: BTreeMap<String, u64>,
    /// The run was interrupted: the rest of the units was not looked at.
    pub partial: bool,
    /// Entries of the compile database that are not C.
    pub entries_skipped: u64,
    pub functions_given_up: Vec<GivenUp>,
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
        let mut functions = BTreeMap::new();
        let mut global_gaps = BTreeSet::new();
        for unit in units {
            global_gaps.extend(&unit.gaps);
            let note = |reason: &String| UnitNote { file: unit.file.clone(), reason: reason.clone() };
            coverage.failed_units.extend(unit.failed.as_ref().map(note));
            coverage.erroneous_units.extend(unit.error.as_ref().map(note));
            for function in &unit.functions {
                match functions.entry((&function.file, function.line, &function.name)) {
                    Entry::Vacant(entry) => {
                        entry.insert(function);
                    }
                    Entry::Occupied(mut entry) => {
                        if entry.get().given_up.is_none() && function.given_up.is_some() {
                            entry.insert(function);
                        }
                    }
                }
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
        }
        coverage.given_up = coverage.functions_given_up.len() as u64;
        coverage
    }
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
        }
    }

    #[test]
    fn a_header_function_counts_once_and_a_unit_that_gave_it_up_decides() {
        let unit = |functions| UnitReport { file: "x.c".into(), functions, ..UnitReport::default() };
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
