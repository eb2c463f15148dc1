//! One exact run: the function is executed on chosen inputs, until it passes the edge at the wanted distance from its
//! boundary or ends.
//!
//! Inputs are parameters, contents of memory at entry, results and effects of functions that the run has no body
//! for, and volatile reads. Everything else is computed, or is *in doubt*: then no branch may depend on it. So what is found
//! here is a run of the program, whatever led to the choice of inputs.

use super::inputs::{Inputs, Key, Shared, Site};
use super::memory::{Lost, Memory, Origin};
use super::value::{self, Value, sort_of};
use super::{Bodies, Goal};
use crate::limits::{NESTED_CALLS, NESTED_OPERANDS, RECORDED_CONDITIONS};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use gainsay_ir::eval::mask;
use gainsay_ir::gc::{
    self, BinaryOp, Block, Cmd, CmdKind, Expr, ExprData, Function, FunctionFacts, Next, Object, SymbolKind,
    Var, VarKind,
};
use gainsay_ir::types::Type;
use gainsay_term::{Sort, Term, TermPool};
use std::collections::BTreeMap;

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It passed the edge as wanted.
    Met,
    /// The program ended, or failed, or no way on exists.
    Over,
    /// It would have to rely on something in doubt.
    Doubtful,
    OutOfSteps,
}

/// Another way that the run could have gone, had the inputs been others.
#[derive(Clone, Debug)]
pub(super) struct Fork {
    pub(super) to: Alternative,
    /// The conditions that hold before it, by their number.
    pub(super) n_conditions: usize,
    /// How far the edge is from there.
    pub(super) distance: u32,
    /// To tell forks of one place.
    pub(super) place: (u32, Block),
}

#[derive(Clone, Debug)]
pub(super) enum Alternative {
    /// The condition holds as well.
    Holds(Term),
    /// Another of several ways that are open.
    Way(Key, u128),
}

/// What a run leaves behind.
pub(super) struct Run {
    pub(super) end: End,
    pub(super) conditions: Vec<Term>,
    pub(super) forks: Vec<Fork>,
    /// Distances from the boundary at which the edge was passed, the wanted one excepted.
    pub(super) distances: Vec<u128>,
    pub(super) inputs: BTreeMap<Key, Asked>,
    pub(super) needs_unit: bool,
}

/// An input that the run made use of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) term: Term,
    pub(super) ty: Type,
    pub(super) bits: u128,
}

pub(super) struct Machine<'a> {
    pub(super) unit: &'a gc::Unit,
    pub(super) bodies: &'a Bodies<'a>,
    pub(super) goal: &'a Goal<'a>,
    pub(super) pool: &'a mut TermPool,
    pub(super) shared: &'a mut Shared,
    pub(super) chosen: &'a Inputs,
    pub(super) memory: Memory,
    pub(super) steps: &'a mut u64,
    pub(super) limit: u64,
    pub(super) depth: usize,
    /// How often each place was come to that asks for an input.
    visits: BTreeMap<Site, u32>,
    pub(super) run: Run,
    /// Where the function itself is while callees are executed.
    outer: Block,
}

pub(super) struct Frame<'f> {
    pub(super) f: &'f Function,
    pub(super) types: PrimaryMap<Expr, Type>,
    vars: SecondaryMap<Var, Value>,
    initialised: SecondaryMap<Var, bool>,
    objects: SecondaryMap<Object, Option<u32>>,
}

impl Default for Value {
    fn default() -> Value {
        Value::DOUBTFUL
    }
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        unit: &'a gc::Unit,
        bodies: &'a Bodies<'a>,
        goal: &'a Goal<'a>,
        (pool, shared): (&'a mut TermPool, &'a mut Shared),
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

    /// What the declaration of the function says of its parameters.
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
            let value = self.input(Key::Param(number as u32), f.vars[param].ty, plain);
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

    /// What the function returns, if it does.
    pub(super) fn function(&mut self, frame: &mut Frame) -> Result<Value, End> {
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
        Ok(result.unwrap_or(Value::DOUBTFUL))
    }

