//! Source-sink errors (semantic-inconsistency-inference, Definition 3): an assigned NULL reaches a use,
//! through a variable or memory. A must-write of a callee appears as a store after the call (section 5.1).

use super::Beliefs;
use super::ask::BeliefAsker;
use super::independent::is_independent;
use super::report;
use super::uses::UseKind;
use crate::edges::blocks_of_runs_through;
use crate::limits::{BELIEF_LOADED_CHOICES, BELIEF_NULL_SOURCES};
use gainsay_ir::check::Check;
use gainsay_ir::passive::{CmdKind, Definition, Effect, Expr, ExprData, Var};
use gainsay_ir::types::Type;
use gainsay_report::finding::Finding;
use gainsay_term::Node;
use gainsay_term::{Term, TermPool};
use gainsay_vc::Statement;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut BeliefAsker) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut reported: BTreeSet<Statement> = BTreeSet::new();
    for used in 0..beliefs.uses.len() {
        // A NULL passed to a callee is often deliberate, and what the callee does with it is not modelled
        // well enough.
        let is_sure =
            matches!(beliefs.uses[used].kind, UseKind::Check(check) if check != Check::DivisionByZero);
        if !is_sure || beliefs.is_tested_above(used) {
            continue;
        }
        let ExprData::Var(var) = beliefs.judge.function.exprs[beliefs.uses[used].expr] else { continue };
        for source in sources(beliefs, var) {
            let loc = beliefs.judge.function.blocks[source.block].cmds[source.index as usize].loc;
            // A macro serves all its users, as a callee does (section 4, footnote 1).
            let in_macro = beliefs.judge.source.is_in_macro_definition(loc);
            if in_macro || reported.contains(&source) || !is_independent(beliefs, source.block, used) {
                continue;
            }
            let from = comes_from(beliefs, var, source, &mut BTreeMap::new());
            if asker.can_fail(beliefs, used, &[from]) {
                reported.insert(source);
                found.extend(report::source(beliefs, source, used));
            }
        }
    }
    found
}

/// The assignments of NULL that may give the variable its value.
fn sources(beliefs: &Beliefs, var: Var) -> Vec<Statement> {
    let function = beliefs.judge.function;
    let (mut found, mut seen, mut work) = (Vec::new(), BTreeSet::new(), vec![var]);
    while let Some(var) = work.pop() {
        if !seen.insert(var) {
            continue;
        }
        match function.vars[var].definition {
            Definition::Phi(block) => {
                let phi = function.blocks[block].phis.iter().find(|phi| phi.var == var);
                work.extend(phi.into_iter().flat_map(|phi| &phi.sources).map(|&(_, source)| source));
            }
            Definition::Command(block, index) => {
                if let CmdKind::Define(_, value) = function.blocks[block].cmds[index as usize].kind {
                    match function.exprs[value] {
                        ExprData::Const(Type::Ptr, 0) => found.push(Statement { block, index }),
                        ExprData::Var(other) => work.push(other),
                        ExprData::Load(_, _, addr) => {
                            found.extend(stores_of_null(beliefs, addr, Statement { block, index }));
                        }
                        _ => {}
                    }
                }
            }
            Definition::Entry | Definition::Fresh(..) => {}
        }
    }
    found.sort();
    found.truncate(BELIEF_NULL_SOURCES);
    found
}

/// The stores of NULL to the address that can precede the load.
fn stores_of_null(beliefs: &Beliefs, addr: Expr, read: Statement) -> Vec<Statement> {
    let function = beliefs.judge.function;
    let Some(place) = beliefs.vc.term(addr) else { return Vec::new() };
    let before = blocks_of_runs_through(function, read.block);
    let mut stores = Vec::new();
    for (block, data) in function.blocks.iter().filter(|(block, _)| before.contains(*block)) {
        for (index, cmd) in data.cmds.iter().enumerate() {
            let at = Statement { block, index: index as u32 };
            if let CmdKind::Update { effect: Effect::Store { addr, value, .. }, .. } = cmd.kind
                && at < read
                && matches!(function.exprs[value], ExprData::Const(Type::Ptr, 0))
                && beliefs.vc.term(addr) == Some(place)
            {
                stores.push(at);
            }
        }
    }
    stores
}

/// The condition under which a loaded value is a NULL that the function stored. A loaded value is a choice
/// between stored values and the initial one.
fn is_stored_null(pool: &mut TermPool, value: Term, known: &mut BTreeMap<Term, Term>) -> Term {
    if let Some(&term) = known.get(&value) {
        return term;
    }
    let term = match pool.node(value) {
        Node::Ite(condition, yes, no) if known.len() < BELIEF_LOADED_CHOICES => {
            let (yes, no) = (is_stored_null(pool, yes, known), is_stored_null(pool, no, known));
            pool.ite(condition, yes, no)
        }
        _ => {
            let is_null = pool.as_bits(value) == Some(0);
            pool.bool(is_null)
        }
    };
    known.insert(value, term);
    term
}

/// The condition under which the variable has the value assigned at `source`: the constructor guard with its
/// source (Figure 1, rules 1, 2 and 6).
fn comes_from(beliefs: &mut Beliefs, var: Var, source: Statement, known: &mut BTreeMap<Var, Term>) -> Term {
    if let Some(&term) = known.get(&var) {
        return term;
    }
    let function = beliefs.judge.function;
    let never = beliefs.vc.pool.bool(false);
    let term = match function.vars[var].definition {
        Definition::Command(block, index) if (Statement { block, index }) == source => {
            beliefs.vc.entered[block].unwrap_or(never)
        }
        Definition::Command(block, index) => match function.blocks[block].cmds[index as usize].kind {
            CmdKind::Define(_, value) => match function.exprs[value] {
                ExprData::Var(other) => comes_from(beliefs, other, source, known),
                ExprData::Load(..) => match (beliefs.vc.term(value), beliefs.vc.entered[source.block]) {
                    (Some(value), Some(passed)) => {
                        let null = is_stored_null(&mut beliefs.vc.pool, value, &mut BTreeMap::new());
                        beliefs.vc.pool.and(passed, null)
                    }
                    _ => never,
                },
                _ => never,
            },
            _ => never,
        },
        Definition::Phi(block) => {
            let phi = function.blocks[block].phis.iter().find(|phi| phi.var == var);
            let mut any = never;
            for &(pred, other) in phi.into_iter().flat_map(|phi| &phi.sources) {
                let from = comes_from(beliefs, other, source, known);
                let edge = beliefs.vc.edge(pred, block).unwrap_or(never);
                let both = beliefs.vc.pool.and(from, edge);
                any = beliefs.vc.pool.or(any, both);
            }
            any
        }
        Definition::Entry | Definition::Fresh(..) => never,
    };
    known.insert(var, term);
    term
}
