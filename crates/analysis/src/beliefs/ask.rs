//! Questions to the solver: can a use fail, on a run on which nothing failed before?

use super::Beliefs;
use super::uses::Use;
use crate::edges::blocks_of_runs_through;
use crate::limits::QUESTION;
use crate::reach::scaled;
use gainsay_ir::passive::{Block, CmdKind, Effect};
use gainsay_solver::{Answer, Session};
use gainsay_term::Term;
use gainsay_vc::Statement;

/// More questions are not asked about one function.
const MOST_QUESTIONS: u32 = 40;

pub(super) struct Asker<'s> {
    session: &'s mut Session,
    is_told: bool,
    questions: u32,
    /// Questions without an answer.
    pub(super) undecided: u64,
}

impl<'s> Asker<'s> {
    pub(super) fn new(session: &'s mut Session) -> Asker<'s> {
        Asker { session, is_told: false, questions: 0, undecided: 0 }
    }

    /// Can a run come to the use with nothing failing before, fail there, and do all of this as well?
    pub(super) fn can_fail(&mut self, beliefs: &mut Beliefs, used: usize, more: &[Term]) -> bool {
        let mut terms = more.to_vec();
        terms.extend([beliefs.uses[used].guard, beliefs.uses[used].fails]);
        terms.extend(nothing_failed_before(beliefs, beliefs.uses[used].at));
        terms.extend(ends_where_zero(beliefs, used));
        let all = beliefs.vc.pool.all(&terms);
        self.is_possible(beliefs, all)
    }

    /// Can a run come to the statement with nothing failing before, and do all of this as well?
    pub(super) fn can_come(&mut self, beliefs: &mut Beliefs, at: Statement, more: &[Term]) -> bool {
        let mut terms = more.to_vec();
        terms.extend(nothing_failed_before(beliefs, at));
        let all = beliefs.vc.pool.all(&terms);
        self.is_possible(beliefs, all)
    }

    fn is_possible(&mut self, beliefs: &Beliefs, what: Term) -> bool {
        if let Some(known) = beliefs.vc.pool.as_bool(what) {
            return known;
        }
        if self.questions >= MOST_QUESTIONS {
            return false;
        }
        self.questions += 1;
        if !self.is_told {
            self.session.reset();
            for &fact in &beliefs.vc.facts {
                self.session.assert(&beliefs.vc.pool, fact);
            }
            self.is_told = true;
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

/// The checks that runs to the statement can meet hold. Without that, the second of two uses would be as bad as
/// the first.
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

/// `if (!p) die();`: where a test found zero, calls that may not come back do not.
fn ends_where_zero(beliefs: &mut Beliefs, used: usize) -> Vec<Term> {
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
