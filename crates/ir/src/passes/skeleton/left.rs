//! What a function surely leaves behind: pointers in memory that callers can name, and what they are whenever it returns
//! (papers/semantic-inconsistency-inference, section 5.1: only what must be so is followed).

use super::sources::Sources;
use super::{Left, Source, Value};
use crate::gc::{
    BinaryOp, Block, Call, CmdKind, Expr, ExprData, Function, Linkage, Next, UnaryOp, Unit, Var,
};
use crate::types::Type;
use cranelift_entity::{EntitySet, SecondaryMap};
use std::collections::{BTreeMap, BTreeSet};

/// More places of one function are not followed.
const MOST_PLACES: usize = 16;

/// A place that more calls might change is forgotten.
const MOST_CALLS: usize = 8;

/// In the order of places.
pub(super) fn left(unit: &Unit, f: &Function, sources: &Sources) -> Vec<Left> {
    let finder = Finder::new(unit, f, sources);
    if finder.places.is_empty() {
        return Vec::new();
    }
    let Some(entry) = f.blocks.keys().next() else { return Vec::new() };
    let mut at_start: SecondaryMap<Block, Option<State>> = SecondaryMap::new();
    at_start[entry] = Some(State::default());
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        let Some(state) = at_start[block].clone() else { continue };
        let state = finder.pass(block, state);
        for &target in f.blocks[block].next.targets() {
            let met = at_start[target].as_ref().map_or_else(|| state.clone(), |before| before.meet(&state));
            if at_start[target].as_ref() != Some(&met) {
                at_start[target] = Some(met);
                work.push(target);
            }
        }
    }
    let returns = f.blocks.iter().filter(|(_, data)| matches!(data.next, Next::Return(_)));
    let at_returns = returns.filter_map(|(block, _)| Some(finder.pass(block, at_start[block].clone()?)));
    let Some(state) = at_returns.reduce(|a, b| a.meet(&b)) else { return Vec::new() };
    let mut left = Vec::new();
    for ((source, offset), what) in state.left {
        if !what.values.contains(&Value::Unknown) {
            let class = finder.places[&(source, offset)];
            let (values, past) = (what.values.into_iter().collect(), what.past.into_iter().collect());
            left.push(Left { source, offset, class, values, past });
        }
    }
    left
}

/// The object and the offset in it.
type Place = (Source, i64);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    left: BTreeMap<Place, What>,
    /// Variables that are not NULL.
    nonnull: BTreeSet<Var>,
    /// Variables that have the value that is at the place.
    copies: BTreeMap<Var, Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct What {
    values: BTreeSet<Value>,
    /// Calls since it was stored, which may have changed it.
    past: BTreeSet<u32>,
}

impl State {
    /// What holds if one or the other does.
    fn meet(&self, other: &State) -> State {
        let mut left = BTreeMap::new();
        for (place, what) in &self.left {
            if let Some(other) = other.left.get(place) {
                let values = what.values.union(&other.values).copied().collect();
                let past: BTreeSet<u32> = what.past.union(&other.past).copied().collect();
                if past.len() <= MOST_CALLS {
                    left.insert(*place, What { values, past });
                }
            }
        }
        let is_copy = |(var, place): &(&Var, &Place)| other.copies.get(var) == Some(*place);
        State {
            left,
            nonnull: self.nonnull.intersection(&other.nonnull).copied().collect(),
            copies: self.copies.iter().filter(is_copy).map(|(&var, &place)| (var, place)).collect(),
        }
    }
}

struct Finder<'a> {
    unit: &'a Unit,
    f: &'a Function,
    sources: &'a Sources<'a>,
    /// The places that the function stores pointers to, with the class of one such store.
    places: BTreeMap<Place, u32>,
    assigned: EntitySet<Var>,
    /// Variables whose only value is what a call gave.
    results: BTreeMap<Var, u32>,
    /// How many calls there are in blocks before.
    calls_before: SecondaryMap<Block, u32>,
}

