//! Stores, and predicates as sets of stores. There are few enough to list, so every answer is exact.

use crate::syntax::Var;
use std::fmt;

/// The values of all variables, one after the other, as bits of a number.
pub type Store = usize;

/// All stores of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stores {
    pub vars: usize,
    /// Of one variable.
    pub bits: u32,
}

impl Stores {
    pub fn count(&self) -> usize {
        1 << (self.vars * self.bits as usize)
    }

    pub fn all(&self) -> std::ops::Range<Store> {
        0..self.count()
    }

    pub fn value(&self, store: Store, var: Var) -> i32 {
        self.wrap((store >> (var * self.bits as usize)) as i32)
    }

    /// The store with another value for `var`.
    pub fn with(&self, store: Store, var: Var, value: i32) -> Store {
        let shift = var * self.bits as usize;
        let mask = (1 << self.bits) - 1;
        (store & !(mask << shift)) | ((value as usize & mask) << shift)
    }

    /// All values of a variable.
    pub fn values(&self) -> std::ops::Range<i32> {
        let half = 1 << (self.bits - 1);
        -half..half
    }

    /// The number that the lowest bits stand for, with a sign.
    pub fn wrap(&self, value: i32) -> i32 {
        let unused = i32::BITS - self.bits;
        (value << unused) >> unused
    }

    pub fn set(&self, contains: impl Fn(Store) -> bool) -> Set {
        let mut set = Set { words: vec![0; self.count().div_ceil(64)], count: self.count() };
        for store in self.all().filter(|&store| contains(store)) {
            set.words[store / 64] |= 1 << (store % 64);
        }
        set
    }

    pub fn none(&self) -> Set {
        self.set(|_| false)
    }

    pub fn every(&self) -> Set {
        self.set(|_| true)
    }
}

/// A predicate: the stores that satisfy it.
#[derive(Clone, PartialEq, Eq)]
pub struct Set {
    words: Vec<u64>,
    count: usize,
}

impl Set {
    pub fn contains(&self, store: Store) -> bool {
        self.words[store / 64] >> (store % 64) & 1 == 1
    }

    pub fn and(&self, other: &Set) -> Set {
        self.combined(other, |a, b| a & b)
    }

    pub fn or(&self, other: &Set) -> Set {
        self.combined(other, |a, b| a | b)
    }

    pub fn but_not(&self, other: &Set) -> Set {
        self.combined(other, |a, b| a & !b)
    }

    /// Does this imply the other?
    pub fn implies(&self, other: &Set) -> bool {
        self.but_not(other).words.iter().all(|&word| word == 0)
    }

    /// Is this valid: true of every store?
    pub fn is_valid(&self) -> bool {
        self.words.iter().map(|word| word.count_ones() as usize).sum::<usize>() == self.count
    }

    fn combined(&self, other: &Set, combine: fn(u64, u64) -> u64) -> Set {
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| combine(a, b)).collect();
        Set { words, count: self.count }
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries((0..self.count).filter(|&store| self.contains(store))).finish()
    }
}
