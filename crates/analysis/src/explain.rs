//! Why an edge is on no run that ends well: a minimal core of statements that cannot all hold together with it
//! (docs/decisions/038-explanations.md).

mod definitions;

use crate::calls::exit_state_stores;
use crate::context::{Cx, Stage};
use crate::edges::{Boundary, Dominators, above, blocks_of_runs_through};
use crate::judge::Judge;
use crate::limits::QUESTION;
use crate::must_pass_blocks::must_pass_options;
use crate::reach::{boundary_term, scaled, taken};
use crate::witness::Search;
use cranelift_entity::EntitySet;
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, Expr, ExprData, Function, Var, VarOf};
use gainsay_solver::{Answer, Budget, Session, minimal_core as minimal_unsat_core};
use gainsay_term::Term;
use gainsay_vc::{Options, Statement, Vc, encode_with};
use std::collections::BTreeSet;

/// How much a statement explains. Those of lower rank are removed from the core first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A statement after the edge.
    After,
    /// A check before the edge.
    Check,
    /// A condition before the edge.
    Condition,
}

/// What no run that ends well does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Start.
    Entry(Block),
    /// Take an edge.
    Edge(Block),
    /// Take an edge with its boundary value.
    Boundary(Block, Boundary),
}

impl Subject {
    pub(crate) fn block(self) -> Block {
        match self {
            Subject::Entry(block) | Subject::Edge(block) | Subject::Boundary(block, _) => block,
        }
    }
}

/// A minimal set of statements that contradict the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Core {
    /// Statements before the edge, its own condition included.
    pub(crate) before: Vec<Statement>,
    /// Statements after the edge.
    pub(crate) after: Vec<Statement>,
    /// Definitions and stores whose values matter.
    pub(crate) definitions: Vec<Statement>,
    /// The contradiction needs that the run ends.
    pub(crate) needs_end: bool,
    /// All statements are in must-pass blocks (see [`crate::must_pass_blocks`]).
    pub(crate) is_must_pass: bool,
}

/// The minimal core of the subject; `None` if neither solver finds one. What is hard for one solver is often easy for
/// the other.
pub(crate) fn explain(cx: &mut Cx, subject: Subject) -> Option<Core> {
    cx.begin(Stage::Explain);
    let judge = cx.judge;
    minimal_core(cx.tools.first, judge, subject).or_else(|| minimal_core(cx.tools.second, judge, subject))
}

/// The statements that the contradiction needs; `None` if the solver finds no contradiction within its budget.
pub(crate) fn minimal_core(session: &mut Session, judge: &Judge, subject: Subject) -> Option<Core> {
    Question::new(session, judge, subject).statements()
}

/// The assignments that the contradiction needs as well.
pub(crate) fn needed_definitions(
    session: &mut Session,
    judge: &Judge,
    subject: Subject,
    core: &Core,
) -> Vec<Statement> {
    Question::new(session, judge, subject).definitions(core)
}

/// Does the contradiction vanish if nothing is known of the exit states of callees?
pub(crate) fn needs_exit_states(session: &mut Session, judge: &Judge, subject: Subject, core: &Core) -> bool {
    let stores = exit_state_stores(judge.function);
    !stores.is_empty() && !Question::new(session, judge, subject).is_contradictory(core, &stores)
}

/// The runs through the subject, with a switch for every statement.
struct Formula {
    vc: Vc,
    is_must_pass: bool,
}

struct Question<'a> {
    session: &'a mut Session,
    unit: &'a gc::Unit,
    function: &'a Function,
    dominators: &'a Dominators,
    subject: Subject,
    /// The subject's block and all that can follow it.
    following: EntitySet<Block>,
}

