//! One exact run: the function is executed on chosen inputs until it ends, or passes the edge at the wanted distance from
//! its boundary.
//!
//! Inputs are parameters, contents of memory at entry, results and effects of functions without a body, and volatile
//! reads. Everything else is computed, or is *in doubt*: then the run ends where a branch depends on it. So a run that
//! meets the goal is a run of the program, however the inputs were chosen.

use super::inputs::{InputKey, Inputs, SharedRegions, Site};
use super::memory::Memory;
use super::value::{ExactValue, sort_of};
use super::{Bodies, BoundaryGoal};
use crate::limits::{NESTED_CALLS, RECORDED_CONDITIONS};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use gainsay_ir::eval::mask;
use gainsay_ir::gc::{self, Block, CmdKind, Expr, Function, FunctionFacts, Next, Object, SymbolKind, Var};
use gainsay_ir::types::Type;
use gainsay_term::{Sort, Term, TermPool};
use std::collections::BTreeMap;

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It passed the edge at the wanted distance.
    Met,
    /// The program ended or failed, or no successor is open.
    Over,
    /// A branch depends on something in doubt.
    Doubtful,
    OutOfSteps,
}

/// A branch that the run could have taken with other inputs.
#[derive(Clone, Debug)]
pub(super) struct Fork {
    pub(super) to: Alternative,
    /// The number of conditions that the run has passed before it.
    pub(super) n_conditions: usize,
    /// The distance from there to the edge, in blocks.
    pub(super) distance: u32,
    /// Depth and block, to count the forks of one branch.
    pub(super) place: (u32, Block),
}

#[derive(Clone, Debug)]
pub(super) enum Alternative {
    /// The condition holds as well.
    Holds(Term),
    /// Another of several open successors.
    Successor(InputKey, u128),
}

/// The record of a run.
pub(super) struct Run {
    pub(super) end: End,
    pub(super) conditions: Vec<Term>,
    pub(super) forks: Vec<Fork>,
    /// Distances from the boundary at which the edge was passed, other than the wanted one.
    pub(super) distances: Vec<u128>,
    pub(super) inputs: BTreeMap<InputKey, UsedInput>,
    pub(super) needs_unit: bool,
}

/// An input that the run has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedInput {
    pub(super) term: Term,
    pub(super) ty: Type,
    pub(super) bits: u128,
}

pub(super) struct Machine<'a> {
    pub(super) unit: &'a gc::Unit,
    pub(super) bodies: &'a Bodies<'a>,
    pub(super) goal: &'a BoundaryGoal<'a>,
    pub(super) pool: &'a mut TermPool,
    pub(super) shared: &'a mut SharedRegions,
    pub(super) chosen: &'a Inputs,
    pub(super) memory: Memory,
    pub(super) steps: &'a mut u64,
    pub(super) limit: u64,
    pub(super) depth: usize,
    /// How often each site that needs an input was executed.
    visits: BTreeMap<Site, u32>,
    pub(super) run: Run,
    /// The current block of the analysed function, also while callees are executed.
    outer: Block,
}

pub(super) struct Frame<'f> {
    pub(super) f: &'f Function,
    pub(super) types: PrimaryMap<Expr, Type>,
    pub(super) vars: SecondaryMap<Var, ExactValue>,
    pub(super) initialised: SecondaryMap<Var, bool>,
    pub(super) objects: SecondaryMap<Object, Option<u32>>,
}

