//! Which edges to decide with Horn clauses: those that `reach` found possible and that no run with few
//! iterations takes.

use super::Round;
use crate::edges::{above, branch_edges, dominators};
use crate::horn;
use crate::limits::{LONG_COVERAGE, SEARCHED_PER_COST};
use crate::reach;
use crate::witness::can_end;
use gainsay_ir::gc::{self, Origin};
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_solver::Session;

/// An edge in the function with its loops, and in its passive form without.
#[derive(Clone, Copy)]
pub(super) struct LoopEdge {
    pub(super) gc: gc::Block,
    pub(super) passive: Block,
}

/// The edges that `reach` found possible.
pub(super) fn open_edges(f: &gc::Function, function: &Function, decided: &reach::Edges) -> Vec<LoopEdge> {
    let can_end = can_end(function);
    let dominators = dominators(function);
    let is_impossible = |block: Block| decided.impossible.binary_search(&block).is_ok();
    let is_open = |&edge: &Block| {
        can_end.contains(edge)
            && !is_impossible(edge)
            && !decided.undecided.contains(&edge)
            && !above(&dominators, edge).any(is_impossible)
    };
    let mut edges: Vec<LoopEdge> = Vec::new();
    for passive in branch_edges(function).into_iter().filter(is_open) {
        if let Some(gc) = horn::edge_of(f, function, passive)
            && edges.iter().all(|edge| edge.gc != gc)
        {
            edges.push(LoopEdge { gc, passive });
        }
    }
    edges
}

/// The edges that no run with some iterations takes, the most promising first, and the cost of the search.
pub(super) fn uncovered_edges(
    session: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    function: &Function,
    mut edges: Vec<LoopEdge>,
    Round { cuts, limits }: Round,
) -> (Vec<LoopEdge>, u64) {
    let whole = horn::with_small_objects_as_variables(unit, f);
    let cuts_of_whole = heads(&whole);
    let mut cost = 0;
    for coverage in [limits.coverage, LONG_COVERAGE] {
        let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
        let covered = horn::covered(session, unit, &whole, &cuts_of_whole, &blocks, coverage, limits.budget);
        edges.retain(|edge| !covered.edges.contains(&edge.gc));
        cost += covered.cost / SEARCHED_PER_COST;
    }
    edges.sort_by_key(|edge| priority(function, cuts, *edge));
    (edges, cost)
}

/// Sort key of queries: edges into a loop with checks, edges out of a loop, other edges.
fn priority(function: &Function, cuts: &[Cut], edge: LoopEdge) -> (u8, Block) {
    let is_inside = |cut: &Cut| cut.members.contains(&edge.gc);
    let checks = |cut: &Cut| {
        let inside = function.blocks.values().filter(|data| cut.members.contains(&data.source));
        inside.flat_map(|data| &data.cmds).any(|cmd| matches!(cmd.kind, CmdKind::Assert(..)))
    };
    let is_of_loop = is_of_loop(function, edge);
    let rank = match cuts.iter().find(|cut| is_inside(cut)) {
        Some(cut) if is_of_loop && checks(cut) => 0,
        None if is_of_loop => 1,
        _ => 2,
    };
    (rank, edge.passive)
}

/// Whether the edge is an outcome of a loop's own condition.
pub(super) fn is_of_loop(function: &Function, edge: LoopEdge) -> bool {
    let branch = function.blocks[edge.passive].branch;
    branch.is_some_and(|branch| matches!(branch.origin, Origin::LoopEntry | Origin::LoopAgain))
}
