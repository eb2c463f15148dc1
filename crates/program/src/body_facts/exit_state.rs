//! The exit state of a body: places in memory that callers can name, and what they contain whenever the function returns
//! (semantic inconsistency inference, section 5.1: must-facts only).

mod values;

use super::sources::Sources;
use super::{ExitCandidate, ExitValue, PointerSource};
use crate::limits::{MAX_CALLS_SINCE_STORE, MAX_EXIT_PLACES};
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::eval;
use gainsay_ir::gc::{
    Access, BinaryOp, Block, Call, CallBase, Class, Clobber, CmdKind, Expr, ExprData, Function, Next, Symbol,
    UnaryOp, Unit, Var,
};
use gainsay_ir::graph;
use gainsay_ir::table::table;
use gainsay_ir::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// In the order of places.
pub(super) fn exit_state(unit: &Unit, f: &Function, sources: &Sources) -> Vec<ExitCandidate> {
    let finder = ExitStateFinder::new(unit, f, sources);
    if finder.places.is_empty() {
        return Vec::new();
    }
    let Some(entry) = f.blocks.keys().next() else { return Vec::new() };
    let mut at_start: SecondaryMap<Block, Option<MemoryState>> = table(f.blocks.len());
    at_start[entry] = Some(finder.at_entry());
    let order = in_order(f);
    let mut due: EntitySet<Block> = EntitySet::new();
    due.insert(entry);
    while !due.is_empty() {
        for &block in &order {
            let Some(state) = at_start[block].as_ref().filter(|_| due.remove(block)) else { continue };
            let state = finder.pass(block, state.clone());
            for &target in f.blocks[block].next.targets() {
                let met = match &at_start[target] {
                    Some(before) => Some(before.meet(&state)).filter(|met| met != before),
                    None => Some(state.clone()),
                };
                if met.is_some() {
                    at_start[target] = met;
                    due.insert(target);
                }
            }
        }
    }
    let returns = f.blocks.iter().filter(|(_, data)| matches!(data.next, Next::Return(_)));
    let at_returns = returns.filter_map(|(block, _)| Some(finder.pass(block, at_start[block].clone()?)));
    let Some(state) = at_returns.reduce(|a, b| a.meet(&b)) else { return Vec::new() };
    let known = state.contents.into_iter().filter(|(_, contents)| contents.is_informative());
    let candidates = known.map(|((source, offset), PlaceContents { ty, class, values, calls_since })| {
        let (values, calls_since) = (values.into_iter().collect(), calls_since.into_iter().collect());
        ExitCandidate { source, offset, ty, class: class.as_u32(), values, calls_since }
    });
    candidates.collect()
}

/// The blocks, each before its successors except along edges that close a cycle.
fn in_order(f: &Function) -> Vec<Block> {
    graph::reverse_postorder(&f.successors())
}

/// The object and the offset in it.
type MemoryPlace = (PointerSource, i64);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MemoryState {
    contents: BTreeMap<MemoryPlace, PlaceContents>,
    /// Variables that have this value.
    known: BTreeMap<Var, ExitValue>,
    /// Variables that are not NULL.
    nonnull: BTreeSet<Var>,
    /// Variables that have the value that is at the place.
    copies: BTreeMap<Var, MemoryPlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PlaceContents {
    ty: Type,
    class: Class,
    values: BTreeSet<ExitValue>,
    /// Calls since it was stored, which may have changed it.
    calls_since: BTreeSet<u32>,
}

impl PlaceContents {
    /// A fact about a number is its value; a fact about a pointer may also be that it is not NULL.
    fn is_informative(&self) -> bool {
        let is_exact = |value: &ExitValue| matches!(value, ExitValue::Const(_) | ExitValue::Param { .. });
        match self.ty {
            Type::Ptr => !self.values.contains(&ExitValue::Unknown),
            _ => self.values.len() == 1 && self.values.iter().all(is_exact),
        }
    }

    /// What holds if one or the other does.
    fn meet(&self, other: &PlaceContents) -> Option<PlaceContents> {
        let values = self.values.union(&other.values).copied().collect();
        let calls_since: BTreeSet<u32> = self.calls_since.union(&other.calls_since).copied().collect();
        let is_alike = self.ty == other.ty && self.class == other.class;
        (is_alike && calls_since.len() <= MAX_CALLS_SINCE_STORE).then_some(PlaceContents {
            values,
            calls_since,
            ..*self
        })
    }
}

impl MemoryState {
    /// What holds if one or the other does.
    fn meet(&self, other: &MemoryState) -> MemoryState {
        let met = |(place, contents): (&MemoryPlace, &PlaceContents)| {
            Some((*place, contents.meet(other.contents.get(place)?)?))
        };
        let is_known = |(var, value): &(&Var, &ExitValue)| other.known.get(var) == Some(*value);
        let is_copy = |(var, place): &(&Var, &MemoryPlace)| other.copies.get(var) == Some(*place);
        MemoryState {
            contents: self.contents.iter().filter_map(met).collect(),
            known: self.known.iter().filter(is_known).map(|(&var, &value)| (var, value)).collect(),
            nonnull: self.nonnull.intersection(&other.nonnull).copied().collect(),
            copies: self.copies.iter().filter(is_copy).map(|(&var, &place)| (var, place)).collect(),
        }
    }

    /// Forgets all places that a write may have changed.
    fn keep(&mut self, mut is_kept: impl FnMut(&MemoryPlace, &PlaceContents) -> bool) {
        self.contents.retain(|place, contents| is_kept(place, contents));
        self.copies.retain(|_, place| self.contents.contains_key(place));
    }
}

struct ExitStateFinder<'a> {
    unit: &'a Unit,
    f: &'a Function,
    sources: &'a Sources<'a>,
    /// The places that the function stores numbers or pointers to.
    places: BTreeSet<MemoryPlace>,
    assigned: EntitySet<Var>,
    /// Variables whose values may come to be stored there.
    followed: EntitySet<Var>,
    /// How many calls there are in blocks before.
    calls_before: SecondaryMap<Block, u32>,
}

