//! The search for inputs: a run is executed, and what it met tells a solver which other inputs lead elsewhere (concolic
//! execution; Godefroid, Klarlund, Sen: "DART: directed automated random testing", PLDI 2005). The ways that lead closer to the
//! edge are tried first.
//!
//! The solver only proposes: what counts is the next run.

use super::inputs::{Inputs, Key, Shared};
use super::machine::{Alternative, Asked, End, Fork, Machine, Run};
use super::{Bodies, Goal};
use crate::limits::{
    EXACT_RUNS, FORKS_PER_BRANCH, INPUT_QUESTION, INPUT_QUESTIONS, MEDIUM_INPUT, SMALL_INPUT, STEPS_PER_RUN,
    STEPS_PER_SEARCH,
};
use gainsay_ir::gc::{self, ExprData};
use gainsay_ir::types::Type;
use gainsay_solver::{Answer, Session};
use gainsay_term::{Sort, Term, TermPool, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// A run passes the edge as wanted.
    pub(super) is_met: bool,
    /// Other distances from the boundary at which runs passed the edge.
    pub(super) distances: Vec<u128>,
    pub(super) needs_unit: bool,
}

/// A way that no run has gone yet.
struct Lead {
    fork: Fork,
    of: Rc<(Run, Inputs)>,
}

pub(super) fn search(session: &mut Session, unit: &gc::Unit, bodies: &Bodies, goal: &Goal) -> Found {
    let mut searcher = Searcher {
        session,
        pool: TermPool::new(),
        shared: Shared::default(),
        leads: BTreeMap::new(),
        n_runs: 0,
        tries: BTreeMap::new(),
        found: Found::default(),
        questions: INPUT_QUESTIONS,
        steps: 0,
    };
    // A number of the comparison is often one that matters.
    let constant = |expr| match goal.f.exprs[expr] {
        ExprData::Const(_, bits) if bits <= MEDIUM_INPUT => Some(bits),
        _ => None,
    };
    let plain = [Some(0), constant(goal.larger), constant(goal.smaller), Some(1)].into_iter().flatten();
    let mut first: VecDeque<_> = plain.map(|plain| (Inputs::all(plain), None)).collect();
    for _ in 0..EXACT_RUNS {
        let Some(inputs) = first.pop_front().or_else(|| searcher.next()) else { break };
        if searcher.run(unit, bodies, goal, inputs) || searcher.steps >= STEPS_PER_SEARCH {
            break;
        }
    }
    searcher.found
}

struct Searcher<'a> {
    session: &'a mut Session,
    pool: TermPool,
    shared: Shared,
    /// The closest first; of those the ones of the last run, in its order.
    leads: BTreeMap<(u32, u32, u32), Lead>,
    n_runs: u32,
    tries: BTreeMap<(u32, gc::Block, bool), u32>,
    found: Found,
    questions: u32,
    steps: u64,
}

