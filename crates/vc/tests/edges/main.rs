//! Edges that the encoding makes impossible, asked of both solvers.

mod calls;
mod heap;

use gainsay_ir::gc::{self, Unit};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::passive;
use gainsay_solver::programs::{FIRST, SECOND};
use gainsay_solver::{Answer, Budget, Options, Session, SolverDirectories};
use gainsay_vc::encode;
use std::path::Path;
use std::time::Duration;

/// Generous: no test here is about time.
const PLENTY: Budget = Budget { effort: 1_000_000, backstop: Duration::from_secs(120) };

/// The numbers of the edges of the function that no run which ends well takes; both solvers say the same.
pub(crate) fn impossible_edges(unit: &Unit, f: gc::Function) -> Vec<u32> {
    let f = passify(unit, &cut_loops(unit, &prune(f)));
    passive::verify(&f).unwrap();
    let vc = encode(unit, &f);
    let mut found = None;
    let mut places = SolverDirectories::of_this_process().unwrap();
    places.directories.insert(0, Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin"));
    for name in [FIRST, SECOND] {
        let program = places.find(name).unwrap_or_else(|error| panic!("{error}"));
        let mut session = Session::new(&program, &Options::default());
        for &fact in &vc.facts {
            session.assert(&vc.pool, fact);
        }
        session.assert(&vc.pool, vc.ended);
        let mut numbers = Vec::new();
        for (block, data) in &f.blocks {
            let Some(branch) = data.branch else { continue };
            let taken = vc.taken[block].unwrap();
            match session.check(&vc.pool, &[taken], PLENTY) {
                Answer::Sat => {}
                Answer::Unsat => numbers.push(branch.condition),
                Answer::Unknown(reason) => panic!("{reason:?}"),
            }
        }
        numbers.sort_unstable();
        assert!(found.is_none() || found.as_ref() == Some(&numbers), "the solvers differ");
        found = Some(numbers);
    }
    found.unwrap_or_default()
}
