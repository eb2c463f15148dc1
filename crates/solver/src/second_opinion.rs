//! Second opinions: every finding is confirmed by two solvers of different make, so that a bug in one of them does not become a
//! false report (decision 034).

use crate::answer::{Answer, Budget, Reason};
use crate::session::Session;
use gainsay_term::{Term, TermPool};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// The other solver finds the contradiction, too.
    Confirmed,
    /// The other solver has a model: one of the two is wrong. The session's transcript shows the question.
    Refuted,
    Unknown(Reason),
}

/// Asks whether the terms are contradictory. The session belongs to another solver than the first and is reset.
pub fn confirm_unsat(session: &mut Session, pool: &TermPool, terms: &[Term], budget: Budget) -> Confirmation {
    session.reset();
    for &term in terms {
        session.assert(pool, term);
    }
    match session.check(pool, &[], budget) {
        Answer::Unsat => Confirmation::Confirmed,
        Answer::Sat => Confirmation::Refuted,
        Answer::Unknown(reason) => Confirmation::Unknown(reason),
    }
}
