//! Verification: the other use of the weakest precondition (papers/universal-reachability, sections 2 and 3.2): with
//! W = false, does every run that starts where the contract allows pass every assert?
//!
//! The same passive form and the same encoder as everywhere, in their exact variant. A proof is one of every assert of
//! the function, loops cut at their invariants, and counts when the second solver agrees. A refutation is a run of
//! another form of the function, with loops unrolled a few times and small ranges written out, in which nothing is
//! approximate: its inputs are the counterexample.

mod counterexample;
mod invariants;

pub use counterexample::{Counterexample, Param};
pub use invariants::{OfLoop, invariants};

use crate::guard::guard;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Loc, VarKind};
use gainsay_ir::passes::segments::heads;
use gainsay_ir::passes::unroll::unroll;
use gainsay_ir::passes::{cut_at_invariants, passify, prune};
use gainsay_ir::passive::{CmdKind, Definition, Function, VarOf};
use gainsay_solver::{Answer, Budget, Confirmation, Session, confirm_unsat};
use gainsay_term::Term;
use gainsay_vc::{Options, Statement, Vc, encode_with};
use std::collections::BTreeSet;
use std::time::Duration;

/// What one question may cost.
pub const BUDGET: Budget = Budget { effort: 400_000, backstop: Duration::from_secs(60) };

/// How often a counterexample may come to the heads of loops.
const ITERATIONS: u32 = 5;

/// One assert of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub check: Check,
    pub loc: Loc,
    pub outcome: GoalOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalOutcome {
    Proved,
    /// A run of the formulas fails: perhaps one of the function.
    MayFail,
    Unknown(String),
}

/// The asserts of a function that was lowered and prepared for a proof.
pub fn prove(
    first: &mut Session,
    second: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
) -> Result<Vec<Goal>, String> {
    guard(|| {
        let pruned = prune(f.clone());
        let acyclic = cut_at_invariants(unit, &pruned);
        let function = passify(unit, &acyclic);
        decide(first, second, unit, &function)
    })
    .map_err(|panic| format!("internal error: {panic}"))?
}

fn exact(unit: &gc::Unit, function: &Function, goal: Option<Statement>) -> Vc {
    encode_with(unit, function, &Options { exact: true, goal, ..Options::default() })
}

fn decide(
    first: &mut Session,
    second: &mut Session,
    unit: &gc::Unit,
    function: &Function,
) -> Result<Vec<Goal>, String> {
    let mut vc = exact(unit, function, None);
    let failures = vc.exact.failures.clone();
    let choosing: Vec<bool> = failures.iter().map(|&(statement, _)| chooses(function, statement)).collect();
    let mut goals: Vec<Goal> = failures
        .iter()
        .filter_map(|&(statement, _)| {
            let (check, loc) = assert_at(function, statement)?;
            Some(Goal { check, loc, outcome: GoalOutcome::Proved })
        })
        .collect();
    // All that choose no values together are often as easy as each.
    let plain: Vec<usize> = (0..goals.len()).filter(|&i| !choosing[i]).collect();
    let terms: Vec<Term> = plain.iter().map(|&i| failures[i].1).collect();
    let any = vc.pool.any(&terms);
    let mut question = Question { first, second };
    if question.ask(&vc, any)? != GoalOutcome::Proved {
        for &i in &plain {
            goals[i].outcome = question.ask(&vc, failures[i].1)?;
        }
    }
    for i in (0..goals.len()).filter(|&i| choosing[i]) {
        let vc = exact(unit, function, Some(failures[i].0));
        let fails = vc.exact.failures.iter().find(|(statement, _)| *statement == failures[i].0);
        goals[i].outcome = match fails {
            Some(&(_, fails)) => question.ask(&vc, fails)?,
            None => GoalOutcome::Unknown("the condition was lost".into()),
        };
    }
    Ok(goals)
}

struct Question<'a> {
    first: &'a mut Session,
    second: &'a mut Session,
}

impl Question<'_> {
    /// Can this not be?
    fn ask(&mut self, vc: &Vc, fails: Term) -> Result<GoalOutcome, String> {
        if vc.pool.as_bool(fails) == Some(false) {
            return Ok(GoalOutcome::Proved);
        }
        tell(self.first, vc);
        match self.first.check(&vc.pool, &[fails], BUDGET) {
            Answer::Sat => return Ok(GoalOutcome::MayFail),
            Answer::Unknown(reason) => {
                return Ok(GoalOutcome::Unknown(format!("the solver gave up ({reason:?})")));
            }
            Answer::Unsat => {}
        }
        let mut terms = vc.facts.clone();
        terms.push(fails);
        match confirm_unsat(self.second, &vc.pool, &terms, BUDGET) {
            Confirmation::Confirmed => Ok(GoalOutcome::Proved),
            Confirmation::Unknown(reason) => {
                Ok(GoalOutcome::Unknown(format!("the second solver gave up ({reason:?})")))
            }
            Confirmation::Refuted => {
                Err("internal error: the solvers disagree; --transcript DIR shows the question".into())
            }
        }
    }
}

