//! Computes body facts block by block.

use super::origins::Origins;
use super::slots::{ChangedParams, Slots};
use super::sources::Sources;
use super::{
    AbstractValue, Arg, BodyFacts, CallSite, CallTarget, Effects, Event, Part, PartEnd, PointerSource,
};
use crate::body_facts::exit_state::exit_state;
use cranelift_entity::EntitySet;
use gainsay_ir::gc::{
    BinaryOp, Block, Call, CallBase, Callee, Class, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Next,
    Symbol, SymbolKind, Unit, Var, is_kept,
};
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

pub(super) fn build(unit: &Unit, f: &Function) -> BodyFacts {
    let mut builder = Builder {
        unit,
        f,
        sources: Sources::new(f),
        slots: Slots::new(unit, f),
        origins: Origins::new(unit, f),
        calls: Vec::new(),
        allocations: 0,
        writes: BTreeSet::new(),
        writes_beyond: BTreeSet::new(),
        frees: BTreeSet::new(),
        stored: BTreeSet::new(),
        returned: BTreeSet::new(),
        writes_anything: false,
        writes_errno: false,
        null_tested: BTreeSet::new(),
        searched: EntitySet::new(),
        stack: Vec::new(),
    };
    let mut parts: Vec<Part> = f.blocks.keys().map(|block| builder.part(block)).collect();
    let at_entry = builder.slots.at_entry.iter();
    let entry = at_entry.map(|&(slot, param)| Event::Set(slot, vec![AbstractValue::Slot(param)]));
    if let Some(first) = parts.first_mut() {
        first.events.splice(0..0, entry);
    }
    let moves = builder.origins.moves();
    BodyFacts {
        params: f.params.iter().map(|&param| (f.vars[param].name.clone(), f.vars[param].ty)).collect(),
        result: f.result,
        slots: builder.slots.types,
        parts,
        calls: builder.calls,
        effects: Effects {
            writes: builder.writes.into_iter().collect(),
            writes_beyond: builder.writes_beyond.into_iter().collect(),
            writes_anything: builder.writes_anything,
            writes_errno: builder.writes_errno,
            frees: builder.frees.into_iter().collect(),
            stored: builder.stored.into_iter().collect(),
            returned: builder.returned.into_iter().collect(),
            stored_functions: moves.stored.into_iter().collect(),
            lost_functions: moves.lost.into_iter().collect(),
            returned_functions: moves.returned.into_iter().collect(),
        },
        null_tested: builder.null_tested.into_iter().collect(),
        exit_state: exit_state(unit, f, &builder.sources),
    }
}

struct Builder<'a> {
    unit: &'a Unit,
    f: &'a Function,
    sources: Sources<'a>,
    slots: Slots<'a>,
    origins: Origins<'a>,
    calls: Vec<CallSite>,
    allocations: u32,
    writes: BTreeSet<(PointerSource, Option<u32>)>,
    writes_beyond: BTreeSet<(u32, Option<u32>)>,
    frees: BTreeSet<PointerSource>,
    stored: BTreeSet<PointerSource>,
    returned: BTreeSet<PointerSource>,
    writes_anything: bool,
    writes_errno: bool,
    null_tested: BTreeSet<u32>,
    /// Expressions that were searched for comparisons with NULL.
    searched: EntitySet<Expr>,
    /// To work on; empty.
    stack: Vec<Expr>,
}

