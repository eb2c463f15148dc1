//! The *exact* variant ([`super::Options::exact`]), for proofs (`verify`, decision 033): loads search every store, unknown
//! memory is a function of the address, validity must be shown, and assumptions on universally quantified variables are
//! instantiated.
//!
//! Assumptions: accesses of one type are aligned, so two of them are the same place or disjoint; memory of the caller stays
//! valid until something is freed or an unknown function is called.

mod instances;
mod valid;

use super::values::Unknown;
use super::{Encoder, Statement};
use gainsay_ir::gc::{Access, VarKind};
use gainsay_ir::passive::{Cmd, CmdKind, Definition, Effect, Expr, Function, Var, VarOf};
use gainsay_ir::types::Type;
use gainsay_term::Term;
use rustc_hash::FxHashMap;

/// Results of the exact variant besides the formulas.
#[derive(Default)]
pub struct Exact {
    /// Each assert, and the condition under which a run reaches it and it fails.
    pub failures: Vec<(Statement, Term)>,
    /// Places of the memory at entry, with what they hold.
    pub cells: Vec<MemoryCell>,
    /// Bytes of the memory at entry: first, number, and whether they can be accessed.
    pub ranges: Vec<[Term; 3]>,
    pub params: Vec<Term>,
    /// Something was not encoded exactly: a model of the formulas may be no run of the function.
    pub approximate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCell {
    pub addr: Term,
    pub ty: Type,
    pub value: Term,
}

/// The state of the encoder.
#[derive(Default)]
pub(super) struct ExactState {
    pub(super) out: Exact,
    /// Unknown contents by version and type.
    places: FxHashMap<(Var, Type), Vec<(Term, Term)>>,
    epochs: FxHashMap<Var, Var>,
    ranges: FxHashMap<Var, Vec<[Term; 3]>>,
    /// Blocks of the heap by their addresses: the last version at which something may have been freed when they were made.
    blocks: FxHashMap<Term, Var>,
    /// Assumes and asserts on variables that stand for all values, with the condition that the run comes there.
    quantified: Vec<(Statement, Term)>,
}

impl Encoder<'_> {
    /// Records an assert that may fail, or a quantified condition to instantiate.
    pub(super) fn consider(&mut self, statement: Statement, cmd: &Cmd, passed: Term, holds: Term) {
        match cmd.kind {
            CmdKind::Assume(condition) | CmdKind::Assert(_, condition) if self.is_quantified(condition) => {
                self.instantiate_later(statement, passed);
            }
            CmdKind::Assert(..) => self.fails(statement, passed, holds),
            _ => {}
        }
    }

    pub(super) fn load_exactly(&mut self, memory: Var, access: Access, addr: Term) -> Term {
        let Definition::Command(block, index) = self.function.vars[memory].definition else {
            return match self.function.vars[memory].definition {
                Definition::Phi(block) => self.load_at_join(block, memory, access, addr),
                _ => self.contents(memory, access.ty, addr),
            };
        };
        let function: &Function = self.function;
        let CmdKind::Update { before, effect, .. } = &function.blocks[block].cmds[index as usize].kind else {
            return self.contents(memory, access.ty, addr);
        };
        let bytes = u128::from(access.ty.bytes(self.pointer_bits()));
        match effect {
            Effect::Store { access: written, addr: at, value } => {
                let at = self.expr(*at);
                let len = u128::from(written.ty.bytes(self.pointer_bits()));
                let apart = self.classes_apart(written.class, access.class)
                    || self.are_apart((at, len), (addr, bytes));
                if apart {
                    return self.load(*before, access, addr);
                }
                if written.ty != access.ty {
                    self.exact.out.approximate = true;
                    return self.contents(memory, access.ty, addr);
                }
                let value = self.expr(*value);
                let same = self.pool.eq(at, addr);
                if self.pool.as_bool(same) == Some(true) {
                    return value;
                }
                let other = self.load(*before, access, addr);
                self.pool.ite(same, value, other)
            }
            Effect::ClobberRange { addr: dst, len } => {
                let (dst, len) = (self.expr(*dst), self.expr(*len));
                self.exact.out.approximate = true;
                let meets = self.meets((dst, len), addr, bytes);
                if self.pool.as_bool(meets) == Some(false) {
                    return self.load(*before, access, addr);
                }
                let unknown = self.contents(memory, access.ty, addr);
                let other = self.load(*before, access, addr);
                self.pool.ite(meets, unknown, other)
            }
            Effect::Copy { dst, src, len } => {
                let (dst, src, len) = (self.expr(*dst), self.expr(*src), self.expr(*len));
                let meets = self.meets((dst, len), addr, bytes);
                if self.pool.as_bool(meets) == Some(false) {
                    return self.load(*before, access, addr);
                }
                // The value is known if all its bytes were copied.
                let distance = self.pool.bv_sub(addr, dst);
                let width = u32::from(self.pointer_bits());
                let size = self.pool.bits(width, bytes);
                let end = self.pool.bv_add(distance, size);
                let (starts, ends) = (self.pool.bv_ult(distance, len), self.pool.bv_ule(end, len));
                let inside = self.pool.and(starts, ends);
                let from = self.pool.bv_add(src, distance);
                let copied = self.load(*before, access, from);
                let unknown = self.contents(memory, access.ty, addr);
                let other = self.load(*before, access, addr);
                let changed = self.pool.ite(inside, copied, unknown);
                self.pool.ite(meets, changed, other)
            }
            effect => match self.write_effect(effect, access, addr) {
                super::memory::WriteEffect::Value(value) => value,
                super::memory::WriteEffect::Nothing => self.load(*before, access, addr),
                super::memory::WriteEffect::Anything => {
                    self.exact.out.approximate |= !matches!(effect, Effect::Enter(_));
                    self.contents(memory, access.ty, addr)
                }
            },
        }
    }

