//! Drops suspects that no path can establish before any query: failures that depend on an approximated value,
//! or on an input that no test mentions. Both follow from the terms of the whole function, for all paths at
//! once, which saves most queries.

use super::path::EvidenceGraph;
use super::settings::Evidence;
use super::suspects::{Suspect, TestEdge, TestEdges, depends_on_path, depends_on_places, unknowns};
use gainsay_ir::check::Check;
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_term::{Assignment, Node, Sort, eval};
use gainsay_term::{Term, TermPool, Value};
use gainsay_vc::Vc;
use std::collections::BTreeSet;

/// Sample values, used for all unknowns at once.
// not a limit: sample values
const VALUES: [u128; 4] = [1, 64, 0, u128::MAX];

/// The runs on which values are exact.
pub(super) struct Exactness {
    /// By term: the condition under which its value is exact.
    when: Vec<Term>,
}

impl Exactness {
    /// A run makes every choice, so only the chosen value has to be exact.
    pub(super) fn of(pool: &mut TermPool) -> Exactness {
        let mut when: Vec<Term> = Vec::with_capacity(pool.len());
        for term in pool.terms() {
            let exact = match pool.node(term) {
                Node::Var(_) => pool.bool(!pool.is_approximation(term)),
                Node::Ite(condition, a, b) => {
                    let (a, b) = (when[a.index()], when[b.index()]);
                    pool.ite(condition, a, b)
                }
                node => {
                    let operands: Vec<Term> =
                        node.operands().into_iter().map(|operand| when[operand.index()]).collect();
                    pool.all(&operands)
                }
            };
            when.push(exact);
        }
        Exactness { when }
    }

    /// Restricts each failure to exact runs, and drops suspects that then never fail.
    pub(super) fn demand(&self, function: &Function, vc: &mut Vc, group: &mut Vec<Suspect>) {
        group.retain_mut(|suspect| {
            let mut exact = self.when[suspect.holds.index()];
            for block in leading(function, std::slice::from_ref(suspect)) {
                let end = if block == suspect.at.block { suspect.at.index as usize } else { usize::MAX };
                let way = self.along(function, vc, block, end);
                exact = vc.pool.and(exact, way);
            }
            suspect.fails = vc.pool.and(suspect.fails, exact);
            vc.pool.as_bool(suspect.fails) != Some(false)
        });
    }

    /// If the run enters the block, the assumptions of its first `end` commands are exact.
    fn along(&self, function: &Function, vc: &mut Vc, block: Block, end: usize) -> Term {
        let mut exact = vc.pool.bool(true);
        for cmd in function.blocks[block].cmds.iter().take(end) {
            if let CmdKind::Assume(condition) = cmd.kind
                && let Some(term) = vc.term(condition)
            {
                exact = vc.pool.and(exact, self.when[term.index()]);
            }
        }
        match vc.entered[block] {
            Some(entered) => vc.pool.implies(entered, exact),
            None => vc.pool.bool(true),
        }
    }
}

/// The blocks from which a run can reach one of the checks, including their own.
pub(super) fn leading(function: &Function, group: &[Suspect]) -> BTreeSet<Block> {
    let mut leading: BTreeSet<Block> = group.iter().map(|suspect| suspect.at.block).collect();
    for (block, data) in function.blocks.iter().rev() {
        if data.next.targets().iter().any(|target| leading.contains(target)) {
            leading.insert(block);
        }
    }
    leading
}

