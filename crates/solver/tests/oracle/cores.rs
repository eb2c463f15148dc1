//! Cores are contradictions, and minimal cores need all of their parts.

use crate::support::{PLENTY, Random, session, solvers};
use gainsay_solver::{Answer, Budget, MinimalCore, minimal_core};
use gainsay_term::{Sort, Term, TermPool};

/// Random comparisons of three numbers, some contradicting others.
fn comparisons(random: &mut Random, pool: &mut TermPool) -> Vec<Term> {
    let numbers: Vec<Term> = ["x", "y", "z"].map(|name| pool.var(name, Sort::BitVec(16))).to_vec();
    (0..30)
        .map(|_| {
            let (a, b) = (random.pick(&numbers), random.pick(&numbers));
            let offset = pool.bits(16, u128::from(random.next() % 50));
            let shifted = pool.bv_add(b, offset);
            match random.below(3) {
                0 => pool.bv_ult(a, shifted),
                1 => pool.bv_slt(shifted, a),
                _ => pool.eq(a, shifted),
            }
        })
        .collect()
}

#[test]
fn cores_are_contradictions_and_minimal_ones_are_minimal() {
    for program in solvers() {
        let (mut first, mut fresh) = (session(&program), session(&program));
        for seed in 0..15 {
            let mut pool = TermPool::new();
            let assumptions = comparisons(&mut Random::new(seed), &mut pool);
            first.reset();
            assert_eq!(first.check(&pool, &assumptions, PLENTY), Answer::Unsat, "seed {seed}");
            let core = first.core().unwrap().to_vec();
            assert!(core.iter().all(|term| assumptions.contains(term)));
            fresh.reset();
            assert_eq!(fresh.check(&pool, &core, PLENTY), Answer::Unsat, "seed {seed}");

            let minimal = minimal_core(&mut first, &pool, &assumptions, PLENTY);
            assert!(minimal.is_minimal);
            fresh.reset();
            for &term in &minimal.terms {
                fresh.assert(&pool, term);
            }
            assert_eq!(fresh.check(&pool, &[], PLENTY), Answer::Unsat, "seed {seed}");
            for left_out in &minimal.terms {
                fresh.reset();
                for term in minimal.terms.iter().filter(|term| *term != left_out) {
                    fresh.assert(&pool, *term);
                }
                assert_eq!(fresh.check(&pool, &[], PLENTY), Answer::Sat, "seed {seed}");
            }
        }
    }
}

#[test]
fn a_core_speaks_of_the_assumptions_as_they_were_given() {
    for program in solvers() {
        let mut pool = TermPool::new();
        let (p, odd) = (pool.var("p", Sort::Bool), pool.var("an odd|name", Sort::Bool));
        let (not_p, falsehood) = (pool.not(p), pool.bool(false));
        let either = pool.or(p, odd);
        let not_odd = pool.not(odd);
        let mut session = session(&program);
        session.assert(&pool, either);
        assert_eq!(session.check(&pool, &[not_p, not_odd], PLENTY), Answer::Unsat);
        assert_eq!(session.core(), Some([not_p, not_odd].as_slice()));
        assert_eq!(session.check(&pool, &[p, falsehood], PLENTY), Answer::Unsat);
        assert_eq!(session.core(), Some([falsehood].as_slice()));
        assert_eq!(session.check(&pool, &[p, not_p, odd], PLENTY), Answer::Unsat);
        assert_eq!(session.core(), Some([p, not_p].as_slice()));
    }
}

#[test]
fn repeated_candidates_do_no_harm_and_a_spent_budget_is_admitted() {
    for program in solvers() {
        let mut pool = TermPool::new();
        let x = pool.var("x", Sort::BitVec(8));
        let numbers: Vec<Term> = (0..4).map(|n| pool.bits(8, n)).collect();
        let equals: Vec<Term> = numbers.iter().map(|&number| pool.eq(x, number)).collect();
        let mut session = session(&program);
        let twice = [equals.as_slice(), &equals].concat();
        let minimal = minimal_core(&mut session, &pool, &twice, PLENTY);
        assert!(minimal.is_minimal);
        assert_eq!(minimal.terms.len(), 2);
        let nothing = Budget { effort: 0, ..PLENTY };
        assert_eq!(
            minimal_core(&mut session, &pool, &equals, nothing),
            MinimalCore { terms: equals, is_minimal: false }
        );
    }
}
