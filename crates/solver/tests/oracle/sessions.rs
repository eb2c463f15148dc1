//! Sessions with the real solvers.

use crate::support::{Formulas, PLENTY, Random, WIDTHS, holds, model, session, solvers};
use gainsay_solver::{Answer, Budget, Confirmation, Reason, Session, confirm_unsat};
use gainsay_term::bits;
use gainsay_term::{BinaryOp, CompareOp};
use gainsay_term::{Sort, Term, TermPool, Value};
use std::time::Duration;

/// Random formulas that grow from question to question: all solvers agree, and what they offer as a model is one.
#[test]
fn models_satisfy_what_was_asserted_and_solvers_agree() {
    let programs = solvers();
    let mut sessions: Vec<Session> = programs.iter().map(session).collect();
    let (mut satisfiable, mut contradictory) = (0, 0);
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut formulas = Formulas::random(&mut random, 60);
        let candidates = formulas.booleans();
        sessions.iter_mut().for_each(Session::reset);
        let mut asserted = Vec::new();
        for round in 0..4 {
            asserted.push(random.pick(&candidates));
            let assumed: Vec<Term> = (0..3).map(|_| random.pick(&candidates)).collect();
            let all = [asserted.as_slice(), &assumed].concat();
            let mut answers = Vec::new();
            for session in &mut sessions {
                session.assert(&formulas.pool, asserted[round]);
                let answer = session.check(&formulas.pool, &assumed, PLENTY);
                if answer == Answer::Sat {
                    let model = model(session, &mut formulas.pool, &all).unwrap();
                    let wrong = all.iter().find(|&&term| !holds(&formulas.pool, term, &model));
                    assert_eq!(wrong, None, "seed {seed}: {}", session.program().version);
                }
                answers.push(answer);
            }
            assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}: {answers:?}");
            match answers.first() {
                Some(Answer::Sat) => satisfiable += 1,
                Some(Answer::Unsat) => contradictory += 1,
                other => assert_eq!(other, None, "seed {seed}"),
            }
        }
    }
    assert!(programs.is_empty() || (satisfiable > 20 && contradictory > 20), "{satisfiable} {contradictory}");
}

/// Our definition of every operator is the solvers' definition.
#[test]
fn operators_mean_what_the_solvers_mean() {
    for program in solvers() {
        let mut session = session(&program);
        let mut random = Random::new(7);
        for width in WIDTHS {
            session.reset();
            let mut pool = TermPool::new();
            let (mut asked, mut expected) = (Vec::new(), Vec::new());
            for round in 0..12 {
                let (a, b) = (random.bits(width), random.bits(width));
                let x = pool.var(&format!("x{round}"), Sort::BitVec(width));
                let y = pool.var(&format!("y{round}"), Sort::BitVec(width));
                for (variable, value) in [(x, a), (y, b)] {
                    let constant = pool.bits(width, value);
                    let fixed = pool.eq(variable, constant);
                    session.assert(&pool, fixed);
                }
                for op in BinaryOp::ALL {
                    asked.push(pool.binary(op, x, y));
                    expected.push(Value::Bits { width, value: bits::binary(op, width, a, b) });
                }
                for op in CompareOp::ALL {
                    asked.push(pool.compare(op, x, y));
                    expected.push(Value::Bool(bits::compare(op, width, a, b)));
                }
            }
            assert_eq!(session.check(&pool, &[], PLENTY), Answer::Sat);
            assert_eq!(session.values(&pool, &asked).unwrap(), expected, "{} {width}", program.version);
        }
    }
}

/// `x * y = product` with both factors above 1: easy to write, hard to decide.
fn factoring(pool: &mut TermPool, bits: u32, product: u128) -> Term {
    let (one, product) = (pool.bits(bits, 1), pool.bits(2 * bits, product));
    let factors: Vec<Term> = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(bits))).to_vec();
    let above: Vec<Term> = factors.iter().map(|&factor| pool.bv_ult(one, factor)).collect();
    let wide: Vec<Term> = factors.iter().map(|&factor| pool.zero_extend(bits, factor)).collect();
    let value = pool.bv_mul(wide[0], wide[1]);
    let equal = pool.eq(value, product);
    pool.all(&[above[0], above[1], equal])
}

