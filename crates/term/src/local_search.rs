//! Local search: an assignment of the unknowns that is repaired whenever a new condition does not hold (decision 006).
//!
//! Propagation-based local search (Niemetz, Preiner, Biere: "Precise and complete propagation based local search for
//! satisfiability modulo theories", CAV 2016), reduced to what branches of real programs need. It never answers
//! "unsatisfiable": a condition that could not be made true is left to the solver.

mod evaluate;
mod propagate_target;

use crate::limits::{MAX_INDEXED_VARIABLES, MAX_MOVES};
use crate::{Node, Term, TermPool};
use evaluate::Memo;
use rustc_hash::FxHashMap;

/// Values of all unknowns under which every condition accepted so far holds.
#[derive(Default)]
pub struct Guess {
    /// By the number of the variable; Booleans are 0 and 1.
    values: Vec<u128>,
    /// The accepted conditions: first those of [`Guess::require_always`], which are not taken back.
    always: Vec<Term>,
    conditions: Vec<Term>,
    /// The variables that each of `conditions` mentions.
    variables: Vec<Variables>,
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
    /// The accepted conditions that conflicted with the refused one.
    in_the_way: Vec<u32>,
    memo: Memo,
    random: Random,
    stack: Vec<Term>,
    seen: Vec<u32>,
    n_seen: u32,
    /// Scratch space; empty between uses.
    changed: Vec<u32>,
    suspects: Vec<(u32, Term)>,
    /// The variables of terms that were asked for, one behind the other, and where to find them.
    found: Vec<u32>,
    variables_of: FxHashMap<Term, Option<Variables>>,
}

/// The place of a term's variables among all that were found.
#[derive(Clone, Copy, Default)]
struct Variables {
    start: u32,
    end: u32,
}

impl Variables {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
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

    /// Removes all conditions since the mark. Values stay: they satisfy the remaining ones.
    pub fn back_to(&mut self, mark: Mark) {
        for variables in self.variables.drain(mark.conditions..) {
            for &variable in &self.found[variables.range()] {
                self.mentions[variable as usize].pop();
            }
        }
        self.conditions.truncate(mark.conditions);
        self.wide.retain(|&index| (index as usize) < mark.conditions);
    }

    /// Adds a condition that holds on every path. If it cannot be made true, it is tried again before any other condition.
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
                    for &variable in &self.found[variables.range()] {
                        grow(&mut self.always_mentions, variable).push(index);
                    }
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
        for &variable in &self.found[variables.range()] {
            grow(&mut self.mentions, variable).push(index);
        }
        self.variables.push(variables);
        self.conditions.push(condition);
        true
    }

    /// The numbers of accepted conditions that conflicted with the one just refused, as far as observed.
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
        for attempt in 0..MAX_MOVES {
            if attempt == MAX_MOVES / 2 {
                // Unusual values from earlier paths may prevent a solution: restart from the initial values.
                self.undo_to(start);
                for at in self.variables_of(pool, condition).unwrap_or_default().range() {
                    self.set(self.found[at], evaluate::DEFAULT);
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
            if !self.propagate_target(pool, broken, 1) || self.value(pool, broken) != Some(1) {
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
            let variables = self.variables_of(pool, condition).unwrap_or_default();
            for &variable in &self.found[variables.range()] {
                self.in_the_way.extend(self.mentions.get(variable as usize).into_iter().flatten());
            }
        }
        false
    }

    /// A condition that a change since `start` broke.
    fn first_broken(&mut self, pool: &TermPool, new: Term, start: usize) -> Option<Term> {
        if self.value(pool, new) != Some(1) {
            return Some(new);
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.extend(self.log[start..].iter().map(|&(variable, _)| variable));
        changed.sort_unstable();
        changed.dedup();
        let broken = self.broken_among(pool, &changed);
        changed.clear();
        self.changed = changed;
        broken
    }

    /// A condition that does not hold, of those that mention one of the variables.
    fn broken_among(&mut self, pool: &TermPool, changed: &[u32]) -> Option<Term> {
        for always in [true, false] {
            let (lists, wide, conditions) = if always {
                (&self.always_mentions, &self.always_wide, &self.always)
            } else {
                (&self.mentions, &self.wide, &self.conditions)
            };
            let filed =
                changed.iter().flat_map(|&variable| lists.get(variable as usize).into_iter().flatten());
            let mut suspects = std::mem::take(&mut self.suspects);
            suspects.extend(filed.chain(wide).map(|&index| (index, conditions[index as usize])));
            let is_broken = |&&(_, condition): &&(u32, Term)| self.value(pool, condition) != Some(1);
            let broken = suspects.iter().find(is_broken).copied();
            suspects.clear();
            self.suspects = suspects;
            if let Some((index, condition)) = broken {
                self.in_the_way.extend((!always).then_some(index));
                return Some(condition);
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
        self.memo.forget(variable);
    }

    fn undo_to(&mut self, length: usize) {
        while self.log.len() > length {
            if let Some((variable, old)) = self.log.pop() {
                self.store(variable, old);
            }
        }
    }

    /// The variables a term consists of, each once; `None` if there are very many.
    fn variables_of(&mut self, pool: &TermPool, term: Term) -> Option<Variables> {
        if let Some(&known) = self.variables_of.get(&term) {
            return known;
        }
        let variables = self.find_variables(pool, term);
        self.variables_of.insert(term, variables);
        variables
    }

    fn find_variables(&mut self, pool: &TermPool, term: Term) -> Option<Variables> {
        self.n_seen += 1;
        self.seen.resize(pool.len(), 0);
        let start = self.found.len();
        self.stack.clear();
        self.stack.push(term);
        while let Some(term) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[term.index()], self.n_seen) == self.n_seen {
                continue;
            }
            if self.found.len() - start > MAX_INDEXED_VARIABLES {
                self.found.truncate(start);
                return None;
            }
            match pool.node(term) {
                Node::Var(number) => self.found.push(number),
                node => self.stack.extend(node.operands()),
            }
        }
        Some(Variables { start: start as u32, end: self.found.len() as u32 })
    }
}

fn grow(lists: &mut Vec<Vec<u32>>, variable: u32) -> &mut Vec<u32> {
    let index = variable as usize;
    if lists.len() <= index {
        lists.resize(index + 1, Vec::new());
    }
    &mut lists[index]
}

/// A fixed pseudo-random sequence: the same search on every machine.
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
