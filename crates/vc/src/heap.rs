//! Freed heap blocks: walks back over the memory versions to a `free` of the same pointer.
//!
//! Only a pointer that is the same term as the freed one is dead: two pointers may have the same address, and a new block may
//! have the address of a freed one. No other effect changes whether a pointer is live; a call, which may free anything, leaves
//! it live. All this only allows more runs.

use super::address::Base;
use super::limits::{MAX_MEMORY_STEPS, MAX_NESTED_CHOICES, MAX_POINTER_ORIGINS};
use super::{Encoder, Statement};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Var};
use gainsay_term::{BinaryOp, Node, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

#[derive(Default)]
pub(super) struct Heap {
    /// Pointers that were freed so far. No other can be dead.
    freed: FxHashSet<Term>,
    lives: FxHashMap<(Var, Term), Life>,
}

impl Heap {
    /// Forgets the results on another path.
    pub(super) fn forget(&mut self) {
        self.lives.clear();
    }
}

/// The block that starts at a pointer.
#[derive(Clone, Copy)]
struct Life {
    live: Term,
    /// Its size is the one it was allocated with.
    same_size: Term,
}

impl Encoder<'_> {
    pub(super) fn allocated(&mut self, pointer: Var, size: Expr) {
        let (pointer, size) = (self.var(pointer), self.expr(size));
        // A product of unknowns costs the solver more than it is worth.
        let is_product = matches!(self.pool.node(size), Node::Binary(BinaryOp::Mul, a, b)
            if !self.pool.is_constant(a) && !self.pool.is_constant(b));
        self.new_block(pointer, (!is_product).then_some(size));
    }

    pub(super) fn freed(&mut self, pointer: Expr) {
        let mut stack: SmallVec<[(Term, u32); 4]> = SmallVec::new();
        stack.push((self.expr(pointer), 0));
        while let Some((pointer, depth)) = stack.pop() {
            self.bases.heap.freed.insert(pointer);
            if let Node::Ite(_, a, b) = self.pool.node(pointer)
                && depth < MAX_NESTED_CHOICES
            {
                stack.extend([(a, depth + 1), (b, depth + 1)]);
            }
        }
    }

    /// Do `len` bytes at the pointer lie in one live object?
    pub(super) fn valid(&mut self, memory: Var, pointer: Expr, len: Expr) -> Term {
        let life = self.life_of(memory, pointer);
        let (pointer, len) = (self.expr(pointer), self.expr(len));
        let fits = self.fits(pointer, len);
        let resized = self.pool.not(life.same_size);
        let fits = self.pool.or(fits, resized);
        let valid = self.pool.and(fits, life.live);
        let zero = self.pool.bits(u32::from(self.pointer_bits()), 0);
        let is_nothing = self.pool.eq(len, zero);
        self.pool.or(is_nothing, valid)
    }

    /// Is the pointer NULL or the start of a live block?
    pub(super) fn freeable(&mut self, memory: Var, pointer: Expr) -> Term {
        let life = self.life_of(memory, pointer);
        let pointer = self.expr(pointer);
        let starts = self.may_start_block(pointer, MAX_NESTED_CHOICES);
        let is_null = self.is_null(pointer);
        let is_live = self.pool.or(is_null, life.live);
        self.pool.and(starts, is_live)
    }

    fn is_null(&mut self, pointer: Term) -> Term {
        let null = self.pool.bits(u32::from(self.pointer_bits()), 0);
        self.pool.eq(pointer, null)
    }

    /// Can the address be one that an allocation gave, or NULL? No place in an object is NULL.
    fn may_start_block(&mut self, pointer: Term, choices: u32) -> Term {
        if let Node::Ite(condition, a, b) = self.pool.node(pointer)
            && choices > 0
        {
            let (a, b) = (self.may_start_block(a, choices - 1), self.may_start_block(b, choices - 1));
            return self.pool.ite(condition, a, b);
        }
        let at = self.position(pointer);
        let may = match self.base_of(pointer) {
            Some(Base::Heap) => at.constant == 0 || !at.exact,
            Some(Base::Local(_) | Base::Symbol(_) | Base::Alloca) => !at.exact,
            None => true,
        };
        self.pool.bool(may)
    }

    /// The life of the block that the pointer points into, as far as it is computed from freed pointers.
    fn life_of(&mut self, memory: Var, pointer: Expr) -> Life {
        let always = self.pool.bool(true);
        let mut life = Life { live: always, same_size: always };
        if self.bases.heap.freed.is_empty() {
            return life;
        }
        for origin in self.origins(pointer) {
            let part = self.life_of_choice(memory, origin, MAX_NESTED_CHOICES);
            life = self.both(life, part);
        }
        life
    }

    /// The pointer and what it was computed from by adding offsets.
    fn origins(&mut self, pointer: Expr) -> SmallVec<[Term; MAX_POINTER_ORIGINS]> {
        let mut origins: SmallVec<[Term; MAX_POINTER_ORIGINS]> = SmallVec::new();
        let mut expr = pointer;
        while origins.len() < MAX_POINTER_ORIGINS {
            let term = self.expr(expr);
            if origins.last() != Some(&term) {
                origins.push(term);
            }
            expr = match self.function.exprs[expr] {
                ExprData::Binary(gc::BinaryOp::PtrAdd, base, _) => base,
                ExprData::Var(var) => match self.value_of(var) {
                    Some(value) => value,
                    None => break,
                },
                _ => break,
            };
        }
        origins
    }

    /// What the variable was defined as.
    fn value_of(&self, var: Var) -> Option<Expr> {
        let Definition::Command(block, index) = self.function.vars[var].definition else { return None };
        let is_forgotten = self.options.forgotten.contains(&Statement { block, index });
        self.function.value_of(var).filter(|_| !is_forgotten)
    }

    fn life_of_choice(&mut self, memory: Var, pointer: Term, choices: u32) -> Life {
        let mut life = if self.bases.heap.freed.contains(&pointer) {
            self.life(memory, pointer)
        } else {
            let always = self.pool.bool(true);
            Life { live: always, same_size: always }
        };
        if let Node::Ite(condition, a, b) = self.pool.node(pointer)
            && choices > 0
        {
            let a = self.life_of_choice(memory, a, choices - 1);
            let b = self.life_of_choice(memory, b, choices - 1);
            let chosen = self.choose(condition, a, b);
            life = self.both(life, chosen);
        }
        life
    }

    fn both(&mut self, a: Life, b: Life) -> Life {
        Life { live: self.pool.and(a.live, b.live), same_size: self.pool.and(a.same_size, b.same_size) }
    }

    fn choose(&mut self, condition: Term, a: Life, b: Life) -> Life {
        Life {
            live: self.pool.ite(condition, a.live, b.live),
            same_size: self.pool.ite(condition, a.same_size, b.same_size),
        }
    }

    fn life(&mut self, memory: Var, pointer: Term) -> Life {
        let always = self.pool.bool(true);
        let mut life = Life { live: always, same_size: always };
        let mut at = memory;
        for _ in 0..MAX_MEMORY_STEPS {
            if let Some(&before) = self.bases.heap.lives.get(&(at, pointer)) {
                life = self.both(life, before);
                break;
            }
            match self.function.vars[at].definition {
                Definition::Entry | Definition::Fresh(..) => break,
                Definition::Phi(block) => match self.memory_on_route(block, at) {
                    Some(source) => at = source,
                    None => {
                        let before = self.life_at_join(block, at, pointer);
                        self.bases.heap.lives.insert((at, pointer), before);
                        life = self.both(life, before);
                        break;
                    }
                },
                Definition::Command(block, index) => {
                    let CmdKind::Update { before, effect, .. } =
                        &self.function.blocks[block].cmds[index as usize].kind
                    else {
                        break;
                    };
                    match effect {
                        Effect::Allocate { pointer: fresh, .. } if self.var(*fresh) == pointer => break,
                        Effect::Free { pointer: freed }
                            if !self.options.forgotten.contains(&Statement { block, index }) =>
                        {
                            let after = self.life_after(*freed, pointer);
                            life = self.both(life, after);
                        }
                        _ => {}
                    }
                    at = *before;
                }
            }
        }
        self.bases.heap.lives.insert((memory, pointer), life);
        life
    }

    fn life_at_join(&mut self, block: Block, memory: Var, pointer: Term) -> Life {
        let always = self.pool.bool(true);
        let phi = self.function.blocks[block].phis.iter().find(|phi| phi.var == memory);
        let mut life: Option<Life> = None;
        for (edge, source) in phi.map(|phi| self.sources(block, phi)).unwrap_or_default() {
            let found = self.life(source, pointer);
            life = Some(match life {
                Some(others) => self.choose(edge, found, others),
                None => found,
            });
        }
        life.unwrap_or(Life { live: always, same_size: always })
    }

    /// What freeing one pointer means to another. Where the pointer is freed only under a condition, the block
    /// stays otherwise, but perhaps with another size: that is what realloc does.
    fn life_after(&mut self, freed: Expr, pointer: Term) -> Life {
        let freed = self.expr(freed);
        let always = self.pool.bool(true);
        let Some(same) = self.same_when(freed, pointer, MAX_NESTED_CHOICES) else {
            return Life { live: always, same_size: always };
        };
        let is_null = self.is_null(pointer);
        let kept = self.pool.not(same);
        let live = self.pool.or(kept, is_null);
        let same_size = self.pool.bool(self.pool.as_bool(same) == Some(true));
        Life { live, same_size }
    }

    /// The condition under which the first pointer is the second, by its choices alone; `None` if never.
    fn same_when(&mut self, chosen: Term, pointer: Term, choices: u32) -> Option<Term> {
        if chosen == pointer {
            return Some(self.pool.bool(true));
        }
        let Node::Ite(condition, a, b) = self.pool.node(chosen) else { return None };
        if choices == 0 {
            return None;
        }
        let (a, b) = (self.same_when(a, pointer, choices - 1), self.same_when(b, pointer, choices - 1));
        if a.is_none() && b.is_none() {
            return None;
        }
        let never = self.never;
        Some(self.pool.ite(condition, a.unwrap_or(never), b.unwrap_or(never)))
    }
}
