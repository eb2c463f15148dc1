//! Could a condition have to do with a value being zero, in a way that the function does not show?
//!
//! `if (n > 0) p[0]` where both are parameters, `if (s->count) s->list->x`, a flag that a loop sets together
//! with the pointer, the result of a call that was given the pointer: programmers rely on such invariants all
//! the time, and a use under such a condition contradicts nothing. So only conditions about something else
//! count.
//!
//! Calls speak to each other through what they are given: `p = make(db); if (db->failed) return;` and
//! `if (prepare(db)) p->x` ask whether `make` succeeded, and `n = count(list)` says whether `last(list)` will.

use crate::edges::above;
use cranelift_entity::SecondaryMap;
use gainsay_ir::gc::{Object, Symbol};
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Function, Var};
use gainsay_vc::Statement;
use std::collections::BTreeSet;

/// How many expressions are followed.
const MANY: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Param(Var),
    Global(Symbol),
    Local(Object),
    /// What a call gave back.
    Call(Statement),
    /// What an allocation or a model gave.
    Other(Var),
}

/// What a value is computed from.
#[derive(Clone, Debug, Default)]
pub(super) struct Roots {
    /// Values as such.
    direct: BTreeSet<Root>,
    /// What memory is reached through.
    through: BTreeSet<Root>,
    /// A loop changes it.
    in_loop: bool,
}

