//! Guessed values: an assignment of the unknowns that is repaired whenever a new condition does not hold.
//!
//! Propagation-based local search (Niemetz, Preiner, Biere: "Precise and complete propagation based local search for
//! satisfiability modulo theories", CAV 2016), cut down to what branches of real programs need. It never says no: a
//! condition that could not be made true is merely one that a solver has to look at.

mod aim;
mod evaluate;

use crate::term::{Node, Term, TermPool};
use evaluate::Memo;

/// How often the conditions are repaired before a new one is given up.
const MOVES: u32 = 16;

/// Conditions with more unknowns than this are not filed under each of them but looked at after every change.
const MANY: usize = 64;

/// Values of all unknowns under which every condition accepted so far holds.
#[derive(Default)]
pub struct Guess {
    /// By the number of the variable; Booleans are 0 and 1.
    values: Vec<u128>,
    /// The accepted conditions: first those of [`Guess::require_always`], which are not taken back.
    always: Vec<Term>,
    conditions: Vec<Term>,
    /// The variables that each of `conditions` mentions.
    variables: Vec<Vec<usize>>,
    /// Which conditions mention a variable: indices into `conditions`, and into `always`.
    mentions: Vec<Vec<u32>>,
    always_mentions: Vec<Vec<u32>>,
    /// The conditions that mention too many variables to be filed under them, likewise.
    wide: Vec<u32>,
    always_wide: Vec<u32>,
    /// Conditions of [`Guess::require_always`] that do not hold yet. Until they do, nothing is accepted.
    owed: Vec<Term>,
    /// Values before they were changed, the latest last.
    log: Vec<(u32, u128)>,
    /// The accepted conditions that got in the way of the one that was not.
    in_the_way: Vec<u32>,
    memo: Memo,
    random: Random,
    stack: Vec<Term>,
    seen: Vec<u32>,
    n_seen: u32,
}

/// A state of a guess to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    conditions: usize,
}

impl Guess {
    pub fn mark(&self) -> Mark {
        Mark { conditions: self.conditions.len() }
    }

    /// Takes back all conditions since the mark. Values stay: they satisfy what is left.
    pub fn back_to(&mut self, mark: Mark) {
        for variables in self.variables.drain(mark.conditions..) {
            for variable in variables {
                self.mentions[variable].pop();
            }
        }
        self.conditions.truncate(mark.conditions);
        self.wide.retain(|&index| (index as usize) < mark.conditions);
    }

    /// A condition that holds on every way. It is said once: where it could not be made true it is tried again before
    /// anything else.
    pub fn require_always(&mut self, pool: &TermPool, condition: Term) -> bool {
        self.owed.push(condition);
        self.pay(pool)
    }

    fn pay(&mut self, pool: &TermPool) -> bool {
        while let Some(&condition) = self.owed.last() {
            if !self.hold(pool, condition) {
                return false;
            }
            self.owed.pop();
            let index = self.always.len() as u32;
            match self.variables_of(pool, condition) {
                Some(variables) => {
                    variables
                        .iter()
                        .for_each(|&variable| grow(&mut self.always_mentions, variable).push(index));
                }
                None => self.always_wide.push(index),
            }
            self.always.push(condition);
        }
        true
    }

    /// Makes the condition hold together with all before it, if that is easy.
    pub fn require(&mut self, pool: &TermPool, condition: Term) -> bool {
        if !self.pay(pool) {
            return false;
        }
        if pool.as_bool(condition) == Some(true) {
            return true;
        }
        if !self.hold(pool, condition) {
            return false;
        }
        let index = self.conditions.len() as u32;
        let variables = self.variables_of(pool, condition);
        if variables.is_none() {
            self.wide.push(index);
        }
        let variables = variables.unwrap_or_default();
        for &variable in &variables {
            grow(&mut self.mentions, variable).push(index);
        }
        self.variables.push(variables);
        self.conditions.push(condition);
        true
    }

    /// The numbers of the accepted conditions that the one just refused is at odds with, as far as was seen.
    pub fn in_the_way(&self) -> &[u32] {
        &self.in_the_way
    }

    /// How many conditions are accepted; they are numbered from 0.
    pub fn n_conditions(&self) -> usize {
        self.conditions.len()
    }

    /// Does the condition hold as it is?
    pub fn holds(&mut self, pool: &TermPool, condition: Term) -> bool {
        self.value(pool, condition) == Some(1)
    }

    /// Is the condition false as it is? One that cannot be computed neither holds nor is false.
    pub fn is_false(&mut self, pool: &TermPool, condition: Term) -> bool {
        self.value(pool, condition) == Some(0)
    }

