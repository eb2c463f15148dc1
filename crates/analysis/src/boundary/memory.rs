//! The memory of an exact run: regions far apart from each other, whose bytes are known, free, or in doubt.
//!
//! A byte is *in doubt* if only an over-approximation of it is known: indeterminate memory, or memory that code which is
//! not executed may have written. Terms are hints for the search; only the bytes decide.

use gainsay_ir::gc::{Object, Symbol};
use gainsay_term::Term;
use std::collections::BTreeMap;

/// The first region of objects that belong to one run; lower ones are shared by all runs.
// not a limit: layout of addresses
const FIRST_OF_RUN: u32 = 1 << 11;

/// Counts havocs: tells a cell from the same cell before a havoc.
pub(super) type Generation = u32;

/// Where the contents of a region come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RegionOrigin {
    /// A global object, or a function.
    Symbol(Symbol),
    /// The target of an input pointer; the number of the region tells which.
    Input,
    Local(Object),
    Heap,
}

/// How a havoc affects contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Havoc {
    /// Any content is that of some run.
    Free,
    /// Only an over-approximation of the contents is known.
    Doubtful,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Byte {
    pub(super) value: u8,
    pub(super) doubtful: bool,
    written: Generation,
}

#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) origin: RegionOrigin,
    /// Unknown where a caller decides.
    pub(super) size: Option<u64>,
    pub(super) is_live: bool,
    /// Code outside of the run may know the address.
    has_escaped: bool,
    /// The effect of a call of unknown code that may know the address.
    outside: Option<Havoc>,
    havoc: Option<(Generation, Havoc)>,
    bytes: BTreeMap<u64, Byte>,
    /// Symbolic values of cells: length in bytes and term.
    terms: BTreeMap<u64, (u64, Term)>,
}

impl Region {
    pub(super) fn new(origin: RegionOrigin, size: Option<u64>, outside: Option<Havoc>) -> Region {
        let has_escaped = matches!(origin, RegionOrigin::Symbol(_) | RegionOrigin::Input);
        Region {
            origin,
            size,
            is_live: true,
            has_escaped,
            outside,
            havoc: None,
            bytes: BTreeMap::new(),
            terms: BTreeMap::new(),
        }
    }

    /// The byte, unless a havoc may have changed it since it was written.
    pub(super) fn byte(&self, offset: u64) -> Option<Byte> {
        let byte = self.bytes.get(&offset).copied()?;
        self.havoc.is_none_or(|(generation, _)| byte.written >= generation).then_some(byte)
    }

    /// The byte before any havoc.
    pub(super) fn old_byte(&self, offset: u64) -> Option<Byte> {
        self.bytes.get(&offset).copied()
    }

    pub(super) fn havoc(&self) -> Option<(Generation, Havoc)> {
        self.havoc
    }

    pub(super) fn term(&self, offset: u64, len: u64) -> Option<Term> {
        self.terms.get(&offset).filter(|(of, _)| *of == len).map(|(_, term)| *term)
    }
}

pub(super) struct Memory {
    pub(super) regions: BTreeMap<u32, Region>,
    next: u32,
    generation: Generation,
    /// The havoc of regions that do not exist yet.
    elsewhere: Option<(Generation, Havoc)>,
    /// A region has this many bits of addresses.
    shift: u32,
    pointer_bits: u32,
}

impl Memory {
    pub(super) fn new(pointer_bits: u16) -> Memory {
        let shift = match pointer_bits {
            0..=16 => 4,
            17..=32 => 18,
            _ => 32,
        };
        let pointer_bits = u32::from(pointer_bits);
        Memory {
            regions: BTreeMap::new(),
            next: FIRST_OF_RUN,
            generation: 0,
            elsewhere: None,
            shift,
            pointer_bits,
        }
    }

    /// The address in the middle of a shared region, or `None` if there is no room for more of them.
    pub(super) fn middle(&self, region: u32) -> Option<u64> {
        (region + 1 < FIRST_OF_RUN).then(|| self.start(region) + (1 << (self.shift - 1)))
    }

    pub(super) fn start(&self, region: u32) -> u64 {
        u64::from(region + 1) << self.shift
    }

    /// Bytes that a region can hold.
    pub(super) fn room(&self) -> u64 {
        1 << self.shift
    }

    /// The region and offset of an address.
    pub(super) fn place(&self, address: u64) -> Option<(u32, u64)> {
        let region = u32::try_from((address >> self.shift).checked_sub(1)?).ok()?;
        self.regions.contains_key(&region).then_some((region, address & (self.room() - 1)))
    }

    pub(super) fn add_shared(&mut self, region: u32, data: Region) {
        let elsewhere = self.elsewhere;
        self.regions.entry(region).or_insert_with(|| {
            let havoc = elsewhere.and_then(|(generation, havoc)| Some((generation, data.becomes(havoc)?)));
            Region { havoc, ..data }
        });
    }

