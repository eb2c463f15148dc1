//! Which checks are worth a question: those that are not known to hold, and that some test has to do with.

use super::path::Graph;
use super::settings::Evidence;
use crate::edges::{above, dominators};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Loc};
use gainsay_ir::passive::{Block, CmdKind, Function, Next};
use gainsay_solver::encode::{Statement, Vc};
use gainsay_solver::term::Node;
use gainsay_solver::{Term, TermPool};
use std::collections::{BTreeMap, BTreeSet};

/// A check that may fail.
pub(super) struct Suspect {
    pub(super) at: Statement,
    /// The run comes here and the check fails.
    pub(super) fails: Term,
    /// The condition that is violated.
    pub(super) holds: Term,
}

/// The edges of branches, each with the unknowns that its condition depends on.
pub(super) fn edges(function: &Function, graph: &Graph, vc: &Vc) -> Vec<(Block, bool, BTreeSet<Term>)> {
    let mut edges = Vec::new();
    for (block, data) in &function.blocks {
        if data.branch.is_none() {
            continue;
        }
        let Some(condition) = data.cmds.first().and_then(|cmd| cmd.condition()) else { continue };
        if let Some(term) = vc.term(condition) {
            edges.push((block, graph.may_testify(block), unknowns(&vc.pool, &[term])));
        }
    }
    edges
}

pub(super) fn unknowns(pool: &TermPool, terms: &[Term]) -> BTreeSet<Term> {
    pool.subterms(terms).into_iter().filter(|&term| matches!(pool.node(term), Node::Var(_))).collect()
}

/// A condition that is the same on every path, and whose unknowns no test mentions, is nobody's business here. Places that
/// may be one are as good as a test, if that testifies.
pub(super) fn is_suspicious(
    vc: &Vc,
    graph: &Graph,
    edges: &[(Block, bool, BTreeSet<Term>)],
    suspect: &Suspect,
) -> bool {
    let (pool, settings) = (&vc.pool, graph.settings);
    if settings.error != Evidence::Asserted || chooses(pool, suspect.holds) {
        return true;
    }
    if settings.alias == Evidence::Admissible
        && pool.subterms(&[suspect.holds]).iter().any(|term| vc.places.contains(term))
    {
        return true;
    }
    let about = unknowns(pool, &[suspect.holds]);
    edges.iter().any(|(_, may_testify, tested)| *may_testify && !tested.is_disjoint(&about))
}

/// Does the value depend on the path?
pub(super) fn chooses(pool: &TermPool, term: Term) -> bool {
    let is_choice = |&term: &Term| {
        matches!(pool.node(term), Node::Ite(..) | Node::And(..) | Node::Or(..) | Node::Bool(_))
    };
    pool.subterms(&[term]).iter().any(is_choice)
}

/// Copies of one check have these in common; what a callee expects is told apart by the way into it.
pub(super) type Accused = (Loc, Option<Check>, Option<gc::Block>);

/// All checks that are not known to hold, and the ends in error behind a test; copies of one belong together.
pub(super) fn suspects(function: &Function, graph: &Graph, vc: &mut Vc) -> BTreeMap<Accused, Vec<Suspect>> {
    let dominators = dominators(function);
    let mut passed_in: BTreeMap<Term, Vec<Block>> = BTreeMap::new();
    let mut suspects: BTreeMap<Accused, Vec<Suspect>> = BTreeMap::new();
    for (block, data) in &function.blocks {
        let Some(mut passed) = vc.entered[block] else { continue };
        for (index, cmd) in data.cmds.iter().enumerate() {
            let Some(holds) = cmd.condition().and_then(|condition| vc.term(condition)) else { continue };
            if let CmdKind::Assert(check, _) = cmd.kind {
                let above: Vec<Block> = above(&dominators, block).chain([block]).collect();
                let known = passed_in.entry(holds).or_default();
                let is_known = known.iter().any(|block| above.contains(block));
                known.push(block);
                let violated = vc.pool.not(holds);
                let fails = vc.pool.and(passed, violated);
                if !is_known && vc.pool.as_bool(fails) != Some(false) && graph.original(block).is_some() {
                    let at = Statement { block, index: index as u32 };
                    let site = graph.original(block).filter(|_| graph.site(block).is_some());
                    suspects.entry((cmd.loc, Some(check), site)).or_default().push(Suspect {
                        at,
                        fails,
                        holds,
                    });
                }
            }
            passed = vc.pool.and(passed, holds);
        }
        let is_end = matches!(data.next, Next::Error) && graph.original(block).is_some();
        if let (true, Some(last)) = (is_end, data.cmds.last()) {
            let at = Statement { block, index: data.cmds.len() as u32 };
            let holds = vc.pool.bool(false);
            suspects.entry((last.loc, None, None)).or_default().push(Suspect { at, fails: passed, holds });
        }
    }
    suspects
}