    fn hold(&mut self, pool: &TermPool, condition: Term) -> bool {
        self.in_the_way.clear();
        match self.value(pool, condition) {
            Some(1) => return true,
            None => return false,
            Some(_) => {}
        }
        if pool.as_bool(condition) == Some(false) {
            return false;
        }
        let start = self.log.len();
        let mut broken = condition;
        for attempt in 0..MOVES {
            if attempt == MOVES / 2 {
                // Odd values that earlier ways left behind may stand in the way: from here, plain ones.
                self.undo_to(start);
                for variable in self.variables_of(pool, condition).unwrap_or_default() {
                    self.set(variable as u32, evaluate::DEFAULT);
                }
                match self.first_broken(pool, condition, start) {
                    None => {
                        self.log.truncate(start);
                        return true;
                    }
                    Some(other) => broken = other,
                }
            }
            let before = self.log.len();
            if !self.aim(pool, broken, 1) || self.value(pool, broken) != Some(1) {
                // Another choice may do better.
                self.undo_to(before);
                continue;
            }
            match self.first_broken(pool, condition, start) {
                None => {
                    self.log.truncate(start);
                    return true;
                }
                Some(other) => broken = other,
            }
        }
        self.undo_to(start);
        self.log.truncate(start);
        if self.in_the_way.is_empty() {
            for variable in self.variables_of(pool, condition).unwrap_or_default() {
                self.in_the_way.extend(self.mentions.get(variable).into_iter().flatten());
            }
        }
        false
    }

    /// A condition that a change since `start` broke.
    fn first_broken(&mut self, pool: &TermPool, new: Term, start: usize) -> Option<Term> {
        if self.value(pool, new) != Some(1) {
            return Some(new);
        }
        let mut changed: Vec<u32> = self.log[start..].iter().map(|&(variable, _)| variable).collect();
        changed.sort_unstable();
        changed.dedup();
        for always in [true, false] {
            let (lists, wide, conditions) = if always {
                (&self.always_mentions, &self.always_wide, &self.always)
            } else {
                (&self.mentions, &self.wide, &self.conditions)
            };
            let filed =
                changed.iter().flat_map(|&variable| lists.get(variable as usize).into_iter().flatten());
            let suspects: Vec<(u32, Term)> =
                filed.chain(wide).map(|&index| (index, conditions[index as usize])).collect();
            for (index, condition) in suspects {
                if self.value(pool, condition) != Some(1) {
                    if !always {
                        self.in_the_way.push(index);
                    }
                    return Some(condition);
                }
            }
        }
        None
    }

    /// The value under the guess; `None` where it is not computed (wider than 128 bits, arrays).
    fn value(&mut self, pool: &TermPool, term: Term) -> Option<u128> {
        self.memo.value(pool, term, &self.values)
    }

    fn set(&mut self, variable: u32, value: u128) {
        let old = evaluate::value_of(&self.values, variable);
        if old == value {
            return;
        }
        self.log.push((variable, old));
        self.store(variable, value);
    }

    fn store(&mut self, variable: u32, value: u128) {
        let index = variable as usize;
        while self.values.len() <= index {
            self.values.push(evaluate::DEFAULT);
        }
        self.values[index] = value;
        self.memo.forget();
    }

    fn undo_to(&mut self, length: usize) {
        while self.log.len() > length {
            if let Some((variable, old)) = self.log.pop() {
                self.store(variable, old);
            }
        }
    }

    /// The variables a term consists of, each once; `None` if there are very many.
    fn variables_of(&mut self, pool: &TermPool, term: Term) -> Option<Vec<usize>> {
        self.n_seen += 1;
        self.seen.resize(pool.len(), 0);
        let mut found = Vec::new();
        self.stack.clear();
        self.stack.push(term);
        while let Some(term) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[term.index()], self.n_seen) == self.n_seen {
                continue;
            }
            if found.len() > MANY {
                return None;
            }
            match pool.node(term) {
                Node::Var(number) => found.push(number as usize),
                node => self.stack.extend(node.operands()),
            }
        }
        Some(found)
    }
}

fn grow(lists: &mut Vec<Vec<u32>>, index: usize) -> &mut Vec<u32> {
    if lists.len() <= index {
        lists.resize(index + 1, Vec::new());
    }
    &mut lists[index]
}

/// A fixed sequence that looks random: the same guesses on every machine.
struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    fn flip(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

#[cfg(test)]
mod tests;
