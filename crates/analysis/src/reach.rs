//! Universal reachability (papers/universal-reachability, section 3; design.md, section 5): which edges lie on no
//! run that ends well?
//!
//! The solver is asked for a run that ends well and takes an edge that no run was found for yet. Each model covers a
//! whole run, so few questions are needed. By Theorem 1 of the paper the edges left over are exactly the wedges that
//! cannot terminate.

use crate::edges::{Boundary, branch_edges};
use crate::witness::{self, Open};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::encode::{Vc, encode};
use gainsay_solver::smtlib::Printer;
use gainsay_solver::{Answer, Budget, Session, Term};
use std::collections::VecDeque;

/// A function may cost as much as this many questions that reach their limit.
const QUESTIONS_PER_FUNCTION: u64 = 3;

/// Every question costs time in proportion to the formula, even an easy one: a huge function may ask fewer.
const WEIGHT_OF_QUESTIONS: u64 = 1_500_000;
const LEAST_QUESTIONS: u64 = 8;

/// Boundaries are an extra: a function with many possible ones is not worth more questions.
const BOUNDARY_QUESTIONS: u64 = 16;

/// What became of the edges of a function's branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// No run ends well at all; the edges were not asked about.
    pub never_ends: bool,
    /// On no run that ends well.
    pub impossible: Vec<Block>,
    /// Possible edges whose boundary value is on no run that ends well.
    pub impossible_boundaries: Vec<Block>,
    /// The solver gave no answer, or none that could be used: neither a finding nor a proof.
    pub undecided: Vec<Block>,
    pub questions: u32,
}

pub fn decide(session: &mut Session, unit: &gc::Unit, function: &Function, budget: Budget) -> Edges {
    let open = witness::cover(unit, function);
    ask(session, unit, function, open, budget)
}

/// Asks the solver about what no witness was found for.
pub(crate) fn ask(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    open: Open,
    budget: Budget,
) -> Edges {
    let mut edges = Edges::default();
    if open == Open::default() {
        return edges;
    }
    let mut vc = encode(unit, function);
    let budget = scaled(budget, &vc);
    let purse = session.effort() + budget.effort * QUESTIONS_PER_FUNCTION;
    tell(session, &vc);
    if open.entry {
        edges.questions += 1;
        match session.check(&vc.pool, &[], budget) {
            Answer::Sat => {}
            Answer::Unsat => return Edges { never_ends: true, ..edges },
            Answer::Unknown(_) => edges.undecided.push(entry(function)),
        }
    }
    ask_edges(session, function, &mut vc, open.edges, (budget, purse), &mut edges);
    ask_boundaries(session, vc, open.boundaries, budget, &mut edges);
    edges
}

/// A conflict in a large problem costs more than one in a small problem, so there may be fewer of them.
pub(crate) fn scaled(budget: Budget, vc: &Vc) -> Budget {
    const SMALL: u64 = 500;
    const LEAST: u64 = 2_000;
    let effort = (budget.effort.saturating_mul(SMALL) / vc.weight().max(SMALL)).max(LEAST.min(budget.effort));
    Budget { effort, ..budget }
}

/// The function's problem: a run that ends well.
pub(crate) fn tell(session: &mut Session, vc: &Vc) {
    session.reset();
    for &fact in &vc.facts {
        session.assert(&vc.pool, fact);
    }
    session.assert(&vc.pool, vc.ended);
}

/// Coverage by models: ask for a run that takes any of the open edges, strike out what it takes, and go on until there
/// is none. Edges that resist are asked about one by one.
fn ask_edges(
    session: &mut Session,
    function: &Function,
    vc: &mut Vc,
    open: Vec<Block>,
    (budget, purse): (Budget, u64),
    edges: &mut Edges,
) {
    let can_end = witness::can_end(function);
    let is_never = |vc: &Vc, edge| !can_end.contains(edge) || vc.pool.as_bool(taken(vc, edge)) == Some(false);
    let (never, mut open): (Vec<Block>, VecDeque<Block>) = {
        let (never, open): (Vec<Block>, Vec<Block>) = open.into_iter().partition(|&edge| is_never(vc, edge));
        (never, open.into())
    };
    edges.impossible.extend(never);
    let most = (WEIGHT_OF_QUESTIONS / vc.weight().max(1)).max(LEAST_QUESTIONS) as u32;
    while open.len() > 1 && edges.questions < most {
        let terms: Vec<Term> = open.iter().map(|&edge| taken(vc, edge)).collect();
        let any = vc.pool.any(&terms);
        edges.questions += 1;
        match session.check(&vc.pool, &[any], budget) {
            Answer::Sat => {
                let before = open.len();
                forget_covered(session, vc, &mut open);
                if open.len() == before {
                    break;
                }
            }
            Answer::Unsat => edges.impossible.extend(open.drain(..)),
            Answer::Unknown(_) => break,
        }
    }
    while let Some(edge) = open.pop_front() {
        if session.effort() >= purse || edges.questions >= most {
            edges.undecided.push(edge);
            continue;
        }
        edges.questions += 1;
        match session.check(&vc.pool, &[taken(vc, edge)], budget) {
            Answer::Sat => forget_covered(session, vc, &mut open),
            Answer::Unsat => edges.impossible.push(edge),
            Answer::Unknown(_) => edges.undecided.push(edge),
        }
    }
    edges.impossible.sort();
}

