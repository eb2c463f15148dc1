//! Horn clauses against all runs, with loops that are not cut: an edge that is called impossible must be fatal, and one
//! that is called possible must not be.

use crate::crumbs::feasible;
use crate::execute::Runs;
use crate::generate::{LOOPS, MAIN, config, programs};
use crate::syntax::{Path, Program, below};
use crate::translate::{Translation, translate};
use gainsay_analysis::horn::{EdgeAnswer, HornProblem};
use gainsay_ir::gc::{Block, Outcome};
use gainsay_ir::parse;
use gainsay_ir::passes::prune;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use gainsay_solver::{Budget, Options, Program as Solver, Session};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::{Cell, RefCell};
use std::path::Path as FilePath;
use std::time::Duration;

const BUDGET: Budget = Budget { effort: 4_000, backstop: Duration::from_secs(20) };

struct Engine {
    session: Session,
    spacer: Solver,
}

impl Engine {
    fn new() -> Engine {
        let installed = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin");
        let mut places = SolverDirectories::of_this_process().unwrap_or_else(|error| panic!("{error}"));
        places.directories.insert(0, installed);
        let find = |name| places.find(name).unwrap_or_else(|error| panic!("{error}"));
        Engine { session: Session::new(&find(FIRST), &Options::default()), spacer: find(SECOND) }
    }

    /// Answers for all branches of a program with loops; none if there are more branches than allowed.
    fn decide(&mut self, program: &Program, most: usize) -> (Vec<(Path, EdgeAnswer)>, Option<HornProblem>) {
        let Translation { text, choices } = translate(program, MAIN);
        let unit = parse::unit(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
        let f = prune(unit.functions[0].clone());
        let edges: Vec<Block> = f.blocks.keys().filter(|&block| f.blocks[block].branch.is_some()).collect();
        let mut problem = HornProblem::new(&unit, &f, &edges);
        if problem.cuts.is_empty() || edges.len() > most {
            return (Vec::new(), None);
        }
        let mut answers = Vec::new();
        for (number, &edge) in edges.iter().enumerate() {
            let branch = f.blocks[edge].branch.expect("only branches are edges");
            let place =
                below(&choices[branch.condition as usize], usize::from(branch.outcome != Outcome::True));
            answers.push((place, problem.ask(&mut self.session, &self.spacer, number, BUDGET)));
        }
        (answers, Some(problem))
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "the numbers are shown by --nocapture")]
fn horn_clauses_are_sound_and_miss_little() {
    let engine = RefCell::new(Engine::new());
    let (fatal, found, missed, unknown) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let add = |cell: &Cell<usize>, yes: bool| cell.set(cell.get() + usize::from(yes));
    let result = TestRunner::new(config(60)).run(&programs(LOOPS), |program| {
        let survivors = Runs::of(&program, &program.functions[MAIN].body).surviving_parts();
        for (place, answer) in engine.borrow_mut().decide(&program, usize::MAX).0 {
            let is_fatal = !survivors.contains(&place);
            let is_impossible = matches!(answer, EdgeAnswer::Impossible(_));
            prop_assert!(is_fatal || !is_impossible, "{:?} is possible, not {:?}", place, answer);
            add(&fatal, is_fatal);
            add(&found, is_impossible);
            add(&missed, is_fatal && answer == EdgeAnswer::Possible);
            add(&unknown, matches!(answer, EdgeAnswer::Unknown(_)));
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (fatal, found, missed, unknown) = (fatal.get(), found.get(), missed.get(), unknown.get());
    eprintln!("{fatal} fatal branches: {found} found, {missed} missed; {unknown} unknown");
    assert!(10 * found > 9 * fatal, "only {found} of {fatal} fatal branches are found");
}

/// The paper's Algorithm 1 finds the same edges, at a far higher cost. Both may call an edge possible because of an
/// approximation (of a product of variables, for example), and they ask different questions. Where they differ, the edge
/// must be impossible in all runs, and that must be rare.
#[test]
fn crumbs_and_edges_agree() {
    let engine = RefCell::new(Engine::new());
    let (compared, differ) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new(config(40)).run(&programs(LOOPS), |program| {
        let mut engine = engine.borrow_mut();
        let (answers, problem) = engine.decide(&program, 4);
        let Some(problem) = problem else { return Ok(()) };
        let Engine { session, spacer } = &mut *engine;
        let Some(feasible) = feasible(session, spacer, problem.system(), BUDGET) else { return Ok(()) };
        let survivors = Runs::of(&program, &program.functions[MAIN].body).surviving_parts();
        for (number, (place, answer)) in answers.iter().enumerate() {
            let is_impossible = match answer {
                EdgeAnswer::Impossible(_) => true,
                EdgeAnswer::Possible => false,
                EdgeAnswer::Unknown(_) => continue,
            };
            compared.set(compared.get() + 1);
            if is_impossible == feasible.contains(&number) {
                differ.set(differ.get() + 1);
                prop_assert!(!survivors.contains(place), "{:?} is possible, not {:?}", place, answer);
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (compared, differ) = (compared.get(), differ.get());
    assert!(compared > 10, "only {compared} answers to compare");
    assert!(20 * differ <= compared, "{differ} of {compared} answers differ");
}
