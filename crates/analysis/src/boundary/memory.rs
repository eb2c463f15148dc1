//! The memory of an exact run: regions far apart from each other, whose bytes are known, free, or in doubt.
//!
//! A byte is *in doubt* where its value is no more than an over-approximation: indeterminate memory, or whatever something
//! that is not executed may have written. Terms are hints for the search; only the bytes decide.

use gainsay_ir::gc::{Object, Symbol};
use gainsay_term::Term;
use std::collections::BTreeMap;

/// Regions of objects that one run makes have higher numbers than those that all runs share.
// not a limit: a number of the layout
const FIRST_OF_RUN: u32 = 1 << 11;

/// A cell that a call may have written keeps apart from older ones by its generation.
pub(super) type Generation = u32;

/// Where the contents of a region come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A global object, or a function.
    Symbol(Symbol),
    /// What a pointer among the inputs points into: the number of the region tells which.
    Input,
    Local(Object),
    Heap,
}

/// What becomes of contents that something else may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// Any contents are those of some run.
    Free,
    /// Nobody knows which contents occur.
    Doubt,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Byte {
    pub(super) value: u8,
    pub(super) doubtful: bool,
    written: Generation,
}

#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) origin: Origin,
    /// Unknown where a caller decides.
    pub(super) size: Option<u64>,
    pub(super) is_live: bool,
    /// Somebody else may know the address.
    has_escaped: bool,
    /// What becomes of it where code outside of the program is called that may know the address.
    outside: Option<Lost>,
    lost: Option<(Generation, Lost)>,
    bytes: BTreeMap<u64, Byte>,
    /// Symbolic values of cells: length in bytes and term.
    terms: BTreeMap<u64, (u64, Term)>,
}

impl Region {
    pub(super) fn new(origin: Origin, size: Option<u64>, outside: Option<Lost>) -> Region {
        let has_escaped = matches!(origin, Origin::Symbol(_) | Origin::Input);
        Region {
            origin,
            size,
            is_live: true,
            has_escaped,
            outside,
            lost: None,
            bytes: BTreeMap::new(),
            terms: BTreeMap::new(),
        }
    }

    /// The byte as it is, unless something may have changed it since it was written.
    pub(super) fn byte(&self, offset: u64) -> Option<Byte> {
        let byte = self.bytes.get(&offset).copied()?;
        self.lost.is_none_or(|(generation, _)| byte.written >= generation).then_some(byte)
    }

    /// What a byte was before it may have been changed.
    pub(super) fn old_byte(&self, offset: u64) -> Option<Byte> {
        self.bytes.get(&offset).copied()
    }

    pub(super) fn lost(&self) -> Option<(Generation, Lost)> {
        self.lost
    }

    pub(super) fn term(&self, offset: u64, len: u64) -> Option<Term> {
        self.terms.get(&offset).filter(|(of, _)| *of == len).map(|(_, term)| *term)
    }
}

pub(super) struct Memory {
    pub(super) regions: BTreeMap<u32, Region>,
    next: u32,
    generation: Generation,
    /// What happened to regions that were not looked at yet.
    elsewhere: Option<(Generation, Lost)>,
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

    /// The region and the offset in it that an address means.
    pub(super) fn place(&self, address: u64) -> Option<(u32, u64)> {
        let region = u32::try_from((address >> self.shift).checked_sub(1)?).ok()?;
        self.regions.contains_key(&region).then_some((region, address & (self.room() - 1)))
    }

    pub(super) fn add_shared(&mut self, region: u32, data: Region) {
        let elsewhere = self.elsewhere;
        self.regions.entry(region).or_insert_with(|| {
            let lost = elsewhere.and_then(|(generation, lost)| Some((generation, data.becomes(lost)?)));
            Region { lost, ..data }
        });
    }

    /// A new object of this run; `None` if it does not fit.
    pub(super) fn add(&mut self, origin: Origin, size: u64) -> Option<u32> {
        let region = self.next;
        let fits = size < self.room() && u64::BITS - self.start(region).leading_zeros() <= self.pointer_bits;
        self.next += 1;
        fits.then(|| {
            self.regions.insert(region, Region::new(origin, Some(size), Some(Lost::Free)));
            region
        })
    }

    /// The object begins a new life.
    pub(super) fn clear(&mut self, region: u32) {
        if let Some(region) = self.regions.get_mut(&region) {
            region.bytes.clear();
            region.terms.clear();
            region.lost = None;
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

    /// Is it an address in an object of the program, and not in one of a caller's?
    pub(super) fn is_own(&self, address: u64) -> bool {
        self.place(address).is_some_and(|(region, _)| self.regions[&region].origin != Origin::Input)
    }

    pub(super) fn are_in_one_region(&self, a: u64, b: u64) -> bool {
        a >> self.shift == b >> self.shift
    }

    /// Is it memory of the caller that the run has neither read nor written, and nobody else either?
    pub(super) fn is_untouched_input(&self, address: u64) -> bool {
        self.place(address).is_some_and(|(region, _)| {
            let region = &self.regions[&region];
            region.origin == Origin::Input && region.bytes.is_empty() && region.lost.is_none()
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

    /// Somebody else may know the address from now on.
    pub(super) fn escapes(&mut self, address: u64) {
        if let Some((region, _)) = self.place(address)
            && let Some(region) = self.regions.get_mut(&region)
        {
            region.has_escaped = true;
        }
    }

    /// Something may have changed what lies in the region of the address.
    pub(super) fn lose_at(&mut self, address: u64, lost: Lost) {
        self.generation += 1;
        let generation = self.generation;
        if let Some((region, _)) = self.place(address)
            && let Some(region) = self.regions.get_mut(&region)
        {
            region.lose(generation, lost);
        }
    }

    /// Something may have changed all that others know the address of.
    pub(super) fn lose_escaped(&mut self, lost: Lost) {
        self.generation += 1;
        let generation = self.generation;
        self.elsewhere = Some((generation, self.worse(lost)));
        for region in self.regions.values_mut().filter(|region| region.has_escaped) {
            if let Some(lost) = region.becomes(lost) {
                region.lose(generation, lost);
            }
        }
    }

    /// Something may have changed anything.
    pub(super) fn lose_all(&mut self) {
        self.regions.values_mut().for_each(|region| region.has_escaped = true);
        self.lose_escaped(Lost::Doubt);
    }

    fn worse(&self, lost: Lost) -> Lost {
        match self.elsewhere {
            Some((_, Lost::Doubt)) => Lost::Doubt,
            _ => lost,
        }
    }
}

impl Region {
    /// What becomes of it if all that has escaped is lost.
    fn becomes(&self, lost: Lost) -> Option<Lost> {
        if lost == Lost::Doubt { Some(lost) } else { self.outside }
    }

    fn lose(&mut self, generation: Generation, lost: Lost) {
        let was_doubtful = matches!(self.lost, Some((_, Lost::Doubt)));
        let lost = if was_doubtful { Lost::Doubt } else { lost };
        self.lost = Some((generation, lost));
        self.terms.clear();
    }
}
