//! Validity in the exact variant: every part of a valid range is valid.

use super::super::Encoder;
use super::super::address::Base;
use super::super::values::Unknown;
use gainsay_ir::passive::{CmdKind, Definition, Effect, Expr, Function, Var};
use gainsay_term::Term;

impl Encoder<'_> {
    pub(in super::super) fn valid_exactly(&mut self, memory: Var, pointer: Expr, len: Expr) -> Term {
        let (pointer, len) = (self.expr(pointer), self.expr(len));
        let zero = self.pool.bits(u32::from(self.pointer_bits()), 0);
        let is_nothing = self.pool.eq(len, zero);
        let valid = match self.base_of(pointer) {
            Some(Base::Local(_) | Base::Alloca) => self.fits(pointer, len),
            Some(Base::Symbol(_)) if self.has_known_size(pointer) => self.fits(pointer, len),
            _ => self.is_known_valid(memory, pointer, len),
        };
        self.pool.or(is_nothing, valid)
    }

    /// An allocation gives NULL or valid memory. `memory` is that before it.
    ///
    /// The fact is stated for the whole time since the last free. That is sound: an access at the address before the
    /// allocation fails, and on such runs the allocation may return NULL.
    pub(in super::super) fn block_is_valid(&mut self, memory: Var, pointer: Var, size: Expr) {
        let (pointer, size) = (self.var(pointer), self.expr(size));
        let valid = self.is_known_valid(memory, pointer, size);
        let null = self.pool.bits(u32::from(self.pointer_bits()), 0);
        let is_null = self.pool.eq(pointer, null);
        let fact = self.pool.or(is_null, valid);
        self.facts.push(fact);
        let epoch = self.epoch(memory);
        self.exact.blocks.insert(pointer, epoch);
    }

    /// NULL, or the start of a block that was allocated here since the last free; otherwise unknown.
    pub(in super::super) fn freeable_exactly(&mut self, memory: Var, pointer: Expr) -> Term {
        let pointer = self.expr(pointer);
        let epoch = self.epoch(memory);
        if self.exact.blocks.get(&pointer) == Some(&epoch) {
            return self.pool.bool(true);
        }
        self.exact.out.approximate = true;
        let null = self.pool.bits(u32::from(self.pointer_bits()), 0);
        let is_null = self.pool.eq(pointer, null);
        let unknown = self.unknown(Unknown::Freeable, gainsay_ir::types::BOOL);
        self.pool.or(is_null, unknown)
    }

    fn is_known_valid(&mut self, memory: Var, pointer: Term, len: Term) -> Term {
        let epoch = self.epoch(memory);
        let known = self.exact.ranges.entry(epoch).or_default().clone();
        if let Some(&[_, _, valid]) = known.iter().find(|[p, n, _]| *p == pointer && *n == len) {
            return valid;
        }
        let valid = self.unknown(Unknown::Valid, gainsay_ir::types::BOOL);
        let width = u32::from(self.pointer_bits());
        let zero = self.pool.bits(width, 0);
        // No object contains NULL; that one past its end is an address, and a larger one.
        let nothing = self.pool.eq(len, zero);
        let nonnull = self.pool.distinct(pointer, zero);
        let end = self.pool.bv_add(pointer, len);
        let ordered = self.pool.bv_ult(pointer, end);
        let sane = self.pool.and(nonnull, ordered);
        let sane = self.pool.or(nothing, sane);
        let fact = self.pool.implies(valid, sane);
        self.facts.push(fact);
        for [p, n, other] in known {
            for (outer, is_valid, inner, follows) in
                [((p, n), other, (pointer, len), valid), ((pointer, len), valid, (p, n), other)]
            {
                let inside = self.is_part(inner, outer);
                let both = self.pool.and(inside, is_valid);
                let fact = self.pool.implies(both, follows);
                self.facts.push(fact);
            }
        }
        self.exact.ranges.entry(epoch).or_default().push([pointer, len, valid]);
        if self.function.vars[epoch].definition == Definition::Entry {
            self.exact.out.ranges.push([pointer, len, valid]);
        }
        valid
    }

    fn is_part(&mut self, (inner, size): (Term, Term), (outer, len): (Term, Term)) -> Term {
        let distance = self.pool.bv_sub(inner, outer);
        let short = self.pool.bv_ule(size, len);
        let room = self.pool.bv_sub(len, size);
        let near = self.pool.bv_ule(distance, room);
        self.pool.and(short, near)
    }

    /// The last version at which something may have been freed.
    fn epoch(&mut self, memory: Var) -> Var {
        if let Some(&epoch) = self.exact.epochs.get(&memory) {
            return epoch;
        }
        let function: &Function = self.function;
        let epoch = match function.vars[memory].definition {
            Definition::Entry | Definition::Fresh(..) => memory,
            Definition::Phi(block) => {
                let phi = function.blocks[block].phis.iter().find(|phi| phi.var == memory);
                let sources: Vec<Var> =
                    phi.into_iter().flat_map(|phi| &phi.sources).map(|&(_, source)| source).collect();
                let epochs: Vec<Var> = sources.into_iter().map(|source| self.epoch(source)).collect();
                match epochs.split_first() {
                    Some((first, rest)) if rest.iter().all(|epoch| epoch == first) => *first,
                    _ => memory,
                }
            }
            Definition::Command(block, index) => match &function.blocks[block].cmds[index as usize].kind {
                CmdKind::Update {
                    effect: Effect::Free { .. } | Effect::Call(_) | Effect::ClobberEscaped,
                    ..
                } => memory,
                CmdKind::Update { before, .. } => self.epoch(*before),
                _ => memory,
            },
        };
        self.exact.epochs.insert(memory, epoch);
        epoch
    }
}
