//! Plans: what to do otherwise where all ways walked to an edge were refused for the same reasons.
//!
//! If the condition of the edge hangs on where a value came from (`if (found)` behind the place that sets it), the next
//! way has to bring another value: it must pass the assignment, and the joins in between from the right side. If it is at
//! odds with the condition of a block on the way, the next way has to avoid that block. Reasons are kept, so a plan is not
//! tried twice: conflict-driven learning, for one edge at a time.

use super::{Path, Search};
use crate::limits::{LOOKS_PER_ENTRY, PLAN_VARIABLES, PLANS_PER_EDGE};
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, Definition, Expr, ExprData, Var, VarOf};
use gainsay_term::Term;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Where a value comes from: what was assigned, or a variable that nothing was assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Value(Expr),
    Unknown(Var),
}

/// What is known of the ways to one edge.
#[derive(Default)]
pub(super) struct Plan {
    /// The edge; `None` if there is no plan.
    pub(super) goal: Option<Block>,
    /// The ways to it to try; `None` if all of them.
    ways: Option<Ways>,
    /// Origins of values with which the edge was refused.
    refused: BTreeSet<Origin>,
    avoided: EntitySet<Block>,
    /// The condition was false with the values that came, with these variables joined on the way.
    joined: Vec<Var>,
    /// The blocks whose conditions the edge was at odds with.
    in_the_way: Vec<Block>,
    /// The edge was refused, so it is time for another plan.
    pub(super) is_refused: bool,
}

/// Some of the ways to an edge.
#[derive(Clone, Default)]
struct Ways {
    /// What they consist of.
    blocks: EntitySet<Block>,
    /// What all of them should pass.
    passed: Vec<Block>,
    /// From where they come to a join.
    joins: Vec<(Block, SmallVec<[Block; 4]>)>,
    /// What all of them pass, because they should or cannot do otherwise.
    needed: EntitySet<Block>,
}

impl Ways {
    fn has_step(&self, from: Block, to: Block) -> bool {
        let skips = self.passed.iter().any(|&block| from < block && block < to);
        let comes_right =
            |(join, preds): &(Block, SmallVec<[Block; 4]>)| *join != to || preds.contains(&from);
        self.blocks.contains(to) && !skips && self.joins.iter().all(comes_right)
    }
}