/// Whether tests that testify, before one of the checks, may establish its failure, as far as can be decided
/// without a solver.
pub(super) fn may_be_reported(
    function: &Function,
    graph: &EvidenceGraph,
    vc: &Vc,
    tests: &TestEdges,
    group: &[Suspect],
) -> bool {
    if graph.settings.error != Evidence::Asserted {
        return true;
    }
    let leading = leading(function, group);
    let before: Vec<&TestEdge> =
        tests.iter().filter(|test| test.may_testify && leading.contains(&test.edge)).collect();
    let is_open = |suspect: &Suspect| {
        depends_on_path(&vc.pool, suspect.holds)
            || depends_on_places(vc, suspect.holds)
            || may_exclude(vc, &before, suspect)
    };
    // Whether a variable was initialised depends on the path alone.
    let is_of_path = |suspect: &Suspect| {
        let cmd = function.blocks[suspect.at.block].cmds.get(suspect.at.index as usize);
        matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assert(Check::Uninitialised, _)))
    };
    group.iter().any(is_of_path) || may_cover_inputs(graph, vc, &before, group) && group.iter().any(is_open)
}

/// Whether the tests may mention all inputs that the failure depends on.
fn may_cover_inputs(graph: &EvidenceGraph, vc: &Vc, before: &[&TestEdge], group: &[Suspect]) -> bool {
    let objects = vc.objects.iter().flat_map(|&(base, size)| [Some(base), size]);
    let mut mentioned: BTreeSet<Term> = objects.flatten().collect();
    mentioned.extend(before.iter().flat_map(|test| &test.about));
    if graph.settings.parameters_apart == Evidence::Admissible {
        mentioned.extend(&vc.alias_conditions);
    }
    // Conditions that choose the path are fixed on it.
    mentioned.extend(vc.edge_conditions());
    let might = on_some_path(&vc.pool, |term| mentioned.contains(&term));
    group.iter().any(|suspect| might[suspect.holds.index()])
}

/// Whether the tests related to the check, directly or through other tests, may exclude all values with which
/// it holds. They do not if some values satisfy all of them and the check: then the tests of no path imply
/// that it fails.
fn may_exclude(vc: &Vc, before: &[&TestEdge], suspect: &Suspect) -> bool {
    let mut about = unknowns(&vc.pool, &[suspect.holds]);
    let mut near: Vec<&TestEdge> = Vec::new();
    let mut rest: Vec<&TestEdge> = before.to_vec();
    loop {
        let (more, others): (Vec<&TestEdge>, Vec<&TestEdge>) =
            rest.into_iter().partition(|test| !test.about.is_disjoint(&about));
        if more.is_empty() {
            break;
        }
        about.extend(more.iter().flat_map(|test| &test.about));
        near.extend(more);
        rest = others;
    }
    if near.iter().any(|test| test.has_parts || depends_on_path(&vc.pool, test.condition)) {
        return true;
    }
    let allow = |&value: &u128| {
        let values: Assignment =
            about.iter().filter_map(|&term| Some((term, of(&vc.pool, term, value)?))).collect();
        let holds =
            |term: Term| eval(&vc.pool, term, &values).and_then(|value| value.as_bool()) == Some(true);
        holds(suspect.holds) && near.iter().all(|test| holds(test.condition))
    };
    !VALUES.iter().any(allow)
}

/// The value, converted to the sort of the unknown.
fn of(pool: &TermPool, term: Term, value: u128) -> Option<Value> {
    match pool.sort(term) {
        Sort::Bool => Some(Value::Bool(value != 0)),
        Sort::BitVec(width) if width <= 64 => Some(Value::Bits { width, value: value & ((1 << width) - 1) }),
        _ => None,
    }
}

/// By term: whether, on some path, it may depend only on terms that satisfy `is_one`. A path makes every
/// choice, and one operand of a conjunction or disjunction may decide it.
fn on_some_path(pool: &TermPool, is_one: impl Fn(Term) -> bool) -> Vec<bool> {
    let mut might: Vec<bool> = Vec::with_capacity(pool.len());
    for term in pool.terms() {
        let of = |operand: Term| might[operand.index()];
        let one = match pool.node(term) {
            Node::Bool(_) | Node::Bits { .. } => true,
            Node::Var(_) => is_one(term),
            Node::Ite(_, a, b) => of(a) || of(b),
            Node::And(a, b) | Node::Or(a, b) => of(a) || of(b) || is_one(term),
            node => node.operands().into_iter().all(of) || is_one(term),
        };
        might.push(one);
    }
    might
}