    /// Do some of the bytes at `addr` lie in the range?
    fn meets(&mut self, (start, len): (Term, Term), addr: Term, bytes: u128) -> Term {
        if let Some(known) = self.pool.as_bits(len)
            && (known == 0 || self.are_apart((start, known), (addr, bytes)))
        {
            return self.never;
        }
        if self.are_apart((start, u128::MAX >> 1), (addr, bytes)) {
            return self.never;
        }
        let width = u32::from(self.pointer_bits());
        let (forward, backward) = (self.pool.bv_sub(addr, start), self.pool.bv_sub(start, addr));
        let size = self.pool.bits(width, bytes);
        let zero = self.pool.bits(width, 0);
        let (begins, covers) = (self.pool.bv_ult(forward, len), self.pool.bv_ult(backward, size));
        let some = self.pool.distinct(len, zero);
        let covers = self.pool.and(covers, some);
        self.pool.or(begins, covers)
    }

    /// The unknown contents of a place at a version: the same for the same address.
    fn contents(&mut self, memory: Var, ty: Type, addr: Term) -> Term {
        let known = self.exact.places.entry((memory, ty)).or_default().clone();
        if let Some(&(_, value)) = known.iter().find(|(at, _)| *at == addr) {
            return value;
        }
        let value = self.unknown(Unknown::Load, ty);
        for (at, other) in known {
            let same = self.pool.eq(at, addr);
            let equal = self.pool.eq(value, other);
            let fact = self.pool.implies(same, equal);
            self.facts.push(fact);
        }
        self.exact.places.entry((memory, ty)).or_default().push((addr, value));
        if self.function.vars[memory].definition == Definition::Entry {
            self.exact.out.cells.push(MemoryCell { addr, ty, value });
        }
        value
    }

    /// Records the condition under which an assert fails.
    pub(super) fn fails(&mut self, statement: Statement, passed: Term, holds: Term) {
        let not = self.pool.not(holds);
        let fails = self.pool.and(passed, not);
        self.exact.out.failures.push((statement, fails));
    }

    fn is_universal(&self, var: Var) -> bool {
        match self.function.vars[var].of {
            VarOf::Source(source) => self.function.sources[source].kind == VarKind::Universal,
            _ => false,
        }
    }

    /// What a temporary was defined as.
    fn definition(&self, var: Var) -> Option<Expr> {
        let data = self.function.vars[var];
        let VarOf::Source(source) = data.of else { return None };
        let Definition::Command(block, index) = data.definition else { return None };
        match self.function.blocks[block].cmds[index as usize].kind {
            CmdKind::Define(_, value) if !self.function.sources[source].is_written_by_user() => Some(value),
            _ => None,
        }
    }
}
