//! Does the boundary value of a comparison occur, and is it a boundary of the failing check?
//!
//! That a run which passes a comparison at its boundary cannot end well is shown in an over-approximation
//! (papers/universal-reachability, section 4). Whether any run passes it so is the opposite kind of question: there, whatever loops and
//! calls are replaced by invents values (`size <<= 1` never is 1023). So a boundary is reported only if an
//! exact run is found that passes the edge with the boundary value; see [`machine`].
//!
//! Nor is it a boundary if the value next to it, among those that occur, fails as well. That this one may end well is
//! asked in the over-approximation: where even that allows no such run, there is none.

mod access;
mod calls;
mod inputs;
mod machine;
mod memory;
mod search;
mod value;

use crate::context::Cx;
use crate::edges::Boundary;
use crate::limits::QUESTION;
use crate::reach::{assert_run, scaled, taken};
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::gc::{self, CmdKind, ExprData};
use gainsay_ir::passive;
use gainsay_solver::{Answer, Session};
use gainsay_vc::{Options, encode_with};
use std::collections::{BTreeMap, BTreeSet};

/// The functions of the unit that a call by name surely means.
#[derive(Default)]
pub struct Bodies<'a> {
    functions: BTreeMap<gc::Symbol, &'a gc::Function>,
    /// Objects whose address a function or an initialiser uses for more than to read there.
    changed: BTreeSet<gc::Symbol>,
}

impl<'a> Bodies<'a> {
    pub fn of(unit: &gc::Unit, functions: &'a [gc::Function]) -> Bodies<'a> {
        let is_meant = |f: &&gc::Function| unit.symbols[f.symbol].linkage != gc::Linkage::Weak;
        let by_symbol = functions.iter().filter(is_meant).map(|f| (f.symbol, f)).collect();
        let mut bodies = Bodies { functions: by_symbol, changed: BTreeSet::new() };
        functions.iter().for_each(|f| add_changed(f, &mut bodies.changed));
        for data in unit.symbols.values() {
            let gc::SymbolKind::Object(gc::ObjectFacts { init: Some(init), .. }) = &data.kind else {
                continue;
            };
            bodies.changed.extend(init.parts.iter().filter_map(|(_, part)| match part {
                gc::InitPart::Address(symbol, _) => Some(*symbol),
                gc::InitPart::Bytes(_) => None,
            }));
        }
        bodies
    }

    fn get(&self, symbol: gc::Symbol) -> Option<&'a gc::Function> {
        self.functions.get(&symbol).copied()
    }

    /// Does nothing but its initialiser say what the object holds?
    fn is_unchanged(&self, unit: &gc::Unit, symbol: gc::Symbol) -> bool {
        unit.symbols[symbol].linkage == gc::Linkage::Internal && !self.changed.contains(&symbol)
    }
}

fn add_changed(f: &gc::Function, changed: &mut BTreeSet<gc::Symbol>) {
    let mut stack: Vec<gc::Expr> = Vec::new();
    for data in f.blocks.values() {
        let uses = |cmd: &&gc::Cmd| {
            !matches!(cmd.kind, CmdKind::Load { .. } | CmdKind::Assume(_) | CmdKind::Assert(..))
        };
        stack.extend(data.cmds.iter().filter(uses).flat_map(gc::Cmd::exprs));
        if let gc::Next::Return(Some(value)) = data.next {
            stack.push(value);
        }
    }
    let mut seen: EntitySet<gc::Expr> = EntitySet::new();
    while let Some(expr) = stack.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let ExprData::SymbolAddr(symbol) = f.exprs[expr] {
            changed.insert(symbol);
        }
        stack.extend(f.exprs[expr].operands());
    }
}

/// A run is wanted that passes the edge with `larger - smaller == distance`.
struct Goal<'a> {
    f: &'a gc::Function,
    edge: gc::Block,
    smaller: gc::Expr,
    larger: gc::Expr,
    distance: u128,
    /// How many blocks lie between a block and the edge.
    distances: SecondaryMap<gc::Block, Option<u32>>,
}

