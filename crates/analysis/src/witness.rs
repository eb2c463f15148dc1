//! Witness first (design.md, sections 5 and 9): ways through the function are walked with guessed values that are
//! repaired at every condition. Whatever such a run passes before it ends well needs no solver.
//!
//! A witness shows that an edge is possible in the encoding, and nothing else; an edge without one is merely left to
//! the solver.

mod blame;
mod plan;

use crate::edges::{Boundary, blocks_of_runs_through, boundaries, branch_edges, dominators};
use blame::Culprits;
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, CmdKind, ExprData, Function, Next};
use gainsay_ir::table::table;
use gainsay_term::Term;
use gainsay_term::local_search::{Guess, Mark};
use gainsay_vc::{Options, Step, Walk};
use smallvec::SmallVec;

/// Failed attempts after which a goal is left to the solver.
const TRIES: u8 = 16;

/// How often one attempt may turn back.
const TURNS: u32 = 40;

/// How often a block may be entered on average before the rest is left to the solver.
const ENTRIES_PER_BLOCK: usize = 60;

/// The same for what follows a run that was found by other means.
const ENTRIES_PER_RUN: usize = 4;

/// A run that passes this many edges for the first time gains much.
const MANY_GAINED: u32 = 4;

const FAR: u32 = u32::MAX;

/// What is left to ask a solver about.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// No run was found that ends well at all.
    pub(crate) entry: bool,
    pub(crate) edges: Vec<Block>,
    pub(crate) boundaries: Vec<(Block, Boundary)>,
}

/// A search for runs that end well; it can go on when somebody has found another run.
pub(crate) struct Search<'a> {
    function: &'a Function,
    walk: Walk<'a>,
    guess: Guess,
    has_ended: bool,
    /// Edges that no run has passed yet.
    edges: EntitySet<Block>,
    /// Boundaries that no run has met yet.
    boundaries: SecondaryMap<Block, Option<Boundary>>,
    /// In the second phase the goals are boundaries.
    aims_at_boundaries: bool,
    tries: SecondaryMap<Block, u8>,
    /// A run from here may end well, as far as the graph tells.
    can_end: EntitySet<Block>,
    /// How far the next goal is from a block, and which it is.
    distance: SecondaryMap<Block, Option<(u32, Block)>>,
    /// Runs that ended well went through here this often.
    visits: SecondaryMap<Block, u32>,
    steps: Vec<Step>,
    /// Blocks of a run that somebody else found: the way to prefer.
    guide: EntitySet<Block>,
    dominators: SecondaryMap<Block, Option<Block>>,
    random: u64,
    /// Where on the path a block was when it was last entered.
    positions: SecondaryMap<Block, u32>,
    /// How many blocks may still be entered.
    entries: usize,
    /// How many blocks and commands were passed so far.
    pub(crate) walked: u64,
    /// The last block of which it has changed whether it is a goal.
    changed: Option<Block>,
    plan: plan::Plan,
    /// Runs count as far as here, whatever comes behind.
    stop: Option<Block>,
}

/// A way so far.
#[derive(Default)]
struct Path {
    blocks: Vec<Block>,
    /// How many conditions were accepted before each of the blocks.
    n_conditions: Vec<usize>,
    /// How many of the blocks lie before the last call that may end the run.
    may_end: Option<usize>,
    choices: Vec<Choice>,
    /// Goals among the blocks.
    goals: u32,
    /// Boundary conditions of the edges passed.
    met: Vec<(Block, Term)>,
}

/// A place to come back to.
struct Choice {
    length: usize,
    may_end: Option<usize>,
    goals: u32,
    met: usize,
    mark: Mark,
    /// Best last.
    rest: SmallVec<[Block; 2]>,
    /// Earlier choices to blame for what failed behind this one; `None` if any of them may be.
    culprits: Option<Culprits>,
}

/// How it went in a block.
enum Entered {
    Passed,
    /// With the choices to blame, if they are known.
    Failed(Option<Culprits>),
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

