//! Checks the lemmas and definitions of the paper on random programs, against runs for all arguments.

use crate::elaborate::{Added, elaborate};
use crate::errors::{Analysis, analyse};
use crate::execute::{Run, execute};
use crate::generate::{MAIN, config, programs};
use crate::guard::{Arguments, Guard};
use crate::infer::{Derivation, Join, Source, is_from};
use crate::summary::{Summary, simple, summaries};
use crate::syntax::{Label, Program, Statement};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn analysed(program: &Program, function: usize, join: Join) -> Analysis {
    let summaries: Vec<Option<Summary>> = summaries(program, join).into_iter().map(Some).collect();
    analyse(program, function, &summaries, join)
}

fn runs(program: &Program, function: usize) -> Vec<(Arguments, Run)> {
    let all = Guard::all(program.functions[function].params.len(), program.constructors);
    all.0.into_iter().map(|arguments| (arguments.clone(), execute(program, function, &arguments))).collect()
}

/// Which checks and calls fail because of which assignment in the function.
fn real_errors(runs: &[(Arguments, Run)]) -> BTreeSet<(Label, Label)> {
    let failures = runs.iter().flat_map(|(_, run)| &run.failures);
    let from_assignments = failures.filter_map(|(at, (source, _))| match source {
        Source::Assignment(from) => Some((*at, *from)),
        Source::Argument(_) => None,
    });
    from_assignments.collect()
}

fn calls(program: &Program) -> BTreeSet<Label> {
    let mut calls = BTreeSet::new();
    program.functions[MAIN].body.walk(&mut |statement| {
        if let Statement::Call(label, ..) = statement {
            calls.insert(*label);
        }
    });
    calls
}

fn executes(derivation: &Derivation, label: Label, arguments: &Arguments) -> bool {
    derivation.guards[&label].0.contains(arguments)
}

proptest! {
    #![proptest_config(config(500))]

    /// Lemma 1 and section 2.1: a statement guard holds iff the statement is executed, and then a constructor
    /// guard holds iff the variable has that value from that source.
    #[test]
    fn guards_say_what_runs_do(program in programs()) {
        let derivation = analysed(&program, MAIN, Join::Guarded).derivation;
        for (arguments, run) in runs(&program, MAIN) {
            for (label, environment) in &derivation.before {
                prop_assert_eq!(executes(&derivation, *label, &arguments), run.before.contains_key(label));
                let Some(values) = run.before.get(label) else { continue };
                for (x, guards) in environment {
                    for ((source, constructor), guard) in guards {
                        let has_it = values[x] == (source.clone(), *constructor);
                        prop_assert_eq!(guard.0.contains(&arguments), has_it, "{} at {}", x, label);
                    }
                }
                for (x, (source, constructor)) in values {
                    prop_assert!(is_from(environment, x, source, *constructor).0.contains(&arguments));
                }
            }
        }
    }

    /// Definition 3 and Lemma 2: a check has a source-sink error iff a run reaches it with the wrong
    /// constructor from that assignment. Calls are judged by summaries, which "may overestimate" (section
    /// 4.1) and miss nothing.
    #[test]
    fn source_sink_errors_are_runs(program in programs()) {
        let found = analysed(&program, MAIN, Join::Guarded).source_sink_errors();
        let real = real_errors(&runs(&program, MAIN));
        prop_assert!(found.is_superset(&real), "{:?} instead of {:?}", found, real);
        let calls = calls(&program);
        let invented: Vec<_> = found.difference(&real).filter(|(at, _)| !calls.contains(at)).collect();
        prop_assert!(invented.is_empty(), "{:?}", invented);
    }

    /// Definition 4: congruent variables are equal in every run that reaches both places.
    #[test]
    fn congruent_variables_are_equal(program in programs()) {
        let analysis = analysed(&program, MAIN, Join::Guarded);
        let runs = runs(&program, MAIN);
        for a in &analysis.sinks {
            for b in &analysis.sinks {
                if !analysis.congruent((&a.variable, a.label), (&b.variable, b.label), &program) {
                    continue;
                }
                for (_, run) in &runs {
                    if let (Some(here), Some(there)) = (run.before.get(&a.label), run.before.get(&b.label)) {
                        prop_assert_eq!(here[&a.variable].1, there[&b.variable].1);
                    }
                }
            }
        }
    }

    /// Definition 5: of an inconsistent pair one check fails in some run and the other in none.
    #[test]
    fn inconsistencies_are_about_runs(program in programs()) {
        let analysis = analysed(&program, MAIN, Join::Guarded);
        let failing: BTreeSet<Label> =
            runs(&program, MAIN).iter().flat_map(|(_, run)| &run.failures).map(|(label, _)| *label).collect();
        let calls = calls(&program);
        for (protected, other) in analysis.inconsistencies(&program) {
            prop_assert!(!failing.contains(&protected) || calls.contains(&protected));
            prop_assert!(failing.contains(&other) || calls.contains(&other));
        }
    }

    /// Definitions 6 and 7: whenever a function fails because of an argument, its summary contains the
    /// failure; and the correlated summary is at least as strong as the simple one, with `false` at the same
    /// places.
    #[test]
    fn summaries_hold_for_all_failures(program in programs()) {
        let summaries = summaries(&program, Join::Guarded);
        for (function, summary) in summaries.iter().enumerate() {
            for (arguments, run) in runs(&program, function) {
                for (_, (source, constructor)) in run.failures {
                    let Source::Argument(index) = source else { continue };
                    let atoms = summary.get(&(index, constructor));
                    let says_so =
                        atoms.is_some_and(|atoms| atoms.iter().all(|(k, h)| arguments[*k] == *h));
                    prop_assert!(says_so, "{} with {:?}", function, arguments);
                }
            }
            let analysis = analysed(&program, function, Join::Guarded);
            let simple = simple(&program, function, &analysis);
            prop_assert_eq!(simple, summary.keys().copied().collect::<BTreeSet<_>>());
        }
    }

    /// Section 3.3: added checks and assignments of known facts change nothing.
    #[test]
    fn elaboration_preserves_meaning(program in programs()) {
        for added in [Added::Checks, Added::Sources] {
            let longer = elaborate(&program, added);
            for ((_, before), (_, after)) in runs(&program, MAIN).iter().zip(runs(&longer, MAIN)) {
                // With added sources a failure of a callee may be its own, so only checks of the function
                // itself are compared.
                let calls = calls(&program);
                let failing = |run: &Run| -> BTreeSet<(Label, usize)> {
                    let own = run.failures.iter().filter(|(label, _)| !calls.contains(label));
                    own.map(|(label, (_, constructor))| (*label, *constructor)).collect()
                };
                prop_assert_eq!(failing(before), failing(&after));
            }
        }
    }
}