impl<'a> Question<'a> {
    fn new(session: &'a mut Session, judge: &'a Judge, subject: Subject) -> Question<'a> {
        let (unit, function, dominators) = (judge.unit, judge.function, judge.dominators());
        let following = reachable(function, subject.block());
        Question { session, unit, function, dominators, subject, following }
    }

    fn is_after(&self, statement: Statement) -> bool {
        let own_condition = statement.block == self.subject.block()
            && statement.index == 0
            && !matches!(self.subject, Subject::Entry(_));
        self.following.contains(statement.block) && !own_condition
    }

    /// Starts the session afresh with the premises of the subject.
    fn assert_premises(&mut self, vc: &mut Vc) {
        let premises = premises(vc, self.subject);
        self.session.reset();
        for term in premises {
            self.session.assert(&vc.pool, term);
        }
    }

    /// Conditions alone explain more than conditions and checks, and those more than statements after the edge. Before the
    /// edge, must-pass blocks are tried first because the question is small. After it, the blocks in between decide which
    /// failure comes first, so the whole function is needed.
    fn statements(&mut self) -> Option<Core> {
        let mut must_pass = self.formula(true);
        let mut whole = None;
        for least in [Rank::Condition, Rank::Check] {
            let mut core = self.contradiction(&mut must_pass, least);
            if core.is_none() && !self.is_run_found(least) {
                core = self.contradiction(whole.get_or_insert_with(|| self.formula(false)), least);
            }
            if core.is_some() {
                return core;
            }
        }
        self.contradiction(&mut whole.unwrap_or_else(|| self.formula(false)), Rank::After)
    }

    fn formula(&self, is_must_pass: bool) -> Formula {
        let of_blocks = options_of_blocks(self.function, self.subject, is_must_pass);
        let options = Options { by_statement: true, ..of_blocks };
        Formula { vc: encode_with(self.unit, self.function, &options), is_must_pass }
    }

    /// Does a run that takes the edge show that the statements before it do not contradict it?
    fn is_run_found(&self, least: Rank) -> bool {
        let Subject::Edge(edge) = self.subject else { return false };
        let options = Options { checks_are_events: least > Rank::Check, ..Options::default() };
        Search::new(self.unit, self.function, &options).reaches(edge)
    }

    /// A minimal core among the statements of at least this rank.
    fn contradiction(&mut self, formula: &mut Formula, least: Rank) -> Option<Core> {
        let Formula { vc, is_must_pass } = formula;
        self.assert_premises(vc);
        let budget = scaled(QUESTION, vc);
        // The first candidates are removed first: a core without the end, without checks after the edge, without checks
        // before it explains more, and a near statement explains more than a far one.
        let mut candidates: Vec<(Rank, Statement, Term)> = vc
            .switches
            .iter()
            .map(|&(statement, switch)| (self.rank(statement), statement, switch))
            .filter(|&(rank, ..)| rank >= least)
            .collect();
        candidates.sort_by_key(|&(rank, statement, _)| {
            let along = (u64::from(statement.block.as_u32()) << 32) | u64::from(statement.index);
            (rank, if self.is_after(statement) { u64::MAX - along } else { along })
        });
        let mut terms: Vec<Term> = candidates.iter().map(|&(_, _, switch)| switch).collect();
        if least == Rank::After {
            let n_after = candidates.iter().take_while(|(rank, ..)| *rank == Rank::After).count();
            let unreached = self.count_unreached(vc, &terms, n_after, budget)?;
            terms.drain(..unreached);
            terms.insert(0, vc.ended);
        }
        let minimal = self.minimal(vc, &terms, budget)?;
        let needs_end = minimal.contains(&vc.ended);
        let mut core = Core { needs_end, is_must_pass: *is_must_pass, ..Core::default() };
        for &(statement, switch) in &vc.switches {
            if minimal.contains(&switch) {
                if self.is_after(statement) {
                    core.after.push(statement);
                } else {
                    core.before.push(self.first_like(vc, statement));
                }
            }
        }
        Some(core)
    }

    /// How many statements after the edge, from the last one, no run reaches because it fails or loops forever before.
    fn count_unreached(&mut self, vc: &Vc, terms: &[Term], n_after: usize, budget: Budget) -> Option<usize> {
        // If the rest still contradicts the subject without the last `removed`: how many the core does not need.
        let mut unneeded = |removed: usize| {
            let remaining: Vec<Term> =
                [vc.ended].into_iter().chain(terms[removed..].iter().copied()).collect();
            if self.session.check(&vc.pool, &remaining, budget) != Answer::Unsat {
                return None;
            }
            let core = self.session.core()?;
            Some(terms[..n_after].iter().take_while(|term| !core.contains(term)).count())
        };
        let mut most = unneeded(0)?;
        let mut too_many = n_after + 1;
        while most + 1 < too_many {
            let middle = most.midpoint(too_many);
            match unneeded(middle) {
                Some(count) => most = count.max(middle),
                None => too_many = middle,
            }
        }
        Some(most)
    }

    /// A minimal subset of the terms that contradicts the subject, if they do.
    fn minimal(&mut self, vc: &Vc, terms: &[Term], budget: Budget) -> Option<Vec<Term>> {
        if self.session.check(&vc.pool, terms, budget) != Answer::Unsat {
            return None;
        }
        let first = self.session.core()?.to_vec();
        let terms: Vec<Term> = terms.iter().copied().filter(|term| first.contains(term)).collect();
        Some(minimal_unsat_core(self.session, &vc.pool, &terms, budget).terms)
    }

    /// The first check of the same condition that dominates this one: it is what a reader finds first.
    fn first_like(&self, vc: &Vc, statement: Statement) -> Statement {
        let check = |statement: Statement| {
            let cmd = self.function.blocks[statement.block].cmds.get(statement.index as usize)?;
            match cmd.kind {
                CmdKind::Assert(check, holds) => Some((check, vc.term(holds)?)),
                _ => None,
            }
        };
        let Some(wanted) = check(statement) else { return statement };
        let mut first = statement;
        for block in std::iter::once(statement.block).chain(above(self.dominators, statement.block)) {
            let same = (0..self.function.blocks[block].cmds.len() as u32)
                .map(|index| Statement { block, index })
                .find(|&other| check(other) == Some(wanted));
            first = same.unwrap_or(first);
        }
        first
    }

    fn rank(&self, statement: Statement) -> Rank {
        let cmd = self.function.blocks[statement.block].cmds.get(statement.index as usize);
        match cmd.map(|cmd| &cmd.kind) {
            _ if self.is_after(statement) => Rank::After,
            Some(CmdKind::Assume(_)) => Rank::Condition,
            _ => Rank::Check,
        }
    }

    /// Does the core still contradict the subject if these assignments are forgotten?
    fn is_contradictory(&mut self, core: &Core, forgotten: &BTreeSet<Statement>) -> bool {
        let options =
            Options { forgotten: forgotten.clone(), ..options_of_core(self.function, self.subject, core) };
        let mut vc = encode_with(self.unit, self.function, &options);
        self.assert_premises(&mut vc);
        if core.needs_end {
            self.session.assert(&vc.pool, vc.ended);
        }
        self.session.check(&vc.pool, &[], QUESTION) == Answer::Unsat
    }
}

