//! The engine of the product against the naive twin, and a check that the random programs are interesting.

use crate::execute::Runs;
use crate::fast::Engine;
use crate::generate::{LOOP_FREE, LOOPS, MAIN, Shape, config, programs};
use crate::syntax::{Instruction, Path, Predicate, Program, Statement, below};
use crate::wedges::{Kind, wedges};
use crate::wp::{Calculus, Fixpoint};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The branches that are fatal by Definition 3.
fn fatal_by_execution(program: &Program) -> BTreeSet<Path> {
    let body = &program.functions[MAIN].body;
    let survivors = Runs::of(program, body).surviving_parts();
    body.branches().into_iter().filter(|branch| !survivors.contains(branch)).collect()
}

/// The branches whose wedge has a valid failure condition.
fn fatal_by_wp(program: &Program, fixpoint: Fixpoint) -> BTreeSet<Path> {
    let calculus = Calculus { program, fixpoint };
    let wedges = wedges(&program.functions[MAIN].body).into_iter();
    let failing =
        wedges.filter(|wedge| wedge.kind == Kind::Branch && !calculus.is_terminable(&wedge.statement));
    failing.map(|wedge| wedge.at).collect()
}

fn check(shape: Shape, cases: u32, test: impl Fn(&Program) -> Result<(), TestCaseError>) {
    let result = TestRunner::new(config(cases)).run(&programs(shape), |program| test(&program));
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn without_loops_all_three_agree_on_every_branch() {
    let engine = RefCell::new(Engine::new());
    check(LOOP_FREE, 2000, |program| {
        let expected = fatal_by_execution(program);
        prop_assert_eq!(&fatal_by_wp(program, Fixpoint::Least), &expected);
        prop_assert_eq!(&engine.borrow_mut().decide(program, MAIN).impossible, &expected);
        Ok(())
    });
}

/// The engine cuts loops, so it may miss a fatal branch, but must not report another.
#[test]
fn with_loops_the_engine_is_sound() {
    let engine = RefCell::new(Engine::new());
    let (fatal, found) = (Cell::new(0), Cell::new(0));
    check(LOOPS, 1500, |program| {
        let expected = fatal_by_execution(program);
        prop_assert_eq!(&fatal_by_wp(program, Fixpoint::Weakest), &expected);
        let impossible = engine.borrow_mut().decide(program, MAIN).impossible;
        prop_assert!(impossible.is_subset(&expected), "{impossible:?} is not within {expected:?}");
        fatal.set(fatal.get() + expected.len());
        found.set(found.get() + impossible.len());
        Ok(())
    });
    let (fatal, found) = (fatal.get(), found.get());
    assert!(2 * found > fatal, "only {found} of {fatal} fatal branches are found");
}

/// A boundary is the wedge of Figure 6 where the specialised condition keeps the branch's own: with numbers that wrap
/// around, `e1 = e2 - 1` alone does not imply `e1 < e2`. The engine may miss boundaries, but must not report others.
#[test]
fn the_engine_is_sound_for_boundaries() {
    let engine = RefCell::new(Engine::new());
    let found = Cell::new(0);
    check(LOOPS, 1500, |program| {
        let body = &program.functions[MAIN].body;
        let impossible = engine.borrow_mut().decide(program, MAIN).impossible_boundaries;
        found.set(found.get() + impossible.len());
        for wedge in wedges(body) {
            if let Kind::Boundary(condition) = wedge.kind
                && impossible.contains(&wedge.at)
                && let Statement::Do(Instruction::Assume(own)) = body.at(&below(&wedge.at, 0))
            {
                let both = Predicate::And(Box::new(own.clone()), Box::new(condition));
                let survives = Runs::of(program, body).survives_boundary(&wedge.at, &both);
                prop_assert!(!survives, "{:?}", wedge.at);
            }
        }
        Ok(())
    });
    assert!(found.get() > 0);
}

/// How often the random programs have the features they are generated for.
#[derive(Debug, Default)]
struct Counts {
    programs: usize,
    branches: usize,
    fatal: usize,
    /// Programs that have branches, none, all, or some but not all of which are fatal.
    with_branches: usize,
    none_fatal: usize,
    all_fatal: usize,
    mixed: usize,
    with_loop: usize,
    with_handler: usize,
    handler_in_loop: usize,
    raise_in_handler: usize,
    with_call: usize,
    /// Fatal branches that Figure 4 with its least fixpoint, and the engine, find.
    found_by_least: usize,
    found_by_engine: usize,
    /// Mixed programs in which the engine finds all of them.
    mixed_found: usize,
    boundary_wedges: usize,
    boundary_failing: usize,
    verified: usize,
}

fn count(shape: Shape, programs_to_count: usize) -> Counts {
    let mut runner =
        TestRunner::new_with_rng(ProptestConfig::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut engine = Engine::new();
    let mut counts = Counts::default();
    let strategy = programs(shape);
    for _ in 0..programs_to_count {
        let program = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
        counts.add(&program, &mut engine);
    }
    counts
}

impl Counts {
    fn add(&mut self, program: &Program, engine: &mut Engine) {
        let body = &program.functions[MAIN].body;
        let (branches, fatal) = (body.branches().len(), fatal_by_execution(program));
        let found = engine.decide(program, MAIN).impossible;
        self.programs += 1;
        self.branches += branches;
        self.fatal += fatal.len();
        self.with_branches += usize::from(branches > 0);
        self.none_fatal += usize::from(branches > 0 && fatal.is_empty());
        self.all_fatal += usize::from(branches > 0 && fatal.len() == branches);
        let is_mixed = !fatal.is_empty() && fatal.len() < branches;
        self.mixed += usize::from(is_mixed);
        self.mixed_found += usize::from(is_mixed && found == fatal);
        self.found_by_engine += found.len();
        self.found_by_least += fatal_by_wp(program, Fixpoint::Least).len();
        let handler_in_loop = |s: &Statement| matches!(s, Statement::Loop(body) if body.any(is_handler));
        let raise_in_handler =
            |s: &Statement| matches!(s, Statement::Handle(_, h) if h.any(|s| matches!(s, Statement::Raise)));
        self.with_loop += usize::from(body.any(|s| matches!(s, Statement::Loop(_))));
        self.with_handler += usize::from(body.any(is_handler));
        self.handler_in_loop += usize::from(body.any(handler_in_loop));
        self.raise_in_handler += usize::from(body.any(raise_in_handler));
        self.with_call += usize::from(body.any(|s| matches!(s, Statement::Do(Instruction::Call(_)))));
        let calculus = Calculus { program, fixpoint: Fixpoint::Weakest };
        let boundary = |kind: &Kind| matches!(kind, Kind::Boundary(_));
        for wedge in wedges(body).into_iter().filter(|wedge| boundary(&wedge.kind)) {
            self.boundary_wedges += 1;
            self.boundary_failing += usize::from(!calculus.is_terminable(&wedge.statement));
        }
        self.verified += usize::from(calculus.is_verified(MAIN));
    }
}

fn is_handler(s: &Statement) -> bool {
    matches!(s, Statement::Handle(..))
}

/// A comparison that sees no fatal branch, or only fatal ones, shows nothing.
#[test]
#[expect(clippy::print_stderr, reason = "the numbers are shown by --nocapture")]
fn the_random_programs_are_interesting() {
    for (name, shape) in [("without loops", LOOP_FREE), ("with loops", LOOPS)] {
        let counts = count(shape, 400);
        eprintln!("{name}: {counts:#?}");
        assert!(4 * counts.mixed > counts.programs, "{counts:#?}");
        assert!(10 * counts.none_fatal > counts.programs, "{counts:#?}");
        assert!(5 * counts.fatal > counts.branches && 5 * counts.fatal < 4 * counts.branches, "{counts:#?}");
        assert!(5 * counts.with_handler > counts.programs, "{counts:#?}");
        assert!(20 * counts.raise_in_handler > counts.programs, "{counts:#?}");
        assert!(5 * counts.with_call > counts.programs, "{counts:#?}");
        assert!(counts.verified > 0 && counts.verified < counts.programs, "{counts:#?}");
        assert!(counts.boundary_failing > 0, "{counts:#?}");
        if shape.loops {
            assert!(3 * counts.with_loop > counts.programs, "{counts:#?}");
            assert!(20 * counts.handler_in_loop > counts.programs, "{counts:#?}");
            assert!(counts.found_by_least < counts.fatal, "the fixpoints should differ: {counts:#?}");
        }
    }
}