impl Default for ExactValue {
    fn default() -> ExactValue {
        ExactValue::DOUBTFUL
    }
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        unit: &'a gc::Unit,
        bodies: &'a Bodies<'a>,
        goal: &'a BoundaryGoal<'a>,
        (pool, shared): (&'a mut TermPool, &'a mut SharedRegions),
        chosen: &'a Inputs,
        (steps, limit): (&'a mut u64, u64),
    ) -> Machine<'a> {
        let run = Run {
            end: End::Over,
            conditions: Vec::new(),
            forks: Vec::new(),
            distances: Vec::new(),
            inputs: BTreeMap::new(),
            needs_unit: false,
        };
        Machine {
            unit,
            bodies,
            goal,
            pool,
            shared,
            chosen,
            memory: Memory::new(unit.target.pointer_bits),
            steps,
            limit,
            depth: 0,
            visits: BTreeMap::new(),
            run,
            outer: Block::from_u32(0),
        }
    }

    /// A fact about the parameters from the declaration of the analysed function, one bit each.
    pub(super) fn goal_facts(&self, of: impl Fn(&FunctionFacts) -> u64) -> u64 {
        match &self.unit.symbols[self.goal.f.symbol].kind {
            SymbolKind::Function(facts) => of(facts),
            SymbolKind::Object(_) => 0,
        }
    }

    pub(super) fn execute(mut self) -> Run {
        let f = self.goal.f;
        let mut frame = self.frame(f);
        let mut begins = Ok(());
        for (number, &param) in f.params.iter().enumerate() {
            let is_bool = self.goal_facts(|facts| facts.bools) >> number.min(63) & 1 == 1;
            let plain = is_bool.then_some(self.chosen.plain & 1);
            let value = self.input(InputKey::Param(number as u32), f.vars[param].ty, plain);
            begins = begins.and_then(|()| if is_bool { possible_bool(value) } else { Ok(()) });
            frame.set(param, value);
        }
        self.run.end = match begins.and_then(|()| self.function(&mut frame)) {
            Ok(_) => End::Over,
            Err(end) => end,
        };
        self.run
    }

    pub(super) fn frame<'f>(&self, f: &'f Function) -> Frame<'f> {
        Frame {
            f,
            types: f.types(self.unit.target.pointer_bits),
            vars: SecondaryMap::new(),
            initialised: SecondaryMap::new(),
            objects: SecondaryMap::new(),
        }
    }

    pub(super) fn pointer_bits(&self) -> u16 {
        self.unit.target.pointer_bits
    }

    /// Executes a function and gives its result.
    pub(super) fn function(&mut self, frame: &mut Frame) -> Result<ExactValue, End> {
        self.depth += 1;
        if self.depth > NESTED_CALLS {
            return Err(End::Doubtful);
        }
        let mut block = Block::from_u32(0);
        let mut is_tested = false;
        let result = loop {
            if self.depth == 1 {
                self.outer = block;
            }
            let data = &frame.f.blocks[block];
            for (index, cmd) in data.cmds.iter().enumerate().skip(usize::from(is_tested)) {
                *self.steps += 1;
                if *self.steps > self.limit {
                    return Err(End::OutOfSteps);
                }
                self.command(frame, Site { f: frame.f.symbol, block, index: index as u32 }, cmd)?;
            }
            *self.steps += 1;
            match &data.next {
                Next::Goto(targets) => block = self.choose(frame, block, targets)?,
                Next::Return(value) => break value.map(|value| self.expr(frame, value)).transpose()?,
                Next::Raise | Next::Error => return Err(End::Over),
            }
            is_tested =
                matches!(frame.f.blocks[block].cmds.first().map(|cmd| &cmd.kind), Some(CmdKind::Assume(_)));
        };
        for region in frame.objects.values().copied().flatten() {
            if let Some(region) = self.memory.regions.get_mut(&region) {
                region.is_live = false;
            }
        }
        self.depth -= 1;
        Ok(result.unwrap_or(ExactValue::DOUBTFUL))
    }

    /// The next block: one whose condition holds.
    fn choose(&mut self, frame: &mut Frame, block: Block, targets: &[Block]) -> Result<Block, End> {
        if *self.steps > self.limit {
            return Err(End::OutOfSteps);
        }
        let mut open: Vec<(Block, ExactValue)> = Vec::new();
        let n_conditions = self.run.conditions.len();
        for &target in targets {
            let first = frame.f.blocks[target].cmds.first().map(|cmd| &cmd.kind);
            let value = match first {
                Some(CmdKind::Assume(condition)) => self.expr(frame, *condition)?,
                _ => ExactValue::boolean(true),
            };
            if value.doubtful {
                return Err(End::Doubtful);
            }
            if value.is_true() {
                open.push((target, value));
            } else if let Some(term) = value.term {
                self.fork(block, target, Alternative::Holds(term), n_conditions);
            }
            if self.is_goal(frame, target) {
                self.consider_goal(frame, block, target, value)?;
            }
        }
        let (target, value) = match open.as_slice() {
            [] => return Err(End::Over),
            [only] => *only,
            several => {
                let site = Site { f: frame.f.symbol, block, index: u32::MAX };
                let key = InputKey::Successor(site, self.visit(site));
                let choice = self.chosen.get(&key).unwrap_or(0) as usize;
                for number in (0..several.len()).filter(|&number| number != choice) {
                    let to = Alternative::Successor(key, number as u128);
                    self.fork(block, several[number].0, to, n_conditions);
                }
                *several.get(choice).ok_or(End::Over)?
            }
        };
        self.hold(value);
        if self.is_goal(frame, target) {
            self.pass_goal(frame)?;
        }
        Ok(target)
    }

    fn is_goal(&self, frame: &Frame, target: Block) -> bool {
        self.depth == 1 && target == self.goal.edge && std::ptr::eq(frame.f, self.goal.f)
    }

    /// Records a fork: other inputs may let the run pass the edge here at the wanted distance.
    fn consider_goal(
        &mut self,
        frame: &mut Frame,
        block: Block,
        target: Block,
        holds: ExactValue,
    ) -> Result<(), End> {
        let n_conditions = self.run.conditions.len();
        let (smaller, larger) = (self.expr(frame, self.goal.smaller)?, self.expr(frame, self.goal.larger)?);
        if smaller.term.is_none() && larger.term.is_none() {
            return Ok(());
        }
        let sort = sort_of(frame.types[self.goal.larger], self.pointer_bits());
        let (a, b) = (smaller.to_term(self.pool, sort), larger.to_term(self.pool, sort));
        let distance = self.pool.bv_sub(b, a);
        let wanted = self.pool.bits(self.pool.width(b), self.goal.distance);
        let is_wanted = self.pool.eq(distance, wanted);
        let holds = holds.to_term(self.pool, Sort::Bool);
        let both = self.pool.and(holds, is_wanted);
        self.fork(block, target, Alternative::Holds(both), n_conditions);
        Ok(())
    }

    /// The run takes the edge; ends it if the distance is the wanted one.
    fn pass_goal(&mut self, frame: &mut Frame) -> Result<(), End> {
        let (smaller, larger) = (self.expr(frame, self.goal.smaller)?, self.expr(frame, self.goal.larger)?);
        if smaller.doubtful || larger.doubtful {
            return Err(End::Doubtful);
        }
        let bits = frame.types[self.goal.larger].bits(self.pointer_bits());
        let distance = larger.bits.wrapping_sub(smaller.bits) & mask(bits);
        if distance == self.goal.distance {
            return Err(End::Met);
        }
        self.run.distances.push(distance);
        Ok(())
    }

    /// Records a condition that the run rests on.
    pub(super) fn hold(&mut self, value: ExactValue) {
        if let Some(term) = value.term
            && self.pool.as_bool(term).is_none()
            && self.run.conditions.len() < RECORDED_CONDITIONS
        {
            self.run.conditions.push(term);
        }
    }

    pub(super) fn fork(&mut self, block: Block, target: Block, to: Alternative, n_conditions: usize) {
        let is_settled = matches!(to, Alternative::Holds(term) if self.pool.as_bool(term).is_some());
        if is_settled || n_conditions >= RECORDED_CONDITIONS || self.run.forks.len() >= RECORDED_CONDITIONS {
            return;
        }
        let near = if self.depth == 1 { target } else { self.outer };
        let Some(distance) = self.goal.distances[near] else { return };
        let distance = if self.depth == 1 { distance } else { distance + 1 };
        let place = (self.depth as u32, if self.depth == 1 { target } else { block });
        self.run.forks.push(Fork { to, n_conditions, distance, place });
    }

    /// How often the site was executed before.
    pub(super) fn visit(&mut self, site: Site) -> u32 {
        let visits = self.visits.entry(site).or_default();
        *visits += 1;
        *visits - 1
    }
}

impl Frame<'_> {
    pub(super) fn set(&mut self, var: Var, value: ExactValue) {
        self.vars[var] = value;
        self.initialised[var] = true;
    }
}

/// Ends the run if a `_Bool` is neither 0 nor 1: no run without an error has such a value.
pub(super) fn possible_bool(value: ExactValue) -> Result<(), End> {
    if !value.doubtful && value.bits > 1 { Err(End::Over) } else { Ok(()) }
}
