//! The kind of an edge under the rules of evidence (evidence-based-analysis, sections 4.1 to 4.6), as far as
//! the graph decides it. The evidence also depends on the path.

use super::settings::{Evidence, EvidenceSettings};
use crate::limits::EVIDENCE_MANY_ITERATIONS;
use crate::source::Source;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    Block, Branch, CallBase, Class, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Next, Origin, Outcome,
    Unit, Var,
};
use gainsay_ir::passes::segments::Cut;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeKind {
    /// All continuations end in an abort or a failed assertion.
    ToError,
    /// The other outcome of such a condition: passing an assertion is no more evidence than passing a check.
    PastError,
    Then,
    Else,
    LastElse,
    /// No case matches, although the `switch` lists all values of its enum.
    Exhausted,
    /// Enters or repeats the loop with that index.
    LoopOn(usize),
    /// Leaves the loop with that index.
    LoopEnd(usize),
    /// A test inside the loop with that index of something that it, or a loop around it, changes.
    Changing(usize),
    /// In a callee or in a macro definition.
    Callee,
}

impl EdgeKind {
    /// `rounds`: how often the run has reached the head of the loop since it entered the loop.
    pub(super) fn evidence(self, settings: &EvidenceSettings, rounds: u32) -> Evidence {
        match self {
            EdgeKind::ToError => settings.error,
            EdgeKind::PastError => Evidence::Inadmissible,
            EdgeKind::Then => settings.then,
            EdgeKind::Else => settings.other,
            EdgeKind::LastElse => settings.last_else,
            EdgeKind::Exhausted => settings.exhausted,
            EdgeKind::LoopOn(_) | EdgeKind::Changing(_) if rounds >= EVIDENCE_MANY_ITERATIONS => {
                settings.many_iterations
            }
            EdgeKind::LoopOn(_) => settings.iteration,
            EdgeKind::LoopEnd(_) if rounds <= 1 => settings.no_iteration,
            EdgeKind::LoopEnd(_) => settings.iteration,
            EdgeKind::Changing(_) => settings.changing,
            EdgeKind::Callee => settings.callee,
        }
    }

    /// The loop that the kind refers to.
    pub(super) fn loop_of(self) -> Option<usize> {
        match self {
            EdgeKind::LoopOn(cut) | EdgeKind::LoopEnd(cut) | EdgeKind::Changing(cut) => Some(cut),
            _ => None,
        }
    }

    /// Only conditions of `if` have three outcomes (section 4.4): every counting loop ends with `i == n`.
    pub(super) fn splits(self) -> bool {
        matches!(self, EdgeKind::Then | EdgeKind::Else | EdgeKind::LastElse)
    }
}

