//! Source-sink errors of another constructor (papers/semantic-inconsistency-inference, Definition 3 with "valid" and
//! "freed" in place of "not NULL" and "NULL"): a pointer that was freed is used, or freed again.
//!
//! Only the very pointer that the models say is freed counts, by its term: the same block, whatever the names. What a
//! callee may free is not known to be freed.

use super::Beliefs;
use super::ask::Asker;
use super::control::controlling;
use super::related::{Roots, condition, roots};
use super::report;
use crate::edges::blocks_of_runs_through;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Loc};
use gainsay_ir::passive::{Block, CmdKind, Effect, Expr, ExprData};
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use gainsay_vc::Statement;

/// A place where a pointer is freed, or where it must not have been.
pub(super) struct Place {
    pub(super) at: Statement,
    pub(super) loc: Loc,
    pub(super) pointer: Expr,
    value: Term,
    /// A run comes here.
    guard: Term,
    /// `free` itself; else an access.
    pub(super) frees: bool,
}

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut Asker) -> Vec<Finding> {
    let sources = sources(beliefs);
    if sources.is_empty() {
        return Vec::new();
    }
    let sinks = sinks(beliefs);
    let mut found = Vec::new();
    for source in sources {
        let before = blocks_of_runs_through(beliefs.judge.function, source.at.block);
        let is_candidate = |sink: &&Place| {
            sink.value == source.value
                && sink.loc != source.loc
                && source.at < sink.at
                && before.contains(sink.at.block)
                && is_left_to_chance(beliefs, source.at.block, sink.at.block, sink.pointer)
        };
        // The first that fails is the one to look at.
        let Some(sink) = sinks.iter().find(is_candidate) else { continue };
        let Some(is_null) = super::uses::is_zero(&mut beliefs.vc.pool, sink.value) else { continue };
        let is_block = beliefs.vc.pool.not(is_null);
        if asker.can_come(beliefs, sink.at, &[source.guard, sink.guard, is_block]) {
            found.extend(report::freed(beliefs, &source, sink));
        }
    }
    found
}

fn sources(beliefs: &Beliefs) -> Vec<Place> {
    let function = beliefs.judge.function;
    let mut places = Vec::new();
    for (block, data) in &function.blocks {
        for (index, cmd) in data.cmds.iter().enumerate() {
            if let CmdKind::Update { effect: Effect::Free { pointer }, .. } = cmd.kind
                // A macro, as a callee, may know more.
                && !beliefs.judge.source.is_in_macro_definition(cmd.loc)
                && let (Some(value), Some(guard)) = (beliefs.vc.term(pointer), beliefs.vc.entered[block])
                && !beliefs.vc.pool.is_constant(value)
            {
                let at = Statement { block, index: index as u32 };
                places.push(Place { at, loc: cmd.loc, pointer, value, guard, frees: true });
            }
        }
    }
    places
}

fn sinks(beliefs: &Beliefs) -> Vec<Place> {
    let function = beliefs.judge.function;
    let mut places = Vec::new();
    for &(at, guard) in &beliefs.vc.events {
        let cmd = &function.blocks[at.block].cmds[at.index as usize];
        let CmdKind::Assert(Check::InvalidAccess | Check::InvalidFree, holds) = cmd.kind else { continue };
        let (mut pointer, frees) = match function.exprs[holds] {
            ExprData::Valid(_, pointer, _) => (pointer, false),
            ExprData::Freeable(_, pointer) => (pointer, true),
            _ => continue,
        };
        while let ExprData::Binary(BinaryOp::PtrAdd, base, _) = function.exprs[pointer] {
            pointer = base;
        }
        if let Some(value) = beliefs.vc.term(pointer) {
            places.push(Place { at, loc: cmd.loc, pointer, value, guard, frees });
        }
    }
    places
}

/// Does nothing that the program tests keep the run from the one place to the other? What decides about the second
/// must have to do neither with the pointer nor with what decided about the first.
pub(super) fn is_left_to_chance(beliefs: &Beliefs, source: Block, sink: Block, pointer: Expr) -> bool {
    let (function, dominators) = (beliefs.judge.function, &beliefs.dominators);
    let (of_source, of_sink) = (controlling(function, source), controlling(function, sink));
    let branch = |edge: Block| function.blocks[edge].branch.map(|branch| branch.condition);
    let roots_of = |edge: &Block| condition(function, *edge).map(|one| roots(function, dominators, one));
    let why_freed: Vec<Roots> = of_source.difference(&of_sink).filter_map(roots_of).collect();
    let own = roots(function, dominators, pointer);
    of_sink.difference(&of_source).filter(|&&edge| branch(edge).is_some()).all(|edge| {
        let is_exclusive = of_source.iter().any(|&other| branch(other) == branch(*edge));
        !is_exclusive
            && roots_of(edge).is_some_and(|roots| {
                !own.are_related(&roots, function, dominators)
                    && why_freed.iter().all(|why| !why.are_related(&roots, function, dominators))
            })
    })
}
