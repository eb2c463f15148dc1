//! Plans: where to walk next if all paths to an edge were refused for the same reasons
//! (docs/decisions/010-planned-witnesses.md).
//!
//! If the condition of the edge depends on where a value came from (`if (found)` after the place that sets it), the next
//! path has to bring another value: it must pass the assignment, and enter the joins in between from the right side. If
//! it conflicts with the condition of a block on the path, the next path has to avoid that block. Reasons are kept, so no
//! plan is tried twice: conflict-driven learning, for one edge at a time.

use super::Search;
use super::walk::Path;
use crate::limits::{LOOKS_PER_ENTRY, PLAN_VARIABLES, PLANS_PER_EDGE};
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, Definition, Expr, ExprData, Var, VarOf};
use gainsay_term::Term;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Where a value comes from: the assigned expression, or a variable that nothing was assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ValueOrigin {
    Value(Expr),
    Unknown(Var),
}

/// What is known of the paths to one edge.
#[derive(Default)]
pub(super) struct Plan {
    /// The edge; `None` if there is no plan.
    pub(super) goal: Option<Block>,
    /// The paths to try; `None` if all of them.
    paths: Option<PathSet>,
    /// Origins of values with which the edge was refused.
    refused: BTreeSet<ValueOrigin>,
    avoided: EntitySet<Block>,
    /// The condition was false; these of its variables have a value that depends on the path.
    joined: Vec<Var>,
    /// The blocks whose conditions the edge conflicts with.
    conflicting: Vec<Block>,
    /// The edge was refused: another plan is needed.
    pub(super) is_refused: bool,
}

/// A set of paths to an edge.
#[derive(Clone, Default)]
struct PathSet {
    /// The blocks on them.
    blocks: EntitySet<Block>,
    /// Blocks that all of them must pass, by plan.
    required: Vec<Block>,
    /// The predecessors from which they may enter a join.
    joins: Vec<(Block, SmallVec<[Block; 4]>)>,
    /// Blocks that all of them pass, by plan or by the graph.
    must_pass: EntitySet<Block>,
}

impl PathSet {
    fn has_step(&self, from: Block, to: Block) -> bool {
        let skips = self.required.iter().any(|&block| from < block && block < to);
        let enters_right =
            |(join, preds): &(Block, SmallVec<[Block; 4]>)| *join != to || preds.contains(&from);
        self.blocks.contains(to) && !skips && self.joins.iter().all(enters_right)
    }
}

impl Plan {
    /// May a path go from the first block straight to the second?
    pub(super) fn allows(&self, from: Block, to: Block) -> bool {
        self.paths.as_ref().is_none_or(|paths| paths.has_step(from, to))
    }
}