impl Plan {
    /// May a way go from the first block straight to the second?
    pub(super) fn allows(&self, from: Block, to: Block) -> bool {
        self.ways.as_ref().is_none_or(|ways| ways.has_step(from, to))
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
        self.plan.ways = self.complete(goal, Ways::default());
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

    /// All blocks were looked at, which is work as well.
    fn count_blocks(&mut self) {
        self.entries = self.entries.saturating_sub(self.function.blocks.len() / LOOKS_PER_ENTRY);
    }

    /// The last block of the path was refused: keeps the reasons, if it is the edge or what all ways to it need.
    pub(super) fn note_refusal(&mut self, path: &Path, refused: Term, condition: Expr) {
        let last = path.blocks.last();
        let is_needed = |ways: &Ways| last.is_some_and(|&block| ways.needed.contains(block));
        if !self.plan.ways.as_ref().is_some_and(is_needed) {
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
            self.plan.in_the_way = self.guess.in_the_way().iter().map(block_of).collect();
        }
    }

    /// Plans another way to the edge, if there is a reason to believe in one.
    fn has_other_plan(&mut self, goal: Block) -> bool {
        let mut in_the_way = std::mem::take(&mut self.plan.in_the_way);
        in_the_way.sort_unstable();
        in_the_way.dedup();
        in_the_way.retain(|&block| block != goal);
        let joined = std::mem::take(&mut self.plan.joined);
        let before = self.plan.ways.take().unwrap_or_default();
        let none = Ways::default();
        let another = |search: &mut Self| {
            let mut bring =
                |ways| joined.iter().find_map(|&var| search.ways_that_bring_another(goal, var, ways));
            bring(&before).or_else(|| bring(&none))
        };
        if in_the_way.is_empty() {
            self.plan.ways = another(self);
        }
        // What is near the edge first.
        while let Some(block) = in_the_way.pop()
            && self.plan.ways.is_none()
        {
            self.plan.avoided.insert(block);
            self.plan.ways = self.complete(goal, before.clone()).or_else(|| another(self));
            if self.plan.ways.is_none() {
                self.plan.avoided.remove(block);
            }
        }
        self.plan.ways.is_some()
    }

    /// The ways to the edge on which the variable comes from an origin that was not refused.
    fn ways_that_bring_another(&mut self, goal: Block, var: Var, before: &Ways) -> Option<Ways> {
        // A variable, the join from which its value goes on, and what it is there.
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
                let ways = self.complete(goal, self.ways_from(before, var, &found, next));
                if ways.is_some() {
                    return ways;
                }
            }
            next += 1;
        }
        None
    }

    /// From where the variable gets its value, through the joins.
    fn ways_from(
        &self,
        before: &Ways,
        var: Var,
        found: &[(Var, Option<(Block, usize)>)],
        mut at: usize,
    ) -> Ways {
        let mut ways = before.clone();
        if let Definition::Command(block, _) = self.function.vars[var].definition {
            ways.passed.push(block);
        }
        while let (source, Some((join, to))) = found[at] {
            let comes = |&&(_, other): &&(Block, Var)| other == source;
            let joined = self.copied(found[to].0);
            let preds = self.sources(join, joined).iter().filter(comes).map(|&(pred, _)| pred).collect();
            ways.passed.push(join);
            ways.joins.push((join, preds));
            at = to;
        }
        ways
    }

    fn sources(&self, join: Block, var: Var) -> &[(Block, Var)] {
        let phi = self.function.blocks[join].phis.iter().find(|phi| phi.var == var);
        phi.map_or(&[], |phi| &phi.sources)
    }

    /// The ways to the goal that pass what they should and nothing of what they should not; `None` if there are none.
    fn complete(&mut self, goal: Block, mut ways: Ways) -> Option<Ways> {
        self.count_blocks();
        if self.entries == 0 {
            return None;
        }
        ways.blocks.clear();
        ways.blocks.insert(goal);
        // Blocks are in topological order.
        for block in (0..goal.as_u32()).rev().map(Block::from_u32) {
            let mut targets = self.function.blocks[block].next.targets().iter();
            if !self.plan.avoided.contains(block) && targets.any(|&target| ways.has_step(block, target)) {
                ways.blocks.insert(block);
            }
        }
        ways.needed.clear();
        let mut furthest = Block::from_u32(0);
        for block in (0..=goal.as_u32()).map(Block::from_u32).filter(|&block| ways.blocks.contains(block)) {
            if block == furthest {
                ways.needed.insert(block);
            }
            let targets = self.function.blocks[block].next.targets().iter().copied();
            furthest = targets.filter(|&target| ways.has_step(block, target)).fold(furthest, Block::max);
        }
        ways.blocks.contains(Block::from_u32(0)).then_some(ways)
    }

    /// The variables of the condition whose value depends on the way.
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
    fn origin_on(&self, path: &Path, var: Var) -> Option<Origin> {
        let mut var = self.copied(var);
        while let Definition::Phi(block) = self.function.vars[var].definition {
            let before = path.blocks[self.position(path, block)?.checked_sub(1)?];
            let &(_, source) = self.sources(block, var).iter().find(|(pred, _)| *pred == before)?;
            var = self.copied(source);
        }
        Some(self.origin(var))
    }

    fn origin(&self, var: Var) -> Origin {
        self.function.value_of(var).map_or(Origin::Unknown(var), Origin::Value)
    }

    /// The variable that it is a copy of, or itself.
    fn copied(&self, mut var: Var) -> Var {
        while let Some(value) = self.function.value_of(var)
            && let ExprData::Var(of) = self.function.exprs[value]
        {
            var = of;
        }
        var
    }
}
