//! Solver queries: can a use fail on a run on which no earlier check failed?

use super::Beliefs;
use super::uses::Use;
use crate::edges::blocks_of_runs_through;
use crate::limits::{BELIEF_QUERIES, QUESTION};
use crate::reach::scaled;
use gainsay_ir::passive::{Block, CmdKind, Effect};
use gainsay_solver::{Answer, Session};
use gainsay_term::Term;
use gainsay_vc::Statement;

/// More questions are not asked about one function.
pub(super) struct BeliefAsker<'s> {
    session: &'s mut Session,
    has_facts: bool,
    questions: u32,
    /// Queries without an answer.
    pub(super) undecided: u64,
}

impl<'s> BeliefAsker<'s> {
    pub(super) fn new(session: &'s mut Session) -> BeliefAsker<'s> {
        BeliefAsker { session, has_facts: false, questions: 0, undecided: 0 }
    }

    /// Whether a run can reach the use without an earlier failure, fail there, and satisfy `more`.
    pub(super) fn can_fail(&mut self, beliefs: &mut Beliefs, used: usize, more: &[Term]) -> bool {
        let mut terms = more.to_vec();
        terms.extend([beliefs.uses[used].guard, beliefs.uses[used].fails]);
        terms.extend(nothing_failed_before(beliefs, beliefs.uses[used].at));
        terms.extend(no_return_where_zero(beliefs, used));
        let all = beliefs.vc.pool.all(&terms);
        self.is_possible(beliefs, all)
    }

    /// Whether a run can reach the statement without an earlier failure and satisfy `more`.
    pub(super) fn can_reach(&mut self, beliefs: &mut Beliefs, at: Statement, more: &[Term]) -> bool {
        let mut terms = more.to_vec();
        terms.extend(nothing_failed_before(beliefs, at));
        let all = beliefs.vc.pool.all(&terms);
        self.is_possible(beliefs, all)
    }

    fn is_possible(&mut self, beliefs: &Beliefs, what: Term) -> bool {
        if let Some(known) = beliefs.vc.pool.as_bool(what) {
            return known;
        }
        if self.questions >= BELIEF_QUERIES {
            return false;
        }
        self.questions += 1;
        if !self.has_facts {
            self.session.reset();
            for &fact in &beliefs.vc.facts {
                self.session.assert(&beliefs.vc.pool, fact);
            }
            self.has_facts = true;
        }
        match self.session.check(&beliefs.vc.pool, &[what], scaled(QUESTION, &beliefs.vc)) {
            Answer::Sat => true,
            Answer::Unsat => false,
            Answer::Unknown(_) => {
                self.undecided += 1;
                false
            }
        }
    }
}

/// The conditions of all checks that runs to the statement can pass. Without them, the second of two uses
/// would be reported as well as the first.
fn nothing_failed_before(beliefs: &mut Beliefs, at: Statement) -> Vec<Term> {
    let function = beliefs.judge.function;
    let before = blocks_of_runs_through(function, at.block);
    let mut terms = Vec::new();
    for (statement, guard) in beliefs.vc.events.clone() {
        let is_before = |other: Statement| other < at && before.contains(other.block);
        let cmd = &function.blocks[statement.block].cmds[statement.index as usize];
        if let CmdKind::Assert(_, holds) = cmd.kind
            && is_before(statement)
            && let Some(holds) = beliefs.vc.term(holds)
        {
            terms.push(beliefs.vc.pool.implies(guard, holds));
        }
    }
    terms
}

/// `if (!p) die();`: calls behind a test that found zero are assumed not to return, if they may not.
fn no_return_where_zero(beliefs: &mut Beliefs, used: usize) -> Vec<Term> {
    let Use { value, at, .. } = beliefs.uses[used];
    let function = beliefs.judge.function;
    let zero: Vec<Block> = beliefs
        .tests
        .iter()
        .filter(|test| test.value == value && test.is_zero && !beliefs.is_above(test.edge, at.block))
        .map(|test| test.edge)
        .collect();
    let mut terms = Vec::new();
    for (block, data) in &function.blocks {
        let may_end = data.cmds.iter().any(
            |cmd| matches!(&cmd.kind, CmdKind::Update { effect: Effect::Call(call), .. } if !call.returns),
        );
        if may_end && zero.iter().any(|&edge| beliefs.is_above(edge, block)) {
            for &target in data.next.targets() {
                if let Some(edge) = beliefs.vc.edge(block, target) {
                    terms.push(beliefs.vc.pool.not(edge));
                }
            }
        }
    }
    terms
}
