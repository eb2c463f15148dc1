//! Selects the checks to query: those that are not known to hold and that some test is related to.

use super::kinds::EdgeKind;
use super::path::EvidenceGraph;
use super::settings::Evidence;
use crate::edges::{above, dominators};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, BinaryOp, Loc};
use gainsay_ir::passive::{Block, CmdKind, ExprData, Function, Next};
use gainsay_term::Node;
use gainsay_term::{Term, TermPool};
use gainsay_vc::{Statement, Vc};
use std::collections::{BTreeMap, BTreeSet};

/// A check that may fail.
pub(super) struct Suspect {
    pub(super) at: Statement,
    /// A run reaches the check and fails it.
    pub(super) fails: Term,
    /// The condition of the check.
    pub(super) holds: Term,
}

/// A branch edge with its condition.
pub(super) struct TestEdge {
    pub(super) edge: Block,
    pub(super) may_testify: bool,
    pub(super) condition: Term,
    /// One part of the condition, such as equality, may testify without being implied by the whole (section
    /// 4.4).
    pub(super) has_parts: bool,
    /// The unknowns that its condition depends on, on some path.
    pub(super) about: BTreeSet<Term>,
}

pub(super) type TestEdges = Vec<TestEdge>;

pub(super) fn tests(function: &Function, graph: &EvidenceGraph, vc: &Vc) -> TestEdges {
    let path_choices = vc.edge_conditions();
    let mut tests = Vec::new();
    for (edge, data) in &function.blocks {
        if data.branch.is_none() {
            continue;
        }
        let Some(condition) = data.cmds.first().and_then(|cmd| cmd.condition()) else { continue };
        if let Some(term) = vc.term(condition) {
            let is_relational =
                matches!(function.exprs[condition], ExprData::Binary(BinaryOp::SLe | BinaryOp::ULe, ..));
            tests.push(TestEdge {
                edge,
                may_testify: graph.may_testify(edge),
                condition: term,
                has_parts: is_relational
                    && graph.settings.splits
                    && graph.kind(edge).is_some_and(EdgeKind::splits),
                about: on_a_path(&vc.pool, &path_choices, term),
            });
        }
    }
    tests
}

/// The unknowns that a value depends on once the path is fixed: without those that only choose the path.
fn on_a_path(pool: &TermPool, path_choices: &BTreeSet<Term>, root: Term) -> BTreeSet<Term> {
    let mut seen: BTreeSet<Term> = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.node(term) {
            Node::Ite(choice, a, b) if path_choices.contains(&choice) => stack.extend([a, b]),
            node => stack.extend(node.operands()),
        }
    }
    seen.retain(|&term| matches!(pool.node(term), Node::Var(_)));
    seen
}

pub(super) fn unknowns(pool: &TermPool, terms: &[Term]) -> BTreeSet<Term> {
    pool.subterms(terms).into_iter().filter(|&term| matches!(pool.node(term), Node::Var(_))).collect()
}

/// Whether a failure can be established at all. A condition that is the same on every path and whose unknowns
/// no test mentions cannot; a possible alias counts as a test if it testifies.
pub(super) fn is_worth_asking(vc: &Vc, graph: &EvidenceGraph, tests: &TestEdges, suspect: &Suspect) -> bool {
    let (pool, settings) = (&vc.pool, graph.settings);
    if settings.error != Evidence::Asserted || depends_on_path(pool, suspect.holds) {
        return true;
    }
    if settings.parameters_apart == Evidence::Admissible && depends_on_places(vc, suspect.holds) {
        return true;
    }
    let about = unknowns(pool, &[suspect.holds]);
    tests.iter().any(|test| test.may_testify && !test.about.is_disjoint(&about))
}

/// Whether the value depends on a store and a load being aliased.
pub(super) fn depends_on_places(vc: &Vc, term: Term) -> bool {
    !vc.alias_conditions.is_empty()
        && vc.pool.subterms(&[term]).iter().any(|term| vc.alias_conditions.contains(term))
}

/// Whether the value depends on the path.
pub(super) fn depends_on_path(pool: &TermPool, term: Term) -> bool {
    let is_choice = |&term: &Term| {
        matches!(pool.node(term), Node::Ite(..) | Node::And(..) | Node::Or(..) | Node::Bool(_))
    };
    pool.subterms(&[term]).iter().any(is_choice)
}

/// What copies of one check share; preconditions of a callee are distinguished by the path into it.
pub(super) type SuspectKey = (Loc, Option<Check>, Option<gc::Block>);

/// All checks that are not known to hold, and ends in error behind a test, grouped by their copies.
pub(super) fn suspects(
    function: &Function,
    graph: &EvidenceGraph,
    vc: &mut Vc,
) -> BTreeMap<SuspectKey, Vec<Suspect>> {
    let dominators = dominators(function);
    let mut passed_in: BTreeMap<Term, Vec<Block>> = BTreeMap::new();
    let mut suspects: BTreeMap<SuspectKey, Vec<Suspect>> = BTreeMap::new();
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
                    let site = graph.original(block).filter(|_| graph.callee_check(block).is_some());
                    suspects.entry((cmd.loc, Some(check), site)).or_default().push(Suspect {
                        at,
                        fails,
                        holds,
                    });
                }
            }
            // A condition that was assumed is known below it.
            if let CmdKind::Assume(_) = cmd.kind {
                passed_in.entry(holds).or_default().push(block);
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
