//! Results that may be NULL and are used untested, where nearly all other calls test them: the habit of the
//! program is the belief that this use contradicts.

use super::Beliefs;
use super::ask::Asker;
use super::control::controlling;
use super::related::{Roots, are_loops_over_one, condition, roots};
use super::report;
use super::uses::Use;
use gainsay_ir::gc::{Symbol, SymbolKind};
use gainsay_ir::passive::{Block, Callee, CmdKind, Definition, Effect, Expr, ExprData, Function};
use gainsay_program::link::NullTests;
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use gainsay_vc::Statement;
use std::collections::BTreeSet;

/// Fewer calls show no habit.
const FEWEST_TESTED: u32 = 4;

/// Of ten calls, so many test the result.
const OF_TEN: u32 = 9;

/// A question may be about the answers to others, so many deep.
const NESTED_QUESTIONS: u32 = 3;

/// What gives a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Giver {
    Function(Symbol),
    /// `malloc` and its like.
    Allocation,
}

/// A call, or an allocation, that gives a pointer.
#[derive(Clone, Copy)]
struct Given {
    by: Giver,
    at: Statement,
}

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut Asker) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut reported: BTreeSet<Giver> = BTreeSet::new();
    for used in 0..beliefs.uses.len() {
        let one = &beliefs.uses[used];
        let Some(given) = given(beliefs.judge.function, one.expr) else { continue };
        if one.kind.is_division()
            || reported.contains(&given.by)
            || is_tested(beliefs, one.value)
            || is_asked_twice(beliefs, given)
            || is_known_otherwise(beliefs, given, one)
        {
            continue;
        }
        let Some(habit) = habit(beliefs, given.by) else { continue };
        if asker.can_fail(beliefs, used, &[]) {
            reported.insert(given.by);
            found.extend(report::unchecked(beliefs, given.by, habit, used));
        }
    }
    found
}

/// Where the pointer comes from, as it is.
fn given(function: &Function, mut expr: Expr) -> Option<Given> {
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
                            Callee::Symbol(symbol) => Giver::Function(symbol),
                            Callee::Pointer(_) => return None,
                        }
                    }
                    CmdKind::Update { effect: Effect::Allocate { pointer, .. }, .. } if *pointer == var => {
                        Giver::Allocation
                    }
                    _ => return None,
                };
                return Some(Given { by, at: Statement { block, index } });
            }
            Definition::Entry | Definition::Phi(_) => return None,
        }
    }
}

fn is_tested(beliefs: &Beliefs, value: Term) -> bool {
    beliefs.tests.iter().any(|test| test.value == value)
}

/// Does the function test what the same call gave before? Then it knows: `if (find(x)) find(x)->n++`; and so it does of a
/// second loop over what a first one has tested.
fn is_asked_twice(beliefs: &Beliefs, wanted: Given) -> bool {
    let function = beliefs.judge.function;
    beliefs.tests.iter().any(|test| {
        let condition = condition(function, test.edge);
        let operands = condition.map(|condition| function.exprs[condition].operands());
        operands.into_iter().flatten().filter_map(|operand| given(function, operand)).any(|other| {
            other.by == wanted.by
                && other.at != wanted.at
                && matches!(wanted.by, Giver::Function(_))
                && (is_same_question(beliefs, wanted, other, NESTED_QUESTIONS)
                    || are_loops_over_one(wanted.at, other.at, function, &beliefs.dominators))
        })
    })
}

/// Calls of one function with the same arguments, or with what such calls gave: `find(headers(r), "Date")`.
fn is_same_question(beliefs: &Beliefs, one: Given, other: Given, depth: u32) -> bool {
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
                    && given(function, arg)
                        .zip(given(function, other))
                        .is_some_and(|(one, other)| is_same_question(beliefs, one, other, depth - 1))
        })
}

/// The same string, written twice.
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

/// May the caller know without a test what the function gives? Because it asks for something that it has just arranged
/// (a function without arguments tells of the program's state alone), looked at what it asks about before, or
/// looks at how it went. Of an allocation nobody knows.
fn is_known_otherwise(beliefs: &Beliefs, given: Given, used: &Use) -> bool {
    let (function, dominators) = (beliefs.judge.function, &beliefs.dominators);
    let cmd = &function.blocks[given.at.block].cmds[given.at.index as usize];
    let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { return false };
    let roots_of = |edge: Block| condition(function, edge).map(|one| roots(function, dominators, one));
    let before = controlling(function, given.at.block);
    let is_looked_at = |roots: Roots| roots.is_look_at_given(given.at, function, dominators);
    let says_how_it_went = |roots: Roots| roots.is_about(given.at, function, dominators);
    call.args.is_empty()
        || before.iter().filter_map(|&edge| roots_of(edge)).any(is_looked_at)
        || controlling(function, used.at.block)
            .difference(&before)
            .filter_map(|&edge| roots_of(edge))
            .any(says_how_it_went)
}

fn habit(beliefs: &Beliefs, giver: Giver) -> Option<NullTests> {
    let (tested, may_be_null) = match giver {
        Giver::Allocation => (beliefs.hints.allocations, true),
        Giver::Function(symbol) => {
            let results = beliefs.hints.results.get(&symbol.as_u32())?;
            (results.tested, results.may_return_null)
        }
    };
    let is_habit = tested.tested >= FEWEST_TESTED && tested.tested * 10 >= tested.calls * OF_TEN;
    (may_be_null && is_habit).then_some(tested)
}