    /// A new object of this run; `None` if it does not fit.
    pub(super) fn add(&mut self, origin: RegionOrigin, size: u64) -> Option<u32> {
        let region = self.next;
        let fits = size < self.room() && u64::BITS - self.start(region).leading_zeros() <= self.pointer_bits;
        self.next += 1;
        fits.then(|| {
            self.regions.insert(region, Region::new(origin, Some(size), Some(Havoc::Free)));
            region
        })
    }

    /// The lifetime of the object begins.
    pub(super) fn clear(&mut self, region: u32) {
        if let Some(region) = self.regions.get_mut(&region) {
            region.bytes.clear();
            region.terms.clear();
            region.havoc = None;
        }
    }

    pub(super) fn is_valid(&self, address: u64, len: u64) -> bool {
        if len == 0 {
            return true;
        }
        let Some((region, offset)) = self.place(address) else { return false };
        let region = &self.regions[&region];
        let end = region.size.unwrap_or(self.room());
        region.is_live && offset.checked_add(len).is_some_and(|last| last <= end)
    }

    /// Is it an address in an object of the program, not in memory of the caller?
    pub(super) fn is_own(&self, address: u64) -> bool {
        self.place(address).is_some_and(|(region, _)| self.regions[&region].origin != RegionOrigin::Input)
    }

    pub(super) fn are_in_one_region(&self, a: u64, b: u64) -> bool {
        a >> self.shift == b >> self.shift
    }

    /// Is it memory of the caller that neither the run nor unknown code has read or written?
    pub(super) fn is_untouched_input(&self, address: u64) -> bool {
        self.place(address).is_some_and(|(region, _)| {
            let region = &self.regions[&region];
            region.origin == RegionOrigin::Input && region.bytes.is_empty() && region.havoc.is_none()
        })
    }

    pub(super) fn write(&mut self, region: u32, offset: u64, bytes: &[(u8, bool)], term: Option<Term>) {
        let written = self.generation;
        let Some(region) = self.regions.get_mut(&region) else { return };
        let end = offset + bytes.len() as u64;
        let overlapping: Vec<u64> = region
            .terms
            .range(offset.saturating_sub(16)..end)
            .filter(|(at, (len, _))| *at + len > offset)
            .map(|(at, _)| *at)
            .collect();
        overlapping.iter().for_each(|at| {
            region.terms.remove(at);
        });
        for (at, &(value, doubtful)) in (offset..).zip(bytes) {
            region.bytes.insert(at, Byte { value, doubtful, written });
        }
        if let Some(term) = term {
            region.terms.insert(offset, (bytes.len() as u64, term));
        }
    }

    /// Unknown code may know the address from here on.
    pub(super) fn escapes(&mut self, address: u64) {
        if let Some((region, _)) = self.place(address)
            && let Some(region) = self.regions.get_mut(&region)
        {
            region.has_escaped = true;
        }
    }

    /// Havocs the region of the address.
    pub(super) fn havoc_at(&mut self, address: u64, havoc: Havoc) {
        self.generation += 1;
        let generation = self.generation;
        if let Some((region, _)) = self.place(address)
            && let Some(region) = self.regions.get_mut(&region)
        {
            region.apply_havoc(generation, havoc);
        }
    }

    /// Havocs everything that has escaped.
    pub(super) fn havoc_escaped(&mut self, havoc: Havoc) {
        self.generation += 1;
        let generation = self.generation;
        self.elsewhere = Some((generation, self.worse(havoc)));
        for region in self.regions.values_mut().filter(|region| region.has_escaped) {
            if let Some(havoc) = region.becomes(havoc) {
                region.apply_havoc(generation, havoc);
            }
        }
    }

    /// Havocs everything.
    pub(super) fn havoc_all(&mut self) {
        self.regions.values_mut().for_each(|region| region.has_escaped = true);
        self.havoc_escaped(Havoc::Doubtful);
    }

    fn worse(&self, havoc: Havoc) -> Havoc {
        match self.elsewhere {
            Some((_, Havoc::Doubtful)) => Havoc::Doubtful,
            _ => havoc,
        }
    }
}

impl Region {
    /// The effect of a havoc of everything that has escaped.
    fn becomes(&self, havoc: Havoc) -> Option<Havoc> {
        if havoc == Havoc::Doubtful { Some(havoc) } else { self.outside }
    }

    fn apply_havoc(&mut self, generation: Generation, havoc: Havoc) {
        let was_doubtful = matches!(self.havoc, Some((_, Havoc::Doubtful)));
        let havoc = if was_doubtful { Havoc::Doubtful } else { havoc };
        self.havoc = Some((generation, havoc));
        self.terms.clear();
    }
}