impl Search<'_> {
    /// Tries to get through each of the edges by learning from what refuses it.
    pub(super) fn cover_by_plan(&mut self) {
        for goal in self.open().edges {
            if self.can_end.contains(goal) {
                self.pursue(goal);
            }
        }
        self.plan = Plan::default();
    }

    fn pursue(&mut self, goal: Block) {
        self.plan = Plan { goal: Some(goal), ..Plan::default() };
        self.plan.paths = self.complete(goal, PathSet::default());
        for _ in 0..PLANS_PER_EDGE {
            self.tries[goal] = 0;
            self.measure();
            self.count_blocks();
            if self.distance[Block::from_u32(0)].is_none() || self.entries == 0 {
                return;
            }
            self.plan.is_refused = false;
            self.attempt();
            if !self.is_open(goal) || !self.has_other_plan(goal) {
                return;
            }
        }
    }

    /// Charges for a look at all blocks.
    fn count_blocks(&mut self) {
        self.entries = self.entries.saturating_sub(self.function.blocks.len() / LOOKS_PER_ENTRY);
    }

    /// The last block of the path was refused: keeps the reasons, if it is the edge or all paths to the edge pass it.
    pub(super) fn note_refusal(&mut self, path: &Path, refused: Term, condition: Expr) {
        let last = path.blocks.last();
        let is_needed = |paths: &PathSet| last.is_some_and(|&block| paths.must_pass.contains(block));
        if !self.plan.paths.as_ref().is_some_and(is_needed) {
            return;
        }
        self.plan.is_refused = self.plan.goal == last.copied();
        self.plan.joined = self.joined_variables(condition);
        if self.walk.pool().as_bool(refused).is_some() {
            for var in self.plan.joined.clone() {
                let origin = self.origin_on(path, var);
                self.plan.refused.extend(origin);
            }
        } else {
            let block_of = |&number: &u32| {
                let after = path.n_conditions.partition_point(|&before| before <= number as usize);
                path.blocks[after - 1]
            };
            self.plan.conflicting = self.guess.in_the_way().iter().map(block_of).collect();
        }
    }

    /// Plans another set of paths to the edge, if the reasons leave one.
    fn has_other_plan(&mut self, goal: Block) -> bool {
        let mut conflicting = std::mem::take(&mut self.plan.conflicting);
        conflicting.sort_unstable();
        conflicting.dedup();
        conflicting.retain(|&block| block != goal);
        let joined = std::mem::take(&mut self.plan.joined);
        let before = self.plan.paths.take().unwrap_or_default();
        let none = PathSet::default();
        let another = |search: &mut Self| {
            let mut bring =
                |paths| joined.iter().find_map(|&var| search.paths_with_another_origin(goal, var, paths));
            bring(&before).or_else(|| bring(&none))
        };
        if conflicting.is_empty() {
            self.plan.paths = another(self);
        }
        // Blocks near the edge first.
        while let Some(block) = conflicting.pop()
            && self.plan.paths.is_none()
        {
            self.plan.avoided.insert(block);
            self.plan.paths = self.complete(goal, before.clone()).or_else(|| another(self));
            if self.plan.paths.is_none() {
                self.plan.avoided.remove(block);
            }
        }
        self.plan.paths.is_some()
    }

    /// The paths to the edge on which the variable comes from an origin that was not refused.
    fn paths_with_another_origin(&mut self, goal: Block, var: Var, before: &PathSet) -> Option<PathSet> {
        // A variable, and the join into which its value flows with the index of the variable there.
        let mut found: Vec<(Var, Option<(Block, usize)>)> = vec![(var, None)];
        let mut seen: BTreeSet<(Block, Var)> = BTreeSet::new();
        let mut next = 0;
        while next < found.len() && found.len() < PLAN_VARIABLES {
            let var = self.copied(found[next].0);
            if let Definition::Phi(block) = self.function.vars[var].definition {
                let sources = self.sources(block, var).iter().map(|&(_, source)| source);
                found.extend(
                    sources.filter(|&it| seen.insert((block, it))).map(|it| (it, Some((block, next)))),
                );
            } else if !self.plan.refused.contains(&self.origin(var)) {
                let paths = self.complete(goal, self.paths_from(before, var, &found, next));
                if paths.is_some() {
                    return paths;
                }
            }
            next += 1;
        }
        None
    }

    /// The paths on which the variable gets its value, through the joins.
    fn paths_from(
        &self,
        before: &PathSet,
        var: Var,
        found: &[(Var, Option<(Block, usize)>)],
        mut at: usize,
    ) -> PathSet {
        let mut paths = before.clone();
        if let Definition::Command(block, _) = self.function.vars[var].definition {
            paths.required.push(block);
        }
        while let (source, Some((join, to))) = found[at] {
            let is_from = |&&(_, other): &&(Block, Var)| other == source;
            let joined = self.copied(found[to].0);
            let preds = self.sources(join, joined).iter().filter(is_from).map(|&(pred, _)| pred).collect();
            paths.required.push(join);
            paths.joins.push((join, preds));
            at = to;
        }
        paths
    }

    fn sources(&self, join: Block, var: Var) -> &[(Block, Var)] {
        let phi = self.function.blocks[join].phis.iter().find(|phi| phi.var == var);
        phi.map_or(&[], |phi| &phi.sources)
    }

    /// The paths to the goal that pass all required blocks and no avoided one; `None` if there are none.
    fn complete(&mut self, goal: Block, mut paths: PathSet) -> Option<PathSet> {
        self.count_blocks();
        if self.entries == 0 {
            return None;
        }
        paths.blocks.clear();
        paths.blocks.insert(goal);
        // Blocks are in topological order.
        for block in (0..goal.as_u32()).rev().map(Block::from_u32) {
            let mut targets = self.function.blocks[block].next.targets().iter();
            if !self.plan.avoided.contains(block) && targets.any(|&target| paths.has_step(block, target)) {
                paths.blocks.insert(block);
            }
        }
        paths.must_pass.clear();
        let mut furthest = Block::from_u32(0);
        for block in (0..=goal.as_u32()).map(Block::from_u32).filter(|&block| paths.blocks.contains(block)) {
            if block == furthest {
                paths.must_pass.insert(block);
            }
            let targets = self.function.blocks[block].next.targets().iter().copied();
            furthest = targets.filter(|&target| paths.has_step(block, target)).fold(furthest, Block::max);
        }
        paths.blocks.contains(Block::from_u32(0)).then_some(paths)
    }

    /// The variables of the condition whose value depends on the path.
    fn joined_variables(&self, condition: Expr) -> Vec<Var> {
        let mut joined = Vec::new();
        let mut seen: EntitySet<Var> = EntitySet::new();
        let mut exprs = vec![condition];
        while let Some(expr) = exprs.pop() {
            let data = self.function.exprs[expr];
            exprs.extend(data.operands());
            let ExprData::Var(var) = data else { continue };
            if self.function.vars[var].of == VarOf::Memory
                || !seen.insert(var)
                || joined.len() >= PLAN_VARIABLES
            {
                continue;
            }
            match self.function.vars[var].definition {
                Definition::Phi(_) => joined.push(var),
                Definition::Command(..) => exprs.extend(self.function.value_of(var)),
                Definition::Entry | Definition::Fresh(..) => {}
            }
        }
        joined
    }

    /// Where the value of the variable came from on this path.
    fn origin_on(&self, path: &Path, var: Var) -> Option<ValueOrigin> {
        let mut var = self.copied(var);
        while let Definition::Phi(block) = self.function.vars[var].definition {
            let before = path.blocks[self.position(path, block)?.checked_sub(1)?];
            let &(_, source) = self.sources(block, var).iter().find(|(pred, _)| *pred == before)?;
            var = self.copied(source);
        }
        Some(self.origin(var))
    }

    fn origin(&self, var: Var) -> ValueOrigin {
        self.function.value_of(var).map_or(ValueOrigin::Unknown(var), ValueOrigin::Value)
    }

    /// The variable of which it is a copy, or itself.
    fn copied(&self, mut var: Var) -> Var {
        while let Some(value) = self.function.value_of(var)
            && let ExprData::Var(of) = self.function.exprs[value]
        {
            var = of;
        }
        var
    }
}
