//! Blocks, edges and joins: the condition under which a run passes each block and takes each edge.

use super::address::Base;
use super::values::Unknown;
use super::{Encoder, Statement};
use gainsay_ir::gc::{self, Origin};
use gainsay_ir::passive::{Block, BlockData, Callee, Cmd, CmdKind, Effect, Next, Phi, Var, VarOf};
use gainsay_ir::types::BOOL;
use gainsay_term::Term;
use smallvec::SmallVec;

/// What a command means for the run.
pub(super) enum Event {
    Nothing,
    /// The run goes on only if this holds.
    Holds(Term),
    /// The run may end here, and acceptably.
    MayEnd,
}

impl Encoder<'_> {
    /// Encodes one block whose predecessors are encoded.
    pub(super) fn block(&mut self, block: Block, data: &BlockData) {
        let entered = self.entering(block);
        for phi in &data.phis {
            self.phi(block, phi);
        }
        let mut passed = entered;
        self.taken[block] = Some(entered);
        for (index, cmd) in data.cmds.iter().enumerate() {
            let statement = Statement { block, index: index as u32 };
            if self.options.checks_are_events && self.is_event(statement, cmd, passed) {
                continue;
            }
            match self.command(statement, cmd) {
                Event::Nothing => {}
                Event::Holds(holds) => {
                    if self.options.exact {
                        self.consider(statement, cmd, passed, holds);
                    }
                    passed = self.pool.and(passed, holds);
                    if index == 0 {
                        self.taken[block] = Some(passed);
                    }
                }
                Event::MayEnd => {
                    self.exact.out.approximate = true;
                    let stop = self.unknown(Unknown::Stop, BOOL);
                    let stopped = self.pool.and(passed, stop);
                    self.ended = self.pool.or(self.ended, stopped);
                    let on = self.pool.not(stop);
                    passed = self.pool.and(passed, on);
                }
            }
        }
        self.entered[block] = Some(entered);
        if matches!(data.next, Next::Return { .. } | Next::Raise) {
            self.ended = self.pool.or(self.ended, passed);
        }
        if matches!(data.next, Next::Error) {
            let may_end = self.may_end_in_error(Statement { block, index: data.cmds.len() as u32 });
            let ended = self.pool.and(passed, may_end);
            self.ended = self.pool.or(self.ended, ended);
        }
        self.leave(block, &data.next, passed);
    }

    pub(super) fn command(&mut self, statement: Statement, cmd: &Cmd) -> Event {
        match &cmd.kind {
            CmdKind::Define(var, value) => {
                let is_forgotten = self.options.forgotten.contains(&statement);
                let term = if is_forgotten { self.unknown_var(*var) } else { self.expr(*value) };
                if !is_forgotten && self.is_settled(*value) {
                    self.settled.insert(*var);
                }
                self.vars[*var] = Some(term);
                Event::Nothing
            }
            CmdKind::Assume(_) | CmdKind::Assert(..) if !self.counts(statement) => Event::Nothing,
            CmdKind::Assume(holds) | CmdKind::Assert(_, holds) => {
                let holds = self.expr(*holds);
                Event::Holds(self.switched(statement, holds))
            }
            CmdKind::Update { before, effect, .. } => {
                let event = self.effect(effect);
                if let (Effect::Allocate { pointer, size }, true) = (effect, self.options.exact) {
                    self.block_is_valid(*before, *pointer, *size);
                }
                event
            }
        }
    }

    pub(super) fn entering(&mut self, block: Block) -> Term {
        if self.options.must_pass_blocks.is_some() {
            return self.passed;
        }
        let is_entry = self.function.blocks.keys().next() == Some(block);
        if is_entry { self.pool.bool(true) } else { self.incoming[block].unwrap_or(self.never) }
    }

    /// The conditions of the outgoing edges. Edges of one branch of the source exclude each other by their guards. Any other
    /// choice is an unknown of its own; otherwise the value at a later join would prefer one of the edges.
    pub(super) fn leave(&mut self, block: Block, next: &Next, passed: Term) {
        let targets = next.targets();
        if self.options.must_pass_blocks.is_some() {
            self.passed = if targets.is_empty() { self.never } else { passed };
            return;
        }
        let mut rest = passed;
        for (i, &target) in targets.iter().enumerate() {
            if !self.is_of_interest(target) {
                continue;
            }
            let edge = if i + 1 == targets.len() || self.is_one_branch(targets) {
                rest
            } else {
                let choice = self.unknown(Unknown::Choice, BOOL);
                let edge = self.pool.and(rest, choice);
                let other = self.pool.not(choice);
                rest = self.pool.and(rest, other);
                edge
            };
            let known = self.edges.get(&(block, target)).copied().unwrap_or(self.never);
            let along = self.pool.or(known, edge);
            self.edges.insert((block, target), along);
            let others = self.incoming[target].unwrap_or(self.never);
            self.incoming[target] = Some(self.pool.or(others, edge));
        }
    }

    pub(super) fn is_one_branch(&self, targets: &[Block]) -> bool {
        if self.options.by_statement || self.options.only.is_some() {
            return false;
        }
        let branch = |block: &Block| self.function.blocks[*block].branch;
        let first = targets.first().and_then(branch);
        first.is_some_and(|first| {
            first.origin != Origin::Model
                && targets.iter().all(|target| branch(target).is_some_and(|b| b.condition == first.condition))
        })
    }

    /// The value of the edge that the run took. Memory is resolved by loads.
    pub(super) fn phi(&mut self, block: Block, phi: &Phi) {
        if self.function.vars[phi.var].of == VarOf::Memory {
            return;
        }
        if let Some(source) = self.source_on_route(block, phi) {
            self.vars[phi.var] = Some(self.var(source));
            return;
        }
        let mut value = None;
        for (edge, source) in self.sources(block, phi) {
            let source = self.var(source);
            value = Some(value.map_or(source, |others| self.pool.ite(edge, source, others)));
        }
        self.vars[phi.var] = value;
    }

    /// The sources of a phi along encoded edges, last first.
    pub(super) fn sources(&self, block: Block, phi: &Phi) -> SmallVec<[(Term, Var); 4]> {
        let edge = |&(pred, source)| Some((*self.edges.get(&(pred, block))?, source));
        phi.sources.iter().rev().filter_map(edge).collect()
    }

    /// The source of a phi, if only one path is encoded or of interest.
    pub(super) fn source_on_route(&self, block: Block, phi: &Phi) -> Option<Var> {
        if self.options.must_pass_blocks.is_some() {
            let mut sources = phi.sources.iter().filter(|(pred, _)| self.is_of_interest(*pred));
            let &(before, source) = sources.next()?;
            return (self.is_encoded(before) && sources.next().is_none()).then_some(source);
        }
        let before = self.route.as_ref()?[block]?;
        phi.sources.iter().find(|(pred, _)| *pred == before).map(|&(_, source)| source)
    }

    pub(super) fn is_encoded(&self, block: Block) -> bool {
        match &self.options.must_pass_blocks {
            Some(must_pass_blocks) => must_pass_blocks.contains(block),
            None => self.is_of_interest(block),
        }
    }

    pub(super) fn is_of_interest(&self, block: Block) -> bool {
        self.options.within.as_ref().is_none_or(|within| within.contains(block))
    }

    /// The facts that an effect establishes besides the new memory version.
    pub(super) fn effect(&mut self, effect: &Effect) -> Event {
        match effect {
            Effect::Alloca { pointer, size } => {
                let size = self.expr(*size);
                let base = self.var(*pointer);
                self.new_base(base, Base::Alloca, Some(size));
            }
            Effect::Allocate { pointer, size } => self.allocated(*pointer, *size),
            Effect::Free { pointer } => self.freed(*pointer),
            Effect::Call(call) => {
                if let (Some(result), Callee::Symbol(symbol)) = (call.result, call.callee)
                    && let gc::SymbolKind::Function(facts) = &self.unit.symbols[symbol].kind
                    && facts.returns_nonnull
                {
                    let result = self.var(result);
                    self.is_not_null(result);
                }
                if !call.returns {
                    return Event::MayEnd;
                }
            }
            _ => {}
        }
        Event::Nothing
    }
}