/// The run of the model passes other edges as well.
fn forget_covered(session: &mut Session, vc: &Vc, open: &mut VecDeque<Block>) {
    let rest: Vec<Term> = open.iter().map(|&other| taken(vc, other)).collect();
    if let Ok(values) = session.values(&vc.pool, &rest) {
        let mut values = values.iter();
        open.retain(|_| values.next().and_then(|value| value.as_bool()) != Some(true));
    }
}

/// Boundary wedges (papers/universal-reachability, section 4): the edge with its condition narrowed to the last value
/// that it lets through. Answers "unknown" are not worth a word: the edge itself is decided.
fn ask_boundaries(
    session: &mut Session,
    mut vc: Vc,
    open: Vec<(Block, Boundary)>,
    budget: Budget,
    edges: &mut Edges,
) {
    let mut open: VecDeque<(Block, Term)> = open
        .into_iter()
        .filter(|(edge, _)| !edges.impossible.contains(edge) && !edges.undecided.contains(edge))
        .filter_map(|(edge, boundary)| {
            let condition = boundary_term(&mut vc, boundary)?;
            let taken = taken(&vc, edge);
            Some((edge, vc.pool.and(taken, condition)))
        })
        .collect();
    let most = (WEIGHT_OF_QUESTIONS / vc.weight().max(1)).min(BOUNDARY_QUESTIONS);
    for _ in 0..most {
        let terms: Vec<Term> = open.iter().map(|&(_, term)| term).collect();
        if terms.is_empty() {
            return;
        }
        let any = vc.pool.any(&terms);
        edges.questions += 1;
        match session.check(&vc.pool, &[any], budget) {
            Answer::Sat => {
                let Ok(values) = session.values(&vc.pool, &terms) else { return };
                let mut values = values.iter();
                open.retain(|_| values.next().and_then(|value| value.as_bool()) != Some(true));
            }
            Answer::Unsat => {
                edges.impossible_boundaries.extend(open.drain(..).map(|(edge, _)| edge));
                edges.impossible_boundaries.sort();
            }
            Answer::Unknown(_) => return,
        }
    }
}

/// The narrowed condition in the whole function's terms.
pub(crate) fn boundary_term(vc: &mut Vc, boundary: Boundary) -> Option<Term> {
    let (smaller, larger) = (vc.term(boundary.smaller)?, vc.term(boundary.larger)?);
    Some(boundary.condition(&mut vc.pool, smaller, larger))
}

/// The same questions as SMT-LIB text, for any solver: `unsat` means that the edge is impossible.
pub fn questions(unit: &gc::Unit, function: &Function) -> String {
    let vc = encode(unit, function);
    let edges = branch_edges(function);
    let mut printer = Printer::new();
    let mut text = format!("; {}\n(set-logic QF_BV)\n", unit.symbols[function.symbol].name);
    let roots: Vec<Term> = vc
        .facts
        .iter()
        .copied()
        .chain([vc.ended])
        .chain(edges.iter().map(|&edge| taken(&vc, edge)))
        .collect();
    printer.define(&vc.pool, &roots, &mut text);
    for &fact in vc.facts.iter().chain([&vc.ended]) {
        text.push_str("(assert ");
        printer.write(&vc.pool, fact, &mut text);
        text.push_str(")\n");
    }
    for edge in edges {
        text.push_str(&format!("; is {edge} on a run that ends well?\n(push 1)\n(assert "));
        printer.write(&vc.pool, taken(&vc, edge), &mut text);
        text.push_str(")\n(check-sat)\n(pop 1)\n");
    }
    text
}

pub(crate) fn taken(vc: &Vc, block: Block) -> Term {
    vc.taken[block].expect("every block is encoded")
}