impl Builder<'_> {
    fn part(&mut self, block: Block) -> Part {
        let mut events = Vec::new();
        let mut now = self.slots.at(block);
        let data = &self.f.blocks[block];
        for cmd in &data.cmds {
            self.flow(cmd, now, &mut events);
            self.effect(cmd);
            if !matches!(cmd.kind, CmdKind::Assert(..)) {
                cmd.exprs().into_iter().for_each(|expr| self.find_null_tests(expr));
            }
            self.slots.pass(cmd.assigned(), &mut now);
        }
        let end = match &data.next {
            Next::Goto(targets) => PartEnd::Goto(targets.iter().map(|target| target.as_u32()).collect()),
            Next::Return(value) => {
                self.returned.extend(value.iter().flat_map(|&value| self.sources.of(value)));
                PartEnd::Return(value.map_or(Vec::new(), |value| self.slots.values(value, now)))
            }
            Next::Raise => PartEnd::Raise,
            Next::Error => PartEnd::Error,
        };
        Part { events, end }
    }

    /// The events of the command.
    fn flow(&mut self, cmd: &Cmd, now: ChangedParams, events: &mut Vec<Event>) {
        let set = |var: Var, values: Vec<AbstractValue>| {
            self.slots.tracked(var).map(|slot| Event::Set(slot, values))
        };
        match &cmd.kind {
            CmdKind::Assume(condition) => {
                let (atoms, _) = self.slots.atoms(*condition, true, now);
                events.extend(atoms.into_iter().map(Event::Assume));
            }
            CmdKind::Assert(check, condition) => {
                for part in self.slots.conjuncts(*condition) {
                    let (fails, exact) = self.slots.atoms(part, false, now);
                    if !fails.is_empty() {
                        events.push(Event::Check { check: *check, fails, exact, loc: cmd.loc });
                    }
                }
            }
            CmdKind::Assign(var, value) => events.extend(set(*var, self.slots.values(*value, now))),
            CmdKind::Alloca { dst, .. } => events.extend(set(*dst, vec![AbstractValue::Address])),
            CmdKind::Allocate { dst, .. } => {
                events.extend(set(*dst, vec![AbstractValue::Fresh(self.allocations)]));
                self.allocations += 1;
            }
            CmdKind::Havoc(var) | CmdKind::Enter(var) | CmdKind::Load { dst: var, .. } => {
                events.extend(set(*var, vec![AbstractValue::Unknown]));
            }
            CmdKind::Call(call) => {
                let number = self.calls.len() as u32;
                events.push(Event::Call(number));
                if let Some(dst) = call.dst {
                    events.extend(set(dst, vec![AbstractValue::Call(number)]));
                }
                let site = self.call(cmd, call, now);
                self.calls.push(site);
            }
            CmdKind::EnterObject(_)
            | CmdKind::Store { .. }
            | CmdKind::Copy { .. }
            | CmdKind::Fill { .. }
            | CmdKind::Free(_)
            | CmdKind::Clobber(_) => {}
        }
    }

    fn call(&self, cmd: &Cmd, call: &Call, now: ChangedParams) -> CallSite {
        let arg = |&arg: &Expr| Arg {
            ty: self.f.ty(arg, self.unit.target.pointer_bits),
            value: self.slots.value(arg, now),
            sources: self.sources.of(arg),
            origins: self.origins.of(arg),
        };
        CallSite {
            callee: match call.callee {
                Callee::Symbol(symbol) => CallTarget::Symbol(symbol.as_u32()),
                Callee::Pointer(pointer) => CallTarget::Pointer(self.origins.of(pointer)),
            },
            args: call.args.iter().map(arg).collect(),
            result: call.dst.map(|dst| self.f.vars[dst].ty),
            returns: call.returns,
            is_listed: call.writes.is_some(),
            loc: cmd.loc,
        }
    }

    /// What the command does whenever it is executed.
    fn effect(&mut self, cmd: &Cmd) {
        match &cmd.kind {
            CmdKind::Store { addr, value, access } => {
                let bytes = access.ty.bytes(self.unit.target.pointer_bits);
                self.write(*addr, Some(bytes), Some(access.class));
                self.stored.extend(self.sources.of(*value));
            }
            CmdKind::Copy { dst: addr, .. }
            | CmdKind::Fill { dst: addr, .. }
            | CmdKind::Clobber(Clobber::Range { addr, .. }) => self.write(*addr, None, None),
            CmdKind::Clobber(Clobber::Classes(classes)) => {
                let anywhere = |class: &Class| (PointerSource::Unknown, Some(class.as_u32()));
                self.writes.extend(classes.iter().map(anywhere));
            }
            CmdKind::Clobber(Clobber::Escaped) => self.writes_anything = true,
            CmdKind::Clobber(Clobber::Errno) => self.writes_errno = true,
            CmdKind::Free(pointer) => self.frees.extend(self.sources.of(*pointer)),
            CmdKind::Assign(..)
            | CmdKind::Havoc(_)
            | CmdKind::Enter(_)
            | CmdKind::EnterObject(_)
            | CmdKind::Assume(_)
            | CmdKind::Assert(..)
            | CmdKind::Load { .. }
            | CmdKind::Alloca { .. }
            | CmdKind::Allocate { .. } => {}
            CmdKind::Call(call) => self.listed(call),
        }
    }

    /// The effects that a model lists for a call.
    fn listed(&mut self, call: &Call) {
        let Some(writes) = &call.writes else { return };
        for write in writes {
            match write.base {
                CallBase::Argument(i) => match call.args.get(i as usize) {
                    Some(&arg) => self.write(arg, None, Some(write.class)),
                    None => self.writes_anything = true,
                },
                CallBase::Symbol(symbol) => {
                    self.writes.insert((PointerSource::Symbol(symbol.as_u32()), Some(write.class.as_u32())));
                }
                CallBase::Errno => self.writes_errno = true,
                CallBase::Outside => self.writes_anything = true,
                CallBase::Anywhere => {
                    self.writes.insert((PointerSource::Unknown, Some(write.class.as_u32())));
                }
            }
        }
        for (i, &arg) in call.args.iter().enumerate() {
            if is_kept(call.keeps, i) {
                self.stored.extend(self.sources.of(arg));
            }
        }
    }

    /// Objects without a definition here that the write may exceed by their declared size: they may be symbols of the
    /// linker.
    fn objects_written_beyond(&self, addr: Expr, bytes: Option<u64>) -> Vec<Symbol> {
        let declared = |symbol: Symbol| match &self.unit.symbols[symbol].kind {
            SymbolKind::Object(facts) if facts.size.is_none() => facts.declared,
            _ => u64::MAX,
        };
        let (mut base, mut end) = (addr, bytes.map(u128::from));
        while let ExprData::Binary(BinaryOp::PtrAdd, pointer, offset) = self.f.exprs[base] {
            end = match self.f.exprs[offset] {
                ExprData::Const(_, offset) => end.and_then(|end| end.checked_add(offset)),
                _ => None,
            };
            base = pointer;
        }
        let is_within = |declared: u64| declared == u64::MAX || end.is_some_and(|end| end <= declared.into());
        match self.f.exprs[base] {
            ExprData::SymbolAddr(symbol) if is_within(declared(symbol)) => Vec::new(),
            ExprData::SymbolAddr(symbol) => vec![symbol],
            _ => {
                let sources = self.sources.of(addr).into_iter().filter_map(|source| match source {
                    PointerSource::Symbol(symbol) => Some(Symbol::from_u32(symbol)),
                    _ => None,
                });
                sources.filter(|&symbol| declared(symbol) != u64::MAX).collect()
            }
        }
    }

    /// Comparisons with NULL, in conditions or as values.
    fn find_null_tests(&mut self, root: Expr) {
        self.stack.push(root);
        while let Some(expr) = self.stack.pop() {
            if !self.searched.insert(expr) {
                continue;
            }
            let data = self.f.exprs[expr];
            self.stack.extend(data.operands());
            let ExprData::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = data else { continue };
            let pointer = match (self.f.exprs[a], self.f.exprs[b]) {
                (ExprData::Const(Type::Ptr, 0), _) => b,
                (_, ExprData::Const(Type::Ptr, 0)) => a,
                _ => continue,
            };
            let params = self.sources.of(pointer).into_iter().map(|source| match source {
                PointerSource::Param(param) => Some(param),
                _ => None,
            });
            self.null_tested.extend(params.collect::<Option<Vec<u32>>>().into_iter().flatten());
        }
    }

    /// `bytes`: how many are written there; `None` if that is not known.
    fn write(&mut self, addr: Expr, bytes: Option<u64>, class: Option<Class>) {
        let class = class.map(|class| class.as_u32());
        // A constant address may be that of any object.
        self.writes_anything |= self.sources.is_number(addr);
        self.writes_beyond.extend(
            self.objects_written_beyond(addr, bytes).into_iter().map(|symbol| (symbol.as_u32(), class)),
        );
        let places =
            self.sources.of_address(addr).into_iter().filter(|source| *source != PointerSource::Local);
        self.writes.extend(places.map(|source| (source, class)));
    }
}
