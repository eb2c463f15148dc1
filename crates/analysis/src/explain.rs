//! Why an edge is on no run that ends well: the fewest statements that cannot all hold together with it (design.md,
//! section 5, "a minimal core over statements").

use crate::calls::exit_state_stores;
use crate::context::{Cx, Stage};
use crate::edges::{Boundary, Dominators, above, blocks_of_runs_through};
use crate::judge::Judge;
use crate::limits::{QUESTION, TRIED_DEFINITIONS};
use crate::must_pass_blocks::must_pass_options;
use crate::reach::{boundary_term, scaled, taken};
use crate::witness::Search;
use cranelift_entity::EntitySet;
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Function, Var, VarOf};
use gainsay_solver::{Answer, Budget, Session, minimal_core as minimal_unsat_core};
use gainsay_term::Term;
use gainsay_vc::{Options, Statement, Vc, encode_with};
use std::collections::BTreeSet;

/// Ranks of statements: behind the edge, a check before it, a condition before it.
const BEHIND: u8 = 0;
const CHECK: u8 = 1;
const CONDITION: u8 = 2;

/// What no run that ends well does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Start.
    Entry(Block),
    /// Take an edge.
    Edge(Block),
    /// Take an edge with the last value that its condition lets through.
    Boundary(Block, Boundary),
}

