//! Whether a condition may be related to a value being zero in a way that the function does not show
//! (docs/decisions/024-related-conditions.md).
//!
//! `if (n > 0) p[0]` with two parameters, `if (s->count) s->list->x`, a flag that a loop sets together with
//! the pointer, the result of a call that was passed the pointer: programs rely on such invariants, so a use
//! under such a condition contradicts nothing. Only unrelated conditions count.
//!
//! Calls are related through their arguments: `p = make(db); if (db->failed) return;` and `if (prepare(db))
//! p->x` test whether `make` succeeded, and `n = count(list)` tells whether `last(list)` will succeed.

use crate::edges::above;
use crate::limits::BELIEF_ROOT_EXPRESSIONS;
use cranelift_entity::SecondaryMap;
use gainsay_ir::gc::{Object, Symbol};
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Function, Var};
use gainsay_vc::Statement;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueRoot {
    Param(Var),
    Global(Symbol),
    Local(Object),
    /// The result of a call.
    Call(Statement),
    /// A value made by an allocation or a model.
    Other(Var),
}

/// The sources that a value is computed from.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueRoots {
    /// Sources used as values.
    direct: BTreeSet<ValueRoot>,
    /// Sources used as addresses of memory that is read.
    through: BTreeSet<ValueRoot>,
    /// The value depends on a variable that a loop changes.
    in_loop: bool,
}

pub(super) fn roots(
    function: &Function,
    dominators: &SecondaryMap<Block, Option<Block>>,
    expr: Expr,
) -> ValueRoots {
    let mut found = ValueRoots::default();
    let mut seen: BTreeSet<(Expr, bool)> = BTreeSet::new();
    let mut seen_vars: BTreeSet<(Var, bool)> = BTreeSet::new();
    let mut exprs = vec![(expr, true)];
    let mut vars: Vec<(Var, bool)> = Vec::new();
    while seen.len() + seen_vars.len() < BELIEF_ROOT_EXPRESSIONS {
        if let Some((var, direct)) = vars.pop() {
            if !seen_vars.insert((var, direct)) {
                continue;
            }
            let mut add =
                |root: ValueRoot| if direct { found.direct.insert(root) } else { found.through.insert(root) };
            match function.vars[var].definition {
                Definition::Entry if function.params.contains(&var) => {
                    add(ValueRoot::Param(var));
                }
                Definition::Entry => {}
                Definition::Fresh(block, index) => match fresh(function, var, block, index) {
                    Fresh::Call(call) => {
                        add(ValueRoot::Call(call));
                    }
                    Fresh::Other => {
                        add(ValueRoot::Other(var));
                    }
                    Fresh::Loop => {
                        found.in_loop = true;
                        add(ValueRoot::Other(var));
                    }
                },
                Definition::Command(block, index) => {
                    if let CmdKind::Define(_, value) = function.blocks[block].cmds[index as usize].kind {
                        exprs.push((value, direct));
                    }
                }
                Definition::Phi(block) => {
                    let phi = function.blocks[block].phis.iter().find(|phi| phi.var == var);
                    for &(pred, source) in phi.into_iter().flat_map(|phi| &phi.sources) {
                        vars.push((source, direct));
                        exprs.extend(choices(function, dominators, block, pred).map(|choice| (choice, true)));
                    }
                }
            }
            continue;
        }
        let Some((expr, direct)) = exprs.pop() else { break };
        if !seen.insert((expr, direct)) {
            continue;
        }
        match function.exprs[expr] {
            ExprData::Var(var) => vars.push((var, direct)),
            ExprData::SymbolAddr(symbol) => {
                let set = if direct { &mut found.direct } else { &mut found.through };
                set.insert(ValueRoot::Global(symbol));
            }
            ExprData::ObjectAddr(object) => {
                let set = if direct { &mut found.direct } else { &mut found.through };
                set.insert(ValueRoot::Local(object));
            }
            ExprData::Load(_, _, addr) => exprs.push((addr, false)),
            data => exprs.extend(data.operands().into_iter().map(|operand| (operand, direct))),
        }
    }
    found
}

enum Fresh {
    Call(Statement),
    /// A variable of the source that a cut loop havocs: nothing else makes these fresh.
    Loop,
    Other,
}

fn fresh(function: &Function, var: Var, block: Block, index: u32) -> Fresh {
    let cmd = function.blocks[block].cmds.get(index as usize);
    match cmd.map(|cmd| &cmd.kind) {
        Some(CmdKind::Update { effect: Effect::Call(call), .. }) if call.result == Some(var) => {
            Fresh::Call(Statement { block, index })
        }
        Some(CmdKind::Update {
            effect: Effect::Allocate { pointer, .. } | Effect::Alloca { pointer, .. },
            ..
        }) if *pointer == var => Fresh::Other,
        _ if crate::explain::is_written_by_user(function, var) => Fresh::Loop,
        _ => Fresh::Other,
    }
}

/// The conditions between a join and its immediate dominator, on the paths through this predecessor.
fn choices<'a>(
    function: &'a Function,
    dominators: &'a SecondaryMap<Block, Option<Block>>,
    join: Block,
    pred: Block,
) -> impl Iterator<Item = Expr> + 'a {
    let upper = dominators[join];
    let way = std::iter::once(pred).chain(above(dominators, pred));
    way.take_while(move |&block| Some(block) != upper).filter_map(move |block| condition(function, block))
}