#[test]
fn the_effort_limit_ends_a_search_at_the_same_place_each_time() {
    for program in solvers() {
        let mut pool = TermPool::new();
        let hard = factoring(&mut pool, 32, 0x00d8_0001_2345_6789);
        let budget = Budget { effort: 1000, backstop: Duration::from_secs(300) };
        let mut spent = Vec::new();
        let mut session = session(&program);
        for _ in 0..2 {
            session.reset();
            let before = session.effort();
            assert_eq!(session.check(&pool, &[hard], budget), Answer::Unknown(Reason::Effort));
            spent.push(session.effort() - before);
            // And it goes on as if nothing had happened.
            let x = pool.var("x", Sort::BitVec(32));
            let nine = pool.bits(32, 9);
            let easy = pool.eq(x, nine);
            assert_eq!(session.check(&pool, &[easy], budget), Answer::Sat);
            assert_eq!(session.values(&pool, &[x]), Ok(vec![Value::Bits { width: 32, value: 9 }]));
        }
        assert_eq!(spent[0], spent[1], "{}", program.version);
        assert!((1000..3000).contains(&spent[0]), "{}: {spent:?}", program.version);
    }
}

#[test]
fn the_backstop_ends_what_the_effort_limit_does_not() {
    for program in solvers() {
        let mut pool = TermPool::new();
        let hard = factoring(&mut pool, 64, 0x00d8_0001_2345_6789_0123_4567_89ab_cdef);
        let mut session = session(&program);
        let budget = Budget { effort: u64::MAX, backstop: Duration::from_millis(300) };
        assert_eq!(session.check(&pool, &[hard], budget), Answer::Unknown(Reason::Backstop));
        let falsehood = pool.bool(false);
        let forever = Budget { effort: u64::MAX, backstop: Duration::MAX };
        assert_eq!(session.check(&pool, &[falsehood], forever), Answer::Unsat);
    }
}

/// A worker that has seen other functions must not answer differently.
#[test]
fn a_reset_session_gives_the_same_models_as_a_new_one() {
    for program in solvers() {
        let mut used = session(&program);
        for seed in 100..120 {
            let mut random = Random::new(seed);
            let formulas = Formulas::random(&mut random, 40);
            let candidates = formulas.booleans();
            let asserted: Vec<Term> = (0..2).map(|_| random.pick(&candidates)).collect();
            let scalars: Vec<Term> = formulas
                .pool
                .variables()
                .filter(|&variable| !matches!(formulas.pool.sort(variable), Sort::Array { .. }))
                .collect();
            let mut new = session(&program);
            let seen: Vec<_> = [&mut used, &mut new]
                .into_iter()
                .map(|session| {
                    session.reset();
                    for &term in &asserted {
                        session.assert(&formulas.pool, term);
                    }
                    let answer = session.check(&formulas.pool, &[], PLENTY);
                    let values =
                        (answer == Answer::Sat).then(|| session.values(&formulas.pool, &scalars).unwrap());
                    (answer, values)
                })
                .collect();
            assert_eq!(seen[0], seen[1], "{} seed {seed}", program.version);
        }
    }
}

#[test]
fn deep_formulas_need_no_stack() {
    for program in solvers() {
        let mut pool = TermPool::new();
        let mut x = pool.var("x0", Sort::BitVec(8));
        for i in 1..30_000 {
            let (p, y) =
                (pool.var(&format!("p{i}"), Sort::Bool), pool.var(&format!("y{i}"), Sort::BitVec(8)));
            x = pool.ite(p, x, y);
        }
        let zero = pool.bits(8, 0);
        let term = pool.eq(x, zero);
        let mut session = session(&program);
        session.assert(&pool, term);
        assert_eq!(session.check(&pool, &[], PLENTY), Answer::Sat);
    }
}

#[test]
fn questions_without_an_answer_behind_them_are_refused() {
    for program in solvers() {
        let mut pool = TermPool::new();
        let p = pool.var("p", Sort::Bool);
        let mut session = session(&program);
        assert!(matches!(session.values(&pool, &[p]), Err(Reason::Rejected(_))));
        assert_eq!(session.check(&pool, &[p], PLENTY), Answer::Sat);
        assert_eq!(session.core(), None);
        session.assert(&pool, p);
        assert!(matches!(session.values(&pool, &[p]), Err(Reason::Rejected(_))));
    }
}

#[test]
fn a_second_solver_confirms_or_refutes() {
    let programs = solvers();
    let Some(second) = programs.last() else { return };
    let mut pool = TermPool::new();
    let x = pool.var("x", Sort::BitVec(64));
    let bound = pool.bits(64, 10);
    let (below, above) = (pool.bv_ult(x, bound), pool.bv_ult(bound, x));
    let mut session = session(second);
    assert_eq!(confirm_unsat(&mut session, &pool, &[below, above], PLENTY), Confirmation::Confirmed);
    assert_eq!(confirm_unsat(&mut session, &pool, &[below], PLENTY), Confirmation::Refuted);
    let mut pool = TermPool::new();
    let hard = factoring(&mut pool, 40, 0xd8_0001_2345_6789_abcd);
    let little = Budget { effort: 10, ..PLENTY };
    assert_eq!(confirm_unsat(&mut session, &pool, &[hard], little), Confirmation::Unknown(Reason::Effort));
}