    /// Which of the blocks comes next: one whose condition holds.
    fn choose(&mut self, frame: &mut Frame, block: Block, targets: &[Block]) -> Result<Block, End> {
        if *self.steps > self.limit {
            return Err(End::OutOfSteps);
        }
        let mut open: Vec<(Block, Value)> = Vec::new();
        let n_conditions = self.run.conditions.len();
        for &target in targets {
            let first = frame.f.blocks[target].cmds.first().map(|cmd| &cmd.kind);
            let value = match first {
                Some(CmdKind::Assume(condition)) => self.expr(frame, *condition)?,
                _ => Value::boolean(true),
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
                let key = Key::Way(site, self.visit(site));
                let way = self.chosen.get(&key).unwrap_or(0) as usize;
                for number in (0..several.len()).filter(|&number| number != way) {
                    let to = Alternative::Way(key, number as u128);
                    self.fork(block, several[number].0, to, n_conditions);
                }
                *several.get(way).ok_or(End::Over)?
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

    /// Inputs with which the run passes the edge here as wanted are worth looking for.
    fn consider_goal(
        &mut self,
        frame: &mut Frame,
        block: Block,
        target: Block,
        holds: Value,
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

    /// The run takes the edge: at the wanted distance?
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

    /// The run goes on only because this holds.
    fn hold(&mut self, value: Value) {
        if let Some(term) = value.term
            && self.pool.as_bool(term).is_none()
            && self.run.conditions.len() < RECORDED_CONDITIONS
        {
            self.run.conditions.push(term);
        }
    }

    fn fork(&mut self, block: Block, target: Block, to: Alternative, n_conditions: usize) {
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

    /// How often the place was come to before.
    pub(super) fn visit(&mut self, site: Site) -> u32 {
        let visits = self.visits.entry(site).or_default();
        *visits += 1;
        *visits - 1
    }

    fn command(&mut self, frame: &mut Frame, site: Site, cmd: &Cmd) -> Result<(), End> {
        match &cmd.kind {
            CmdKind::Assign(var, value) => {
                let value = self.expr(frame, *value)?;
                frame.set(*var, value);
            }
            CmdKind::Havoc(var) => {
                let value = self.of_text_before(frame, site, *var)?;
                frame.set(*var, value);
            }
            CmdKind::Enter(var) => {
                frame.set(*var, Value::DOUBTFUL);
                frame.initialised[*var] = false;
            }
            CmdKind::EnterObject(object) => {
                let region = self.object(frame, *object)?;
                self.memory.clear(region);
            }
            CmdKind::Assume(holds) => {
                let holds = self.expr(frame, *holds)?;
                // What is only known of something in doubt holds of what it really is.
                if !holds.doubtful && !self.require(site.block, holds) {
                    return Err(End::Over);
                }
            }
            CmdKind::Assert(_, holds) => {
                let holds = self.expr(frame, *holds)?;
                if !holds.doubtful && !self.require(site.block, holds) {
                    return Err(End::Over);
                }
            }
            CmdKind::Load { dst, addr, access } => {
                let addr = self.expr(frame, *addr)?;
                let value = if access.volatile {
                    let key = Key::Result(site, self.visit(site));
                    self.input(key, access.ty, None)
                } else {
                    self.load(addr, access.ty)?
                };
                if frame.f.vars[*dst].kind == VarKind::ReadBool {
                    possible_bool(value)?;
                }
                frame.set(*dst, value);
            }
            CmdKind::Store { addr, value, access } => {
                let (addr, value) = (self.expr(frame, *addr)?, self.expr(frame, *value)?);
                self.store(addr, value, access.ty)?;
            }
            CmdKind::Copy { dst, src, len } => {
                let (dst, src) = (self.expr(frame, *dst)?, self.expr(frame, *src)?);
                let len = self.expr(frame, *len)?;
                self.copy(dst, src, len)?;
            }
            CmdKind::Fill { dst, byte, len } => {
                let (dst, byte) = (self.expr(frame, *dst)?, self.expr(frame, *byte)?);
                let len = self.expr(frame, *len)?;
                self.fill(dst, byte, len)?;
            }
            CmdKind::Alloca { dst, size } => {
                let size = self.expr(frame, *size)?;
                let value = self.allocate(size)?;
                frame.set(*dst, value);
            }
            CmdKind::Allocate { dst, size, .. } => {
                let size = self.expr(frame, *size)?;
                let value = if size.doubtful { Value::DOUBTFUL } else { self.allocate(size)? };
                frame.set(*dst, value);
            }
            CmdKind::Free(pointer) => {
                let pointer = self.expr(frame, *pointer)?;
                self.free(pointer);
            }
            CmdKind::Clobber(clobber) => self.clobber(frame, clobber)?,
            CmdKind::Call(call) => self.call(frame, site, call)?,
        }
        Ok(())
    }

    /// Does it hold? Inputs with which it does are worth looking for.
    fn require(&mut self, block: Block, holds: Value) -> bool {
        if !holds.is_true() {
            if let Some(term) = holds.term {
                let n_conditions = self.run.conditions.len();
                self.fork(block, block, Alternative::Holds(term), n_conditions);
            }
            return false;
        }
        self.hold(holds);
        true
    }

    pub(super) fn object(&mut self, frame: &mut Frame, object: Object) -> Result<u32, End> {
        if let Some(region) = frame.objects[object] {
            return Ok(region);
        }
        let size = frame.f.objects[object].size;
        let region = self.memory.add(Origin::Local(object), size).ok_or(End::Doubtful)?;
        frame.objects[object] = Some(region);
        Ok(region)
    }

    pub(super) fn expr(&mut self, frame: &mut Frame, expr: Expr) -> Result<Value, End> {
        self.nested(frame, expr, 0)
    }

    fn nested(&mut self, frame: &mut Frame, expr: Expr, depth: u32) -> Result<Value, End> {
        if depth > NESTED_OPERANDS {
            return Err(End::Doubtful);
        }
        let pointer_bits = self.pointer_bits();
        Ok(match frame.f.exprs[expr] {
            ExprData::Const(_, bits) => Value::known(bits),
            ExprData::Var(var) => frame.vars[var],
            ExprData::Initialised(var) => Value::boolean(frame.initialised[var]),
            ExprData::ObjectAddr(object) => {
                let region = self.object(frame, object)?;
                Value::known(self.memory.start(region).into())
            }
            ExprData::SymbolAddr(symbol) => Value::known(self.symbol(symbol)?.into()),
            ExprData::Unary(op, a) => {
                let value = self.nested(frame, a, depth + 1)?;
                value::unary(self.pool, op, frame.types[a], value, pointer_bits)
            }
            ExprData::Cast(op, to, a) => {
                let value = self.nested(frame, a, depth + 1)?;
                let mut cast = value::cast(self.pool, op, (frame.types[a], to), value, pointer_bits);
                if op == gc::CastOp::PtrToInt {
                    self.memory.escapes(value.bits as u64);
                    // Where an object lies, the compiler decides.
                    cast.doubtful |= self.memory.is_own(value.bits as u64);
                }
                cast
            }
            ExprData::Binary(op, a, b) => {
                let (left, right) = (self.nested(frame, a, depth + 1)?, self.nested(frame, b, depth + 1)?);
                let mut value = value::binary(self.pool, op, frame.types[a], left, right, pointer_bits);
                let is_order = matches!(op, BinaryOp::ULt | BinaryOp::ULe | BinaryOp::PtrSub);
                if is_order && frame.types[a] == Type::Ptr {
                    let (left, right) = (left.bits as u64, right.bits as u64);
                    value.doubtful |= !self.memory.are_in_one_region(left, right);
                }
                value
            }
            ExprData::Ite(c, a, b) => {
                let condition = self.nested(frame, c, depth + 1)?;
                let (yes, no) = (self.nested(frame, a, depth + 1)?, self.nested(frame, b, depth + 1)?);
                value::ite(self.pool, condition, yes, no, sort_of(frame.types[a], pointer_bits))
            }
            ExprData::Valid(pointer, len) => {
                let (pointer, len) =
                    (self.nested(frame, pointer, depth + 1)?, self.nested(frame, len, depth + 1)?);
                self.is_valid(pointer, len)
            }
            ExprData::Freeable(pointer) => {
                let pointer = self.nested(frame, pointer, depth + 1)?;
                self.is_freeable(pointer)
            }
        })
    }

    /// Something that is not executed may have written memory.
    fn clobber(&mut self, frame: &mut Frame, clobber: &gc::Clobber) -> Result<(), End> {
        match clobber {
            gc::Clobber::Range { addr, .. } => {
                let addr = self.expr(frame, *addr)?;
                if addr.doubtful {
                    self.memory.lose_all();
                } else {
                    self.memory.lose_at(addr.bits as u64, Lost::Doubt);
                }
            }
            gc::Clobber::Escaped | gc::Clobber::Classes(_) => self.memory.lose_escaped(Lost::Doubt),
            gc::Clobber::Errno => {
                let is_errno = |data: &gc::SymbolData| data.name == "errno";
                let errno =
                    self.unit.symbols.iter().find(|(_, data)| is_errno(data)).map(|(symbol, _)| symbol);
                if let Some(errno) = errno {
                    let address = self.symbol(errno)?;
                    self.memory.lose_at(address, Lost::Doubt);
                }
            }
        }
        Ok(())
    }
}

impl Frame<'_> {
    pub(super) fn set(&mut self, var: Var, value: Value) {
        self.vars[var] = value;
        self.initialised[var] = true;
    }
}

/// A run in which a `_Bool` is neither 0 nor 1 is none without an error.
pub(super) fn possible_bool(value: Value) -> Result<(), End> {
    if !value.doubtful && value.bits > 1 { Err(End::Over) } else { Ok(()) }
}
