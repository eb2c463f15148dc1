//! Loops without abstraction (papers/horn-clauses-with-loops; design.md, section 6): is an edge on a run that ends well,
//! however often the loops on the way are repeated?
//!
//! The function is taken apart at the heads of its loops, each piece is encoded exactly as `reach` encodes a function, and
//! a solver of Horn clauses looks for what always holds at the heads. What it finds is checked on the exact formulas
//! before it counts.

mod bounded;
mod build;
mod reasons;
mod wording;

pub use bounded::{Coverage, Covered, covered, size};
pub use build::{Problem, with_small_objects_as_variables};
pub use reasons::{Needed, Role};
pub use wording::{Said, invariants_in_c};

use gainsay_ir::gc::{self, Block, Origin, VarKind};
use gainsay_ir::passes::elements;
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passive;
use gainsay_solver::horn::{Invariants, Outcome, System};
use gainsay_solver::{Budget, Program, Reason, Session};
use std::collections::BTreeSet;

/// The edges of the source's branches.
pub fn source_edges(f: &gc::Function) -> Vec<Block> {
    let is_edge =
        |&block: &Block| f.blocks[block].branch.is_some_and(|branch| branch.origin != Origin::Model);
    f.blocks.keys().filter(is_edge).collect()
}

/// What is known of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// On no run that ends well.
    Impossible(Proof),
    /// A run was found, in an approximation: nothing to report.
    Possible,
    Unknown(Reason),
}

/// Why an edge is impossible: what holds whenever a run is at the head of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    pub invariants: Invariants,
}

/// Answers for the edges, each a block of the function with a `branch`, in their order. The function is prepared and
/// pruned, with its loops. `session` checks what `spacer` (Z3) finds; `budget` is for one edge.
pub fn decide(
    session: &mut Session,
    spacer: &Program,
    unit: &gc::Unit,
    f: &gc::Function,
    edges: &[Block],
    budget: Budget,
) -> Vec<Answer> {
    if is_too_large(f) {
        let why = Reason::Incomplete("the function is too large".to_owned());
        return vec![Answer::Unknown(why); edges.len()];
    }
    let with_checks = with_checks(unit, f);
    let mut problem = Problem::new(unit, with_checks.as_ref().unwrap_or(f), edges);
    let covered = problem.covered(session, unit, budget);
    let mut answer = |number: usize| match covered.contains(&edges[number]) {
        true => Answer::Possible,
        false => problem.ask(session, spacer, number, budget),
    };
    (0..edges.len()).map(&mut answer).collect()
}

/// The function with checks that elements of arrays are written before they are read; `None` if there are none to make.
/// `reach` would forget in every loop what they need.
pub fn with_checks(unit: &gc::Unit, f: &gc::Function) -> Option<gc::Function> {
    elements(unit, f, &heads(f))
}

/// The block of the function, with its loops, that an edge of its passive form was.
pub fn edge_of(f: &gc::Function, form: &passive::Function, edge: passive::Block) -> Option<Block> {
    let source = form.blocks[edge].source;
    f.blocks.get(source).and_then(|data| data.branch).map(|_| source)
}

/// Would the pieces be so large that nothing can come of a question within a sensible time?
pub fn is_too_large(f: &gc::Function) -> bool {
    const MOST_BLOCKS: usize = 10_000;
    f.blocks.len() * (heads(f).len() + 1) > MOST_BLOCKS
}

impl Problem {
    /// Edges that are on a run which goes round loops only a few times, and need not be asked about.
    pub fn covered(&self, session: &mut Session, unit: &gc::Unit, budget: Budget) -> BTreeSet<Block> {
        let cuts = heads(&self.whole);
        covered(session, unit, &self.whole, &cuts, &self.edges, Coverage::THOROUGH, budget).edges
    }

    /// Is the edge of that number on a run that ends well?
    pub fn ask(&mut self, session: &mut Session, spacer: &Program, edge: usize, budget: Budget) -> Answer {
        match self.prover.ask(session, spacer, edge, budget) {
            Outcome::Impossible(invariants) => Answer::Impossible(Proof { invariants }),
            Outcome::Possible => Answer::Possible,
            Outcome::Unknown(reason) => Answer::Unknown(reason),
        }
    }

    /// What holds at the heads of all loops, whatever is asked.
    pub fn known(&mut self, session: &mut Session, budget: Budget) -> Proof {
        Proof { invariants: self.prover.known(session, budget) }
    }

    /// How many variables matter at the head of the loop, without those that only say whether an element was written.
    pub fn state(&self, cut: &Cut) -> usize {
        let is_flag = |var: gc::Var| matches!(self.f.vars[var].kind, VarKind::ElementIsSet(_));
        cut.state.iter().filter(|&&var| !is_flag(var)).count()
    }

    /// How large the formulas of all pieces are together.
    pub fn weight(&self) -> u64 {
        self.prover.system.pieces.iter().map(|piece| piece.pool.weight()).sum()
    }

    /// Only the first ways to ask are tried, each with its share of the budget.
    pub fn limit_ways(&mut self, count: usize) {
        self.prover.n_ways = count;
    }

    /// The question about the edge of that number as SMT-LIB, for any solver of Horn clauses: `sat` means that no run
    /// passes the edge and ends well.
    pub fn text(&mut self, edge: usize) -> String {
        self.prover.text(edge)
    }

    /// The clauses' raw material.
    pub fn system(&self) -> &System {
        &self.prover.system
    }

    /// What the Horn solver has cost so far, in units of the budget.
    pub fn effort(&self) -> u64 {
        self.prover.effort
    }
}
