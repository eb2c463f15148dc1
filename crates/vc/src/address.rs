//! Addresses: the object they are based on, the offset from it, and when two places are disjoint.

use super::Encoder;
use super::heap::Heap;
use super::limits::MAX_SUM_NODES;
use gainsay_ir::gc::{Class, Held, Linkage, Object, Symbol, SymbolKind};
use gainsay_ir::types::Type;
use gainsay_term::{BinaryOp, Node, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// An object whose address a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    Local(Object),
    Symbol(Symbol),
    Alloca,
    /// Memory of the heap, or NULL.
    Heap,
}

#[derive(Default)]
pub(super) struct Bases {
    /// What is known of the terms that are addresses of objects: the object, and its size in bytes.
    known: FxHashMap<Term, (Base, Option<Term>)>,
    /// Addresses of objects that the linker places.
    placed: FxHashSet<Term>,
    pub(super) heap: Heap,
}

/// `base` plus `constant` plus, where `exact` is false, something else.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) base: Term,
    pub(super) constant: u128,
    pub(super) exact: bool,
}

impl Encoder<'_> {
    pub(super) fn is_not_null(&mut self, pointer: Term) {
        let null = self.pool.bits(u32::from(self.pointer_bits()), 0);
        let fact = self.pool.distinct(pointer, null);
        self.facts.push(fact);
    }

    pub(super) fn new_base(&mut self, term: Term, base: Base, size: Option<Term>) {
        self.bases.known.insert(term, (base, size));
        self.is_not_null(term);
    }

    /// As [`Encoder::new_base`], but the pointer may be NULL.
    pub(super) fn new_block(&mut self, term: Term, size: Option<Term>) {
        self.bases.known.insert(term, (Base::Heap, size));
    }

    pub(super) fn object_base(&mut self, object: Object) -> Term {
        let sort = self.sort(Type::Ptr);
        let data = &self.function.objects[object];
        let (name, size) = (format!("&{}", data.name), u128::from(data.size));
        let term = self.pool.var(&name, sort);
        if !self.bases.known.contains_key(&term) {
            let size = self.pool.bits(u32::from(self.pointer_bits()), size);
            self.new_base(term, Base::Local(object), Some(size));
        }
        term
    }

    pub(super) fn symbol_base(&mut self, symbol: Symbol) -> Term {
        let sort = self.sort(Type::Ptr);
        let data = &self.unit.symbols[symbol];
        let name = format!("@{}", data.name);
        let term = self.pool.var(&name, sort);
        // A weak symbol may be NULL or have another definition. An object that the linker places may be part of another one.
        let is_placed = matches!(&data.kind, SymbolKind::Object(facts) if facts.held == Held::Placed);
        if is_placed && data.linkage != Linkage::Weak && self.bases.placed.insert(term) {
            self.is_not_null(term);
        } else if data.linkage != Linkage::Weak && !is_placed && !self.bases.known.contains_key(&term) {
            let size = match &data.kind {
                SymbolKind::Object(facts) => facts.size.map(u128::from),
                SymbolKind::Function(_) => None,
            };
            let size = size.map(|size| self.pool.bits(u32::from(self.pointer_bits()), size));
            self.new_base(term, Base::Symbol(symbol), size);
        }
        term
    }

    pub(super) fn has_known_size(&self, term: Term) -> bool {
        self.bases.known.get(&self.position(term).base).is_some_and(|(_, size)| size.is_some())
    }

    pub(super) fn objects(&self) -> Vec<(Term, Option<Term>)> {
        let mut objects: Vec<(Term, Option<Term>)> =
            self.bases.known.iter().map(|(&term, &(_, size))| (term, size)).collect();
        objects.sort();
        objects
    }

    pub(super) fn base_of(&self, term: Term) -> Option<Base> {
        self.bases.known.get(&self.position(term).base).map(|(base, _)| *base)
    }

    /// Take constants off an address, and anything else off the address of an object.
    pub(super) fn position(&self, address: Term) -> Position {
        let mut at = Position { base: address, constant: 0, exact: true };
        while let Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = self.pool.node(at.base) {
            let minus = op == BinaryOp::Sub;
            if let Some(bits) = self.pool.as_bits(b) {
                at.constant =
                    if minus { at.constant.wrapping_sub(bits) } else { at.constant.wrapping_add(bits) };
                at.base = a;
            } else if let (Some(bits), false) = (self.pool.as_bits(a), minus) {
                at.constant = at.constant.wrapping_add(bits);
                at.base = b;
            } else {
                if let Some(base) = self.object_below(at.base) {
                    (at.base, at.exact) = (base, false);
                }
                break;
            }
        }
        at.constant &= gainsay_term::bits::mask(u32::from(self.pointer_bits()));
        at
    }

    /// The object whose address is added in a sum: the only one, not counting those that are added and subtracted
    /// again, or only subtracted (`buffer + (q - p)` is an address in `buffer`).
    fn object_below(&self, sum: Term) -> Option<Term> {
        let mut stack = vec![(sum, 1)];
        let mut counts: SmallVec<[(Term, i32); 2]> = SmallVec::new();
        let mut budget = MAX_SUM_NODES;
        while let Some((term, sign)) = stack.pop() {
            if self.bases.known.contains_key(&term) {
                match counts.iter_mut().find(|(base, _)| *base == term) {
                    Some((_, count)) => *count += sign,
                    None => counts.push((term, sign)),
                }
            } else if let Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = self.pool.node(term)
                && budget > 0
            {
                budget -= 1;
                stack.extend([(a, sign), (b, if op == BinaryOp::Sub { -sign } else { sign })]);
            }
        }
        let mut added = counts.into_iter().filter(|(_, count)| *count > 0);
        let first = added.next().filter(|(_, count)| *count == 1)?;
        added.next().is_none().then_some(first.0)
    }

    /// Are the bytes certainly disjoint?
    pub(super) fn are_apart(&self, (a, a_len): (Term, u128), (b, b_len): (Term, u128)) -> bool {
        let (a, b) = (self.position(a), self.position(b));
        if a.base == b.base {
            let mask = gainsay_term::bits::mask(u32::from(self.pointer_bits()));
            let forward = b.constant.wrapping_sub(a.constant) & mask;
            let backward = a.constant.wrapping_sub(b.constant) & mask;
            return a.exact && b.exact && forward >= a_len && backward >= b_len;
        }
        match (self.owner(a, a_len), self.owner(b, b_len)) {
            (Some((Base::Heap, _)), Some((Base::Heap, _))) => !self.exposed.moves_blocks,
            (Some((a, _)), Some((b, _))) => a != b || *a == Base::Alloca,
            (Some((Base::Local(object), _)), None) | (None, Some((Base::Local(object), _))) => {
                !self.exposed.contains(*object)
            }
            (Some((Base::Symbol(symbol), _)), None) => self.is_unreachable_through(*symbol, b.base),
            (None, Some((Base::Symbol(symbol), _))) => self.is_unreachable_through(*symbol, a.base),
            _ => false,
        }
    }

    /// The object in which the bytes lie, if that is certain: beyond the declared size of an object that is not defined here
    /// may be anything.
    fn owner(&self, at: Position, len: u128) -> Option<&(Base, Option<Term>)> {
        let found = self.bases.known.get(&at.base)?;
        let Base::Symbol(symbol) = found.0 else { return Some(found) };
        let SymbolKind::Object(facts) = &self.unit.symbols[symbol].kind else { return Some(found) };
        let is_own = || at.exact && at.constant.saturating_add(len) <= u128::from(facts.declared);
        (facts.size.is_some() || facts.declared == u64::MAX || is_own()).then_some(found)
    }

    /// Does the address certainly lie in the object that it is computed from?
    pub(super) fn is_own(&self, address: Term) -> bool {
        self.owner(self.position(address), 1).is_some()
    }

    /// Is it certain that the unknown pointer does not point to the object? A constant may be the address of any object, but
    /// NULL is the address of no symbol.
    fn is_unreachable_through(&self, symbol: Symbol, pointer: Term) -> bool {
        let is_hidden = matches!(&self.unit.symbols[symbol].kind, SymbolKind::Object(facts) if facts.held == Held::Nowhere);
        is_hidden && self.pool.as_bits(pointer).is_none_or(|number| number == 0)
    }

    pub(super) fn classes_apart(&self, a: Class, b: Class) -> bool {
        self.unit.classes[a].is_apart(&self.unit.classes[b])
    }

    /// Do `len` bytes at the pointer lie in one object, if it is live? Unknown objects may be as large as needed.
    pub(super) fn fits(&mut self, pointer: Term, len: Term) -> Term {
        let base = self.position(pointer).base;
        let Some(&(_, Some(size))) = self.bases.known.get(&base) else { return self.pool.bool(true) };
        let distance = self.pool.bv_sub(pointer, base);
        let fits = self.pool.bv_ule(len, size);
        let room = self.pool.bv_sub(size, len);
        let within = self.pool.bv_ule(distance, room);
        self.pool.and(fits, within)
    }
}
