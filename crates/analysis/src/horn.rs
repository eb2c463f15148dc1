//! Loops without abstraction (horn-clauses-with-loops, sections 4 to 6): is an edge on a run that ends well,
//! for any number of iterations of the loops?
//!
//! The function is cut at its loop heads, each piece is encoded exactly as `reach` encodes a function, and a
//! Horn clause solver searches for invariants at the heads. An invariant counts only after initiation,
//! consecution and safety were checked on the exact formulas (docs/decisions/013-horn-clauses.md).

mod bounded;
mod build;
mod reasons;
mod wording;

pub(crate) use bounded::{CoverageEffort, covered, size};
pub use build::HornProblem;
pub(crate) use build::with_small_objects_as_variables;
pub use reasons::{Needed, Role};
pub use wording::{LoopInvariant, invariants_in_c};

use crate::limits::{HORN_BLOCKS, THOROUGH_COVERAGE};
use gainsay_ir::gc::{self, Block, Origin, VarKind};
use gainsay_ir::passes::elements;
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passive;
use gainsay_solver::horn::{Invariants, Outcome, System};
use gainsay_solver::{Budget, Program, Reason, Session};
use std::collections::BTreeSet;

/// The branch edges of the source, without those of models.
pub fn source_edges(f: &gc::Function) -> Vec<Block> {
    let is_edge =
        |&block: &Block| f.blocks[block].branch.is_some_and(|branch| branch.origin != Origin::Model);
    f.blocks.keys().filter(is_edge).collect()
}

/// The answer for an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeAnswer {
    /// On no run that ends well.
    Impossible(Proof),
    /// A run was found, in an approximation; there is nothing to report.
    Possible,
    Unknown(Reason),
}

/// Why an edge is impossible: the invariants at the loop heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    pub invariants: Invariants,
}

/// Answers for the edges, in their order; each edge is a block of the function with a `branch`. The function
/// is prepared and pruned, with its loops. `session` checks what `spacer` (Z3) finds; `budget` is for one
/// edge.
pub fn decide(
    session: &mut Session,
    spacer: &Program,
    unit: &gc::Unit,
    f: &gc::Function,
    edges: &[Block],
    budget: Budget,
) -> Vec<EdgeAnswer> {
    if is_too_large(f) {
        let why = Reason::Incomplete("the function is too large".to_owned());
        return vec![EdgeAnswer::Unknown(why); edges.len()];
    }
    let with_checks = with_checks(unit, f);
    let mut problem = HornProblem::new(unit, with_checks.as_ref().unwrap_or(f), edges);
    let covered = problem.covered(session, unit, budget);
    let mut answer = |number: usize| match covered.contains(&edges[number]) {
        true => EdgeAnswer::Possible,
        false => problem.ask(session, spacer, number, budget),
    };
    (0..edges.len()).map(&mut answer).collect()
}

/// The function with checks that array elements are written before they are read; `None` if there are none to
/// add. `reach` cannot use them, because a cut loop loses the facts that they need.
pub fn with_checks(unit: &gc::Unit, f: &gc::Function) -> Option<gc::Function> {
    elements(unit, f, &heads(f))
}

/// The block of `f`, with its loops, that an edge of its passive form was made from.
pub(crate) fn edge_of(f: &gc::Function, form: &passive::Function, edge: passive::Block) -> Option<Block> {
    let source = form.blocks[edge].source;
    f.blocks.get(source).and_then(|data| data.branch).map(|_| source)
}

/// Whether the pieces would be too large for an answer in reasonable time.
pub fn is_too_large(f: &gc::Function) -> bool {
    f.blocks.len() * (heads(f).len() + 1) > HORN_BLOCKS
}

impl HornProblem {
    /// Edges on a run with few loop iterations, which need no query.
    pub fn covered(&self, session: &mut Session, unit: &gc::Unit, budget: Budget) -> BTreeSet<Block> {
        let cuts = heads(&self.whole);
        covered(session, unit, &self.whole, &cuts, &self.edges, THOROUGH_COVERAGE, budget).edges
    }

    /// Whether the edge with that index is on a run that ends well.
    pub fn ask(
        &mut self,
        session: &mut Session,
        spacer: &Program,
        edge: usize,
        budget: Budget,
    ) -> EdgeAnswer {
        match self.prover.ask(session, spacer, edge, budget) {
            Outcome::Impossible(invariants) => EdgeAnswer::Impossible(Proof { invariants }),
            Outcome::Possible => EdgeAnswer::Possible,
            Outcome::Unknown(reason) => EdgeAnswer::Unknown(reason),
        }
    }

    /// Invariants of all loops, independent of any edge.
    pub(crate) fn known(&mut self, session: &mut Session, budget: Budget) -> Proof {
        Proof { invariants: self.prover.known(session, budget) }
    }

    /// The number of live variables at the loop head, without flags that record whether an array element was
    /// written.
    pub(crate) fn state(&self, cut: &Cut) -> usize {
        let is_flag = |var: gc::Var| matches!(self.f.vars[var].kind, VarKind::ElementIsSet(_));
        cut.state.iter().filter(|&&var| !is_flag(var)).count()
    }

    /// The total size of the formulas of all pieces.
    pub(crate) fn weight(&self) -> u64 {
        self.prover.system.pieces.iter().map(|piece| piece.pool.weight()).sum()
    }

    /// Restricts queries to the first `count` strategies, each with its share of the budget.
    pub(crate) fn limit_strategies(&mut self, count: usize) {
        self.prover.n_ways = count;
    }

    /// The query about the edge with that index as SMT-LIB, for any Horn clause solver: `sat` means that no
    /// run passes the edge and ends well.
    pub fn text(&mut self, edge: usize) -> String {
        self.prover.text(edge)
    }

    /// The points and pieces that clauses are made from.
    pub fn system(&self) -> &System {
        &self.prover.system
    }
}
