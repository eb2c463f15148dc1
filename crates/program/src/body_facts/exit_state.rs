//! What a function surely leaves behind: places in memory that callers can name, and what is in them whenever it returns
//! (papers/semantic-inconsistency-inference, section 5.1: only what must be so is followed).

mod values;

use super::sources::Sources;
use super::{Left, LeftValue, Source};
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

/// More places of one function are not followed.
const MOST_PLACES: usize = 24;

/// A place that more calls might change is forgotten.
const MOST_CALLS: usize = 8;

/// In the order of places.
pub(super) fn left(unit: &Unit, f: &Function, sources: &Sources) -> Vec<Left> {
    let finder = Finder::new(unit, f, sources);
    if finder.places.is_empty() {
        return Vec::new();
    }
    let Some(entry) = f.blocks.keys().next() else { return Vec::new() };
    let mut at_start: SecondaryMap<Block, Option<State>> = table(f.blocks.len());
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
    let said = state.left.into_iter().filter(|(_, what)| what.says_something());
    let left = said.map(|((source, offset), What { ty, class, values, past })| {
        let (values, past) = (values.into_iter().collect(), past.into_iter().collect());
        Left { source, offset, ty, class: class.as_u32(), values, past }
    });
    left.collect()
}

/// The blocks, each before its successors except along edges that close a cycle.
fn in_order(f: &Function) -> Vec<Block> {
    graph::reverse_postorder(&f.successors())
}

/// The object and the offset in it.
type Place = (Source, i64);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    left: BTreeMap<Place, What>,
    /// Variables that have this value.
    known: BTreeMap<Var, LeftValue>,
    /// Variables that are not NULL.
    nonnull: BTreeSet<Var>,
    /// Variables that have the value that is at the place.
    copies: BTreeMap<Var, Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct What {
    ty: Type,
    class: Class,
    values: BTreeSet<LeftValue>,
    /// Calls since it was stored, which may have changed it.
    past: BTreeSet<u32>,
}

impl What {
    /// Of numbers only which one it is, of pointers also that it is not NULL.
    fn says_something(&self) -> bool {
        let is_exact = |value: &LeftValue| matches!(value, LeftValue::Const(_) | LeftValue::Param { .. });
        match self.ty {
            Type::Ptr => !self.values.contains(&LeftValue::Unknown),
            _ => self.values.len() == 1 && self.values.iter().all(is_exact),
        }
    }

    /// What holds if one or the other does.
    fn meet(&self, other: &What) -> Option<What> {
        let values = self.values.union(&other.values).copied().collect();
        let past: BTreeSet<u32> = self.past.union(&other.past).copied().collect();
        let is_alike = self.ty == other.ty && self.class == other.class;
        (is_alike && past.len() <= MOST_CALLS).then_some(What { values, past, ..*self })
    }
}

impl State {
    /// What holds if one or the other does.
    fn meet(&self, other: &State) -> State {
        let met = |(place, what): (&Place, &What)| Some((*place, what.meet(other.left.get(place)?)?));
        let is_known = |(var, value): &(&Var, &LeftValue)| other.known.get(var) == Some(*value);
        let is_copy = |(var, place): &(&Var, &Place)| other.copies.get(var) == Some(*place);
        State {
            left: self.left.iter().filter_map(met).collect(),
            known: self.known.iter().filter(is_known).map(|(&var, &value)| (var, value)).collect(),
            nonnull: self.nonnull.intersection(&other.nonnull).copied().collect(),
            copies: self.copies.iter().filter(is_copy).map(|(&var, &place)| (var, place)).collect(),
        }
    }

    /// Something was written, but nothing of what is kept.
    fn keep(&mut self, mut is_kept: impl FnMut(&Place, &What) -> bool) {
        self.left.retain(|place, what| is_kept(place, what));
        self.copies.retain(|_, place| self.left.contains_key(place));
    }
}

struct Finder<'a> {
    unit: &'a Unit,
    f: &'a Function,
    sources: &'a Sources<'a>,
    /// The places that the function stores numbers or pointers to.
    places: BTreeSet<Place>,
    assigned: EntitySet<Var>,
    /// Variables whose values may come to be stored there.
    followed: EntitySet<Var>,
    /// How many calls there are in blocks before.
    calls_before: SecondaryMap<Block, u32>,
}

