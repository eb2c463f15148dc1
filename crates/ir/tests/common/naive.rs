//! The obvious executors of both stages, to compare the real ones with: recursive, with maps for memory.

use cranelift_entity::EntityRef;
use gainsay_interp::Outcome;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Unit};
use gainsay_ir::{eval, passive};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Returned(i32),
    Raised,
    Error,
    Failed(Check),
    Stuck,
    OutOfSteps,
}

impl From<Outcome> for End {
    fn from(outcome: Outcome) -> End {
        match outcome {
            Outcome::Returned(value) => End::Returned(value),
            Outcome::Raised => End::Raised,
            Outcome::Aborted(_) => End::Error,
            Outcome::Failed { check, .. } => End::Failed(check),
            Outcome::Stuck { .. } => End::Stuck,
            Outcome::OutOfSteps => End::OutOfSteps,
            Outcome::Exited(_) | Outcome::Unsupported(_) => panic!("{outcome:?}"),
        }
    }
}

type Memory = BTreeMap<u128, u8>;

fn object_address(object: gc::Object) -> u128 {
    0x10000 * (1 + object.index() as u128)
}

fn symbol_address(symbol: gc::Symbol) -> u128 {
    0x9000_0000 + 0x10000 * symbol.index() as u128
}

fn initial_memory(unit: &Unit) -> Memory {
    let mut memory = Memory::new();
    for (symbol, data) in &unit.symbols {
        let gc::SymbolKind::Object(facts) = &data.kind else { continue };
        for (offset, part) in facts.init.iter().flat_map(|init| &init.parts) {
            let gc::InitPart::Bytes(bytes) = part else { continue };
            for (i, &byte) in bytes.iter().enumerate() {
                memory.insert(symbol_address(symbol) + u128::from(*offset) + i as u128, byte);
            }
        }
    }
    memory
}

fn load(memory: &Memory, addr: u128, access: &gc::Access) -> u128 {
    let bytes = access.ty.bytes(64);
    let byte = |i: u64| u128::from(memory.get(&(addr + u128::from(i))).copied().unwrap_or(0));
    let value = (0..bytes).rev().fold(0, |value, i| value << 8 | byte(i));
    value & eval::mask(access.ty.bits(64))
}

fn store(memory: &mut Memory, addr: u128, access: &gc::Access, value: u128) {
    for i in 0..access.ty.bytes(64) {
        memory.insert(addr + u128::from(i), (value >> (8 * i)) as u8);
    }
}

/// Variables, flags of initialisation, memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub vars: Vec<u128>,
    pub flags: Vec<bool>,
    pub memory: Memory,
}

/// The blocks of a run, each with the state it starts in.
pub type Trace = Vec<(gc::Block, State)>;

/// Runs the function of a unit made by the generator for running.
pub fn run_gc(unit: &Unit, f: &gc::Function, max_blocks: usize) -> (End, Trace) {
    let count = f.vars.len();
    let mut state = State { vars: vec![0; count], flags: vec![false; count], memory: initial_memory(unit) };
    let mut block = gc::Block::new(0);
    let mut trace = Trace::new();
    while trace.len() < max_blocks {
        trace.push((block, state.clone()));
        for cmd in &f.blocks[block].cmds {
            if let Err(end) = step(f, &mut state, &cmd.kind) {
                return (end, trace);
            }
        }
        let taken = |target: &gc::Block| match f.blocks[*target].cmds.first().map(|cmd| &cmd.kind) {
            Some(gc::CmdKind::Assume(condition)) => value(f, &state, *condition) == 1,
            _ => true,
        };
        match &f.blocks[block].next {
            gc::Next::Goto(targets) => match targets.iter().copied().find(taken) {
                Some(target) => block = target,
                None => return (End::Stuck, trace),
            },
            gc::Next::Return(result) => {
                let result = result.map_or(0, |result| value(f, &state, result));
                return (End::Returned(result as i32), trace);
            }
            gc::Next::Raise => return (End::Raised, trace),
            gc::Next::Error => return (End::Error, trace),
        }
    }
    (End::OutOfSteps, trace)
}

fn step(f: &gc::Function, state: &mut State, cmd: &gc::CmdKind) -> Result<(), End> {
    match cmd {
        gc::CmdKind::Assign(var, expr) => {
            state.vars[var.index()] = value(f, state, *expr);
            state.flags[var.index()] = true;
        }
        gc::CmdKind::Enter(var) => {
            state.vars[var.index()] = 0;
            state.flags[var.index()] = false;
        }
        gc::CmdKind::Assume(condition) if value(f, state, *condition) == 0 => return Err(End::Stuck),
        gc::CmdKind::Assert(check, condition) if value(f, state, *condition) == 0 => {
            return Err(End::Failed(*check));
        }
        gc::CmdKind::Assume(_) | gc::CmdKind::Assert(..) => {}
        gc::CmdKind::Load { dst, addr, access } => {
            state.vars[dst.index()] = load(&state.memory, value(f, state, *addr), access);
            state.flags[dst.index()] = true;
        }
        gc::CmdKind::Store { addr, value: stored, access } => {
            let (addr, stored) = (value(f, state, *addr), value(f, state, *stored));
            store(&mut state.memory, addr, access, stored);
        }
        other => panic!("the generator makes no {other:?} for running"),
    }
    Ok(())
}