/// The kinds of all blocks that are branch edges.
pub(super) fn kinds(
    unit: &Unit,
    f: &Function,
    cuts: &[Cut],
    source: &dyn Source,
) -> BTreeMap<Block, EdgeKind> {
    let aborting = aborting(f);
    let conditions = asserting(f, &aborting);
    let loops: Vec<Changes> = cuts.iter().map(|cut| Changes::of(unit, f, cut)).collect();
    let mut leading: BTreeMap<Block, Vec<Block>> = BTreeMap::new();
    for (block, data) in &f.blocks {
        for &target in data.next.targets() {
            leading.entry(target).or_default().push(block);
        }
    }
    let mut kinds = BTreeMap::new();
    for (block, data) in &f.blocks {
        let (Some(branch), Some(first)) = (data.branch, data.cmds.first()) else { continue };
        let before = leading.get(&block).and_then(|before| before.first()).copied();
        let inside = |cut: &Cut| before.is_some_and(|before| cut.members.contains(&before));
        let innermost = (0..cuts.len()).filter(|&i| inside(&cuts[i])).min_by_key(|&i| cuts[i].members.len());
        let leaves = innermost.filter(|&i| !cuts[i].members.contains(&block));
        let tests_changing = |cmd: &Cmd| {
            let CmdKind::Assume(condition) = cmd.kind else { return false };
            (0..cuts.len()).any(|i| inside(&cuts[i]) && loops[i].involve(f, condition))
        };
        let kind = match (branch.origin, branch.outcome) {
            _ if aborting.contains(&block) => EdgeKind::ToError,
            _ if conditions.contains(&branch.condition) => EdgeKind::PastError,
            (Origin::Model, _) => EdgeKind::Callee,
            _ if source.is_in_macro_definition(first.loc) => EdgeKind::Callee,
            (Origin::LoopEntry | Origin::LoopAgain, Outcome::True) => {
                EdgeKind::LoopOn(innermost.unwrap_or(usize::MAX))
            }
            (Origin::LoopEntry | Origin::LoopAgain, _) => EdgeKind::LoopEnd(innermost.unwrap_or(usize::MAX)),
            // An operand of a loop condition ends the loop as the whole condition does.
            (Origin::And | Origin::Or, _) if leaves.is_some() => {
                EdgeKind::LoopEnd(leaves.unwrap_or(usize::MAX))
            }
            _ if tests_changing(first) => EdgeKind::Changing(innermost.unwrap_or(usize::MAX)),
            (_, Outcome::True | Outcome::Case) => EdgeKind::Then,
            (_, Outcome::MissingDefault) => EdgeKind::LastElse,
            (_, Outcome::Exhausted) => EdgeKind::Exhausted,
            (Origin::ElseIf, Outcome::False) if is_unwritten_else(f, block, branch) => EdgeKind::LastElse,
            (_, Outcome::False | Outcome::Default) => EdgeKind::Else,
        };
        kinds.insert(block, kind);
    }
    kinds
}

/// Whether the edge leads, without further commands, to a block that other edges lead to as well. (If all
/// other branches return, the following code belongs to this edge alone, as a written `else` would.)
fn is_unwritten_else(f: &Function, edge: Block, branch: Branch) -> bool {
    let [target] = f.blocks[edge].next.targets() else { return false };
    let is_other = |data: &gainsay_ir::gc::BlockData| {
        data.next.targets().contains(target) && data.branch.is_none_or(|b| b.condition != branch.condition)
    };
    let mut others = f.blocks.values().filter(|data| is_other(data));
    f.blocks[edge].cmds.len() == 1
        && others
            .any(|data| data.branch.is_none_or(|branch| !matches!(branch.origin, Origin::And | Origin::Or)))
}

/// The blocks from which every path ends in a deliberate error.
fn aborting(f: &Function) -> BTreeSet<Block> {
    let mut aborting: BTreeSet<Block> = BTreeSet::new();
    // A least fixed point: a run that stays in a loop has not aborted.
    loop {
        let before = aborting.len();
        for (block, data) in f.blocks.iter().rev() {
            let is_deliberate = |cmd: &Cmd| match cmd.kind {
                CmdKind::Assert(Check::Assertion | Check::Unreachable, holds) => {
                    matches!(f.exprs[holds], ExprData::Const(_, 0))
                }
                _ => false,
            };
            let aborts = match &data.next {
                Next::Error => true,
                Next::Goto(targets) => targets.iter().all(|target| aborting.contains(target)),
                Next::Return(_) | Next::Raise => false,
            };
            if data.cmds.iter().any(is_deliberate) || aborts {
                aborting.insert(block);
            }
        }
        if aborting.len() == before {
            return aborting;
        }
    }
}

