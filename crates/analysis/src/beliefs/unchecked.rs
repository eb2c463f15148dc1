//! Results that may be NULL and are used untested although nearly all other calls test them
//! (semantic-inconsistency-inference, section 6). The common practice of the program is the belief that the
//! use contradicts.

use super::Beliefs;
use super::ask::BeliefAsker;
use super::control::controlling;
use super::related::{ValueRoots, condition, iterate_over_same, roots};
use super::report;
use super::uses::Use;
use crate::limits::{BELIEF_FEWEST_TESTED_CALLS, BELIEF_NESTED_CALLS, BELIEF_TESTED_OF_TEN};
use gainsay_ir::gc::{Symbol, SymbolKind};
use gainsay_ir::passive::{Block, Callee, CmdKind, Definition, Effect, Expr, ExprData, Function};
use gainsay_program::link::NullTests;
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use gainsay_vc::Statement;
use std::collections::BTreeSet;

/// What a pointer was returned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Producer {
    Function(Symbol),
    /// A modelled allocation such as `malloc`.
    Allocation,
}

/// A call or allocation that returns a pointer.
#[derive(Clone, Copy)]
struct Produced {
    by: Producer,
    at: Statement,
}

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut BeliefAsker) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut reported: BTreeSet<Producer> = BTreeSet::new();
    for used in 0..beliefs.uses.len() {
        let one = &beliefs.uses[used];
        let Some(produced) = producer_of(beliefs.judge.function, one.expr) else { continue };
        if one.kind.is_division()
            || reported.contains(&produced.by)
            || is_tested(beliefs, one.value)
            || is_repeated_call_tested(beliefs, produced)
            || may_be_known_otherwise(beliefs, produced, one)
        {
            continue;
        }
        let Some(habit) = habit(beliefs, produced.by) else { continue };
        if asker.can_fail(beliefs, used, &[]) {
            reported.insert(produced.by);
            found.extend(report::unchecked(beliefs, produced.by, habit, used));
        }
    }
    found
}

/// The call or allocation that returned the pointer, if it was not changed since.
fn producer_of(function: &Function, mut expr: Expr) -> Option<Produced> {
    loop {
        let ExprData::Var(var) = function.exprs[expr] else { return None };
        match function.vars[var].definition {
            Definition::Command(block, index) => match function.blocks[block].cmds[index as usize].kind {
                CmdKind::Define(_, value) => expr = value,
                _ => return None,
            },
            Definition::Fresh(block, index) => {
                let by = match &function.blocks[block].cmds.get(index as usize)?.kind {
                    CmdKind::Update { effect: Effect::Call(call), .. } if call.result == Some(var) => {
                        match call.callee {
                            Callee::Symbol(symbol) => Producer::Function(symbol),
                            Callee::Pointer(_) => return None,
                        }
                    }
                    CmdKind::Update { effect: Effect::Allocate { pointer, .. }, .. } if *pointer == var => {
                        Producer::Allocation
                    }
                    _ => return None,
                };
                return Some(Produced { by, at: Statement { block, index } });
            }
            Definition::Entry | Definition::Phi(_) => return None,
        }
    }
}

fn is_tested(beliefs: &Beliefs, value: Term) -> bool {
    beliefs.tests.iter().any(|test| test.value == value)
}

/// Whether the function tests the result of the same call elsewhere, as in `if (find(x)) find(x)->n++`, or of
/// a call in another loop over the same object.
fn is_repeated_call_tested(beliefs: &Beliefs, wanted: Produced) -> bool {
    let function = beliefs.judge.function;
    beliefs.tests.iter().any(|test| {
        let condition = condition(function, test.edge);
        let operands = condition.map(|condition| function.exprs[condition].operands());
        operands.into_iter().flatten().filter_map(|operand| producer_of(function, operand)).any(|other| {
            other.by == wanted.by
                && other.at != wanted.at
                && matches!(wanted.by, Producer::Function(_))
                && (is_same_call(beliefs, wanted, other, BELIEF_NESTED_CALLS)
                    || iterate_over_same(wanted.at, other.at, function, &beliefs.dominators))
        })
    })
}

/// Whether both call the same function with the same arguments, or with results of such calls:
/// `find(headers(r), "Date")`.
fn is_same_call(beliefs: &Beliefs, one: Produced, other: Produced, depth: u32) -> bool {
    let function = beliefs.judge.function;
    let arguments = |at: Statement| match &function.blocks[at.block].cmds[at.index as usize].kind {
        CmdKind::Update { effect: Effect::Call(call), .. } => Some(&call.args),
        _ => None,
    };
    let (Some(args), Some(others)) = (arguments(one.at), arguments(other.at)) else { return false };
    one.by == other.by
        && args.len() == others.len()
        && args.iter().zip(others).all(|(&arg, &other)| {
            beliefs.vc.term(arg) == beliefs.vc.term(other)
                || are_same_constants(beliefs, arg, other)
                || depth > 0
                    && producer_of(function, arg)
                        .zip(producer_of(function, other))
                        .is_some_and(|(one, other)| is_same_call(beliefs, one, other, depth - 1))
        })
}

/// Whether both are addresses of constants with equal contents, such as a string literal written twice.
fn are_same_constants(beliefs: &Beliefs, one: Expr, other: Expr) -> bool {
    let contents = |expr: Expr| match beliefs.judge.function.exprs[expr] {
        ExprData::SymbolAddr(symbol) => match &beliefs.judge.unit.symbols[symbol].kind {
            SymbolKind::Object(facts) if facts.constant => facts.init.as_ref(),
            _ => None,
        },
        _ => None,
    };
    contents(one).is_some() && contents(one) == contents(other)
}

/// Whether the caller may know without a test that the result is not NULL: the function has no arguments, so
/// its result depends on program state that the caller may have set up; a condition before the call inspects
/// its arguments; or a condition after it may tell how it ended. An allocation can fail at any time.
fn may_be_known_otherwise(beliefs: &Beliefs, produced: Produced, used: &Use) -> bool {
    let (function, dominators) = (beliefs.judge.function, &beliefs.dominators);
    let cmd = &function.blocks[produced.at.block].cmds[produced.at.index as usize];
    let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { return false };
    let roots_of = |edge: Block| condition(function, edge).map(|one| roots(function, dominators, one));
    let before = controlling(function, produced.at.block);
    let inspects = |roots: ValueRoots| roots.inspects_arguments_of(produced.at, function, dominators);
    let tells_outcome = |roots: ValueRoots| roots.may_tell_outcome_of(produced.at, function, dominators);
    call.args.is_empty()
        || before.iter().filter_map(|&edge| roots_of(edge)).any(inspects)
        || controlling(function, used.at.block)
            .difference(&before)
            .filter_map(|&edge| roots_of(edge))
            .any(tells_outcome)
}

fn habit(beliefs: &Beliefs, producer: Producer) -> Option<NullTests> {
    let (tested, may_be_null) = match producer {
        Producer::Allocation => (beliefs.hints.allocations, true),
        Producer::Function(symbol) => {
            let results = beliefs.hints.results.get(&symbol.as_u32())?;
            (results.tested, results.may_return_null)
        }
    };
    let is_habit = tested.tested >= BELIEF_FEWEST_TESTED_CALLS
        && tested.tested * 10 >= tested.calls * BELIEF_TESTED_OF_TEN;
    (may_be_null && is_habit).then_some(tested)
}
