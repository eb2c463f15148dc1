//! Checks the definitions of the paper on random programs, against runs of the text.

use crate::execute::{End, execute};
use crate::generate::{config, programs};
use crate::paths::{Verdict, judge};
use crate::setting::{SETTINGS, TABLE_1};
use crate::syntax::Program;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// For every function, which inputs end at which ERROR node.
fn failures(program: &Program) -> Vec<BTreeSet<(usize, usize)>> {
    let of = |function| {
        let inputs = program.inputs(function);
        let ends = inputs.iter().map(|input| execute(program, function, input)).enumerate();
        let failing = ends.filter_map(|(index, end)| match end {
            End::Fails(line) => Some((index, line)),
            End::Returns(_) | End::TooLong => None,
        });
        failing.collect()
    };
    program.functions.iter().map(of).collect()
}

fn valid_lines(verdict: &Verdict) -> BTreeSet<usize> {
    verdict.paths.iter().filter(|path| path.is_valid).map(|path| path.line).collect()
}

proptest! {
    #![proptest_config(config(120))]

    /// Condition (2): the satisfiable paths are exactly the failing runs, whatever is admissible.
    #[test]
    fn paths_are_runs(program in programs()) {
        let failures = failures(&program);
        for setting in &SETTINGS {
            for (verdict, failures) in judge(&program, setting).iter().zip(&failures) {
                let paths = verdict.paths.iter();
                let taken: BTreeSet<_> =
                    paths.flat_map(|path| path.inputs.iter().map(|&input| (input, path.line))).collect();
                prop_assert_eq!(&taken, failures, "{}", setting.name);
            }
        }
    }

    /// Section 5: an input that fails is illegal, or on a path that is reported here or in a callee; and every illegal
    /// input fails.
    #[test]
    fn a_failure_is_reported_or_excluded(program in programs()) {
        let failures = failures(&program);
        for setting in &SETTINGS {
            let verdicts = judge(&program, setting);
            let everywhere: BTreeSet<usize> =
                verdicts.iter().flat_map(|verdict| &verdict.reported).copied().collect();
            for (verdict, failures) in verdicts.iter().zip(&failures) {
                for (input, line) in failures {
                    prop_assert!(verdict.illegal.contains(input) || everywhere.contains(line), "{}", setting.name);
                }
                let failing: BTreeSet<usize> = failures.iter().map(|(input, _)| *input).collect();
                prop_assert!(verdict.illegal.is_subset(&failing), "{}", setting.name);
            }
        }
    }

    /// Table 1: each setting reports everything that the previous one reports.
    #[test]
    fn more_evidence_reports_more(program in programs()) {
        let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); program.functions.len()];
        for setting in &SETTINGS[..TABLE_1] {
            for (verdict, before) in judge(&program, setting).iter().zip(&mut before) {
                let now = valid_lines(verdict);
                prop_assert!(before.is_subset(&now), "{}: {:?} and then {:?}", setting.name, before, now);
                *before = now;
            }
        }
    }

    /// ev-all: "Definition 3 required paths to be only satisfiable".
    #[test]
    fn with_all_evidence_satisfiable_is_valid(program in programs()) {
        for verdict in judge(&program, &SETTINGS[TABLE_1 - 1]) {
            prop_assert!(verdict.paths.iter().all(|path| path.is_valid));
            prop_assert!(verdict.illegal.is_empty());
        }
    }
}
