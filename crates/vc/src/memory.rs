//! Loads: walks back over the memory versions to the write that produced the bytes (decision 002).
//!
//! A write to the same place gives its value, a write to a disjoint place is skipped, and at a join the load is resolved in
//! each source. Anything else ends the walk, and the value is an unknown that all loads of this place at that version share.

use super::address::Base;
use super::aliasing::AliasChoices;
use super::limits::MAX_MEMORY_STEPS;
use super::values::Unknown;
use super::{Encoder, Statement};
use gainsay_ir::gc::{Access, CallBase, Held, Object, SymbolKind};
use gainsay_ir::passive::{Block, Call, CmdKind, Definition, Effect, Expr, Var};
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::bits::mask;
use gainsay_term::{Node, Term};

/// A version of memory, an address and a type.
pub(super) type VersionedPlace = (Var, Term, Type);

/// What one effect does to a place.
pub(super) enum WriteEffect {
    /// It wrote the place: this is the value.
    Value(Term),
    /// It cannot have touched the place.
    Nothing,
    /// It may have written the place.
    Anything,
}

impl Encoder<'_> {
    pub(super) fn load(&mut self, memory: Var, access: Access, addr: Term) -> Term {
        let key = ((memory, addr, access.ty), access.class);
        if let Some(&term) = self.loads.get(&key) {
            return term;
        }
        let term = if self.options.exact {
            self.load_exactly(memory, access, addr)
        } else {
            self.walk(memory, access, addr)
        };
        self.loads.insert(key, term);
        term
    }

    fn walk(&mut self, mut memory: Var, access: Access, addr: Term) -> Term {
        let mut choices = AliasChoices::new();
        for _ in 0..MAX_MEMORY_STEPS {
            match self.function.vars[memory].definition {
                Definition::Entry => break,
                Definition::Fresh(..) => break,
                Definition::Phi(block) => match self.memory_on_route(block, memory) {
                    Some(source) => memory = source,
                    None => {
                        let otherwise = self.load_at_join(block, memory, access, addr);
                        return self.among(choices, otherwise);
                    }
                },
                Definition::Command(block, index) => {
                    let cmd = &self.function.blocks[block].cmds[index as usize];
                    let CmdKind::Update { before, effect, .. } = &cmd.kind else { break };
                    let statement = Statement { block, index };
                    let is_forgotten = self.options.forgotten.contains(&statement);
                    match self.write_effect(effect, access, addr) {
                        WriteEffect::Value(_) if is_forgotten => break,
                        WriteEffect::Value(value) => return self.among(choices, value),
                        WriteEffect::Nothing => memory = *before,
                        WriteEffect::Anything => {
                            let Some(choice) = self.choice(statement, effect, access, addr, &choices) else {
                                break;
                            };
                            choices.push(choice);
                            memory = *before;
                        }
                    }
                }
            }
        }
        let otherwise = self.unknown_at(memory, access, addr);
        self.among(choices, otherwise)
    }

    /// The version of memory before a join, if only one path is encoded or of interest.
    pub(super) fn memory_on_route(&self, block: Block, memory: Var) -> Option<Var> {
        let phi = self.function.blocks[block].phis.iter().find(|phi| phi.var == memory)?;
        self.source_on_route(block, phi)
    }

    /// Forgets results of loads on another path; unknown contents stay the same.
    pub(super) fn forget_resolved_loads(&mut self) {
        self.loads.clear();
        self.bases.heap.forget();
    }

    /// The unknown contents of the place at this version.
    fn unknown_at(&mut self, memory: Var, access: Access, addr: Term) -> Term {
        let key = (memory, addr, access.ty);
        if let Some(&term) = self.contents.get(&key) {
            return term;
        }
        // The contents at entry are an input; anything else is an approximation, and so is the initialiser of a constant.
        let is_input = self.function.vars[memory].definition == Definition::Entry && !self.is_constant(addr);
        let term = self.unknown(if is_input { Unknown::Load } else { Unknown::Lost }, access.ty);
        self.contents.insert(key, term);
        term
    }

    pub(super) fn load_at_join(&mut self, block: Block, memory: Var, access: Access, addr: Term) -> Term {
        let phis = &self.function.blocks[block].phis;
        let Some(phi) = phis.iter().find(|phi| phi.var == memory) else {
            return self.unknown_at(memory, access, addr);
        };
        let mut value = None;
        for (edge, source) in self.sources(block, phi) {
            let found = self.load(source, access, addr);
            value = Some(value.map_or(found, |others| self.pool.ite(edge, found, others)));
        }
        value.unwrap_or_else(|| self.unknown_at(memory, access, addr))
    }

    pub(super) fn write_effect(&mut self, effect: &Effect, access: Access, addr: Term) -> WriteEffect {
        let bytes = u128::from(access.ty.bytes(self.pointer_bits()));
        match effect {
            Effect::Store { access: written, addr: at, value } => {
                let at = self.expr(*at);
                if at == addr && written.ty == access.ty {
                    return WriteEffect::Value(self.expr(*value));
                }
                let len = u128::from(written.ty.bytes(self.pointer_bits()));
                let apart = self.classes_apart(written.class, access.class)
                    || self.are_apart((at, len), (addr, bytes));
                if apart { WriteEffect::Nothing } else { WriteEffect::Anything }
            }
            Effect::Fill { dst, byte, len } => {
                let (dst, byte, len) = (self.expr(*dst), self.expr(*byte), self.expr(*len));
                self.fill_effect(dst, byte, len, access, addr)
            }
            Effect::Copy { dst, len, .. } | Effect::ClobberRange { addr: dst, len } => {
                let (dst, len) = (self.expr(*dst), self.expr(*len));
                self.range_effect(dst, len, addr, bytes)
            }
            Effect::Enter(object) => {
                if self.is_in(addr, *object) {
                    WriteEffect::Anything
                } else {
                    WriteEffect::Nothing
                }
            }
            // The new bytes are disjoint from all earlier places, and an unknown pointer cannot point to them.
            Effect::Alloca { pointer, .. } | Effect::Allocate { pointer, .. } => {
                let pointer = self.var(*pointer);
                if self.position(addr).base == pointer { WriteEffect::Anything } else { WriteEffect::Nothing }
            }
            // An access to the freed block is an error; other places do not change.
            Effect::Free { .. } => WriteEffect::Nothing,
            Effect::ClobberErrno => {
                if self.may_be_errno(access, addr) {
                    WriteEffect::Anything
                } else {
                    WriteEffect::Nothing
                }
            }
            Effect::Call(call) => self.call_effect(call, access, addr),
            Effect::ClobberEscaped => {
                if self.is_private(addr) {
                    WriteEffect::Nothing
                } else {
                    WriteEffect::Anything
                }
            }
            Effect::ClobberClasses(classes) => {
                if classes.iter().all(|&class| self.classes_apart(class, access.class)) {
                    WriteEffect::Nothing
                } else {
                    WriteEffect::Anything
                }
            }
        }
    }

    fn call_effect(&mut self, call: &Call, access: Access, addr: Term) -> WriteEffect {
        let may_write = match &call.writes {
            _ if self.is_constant(addr) => false,
            None => self.is_reachable_by(call, addr),
            Some(writes) => writes.iter().any(|write| {
                !self.classes_apart(write.class, access.class)
                    && self.may_meet(call, write.base, access, addr)
            }),
        };
        if may_write { WriteEffect::Anything } else { WriteEffect::Nothing }
    }

    /// May a write of the call to the object change the place?
    fn may_meet(&mut self, call: &Call, base: CallBase, access: Access, addr: Term) -> bool {
        let bytes = u128::from(access.ty.bytes(self.pointer_bits()));
        let start = match base {
            CallBase::Errno => return self.may_be_errno(access, addr),
            // Through pointers that the callee loads from memory; its arguments are listed separately.
            CallBase::Anywhere if self.is_unretained(addr) => return false,
            CallBase::Outside if self.is_unretained(addr) && !self.is_written_by_callbacks(addr) => {
                return false;
            }
            CallBase::Anywhere | CallBase::Outside => None,
            CallBase::Symbol(symbol) => {
                // Writes of the callee beyond the object are listed as `Anywhere`.
                let start = self.symbol_base(symbol);
                return self.position(addr).base == start || !self.are_apart((start, 0), (addr, bytes));
            }
            CallBase::Argument(i) => match call.args.get(i as usize) {
                Some(&arg) if self.is_in_passed_object(arg, addr) => return true,
                Some(&arg) => {
                    Some(self.expr(arg)).filter(|&start| self.pool.sort(start) == self.sort(Type::Ptr))
                }
                None => None,
            },
        };
        let Some(start) = start else { return self.is_reachable_by(call, addr) };
        // The argument may point anywhere into the object, so the distance is irrelevant.
        !self.are_apart((start, u128::MAX >> 1), (addr, bytes))
    }

    /// Can the callee reach the place, through memory or its arguments?
    fn is_reachable_by(&self, call: &Call, addr: Term) -> bool {
        !self.is_private(addr) || call.args.iter().any(|&arg| self.is_in_passed_object(arg, addr))
    }

    fn is_in_passed_object(&self, arg: Expr, addr: Term) -> bool {
        matches!(self.base_of(addr), Some(Base::Local(object)) if self.exposed.is_passed(arg, object))
    }

    fn range_effect(&mut self, dst: Term, len: Term, addr: Term, bytes: u128) -> WriteEffect {
        // If the length is unknown, only another object is known to be disjoint.
        let len = match self.pool.node(len) {
            Node::Bits { value, .. } => value,
            _ => u128::MAX >> 1,
        };
        if self.are_apart((dst, len), (addr, bytes)) { WriteEffect::Nothing } else { WriteEffect::Anything }
    }

    /// Filled bytes are known if the place certainly lies within them.
    fn fill_effect(&mut self, dst: Term, byte: Term, len: Term, access: Access, addr: Term) -> WriteEffect {
        let bytes = u128::from(access.ty.bytes(self.pointer_bits()));
        let (at, start) = (self.position(addr), self.position(dst));
        let offset = at.constant.wrapping_sub(start.constant) & mask(u32::from(self.pointer_bits()));
        let end = offset + bytes;
        let is_inside = at.base == start.base && at.exact && start.exact && end < 1 << 31;
        let (true, Some(byte)) = (is_inside, self.pool.as_bits(byte)) else {
            return self.range_effect(dst, len, addr, bytes);
        };
        let repeated = (0..bytes).fold(0, |value, _| value << 8 | (byte & 0xff));
        let value = match access.ty {
            BOOL => self.pool.bool(repeated & 1 == 1),
            ty => {
                let width = u32::from(ty.bits(self.pointer_bits()));
                self.pool.bits(width, repeated & mask(width))
            }
        };
        let end = self.pool.bits(u32::from(self.pointer_bits()), end);
        let is_filled = self.pool.bv_ule(end, len);
        if self.pool.as_bool(is_filled) == Some(false) {
            return self.range_effect(dst, len, addr, bytes);
        }
        let otherwise = self.unknown(Unknown::Lost, access.ty);
        WriteEffect::Value(self.pool.ite(is_filled, value, otherwise))
    }

    /// An `int` that is no object of the unit but `errno` itself.
    fn may_be_errno(&self, access: Access, addr: Term) -> bool {
        let class = &self.unit.classes[access.class];
        let is_int = class.ty.is_none_or(|ty| matches!(ty, Type::Int(16 | 32))) && class.field.is_none();
        match self.base_of(addr) {
            Some(Base::Symbol(symbol)) => is_int && self.unit.symbols[symbol].name == "errno",
            Some(_) => false,
            None => is_int || class.ty.is_none(),
        }
    }

    fn is_in(&self, addr: Term, object: Object) -> bool {
        match self.base_of(addr) {
            Some(Base::Local(other)) => other == object,
            Some(_) => false,
            None => self.exposed.contains(object),
        }
    }

    /// Memory that no callee can write unless its address is an argument.
    fn is_private(&self, addr: Term) -> bool {
        match self.base_of(addr) {
            Some(Base::Local(object)) => !self.exposed.contains(object),
            _ => self.is_constant(addr),
        }
    }

    /// Does no pointer in memory point there?
    fn is_unretained(&self, addr: Term) -> bool {
        let Some(Base::Symbol(symbol)) = self.base_of(addr) else { return false };
        matches!(&self.unit.symbols[symbol].kind, SymbolKind::Object(facts) if matches!(facts.held, Held::Unretained | Held::Nowhere))
    }

    /// Is it an object that callbacks write?
    fn is_written_by_callbacks(&self, addr: Term) -> bool {
        let Some(Base::Symbol(symbol)) = self.base_of(addr) else { return false };
        matches!(&self.unit.symbols[symbol].kind, SymbolKind::Object(facts) if facts.reached)
    }

    pub(super) fn is_constant(&self, addr: Term) -> bool {
        let Some(Base::Symbol(symbol)) = self.base_of(addr) else { return false };
        let is_constant =
            matches!(&self.unit.symbols[symbol].kind, SymbolKind::Object(facts) if facts.constant);
        is_constant && self.is_own(addr)
    }
}