/// The condition of a branch edge.
pub(super) fn condition(function: &Function, edge: Block) -> Option<Expr> {
    let data = &function.blocks[edge];
    match data.cmds.first()?.kind {
        CmdKind::Assume(condition) if data.branch.is_some() => Some(condition),
        _ => None,
    }
}

impl ValueRoots {
    /// Whether the other value may carry information about this one.
    pub(super) fn may_be_related(
        &self,
        other: &ValueRoots,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let has = |set: &BTreeSet<ValueRoot>, kind: fn(&ValueRoot) -> bool| set.iter().any(kind);
        let is_param = |root: &ValueRoot| matches!(root, ValueRoot::Param(_));
        let is_global = |root: &ValueRoot| matches!(root, ValueRoot::Global(_));
        other.in_loop
            || self.in_loop
            // Correlated arguments.
            || has(&self.direct, is_param) && has(&other.direct, is_param)
            // Members of one object.
            || self.through.intersection(&other.through).next().is_some()
            // One value.
            || self.direct.intersection(&other.direct).next().is_some()
            // The state of the program.
            || has(&self.through, is_global) && has(&other.through, is_global)
            || other.calls().any(|call| self.may_be_known_to(call, function, dominators))
            || self.calls().any(|call| other.may_tell_outcome_of(call, function, dominators))
    }

    /// Whether this value may tell how the call ended: it is read through an argument of the call or a
    /// global, or it is the result of another call that shares an argument with the call or is passed its
    /// result.
    pub(super) fn may_tell_outcome_of(
        &self,
        call: Statement,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let given = argument_roots(call, function, dominators);
        self.through.iter().any(|root| matches!(root, ValueRoot::Global(_)))
            || self.all().intersection(&given).next().is_some()
            || self.calls().filter(|&other| other != call).any(|other| {
                let to_other = argument_roots(other, function, dominators);
                to_other.contains(&ValueRoot::Call(call)) || to_other.intersection(&given).next().is_some()
            })
    }

    /// Whether this value is read through an argument of the call, or is the result of another call that
    /// shares an argument.
    pub(super) fn inspects_arguments_of(
        &self,
        call: Statement,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let given = argument_roots(call, function, dominators);
        let asked = self.calls().filter(|&other| other != call);
        let mut asked = asked.flat_map(|other| argument_roots(other, function, dominators));
        self.through.intersection(&given).next().is_some() || asked.any(|root| given.contains(&root))
    }

    /// A parameter itself: callers may pass one of two (`data` or `file`).
    pub(super) fn is_param(&self) -> bool {
        self.through.is_empty() && self.direct.iter().all(|root| matches!(root, ValueRoot::Param(_)))
    }

    fn all(&self) -> BTreeSet<ValueRoot> {
        self.direct.union(&self.through).copied().collect()
    }

    fn calls(&self) -> impl Iterator<Item = Statement> + '_ {
        self.direct.iter().chain(&self.through).filter_map(|root| match root {
            ValueRoot::Call(call) => Some(*call),
            _ => None,
        })
    }

    /// Whether the call was passed the value, or something it is read through.
    fn may_be_known_to(
        &self,
        call: Statement,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let cmd = &function.blocks[call.block].cmds[call.index as usize];
        let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { return true };
        if self.through.iter().any(|root| matches!(root, ValueRoot::Global(_))) {
            return true;
        }
        let own = self.all();
        call.args
            .iter()
            .any(|&arg| roots(function, dominators, arg).all().intersection(&own).next().is_some())
    }
}

/// Whether both calls are passed something that a loop advances over the same object.
pub(super) fn iterate_over_same(
    a: Statement,
    b: Statement,
    function: &Function,
    dominators: &SecondaryMap<Block, Option<Block>>,
) -> bool {
    let asked_about = |call: Statement| -> Option<BTreeSet<ValueRoot>> {
        let (mut found, mut work, mut in_loop) = (BTreeSet::new(), vec![call], false);
        while let Some(call) = work.pop() {
            let CmdKind::Update { effect: Effect::Call(call), .. } =
                &function.blocks[call.block].cmds[call.index as usize].kind
            else {
                continue;
            };
            for roots in call.args.iter().map(|&arg| roots(function, dominators, arg)) {
                in_loop |= roots.in_loop;
                work.extend(roots.calls().filter(|call| found.insert(ValueRoot::Call(*call))));
                found.extend(roots.all());
            }
        }
        in_loop.then_some(found)
    };
    let is_thing =
        |root: &ValueRoot| matches!(root, ValueRoot::Param(_) | ValueRoot::Global(_) | ValueRoot::Local(_));
    asked_about(a).zip(asked_about(b)).is_some_and(|(a, b)| a.intersection(&b).any(is_thing))
}

/// The sources of all arguments of a call.
fn argument_roots(
    call: Statement,
    function: &Function,
    dominators: &SecondaryMap<Block, Option<Block>>,
) -> BTreeSet<ValueRoot> {
    match &function.blocks[call.block].cmds[call.index as usize].kind {
        CmdKind::Update { effect: Effect::Call(call), .. } => {
            call.args.iter().flat_map(|&arg| roots(function, dominators, arg).all()).collect()
        }
        _ => BTreeSet::new(),
    }
}