impl Searcher<'_> {
    /// `after`: how many conditions of the run were given.
    fn run(
        &mut self,
        unit: &gc::Unit,
        bodies: &Bodies,
        goal: &Goal,
        (inputs, after): (Inputs, Option<usize>),
    ) -> bool {
        let limit = self.steps + STEPS_PER_RUN;
        let tools = (&mut self.pool, &mut self.shared);
        let machine = Machine::new(unit, bodies, goal, tools, &inputs, (&mut self.steps, limit));
        let mut run = machine.execute();
        self.found.is_met |= run.end == End::Met;
        self.found.needs_unit |= run.needs_unit;
        self.found.distances.append(&mut run.distances);
        self.found.distances.sort_unstable();
        self.found.distances.dedup();
        let forks = std::mem::take(&mut run.forks);
        let of = Rc::new((run, inputs));
        self.n_runs += 1;
        // What was decided before the last fork is tried elsewhere (Godefroid, Levin, Molnar: "Automated whitebox fuzz
        // testing", NDSS 2008, section 3).
        let is_new = |fork: &Fork| after.is_none_or(|after| fork.n_conditions > after);
        for (number, fork) in forks.into_iter().filter(is_new).enumerate() {
            let key = (fork.distance, u32::MAX - self.n_runs, number as u32);
            self.leads.insert(key, Lead { fork, of: Rc::clone(&of) });
        }
        self.found.is_met
    }

    /// Inputs of another run, and how many conditions they are chosen for.
    fn next(&mut self) -> Option<(Inputs, Option<usize>)> {
        while self.questions > 0 {
            let (_, lead) = self.leads.pop_first()?;
            let (depth, block) = lead.fork.place;
            let tries = self.tries.entry((depth, block, lead.fork.distance == 0)).or_default();
            *tries += 1;
            if *tries > FORKS_PER_BRANCH {
                continue;
            }
            let (run, inputs) = &*lead.of;
            match lead.fork.to {
                Alternative::Way(key, way) => {
                    let mut inputs = inputs.clone();
                    inputs.set(key, way);
                    return Some((inputs, lead.fork.n_conditions.checked_sub(1)));
                }
                Alternative::Holds(condition) => {
                    let held = &run.conditions[..lead.fork.n_conditions];
                    if let Some(inputs) = self.solve(run, inputs, held, condition) {
                        return Some((inputs, Some(lead.fork.n_conditions)));
                    }
                }
            }
        }
        None
    }

    /// Inputs with which the run comes as far and the condition holds: plain ones, if there are such.
    fn solve(&mut self, run: &Run, inputs: &Inputs, held: &[Term], condition: Term) -> Option<Inputs> {
        self.session.reset();
        for &term in held {
            self.session.assert(&self.pool, term);
        }
        self.session.assert(&self.pool, condition);
        let all: Vec<Term> = held.iter().copied().chain([condition]).collect();
        let subterms: BTreeSet<Term> = self.pool.subterms(&all).into_iter().collect();
        let asked: Vec<(Key, Asked)> = run
            .inputs
            .iter()
            .filter(|(_, asked)| subterms.contains(&asked.term))
            .map(|(&key, &asked)| (key, asked))
            .collect();
        let (mut pinned, mut small, mut medium) = (Vec::new(), Vec::new(), Vec::new());
        for (_, asked) in &asked {
            match (asked.ty, self.pool.sort(asked.term)) {
                (Type::Ptr, Sort::BitVec(width)) => {
                    let same = self.pool.bits(width, asked.bits);
                    pinned.push(self.pool.eq(asked.term, same));
                }
                (_, Sort::BitVec(width)) if width > 16 => {
                    let by = self.pool.bits(width, 16);
                    let above = self.pool.bv_add(asked.term, by);
                    for (most, list) in [(SMALL_INPUT, &mut small), (MEDIUM_INPUT, &mut medium)] {
                        let most = self.pool.bits(width, most);
                        list.push(self.pool.bv_ult(above, most));
                    }
                }
                _ => {}
            }
        }
        let pinned = self.pool.all(&pinned);
        let [small, medium] = [small, medium].map(|terms| self.pool.all(&terms));
        for assumed in [vec![pinned, small], vec![pinned, medium], vec![pinned], vec![medium], Vec::new()] {
            self.questions = self.questions.checked_sub(1)?;
            match self.session.check(&self.pool, &assumed, INPUT_QUESTION) {
                Answer::Sat => return self.values(&asked, inputs),
                // Other values would not help.
                Answer::Unsat if self.session.core().is_some_and(<[Term]>::is_empty) => return None,
                Answer::Unsat | Answer::Unknown(_) => {}
            }
        }
        None
    }

    fn values(&mut self, asked: &[(Key, Asked)], inputs: &Inputs) -> Option<Inputs> {
        let terms: Vec<Term> = asked.iter().map(|(_, asked)| asked.term).collect();
        let values = self.session.values(&self.pool, &terms).ok()?;
        let mut inputs = inputs.clone();
        for (&(key, _), value) in asked.iter().zip(values) {
            match value {
                Value::Bool(value) => inputs.set(key, u128::from(value)),
                Value::Bits { value, .. } => inputs.set(key, value),
                Value::Array(_) => {}
            }
        }
        Some(inputs)
    }
}