pub(crate) fn entry(function: &Function) -> Block {
    function.blocks.keys().next().expect("a function has a block")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::passive_form;
    use gainsay_ir::gc::Outcome;
    use gainsay_ir::parse;
    use gainsay_solver::Options;
    use gainsay_solver::programs::{FIRST, Places};
    use std::path::Path;
    use std::time::Duration;

    /// The impossible edges of the only function, as "condition outcome".
    fn impossible(text: &str) -> Vec<String> {
        let unit = parse::unit(text).unwrap();
        let function = passive_form(&unit, &unit.functions[0]).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin");
        let mut places = Places::of_this_process();
        places.directories.insert(0, root);
        let program = places.find(FIRST).unwrap_or_else(|error| panic!("{error}"));
        let mut session = Session::new(&program, &Options::default());
        let budget = Budget { effort: 1_000_000, backstop: Duration::from_secs(20) };
        let edges = decide(&mut session, &unit, &function, budget);
        assert!(edges.undecided.is_empty(), "{edges:?}");
        let name = |&block: &Block| {
            let branch = function.blocks[block].branch.unwrap();
            format!("{} {}", branch.condition, if branch.outcome == Outcome::True { "true" } else { "false" })
        };
        edges.impossible.iter().map(name).collect()
    }

    const HEAD: &str = "target ptr64 little\nfunction @f(ptr, i32) -> i32 external\nfunction @g() external\n\n\
                        func @f(p: ptr, n: i32) -> i32 {\n  var x: i32\n  tmp t: i32\n  obj o: 8 align 4\n";

    #[test]
    fn checked_too_late() {
        let text = "b0:\n  assert null p != null\n  t = load i32 #i32 p\n  goto b1, b2\n\
                    b1: [if true 0]\n  assume p == null\n  goto b3\nb2: [if false 0]\n  assume p != null\n  goto b3\n\
                    b3:\n  return t\n}\n";
        assert_eq!(impossible(&format!("{HEAD}{text}")), ["0 true"]);
    }

    #[test]
    fn fatal_branch_and_its_other_side() {
        let text = "b0:\n  x = 1i32\n  goto b1, b2\nb1: [if true 0]\n  assume n == 0i32\n  x = 0i32\n  goto b3\n\
                    b2: [if false 0]\n  assume n != 0i32\n  goto b3\nb3:\n  assert division x != 0i32\n  return n /s x\n}\n";
        assert_eq!(impossible(&format!("{HEAD}{text}")), ["0 true"]);
    }

    #[test]
    fn memory_is_remembered_until_something_may_change_it() {
        let test = "  t = load i32 #i32 p\n  goto b1, b2\nb1: [if true 0]\n  assume t == 1i32\n  goto b3\n\
                    b2: [if false 0]\n  assume t != 1i32\n  goto b3\nb3:\n  return t\n}\n";
        let kept = format!("{HEAD}b0:\n  store i32 #i32 p, 1i32\n  store i32 #i32 &o, n\n{test}");
        assert_eq!(impossible(&kept), ["0 false"]);
        let called = format!("{HEAD}b0:\n  store i32 #i32 p, 1i32\n  call @g()\n{test}");
        assert!(impossible(&called).is_empty());
        let overlapped =
            format!("{HEAD}b0:\n  store i32 #i32 p, 1i32\n  store i8 #any p +p 1i64, trunc8(n)\n{test}");
        assert!(impossible(&overlapped).is_empty());
    }

    #[test]
    fn an_edge_taken_in_a_late_iteration_is_possible() {
        let text = "b0:\n  x = 0i32\n  goto b1\nb1:\n  goto b2, b3\nb2: [loop-entry true 0]\n  assume x <s n\n  x = x + 1i32\n\
                    goto b4, b5\nb3: [loop-entry false 0]\n  assume n <=s x\n  return x\nb4: [if true 1]\n  assume x == 5i32\n\
                    return 7i32\nb5: [if false 1]\n  assume x != 5i32\n  goto b1\n}\n";
        assert!(impossible(&format!("{HEAD}{text}")).is_empty());
    }

    #[test]
    fn the_questions_can_be_asked_by_hand() {
        let text = "b0:\n  goto b1, b2\nb1: [if true 0]\n  assume n == 0i32\n  return 1i32\n\
                    b2: [if false 0]\n  assume n != 0i32\n  return 2i32\n}\n";
        let unit = parse::unit(&format!("{HEAD}{text}")).unwrap();
        let function = passive_form(&unit, &unit.functions[0]).unwrap();
        assert_eq!(questions(&unit, &function).matches("(check-sat)").count(), 2);
    }
}