/// What became of a boundary value that is on no run that ends well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) fate: Fate,
    /// Other functions of the unit had a say.
    pub(crate) needs_unit: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A run passes the comparison with it, and the value next to it may end well.
    Confirmed,
    /// The value next to it fails as well.
    NoBoundary,
    /// No run was found that passes the comparison with it.
    Unconfirmed,
}

pub(crate) fn confirm(cx: &mut Cx, (edge, boundary): (passive::Block, Boundary)) -> Verdict {
    let (unit, f, function) = (cx.judge.unit, cx.f, cx.judge.function);
    let (session, bodies) = (&mut *cx.tools.first, cx.tools.bodies);
    let last = u128::from(boundary.is_strict);
    let unconfirmed = Verdict { fate: Fate::Unconfirmed, needs_unit: false };
    let Some(mut goal) = goal(f, function.blocks[edge].source, last) else { return unconfirmed };
    let met = search::search(session, unit, bodies, &goal);
    if !met.is_met {
        return Verdict { needs_unit: met.needs_unit, ..unconfirmed };
    }
    goal.distance = last + 1;
    let next = search::search(session, unit, bodies, &goal);
    let seen = met.distances.iter().chain(&next.distances).filter(|&&distance| distance > last).min();
    let distance = if next.is_met { last + 1 } else { seen.copied().unwrap_or(last + 1) };
    let fate = match may_end_well(session, unit, function, (edge, boundary), distance) {
        Answer::Sat => Fate::Confirmed,
        Answer::Unsat => Fate::NoBoundary,
        Answer::Unknown(_) => Fate::Unconfirmed,
    };
    Verdict { fate, needs_unit: met.needs_unit || next.needs_unit }
}

fn goal(f: &gc::Function, edge: gc::Block, distance: u128) -> Option<Goal<'_>> {
    let CmdKind::Assume(condition) = f.blocks.get(edge)?.cmds.first()?.kind else { return None };
    let ExprData::Binary(_, smaller, larger) = f.exprs[condition] else { return None };
    Some(Goal { f, edge, smaller, larger, distance, distances: distances(f, edge) })
}

/// How many blocks lie between each block and this one.
fn distances(f: &gc::Function, to: gc::Block) -> SecondaryMap<gc::Block, Option<u32>> {
    let mut before: SecondaryMap<gc::Block, Vec<gc::Block>> = SecondaryMap::new();
    for (block, data) in &f.blocks {
        for &target in data.next.targets() {
            before[target].push(block);
        }
    }
    let mut distances = SecondaryMap::new();
    distances[to] = Some(0);
    let mut queue = std::collections::VecDeque::from([(to, 0)]);
    while let Some((block, distance)) = queue.pop_front() {
        for &pred in &before[block] {
            if distances[pred].is_none() {
                distances[pred] = Some(distance + 1);
                queue.push_back((pred, distance + 1));
            }
        }
    }
    distances
}

/// May a run end well that passes the edge at this distance from its boundary, as far as `reach` can tell?
fn may_end_well(
    session: &mut Session,
    unit: &gc::Unit,
    function: &passive::Function,
    (edge, boundary): (passive::Block, Boundary),
    distance: u128,
) -> Answer {
    let within = crate::edges::blocks_of_runs_through(function, edge);
    let mut vc = encode_with(unit, function, &Options { within: Some(within), ..Options::default() });
    let (Some(smaller), Some(larger)) = (vc.term(boundary.smaller), vc.term(boundary.larger)) else {
        return Answer::Sat;
    };
    let apart = vc.pool.bv_sub(larger, smaller);
    let distance = vc.pool.bits(vc.pool.width(larger), distance);
    let is_there = vc.pool.eq(apart, distance);
    let passes = vc.pool.and(taken(&vc, edge), is_there);
    let budget = scaled(QUESTION, &vc);
    assert_run(session, &vc);
    session.check(&vc.pool, &[passes], budget)
}