    /// Is a run found that comes to the edge and takes it, whatever becomes of it?
    pub(crate) fn reaches(&mut self, edge: Block) -> bool {
        self.stop = Some(edge);
        self.edges.clear();
        self.edges.insert(edge);
        self.can_end = blocks_of_runs_through(self.function, edge);
        self.cover_edges(ENTRIES_PER_BLOCK);
        self.cover_by_plan();
        !self.is_open(edge)
    }

    /// Looks for runs through all edges, then for runs that meet their boundaries.
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
        self.entries = 2000 + entries_per_block * self.function.blocks.len();
        self.attempt_all();
    }

    /// Is a run found through one of the edges, with at most so many blocks entered?
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
                self.has_failed(goal);
            }
            self.measure_again();
        }
        true
    }

    /// There is a run along these blocks that ends well. From here more may be found.
    pub(crate) fn follow(&mut self, run: &[Block]) {
        self.has_ended = true;
        for &block in run {
            self.edges.remove(block);
            self.guide.insert(block);
        }
        self.tries.clear();
        self.entries = self.entries.max(ENTRIES_PER_RUN * self.function.blocks.len());
        self.measure();
        if self.distance[Block::new(0)].is_some() {
            self.attempt();
        }
        self.guide.clear();
    }

    /// No run was found through the edge.
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
            && self.tries[block] < TRIES
            && self.can_end.contains(block)
            && self.plan.goal.is_none_or(|goal| goal == block)
    }

    fn attempt_all(&mut self) {
        let entry = Block::new(0);
        let mut failures = 0u32;
        self.measure();
        loop {
            let goal = self.distance[entry].map(|(_, goal)| goal);
            if goal.is_none() && (self.has_ended || failures >= u32::from(TRIES)) || self.entries == 0 {
                return;
            }
            if !self.attempt() {
                failures += 1;
                if let Some(goal) = goal {
                    self.has_failed(goal);
                }
            }
            self.measure_again();
        }
    }

    /// The way to the next goal, from every block.
    fn measure(&mut self) {
        self.changed = None;
        for block in self.function.blocks.keys().rev() {
            self.distance[block] = self.nearest(block);
        }
    }

    /// The same after some goals were reached: the way to any other is what it was. A boundary becomes a goal when its edge
    /// is reached.
    fn measure_again(&mut self) {
        // Blocks are in topological order: no way leads from the ones behind it to what has changed.
        let Some(last) = self.changed.take() else { return };
        for block in (0..=last.as_u32()).rev().map(Block::from_u32) {
            let is_gone = |(_, goal)| !self.is_goal(goal);
            if self.aims_at_boundaries || self.distance[block].is_some_and(is_gone) {
                self.distance[block] = self.nearest(block);
            }
        }
    }

    fn has_changed(&mut self, goal: Block) {
        self.changed = self.changed.max(Some(goal));
    }

    fn has_failed(&mut self, goal: Block) {
        self.tries[goal] += 1;
        if self.tries[goal] >= TRIES {
            self.has_changed(goal);
        }
    }

    /// The way to the next goal, from a block whose successors' are known.
    fn nearest(&self, block: Block) -> Option<(u32, Block)> {
        let mut nearest = if self.is_goal(block) { Some((0, block)) } else { None };
        for &target in self.function.blocks[block].next.targets() {
            if let Some((steps, goal)) = self.distance[target]
                && self.plan.allows(block, target)
                && nearest.is_none_or(|(best, _)| steps + 1 < best)
            {
                nearest = Some((steps + 1, goal));
            }
        }
        nearest
    }

    /// Walks to a goal and on to an end, then turns back to the last place where another goal can be reached, and so
    /// on; true if that showed something new.
    fn attempt(&mut self) -> bool {
        let start = self.guess.mark();
        self.walk.change_path();
        let mut path = Path::default();
        let mut turns = 0;
        let mut has_gained = false;
        let mut next = Some(Block::new(0));
        while let Some(block) = next {
            let entered = self.enter(&mut path, block);
            let mut length = path.may_end;
            let mut culprits = None;
            next = match (&self.function.blocks[block].next, entered) {
                (_, Entered::Failed(to_blame)) => {
                    culprits = to_blame;
                    None
                }
                _ if self.stop == Some(block) => {
                    length = Some(path.blocks.len());
                    None
                }
                (Next::Return { .. } | Next::Raise, _) => {
                    length = Some(path.blocks.len());
                    None
                }
                (Next::Error, _) => None,
                (Next::Goto(targets), _) => self.choose(&mut path, targets),
            };
            if next.is_some() {
                continue;
            }
            let gained = length.map_or(0, |length| self.ended_well(&path, length));
            if gained > 0 {
                has_gained = true;
                turns = 0;
                culprits = None;
                self.measure_again();
            }
            if gained >= MANY_GAINED {
                self.keep_first_choice(&mut path);
            }
            turns += 1;
            let goes_on = turns <= TURNS && self.entries > 0 && !self.plan.is_refused;
            next = if goes_on { self.turn_back(&mut path, culprits) } else { None };
        }
        self.guess.back_to(start);
        has_gained
    }

    /// Goes into a block.
    fn enter(&mut self, path: &mut Path, block: Block) -> Entered {
        let from = path.blocks.last().copied();
        self.positions[block] = path.blocks.len() as u32;
        path.blocks.push(block);
        path.n_conditions.push(self.guess.n_conditions());
        let is_goal = self.is_goal(block);
        path.goals += u32::from(is_goal);
        self.entries = self.entries.saturating_sub(1);
        self.walked += 1 + self.function.blocks[block].cmds.len() as u64;
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.walk.enter(block, from, &mut steps);
        let mut entered = Entered::Passed;
        for &step in &steps {
            let passed = matches!(entered, Entered::Passed);
            match step {
                // Handed out once, so it is taken note of on any way.
                Step::Always(fact) => {
                    if !self.guess.require_always(self.walk.pool(), fact) && passed {
                        entered = Entered::Failed(None);
                    }
                }
                Step::Holds(holds, condition) if passed => {
                    if !self.guess.require(self.walk.pool(), holds) {
                        entered = Entered::Failed(self.culprits(path, holds, condition));
                        self.note_refusal(path, holds, condition);
                    }
                }
                Step::MayEnd if passed => path.may_end = Some(path.blocks.len()),
                Step::Holds(..) | Step::MayEnd => {}
            }
        }
        self.steps = steps;
        let passed = matches!(entered, Entered::Passed);
        if !passed && is_goal {
            self.has_failed(block);
        }
        if passed && let Some(boundary) = self.boundaries[block] {
            let (smaller, larger) = (self.walk.value(boundary.smaller), self.walk.value(boundary.larger));
            let condition = boundary.condition(self.walk.pool_mut(), smaller, larger);
            path.met.push((block, condition));
            if self.aims_at_boundaries
                && self.is_goal(block)
                && !self.guess.require(self.walk.pool(), condition)
            {
                self.has_failed(block);
            }
        }
        entered
    }

    /// The best way on; the others are kept for later.
    fn choose(&mut self, path: &mut Path, targets: &[Block]) -> Option<Block> {
        // Before the first goal only ways to one are of interest, behind it every way to an end.
        let seeks = path.goals == 0 && self.distance[Block::new(0)].is_some();
        let from = path.blocks.last().copied();
        let leads_on = |target: Block| {
            self.distance[target].is_some() && from.is_none_or(|from| self.plan.allows(from, target))
        };
        let is_wanted = |target: &Block| {
            self.can_end.contains(*target) && (!seeks || leads_on(*target) || self.guide.contains(*target))
        };
        if let [only] = targets {
            return Some(*only).filter(is_wanted);
        }
        let mut rest: SmallVec<[Block; 2]> = targets.iter().copied().filter(is_wanted).collect();
        // A goal that was missed before is tried another way.
        let is_retry =
            rest.iter().any(|&target| self.distance[target].is_some_and(|(_, goal)| self.tries[goal] > 0));
        let turn = if is_retry { self.next_random() } else { 0 };
        let key = |target: &Block| {
            let far = self.distance[*target].map_or(FAR, |(steps, _)| steps);
            // Without a goal in sight: where runs have ended well before.
            let strange = if far == FAR { u32::MAX - self.visits[*target] } else { self.visits[*target] };
            let far = if is_retry && far != FAR { turn ^ target.as_u32() & 1 } else { far };
            std::cmp::Reverse((!self.guide.contains(*target), far, strange))
        };
        rest.sort_by_key(key);
        let best = rest.pop()?;
        if !rest.is_empty() {
            path.choices.push(Choice {
                length: path.blocks.len(),
                may_end: path.may_end,
                goals: path.goals,
                met: path.met.len(),
                mark: self.guess.mark(),
                rest,
                culprits: Some(Culprits::new()),
            });
        }
        Some(best)
    }

    /// 0 or 1; the same sequence on every machine.
    fn next_random(&mut self) -> u32 {
        self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.random >> 63) as u32
    }

    /// Back to the last place that is to blame and from which a goal can still be reached another way.
    fn turn_back(&mut self, path: &mut Path, mut culprits: Option<Culprits>) -> Option<Block> {
        loop {
            match &mut culprits {
                None => {}
                Some(to_blame) => path.choices.truncate(to_blame.pop()? as usize + 1),
            }
            let choice = path.choices.last_mut()?;
            choice.culprits = match (choice.culprits.take(), culprits.take()) {
                (Some(mut before), Some(now)) => {
                    before.extend(now);
                    before.sort_unstable();
                    before.dedup();
                    Some(before)
                }
                _ => None,
            };
            let Some(next) = choice.rest.pop() else {
                culprits = path.choices.pop().and_then(|choice| choice.culprits);
                continue;
            };
            // Behind a goal that is still open any way to an end will do.
            let seeks_end =
                choice.goals > 0 && path.blocks[..choice.length].iter().any(|&block| self.is_goal(block));
            if !seeks_end && self.distance[next].is_none() {
                culprits = Some([path.choices.len() as u32 - 1].into_iter().collect());
                continue;
            }
            path.blocks.truncate(choice.length);
            path.n_conditions.truncate(choice.length);
            path.may_end = choice.may_end;
            path.goals = choice.goals;
            path.met.truncate(choice.met);
            self.guess.back_to(choice.mark);
            self.walk.change_path();
            return Some(next);
        }
    }

    /// Where runs gain much, the next one should be new from early on.
    fn keep_first_choice(&self, path: &mut Path) {
        let leads_on = |choice: &Choice| choice.rest.iter().any(|&block| self.distance[block].is_some());
        let first = path.choices.iter().position(leads_on).map_or(0, |first| first + 1);
        path.choices.truncate(first);
    }

    /// A run along the first blocks of the path ends well; how much of that is new?
    fn ended_well(&mut self, path: &Path, length: usize) -> u32 {
        let mut gained = u32::from(!self.has_ended);
        self.has_ended = true;
        for &block in &path.blocks[..length] {
            self.visits[block] += 1;
            if self.edges.remove(block) {
                gained += 1;
                self.has_changed(block);
            }
        }
        for &(block, condition) in &path.met {
            if self.boundaries[block].is_some()
                && (self.positions[block] as usize) < length
                && self.guess.holds(self.walk.pool(), condition)
            {
                self.boundaries[block] = None;
                self.has_changed(block);
                gained += u32::from(self.aims_at_boundaries);
            }
        }
        gained
    }
}

/// The blocks from which the graph has a way to an acceptable end.
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
