//! The engine of the product, asked about a structured program.

use crate::syntax::{Path, Program, below};
use crate::translate::{Translation, translate};
use gainsay_analysis::edges::branch_edges;
use gainsay_analysis::pipeline::passive_form;
use gainsay_analysis::reach::{decide, decide_by_questions};
use gainsay_ir::gc::Outcome;
use gainsay_ir::parse;
use gainsay_solver::programs::{FIRST, SolverDirectories};
use gainsay_solver::{Budget, Options, Session};
use std::collections::BTreeSet;
use std::path::Path as FilePath;
use std::time::Duration;

pub struct Engine {
    session: Session,
}

/// Branches, by their paths.
pub struct Decision {
    pub impossible: BTreeSet<Path>,
    /// Those whose boundary value is on no run that ends well.
    pub impossible_boundaries: BTreeSet<Path>,
}

impl Engine {
    pub fn new() -> Engine {
        let installed = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin");
        let mut places = SolverDirectories::of_this_process().unwrap_or_else(|error| panic!("{error}"));
        places.directories.insert(0, installed);
        let program = places.find(FIRST).unwrap_or_else(|error| panic!("{error}"));
        Engine { session: Session::new(&program, &Options::default()) }
    }

    /// The answers of the engine; panics if one is undecided.
    pub fn decide(&mut self, program: &Program, function: usize) -> Decision {
        let Translation { text, choices } = translate(program, function);
        let unit = parse::unit(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
        let function = passive_form(&unit, &unit.functions[0]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let budget = Budget { effort: 10_000_000, backstop: Duration::from_secs(60) };
        let edges = decide(&mut self.session, &unit, &function, budget);
        assert!(edges.undecided.is_empty(), "{edges:?}\n{text}");
        // A witness would hide a wrong answer of the solver.
        let asked = decide_by_questions(&mut self.session, &unit, &function, budget);
        assert_eq!(asked.impossible, edges.impossible, "{text}");
        let branch = |block| {
            let branch = function.blocks[block].branch.expect("only branches are edges");
            below(&choices[branch.condition as usize], usize::from(branch.outcome != Outcome::True))
        };
        let all = choices.iter().flat_map(|choice| [below(choice, 0), below(choice, 1)]);
        // Branches that no goto leads to are not even in the passive form.
        let present: BTreeSet<Path> = branch_edges(&function).into_iter().map(branch).collect();
        let absent = all.filter(|branch| edges.never_ends || !present.contains(branch));
        Decision {
            impossible: edges.impossible.into_iter().map(branch).chain(absent).collect(),
            impossible_boundaries: edges.impossible_boundaries.into_iter().map(branch).collect(),
        }
    }
}