impl Subject {
    pub(crate) fn block(self) -> Block {
        match self {
            Subject::Entry(block) | Subject::Edge(block) | Subject::Boundary(block, _) => block,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Core {
    /// Statements on the way to the edge, its own condition included.
    pub(crate) before: Vec<Statement>,
    /// Statements behind the edge.
    pub(crate) after: Vec<Statement>,
    /// Definitions and stores whose values matter.
    pub(crate) definitions: Vec<Statement>,
    /// It matters that the run ends.
    pub(crate) needs_end: bool,
    /// All runs through the subject pass what matters (see [`crate::must_pass_blocks`]).
    pub(crate) is_local: bool,
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
    is_local: bool,
}

struct Question<'a> {
    session: &'a mut Session,
    unit: &'a gc::Unit,
    function: &'a Function,
    dominators: &'a Dominators,
    subject: Subject,
    /// The subject's block and all that can follow it.
    behind: EntitySet<Block>,
}

impl<'a> Question<'a> {
    fn new(session: &'a mut Session, judge: &'a Judge, subject: Subject) -> Question<'a> {
        let (unit, function, dominators) = (judge.unit, judge.function, judge.dominators());
        let behind = reachable(function, subject.block());
        Question { session, unit, function, dominators, subject, behind }
    }

    fn is_after(&self, statement: Statement) -> bool {
        let own_condition = statement.block == self.subject.block()
            && statement.index == 0
            && !matches!(self.subject, Subject::Entry(_));
        self.behind.contains(statement.block) && !own_condition
    }

    fn tell(&mut self, vc: &mut Vc) {
        let hard = premises(vc, self.subject);
        self.session.reset();
        for term in hard {
            self.session.assert(&vc.pool, term);
        }
    }

    /// Conditions alone say more than conditions and checks, and those more than what lies behind the edge as well. Before the
    /// edge, what all runs pass says as much as what only some do, and is a small question. Behind it, which failure comes
    /// first, or whether the run ever comes that far, depends on what lies between.
    fn statements(&mut self) -> Option<Core> {
        let mut local = self.formula(true);
        let mut whole = None;
        for least in [CONDITION, CHECK] {
            let mut core = self.contradiction(&mut local, least);
            if core.is_none() && !self.is_run_found(least) {
                core = self.contradiction(whole.get_or_insert_with(|| self.formula(false)), least);
            }
            if core.is_some() {
                return core;
            }
        }
        self.contradiction(&mut whole.unwrap_or_else(|| self.formula(false)), BEHIND)
    }

    fn formula(&self, is_local: bool) -> Formula {
        let of_blocks = options_of_blocks(self.function, self.subject, is_local);
        let options = Options { by_statement: true, ..of_blocks };
        Formula { vc: encode_with(self.unit, self.function, &options), is_local }
    }

    /// Do the statements before the edge not contradict it, as a run shows that takes it?
    fn is_run_found(&self, least: u8) -> bool {
        let Subject::Edge(edge) = self.subject else { return false };
        let options = Options { checks_are_events: least > CHECK, ..Options::default() };
        Search::new(self.unit, self.function, &options).reaches(edge)
    }

    /// The statements of this rank or a higher one that contradict the subject.
    fn contradiction(&mut self, formula: &mut Formula, least: u8) -> Option<Core> {
        let Formula { vc, is_local } = formula;
        self.tell(vc);
        let budget = scaled(QUESTION, vc);
        // What comes first is left out first: a contradiction without the end, without checks behind the edge, without
        // checks before it says more; and a near statement says more than a far one.
        let mut candidates: Vec<(u8, Statement, Term)> = vc
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
        if least == BEHIND {
            let n_behind = candidates.iter().take_while(|(rank, ..)| *rank == BEHIND).count();
            let later = self.not_met(vc, &terms, n_behind, budget)?;
            terms.drain(..later);
            terms.insert(0, vc.ended);
        }
        let minimal = self.minimal(vc, &terms, budget)?;
        let needs_end = minimal.contains(&vc.ended);
        let mut core = Core { needs_end, is_local: *is_local, ..Core::default() };
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

    /// How many of the statements behind the edge, the last ones first, no run lives to meet: where it fails or stays for
    /// good is before them.
    fn not_met(&mut self, vc: &Vc, terms: &[Term], n_behind: usize, budget: Budget) -> Option<usize> {
        // At least as many as were left out, if there still is a contradiction.
        let mut left_out = |later: usize| {
            let terms_left: Vec<Term> =
                [vc.ended].into_iter().chain(terms[later..].iter().copied()).collect();
            if self.session.check(&vc.pool, &terms_left, budget) != Answer::Unsat {
                return None;
            }
            let core = self.session.core()?;
            Some(terms[..n_behind].iter().take_while(|term| !core.contains(term)).count())
        };
        let mut most = left_out(0)?;
        let mut too_many = n_behind + 1;
        while most + 1 < too_many {
            let middle = most.midpoint(too_many);
            match left_out(middle) {
                Some(count) => most = count.max(middle),
                None => too_many = middle,
            }
        }
        Some(most)
    }

    /// The fewest of the terms that contradict the subject, if they do.
    fn minimal(&mut self, vc: &Vc, terms: &[Term], budget: Budget) -> Option<Vec<Term>> {
        if self.session.check(&vc.pool, terms, budget) != Answer::Unsat {
            return None;
        }
        let first = self.session.core()?.to_vec();
        let terms: Vec<Term> = terms.iter().copied().filter(|term| first.contains(term)).collect();
        Some(minimal_unsat_core(self.session, &vc.pool, &terms, budget).terms)
    }

    /// The first check of the same condition on every way to this one: what a reader finds first.
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

    /// How much a statement says.
    fn rank(&self, statement: Statement) -> u8 {
        let cmd = self.function.blocks[statement.block].cmds.get(statement.index as usize);
        match cmd.map(|cmd| &cmd.kind) {
            _ if self.is_after(statement) => BEHIND,
            Some(CmdKind::Assume(_)) => CONDITION,
            _ => CHECK,
        }
    }

    /// Which definitions can not be forgotten?
    fn definitions(&mut self, core: &Core) -> Vec<Statement> {
        let mut forgotten = BTreeSet::new();
        let mut needed = Vec::new();
        for candidate in definitions_behind(self.function, core) {
            forgotten.insert(candidate);
            if !self.is_contradictory(core, &forgotten) {
                forgotten.remove(&candidate);
                needed.push(candidate);
            }
        }
        needed.sort();
        needed
    }

    /// Do the statements of the core contradict each other, whatever was assigned there?
    fn is_contradictory(&mut self, core: &Core, forgotten: &BTreeSet<Statement>) -> bool {
        let options =
            Options { forgotten: forgotten.clone(), ..options_of_core(self.function, self.subject, core) };
        let mut vc = encode_with(self.unit, self.function, &options);
        self.tell(&mut vc);
        if core.needs_end {
            self.session.assert(&vc.pool, vc.ended);
        }
        self.session.check(&vc.pool, &[], QUESTION) == Answer::Unsat
    }
}

/// Only the statements of the core count.
pub(crate) fn options_of_core(function: &Function, subject: Subject, core: &Core) -> Options {
    let mut only: BTreeSet<Statement> = core.before.iter().chain(&core.after).copied().collect();
    if let Subject::Boundary(block, _) = subject {
        // Its condition is part of the question anyway.
        only.insert(Statement { block, index: 0 });
    }
    Options { only: Some(only), ..options_of_blocks(function, subject, core.is_local) }
}

/// Only runs through the subject count, or only what all of them pass.
fn options_of_blocks(function: &Function, subject: Subject, is_local: bool) -> Options {
    let within = blocks_of_runs_through(function, subject.block());
    if is_local {
        return must_pass_options(function, subject.block(), within);
    }
    Options { within: Some(within), ..Options::default() }
}

/// What holds of every run that does what no run should.
pub(crate) fn premises(vc: &mut Vc, subject: Subject) -> Vec<Term> {
    let mut terms = vc.facts.clone();
    terms.push(taken(vc, subject.block()));
    if let Subject::Boundary(_, boundary) = subject {
        terms.extend(boundary_term(vc, boundary));
    }
    terms
}

/// The block and all that can follow it.
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

/// Assignments of the user's variables and stores that the conditions of the core are computed from, nearest first.
fn definitions_behind(function: &Function, core: &Core) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut seen: EntitySet<Var> = EntitySet::new();
    let mut exprs: Vec<Expr> = Vec::new();
    for statement in core.before.iter().chain(&core.after) {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        if let Some(CmdKind::Assume(holds) | CmdKind::Assert(_, holds)) = cmd.map(|cmd| &cmd.kind) {
            exprs.push(*holds);
        }
    }
    let mut next = 0;
    while next < exprs.len() && found.len() < TRIED_DEFINITIONS {
        let data = function.exprs[exprs[next]];
        next += 1;
        exprs.extend(data.operands());
        let mut vars: Vec<Var> = data.var().into_iter().collect();
        while let Some(var) = vars.pop() {
            if !seen.insert(var) {
                continue;
            }
            match function.vars[var].definition {
                Definition::Entry | Definition::Fresh(..) => {}
                Definition::Phi(block) => {
                    let phi = function.blocks[block].phis.iter().find(|phi| phi.var == var);
                    vars.extend(phi.into_iter().flat_map(|phi| &phi.sources).map(|&(_, source)| source));
                }
                Definition::Command(block, index) => {
                    let statement = Statement { block, index };
                    match &function.blocks[block].cmds[index as usize].kind {
                        CmdKind::Define(_, value) => {
                            exprs.push(*value);
                            if is_written_by_user(function, var) {
                                found.push(statement);
                            }
                        }
                        CmdKind::Update { before, effect, .. } => {
                            match effect {
                                Effect::Store { value, .. } => {
                                    exprs.push(*value);
                                    found.push(statement);
                                }
                                Effect::Free { .. } => found.push(statement),
                                _ => {}
                            }
                            vars.push(*before);
                        }
                        CmdKind::Assume(_) | CmdKind::Assert(..) => {}
                    }
                }
            }
        }
    }
    found.truncate(TRIED_DEFINITIONS);
    found
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
