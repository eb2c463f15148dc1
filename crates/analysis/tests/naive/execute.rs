//! All runs of the operational semantics (Definitions 1 to 5): from every store, with every choice, and loops until no
//! new state appears.
//!
//! A state is a store and the remaining statement. The remaining statement is made of parts of the original that know
//! their paths, so a state shows which parts of the original are about to be executed: those in the hole of an evaluation
//! context of Figure 2.

use crate::store::{Set, Store, Stores};
use crate::syntax::{Function, Instruction, Path, Predicate, Program, Statement, below};
use crate::wp::Post;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A remaining statement, as an index.
type Rest = usize;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RestData {
    /// Its path in the original, if it is a part of it.
    at: Option<Path>,
    shape: Shape,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Skip,
    Raise,
    /// The instruction at this path of the original.
    Do(Path),
    Choice(Rest, Rest),
    Seq(Rest, Rest),
    Handle(Rest, Rest),
    Loop(Rest),
}

/// The result of one step.
enum Step {
    /// Any of these. None for a statement that is done, and for an assumption that does not hold.
    To(Vec<(Rest, Store)>),
    Wrong,
}

/// All runs of a statement.
pub struct Runs<'a> {
    program: &'a Program,
    statement: &'a Statement,
    stores: Stores,
    rests: Vec<RestData>,
    known: BTreeMap<RestData, Rest>,
    states: Vec<(Rest, Store)>,
    numbers: HashMap<(Rest, Store), usize>,
    /// The states that may follow each state.
    next: Vec<Vec<usize>>,
    /// The states that go wrong.
    wrong: Vec<bool>,
}

impl<'a> Runs<'a> {
    pub fn of(program: &'a Program, statement: &'a Statement) -> Self {
        let mut runs = Runs {
            program,
            statement,
            stores: program.stores(),
            rests: Vec::new(),
            known: BTreeMap::new(),
            states: Vec::new(),
            numbers: HashMap::new(),
            next: Vec::new(),
            wrong: Vec::new(),
        };
        let all = runs.part(statement, &[]);
        // The first states are the starts: the number of a start is its store.
        for store in runs.stores.all() {
            runs.state(all, store);
        }
        runs.explore();
        runs
    }

    fn part(&mut self, statement: &Statement, at: &[usize]) -> Rest {
        let parts: Vec<Rest> = statement
            .children()
            .into_iter()
            .enumerate()
            .map(|(child, statement)| self.part(statement, &below(at, child)))
            .collect();
        let shape = match statement {
            Statement::Do(_) => Shape::Do(at.to_vec()),
            Statement::Skip => Shape::Skip,
            Statement::Raise => Shape::Raise,
            Statement::Choice(..) => Shape::Choice(parts[0], parts[1]),
            Statement::Seq(..) => Shape::Seq(parts[0], parts[1]),
            Statement::Handle(..) => Shape::Handle(parts[0], parts[1]),
            Statement::Loop(_) => Shape::Loop(parts[0]),
        };
        self.rest(Some(at.to_vec()), shape)
    }

    fn rest(&mut self, at: Option<Path>, shape: Shape) -> Rest {
        let data = RestData { at, shape };
        if let Some(&rest) = self.known.get(&data) {
            return rest;
        }
        self.rests.push(data.clone());
        self.known.insert(data, self.rests.len() - 1);
        self.rests.len() - 1
    }

    fn made(&mut self, shape: Shape) -> Rest {
        self.rest(None, shape)
    }

    fn state(&mut self, rest: Rest, store: Store) -> usize {
        let number = self.states.len();
        if let Some(&known) = self.numbers.get(&(rest, store)) {
            return known;
        }
        self.numbers.insert((rest, store), number);
        self.states.push((rest, store));
        number
    }

    /// Explores all states.
    fn explore(&mut self) {
        while self.next.len() < self.states.len() {
            let (rest, store) = self.states[self.next.len()];
            let (next, wrong) = match self.step(rest, store) {
                Step::To(next) => (next, false),
                Step::Wrong => (Vec::new(), true),
            };
            let next = next.into_iter().map(|(rest, store)| self.state(rest, store)).collect();
            self.next.push(next);
            self.wrong.push(wrong);
        }
    }

