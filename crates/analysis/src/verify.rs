//! Verification, the other use of the weakest precondition (universal-reachability, sections 2, 3.2 and 3.3):
//! with W = false, does every run from a state that the contract allows pass every assertion?
//!
//! The passive form and the encoder are those of the other analyses, in their exact variant. A proof covers
//! every assertion of the function, with loops cut at their invariants, and counts if the second solver
//! agrees. A refutation is a run of another form of the function, with loops unrolled a few times and small
//! ranges written out, in which nothing is approximate: its inputs are the counterexample
//! (docs/decisions/033-verification.md).

mod counterexample;
mod invariants;

pub use counterexample::{Counterexample, ParamDeclaration};
pub use invariants::{InferredInvariants, invariants};

use crate::guard::guard;
use crate::limits::{COUNTEREXAMPLE_ITERATIONS, PROOF};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Loc, VarKind};
use gainsay_ir::passes::segments::heads;
use gainsay_ir::passes::unroll::unroll;
use gainsay_ir::passes::{cut_at_invariants, passify, prune};
use gainsay_ir::passive::{CmdKind, Definition, Function, VarOf};
use gainsay_solver::{Answer, Confirmation, Session, confirm_unsat};
use gainsay_term::Term;
use gainsay_vc::{Options, Statement, Vc, encode_with};
use std::collections::BTreeSet;

/// An assertion of the function, with the result of its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofGoal {
    pub check: Check,
    pub loc: Loc,
    pub outcome: GoalOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalOutcome {
    Proved,
    /// A model fails the assertion; it may or may not be a run of the function.
    MayFail,
    Unknown(String),
}

/// Tries to prove the assertions of a function that was lowered and prepared for a proof.
pub fn prove(
    first: &mut Session,
    second: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
) -> Result<Vec<ProofGoal>, String> {
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
) -> Result<Vec<ProofGoal>, String> {
    let mut vc = exact(unit, function, None);
    let failures = vc.exact.failures.clone();
    let choosing: Vec<bool> = failures.iter().map(|&(statement, _)| chooses(function, statement)).collect();
    let mut goals: Vec<ProofGoal> = failures
        .iter()
        .filter_map(|&(statement, _)| {
            let (check, loc) = assert_at(function, statement)?;
            Some(ProofGoal { check, loc, outcome: GoalOutcome::Proved })
        })
        .collect();
    // Goals without chosen values are often as easy together as one by one.
    let plain: Vec<usize> = (0..goals.len()).filter(|&i| !choosing[i]).collect();
    let terms: Vec<Term> = plain.iter().map(|&i| failures[i].1).collect();
    let any = vc.pool.any(&terms);
    let mut provers = Provers { first, second };
    if provers.ask(&vc, any)? != GoalOutcome::Proved {
        for &i in &plain {
            goals[i].outcome = provers.ask(&vc, failures[i].1)?;
        }
    }
    for i in (0..goals.len()).filter(|&i| choosing[i]) {
        let vc = exact(unit, function, Some(failures[i].0));
        let fails = vc.exact.failures.iter().find(|(statement, _)| *statement == failures[i].0);
        goals[i].outcome = match fails {
            Some(&(_, fails)) => provers.ask(&vc, fails)?,
            None => GoalOutcome::Unknown("the condition was lost".into()),
        };
    }
    Ok(goals)
}

struct Provers<'a> {
    first: &'a mut Session,
    second: &'a mut Session,
}

impl Provers<'_> {
    /// Proved if `fails` is unsatisfiable.
    fn ask(&mut self, vc: &Vc, fails: Term) -> Result<GoalOutcome, String> {
        if vc.pool.as_bool(fails) == Some(false) {
            return Ok(GoalOutcome::Proved);
        }
        tell(self.first, vc);
        match self.first.check(&vc.pool, &[fails], PROOF) {
            Answer::Sat => return Ok(GoalOutcome::MayFail),
            Answer::Unknown(reason) => {
                return Ok(GoalOutcome::Unknown(format!("the solver gave up ({reason:?})")));
            }
            Answer::Unsat => {}
        }
        let mut terms = vc.facts.clone();
        terms.push(fails);
        match confirm_unsat(self.second, &vc.pool, &terms, PROOF) {
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

/// Whether the assertion mentions a value chosen for it.
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

/// The result of the search for a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    Refuted {
        check: Check,
        loc: Loc,
        inputs: Counterexample,
    },
    /// No counterexample with small inputs and few iterations.
    NotFound,
    /// A model was found, or could have been, that may not be a run of the function; with the reason.
    Doubtful(String),
}

/// Searches for inputs with which an assertion of the function, lowered and prepared for refutation, fails.
/// The first attempt ignores loop annotations: a run that violates the contract or a check of the program
/// tells more than one that violates an invariant.
pub fn refute(
    first: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    params: &[ParamDeclaration],
) -> Result<Refutation, String> {
    guard(|| {
        let pruned = prune(until_unknown(f.clone()));
        let cuts = heads(&pruned);
        let unrolled = prune(unroll(&pruned, &cuts, COUNTEREXAMPLE_ITERATIONS).f);
        let mut bare = unrolled.clone();
        for data in bare.blocks.values_mut() {
            data.cmds.retain(|cmd| {
                let is_help = |check| matches!(check, Check::Invariant | Check::Variant | Check::Assigns);
                !matches!(cmd.kind, gc::CmdKind::Assert(check, _) if is_help(check))
            });
        }
        match search(first, unit, &passify(unit, &bare), params) {
            Refutation::NotFound => search(first, unit, &passify(unit, &unrolled), params),
            found => found,
        }
    })
    .map_err(|panic| format!("internal error: {panic}"))
}

fn search(
    first: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    params: &[ParamDeclaration],
) -> Refutation {
    let mut vc = exact(unit, function, None);
    if vc.exact.approximate {
        return Refutation::Doubtful("memory or arithmetic is not followed exactly".into());
    }
    tell(first, &vc);
    let failures = vc.exact.failures.clone();
    let terms: Vec<Term> = failures.iter().map(|&(_, term)| term).collect();
    let any = vc.pool.any(&terms);
    let small = counterexample::small(&mut vc, params);
    // Small numbers are easier to read, if they suffice.
    let answer = match first.check(&vc.pool, &[any, small], PROOF) {
        Answer::Sat => Answer::Sat,
        _ => first.check(&vc.pool, &[any], PROOF),
    };
    match answer {
        Answer::Unsat => return Refutation::NotFound,
        Answer::Unknown(reason) => return Refutation::Doubtful(format!("the solver gave up ({reason:?})")),
        Answer::Sat => {}
    }
    let failed = match first.truths(&mut vc.pool, &terms) {
        Ok(truths) => failures.iter().zip(truths).find(|(_, is_true)| *is_true).map(|(failure, _)| *failure),
        Err(reason) => return Refutation::Doubtful(format!("the solver gives no values ({reason:?})")),
    };
    let Some((check, loc)) = failed.and_then(|(statement, _)| assert_at(function, statement)) else {
        return Refutation::Doubtful("the solver's values break nothing".into());
    };
    match counterexample::read(first, unit, &vc, params) {
        Ok(inputs) => Refutation::Refuted { check, loc, inputs },
        Err(reason) => Refutation::Doubtful(reason),
    }
}

/// The function as far as it is modelled exactly: runs end at a call or another command that is not. This may
/// lose a counterexample and cannot invent one.
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
