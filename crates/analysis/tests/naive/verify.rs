//! `verify` against wp and against runs: a random program with a specification is proved if and only if no run from its
//! precondition goes wrong or ends outside its postconditions.

use crate::execute::Runs;
use crate::generate::{LOOP_FREE, LOOPS, MAIN, Shape, config, programs};
use crate::syntax::{Instruction, Program, Statement};
use crate::translate::translate;
use crate::wp::{Calculus, Fixpoint, Post};
use gainsay_analysis::verify::{GoalOutcome, prove};
use gainsay_ir::parse;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use gainsay_solver::{Options, Session};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use std::cell::{Cell, RefCell};
use std::path::Path;

/// Requires as an assumption, ensures and raises as assertions.
fn specified(program: &Program) -> Program {
    let mut program = program.clone();
    let main = &mut program.functions[MAIN];
    let assert = |predicate| Statement::Do(Instruction::Assert(predicate));
    let raised = assert(main.raises.clone()).then(Statement::Raise);
    let body = main.body.clone().handled_by(raised);
    let ends = assert(main.ensures.clone());
    main.body = Statement::assume(main.requires.clone()).then(body.then(ends));
    program
}

fn sessions() -> (Session, Session) {
    let mut places = SolverDirectories::of_this_process().unwrap_or_else(|error| panic!("{error}"));
    places.directories.insert(0, Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin"));
    let start = |name| {
        let program = places.find(name).unwrap_or_else(|error| panic!("{error}"));
        Session::new(&program, &Options::default())
    };
    (start(FIRST), start(SECOND))
}

/// Compares them. Returns how many programs are correct, and how many of those were proved.
fn compare(shape: Shape, cases: u32, exactly: bool) -> (u32, u32) {
    let sessions = RefCell::new(sessions());
    let (right, proved) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new(config(cases)).run(&programs(shape), |program| {
        let program = specified(&program);
        let body = &program.functions[MAIN].body;
        let post = Post {
            normal: program.stores().every(),
            raised: program.stores().every(),
            wrong: program.stores().none(),
        };
        let is_right = Runs::of(&program, body).satisfying(&post).is_valid();
        let calculus = Calculus { program: &program, fixpoint: Fixpoint::Weakest };
        prop_assert_eq!(calculus.wp(body, &post).is_valid(), is_right);
        let text = translate(&program, MAIN).text;
        let unit = parse::unit(&text).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        let (first, second) = &mut *sessions.borrow_mut();
        let goals = prove(first, second, &unit, &unit.functions[0]).map_err(TestCaseError::fail)?;
        let is_proved = goals.iter().all(|goal| goal.outcome == GoalOutcome::Proved);
        prop_assert!(is_right || !is_proved, "proved what is wrong:\n{}", text);
        prop_assert!(!exactly || is_proved == is_right, "not proved:\n{}\n{:?}", text, goals);
        right.set(right.get() + u32::from(is_right));
        proved.set(proved.get() + u32::from(is_proved));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    (right.get(), proved.get())
}

#[test]
fn without_loops_proved_is_right_and_right_is_proved() {
    let (right, proved) = compare(LOOP_FREE, 1500, true);
    assert!(right > 20 && right == proved, "{right} right, {proved} proved");
}

/// Without invariants, loops havoc what they write: proofs may be missed, but none is wrong.
#[test]
fn with_loops_nothing_wrong_is_proved() {
    let (right, proved) = compare(LOOPS, 1500, false);
    assert!(proved > 5 && proved <= right, "{right} right, {proved} proved");
}