/// Does the assert speak of a value chosen for it?
fn chooses(function: &Function, statement: Statement) -> bool {
    let Some(cmd) = function.blocks[statement.block].cmds.get(statement.index as usize) else { return false };
    let CmdKind::Assert(_, holds) = cmd.kind else { return false };
    let mut exprs = vec![holds];
    let mut seen = BTreeSet::new();
    while let Some(expr) = exprs.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let data = function.exprs[expr];
        exprs.extend(data.operands());
        let Some(var) = data.var() else { continue };
        let VarOf::Source(source) = function.vars[var].of else { continue };
        if function.sources[source].kind == VarKind::Chosen {
            return true;
        }
        if let (Definition::Command(block, index), false) =
            (function.vars[var].definition, function.sources[source].is_written_by_user())
            && let CmdKind::Define(_, value) = function.blocks[block].cmds[index as usize].kind
        {
            exprs.push(value);
        }
    }
    false
}

fn tell(session: &mut Session, vc: &Vc) {
    session.reset();
    for &fact in &vc.facts {
        session.assert(&vc.pool, fact);
    }
}

fn assert_at(function: &Function, statement: Statement) -> Option<(Check, Loc)> {
    let cmd = function.blocks[statement.block].cmds.get(statement.index as usize)?;
    match cmd.kind {
        CmdKind::Assert(check, _) => Some((check, cmd.loc)),
        _ => None,
    }
}

/// What came of the search for a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    Refuted {
        check: Check,
        loc: Loc,
        inputs: Counterexample,
    },
    /// None with small inputs and few iterations.
    NotFound,
    /// A run was found, or could have been, that may be none of the function, and why.
    Doubtful(String),
}

/// Inputs with which an assert of the function, which was lowered and prepared for that, fails. First without the help
/// that annotations of loops are: a run that breaks what the program itself needs, or its contract, says more than one
/// that breaks an invariant.
pub fn refute(
    first: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    params: &[Param],
) -> Result<Search, String> {
    guard(|| {
        let pruned = prune(until_unknown(f.clone()));
        let cuts = heads(&pruned);
        let unrolled = prune(unroll(&pruned, &cuts, ITERATIONS).f);
        let mut bare = unrolled.clone();
        for data in bare.blocks.values_mut() {
            data.cmds.retain(|cmd| {
                let is_help = |check| matches!(check, Check::Invariant | Check::Variant | Check::Assigns);
                !matches!(cmd.kind, gc::CmdKind::Assert(check, _) if is_help(check))
            });
        }
        match search(first, unit, &passify(unit, &bare), params) {
            Search::NotFound => search(first, unit, &passify(unit, &unrolled), params),
            found => found,
        }
    })
    .map_err(|panic| format!("internal error: {panic}"))
}

fn search(first: &mut Session, unit: &gc::Unit, function: &Function, params: &[Param]) -> Search {
    let mut vc = exact(unit, function, None);
    if vc.exact.approximate {
        return Search::Doubtful("memory or arithmetic is not followed exactly".into());
    }
    tell(first, &vc);
    let failures = vc.exact.failures.clone();
    let terms: Vec<Term> = failures.iter().map(|&(_, term)| term).collect();
    let any = vc.pool.any(&terms);
    let small = counterexample::small(&mut vc, params);
    // Small numbers are easier to read, where they do.
    let answer = match first.check(&vc.pool, &[any, small], BUDGET) {
        Answer::Sat => Answer::Sat,
        _ => first.check(&vc.pool, &[any], BUDGET),
    };
    match answer {
        Answer::Unsat => return Search::NotFound,
        Answer::Unknown(reason) => return Search::Doubtful(format!("the solver gave up ({reason:?})")),
        Answer::Sat => {}
    }
    let failed = match first.truths(&mut vc.pool, &terms) {
        Ok(truths) => failures.iter().zip(truths).find(|(_, is_true)| *is_true).map(|(failure, _)| *failure),
        Err(reason) => return Search::Doubtful(format!("the solver gives no values ({reason:?})")),
    };
    let Some((check, loc)) = failed.and_then(|(statement, _)| assert_at(function, statement)) else {
        return Search::Doubtful("the solver's values break nothing".into());
    };
    match counterexample::read(first, unit, &vc, params) {
        Ok(inputs) => Search::Refuted { check, loc, inputs },
        Err(reason) => Search::Doubtful(reason),
    }
}

/// The function as far as it is known exactly: runs that come to a call, or to anything else of which not all is known,
/// end there. That may lose a counterexample and cannot invent one.
fn until_unknown(mut f: gc::Function) -> gc::Function {
    use gc::CmdKind::*;
    let is_asked = |var: gc::Var| matches!(f.vars[var].kind, VarKind::Chosen | VarKind::Universal);
    let is_unknown = |cmd: &gc::Cmd| match &cmd.kind {
        Call(_) | Clobber(_) | Allocate { .. } | Free(_) => true,
        Havoc(var) => !is_asked(*var),
        Enter(var) => !f.vars[*var].is_written_by_user(),
        Load { access, .. } => access.volatile,
        _ => false,
    };
    let cuts: Vec<(gc::Block, usize)> = f
        .blocks
        .iter()
        .filter_map(|(block, data)| Some((block, data.cmds.iter().position(is_unknown)?)))
        .collect();
    for (block, at) in cuts {
        f.blocks[block].cmds.truncate(at);
        f.blocks[block].next = gc::Next::Raise;
    }
    f
}
