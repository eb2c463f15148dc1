//! What an edge is to the rules of evidence, as far as the graph tells; the rest depends on the path.

use super::settings::{Evidence, Settings};
use crate::source::Source;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    Block, Branch, CallBase, Class, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Next, Origin, Outcome,
    Unit, Var,
};
use gainsay_ir::passes::segments::Cut;
use std::collections::{BTreeMap, BTreeSet};

/// So many rounds of a loop are many.
const MANY: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All that follows ends in an abort or failed assertion.
    ToError,
    /// The other side of such an edge: what an assertion lets pass testifies no more than a check that holds.
    PastError,
    Then,
    Else,
    LastElse,
    /// No value of an enum is met, all of which a `switch` lists.
    Exhausted,
    /// The loop of that number goes on.
    LoopOn(usize),
    /// Leaves the loop of that number.
    LoopEnd(usize),
    /// A test inside the loop of that number of what it, or one around it, changes.
    Changing(usize),
    /// Of a callee, or of the definition of a macro.
    Callee,
}

impl Kind {
    /// `rounds`: how often the run has come to the head of the loop since it entered it.
    pub(super) fn evidence(self, settings: &Settings, rounds: u32) -> Evidence {
        match self {
            Kind::ToError => settings.error,
            Kind::PastError => Evidence::Inadmissible,
            Kind::Then => settings.then,
            Kind::Else => settings.other,
            Kind::LastElse => settings.last_else,
            Kind::Exhausted => settings.exhausted,
            Kind::LoopOn(_) | Kind::Changing(_) if rounds >= MANY => settings.many_iterations,
            Kind::LoopOn(_) => settings.iteration,
            Kind::LoopEnd(_) if rounds <= 1 => settings.no_iteration,
            Kind::LoopEnd(_) => settings.iteration,
            Kind::Changing(_) => settings.changing,
            Kind::Callee => settings.callee,
        }
    }

    /// The loop that the edge has to do with.
    pub(super) fn loop_of(self) -> Option<usize> {
        match self {
            Kind::LoopOn(cut) | Kind::LoopEnd(cut) | Kind::Changing(cut) => Some(cut),
            _ => None,
        }
    }

    /// Only tests of `if` have three outcomes (section 4.4): every counting loop ends with `i == n`.
    pub(super) fn splits(self) -> bool {
        matches!(self, Kind::Then | Kind::Else | Kind::LastElse)
    }
}

/// The kinds of all blocks that are edges.
pub(super) fn kinds(unit: &Unit, f: &Function, cuts: &[Cut], source: &dyn Source) -> BTreeMap<Block, Kind> {
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
            _ if aborting.contains(&block) => Kind::ToError,
            _ if conditions.contains(&branch.condition) => Kind::PastError,
            (Origin::Model, _) => Kind::Callee,
            _ if source.is_in_macro_definition(first.loc) => Kind::Callee,
            (Origin::LoopEntry | Origin::LoopAgain, Outcome::True) => {
                Kind::LoopOn(innermost.unwrap_or(usize::MAX))
            }
            (Origin::LoopEntry | Origin::LoopAgain, _) => Kind::LoopEnd(innermost.unwrap_or(usize::MAX)),
            // An operand of a loop's condition ends the loop as the whole condition does.
            (Origin::And | Origin::Or, _) if leaves.is_some() => Kind::LoopEnd(leaves.unwrap_or(usize::MAX)),
            _ if tests_changing(first) => Kind::Changing(innermost.unwrap_or(usize::MAX)),
            (_, Outcome::True | Outcome::Case) => Kind::Then,
            (_, Outcome::MissingDefault) => Kind::LastElse,
            (_, Outcome::Exhausted) => Kind::Exhausted,
            (Origin::ElseIf, Outcome::False) if is_unwritten_else(f, block, branch) => Kind::LastElse,
            (_, Outcome::False | Outcome::Default) => Kind::Else,
        };
        kinds.insert(block, kind);
    }
    kinds
}

/// The edge leads, with nothing done on the way, to where others lead as well. (If all other branches return, what follows
/// belongs to this one alone, as a written `else` would.)
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

/// The blocks from which every way ends in a deliberate error.
fn aborting(f: &Function) -> BTreeSet<Block> {
    let mut aborting: BTreeSet<Block> = BTreeSet::new();
    // Loops are not waited for: who goes round in one has not aborted.
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

/// What a loop may change.
struct Changes<'a> {
    unit: &'a Unit,
    /// How the loop gives variables their values.
    given: BTreeMap<Var, Vec<&'a CmdKind>>,
    /// Classes of memory that it writes; `None`: any.
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

    /// Does the expression involve anything that the loop changes? Temporaries stand for what they were computed from.
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
