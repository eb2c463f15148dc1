//! The differences between the supported solvers: arguments, limits, and how they report the cost of a search
//! (decision 005).
//!
//! **Effort** is the resource that bounds a search, the same on every machine, unlike time. One unit is one
//! conflict of Yices' search.
//!
//! - *Z3* has a limit of its own, `:rlimit`, counted in operations, preprocessing included. A conflict costs it
//!   about 300 to 600 of them (measured on multiplications), so a unit is 500.
//! - *Yices* has none (its issue 129, open since 2019; `:reproducible-resource-limit` is parsed and ignored;
//!   `--timeout` is wall clock). But with `-v 1` it writes a line with the number of conflicts so far at every
//!   restart of its search, and restarts follow from the formula alone. Stopping the process at the first such line over
//!   the limit gives a deterministic limit, as coarse as the distance between restarts (100 conflicts at first, later
//!   about a tenth of the conflicts so far). It does not bound the time before the search: bit-blasting takes time in
//!   proportion to the size of the formula, which is large for multiplications and divisions. Only the wall clock
//!   bounds that.

use crate::process::Heard;
use crate::smtlib::Sexpr;
use std::fmt::Write;

// not a limit: unit conversion, measured as the module comment says
pub(crate) const Z3_OPERATIONS_PER_EFFORT: u64 = 500;
/// The option is an unsigned 32-bit number, and 0 means no limit.
// not a limit: range of the option
const Z3_LARGEST_LIMIT: u64 = u32::MAX as u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    Yices,
    Z3,
}

impl Dialect {
    /// From the first words of what `--version` prints.
    pub fn recognise(version: &str) -> Option<Dialect> {
        match version.split_whitespace().next()? {
            "Yices" => Some(Dialect::Yices),
            "Z3" => Some(Dialect::Z3),
            _ => None,
        }
    }

    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Dialect::Yices => &["--incremental", "-v", "1"],
            Dialect::Z3 => &["-in", "-smt2"],
        }
    }

    /// Arguments for a transcript, whose file name comes last.
    pub fn arguments_for_file(self) -> &'static [&'static str] {
        match self {
            Dialect::Yices => &["--incremental"],
            Dialect::Z3 => &["-smt2"],
        }
    }

    /// The options, to be sent first and again after `(reset)`.
    pub fn preamble(self) -> &'static str {
        "(set-option :produce-models true)\n\
         (set-option :produce-unsat-assumptions true)\n\
         (set-logic QF_ABV)\n"
    }

    /// Appends the limit of the next search.
    pub fn write_limit(self, effort: u64, out: &mut String) {
        match self {
            Dialect::Yices => {}
            Dialect::Z3 => {
                let limit = effort.saturating_mul(Z3_OPERATIONS_PER_EFFORT).clamp(1, Z3_LARGEST_LIMIT);
                let _ = writeln!(out, "(set-option :rlimit {limit})");
            }
        }
    }

    /// Appends the query for the cost of the last search.
    pub fn write_cost_question(self, out: &mut String) {
        match self {
            Dialect::Yices => {}
            Dialect::Z3 => out.push_str("(get-info :rlimit)\n"),
        }
    }

    /// The cost of all searches so far, if `expr` is the answer to that question.
    pub fn read_cost(self, expr: &Sexpr) -> Option<u64> {
        match (self, expr.as_list()?) {
            (Dialect::Z3, [Sexpr::Atom(key), Sexpr::Atom(count)]) if key == ":rlimit" => {
                Some(count.parse::<u64>().ok()?.div_ceil(Z3_OPERATIONS_PER_EFFORT))
            }
            _ => None,
        }
    }

    /// Whether this reason for an unknown answer means that the limit was reached.
    pub fn is_limit(self, reason: &str) -> bool {
        self == Dialect::Z3 && (reason.contains("canceled") || reason.contains("resource limit"))
    }
}

/// Reads the messages of one search and ends it at the limit.
#[derive(Clone, Debug)]
pub struct Listener {
    dialect: Dialect,
    limit: u64,
    at_start: u64,
    now: u64,
}

impl Listener {
    pub fn new(dialect: Dialect, limit: u64) -> Listener {
        Listener { dialect, limit, at_start: 0, now: 0 }
    }

    /// `(start: 0 ...)`, `(restart: 101 ...)`, `(done: 127 ...)`: conflicts come first.
    pub fn hear(&mut self, line: &str) -> Heard {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        let (Dialect::Yices, [event, count]) = (self.dialect, words.as_slice()) else { return Heard::Answer };
        let event = event.strip_prefix('(').and_then(|event| event.strip_suffix(':'));
        let (Some(event), Ok(count)) = (event, count.parse::<u64>()) else { return Heard::Answer };
        self.now = count;
        if event == "start" {
            self.at_start = count;
        }
        if event == "restart" && self.spent() > self.limit { Heard::Enough } else { Heard::Message }
    }

    /// Conflicts of the search.
    pub fn spent(&self) -> u64 {
        self.now.saturating_sub(self.at_start)
    }
}