impl<'a> ExitStateFinder<'a> {
    fn new(unit: &'a Unit, f: &'a Function, sources: &'a Sources<'a>) -> ExitStateFinder<'a> {
        let mut assigned = EntitySet::new();
        let mut calls_before = table(f.blocks.len());
        let mut calls = 0;
        for (block, data) in &f.blocks {
            calls_before[block] = calls;
            assigned.extend(data.cmds.iter().filter_map(|cmd| cmd.assigned()));
            calls += data.cmds.iter().filter(|cmd| matches!(cmd.kind, CmdKind::Call(_))).count() as u32;
        }
        let (places, followed) = (BTreeSet::new(), EntitySet::new());
        let mut finder = ExitStateFinder { unit, f, sources, places, assigned, followed, calls_before };
        let mut stored = Vec::new();
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let CmdKind::Store { addr, value, access } = &cmd.kind
                && matches!(access.ty, Type::Ptr | Type::Int(_))
                && !access.volatile
                && let Some(place) = finder.place(*addr)
                && (finder.places.len() < MAX_EXIT_PLACES || finder.places.contains(&place))
            {
                finder.places.insert(place);
                stored.push(*value);
            }
        }
        finder.followed = values::followed(f, stored);
        finder
    }

    fn pass(&self, block: Block, mut state: MemoryState) -> MemoryState {
        let mut calls = self.calls_before[block];
        for cmd in &self.f.blocks[block].cmds {
            if let Some(var) = cmd.assigned() {
                self.assign(var, &cmd.kind, calls, &mut state);
            }
            match &cmd.kind {
                CmdKind::Store { addr, value, access } => self.store(*addr, *value, *access, &mut state),
                CmdKind::Load { dst, addr, access } if access.ty == Type::Ptr && !access.volatile => {
                    let is_it = |contents: &PlaceContents| contents.ty == Type::Ptr;
                    let place =
                        self.place(*addr).filter(|place| state.contents.get(place).is_some_and(is_it));
                    state.copies.extend(place.map(|place| (*dst, place)));
                }
                CmdKind::Assume(condition) => self.assume(*condition, &mut state),
                CmdKind::Call(call) => {
                    self.call(calls, call, &mut state);
                    calls += 1;
                }
                CmdKind::Copy { dst: addr, .. }
                | CmdKind::Fill { dst: addr, .. }
                | CmdKind::Clobber(Clobber::Range { addr, .. }) => {
                    if !self.is_own(*addr) {
                        state.keep(|_, _| false);
                    }
                }
                CmdKind::Clobber(Clobber::Errno) => {
                    state.keep(|place, contents| !self.may_be_errno(place, contents));
                }
                CmdKind::Clobber(Clobber::Escaped | Clobber::Classes(_)) => state.keep(|_, _| false),
                // Freed memory must not be read, but a later block, or one that `realloc` did not move, may have its
                // address.
                CmdKind::Free(pointer) => {
                    let freed = self.sources.of(*pointer);
                    let is_known = |source: &PointerSource| {
                        !matches!(source, PointerSource::Unknown | PointerSource::Call(_))
                    };
                    state.keep(|(source, _), _| freed.iter().all(is_known) && !freed.contains(source));
                }
                CmdKind::Load { .. }
                | CmdKind::Assign(..)
                | CmdKind::Havoc(_)
                | CmdKind::Enter(_)
                | CmdKind::EnterObject(_)
                | CmdKind::Assert(..)
                | CmdKind::Alloca { .. }
                | CmdKind::Allocate { .. } => {}
            }
        }
        state
    }

    fn store(&self, addr: Expr, value: Expr, access: Access, state: &mut MemoryState) {
        if self.is_own(addr) {
            return;
        }
        let Access { ty, class, volatile } = access;
        let end =
            |offset: i64, ty: Type| offset.saturating_add(ty.bytes(self.unit.target.pointer_bits) as i64);
        let place = self.place(addr);
        let is_elsewhere = |other: &MemoryPlace, found: &PlaceContents| {
            place.is_some_and(|(source, offset)| {
                other.0 == source && (end(other.1, found.ty) <= offset || end(offset, ty) <= other.1)
            })
        };
        // Zero over zero is zero, wherever it goes and however wide it is.
        let is_zero = matches!(self.f.exprs[value], ExprData::Const(_, 0));
        let stays =
            |found: &PlaceContents| is_zero && found.values.iter().all(|value| *value == ExitValue::Const(0));
        state
            .copies
            .retain(|_, other| state.contents.get(other).is_some_and(|found| is_elsewhere(other, found)));
        state.contents.retain(|other, found| is_elsewhere(other, found) || stays(found));
        if let Some(place) = place.filter(|place| !volatile && self.places.contains(place)) {
            let values = BTreeSet::from([self.value(value, state)]);
            state.contents.insert(place, PlaceContents { ty, class, values, calls_since: BTreeSet::new() });
            if let (ExprData::Var(var), Type::Ptr) = (self.f.exprs[value], ty) {
                state.copies.insert(var, place);
            }
        }
    }

    fn assume(&self, condition: Expr, state: &mut MemoryState) {
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
            state.nonnull.extend(self.followed.contains(var).then_some(var));
            if let Some(contents) = state.copies.get(&var).and_then(|place| state.contents.get_mut(place)) {
                // Calls may have changed what was stored, but not what was just loaded.
                let is_stored = contents.calls_since.is_empty();
                contents.values = match contents.values.first() {
                    Some(value) if is_stored && contents.values.len() == 1 => {
                        BTreeSet::from([value.tested()])
                    }
                    _ => BTreeSet::from([ExitValue::Address]),
                };
                contents.calls_since.clear();
            }
        }
    }

    fn call(&self, number: u32, call: &Call, state: &mut MemoryState) {
        for write in call.writes.iter().flatten() {
            match write.base {
                CallBase::Errno => {
                    state.contents.retain(|place, contents| !self.may_be_errno(place, contents))
                }
                CallBase::Argument(i) if call.args.get(i as usize).is_some_and(|&arg| self.is_own(arg)) => {}
                _ => state.contents.clear(),
            }
        }
        if call.writes.is_none() {
            state.contents.retain(|_, contents| {
                contents.calls_since.insert(number);
                contents.calls_since.len() <= MAX_CALLS_SINCE_STORE
            });
        }
        state.copies.clear();
    }

    /// Of an address that callers can name too.
    fn place(&self, addr: Expr) -> Option<MemoryPlace> {
        match self.f.exprs[addr] {
            ExprData::Binary(BinaryOp::PtrAdd, base, by) => {
                let ExprData::Const(_, by) = self.f.exprs[by] else { return None };
                let (source, offset) = self.place(base)?;
                Some((source, offset.checked_add(self.signed(by))?))
            }
            ExprData::SymbolAddr(symbol) => Some((PointerSource::Symbol(symbol.as_u32()), 0)),
            ExprData::Var(var) if !self.assigned.contains(var) => {
                let param = self.f.params.iter().position(|&param| param == var)?;
                Some((PointerSource::Param(param as u32), 0))
            }
            _ => None,
        }
    }

    /// Does the address lie in memory that was created by the function itself?
    fn is_own(&self, addr: Expr) -> bool {
        let sources = self.sources.of_address(addr);
        let is_own =
            |source: &PointerSource| matches!(source, PointerSource::Local | PointerSource::Fresh(_));
        !sources.is_empty() && sources.iter().all(is_own)
    }

    fn may_be_errno(&self, (source, _): &MemoryPlace, contents: &PlaceContents) -> bool {
        let is_int = super::may_be_errno(&self.unit.classes[contents.class], contents.ty);
        match source {
            PointerSource::Symbol(symbol) => {
                is_int && self.unit.symbols[Symbol::from_u32(*symbol)].name == "errno"
            }
            _ => is_int,
        }
    }

    /// A constant offset.
    fn signed(&self, by: u128) -> i64 {
        eval::signed(by, self.unit.target.pointer_bits) as i64
    }
}