    /// The evaluation relation of Definition 1.
    fn step(&mut self, rest: Rest, store: Store) -> Step {
        match self.rests[rest].shape.clone() {
            Shape::Skip | Shape::Raise => Step::To(Vec::new()),
            Shape::Do(at) => self.instruction(&at, store),
            Shape::Choice(a, b) => Step::To(vec![(a, store), (b, store)]),
            Shape::Seq(a, b) => match self.rests[a].shape {
                Shape::Skip => Step::To(vec![(b, store)]),
                Shape::Raise => Step::To(vec![(self.made(Shape::Raise), store)]),
                _ => self.step_inside(a, store, |a| Shape::Seq(a, b)),
            },
            Shape::Handle(a, b) => match self.rests[a].shape {
                Shape::Skip => Step::To(vec![(self.made(Shape::Skip), store)]),
                Shape::Raise => Step::To(vec![(b, store)]),
                _ => self.step_inside(a, store, |a| Shape::Handle(a, b)),
            },
            Shape::Loop(body) => {
                let (done, again) = (self.made(Shape::Skip), self.made(Shape::Seq(body, rest)));
                Step::To(vec![(done, store), (again, store)])
            }
        }
    }

    fn step_inside(&mut self, inner: Rest, store: Store, around: impl Fn(Rest) -> Shape) -> Step {
        match self.step(inner, store) {
            Step::To(next) => {
                Step::To(next.into_iter().map(|(inner, store)| (self.made(around(inner)), store)).collect())
            }
            Step::Wrong => Step::Wrong,
        }
    }

    fn instruction(&mut self, at: &[usize], store: Store) -> Step {
        let (program, stores) = (self.program, self.stores);
        let (skip, raise) = (self.made(Shape::Skip), self.made(Shape::Raise));
        let Statement::Do(instruction) = self.statement.at(at) else {
            unreachable!("a place of an instruction")
        };
        match instruction {
            Instruction::Assign(x, e) => {
                Step::To(vec![(skip, stores.with(store, *x, e.value(&stores, store)))])
            }
            Instruction::Havoc(x) => {
                Step::To(stores.values().map(|value| (skip, stores.with(store, *x, value))).collect())
            }
            Instruction::Assume(p) if !p.holds(&stores, store) => Step::To(Vec::new()),
            Instruction::Assert(p) if !p.holds(&stores, store) => Step::Wrong,
            Instruction::Assume(_) | Instruction::Assert(_) => Step::To(vec![(skip, store)]),
            // By its specification: any store that differs only in the targets of the callee.
            Instruction::Call(callee) => {
                let Function { requires, ensures, raises, body, .. } = &program.functions[*callee];
                if !requires.holds(&stores, store) {
                    return Step::Wrong;
                }
                let targets = program.targets(body);
                let kept: Vec<usize> = (0..stores.vars).filter(|var| !targets.contains(var)).collect();
                let may_follow = |after: &Store| {
                    kept.iter().all(|&var| stores.value(*after, var) == stores.value(store, var))
                };
                let after = || stores.all().filter(may_follow);
                let normally =
                    after().filter(|&after| ensures.holds(&stores, after)).map(|after| (skip, after));
                let raised =
                    after().filter(|&after| raises.holds(&stores, after)).map(|after| (raise, after));
                Step::To(normally.chain(raised).collect())
            }
        }
    }

    /// Is the run over, in `skip` or `raise`?
    fn is_end(&self, state: usize) -> bool {
        matches!(self.rests[self.states[state].0].shape, Shape::Skip | Shape::Raise)
    }