impl<'a> Finder<'a> {
    fn new(unit: &'a Unit, f: &'a Function, sources: &'a Sources<'a>) -> Finder<'a> {
        let mut assigned = EntitySet::new();
        let mut calls_before = table(f.blocks.len());
        let mut calls = 0;
        for (block, data) in &f.blocks {
            calls_before[block] = calls;
            assigned.extend(data.cmds.iter().filter_map(|cmd| cmd.assigned()));
            calls += data.cmds.iter().filter(|cmd| matches!(cmd.kind, CmdKind::Call(_))).count() as u32;
        }
        let (places, followed) = (BTreeSet::new(), EntitySet::new());
        let mut finder = Finder { unit, f, sources, places, assigned, followed, calls_before };
        let mut stored = Vec::new();
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let CmdKind::Store { addr, value, access } = &cmd.kind
                && matches!(access.ty, Type::Ptr | Type::Int(_))
                && !access.volatile
                && let Some(place) = finder.place(*addr)
                && (finder.places.len() < MOST_PLACES || finder.places.contains(&place))
            {
                finder.places.insert(place);
                stored.push(*value);
            }
        }
        finder.followed = values::followed(f, stored);
        finder
    }

    fn pass(&self, block: Block, mut state: State) -> State {
        let mut calls = self.calls_before[block];
        for cmd in &self.f.blocks[block].cmds {
            if let Some(var) = cmd.assigned() {
                self.assign(var, &cmd.kind, calls, &mut state);
            }
            match &cmd.kind {
                CmdKind::Store { addr, value, access } => self.store(*addr, *value, *access, &mut state),
                CmdKind::Load { dst, addr, access } if access.ty == Type::Ptr && !access.volatile => {
                    let is_it = |what: &What| what.ty == Type::Ptr;
                    let place = self.place(*addr).filter(|place| state.left.get(place).is_some_and(is_it));
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
                    state.keep(|place, what| !self.may_be_errno(place, what));
                }
                CmdKind::Clobber(Clobber::Escaped | Clobber::Classes(_)) => state.keep(|_, _| false),
                // Nobody may look at what was freed; but a block that comes later, or that stayed in its place, may be
                // taken for it.
                CmdKind::Free(pointer) => {
                    let freed = self.sources.of(*pointer);
                    let is_known = |source: &Source| !matches!(source, Source::Unknown | Source::Call(_));
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

    fn store(&self, addr: Expr, value: Expr, access: Access, state: &mut State) {
        if self.is_own(addr) {
            return;
        }
        let Access { ty, class, volatile } = access;
        let end =
            |offset: i64, ty: Type| offset.saturating_add(ty.bytes(self.unit.target.pointer_bits) as i64);
        let place = self.place(addr);
        let is_elsewhere = |other: &Place, found: &What| {
            place.is_some_and(|(source, offset)| {
                other.0 == source && (end(other.1, found.ty) <= offset || end(offset, ty) <= other.1)
            })
        };
        // Zero over zero is zero, wherever it goes and however wide it is.
        let is_zero = matches!(self.f.exprs[value], ExprData::Const(_, 0));
        let stays = |found: &What| is_zero && found.values.iter().all(|value| *value == LeftValue::Const(0));
        state.copies.retain(|_, other| state.left.get(other).is_some_and(|found| is_elsewhere(other, found)));
        state.left.retain(|other, found| is_elsewhere(other, found) || stays(found));
        if let Some(place) = place.filter(|place| !volatile && self.places.contains(place)) {
            let values = BTreeSet::from([self.value(value, state)]);
            state.left.insert(place, What { ty, class, values, past: BTreeSet::new() });
            if let (ExprData::Var(var), Type::Ptr) = (self.f.exprs[value], ty) {
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
            state.nonnull.extend(self.followed.contains(var).then_some(var));
            if let Some(what) = state.copies.get(&var).and_then(|place| state.left.get_mut(place)) {
                // What was stored may be gone since, but not what was just read.
                let is_stored = what.past.is_empty();
                what.values = match what.values.first() {
                    Some(value) if is_stored && what.values.len() == 1 => BTreeSet::from([value.tested()]),
                    _ => BTreeSet::from([LeftValue::Address]),
                };
                what.past.clear();
            }
        }
    }

    fn call(&self, number: u32, call: &Call, state: &mut State) {
        for write in call.writes.iter().flatten() {
            match write.base {
                CallBase::Errno => state.left.retain(|place, what| !self.may_be_errno(place, what)),
                CallBase::Argument(i) if call.args.get(i as usize).is_some_and(|&arg| self.is_own(arg)) => {}
                _ => state.left.clear(),
            }
        }
        if call.writes.is_none() {
            state.left.retain(|_, what| {
                what.past.insert(number);
                what.past.len() <= MOST_CALLS
            });
        }
        state.copies.clear();
    }

    /// Of an address that callers can name too.
    fn place(&self, addr: Expr) -> Option<Place> {
        match self.f.exprs[addr] {
            ExprData::Binary(BinaryOp::PtrAdd, base, by) => {
                let ExprData::Const(_, by) = self.f.exprs[by] else { return None };
                let (source, offset) = self.place(base)?;
                Some((source, offset.checked_add(self.signed(by))?))
            }
            ExprData::SymbolAddr(symbol) => Some((Source::Symbol(symbol.as_u32()), 0)),
            ExprData::Var(var) if !self.assigned.contains(var) => {
                let param = self.f.params.iter().position(|&param| param == var)?;
                Some((Source::Param(param as u32), 0))
            }
            _ => None,
        }
    }

    /// Is it memory that was not there when the function was called?
    fn is_own(&self, addr: Expr) -> bool {
        let sources = self.sources.of_address(addr);
        let is_own = |source: &Source| matches!(source, Source::Local | Source::Fresh(_));
        !sources.is_empty() && sources.iter().all(is_own)
    }

    fn may_be_errno(&self, (source, _): &Place, what: &What) -> bool {
        let is_int = super::may_be_errno(&self.unit.classes[what.class], what.ty);
        match source {
            Source::Symbol(symbol) => is_int && self.unit.symbols[Symbol::from_u32(*symbol)].name == "errno",
            _ => is_int,
        }
    }

    /// A constant offset.
    fn signed(&self, by: u128) -> i64 {
        eval::signed(by, self.unit.target.pointer_bits) as i64
    }
}
