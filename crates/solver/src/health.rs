//! The health of a solver program: a broken solver must not look like one that finds nothing.
//!
//! The record belongs to the program and is shared by all sessions with it. If the first query of a program fails, it gets a
//! trivial one. A program that does not answer that either is *broken* and is not used again, because every further query
//! could take the whole time limit.

use crate::dialect::Listener;
use crate::limits::HEALTH_CHECK_TIME;
use crate::process::{Failure, Heard, Process};
use crate::programs::Program;
use crate::smtlib::Sexpr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Clones share one record.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<Mutex<Record>>);

/// Counts of queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub asked: u64,
    /// How many of the questions the program died on, did not answer in time, or answered with nonsense. To reach a limit on
    /// effort is no failure.
    pub failed: u64,
    /// The last failure.
    pub failure: Option<String>,
    /// Why the program is not used any more.
    broken: Option<String>,
    is_probed: bool,
}

impl PartialEq for Health {
    /// Health is no part of the identity of a program.
    fn eq(&self, _: &Health) -> bool {
        true
    }
}

impl Eq for Health {}

impl Health {
    pub fn record(&self) -> Record {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Record) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Record {
    /// Does it fail on the trivial query?
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// The difference to an earlier record of the same program.
    pub fn since(&self, earlier: &Record) -> Record {
        let failed = self.failed - earlier.failed;
        Record {
            asked: self.asked - earlier.asked,
            failed,
            failure: self.failure.clone().filter(|_| failed != 0),
            broken: self.broken.clone(),
            is_probed: self.is_probed,
        }
    }
}

impl Program {
    /// Why the program is not used any more. Counts as a query.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.health.change(|record| {
            let broken = record.broken.clone()?;
            record.asked += 1;
            record.failed += 1;
            Some(broken)
        })
    }

    /// Records an answer; "unknown" is one.
    pub(crate) fn answered(&self) {
        self.health.change(|record| record.asked += 1);
    }

    /// It failed on a question that might have taken as long as `patience`.
    pub(crate) fn failed(&self, how: &str, patience: Duration) {
        let is_suspect = self.health.change(|record| {
            record.asked += 1;
            record.failed += 1;
            record.failure = Some(how.to_owned());
            let is_suspect = record.failed == record.asked && !record.is_probed;
            record.is_probed |= is_suspect;
            is_suspect
        });
        if is_suspect && !self.answers_something(patience.min(HEALTH_CHECK_TIME)) {
            self.health.change(|record| record.broken = Some(how.to_owned()));
        }
    }

    fn answers_something(&self, patience: Duration) -> bool {
        let question = "(declare-fun p () Bool)\n(assert p)\n(check-sat)\n(assert (not p))\n(check-sat)\n";
        let text = [self.dialect.preamble(), question].concat();
        let mut listener = Listener::new(self.dialect, u64::MAX);
        let mut listen = |line: &str| -> Heard { listener.hear(line) };
        let answer = Process::start(&self.path, self.dialect.arguments())
            .and_then(|mut process| process.ask(&text, Instant::now() + patience, &mut listen))
            .and_then(|answer| Sexpr::read_all(&answer).map_err(|error| Failure::Garbage(error.to_string())));
        let atoms = |exprs: &[Sexpr]| exprs.iter().map(|expr| expr.as_atom().map(str::to_owned)).collect();
        let verdicts: Option<Vec<String>> = answer.ok().and_then(|exprs| atoms(&exprs));
        verdicts.is_some_and(|verdicts| verdicts == ["sat", "unsat"])
    }
}
