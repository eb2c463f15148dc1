//! What no path can come to is not asked about: a failure that depends on something forgotten, or on something that no test
//! mentions. Both are seen in the terms of the whole function, for all paths at once; that saves most questions.

use super::path::Graph;
use super::settings::Evidence;
use super::suspects::{Suspect, Test, Tests, chooses, depends_on_places, unknowns};
use gainsay_ir::check::Check;
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_term::{Assignment, Node, Sort, eval};
use gainsay_term::{Term, TermPool, Value};
use gainsay_vc::Vc;
use std::collections::BTreeSet;

/// Values that are tried for all unknowns alike.
const VALUES: [u128; 4] = [1, 64, 0, u128::MAX];

/// Where runs keep to what is exact.
pub(super) struct Exactness {
    /// By term: the runs on which its value is exact.
    when: Vec<Term>,
}

impl Exactness {
    /// On a run every choice is made, so only the chosen value has to be exact.
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

    /// Makes each failure one that comes on an exact run; those that never do are dropped.
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

    /// If the run enters the block, what its first commands assume is exact.
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

/// The blocks from which a run can come to one of the checks, their own among them.
pub(super) fn leading(function: &Function, group: &[Suspect]) -> BTreeSet<Block> {
    let mut leading: BTreeSet<Block> = group.iter().map(|suspect| suspect.at.block).collect();
    for (block, data) in function.blocks.iter().rev() {
        if data.next.targets().iter().any(|target| leading.contains(target)) {
            leading.insert(block);
        }
    }
    leading
}

/// May tests that testify, before one of the checks, convict it, as far as can be seen without a solver?
pub(super) fn may_convict(
    function: &Function,
    graph: &Graph,
    vc: &Vc,
    tests: &Tests,
    group: &[Suspect],
) -> bool {
    if graph.settings.error != Evidence::Asserted {
        return true;
    }
    let leading = leading(function, group);
    let before: Vec<&Test> =
        tests.iter().filter(|test| test.may_testify && leading.contains(&test.edge)).collect();
    let is_open = |suspect: &Suspect| {
        chooses(&vc.pool, suspect.holds)
            || depends_on_places(vc, suspect.holds)
            || may_exclude(vc, &before, suspect)
    };
    // Whether something was initialised depends on the path alone.
    let is_of_path = |suspect: &Suspect| {
        let cmd = function.blocks[suspect.at.block].cmds.get(suspect.at.index as usize);
        matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assert(Check::Uninitialised, _)))
    };
    group.iter().any(is_of_path) || may_be_spoken_of(graph, vc, &before, group) && group.iter().any(is_open)
}

/// May the tests speak of all that the failure depends on?
fn may_be_spoken_of(graph: &Graph, vc: &Vc, before: &[&Test], group: &[Suspect]) -> bool {
    let objects = vc.objects.iter().flat_map(|&(base, size)| [Some(base), size]);
    let mut spoken: BTreeSet<Term> = objects.flatten().collect();
    spoken.extend(before.iter().flat_map(|test| &test.about));
    if graph.settings.parameters_apart == Evidence::Admissible {
        spoken.extend(&vc.alias_conditions);
    }
    // What decides about the path is settled on it.
    spoken.extend(vc.edge_conditions());
    let might = on_some_path(&vc.pool, |term| spoken.contains(&term));
    group.iter().any(|suspect| might[suspect.holds.index()])
}

/// May the tests that have to do with the check, directly or by others, exclude all values with which it holds? Not if
/// there are values with which all of them hold as well: then no path's tests imply that it fails.
fn may_exclude(vc: &Vc, before: &[&Test], suspect: &Suspect) -> bool {
    let mut about = unknowns(&vc.pool, &[suspect.holds]);
    let mut near: Vec<&Test> = Vec::new();
    let mut rest: Vec<&Test> = before.to_vec();
    loop {
        let (more, others): (Vec<&Test>, Vec<&Test>) =
            rest.into_iter().partition(|test| !test.about.is_disjoint(&about));
        if more.is_empty() {
            break;
        }
        about.extend(more.iter().flat_map(|test| &test.about));
        near.extend(more);
        rest = others;
    }
    if near.iter().any(|test| test.has_parts || chooses(&vc.pool, test.condition)) {
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

/// The value as one of that unknown's sort.
fn of(pool: &TermPool, term: Term, value: u128) -> Option<Value> {
    match pool.sort(term) {
        Sort::Bool => Some(Value::Bool(value != 0)),
        Sort::BitVec(width) if width <= 64 => Some(Value::Bits { width, value: value & ((1 << width) - 1) }),
        _ => None,
    }
}

/// By term: might it depend, on some path, on nothing but these? On a path every choice is made, and one operand of a
/// conjunction or disjunction may decide.
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