pub(super) fn roots(
    function: &Function,
    dominators: &SecondaryMap<Block, Option<Block>>,
    expr: Expr,
) -> Roots {
    let mut found = Roots::default();
    let mut seen: BTreeSet<(Expr, bool)> = BTreeSet::new();
    let mut seen_vars: BTreeSet<(Var, bool)> = BTreeSet::new();
    let mut exprs = vec![(expr, true)];
    let mut vars: Vec<(Var, bool)> = Vec::new();
    while seen.len() + seen_vars.len() < MANY {
        if let Some((var, direct)) = vars.pop() {
            if !seen_vars.insert((var, direct)) {
                continue;
            }
            let mut add =
                |root: Root| if direct { found.direct.insert(root) } else { found.through.insert(root) };
            match function.vars[var].definition {
                Definition::Entry if function.params.contains(&var) => {
                    add(Root::Param(var));
                }
                Definition::Entry => {}
                Definition::Fresh(block, index) => match fresh(function, var, block, index) {
                    Fresh::Call(call) => {
                        add(Root::Call(call));
                    }
                    Fresh::Other => {
                        add(Root::Other(var));
                    }
                    Fresh::Loop => {
                        found.in_loop = true;
                        add(Root::Other(var));
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
                set.insert(Root::Global(symbol));
            }
            ExprData::ObjectAddr(object) => {
                let set = if direct { &mut found.direct } else { &mut found.through };
                set.insert(Root::Local(object));
            }
            ExprData::Load(_, _, addr) => exprs.push((addr, false)),
            data => exprs.extend(data.operands().into_iter().map(|operand| (operand, direct))),
        }
    }
    found
}

enum Fresh {
    Call(Statement),
    /// Only a cut loop forgets a variable of the user's.
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

/// The conditions between a join and the block above it, on the way through this predecessor.
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

/// The condition of an edge.
pub(super) fn condition(function: &Function, edge: Block) -> Option<Expr> {
    let data = &function.blocks[edge];
    match data.cmds.first()?.kind {
        CmdKind::Assume(condition) if data.branch.is_some() => Some(condition),
        _ => None,
    }
}

impl Roots {
    /// Could the other value say something of this one?
    pub(super) fn are_related(
        &self,
        other: &Roots,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let has = |set: &BTreeSet<Root>, kind: fn(&Root) -> bool| set.iter().any(kind);
        let is_param = |root: &Root| matches!(root, Root::Param(_));
        let is_global = |root: &Root| matches!(root, Root::Global(_));
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
            || other.calls().any(|call| self.is_known_to(call, function, dominators))
            || self.calls().any(|call| other.is_about(call, function, dominators))
    }

    /// Could this say how the call went? It is read from what the call was given, or from the state of the program; or
    /// another call that was given the same, or the result itself, answered it.
    pub(super) fn is_about(
        &self,
        call: Statement,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let given = roots_given(call, function, dominators);
        self.through.iter().any(|root| matches!(root, Root::Global(_)))
            || self.all().intersection(&given).next().is_some()
            || self.calls().filter(|&other| other != call).any(|other| {
                let to_other = roots_given(other, function, dominators);
                to_other.contains(&Root::Call(call)) || to_other.intersection(&given).next().is_some()
            })
    }

    /// Does this look into what the call will be given, or did it ask another call about it?
    pub(super) fn is_look_at_given(
        &self,
        call: Statement,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let given = roots_given(call, function, dominators);
        let asked = self.calls().filter(|&other| other != call);
        let mut asked = asked.flat_map(|other| roots_given(other, function, dominators));
        self.through.intersection(&given).next().is_some() || asked.any(|root| given.contains(&root))
    }

    /// An argument, as it was given: callers may give one of two (`data` or `file`).
    pub(super) fn is_param(&self) -> bool {
        self.through.is_empty() && self.direct.iter().all(|root| matches!(root, Root::Param(_)))
    }

    fn all(&self) -> BTreeSet<Root> {
        self.direct.union(&self.through).copied().collect()
    }

    fn calls(&self) -> impl Iterator<Item = Statement> + '_ {
        self.direct.iter().chain(&self.through).filter_map(|root| match root {
            Root::Call(call) => Some(*call),
            _ => None,
        })
    }

    /// Was the call given the value, or something it is reached through?
    fn is_known_to(
        &self,
        call: Statement,
        function: &Function,
        dominators: &SecondaryMap<Block, Option<Block>>,
    ) -> bool {
        let cmd = &function.blocks[call.block].cmds[call.index as usize];
        let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { return true };
        if self.through.iter().any(|root| matches!(root, Root::Global(_))) {
            return true;
        }
        let own = self.all();
        call.args
            .iter()
            .any(|&arg| roots(function, dominators, arg).all().intersection(&own).next().is_some())
    }
}

/// Are both calls given something that a loop moves on over one and the same thing?
pub(super) fn are_loops_over_one(
    a: Statement,
    b: Statement,
    function: &Function,
    dominators: &SecondaryMap<Block, Option<Block>>,
) -> bool {
    let asked_about = |call: Statement| -> Option<BTreeSet<Root>> {
        let (mut found, mut work, mut in_loop) = (BTreeSet::new(), vec![call], false);
        while let Some(call) = work.pop() {
            let CmdKind::Update { effect: Effect::Call(call), .. } =
                &function.blocks[call.block].cmds[call.index as usize].kind
            else {
                continue;
            };
            for roots in call.args.iter().map(|&arg| roots(function, dominators, arg)) {
                in_loop |= roots.in_loop;
                work.extend(roots.calls().filter(|call| found.insert(Root::Call(*call))));
                found.extend(roots.all());
            }
        }
        in_loop.then_some(found)
    };
    let is_thing = |root: &Root| matches!(root, Root::Param(_) | Root::Global(_) | Root::Local(_));
    asked_about(a).zip(asked_about(b)).is_some_and(|(a, b)| a.intersection(&b).any(is_thing))
}

/// What the arguments of a call are computed from and reached through.
fn roots_given(
    call: Statement,
    function: &Function,
    dominators: &SecondaryMap<Block, Option<Block>>,
) -> BTreeSet<Root> {
    match &function.blocks[call.block].cmds[call.index as usize].kind {
        CmdKind::Update { effect: Effect::Call(call), .. } => {
            call.args.iter().flat_map(|&arg| roots(function, dominators, arg).all()).collect()
        }
        _ => BTreeSet::new(),
    }
}
