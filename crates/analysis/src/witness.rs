//! Witnesses: paths through the function are walked with guessed values that local search repairs at every condition. An
//! edge on a run that ends well needs no solver (docs/decisions/006-witness-first.md).
//!
//! A witness shows that an edge is possible in the encoding, and nothing else. An edge without one is left to the
//! solver.

mod blame;
mod goals;
mod plan;
mod walk;

use crate::edges::{Boundary, blocks_of_runs_through, boundaries, branch_edges, dominators};
use crate::limits::{ATTEMPTS_PER_GOAL, ENTRIES_PER_BLOCK, ENTRIES_PER_MODEL, LEAST_ENTRIES};
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, ExprData, Function, Next};
use gainsay_ir::table::table;
use gainsay_term::local_search::Guess;
use gainsay_vc::{Options, Step, Walk};

/// The questions that remain for the solver.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// No run was found that ends well at all.
    pub(crate) entry: bool,
    pub(crate) edges: Vec<Block>,
    pub(crate) boundaries: Vec<(Block, Boundary)>,
}

/// A search for runs that end well. It can continue from runs that the solver finds.
pub(crate) struct Search<'a> {
    function: &'a Function,
    walk: Walk<'a>,
    guess: Guess,
    has_ended: bool,
    /// Edges without a run.
    edges: EntitySet<Block>,
    /// Boundaries without a run.
    boundaries: SecondaryMap<Block, Option<Boundary>>,
    /// In the second phase the goals are boundaries.
    aims_at_boundaries: bool,
    tries: SecondaryMap<Block, u8>,
    /// The graph has a path from here to an acceptable end.
    can_end: EntitySet<Block>,
    /// The nearest goal of each block and its distance.
    distance: SecondaryMap<Block, Option<(u32, Block)>>,
    /// How many runs that ended well passed the block.
    visits: SecondaryMap<Block, u32>,
    steps: Vec<Step>,
    /// Blocks of a run that the solver found, which are preferred.
    guide: EntitySet<Block>,
    dominators: SecondaryMap<Block, Option<Block>>,
    random: u64,
    /// The position of each block on the path when it was last entered.
    positions: SecondaryMap<Block, u32>,
    /// Remaining entries of blocks.
    entries: usize,
    /// Blocks and commands passed so far.
    pub(crate) walked: u64,
    /// The last block that became or ceased to be a goal.
    changed: Option<Block>,
    plan: plan::Plan,
    /// A run counts once it gets here, whatever follows.
    stop: Option<Block>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(unit: &'a gc::Unit, function: &'a Function, options: &'a Options) -> Search<'a> {
        let mut edges = EntitySet::new();
        edges.extend(branch_edges(function));
        let n_blocks = function.blocks.len();
        Search {
            function,
            walk: Walk::new(unit, function, options),
            guess: Guess::default(),
            has_ended: false,
            edges,
            boundaries: SecondaryMap::new(),
            aims_at_boundaries: false,
            tries: table(n_blocks),
            can_end: can_end(function),
            distance: table(n_blocks),
            visits: table(n_blocks),
            steps: Vec::new(),
            guide: EntitySet::new(),
            dominators: dominators(function),
            random: 1,
            positions: table(n_blocks),
            entries: 0,
            walked: 0,
            changed: None,
            plan: plan::Plan::default(),
            stop: None,
        }
    }

    /// Is a run found that takes the edge, whatever follows?
    pub(crate) fn reaches(&mut self, edge: Block) -> bool {
        self.stop = Some(edge);
        self.edges.clear();
        self.edges.insert(edge);
        self.can_end = blocks_of_runs_through(self.function, edge);
        self.cover_edges(ENTRIES_PER_BLOCK);
        self.cover_by_plan();
        !self.is_open(edge)
    }

    /// Searches for runs through all edges, then for runs that meet their boundaries.
    pub(crate) fn cover(&mut self) {
        self.boundaries = boundaries(self.function);
        self.cover_edges(ENTRIES_PER_BLOCK);
        self.cover_by_plan();
        self.aims_at_boundaries = true;
        self.tries.clear();
        self.attempt_all();
        self.aims_at_boundaries = false;
    }

    pub(crate) fn cover_edges(&mut self, entries_per_block: usize) {
        self.entries = LEAST_ENTRIES + entries_per_block * self.function.blocks.len();
        self.attempt_all();
    }

    /// Is a run found through one of the edges, with at most this many entries of blocks?
    pub(crate) fn passes_one(&mut self, edges: &[Block], entries: usize) -> bool {
        let entry = Block::new(0);
        self.edges.clear();
        self.edges.extend(edges.iter().copied());
        self.tries.clear();
        self.entries = entries;
        self.measure();
        while edges.iter().all(|&edge| self.visits[edge] == 0) {
            let Some((_, goal)) = self.distance[entry].filter(|_| self.entries > 0) else { return false };
            if !self.attempt() {
                self.note_failure(goal);
            }
            self.measure_again();
        }
        true
    }

    /// The solver found a run along these blocks that ends well. Continues the search from there.
    pub(crate) fn follow(&mut self, run: &[Block]) {
        self.has_ended = true;
        for &block in run {
            self.edges.remove(block);
            self.guide.insert(block);
        }
        self.tries.clear();
        self.entries = self.entries.max(ENTRIES_PER_MODEL * self.function.blocks.len());
        self.measure();
        if self.distance[Block::new(0)].is_some() {
            self.attempt();
        }
        self.guide.clear();
    }

    /// Has the edge no run?
    pub(crate) fn is_open(&self, edge: Block) -> bool {
        self.edges.contains(edge)
    }

    pub(crate) fn open(&self) -> Open {
        Open {
            entry: !self.has_ended,
            edges: branch_edges(self.function)
                .into_iter()
                .filter(|&edge| self.edges.contains(edge))
                .collect(),
            boundaries: self.open_boundaries(),
        }
    }

    /// The boundaries of edges that are possible.
    fn open_boundaries(&self) -> Vec<(Block, Boundary)> {
        let open = |block: Block| self.boundaries[block].filter(|_| !self.edges.contains(block));
        self.function.blocks.keys().filter_map(|block| Some((block, open(block)?))).collect()
    }

    fn is_goal(&self, block: Block) -> bool {
        let is_open = if self.aims_at_boundaries {
            self.boundaries[block].is_some() && !self.edges.contains(block)
        } else {
            self.edges.contains(block)
        };
        is_open
            && self.tries[block] < ATTEMPTS_PER_GOAL
            && self.can_end.contains(block)
            && self.plan.goal.is_none_or(|goal| goal == block)
    }

    fn attempt_all(&mut self) {
        let entry = Block::new(0);
        let mut failures = 0u32;
        self.measure();
        loop {
            let goal = self.distance[entry].map(|(_, goal)| goal);
            if goal.is_none() && (self.has_ended || failures >= u32::from(ATTEMPTS_PER_GOAL))
                || self.entries == 0
            {
                return;
            }
            if !self.attempt() {
                failures += 1;
                if let Some(goal) = goal {
                    self.note_failure(goal);
                }
            }
            self.measure_again();
        }
    }
}

/// The blocks from which the graph has a path to an acceptable end.
pub(crate) fn can_end(function: &Function) -> EntitySet<Block> {
    let mut can_end = EntitySet::new();
    for (block, data) in function.blocks.iter().rev() {
        let ends = match &data.next {
            Next::Return { .. } | Next::Raise => true,
            Next::Error => false,
            Next::Goto(targets) => targets.iter().any(|&target| can_end.contains(target)),
        };
        let is_never_taken = matches!(
            data.cmds.first().map(|cmd| &cmd.kind),
            Some(CmdKind::Assume(holds)) if matches!(function.exprs[*holds], ExprData::Const(_, 0))
        );
        if (ends || data.may_stop()) && !is_never_taken {
            can_end.insert(block);
        }
    }
    can_end
}
