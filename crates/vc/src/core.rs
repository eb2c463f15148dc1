//! The *core* variant ([`super::Options::by_statement`]): every assume, assert and end in error has a switch, so that a minimal
//! core names the statements that a contradiction needs.

use super::values::Unknown;
use super::{Encoder, Statement};
use gainsay_ir::types::BOOL;
use gainsay_term::Term;

impl Encoder<'_> {
    /// The statement counts only if its switch is on.
    pub(super) fn switched(&mut self, statement: Statement, holds: Term) -> Term {
        if !self.options.by_statement || self.pool.as_bool(holds) == Some(true) {
            return holds;
        }
        let switch = self.switch(statement);
        self.pool.implies(switch, holds)
    }

    /// An end in error counts as an acceptable end if its switch is off.
    pub(super) fn may_end_in_error(&mut self, statement: Statement) -> Term {
        if !self.counts(statement) {
            return self.pool.bool(true);
        }
        if !self.options.by_statement {
            return self.never;
        }
        let switch = self.switch(statement);
        self.pool.not(switch)
    }

    pub(super) fn counts(&self, statement: Statement) -> bool {
        self.options.only.as_ref().is_none_or(|only| only.contains(&statement))
    }

    pub(super) fn switch(&mut self, statement: Statement) -> Term {
        let switch = self.unknown(Unknown::Switch, BOOL);
        self.switches.push((statement, switch));
        switch
    }
}
