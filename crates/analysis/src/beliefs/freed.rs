//! Source-sink errors with the constructors "valid" and "freed" in place of "not NULL" and "NULL"
//! (semantic-inconsistency-inference, Definition 3): a freed pointer is used, or freed a second time.
//!
//! Only a pointer that a model frees counts, identified by its term, so names do not matter. A block that a
//! callee may free is not assumed to be freed.

use super::Beliefs;
use super::ask::BeliefAsker;
use super::control::controlling;
use super::related::{ValueRoots, condition, roots};
use super::report;
use crate::edges::blocks_of_runs_through;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Loc};
use gainsay_ir::passive::{Block, CmdKind, Effect, Expr, ExprData};
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use gainsay_vc::Statement;

/// A statement that frees a pointer, or that requires it not to be freed.
pub(super) struct PointerSite {
    pub(super) at: Statement,
    pub(super) loc: Loc,
    pub(super) pointer: Expr,
    value: Term,
    /// A run reaches the statement.
    guard: Term,
    /// The statement is a call of `free`; otherwise an access.
    pub(super) frees: bool,
}

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut BeliefAsker) -> Vec<Finding> {
    let sources = sources(beliefs);
    if sources.is_empty() {
        return Vec::new();
    }
    let sinks = sinks(beliefs);
    let mut found = Vec::new();
    for source in sources {
        let before = blocks_of_runs_through(beliefs.judge.function, source.at.block);
        let is_candidate = |sink: &&PointerSite| {
            sink.value == source.value
                && sink.loc != source.loc
                && source.at < sink.at
                && before.contains(sink.at.block)
                && is_unguarded_between(beliefs, source.at.block, sink.at.block, sink.pointer)
        };
        // Only the first failing use is reported: later ones have the same cause.
        let Some(sink) = sinks.iter().find(is_candidate) else { continue };
        let Some(is_null) = super::uses::is_zero(&mut beliefs.vc.pool, sink.value) else { continue };
        let is_block = beliefs.vc.pool.not(is_null);
        if asker.can_reach(beliefs, sink.at, &[source.guard, sink.guard, is_block]) {
            found.extend(report::freed(beliefs, &source, sink));
        }
    }
    found
}

fn sources(beliefs: &Beliefs) -> Vec<PointerSite> {
    let function = beliefs.judge.function;
    let mut places = Vec::new();
    for (block, data) in &function.blocks {
        for (index, cmd) in data.cmds.iter().enumerate() {
            if let CmdKind::Update { effect: Effect::Free { pointer }, .. } = cmd.kind
                // A macro serves all its users, as a callee does (section 4, footnote 1).
                && !beliefs.judge.source.is_in_macro_definition(cmd.loc)
                && let (Some(value), Some(guard)) = (beliefs.vc.term(pointer), beliefs.vc.entered[block])
                && !beliefs.vc.pool.is_constant(value)
            {
                let at = Statement { block, index: index as u32 };
                places.push(PointerSite { at, loc: cmd.loc, pointer, value, guard, frees: true });
            }
        }
    }
    places
}

fn sinks(beliefs: &Beliefs) -> Vec<PointerSite> {
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
            places.push(PointerSite { at, loc: cmd.loc, pointer, value, guard, frees });
        }
    }
    places
}

/// Whether no branch separates the two statements: the branches that decide about the sink must be related
/// neither to the pointer nor to the branches that decided about the source.
pub(super) fn is_unguarded_between(beliefs: &Beliefs, source: Block, sink: Block, pointer: Expr) -> bool {
    let (function, dominators) = (beliefs.judge.function, &beliefs.dominators);
    let (of_source, of_sink) = (controlling(function, source), controlling(function, sink));
    let branch = |edge: Block| function.blocks[edge].branch.map(|branch| branch.condition);
    let roots_of = |edge: &Block| condition(function, *edge).map(|one| roots(function, dominators, one));
    let why_freed: Vec<ValueRoots> = of_source.difference(&of_sink).filter_map(roots_of).collect();
    let own = roots(function, dominators, pointer);
    of_sink.difference(&of_source).filter(|&&edge| branch(edge).is_some()).all(|edge| {
        let is_exclusive = of_source.iter().any(|&other| branch(other) == branch(*edge));
        !is_exclusive
            && roots_of(edge).is_some_and(|roots| {
                !own.may_be_related(&roots, function, dominators)
                    && why_freed.iter().all(|why| !why.may_be_related(&roots, function, dominators))
            })
    })
}
