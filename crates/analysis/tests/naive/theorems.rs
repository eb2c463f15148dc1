//! The theorems of the paper on random programs: wedges and weakest preconditions against runs.

use crate::execute::Runs;
use crate::generate::{LOOP_FREE, LOOPS, MAIN, config, programs, set_of, sets};
use crate::parse::parse;
use crate::syntax::{Program, Statement};
use crate::wedges::{Kind, wedges};
use crate::wp::{Calculus, Fixpoint, Post};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn exact(program: &Program) -> Calculus<'_> {
    Calculus { program, fixpoint: Fixpoint::Weakest }
}

/// With the fixpoint of Figure 4.
fn literal(program: &Program) -> Calculus<'_> {
    Calculus { program, fixpoint: Fixpoint::Least }
}

fn body(program: &Program) -> &Statement {
    &program.functions[MAIN].body
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn what_is_printed_can_be_read(program in programs(LOOPS)) {
        let again = parse(&program.to_string());
        prop_assert_eq!(again.map(|source| source.program), Ok(program));
    }

    /// Theorems 1, 2 and 4, for every leaf and every branch: fatal by Definition 3 if and only if the failure
    /// condition of its wedge is valid.
    #[test]
    fn a_part_is_fatal_iff_its_wedge_fails(program in programs(LOOPS)) {
        let survivors = Runs::of(&program, body(&program)).surviving_parts();
        for wedge in wedges(body(&program)) {
            if !matches!(wedge.kind, Kind::Boundary(_)) {
                let survives = survivors.contains(&wedge.at);
                prop_assert_eq!(exact(&program).is_terminable(&wedge.statement), survives, "{:?}", wedge.at);
                // Figure 4, taken literally, misses some and reports no others (Theorem 2).
                prop_assert!(literal(&program).is_terminable(&wedge.statement) || !survives, "{:?}", wedge.at);
            }
        }
    }

    /// Without loops every run ends, and Figure 4 is exact.
    #[test]
    fn without_loops_figure_4_is_exact(program in programs(LOOP_FREE)) {
        let survivors = Runs::of(&program, body(&program)).surviving_parts();
        for wedge in wedges(body(&program)) {
            if !matches!(wedge.kind, Kind::Boundary(_)) {
                let found = literal(&program).is_terminable(&wedge.statement);
                prop_assert_eq!(found, survivors.contains(&wedge.at), "{:?}", wedge.at);
            }
        }
    }

    /// Theorem 1 as it stands: no part, however large, is fatal if and only if all wedges of Figure 3 are
    /// terminable.
    #[test]
    fn universally_reachable_iff_all_wedges_are_terminable(program in programs(LOOPS)) {
        let survivors = Runs::of(&program, body(&program)).surviving_parts();
        let all: BTreeSet<_> = body(&program).paths().into_iter().collect();
        let leaves = wedges(body(&program)).into_iter().filter(|wedge| wedge.kind == Kind::Leaf);
        let all_terminable = leaves.into_iter().all(|wedge| exact(&program).is_terminable(&wedge.statement));
        prop_assert_eq!(survivors == all, all_terminable);
    }

    /// Theorem 3 in both directions, with calls by their specification.
    #[test]
    fn wp_is_where_all_runs_satisfy_the_postconditions(
        program in programs(LOOPS), n in sets(), x in sets(), w in sets(),
    ) {
        let [normal, raised, wrong] = [n, x, w].map(|bits| set_of(&program, bits));
        let post = Post { normal, raised, wrong };
        let runs = Runs::of(&program, body(&program));
        let satisfying = runs.satisfying(&post);
        prop_assert_eq!(exact(&program).wp(body(&program), &post), satisfying.clone());
        // The least fixpoint also requires every run to end.
        prop_assert_eq!(literal(&program).wp(body(&program), &post), satisfying.and(&runs.finite()));
    }

    /// Section 3.3: a function is verified if and only if no run from its precondition goes wrong or ends
    /// outside its postconditions.
    #[test]
    fn verified_iff_no_run_violates_the_specification(program in programs(LOOPS)) {
        let calculus = exact(&program);
        for (index, function) in program.functions.iter().enumerate() {
            let wrong = program.stores().none();
            let post = Post { normal: calculus.set(&function.ensures), raised: calculus.set(&function.raises), wrong };
            let runs = Runs::of(&program, &function.body);
            let keeps = calculus.set(&function.requires).implies(&runs.satisfying(&post));
            prop_assert_eq!(calculus.is_verified(index), keeps, "{}", function.name);
        }
    }

    /// Section 3.4, by Definition 6: `skip [] (havoc(targets(s)) ; s)` over-approximates `s*`, twice unrolled "does not buy
    /// us anything", and unrolling without havoc under-approximates.
    #[test]
    fn loops_are_approximated_from_both_sides(
        program in programs(LOOPS), n in sets(), x in sets(), w in sets(),
    ) {
        let [normal, raised, wrong] = [n, x, w].map(|bits| set_of(&program, bits));
        let post = Post { normal, raised, wrong };
        let wp = |s: &Statement| exact(&program).wp(s, &post);
        let s = body(&program).clone();
        let any_iteration = program.havoc_targets(&s).then(s.clone());
        let once = Statement::Skip.or(any_iteration.clone());
        let twice = once.clone().or(any_iteration.clone().then(any_iteration));
        let unrolled = Statement::Skip.or(s.clone()).or(s.clone().then(s.clone()));
        let exactly = wp(&s.repeated());
        prop_assert!(wp(&once).implies(&exactly));
        prop_assert_eq!(wp(&once), wp(&twice));
        prop_assert!(exactly.implies(&wp(&unrolled)));
    }

    /// Figure 6 against runs that reach the branch in a store on the boundary.
    #[test]
    fn a_boundary_wedge_fails_iff_no_run_survives_the_boundary(program in programs(LOOPS)) {
        for wedge in wedges(body(&program)) {
            if let Kind::Boundary(condition) = &wedge.kind {
                let survives = Runs::of(&program, body(&program)).survives_boundary(&wedge.at, condition);
                prop_assert_eq!(exact(&program).is_terminable(&wedge.statement), survives, "{:?}", wedge.at);
            }
        }
    }
}

proptest! {
    // Every wedge is executed, so a case costs much more.
    #![proptest_config(config(200))]

    /// Definition 5 and Theorem 2 on the wedges themselves.
    #[test]
    fn a_wedge_is_terminable_iff_a_run_of_it_ends(program in programs(LOOPS)) {
        for wedge in wedges(body(&program)) {
            let ends = Runs::of(&program, &wedge.statement).is_terminable();
            prop_assert_eq!(exact(&program).is_terminable(&wedge.statement), ends, "{:?}", wedge.at);
        }
    }
}