/// Encodes only the statements of the core.
pub(crate) fn options_of_core(function: &Function, subject: Subject, core: &Core) -> Options {
    let mut only: BTreeSet<Statement> = core.before.iter().chain(&core.after).copied().collect();
    if let Subject::Boundary(block, _) = subject {
        // The question contains its condition anyway.
        only.insert(Statement { block, index: 0 });
    }
    Options { only: Some(only), ..options_of_blocks(function, subject, core.is_must_pass) }
}

/// Encodes only runs through the subject, or only the must-pass blocks.
fn options_of_blocks(function: &Function, subject: Subject, is_must_pass: bool) -> Options {
    let within = blocks_of_runs_through(function, subject.block());
    if is_must_pass {
        return must_pass_options(function, subject.block(), within);
    }
    Options { within: Some(within), ..Options::default() }
}

/// What holds for every run that does what the subject says.
pub(crate) fn premises(vc: &mut Vc, subject: Subject) -> Vec<Term> {
    let mut terms = vc.facts.clone();
    terms.push(taken(vc, subject.block()));
    if let Subject::Boundary(_, boundary) = subject {
        terms.extend(boundary_term(vc, boundary));
    }
    terms
}

/// The block and all blocks that can follow it.
pub(crate) fn reachable(function: &Function, from: Block) -> EntitySet<Block> {
    let mut seen = EntitySet::new();
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        if seen.insert(block) {
            stack.extend(function.blocks[block].next.targets());
        }
    }
    seen
}

pub(crate) fn is_written_by_user(function: &Function, var: Var) -> bool {
    matches!(function.vars[var].of, VarOf::Source(source) if function.sources[source].is_written_by_user())
}

/// Is the expression made of constants only?
pub(crate) fn is_constant(function: &Function, expr: Expr) -> bool {
    match function.exprs[expr] {
        ExprData::Const(..) => true,
        data => {
            data.var().is_none()
                && !data.operands().is_empty()
                && data.operands().iter().all(|&operand| is_constant(function, operand))
        }
    }
}
