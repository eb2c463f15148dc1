//! Which edges lie on no run that ends well (universal-reachability, section 3)?
//!
//! The solver is asked for a run that ends well and takes an edge for which no run is known. Each model covers a whole
//! run, so few questions are needed. By Theorem 1 of the paper the remaining edges are exactly the wedges that cannot
//! terminate.

use super::formula::{assert_run, boundary_term, entry, scaled, taken};
use super::must_pass;
use crate::edges::{Boundary, Dominators, above, blocks_of_runs_through, dominators};
use crate::limits::{
    BOUNDARY_QUESTIONS, EXHAUSTED_QUESTIONS, GROUP_GROWTH, LEAST_QUESTIONS, QUESTION_WEIGHT,
};
use crate::witness::{self, Open, Search};
use cranelift_entity::EntitySet;
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::{Answer, Budget, Session};
use gainsay_term::Term;
use gainsay_vc::{Options, Vc, encode_with};
use std::collections::VecDeque;

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
pub(super) fn ask(
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
    let n_must_pass = must_pass::allowed_questions(function);
    let spent = Spent::default();
    let mut asker = Asker { session, unit, function, search, can_end, budget, spent, edges, n_must_pass };
    if open.entry && !asker.can_end_well() {
        return Edges { never_ends: true, ..asker.edges };
    }
    asker.ask_edges();
    asker.ask_boundaries();
    asker.edges.impossible.sort();
    asker.edges.undecided.sort();
    asker.edges
}

pub(super) struct Asker<'a, 's> {
    pub(super) session: &'a mut Session,
    pub(super) unit: &'a gc::Unit,
    pub(super) function: &'a Function,
    search: &'a mut Search<'s>,
    can_end: EntitySet<Block>,
    budget: Budget,
    spent: Spent,
    edges: Edges,
    /// How many small questions may still be asked.
    pub(super) n_must_pass: usize,
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
        assert_run(self.session, &vc);
        vc
    }

    pub(super) fn check(&mut self, vc: &Vc, assumptions: &[Term]) -> Answer {
        let budget = scaled(self.budget, vc);
        let before = self.session.effort();
        let answer = self.session.check(&vc.pool, assumptions, budget);
        self.edges.questions += 1;
        self.spent.weight += vc.weight();
        self.spent.thousandths +=
            (self.session.effort() - before).saturating_mul(1000) / budget.effort.max(1);
        answer
    }

    pub(super) fn is_spent(&self) -> bool {
        self.spent.thousandths >= 1000 * EXHAUSTED_QUESTIONS
            || self.spent.weight >= QUESTION_WEIGHT && self.edges.questions >= LEAST_QUESTIONS
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
        self.strike_out_by_must_pass(&mut rest, &dominators);
        while !rest.is_empty() {
            let (group, within) = self.next_group(&mut rest, &dominators);
            if !group.is_empty() {
                self.ask_group(group, within);
                rest.retain(|&edge| self.search.is_open(edge));
            }
        }
    }

    /// Takes out the edges that are impossible by what every run through them passes.
    fn strike_out_by_must_pass(&mut self, rest: &mut Vec<Block>, dominators: &Dominators) {
        rest.retain(|&edge| {
            let is_settled = !self.can_end.contains(edge) || self.is_dominated(edge, dominators);
            let is_impossible = is_settled || self.is_impossible_by_must_pass(edge);
            if is_impossible {
                insert_sorted(&mut self.edges.impossible, edge);
            }
            !is_impossible
        });
    }

    /// What hangs on an impossible edge is impossible as well.
    fn is_dominated(&self, edge: Block, dominators: &Dominators) -> bool {
        above(dominators, edge).any(|block| self.edges.impossible.binary_search(&block).is_ok())
    }

    /// The first edges that are still open and that have much of the function in common.
    fn next_group(
        &mut self,
        rest: &mut Vec<Block>,
        dominators: &Dominators,
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
                most = GROUP_GROWTH * all.len();
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
    pub(super) fn blocks_through(&self, edge: Block) -> Vec<Block> {
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
        open.retain(|&(edge, boundary)| !self.is_boundary_excluded(edge, boundary));
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
        for _ in 0..(QUESTION_WEIGHT / vc.weight().max(1)).min(BOUNDARY_QUESTIONS) {
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
