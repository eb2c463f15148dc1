//! Universal reachability (papers/universal-reachability, section 3; design.md, section 5): which edges lie on no
//! run that ends well?
//!
//! The solver is asked for a run that ends well and takes an edge that no run was found for yet. Each model covers a
//! whole run, so few questions are needed. By Theorem 1 of the paper the edges left over are exactly the wedges that
//! cannot terminate.

mod local;

use crate::edges::{Boundary, above, blocks_of_runs_through, branch_edges, dominators};
use crate::witness::{self, Open, Search};
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::smtlib::Printer;
use gainsay_solver::{Answer, Budget, Session};
use gainsay_term::Term;
use gainsay_vc::{Options, Vc, encode, encode_with};
use std::collections::VecDeque;

/// A function may cost as much as this many questions that reach their limit.
const QUESTIONS_PER_FUNCTION: u64 = 3;

/// Every question costs time in proportion to the formula, even an easy one: a huge function may ask fewer.
const WEIGHT_OF_QUESTIONS: u64 = 1_500_000;
const LEAST_QUESTIONS: u32 = 8;

/// Edges are asked about together while the blocks that runs through them can meet are at most this many times
/// those of the first one.
const BLOCKS_OF_GROUP: usize = 2;

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
    let options = Options::default();
    let mut search = Search::new(unit, function, &options);
    search.cover();
    ask(session, unit, function, &mut search, budget)
}

/// The same without a search for witnesses: every edge is asked about. For comparison.
pub fn decide_by_questions(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    budget: Budget,
) -> Edges {
    let options = Options::default();
    ask(session, unit, function, &mut Search::new(unit, function, &options), budget)
}

/// Asks the solver about what no witness was found for.
pub(crate) fn ask(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    search: &mut Search,
    budget: Budget,
) -> Edges {
    let open = search.open();
    if open == Open::default() {
        return Edges::default();
    }
    let can_end = witness::can_end(function);
    let edges = Edges::default();
    let n_local = local::how_many(function);
    let spent = Spent::default();
    let mut asker = Asker { session, unit, function, search, can_end, budget, spent, edges, n_local };
    if open.entry && !asker.can_end_well() {
        return Edges { never_ends: true, ..asker.edges };
    }
    asker.ask_edges();
    asker.ask_boundaries();
    asker.edges.impossible.sort();
    asker.edges.undecided.sort();
    asker.edges
}

struct Asker<'a, 's> {
    session: &'a mut Session,
    unit: &'a gc::Unit,
    function: &'a Function,
    search: &'a mut Search<'s>,
    can_end: EntitySet<Block>,
    budget: Budget,
    spent: Spent,
    edges: Edges,
    /// How many small questions may still be asked.
    n_local: usize,
}

/// What was asked so far.
#[derive(Default)]
struct Spent {
    /// Of the formulas of all questions.
    weight: u64,
    /// In thousandths of a question that reaches its limit.
    thousandths: u64,
}

impl Asker<'_, '_> {
    /// The problem of the runs within the blocks that end well.
    fn pose(&mut self, within: EntitySet<Block>) -> Vc {
        let options = Options { within: Some(within), ..Options::default() };
        let vc = encode_with(self.unit, self.function, &options);
        tell(self.session, &vc);
        vc
    }

    fn check(&mut self, vc: &Vc, assumptions: &[Term]) -> Answer {
        let budget = scaled(self.budget, vc);
        let before = self.session.effort();
        let answer = self.session.check(&vc.pool, assumptions, budget);
        self.edges.questions += 1;
        self.spent.weight += vc.weight();
        self.spent.thousandths +=
            (self.session.effort() - before).saturating_mul(1000) / budget.effort.max(1);
        answer
    }

    fn is_spent(&self) -> bool {
        self.spent.thousandths >= 1000 * QUESTIONS_PER_FUNCTION
            || self.spent.weight >= WEIGHT_OF_QUESTIONS && self.edges.questions >= LEAST_QUESTIONS
    }

    /// False if no run ends well.
    fn can_end_well(&mut self) -> bool {
        let mut vc = self.pose(self.can_end.clone());
        match self.check(&vc, &[]) {
            Answer::Sat => self.follow(&mut vc),
            Answer::Unsat => return false,
            Answer::Unknown(_) => self.edges.undecided.push(entry(self.function)),
        }
        true
    }

    /// The run of the model passes many edges, and from it the search may find others.
    fn follow(&mut self, vc: &mut Vc) {
        let is_asked =
            |&block: &Block| vc.taken[block].is_some() && self.function.blocks[block].branch.is_some();
        let blocks: Vec<Block> = self.function.blocks.keys().filter(is_asked).collect();
        let terms: Vec<Term> = blocks.iter().map(|&block| taken(vc, block)).collect();
        if let Ok(values) = self.session.truths(&mut vc.pool, &terms) {
            let run: Vec<Block> = blocks
                .iter()
                .zip(values)
                .filter(|(_, is_taken)| *is_taken)
                .map(|(&block, _)| block)
                .collect();
            self.search.follow(&run);
        }
    }

