//! The interpreter's memory: one flat range of bytes, from addresses that nothing may touch (NULL and the
//! addresses of functions) over globals and the stack to the heap.

use crate::limits::{HEAP_BYTES, STACK_BYTES};
use cranelift_entity::{EntityRef, SecondaryMap};
use gainsay_ir::gc::{InitPart, Linkage, ObjectFacts, Symbol, SymbolKind, Unit};
use std::collections::BTreeMap;

/// Function number n has the address FUNCTIONS + n * FUNCTION_STEP.
// not a limit: layout of the address space
const FUNCTIONS: u64 = 4096;
const FUNCTION_STEP: u64 = 16;
const HEAP_ALIGN: u64 = 16;

/// What the pointers `stdout` and `stderr` point to; never accessed.
// not a limit: addresses
pub(super) const STDOUT: u64 = 16;
pub(super) const STDERR: u64 = 32;

/// Consecutive bytes that belong together.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) size: u64,
}

struct HeapBlock {
    extent: Extent,
    live: bool,
}

pub(super) struct Memory {
    bytes: Vec<u8>,
    big_endian: bool,
    /// Below this nothing can be accessed.
    low: u64,
    /// Sorted by address.
    globals: Vec<Extent>,
    addresses: SecondaryMap<Symbol, u64>,
    /// Objects whose initial contents are not known, with their names.
    pub(super) unknown: BTreeMap<Symbol, String>,
    /// First free byte of the stack, which grows upwards.
    pub(super) stack: u64,
    stack_end: u64,
    /// Sorted by address: freed memory is not used again, so that using it is noticed.
    heap: Vec<HeapBlock>,
}

impl Memory {
    /// Lays out the globals of the unit. `callable` are functions that have a body or are built in.
    pub(super) fn new(unit: &Unit, callable: impl Fn(Symbol) -> bool) -> Memory {
        let mut addresses = SecondaryMap::new();
        let mut globals = Vec::new();
        let mut end = FUNCTIONS + FUNCTION_STEP * unit.symbols.len() as u64;
        let low = end;
        for (symbol, data) in &unit.symbols {
            addresses[symbol] = match &data.kind {
                SymbolKind::Function(_) if data.linkage == Linkage::Weak && !callable(symbol) => 0,
                SymbolKind::Function(_) => FUNCTIONS + FUNCTION_STEP * symbol.index() as u64,
                SymbolKind::Object(facts) => {
                    let start = align(end, facts.align.max(16));
                    let extent = Extent { start, size: facts.size.unwrap_or(0) };
                    // A gap, so that one past the end of an object is no other object.
                    end = start + extent.size + 1;
                    globals.push(extent);
                    start
                }
            };
        }
        let stack = align(end, 4096);
        let stack_end = stack + STACK_BYTES;
        let mut memory = Memory {
            bytes: vec![0; stack_end as usize],
            big_endian: unit.target.big_endian,
            low,
            globals,
            addresses,
            unknown: BTreeMap::new(),
            stack,
            stack_end,
            heap: Vec::new(),
        };
        for (symbol, data) in &unit.symbols {
            if let SymbolKind::Object(facts) = &data.kind {
                memory.initialise(unit, symbol, &data.name, facts);
            }
        }
        memory
    }

    fn initialise(&mut self, unit: &Unit, symbol: Symbol, name: &str, facts: &ObjectFacts) {
        let start = self.addresses[symbol];
        let pointer_bytes = u64::from(unit.target.pointer_bits / 8);
        let stream = match name {
            "stdout" => STDOUT,
            "stderr" => STDERR,
            _ => 0,
        };
        if facts.init.is_none() {
            if stream == 0 {
                self.unknown.insert(symbol, name.to_owned());
            } else {
                self.store(start, pointer_bytes, stream.into());
            }
        }
        for (offset, part) in facts.init.iter().flat_map(|init| &init.parts) {
            match part {
                InitPart::Bytes(bytes) => {
                    if let Some(place) = self.range_mut(start + offset, bytes.len() as u64) {
                        place.copy_from_slice(bytes);
                    }
                }
                InitPart::Address(target, plus) => {
                    let address = self.addresses[*target].wrapping_add_signed(*plus);
                    self.store(start + offset, pointer_bytes, address.into());
                }
            }
        }
    }

    pub(super) fn address(&self, symbol: Symbol) -> u64 {
        self.addresses[symbol]
    }

    /// The function at an address.
    pub(super) fn function_at(&self, address: u64) -> Option<Symbol> {
        let offset = address.checked_sub(FUNCTIONS)?;
        (address < self.low && offset % FUNCTION_STEP == 0)
            .then(|| Symbol::new((offset / FUNCTION_STEP) as usize))
    }