/// The conditions that decide about such an end, each with all operands of its `&&` and `||`.
fn asserting(f: &Function, aborting: &BTreeSet<Block>) -> BTreeSet<u32> {
    let mut conditions: BTreeSet<u32> =
        aborting.iter().filter_map(|&block| Some(f.blocks[block].branch?.condition)).collect();
    loop {
        let leads = |edge: Block| {
            let mut block = edge;
            for _ in 0..f.blocks.len() {
                match f.blocks[block].next.targets() {
                    [target] => block = *target,
                    targets => {
                        let asserts = |branch: Branch| conditions.contains(&branch.condition);
                        return targets.iter().any(|&target| f.blocks[target].branch.is_some_and(asserts));
                    }
                }
            }
            false
        };
        let operands: Vec<u32> = f
            .blocks
            .iter()
            .filter_map(|(block, data)| Some((block, data.branch?)))
            .filter(|(_, branch)| matches!(branch.origin, Origin::And | Origin::Or))
            .filter(|(block, branch)| !conditions.contains(&branch.condition) && leads(*block))
            .map(|(_, branch)| branch.condition)
            .collect();
        if operands.is_empty() {
            return conditions;
        }
        conditions.extend(operands);
    }
}

/// Variables and memory that a loop may change.
struct Changes<'a> {
    unit: &'a Unit,
    /// The commands of the loop that assign each variable.
    given: BTreeMap<Var, Vec<&'a CmdKind>>,
    /// Alias classes that the loop writes; `None`: any memory.
    writes: Option<BTreeSet<Class>>,
}

impl<'a> Changes<'a> {
    fn of(unit: &'a Unit, f: &'a Function, cut: &'a Cut) -> Changes<'a> {
        let mut given: BTreeMap<Var, Vec<&CmdKind>> = BTreeMap::new();
        let mut writes = Some(BTreeSet::new());
        let cmds = cut.members.iter().flat_map(|&block| &f.blocks[block].cmds);
        for cmd in cmds {
            if let Some(var) = cmd.assigned() {
                given.entry(var).or_default().push(&cmd.kind);
            }
            match &cmd.kind {
                CmdKind::Store { access, .. } => {
                    writes.iter_mut().for_each(|writes| {
                        writes.insert(access.class);
                    });
                }
                CmdKind::Call(call) => match &call.writes {
                    Some(calls) => writes.iter_mut().for_each(|writes| {
                        let seen = calls.iter().filter(|write| write.base != CallBase::Errno);
                        writes.extend(seen.map(|write| write.class));
                    }),
                    None => writes = None,
                },
                CmdKind::Clobber(Clobber::Classes(classes)) => {
                    writes.iter_mut().for_each(|writes| writes.extend(classes));
                }
                CmdKind::Clobber(Clobber::Escaped | Clobber::Range { .. })
                | CmdKind::Copy { .. }
                | CmdKind::Fill { .. } => writes = None,
                _ => {}
            }
        }
        Changes { unit, given, writes }
    }

    /// Whether the expression depends on anything that the loop changes. Temporaries are replaced by the
    /// expressions that they were computed from.
    fn involve(&self, f: &Function, root: Expr) -> bool {
        let mut stack = vec![root];
        let mut seen: BTreeSet<Var> = BTreeSet::new();
        while let Some(expr) = stack.pop() {
            stack.extend(f.exprs[expr].operands());
            let ExprData::Var(var) = f.exprs[expr] else { continue };
            if !seen.insert(var) {
                continue;
            }
            let given = self.given.get(&var).map(Vec::as_slice).unwrap_or_default();
            match given {
                [] => {}
                [CmdKind::Assign(_, value)] if !f.vars[var].is_written_by_user() => stack.push(*value),
                [CmdKind::Load { addr, access, .. }]
                    if !f.vars[var].is_written_by_user()
                        && !access.volatile
                        && !self.is_written(access.class) =>
                {
                    stack.push(*addr);
                }
                _ => return true,
            }
        }
        false
    }

    fn is_written(&self, class: Class) -> bool {
        let classes = &self.unit.classes;
        self.writes
            .as_ref()
            .is_none_or(|writes| writes.iter().any(|&written| !classes[written].is_apart(&classes[class])))
    }
}