impl<'a> Finder<'a> {
    fn new(unit: &'a Unit, f: &'a Function, sources: &'a Sources<'a>) -> Finder<'a> {
        let mut assigned = EntitySet::new();
        let mut results = BTreeMap::new();
        let mut calls_before = SecondaryMap::new();
        let mut calls = 0;
        for (block, data) in &f.blocks {
            calls_before[block] = calls;
            for cmd in &data.cmds {
                let is_first = cmd.assigned().is_none_or(|var| assigned.insert(var));
                if let CmdKind::Call(call) = &cmd.kind {
                    results.extend(call.dst.map(|dst| (dst, calls)));
                    calls += 1;
                }
                if !is_first {
                    cmd.assigned().map(|var| results.remove(&var));
                }
            }
        }
        let mut finder =
            Finder { unit, f, sources, places: BTreeMap::new(), assigned, results, calls_before };
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let CmdKind::Store { addr, access, .. } = &cmd.kind
                && access.ty == Type::Ptr
                && !access.volatile
                && finder.places.len() < MOST_PLACES
                && let Some(place) = finder.place(*addr)
            {
                finder.places.entry(place).or_insert(access.class.as_u32());
            }
        }
        finder
    }

    fn pass(&self, block: Block, mut state: State) -> State {
        let mut calls = self.calls_before[block];
        for cmd in &self.f.blocks[block].cmds {
            // Before the variable is gone that the address or the value may be made of.
            let value = match &cmd.kind {
                CmdKind::Assign(_, value) => Some(*value),
                _ => None,
            };
            let is_nonnull = value.is_some_and(|value| self.value(value, &state) == Value::Address);
            let copied = value.and_then(|value| match self.f.exprs[value] {
                ExprData::Var(from) => state.copies.get(&from).copied(),
                _ => None,
            });
            if let Some(var) = cmd.assigned() {
                state.nonnull.remove(&var);
                state.copies.remove(&var);
                state.nonnull.extend(is_nonnull.then_some(var));
                state.copies.extend(copied.map(|place| (var, place)));
            }
            match &cmd.kind {
                CmdKind::Store { addr, value, access } => {
                    self.store(*addr, *value, access.ty, access.volatile, &mut state);
                }
                CmdKind::Load { dst, addr, access } if access.ty == Type::Ptr && !access.volatile => {
                    let place = self.place(*addr).filter(|place| state.left.contains_key(place));
                    state.copies.extend(place.map(|place| (*dst, place)));
                }
                CmdKind::Assume(condition) => self.assume(*condition, &mut state),
                CmdKind::Alloca { dst, .. } => {
                    state.nonnull.insert(*dst);
                }
                CmdKind::Call(call) => {
                    self.call(calls, call, &mut state);
                    calls += 1;
                }
                CmdKind::Copy { .. } | CmdKind::Fill { .. } | CmdKind::Clobber(_) => {
                    state.left.clear();
                    state.copies.clear();
                }
                // Nobody may look at what was freed.
                CmdKind::Free(_)
                | CmdKind::Load { .. }
                | CmdKind::Assign(..)
                | CmdKind::Havoc(_)
                | CmdKind::Enter(_)
                | CmdKind::EnterObject(_)
                | CmdKind::Assert(..)
                | CmdKind::Allocate { .. } => {}
            }
        }
        state
    }

    fn store(&self, addr: Expr, value: Expr, ty: Type, volatile: bool, state: &mut State) {
        let targets = self.sources.of_address(addr);
        if !targets.is_empty() && targets.iter().all(|target| *target == Source::Local) {
            return;
        }
        let bytes = |ty: Type| ty.bytes(self.unit.target.pointer_bits) as i64;
        let is_null = matches!(self.f.exprs[value], ExprData::Const(Type::Ptr, 0));
        let place = self.place(addr);
        let is_elsewhere = |other: &Place| {
            place.is_some_and(|(source, offset)| {
                let end = |offset: i64, ty| offset.saturating_add(bytes(ty));
                other.0 == source && (end(other.1, Type::Ptr) <= offset || end(offset, ty) <= other.1)
            })
        };
        // NULL over NULL is NULL, wherever it goes.
        let stays = |what: &What| is_null && what.values.iter().all(|value| *value == Value::Const(0));
        state.left.retain(|other, what| is_elsewhere(other) || stays(what));
        state.copies.retain(|_, other| is_elsewhere(other));
        if let Some(place) = place.filter(|place| !volatile && self.places.contains_key(place)) {
            let values = BTreeSet::from([self.value(value, state)]);
            state.left.insert(place, What { values, past: BTreeSet::new() });
            if let ExprData::Var(var) = self.f.exprs[value] {
                state.copies.insert(var, place);
            }
        }
    }

    fn assume(&self, condition: Expr, state: &mut State) {
        let (condition, holds) = match self.f.exprs[condition] {
            ExprData::Unary(UnaryOp::Not, inner) => (inner, false),
            _ => (condition, true),
        };
        let (var, zero) = match self.f.exprs[condition] {
            ExprData::Binary(BinaryOp::Ne, var, zero) if holds => (var, zero),
            ExprData::Binary(BinaryOp::Eq, var, zero) if !holds => (var, zero),
            _ => return,
        };
        if let (ExprData::Var(var), ExprData::Const(Type::Ptr, 0)) = (self.f.exprs[var], self.f.exprs[zero]) {
            state.nonnull.insert(var);
            if let Some(what) = state.copies.get(&var).and_then(|place| state.left.get_mut(place)) {
                *what = What { values: BTreeSet::from([Value::Address]), past: BTreeSet::new() };
            }
        }
    }

    fn call(&self, number: u32, call: &Call, state: &mut State) {
        if call.writes.as_ref().is_some_and(|writes| !writes.is_empty()) {
            state.left.clear();
        } else if call.writes.is_none() {
            state.left.retain(|_, what| {
                what.past.insert(number);
                what.past.len() <= MOST_CALLS
            });
        }
        state.copies.clear();
    }

    /// Only what matters here: NULL, an address, what a call gave.
    fn value(&self, value: Expr, state: &State) -> Value {
        match self.f.exprs[value] {
            ExprData::Const(Type::Ptr, 0) => Value::Const(0),
            ExprData::ObjectAddr(_) => Value::Address,
            ExprData::SymbolAddr(symbol) if self.unit.symbols[symbol].linkage != Linkage::Weak => {
                Value::Address
            }
            ExprData::Binary(BinaryOp::PtrAdd, base, _) if self.value(base, state) == Value::Address => {
                Value::Address
            }
            ExprData::Var(var) if state.nonnull.contains(&var) => Value::Address,
            ExprData::Var(var) => self.results.get(&var).map_or(Value::Unknown, |&call| Value::Call(call)),
            _ => Value::Unknown,
        }
    }

    /// Of an address that callers can name too.
    fn place(&self, addr: Expr) -> Option<Place> {
        match self.f.exprs[addr] {
            ExprData::Binary(BinaryOp::PtrAdd, base, by) => {
                let ExprData::Const(_, by) = self.f.exprs[by] else { return None };
                let (source, offset) = self.place(base)?;
                Some((source, offset.checked_add(by as u64 as i64)?))
            }
            ExprData::SymbolAddr(symbol) => Some((Source::Symbol(symbol.as_u32()), 0)),
            ExprData::Var(var) if !self.assigned.contains(var) => {
                let param = self.f.params.iter().position(|&param| param == var)?;
                Some((Source::Param(param as u32), 0))
            }
            _ => None,
        }
    }
}