    pub(super) fn range(&self, address: u64, len: u64) -> Option<&[u8]> {
        if address < self.low {
            return None;
        }
        self.bytes.get(address as usize..(address.checked_add(len)?) as usize)
    }

    pub(super) fn range_mut(&mut self, address: u64, len: u64) -> Option<&mut [u8]> {
        if address < self.low {
            return None;
        }
        self.bytes.get_mut(address as usize..(address.checked_add(len)?) as usize)
    }

    #[inline]
    pub(super) fn load(&self, address: u64, len: u64) -> Option<u128> {
        let bytes = self.range(address, len)?;
        if self.big_endian {
            return Some(bytes.iter().fold(0, |value, &byte| value << 8 | u128::from(byte)));
        }
        Some(match bytes {
            [byte] => u128::from(*byte),
            [_, _] => u128::from(u16::from_le_bytes(array(bytes))),
            [_, _, _, _] => u128::from(u32::from_le_bytes(array(bytes))),
            [_, _, _, _, _, _, _, _] => u128::from(u64::from_le_bytes(array(bytes))),
            _ => bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte)),
        })
    }

    #[inline]
    pub(super) fn store(&mut self, address: u64, len: u64, value: u128) -> Option<()> {
        let big_endian = self.big_endian;
        let bytes = self.range_mut(address, len)?;
        let value = value.to_le_bytes();
        match bytes.len() {
            1 => bytes[0] = value[0],
            _ if big_endian => bytes.iter_mut().rev().zip(value).for_each(|(place, byte)| *place = byte),
            4 => bytes.copy_from_slice(&value[..4]),
            8 => bytes.copy_from_slice(&value[..8]),
            _ => bytes.iter_mut().zip(value).for_each(|(place, byte)| *place = byte),
        }
        Some(())
    }

    /// Moves bytes that may overlap.
    pub(super) fn copy(&mut self, dst: u64, src: u64, len: u64) -> Option<()> {
        if len == 0 {
            return Some(());
        }
        self.range(src, len)?;
        self.range(dst, len)?;
        self.bytes.copy_within(src as usize..(src + len) as usize, dst as usize);
        Some(())
    }

    pub(super) fn fill(&mut self, dst: u64, byte: u8, len: u64) -> Option<()> {
        if len > 0 {
            self.range_mut(dst, len)?.fill(byte);
        }
        Some(())
    }

    /// The bytes before the next NUL.
    pub(super) fn c_string(&self, address: u64) -> Option<&[u8]> {
        let rest = self.bytes.get(address as usize..).filter(|_| address >= self.low)?;
        Some(&rest[..rest.iter().position(|&byte| byte == 0)?])
    }

    /// Takes stack for a frame or alloca; `None` when the stack is full.
    pub(super) fn push_stack(&mut self, size: u64, alignment: u64) -> Option<u64> {
        let start = align(self.stack, alignment.max(16));
        let end = start.checked_add(size).filter(|&end| end <= self.stack_end)?;
        self.stack = end;
        Some(start)
    }

    /// Fresh zero bytes of the heap; `None` when there are no more.
    pub(super) fn allocate(&mut self, size: u64) -> Option<u64> {
        let start = align(self.bytes.len() as u64, HEAP_ALIGN);
        let end = start.checked_add(size)?.checked_add(1)?;
        if end - self.stack_end > HEAP_BYTES {
            return None;
        }
        self.bytes.resize(end as usize, 0);
        self.heap.push(HeapBlock { extent: Extent { start, size }, live: true });
        Some(start)
    }

    fn heap_index(&self, address: u64) -> Option<usize> {
        self.heap.partition_point(|block| block.extent.start <= address).checked_sub(1)
    }

    /// The live heap block that starts at the address.
    pub(super) fn heap_block(&self, address: u64) -> Option<Extent> {
        let block = &self.heap[self.heap_index(address)?];
        (block.live && block.extent.start == address).then_some(block.extent)
    }

    pub(super) fn free(&mut self, address: u64) -> Option<()> {
        self.heap_block(address)?;
        let index = self.heap_index(address)?;
        self.heap[index].live = false;
        Some(())
    }

    /// The live global or heap object at or before the address.
    pub(super) fn object_before(&self, address: u64) -> Option<Extent> {
        if address >= self.stack_end {
            let block = &self.heap[self.heap_index(address)?];
            return block.live.then_some(block.extent);
        }
        let next = self.globals.partition_point(|extent| extent.start <= address);
        next.checked_sub(1).map(|index| self.globals[index])
    }
}

impl Extent {
    pub(super) fn contains(self, address: u64, len: u64) -> bool {
        address >= self.start && address.checked_add(len).is_some_and(|end| end <= self.start + self.size)
    }
}

/// Only called with as many bytes as the array has.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

fn align(address: u64, alignment: u64) -> u64 {
    address.next_multiple_of(alignment.max(1))
}