    fn ask_edges(&mut self) {
        let dominators = dominators(self.function);
        let mut rest: Vec<Block> = self.search.open().edges;
        self.strike_out_local(&mut rest, &dominators);
        while !rest.is_empty() {
            let (group, within) = self.next_group(&mut rest, &dominators);
            if !group.is_empty() {
                self.ask_group(group, within);
                rest.retain(|&edge| self.search.is_open(edge));
            }
        }
    }

    /// Takes out the edges that are impossible by what every run through them passes.
    fn strike_out_local(&mut self, rest: &mut Vec<Block>, dominators: &SecondaryMap<Block, Option<Block>>) {
        rest.retain(|&edge| {
            let is_settled = !self.can_end.contains(edge) || self.is_dominated(edge, dominators);
            let is_impossible = is_settled || self.is_locally_impossible(edge);
            if is_impossible {
                insert_sorted(&mut self.edges.impossible, edge);
            }
            !is_impossible
        });
    }

    /// What hangs on an impossible edge is impossible as well.
    fn is_dominated(&self, edge: Block, dominators: &SecondaryMap<Block, Option<Block>>) -> bool {
        above(dominators, edge).any(|block| self.edges.impossible.binary_search(&block).is_ok())
    }

    /// The first edges that are still open and that have much of the function in common.
    fn next_group(
        &mut self,
        rest: &mut Vec<Block>,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> (VecDeque<Block>, EntitySet<Block>) {
        let mut group: VecDeque<Block> = VecDeque::new();
        let mut within: EntitySet<Block> = EntitySet::new();
        let mut most = 0;
        rest.retain(|&edge| {
            if self.is_dominated(edge, dominators) {
                insert_sorted(&mut self.edges.impossible, edge);
                return false;
            }
            // The edges below an edge of the group wait for what becomes of it.
            if above(dominators, edge).any(|block| group.contains(&block)) {
                return true;
            }
            let all: Vec<Block> = self.blocks_through(edge);
            let n_new = all.iter().filter(|&&block| !within.contains(block)).count();
            let n_known = within.iter().count();
            if group.is_empty() {
                most = BLOCKS_OF_GROUP * all.len();
            } else if n_known + n_new > most {
                return true;
            }
            group.push_back(edge);
            within.extend(all);
            false
        });
        (group, within)
    }

    /// The blocks of the runs through the edge that may end well.
    fn blocks_through(&self, edge: Block) -> Vec<Block> {
        let all = blocks_of_runs_through(self.function, edge);
        all.iter().filter(|&block| self.can_end.contains(block)).collect()
    }

    /// Coverage by models: ask for a run that takes any of the open edges, strike out what it takes, and go on until
    /// there is none. Edges that resist are asked about one by one.
    fn ask_group(&mut self, mut open: VecDeque<Block>, within: EntitySet<Block>) {
        let mut vc = self.pose(within);
        open.retain(|&edge| {
            let is_never = vc.pool.as_bool(taken(&vc, edge)) == Some(false);
            if is_never {
                insert_sorted(&mut self.edges.impossible, edge);
            }
            !is_never
        });
        while open.len() > 1 && !self.is_spent() {
            let terms: Vec<Term> = open.iter().map(|&edge| taken(&vc, edge)).collect();
            let any = vc.pool.any(&terms);
            match self.check(&vc, &[any]) {
                Answer::Sat => {
                    let before = open.len();
                    self.follow(&mut vc);
                    open.retain(|&edge| self.search.is_open(edge));
                    if open.len() == before {
                        break;
                    }
                }
                Answer::Unsat => {
                    open.drain(..).for_each(|edge| insert_sorted(&mut self.edges.impossible, edge));
                }
                Answer::Unknown(_) => break,
            }
        }
        while let Some(edge) = open.pop_front() {
            if !self.search.is_open(edge) {
                continue;
            }
            if self.is_spent() {
                self.edges.undecided.push(edge);
                continue;
            }
            match self.check(&vc, &[taken(&vc, edge)]) {
                Answer::Sat => self.follow(&mut vc),
                Answer::Unsat => insert_sorted(&mut self.edges.impossible, edge),
                Answer::Unknown(_) => self.edges.undecided.push(edge),
            }
        }
    }

    /// Boundary wedges (papers/universal-reachability, section 4): the edge with its condition narrowed to the last
    /// value that it lets through. Answers "unknown" are not worth a word: the edge itself is decided.
    fn ask_boundaries(&mut self) {
        let open: Vec<(Block, Boundary)> = self.search.open().boundaries;
        let (impossible, undecided) = (&self.edges.impossible, &self.edges.undecided);
        let is_possible = |edge: &Block| !impossible.contains(edge) && !undecided.contains(edge);
        let mut open: Vec<(Block, Boundary)> =
            open.into_iter().filter(|(edge, _)| is_possible(edge)).collect();
        // One that cannot come is no news.
        open.retain(|&(edge, boundary)| !self.comes_locally_not(edge, boundary));
        if open.is_empty() {
            return;
        }
        let mut within: EntitySet<Block> = EntitySet::new();
        for &(edge, _) in &open {
            within.extend(self.blocks_through(edge));
        }
        let mut vc = self.pose(within);
        let mut open: VecDeque<(Block, Term)> = open
            .into_iter()
            .filter_map(|(edge, boundary)| {
                let condition = boundary_term(&mut vc, boundary)?;
                let taken = taken(&vc, edge);
                Some((edge, vc.pool.and(taken, condition)))
            })
            .collect();
        for _ in 0..(WEIGHT_OF_QUESTIONS / vc.weight().max(1)).min(BOUNDARY_QUESTIONS) {
            let terms: Vec<Term> = open.iter().map(|&(_, term)| term).collect();
            if terms.is_empty() {
                return;
            }
            let any = vc.pool.any(&terms);
            match self.check(&vc, &[any]) {
                Answer::Sat => {
                    let Ok(values) = self.session.values(&vc.pool, &terms) else { return };
                    let mut values = values.iter();
                    open.retain(|_| values.next().and_then(|value| value.as_bool()) != Some(true));
                }
                Answer::Unsat => {
                    self.edges.impossible_boundaries.extend(open.drain(..).map(|(edge, _)| edge));
                    self.edges.impossible_boundaries.sort();
                }
                Answer::Unknown(_) => return,
            }
        }
    }
}

fn insert_sorted(blocks: &mut Vec<Block>, block: Block) {
    if let Err(place) = blocks.binary_search(&block) {
        blocks.insert(place, block);
    }
}

/// A conflict in a large problem costs more than one in a small problem, so there may be fewer of them.
pub(crate) fn scaled(budget: Budget, vc: &Vc) -> Budget {
    const SMALL: u64 = 500;
    const LEAST: u64 = 600;
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
    use gainsay_solver::programs::{FIRST, SolverDirectories};
    use std::path::Path;
    use std::time::Duration;

    /// The impossible edges of the only function, as "condition outcome".
    fn impossible(text: &str) -> Vec<String> {
        let unit = parse::unit(text).unwrap();
        let function = passive_form(&unit, &unit.functions[0]).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin");
        let mut places = SolverDirectories::of_this_process().unwrap_or_else(|error| panic!("{error}"));
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

    /// `x = 0; if (a0 == 0) goto end; ... x = n; if (a20 == 0) goto end; ... end: if (x) ...`
    #[test]
    fn a_value_that_comes_from_far_away_needs_no_question() {
        const TESTS: usize = 40;
        let params: String = (0..TESTS).map(|i| format!(", a{i}: i32")).collect();
        let types = ", i32".repeat(TESTS);
        let mut text = format!(
            "target ptr64 little\nfunction @f(i32{types}) -> i32 external\n\nfunc @f(n: i32{params}) -> i32 {{\n  var x: i32\n"
        );
        let block = |i: usize, rest: String| format!("b{i}:{rest}");
        text += "b0:\n  x = 0i32\n  goto b1, b2\n";
        let end = 3 * TESTS;
        for i in 0..TESTS {
            let (yes, no, next) = (3 * i + 1, 3 * i + 2, 3 * i + 3);
            text += &block(yes, format!(" [if true {i}]\n  assume a{i} == 0i32\n  goto b{end}\n"));
            text += &block(no, format!(" [if false {i}]\n  assume a{i} != 0i32\n  goto b{next}\n"));
            if next < end {
                let set = if i == TESTS / 2 { "  x = n\n" } else { "" };
                text += &block(next, format!("\n{set}  goto b{}, b{}\n", next + 1, next + 2));
            }
        }
        let (yes, no) = (end + 1, end + 2);
        text += &block(end, format!("\n  goto b{yes}, b{no}\n"));
        text += &block(yes, format!(" [if true {TESTS}]\n  assume x != 0i32\n  return 1i32\n"));
        text += &block(no, format!(" [if false {TESTS}]\n  assume x == 0i32\n  return 0i32\n}}\n"));
        let unit = parse::unit(&text).unwrap();
        let function = passive_form(&unit, &unit.functions[0]).unwrap();
        let options = gainsay_vc::Options::default();
        let mut search = Search::new(&unit, &function, &options);
        search.cover();
        assert_eq!(search.open(), Open::default());
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