fn value(f: &gc::Function, state: &State, expr: gc::Expr) -> u128 {
    let of = |expr| value(f, state, expr);
    match f.exprs[expr] {
        gc::ExprData::Const(_, bits) => bits,
        gc::ExprData::Var(var) => state.vars[var.index()],
        gc::ExprData::ObjectAddr(object) => object_address(object),
        gc::ExprData::SymbolAddr(symbol) => symbol_address(symbol),
        gc::ExprData::Unary(op, a) => eval::unary(op, f.ty(a, 64), of(a), 64).unwrap(),
        gc::ExprData::Cast(op, to, a) => eval::cast(op, f.ty(a, 64), to, of(a), 64).unwrap(),
        gc::ExprData::Binary(op, a, b) => eval::binary(op, f.ty(a, 64), of(a), of(b), 64).unwrap(),
        gc::ExprData::Ite(c, a, b) => of(if of(c) == 1 { a } else { b }),
        gc::ExprData::Initialised(var) => state.flags[var.index()].into(),
        gc::ExprData::Valid(..) | gc::ExprData::Freeable(_) => panic!("not made for running"),
    }
}

/// Values of the passive stage; what has no definition is 0.
struct Values<'a> {
    f: &'a passive::Function,
    bits: BTreeMap<passive::Var, u128>,
    memory: BTreeMap<passive::Var, Memory>,
    initial: Memory,
}

/// Evaluates the passive form along the path that its assumes allow.
pub fn run_passive(unit: &Unit, f: &passive::Function) -> End {
    let mut values =
        Values { f, bits: BTreeMap::new(), memory: BTreeMap::new(), initial: initial_memory(unit) };
    let mut block = passive::Block::new(0);
    loop {
        for cmd in &f.blocks[block].cmds {
            match &cmd.kind {
                passive::CmdKind::Define(var, expr) => {
                    let bits = values.of(*expr);
                    assert_eq!(values.bits.insert(*var, bits), None);
                }
                passive::CmdKind::Update { after, before, effect } => values.update(*after, *before, effect),
                passive::CmdKind::Assume(condition) if values.of(*condition) == 0 => return End::Stuck,
                passive::CmdKind::Assert(check, condition) if values.of(*condition) == 0 => {
                    return End::Failed(*check);
                }
                passive::CmdKind::Assume(_) | passive::CmdKind::Assert(..) => {}
            }
        }
        match &f.blocks[block].next {
            passive::Next::Goto(targets) => {
                let from = block;
                match targets.iter().find(|&&target| values.enter(from, target)) {
                    Some(&target) => block = target,
                    None => return End::Stuck,
                }
            }
            passive::Next::Return { value, .. } => {
                return End::Returned(value.map_or(0, |value| values.of(value)) as i32);
            }
            passive::Next::Raise => return End::Raised,
            passive::Next::Error => return End::Error,
        }
    }
}

impl Values<'_> {
    /// Sets the phis of the target; does its leading assume hold then?
    fn enter(&mut self, from: passive::Block, target: passive::Block) -> bool {
        let data = &self.f.blocks[target];
        for phi in &data.phis {
            let source = phi.sources.iter().find(|source| source.0 == from).unwrap().1;
            match self.f.vars[phi.var].sort {
                passive::Sort::Memory => {
                    let memory = self.memory_of(source).clone();
                    self.memory.insert(phi.var, memory);
                }
                passive::Sort::Value(_) => {
                    let bits = self.bits.get(&source).copied().unwrap_or(0);
                    self.bits.insert(phi.var, bits);
                }
            }
        }
        match data.cmds.first().map(|cmd| &cmd.kind) {
            Some(passive::CmdKind::Assume(condition)) => self.of(*condition) == 1,
            _ => true,
        }
    }

    fn memory_of(&self, var: passive::Var) -> &Memory {
        self.memory.get(&var).unwrap_or(&self.initial)
    }

    fn update(&mut self, after: passive::Var, before: passive::Var, effect: &passive::Effect) {
        let passive::Effect::Store { access, addr, value } = effect else { panic!("not made for running") };
        let mut memory = self.memory_of(before).clone();
        store(&mut memory, self.of(*addr), access, self.of(*value));
        assert!(self.memory.insert(after, memory).is_none());
    }

    fn ty(&self, expr: passive::Expr) -> gainsay_ir::types::Type {
        use gainsay_ir::types::{BOOL, Type};
        use passive::ExprData::*;
        match self.f.exprs[expr] {
            Const(ty, _) | Cast(_, ty, _) => ty,
            Load(_, access, _) => access.ty,
            Var(var) => match self.f.vars[var].sort {
                passive::Sort::Value(ty) => ty,
                passive::Sort::Memory => panic!("memory is no value"),
            },
            ObjectAddr(_) | SymbolAddr(_) => Type::Ptr,
            Binary(op, _, _) if op.is_comparison() => BOOL,
            Valid(..) | Freeable(..) => BOOL,
            Unary(_, a) | Binary(_, a, _) | Ite(_, a, _) => self.ty(a),
        }
    }

    fn of(&self, expr: passive::Expr) -> u128 {
        use passive::ExprData::*;
        match self.f.exprs[expr] {
            Const(_, bits) => bits,
            Var(var) => self.bits.get(&var).copied().unwrap_or(0),
            ObjectAddr(object) => object_address(object),
            SymbolAddr(symbol) => symbol_address(symbol),
            Unary(op, a) => eval::unary(op, self.ty(a), self.of(a), 64).unwrap(),
            Cast(op, to, a) => eval::cast(op, self.ty(a), to, self.of(a), 64).unwrap(),
            Binary(op, a, b) => eval::binary(op, self.ty(a), self.of(a), self.of(b), 64).unwrap(),
            Ite(c, a, b) => self.of(if self.of(c) == 1 { a } else { b }),
            Load(memory, access, addr) => load(self.memory_of(memory), self.of(addr), &access),
            Valid(..) | Freeable(..) => panic!("not made for running"),
        }
    }
}
