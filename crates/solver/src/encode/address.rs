//! Addresses: the object they are based on, the distance from it, and when two places cannot meet.

use super::Encoder;
use crate::term::{BinaryOp, Node, Term};
use gainsay_ir::gc::{Class, Linkage, Object, Symbol, SymbolKind};
use gainsay_ir::types::Type;
use rustc_hash::FxHashMap;

/// An object whose address a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    Local(Object),
    Symbol(Symbol),
    Alloca,
}

#[derive(Default)]
pub(super) struct Bases {
    /// What is known of the terms that are addresses of objects: the object, and its size in bytes.
    known: FxHashMap<Term, (Base, Option<Term>)>,
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
        // A weak symbol may be NULL, and its definition another than the one seen.
        if data.linkage != Linkage::Weak && !self.bases.known.contains_key(&term) {
            let size = match &data.kind {
                SymbolKind::Object(facts) => facts.size.map(u128::from),
                SymbolKind::Function(_) => None,
            };
            let size = size.map(|size| self.pool.bits(u32::from(self.pointer_bits()), size));
            self.new_base(term, Base::Symbol(symbol), size);
        }
        term
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
            } else if self.leads_to_object(a) {
                (at.base, at.exact) = (a, false);
            } else if !minus && self.leads_to_object(b) {
                (at.base, at.exact) = (b, false);
            } else {
                break;
            }
        }
        at.constant &= crate::term::bits::mask(u32::from(self.pointer_bits()));
        at
    }

    /// Is an object's address at the bottom of these sums?
    fn leads_to_object(&self, term: Term) -> bool {
        let mut stack = vec![term];
        let mut budget = 16;
        while let Some(term) = stack.pop() {
            if self.bases.known.contains_key(&term) {
                return true;
            }
            if let Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) = self.pool.node(term)
                && budget > 0
            {
                budget -= 1;
                stack.extend([a, b]);
            }
        }
        false
    }

    /// Do the bytes surely not meet?
    pub(super) fn are_apart(&self, (a, a_len): (Term, u128), (b, b_len): (Term, u128)) -> bool {
        let (a, b) = (self.position(a), self.position(b));
        if a.base == b.base {
            let mask = crate::term::bits::mask(u32::from(self.pointer_bits()));
            let forward = b.constant.wrapping_sub(a.constant) & mask;
            let backward = a.constant.wrapping_sub(b.constant) & mask;
            return a.exact && b.exact && forward >= a_len && backward >= b_len;
        }
        match (self.bases.known.get(&a.base), self.bases.known.get(&b.base)) {
            (Some((a, _)), Some((b, _))) => a != b || *a == Base::Alloca,
            (Some((Base::Local(object), _)), None) | (None, Some((Base::Local(object), _))) => {
                !self.exposed.contains(*object)
            }
            _ => false,
        }
    }

    /// Can accesses of the two classes not touch the same byte (C11 6.5p7)?
    pub(super) fn classes_apart(&self, a: Class, b: Class) -> bool {
        let (a, b) = (&self.unit.classes[a], &self.unit.classes[b]);
        match (a.ty, b.ty) {
            (Some(a_ty), Some(b_ty)) if a_ty != b_ty => true,
            (Some(_), Some(_)) => match (&a.field, &b.field) {
                (Some(a), Some(b)) => a.offset != b.offset || a.record == b.record && a.name != b.name,
                _ => false,
            },
            _ => false,
        }
    }

    /// Do `len` bytes at the pointer lie in one object? Unknown objects may be as large as needed.
    pub(super) fn valid(&mut self, pointer: Term, len: Term) -> Term {
        let base = self.position(pointer).base;
        let Some(&(_, Some(size))) = self.bases.known.get(&base) else { return self.pool.bool(true) };
        let distance = self.pool.bv_sub(pointer, base);
        let fits = self.pool.bv_ule(len, size);
        let room = self.pool.bv_sub(size, len);
        let within = self.pool.bv_ule(distance, room);
        self.pool.and(fits, within)
    }
}
