//! The search for inputs: a run is executed, and what it met tells a solver which other inputs lead elsewhere (concolic
//! execution; Godefroid, Klarlund, Sen: "DART: directed automated random testing", PLDI 2005). The ways that lead closer to the
//! edge are tried first.
//!
//! The solver only proposes: what counts is the next run.

use super::inputs::{Inputs, Key, Shared};
use super::machine::{Alternative, End, Fork, Machine, Run};
use super::{Bodies, Goal};
use gainsay_ir::gc;
use gainsay_ir::types::Type;
use gainsay_solver::{Answer, Budget, Session, Sort, Term, TermPool, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// Runs, and questions for inputs of the next one.
const RUNS: u32 = 48;
const QUESTIONS: u32 = 96;

/// What numbers among the inputs are tried first: a loop that goes so far is executed.
const SMALL: u128 = 256;
const MEDIUM: u128 = 1 << 16;

/// Commands of one run, and of all.
const STEPS: u64 = 3_000_000;
const ALL_STEPS: u64 = 8_000_000;

/// How often another way is tried at one place.
const TRIES: u32 = 4;

const BUDGET: Budget = Budget { effort: 2_000, backstop: Duration::from_secs(20) };

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
        n_leads: 0,
        tries: BTreeMap::new(),
        found: Found::default(),
        questions: QUESTIONS,
        steps: 0,
    };
    let mut next = Some(Inputs::default());
    for _ in 0..RUNS {
        let Some(inputs) = next else { break };
        if searcher.run(unit, bodies, goal, inputs) || searcher.steps >= ALL_STEPS {
            break;
        }
        next = searcher.next();
    }
    searcher.found
}

struct Searcher<'a> {
    session: &'a mut Session,
    pool: TermPool,
    shared: Shared,
    /// The closest first; of those the ones that were found first.
    leads: BTreeMap<(u32, u32), Lead>,
    n_leads: u32,
    tries: BTreeMap<(u32, gc::Block, bool), u32>,
    found: Found,
    questions: u32,
    steps: u64,
}

impl Searcher<'_> {
    fn run(&mut self, unit: &gc::Unit, bodies: &Bodies, goal: &Goal, inputs: Inputs) -> bool {
        let limit = self.steps + STEPS;
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
        for fork in forks {
            self.n_leads += 1;
            self.leads.insert((fork.distance, self.n_leads), Lead { fork, of: Rc::clone(&of) });
        }
        self.found.is_met
    }

    /// Inputs of another run.
    fn next(&mut self) -> Option<Inputs> {
        while self.questions > 0 {
            let (_, lead) = self.leads.pop_first()?;
            let (depth, block) = lead.fork.place;
            let tries = self.tries.entry((depth, block, lead.fork.distance == 0)).or_default();
            *tries += 1;
            let most = if lead.fork.distance == 0 { 4 * TRIES } else { TRIES };
            if *tries > most {
                continue;
            }
            let (run, inputs) = &*lead.of;
            match lead.fork.to {
                Alternative::Way(key, way) => {
                    let mut inputs = inputs.clone();
                    inputs.set(key, way);
                    return Some(inputs);
                }
                Alternative::Holds(condition) => {
                    let held = &run.conditions[..lead.fork.n_conditions];
                    if let Some(inputs) = self.solve(run, inputs, held, condition) {
                        return Some(inputs);
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
        let (mut pinned, mut small, mut medium) = (Vec::new(), Vec::new(), Vec::new());
        for asked in run.inputs.values() {
            match (asked.ty, self.pool.sort(asked.term)) {
                (Type::Ptr, Sort::BitVec(width)) => {
                    let same = self.pool.bits(width, asked.bits);
                    pinned.push(self.pool.eq(asked.term, same));
                }
                (_, Sort::BitVec(width)) if width > 16 => {
                    let by = self.pool.bits(width, 16);
                    let above = self.pool.bv_add(asked.term, by);
                    for (most, list) in [(SMALL, &mut small), (MEDIUM, &mut medium)] {
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
            match self.session.check(&self.pool, &assumed, BUDGET) {
                Answer::Sat => return self.values(run, inputs),
                Answer::Unsat | Answer::Unknown(_) => {}
            }
        }
        None
    }

    fn values(&mut self, run: &Run, inputs: &Inputs) -> Option<Inputs> {
        let keys: Vec<Key> = run.inputs.keys().copied().collect();
        let terms: Vec<Term> = run.inputs.values().map(|asked| asked.term).collect();
        let values = self.session.values(&self.pool, &terms).ok()?;
        let mut inputs = inputs.clone();
        for (key, value) in keys.into_iter().zip(values) {
            match value {
                Value::Bool(value) => inputs.set(key, u128::from(value)),
                Value::Bits { value, .. } => inputs.set(key, value),
                Value::Array(_) => {}
            }
        }
        Some(inputs)
    }
}