    /// For every state, whether a run from it reaches a goal.
    fn leading_to(&self, is_goal: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.states.len()];
        for (state, next) in self.next.iter().enumerate() {
            next.iter().for_each(|&next| before[next].push(state));
        }
        let mut leads = vec![false; self.states.len()];
        let mut work: Vec<usize> = (0..self.states.len()).filter(|&state| is_goal(state)).collect();
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut leads[state], true) {
                work.extend(&before[state]);
            }
        }
        leads
    }

    /// Definition 5.
    pub fn is_terminable(&self) -> bool {
        (0..self.states.len()).any(|state| self.is_end(state))
    }

    /// The parts that are not fatal (Definition 3): executed in a run that ends in `skip` or `raise`.
    pub fn surviving_parts(&self) -> BTreeSet<Path> {
        let ends = self.leading_to(|state| self.is_end(state));
        let rests: BTreeSet<Rest> =
            ends.iter().zip(&self.states).filter(|(ends, _)| **ends).map(|(_, s)| s.0).collect();
        rests
            .into_iter()
            .flat_map(|rest| self.parts_in_hole(rest))
            .filter_map(|rest| self.rests[rest].at.clone())
            .collect()
    }

    /// All `s` for which the remaining statement is `E[s]`, outermost first.
    fn parts_in_hole(&self, rest: Rest) -> Vec<Rest> {
        let mut parts_in_hole = vec![rest];
        while let Shape::Seq(inner, _) | Shape::Handle(inner, _) =
            self.rests[parts_in_hole[parts_in_hole.len() - 1]].shape
        {
            parts_in_hole.push(inner);
        }
        parts_in_hole
    }

    /// The starts from which no run ends in `skip` outside N or in `raise` outside X, or goes wrong outside W.
    pub fn satisfying(&self, post: &Post) -> Set {
        let violates = |state: usize| {
            let (rest, store) = self.states[state];
            match self.rests[rest].shape {
                Shape::Skip => !post.normal.contains(store),
                Shape::Raise => !post.raised.contains(store),
                _ => self.wrong[state] && !post.wrong.contains(store),
            }
        };
        let leads = self.leading_to(violates);
        self.stores.set(|start| !leads[start])
    }

    /// The starts from which every run ends, in success, in failure or stuck.
    pub fn finite(&self) -> Set {
        let mut before = vec![Vec::new(); self.states.len()];
        for (state, next) in self.next.iter().enumerate() {
            next.iter().for_each(|&next| before[next].push(state));
        }
        let mut open: Vec<usize> = self.next.iter().map(Vec::len).collect();
        let mut work: Vec<usize> = (0..open.len()).filter(|&state| open[state] == 0).collect();
        let mut finite = vec![false; open.len()];
        while let Some(state) = work.pop() {
            finite[state] = true;
            for &before in &before[state] {
                open[before] -= 1;
                if open[before] == 0 {
                    work.push(before);
                }
            }
        }
        self.stores.set(|start| finite[start])
    }

    /// Section 4: does a run reach the branch `assume P ; s'` in a store where `condition` holds, and can it then execute
    /// `s'` and all that follows and end well?
    pub fn survives_boundary(mut self, branch: &Path, condition: &Predicate) -> bool {
        let mut started = Vec::new();
        for (rest, store) in self.states.clone() {
            if condition.holds(&self.stores, store)
                && let Some(rest) = self.after_assume(rest, branch)
            {
                started.push(self.state(rest, store));
            }
        }
        self.explore();
        let ends = self.leading_to(|state| self.is_end(state));
        started.into_iter().any(|state| ends[state])
    }

    /// `E[s']` for the rest `E[assume P ; s']`, where the hole's statement is that branch.
    fn after_assume(&mut self, rest: Rest, branch: &Path) -> Option<Rest> {
        let RestData { at, shape } = self.rests[rest].clone();
        match shape {
            Shape::Seq(_, after) if at.as_ref() == Some(branch) => Some(after),
            Shape::Seq(inner, next) => {
                let inner = self.after_assume(inner, branch)?;
                Some(self.made(Shape::Seq(inner, next)))
            }
            Shape::Handle(inner, handler) => {
                let inner = self.after_assume(inner, branch)?;
                Some(self.made(Shape::Handle(inner, handler)))
            }
            _ => None,
        }
    }
}
