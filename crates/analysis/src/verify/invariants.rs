//! Infers loop invariants for assertions that could not be proved: the invariants of Horn proofs
//! (horn-clauses-with-loops), and simple ones that hold in any case.
//!
//! They are returned as ACSL text, to be lowered like annotations and proved with the rest. So nothing here
//! needs to be trusted, and what a user would paste into the source is what was proved.

use super::{GoalOutcome, ProofGoal};
use crate::guard::guard;
use crate::horn::{self, EdgeAnswer, HornProblem, Proof, invariants_in_c};
use crate::limits::{INVARIANT, INVARIANT_QUERIES, SIMPLE_INVARIANTS};
use gainsay_ir::gc::{
    self, Block, BlockData, Branch, CmdKind, ExprData, Loc, Next, Origin, Outcome, UnaryOp,
};
use gainsay_ir::passes::prune;
use gainsay_ir::passes::segments::heads;
use gainsay_solver::horn::{Formula, Integer, Relation};
use gainsay_solver::{Program, Session};
use std::collections::{BTreeMap, BTreeSet};

/// The invariants found for one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredInvariants {
    /// The locations of the loop's commands.
    pub locs: BTreeSet<Loc>,
    /// ACSL conditions, each of which holds whenever control is at the loop head.
    pub holds: Vec<String>,
}

/// `f` was lowered and prepared for a proof; `goals` are the results of that proof.
pub fn invariants(
    first: &mut Session,
    spacer: &Program,
    unit: &gc::Unit,
    f: &gc::Function,
    goals: &[ProofGoal],
) -> Result<Vec<InferredInvariants>, String> {
    guard(|| {
        let mut pruned = prune(f.clone());
        if heads(&pruned).is_empty() || horn::is_too_large(&pruned) {
            return Vec::new();
        }
        let edges = split(&mut pruned, goals);
        let mut problem = HornProblem::new(unit, &pruned, &edges);
        let mut proofs = vec![strongest(problem.known(first, SIMPLE_INVARIANTS))];
        for number in 0..edges.len().min(INVARIANT_QUERIES) {
            if let EdgeAnswer::Impossible(proof) = problem.ask(first, spacer, number, INVARIANT) {
                proofs.push(proof);
            }
        }
        merged_by_loop(&problem, &pruned, &proofs)
    })
    .map_err(|panic| format!("internal error: {panic}"))
}

/// Turns the failure of each open assertion into an edge that ends the run well, so that it can be queried.
fn split(f: &mut gc::Function, goals: &[ProofGoal]) -> Vec<Block> {
    let open: BTreeSet<(u32, &str)> = goals
        .iter()
        .filter(|goal| goal.outcome != GoalOutcome::Proved)
        .map(|goal| (goal.loc.as_u32(), goal.check.name()))
        .collect();
    let conditions = f.blocks.values().filter_map(|data| data.branch).map(|branch| branch.condition);
    let mut condition = conditions.max().map_or(0, |most| most + 1);
    let mut edges = Vec::new();
    let mut blocks: Vec<Block> = f.blocks.keys().collect();
    while let Some(block) = blocks.pop() {
        let is_open = |cmd: &gc::Cmd| match cmd.kind {
            CmdKind::Assert(check, _) => open.contains(&(cmd.loc.as_u32(), check.name())),
            _ => false,
        };
        let Some(at) = f.blocks[block].cmds.iter().position(is_open) else { continue };
        let mut rest = f.blocks[block].cmds.split_off(at);
        let CmdKind::Assert(_, holds) = rest[0].kind else { continue };
        let fails = f.exprs.push(ExprData::Unary(UnaryOp::Not, holds));
        rest[0].kind = CmdKind::Assume(holds);
        let mut edge = |outcome, cmds: Vec<gc::Cmd>, next| {
            let branch = Some(Branch { condition, origin: Origin::Model, outcome });
            f.blocks.push(BlockData { branch, cmds, next })
        };
        let failing = gc::Cmd { kind: CmdKind::Assume(fails), loc: rest[0].loc };
        let failed = edge(Outcome::True, vec![failing], Next::Raise);
        let passed = edge(Outcome::False, rest, Next::Raise);
        let choice = Next::Goto([failed, passed].into_iter().collect());
        f.blocks[passed].next = std::mem::replace(&mut f.blocks[block].next, choice);
        condition += 1;
        edges.push(failed);
        blocks.push(passed);
    }
    edges.sort();
    edges
}

/// Keeps only the narrowest constant bounds of each argument.
fn strongest(mut proof: Proof) -> Proof {
    for formula in proof.invariants.of.values_mut() {
        let parts = formula.conjuncts();
        let is_implied = |part: &Formula| {
            let Some((number, is_upper, constant)) = bound(part) else { return false };
            parts.iter().filter_map(bound).any(|(other, upper, by)| {
                (other, upper) == (number, is_upper) && if is_upper { by < constant } else { by > constant }
            })
        };
        *formula = Formula::And(parts.iter().filter(|part| !is_implied(part)).cloned().collect());
    }
    proof
}

/// The argument that the formula bounds, whether from above, and the bound.
fn bound(formula: &Formula) -> Option<(usize, bool, i128)> {
    match formula {
        Formula::Compare(Relation::AtMost, Integer::Argument(number), Integer::Constant(by)) => {
            Some((*number, true, *by))
        }
        Formula::Compare(Relation::AtMost, Integer::Constant(by), Integer::Argument(number)) => {
            Some((*number, false, *by))
        }
        _ => None,
    }
}

/// The invariants of all proofs by loop, without duplicates.
fn merged_by_loop(problem: &HornProblem, f: &gc::Function, proofs: &[Proof]) -> Vec<InferredInvariants> {
    let mut of_heads: BTreeMap<Block, Vec<String>> = BTreeMap::new();
    for one in proofs.iter().flat_map(|proof| invariants_in_c(problem, proof)).filter(|one| !one.passed) {
        let holds = of_heads.entry(one.head).or_default();
        for part in one.parts {
            if !holds.contains(&part) {
                holds.push(part);
            }
        }
    }
    let locs = |head: Block| -> BTreeSet<Loc> {
        let members = problem.cuts.iter().filter(|cut| cut.head == head).flat_map(|cut| &cut.members);
        members.flat_map(|&block| &f.blocks[block].cmds).map(|cmd| cmd.loc).collect()
    };
    of_heads.into_iter().map(|(head, holds)| InferredInvariants { locs: locs(head), holds }).collect()
}
