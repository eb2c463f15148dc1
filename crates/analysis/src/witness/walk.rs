//! One attempt: a depth-first walk with guessed values and backjumping.

use super::Search;
use super::blame::Culprits;
use crate::limits::{LARGE_GAIN, TURNS_PER_ATTEMPT};
use cranelift_entity::EntityRef;
use gainsay_ir::passive::{Block, Next};
use gainsay_term::Term;
use gainsay_term::local_search::Mark;
use gainsay_vc::Step;
use smallvec::SmallVec;

// not a limit: no goal can be reached
const FAR: u32 = u32::MAX;

/// The path of an attempt.
#[derive(Default)]
pub(super) struct Path {
    pub(super) blocks: Vec<Block>,
    /// The number of conditions accepted before each of the blocks.
    pub(super) n_conditions: Vec<usize>,
    /// The number of blocks up to the last call that may end the run.
    may_end: Option<usize>,
    pub(super) choices: Vec<Choice>,
    /// Goals among the blocks.
    goals: u32,
    /// Boundary conditions of the edges passed.
    met: Vec<(Block, Term)>,
}

/// A choice between successors, to turn back to.
pub(super) struct Choice {
    /// The number of blocks before it.
    pub(super) length: usize,
    may_end: Option<usize>,
    goals: u32,
    met: usize,
    mark: Mark,
    /// The other successors, best last.
    rest: SmallVec<[Block; 2]>,
    /// Earlier choices to blame for failures after this one; `None` if any of them may be.
    culprits: Option<Culprits>,
}

/// The result of entering a block.
enum Entered {
    Passed,
    /// With the choices to blame, if they are known.
    Failed(Option<Culprits>),
}

impl Search<'_> {
    /// Walks to a goal and on to an end, then turns back to the last choice from which another goal can be reached, and so
    /// on. Returns whether that showed something new.
    pub(super) fn attempt(&mut self) -> bool {
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
            if gained >= LARGE_GAIN {
                self.keep_first_choice(&mut path);
            }
            turns += 1;
            let goes_on = turns <= TURNS_PER_ATTEMPT && self.entries > 0 && !self.plan.is_refused;
            next = if goes_on { self.turn_back(&mut path, culprits) } else { None };
        }
        self.guess.back_to(start);
        has_gained
    }

    /// Executes a block.
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
                // Handed out only once, so it is noted on every path.
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
            self.note_failure(block);
        }
        if passed && let Some(boundary) = self.boundaries[block] {
            let (smaller, larger) = (self.walk.value(boundary.smaller), self.walk.value(boundary.larger));
            let condition = boundary.condition(self.walk.pool_mut(), smaller, larger);
            path.met.push((block, condition));
            if self.aims_at_boundaries
                && self.is_goal(block)
                && !self.guess.require(self.walk.pool(), condition)
            {
                self.note_failure(block);
            }
        }
        entered
    }

    /// The best successor; the others are kept for later.
    fn choose(&mut self, path: &mut Path, targets: &[Block]) -> Option<Block> {
        // Before the first goal only paths to one matter, after it every path to an end.
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
        // A goal that was missed before is tried on another path.
        let is_retry =
            rest.iter().any(|&target| self.distance[target].is_some_and(|(_, goal)| self.tries[goal] > 0));
        let turn = if is_retry { self.next_random() } else { 0 };
        let key = |target: &Block| {
            let far = self.distance[*target].map_or(FAR, |(steps, _)| steps);
            // Without a goal ahead: where runs have ended well before.
            let unfamiliar = if far == FAR { u32::MAX - self.visits[*target] } else { self.visits[*target] };
            let far = if is_retry && far != FAR { turn ^ target.as_u32() & 1 } else { far };
            std::cmp::Reverse((!self.guide.contains(*target), far, unfamiliar))
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

    /// Turns back to the last choice that is to blame and from which a goal can still be reached.
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
            // After a goal that is still open, any path to an end will do.
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

    /// After a run with a large gain, the next one should differ from early on.
    fn keep_first_choice(&self, path: &mut Path) {
        let leads_on = |choice: &Choice| choice.rest.iter().any(|&block| self.distance[block].is_some());
        let first = path.choices.iter().position(leads_on).map_or(0, |first| first + 1);
        path.choices.truncate(first);
    }

    /// A run along the first blocks of the path ends well. Returns how much of that is new.
    fn ended_well(&mut self, path: &Path, length: usize) -> u32 {
        let mut gained = u32::from(!self.has_ended);
        self.has_ended = true;
        for &block in &path.blocks[..length] {
            self.visits[block] += 1;
            if self.edges.remove(block) {
                gained += 1;
                self.note_change(block);
            }
        }
        for &(block, condition) in &path.met {
            if self.boundaries[block].is_some()
                && (self.positions[block] as usize) < length
                && self.guess.holds(self.walk.pool(), condition)
            {
                self.boundaries[block] = None;
                self.note_change(block);
                gained += u32::from(self.aims_at_boundaries);
            }
        }
        gained
    }
}
