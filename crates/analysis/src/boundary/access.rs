//! How an exact run reads and writes memory, and where its inputs come from.

use super::inputs::Key;
use super::machine::{Asked, End, Machine};
use super::memory::{Lost, Origin, Region};
use super::value::{Value, sort_of};
use crate::limits::COPIED_BYTES;
use gainsay_ir::eval::mask;
use gainsay_ir::gc::{Held, Init, InitPart, Linkage, Symbol, SymbolKind};
use gainsay_ir::types::{BOOL, Type};

/// A byte and whether it is in doubt.
type Bytes = Vec<(u8, bool)>;

impl Machine<'_> {
    /// The value of an input; `plain` is what it is if nobody has chosen one.
    pub(super) fn input(&mut self, key: Key, ty: Type, plain: Option<u128>) -> Value {
        let bits = ty.bits(self.pointer_bits());
        let chosen = self.chosen.get(&key);
        let value = match (ty, chosen) {
            (Type::Ptr, Some(0)) => 0,
            (Type::Ptr, Some(address)) if self.is_shared(address as u64) => address,
            (Type::Ptr, None) if plain.is_some() => plain.unwrap_or_default(),
            (Type::Ptr, _) => {
                let region = self.shared.of_input(key);
                match self.memory.middle(region) {
                    Some(address) => {
                        let data = Region::new(Origin::Input, None, Some(Lost::Free));
                        self.memory.add_shared(region, data);
                        address.into()
                    }
                    None => return Value::DOUBTFUL,
                }
            }
            (_, Some(value)) => value & mask(bits),
            (_, None) => plain.unwrap_or(self.chosen.plain) & mask(bits),
        };
        if matches!(ty, Type::Float(_)) {
            return Value::known(value);
        }
        let term = self.pool.var(&format!("{key:?}"), sort_of(ty, self.unit.target.pointer_bits));
        self.run.inputs.insert(key, Asked { term, ty, bits: value });
        Value { bits: value, term: Some(term), doubtful: false }
    }

    /// Is it an address that means the same in all runs?
    fn is_shared(&self, address: u64) -> bool {
        self.memory.place(address).is_some_and(|(region, _)| {
            matches!(self.memory.regions[&region].origin, Origin::Symbol(_) | Origin::Input)
        })
    }

    /// The address of a global.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> Result<u64, End> {
        let region = self.shared.of_symbol(symbol);
        let (size, outside) = match &self.unit.symbols[symbol].kind {
            // What the program's own functions write when they are called back is in doubt.
            SymbolKind::Object(facts) if facts.held != Held::Anywhere => {
                (facts.size, facts.reached.then_some(Lost::Doubt))
            }
            SymbolKind::Object(facts) => (facts.size, Some(Lost::Free)),
            SymbolKind::Function(_) => (None, None),
        };
        if size.is_some_and(|size| size >= self.memory.room()) || self.memory.middle(region).is_none() {
            return Err(End::Doubtful);
        }
        self.memory.add_shared(region, Region::new(Origin::Symbol(symbol), size, outside));
        Ok(self.memory.start(region))
    }

    pub(super) fn load(&mut self, addr: Value, ty: Type) -> Result<Value, End> {
        if addr.doubtful {
            return Ok(Value::DOUBTFUL);
        }
        let Some((region, offset)) = self.memory.place(addr.bits as u64) else { return Err(End::Over) };
        let len = ty.bytes(self.pointer_bits());
        let place = &self.memory.regions[&region];
        let n_known = (0..len).filter(|at| place.byte(offset + at).is_some()).count() as u64;
        if n_known == 0 {
            return self.unwritten(region, offset, len, ty);
        }
        let mut bytes = Bytes::new();
        for at in offset..offset + len {
            match self.memory.regions[&region].byte(at) {
                Some(byte) => bytes.push((byte.value, byte.doubtful)),
                None => {
                    let byte = self.unwritten(region, at, 1, Type::Int(8))?;
                    bytes.push((byte.bits as u8, byte.doubtful));
                }
            }
        }
        let term = self.memory.regions[&region].term(offset, len);
        let term =
            term.filter(|&term| n_known == len && self.pool.sort(term) == sort_of(ty, self.pointer_bits()));
        let doubtful = bytes.iter().any(|(_, doubtful)| *doubtful);
        Ok(Value { bits: self.joined(&bytes) & mask(ty.bits(self.pointer_bits())), term, doubtful })
    }

    /// What a place holds that the run has not written since something else may have.
    fn unwritten(&mut self, region: u32, offset: u64, len: u64, ty: Type) -> Result<Value, End> {
        let place = &self.memory.regions[&region];
        let origin = place.origin;
        let lost = place.lost();
        let old: Option<Bytes> = (offset..offset + len)
            .map(|at| place.old_byte(at).map(|byte| (byte.value, byte.doubtful)))
            .collect();
        let (initial, is_constant) = match origin {
            Origin::Symbol(symbol) => self.initial(symbol, offset, len)?,
            Origin::Input | Origin::Local(_) | Origin::Heap => (None, false),
        };
        if is_constant {
            return Ok(match initial {
                Some(bytes) => Value::known(self.joined(&bytes)),
                None => Value::DOUBTFUL,
            });
        }
        let is_indeterminate = matches!(origin, Origin::Local(_) | Origin::Heap);
        match lost {
            Some((_, Lost::Doubt)) => return Ok(Value::DOUBTFUL),
            None if is_indeterminate => return Ok(Value::DOUBTFUL),
            _ => {}
        }
        let plain = old.filter(|old| old.iter().all(|(_, doubtful)| !doubtful)).or(initial);
        let plain = plain.map(|bytes| self.joined(&bytes));
        let generation = lost.map_or(0, |(generation, _)| generation);
        // A `_Bool` or an enum that was written holds what was written.
        let value = self.input(Key::Cell { region, offset, len, generation }, ty, plain);
        let bytes = self.split(value, len);
        self.memory.write(region, offset, &bytes, value.term);
        Ok(value)
    }

    /// What an object of the program holds when it starts, and whether it does for ever.
    fn initial(&mut self, symbol: Symbol, offset: u64, len: u64) -> Result<(Option<Bytes>, bool), End> {
        let data = &self.unit.symbols[symbol];
        let SymbolKind::Object(facts) = &data.kind else { return Ok((None, true)) };
        let is_constant = facts.constant || self.bodies.is_unchanged(self.unit, symbol);
        self.run.needs_unit |= !facts.constant && data.linkage == Linkage::Internal;
        let Some(init) = facts.init.clone() else { return Ok((None, is_constant)) };
        Ok((Some(self.contents(&init, offset, len)?), is_constant))
    }

    fn contents(&mut self, init: &Init, offset: u64, len: u64) -> Result<Bytes, End> {
        let mut bytes: Bytes = vec![(0, false); len as usize];
        let pointer_bytes = Type::Ptr.bytes(self.pointer_bits());
        for (start, part) in &init.parts {
            let part: Vec<u8> = match part {
                InitPart::Bytes(bytes) => bytes.clone(),
                InitPart::Address(symbol, plus) => {
                    if start + pointer_bytes <= offset || offset + len <= *start {
                        continue;
                    }
                    let address = self.symbol(*symbol)?.wrapping_add_signed(*plus);
                    self.split(Value::known(address.into()), pointer_bytes)
                        .iter()
                        .map(|(byte, _)| *byte)
                        .collect()
                }
            };
            for (at, byte) in (*start..).zip(part) {
                if (offset..offset + len).contains(&at) {
                    bytes[(at - offset) as usize].0 = byte;
                }
            }
        }
        Ok(bytes)
    }

    fn joined(&self, bytes: &[(u8, bool)]) -> u128 {
        let append = |value: u128, byte: &(u8, bool)| value << 8 | u128::from(byte.0);
        if self.unit.target.big_endian {
            bytes.iter().fold(0, append)
        } else {
            bytes.iter().rev().fold(0, append)
        }
    }

    fn split(&self, value: Value, len: u64) -> Bytes {
        let byte = |number: u64| ((value.bits >> (8 * number.min(15))) as u8, value.doubtful);
        let mut bytes: Bytes = (0..len).map(byte).collect();
        if self.unit.target.big_endian {
            bytes.reverse();
        }
        bytes
    }

    pub(super) fn store(&mut self, addr: Value, value: Value, ty: Type) -> Result<(), End> {
        if addr.doubtful {
            self.memory.lose_all();
            return Ok(());
        }
        let len = ty.bytes(self.pointer_bits());
        if !self.memory.is_valid(addr.bits as u64, len) {
            return Err(End::Over);
        }
        let Some((region, offset)) = self.memory.place(addr.bits as u64) else { return Err(End::Over) };
        if ty == Type::Ptr || ty.bits(self.pointer_bits()) == self.pointer_bits() {
            self.memory.escapes(value.bits as u64);
        }
        let bytes = self.split(value, len);
        let term = value.term.filter(|_| ty != BOOL && !value.doubtful);
        self.memory.write(region, offset, &bytes, term);
        Ok(())
    }

    pub(super) fn copy(&mut self, dst: Value, src: Value, len: Value) -> Result<(), End> {
        if len.bits == 0 && !len.doubtful {
            return Ok(());
        }
        if dst.doubtful {
            self.memory.lose_all();
            return Ok(());
        }
        let is_known = !src.doubtful && !len.doubtful && len.bits <= COPIED_BYTES.into();
        if !is_known {
            self.memory.lose_at(dst.bits as u64, Lost::Doubt);
            return Ok(());
        }
        let (dst, src, len) = (dst.bits as u64, src.bits as u64, len.bits as u64);
        if !self.memory.is_valid(dst, len) || !self.memory.is_valid(src, len) {
            return Err(End::Over);
        }
        // In pieces of words, where the places allow: a pointer that is copied stays one.
        let word = Type::Ptr.bytes(self.pointer_bits());
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < len {
            let is_word = (src + at).is_multiple_of(word) && at + word <= len;
            let (ty, step) = if is_word { (Type::Ptr, word) } else { (Type::Int(8), 1) };
            let ty = if is_word && !self.holds_pointer(src + at) { Type::Int(8 * word as u16) } else { ty };
            pieces.push((at, self.load(Value::known((src + at).into()), ty)?, ty));
            at += step;
        }
        for (at, value, ty) in pieces {
            self.store(Value::known((dst + at).into()), value, ty)?;
        }
        Ok(())
    }

    /// Do the bytes there look like an address?
    fn holds_pointer(&self, address: u64) -> bool {
        let Some((region, offset)) = self.memory.place(address) else { return false };
        let len = Type::Ptr.bytes(self.pointer_bits());
        let place = &self.memory.regions[&region];
        let bytes: Option<Bytes> =
            (offset..offset + len).map(|at| place.byte(at).map(|byte| (byte.value, byte.doubtful))).collect();
        bytes.is_some_and(|bytes| self.memory.place(self.joined(&bytes) as u64).is_some())
    }

    pub(super) fn fill(&mut self, dst: Value, byte: Value, len: Value) -> Result<(), End> {
        if len.bits == 0 && !len.doubtful {
            return Ok(());
        }
        if dst.doubtful {
            self.memory.lose_all();
            return Ok(());
        }
        let address = dst.bits as u64;
        if len.doubtful || len.bits > u128::from(COPIED_BYTES) {
            self.memory.lose_at(address, Lost::Doubt);
            return Ok(());
        }
        if !self.memory.is_valid(address, len.bits as u64) {
            return Err(End::Over);
        }
        let Some((region, offset)) = self.memory.place(address) else { return Err(End::Over) };
        let bytes = vec![(byte.bits as u8, byte.doubtful); len.bits as usize];
        self.memory.write(region, offset, &bytes, None);
        Ok(())
    }

    /// New memory: that there is some is one of the outcomes.
    pub(super) fn allocate(&mut self, size: Value) -> Result<Value, End> {
        if size.doubtful {
            return Err(End::Doubtful);
        }
        let size = u64::try_from(size.bits).map_err(|_| End::Doubtful)?;
        let region = self.memory.add(Origin::Heap, size).ok_or(End::Doubtful)?;
        Ok(Value::known(self.memory.start(region).into()))
    }

    pub(super) fn free(&mut self, pointer: Value) {
        if pointer.doubtful {
            self.memory.lose_all();
            return;
        }
        if let Some((region, _)) = self.memory.place(pointer.bits as u64)
            && let Some(region) = self.memory.regions.get_mut(&region)
        {
            region.is_live = false;
        }
    }

    pub(super) fn is_valid(&self, pointer: Value, len: Value) -> Value {
        if pointer.doubtful || len.doubtful {
            return Value::DOUBTFUL;
        }
        Value::boolean(self.memory.is_valid(pointer.bits as u64, len.bits as u64))
    }

    pub(super) fn is_freeable(&self, pointer: Value) -> Value {
        if pointer.doubtful {
            return Value::DOUBTFUL;
        }
        let address = pointer.bits as u64;
        let is_start = |region: u32| match self.memory.regions[&region].origin {
            Origin::Heap => self.memory.start(region) == address,
            Origin::Input => self.memory.middle(region) == Some(address),
            Origin::Symbol(_) | Origin::Local(_) => false,
        };
        let place = self.memory.place(address);
        Value::boolean(
            address == 0
                || place.is_some_and(|(region, _)| self.memory.regions[&region].is_live && is_start(region)),
        )
    }
}
