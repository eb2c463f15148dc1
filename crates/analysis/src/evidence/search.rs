//! The search for paths that convict: a model proposes a path to a failing check, the path is judged by itself, and the
//! next one must differ from it in an edge that matters.

use super::correlated::{AnswerOf, Fresh, fresh};
use super::path::{Graph, follow};
use super::suspects::{Suspect, Test, Tests, chooses, is_suspicious, suspects, tests, unknowns};
use crate::evidence::judge_path::Found;
use crate::evidence::prefilter::{Exactness, leading, may_convict};
use crate::pipeline::BUDGET;
use crate::reach::scaled;
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::{Answer, Budget, Session};
use gainsay_term::{Term, TermPool};
use gainsay_vc::{Options, Vc, Walk, encode_with};
use std::collections::BTreeSet;

/// Paths to one check.
const TRIES: usize = 3;

/// Every question costs time in proportion to the formula: a large function may ask fewer.
const WEIGHT_OF_QUESTIONS: u64 = 10_000;
const QUESTIONS: std::ops::RangeInclusive<u64> = 2..=16;

/// Deepest pool of terms for which subterms are looked at again and again.
const MOST_TERMS: usize = 60_000;

pub(super) fn search(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    graph: &Graph,
) -> Vec<Found> {
    let options = Options { splits_places: true, ..Options::default() };
    let mut vc = encode_with(unit, function, &options);
    if vc.pool.len() > MOST_TERMS {
        return Vec::new();
    }
    let mut suspects = suspects(function, graph, &mut vc);
    if suspects.is_empty() {
        return Vec::new();
    }
    let tests = tests(function, graph, &vc);
    suspects.retain(|_, group| {
        group.iter().any(|suspect| is_suspicious(&vc, graph, &tests, suspect))
            && may_convict(function, graph, &vc, &tests, group)
    });
    if suspects.is_empty() {
        return Vec::new();
    }
    let exactness = Exactness::of(&mut vc.pool);
    suspects.retain(|_, group| {
        exactness.demand(function, &mut vc, group);
        !group.is_empty()
    });
    if suspects.is_empty() {
        return Vec::new();
    }
    session.reset();
    for &fact in &vc.facts {
        session.assert(&vc.pool, fact);
    }
    let budget = scaled(BUDGET, &vc);
    let questions = (WEIGHT_OF_QUESTIONS / vc.weight().max(1)).clamp(*QUESTIONS.start(), *QUESTIONS.end());
    let pool = std::mem::take(&mut vc.pool);
    let walk = Walk::with_pool(unit, function, &options, pool);
    let mut searcher = Searcher {
        session,
        function,
        graph,
        vc,
        walk,
        tests,
        budget,
        questions,
        told: BTreeSet::new(),
        answers: Vec::new(),
        fresh: fresh(function),
    };
    let mut found = Vec::new();
    // What is the same on every path is decided by one question or two.
    let is_plain = |pool: &TermPool, suspect: &Suspect| !chooses(pool, suspect.holds);
    let mut groups: Vec<Vec<Suspect>> = suspects.into_values().collect();
    // What the function does itself comes before what its callees expect.
    groups.sort_by_key(|group| {
        let of_callee = group.iter().any(|suspect| graph.site(suspect.at.block).is_some());
        (of_callee, !group.iter().all(|suspect| is_plain(searcher.walk.pool(), suspect)))
    });
    for group in groups {
        found.extend(searcher.convict(&group));
    }
    found
}

pub(super) struct Searcher<'a> {
    pub(super) session: &'a mut Session,
    pub(super) function: &'a Function,
    pub(super) graph: &'a Graph<'a>,
    pub(super) vc: Vc,
    pub(super) walk: Walk<'a>,
    tests: Tests,
    pub(super) budget: Budget,
    /// That may still be asked.
    pub(super) questions: u64,
    /// Objects whose addresses the solver knows something of.
    pub(super) told: BTreeSet<Term>,
    /// What calls gave on the path that is being judged.
    pub(super) answers: Vec<AnswerOf>,
    pub(super) fresh: Fresh,
}

impl Searcher<'_> {
    /// A path to one of the copies of a check, if there is one to report.
    fn convict(&mut self, group: &[Suspect]) -> Option<Found> {
        let fails: Vec<Term> = group.iter().map(|suspect| suspect.fails).collect();
        let goal = self.walk.pool_mut().any(&fails);
        let relevant = self.relevant(group);
        let leading = leading(self.function, group);
        let blocks: Vec<Block> = self.function.blocks.keys().collect();
        let never = self.walk.pool_mut().bool(false);
        // A check that stands first in a block must not keep the run out of it.
        let taken = |&block: &Block| match self.function.blocks[block].branch {
            Some(_) => self.vc.taken[block],
            None => self.vc.entered[block],
        };
        let taken = |block: &Block| if leading.contains(block) { taken(block) } else { None };
        let taken: Vec<Term> = blocks.iter().map(|block| taken(block).unwrap_or(never)).collect();
        let mut assumed = vec![goal];
        for _ in 0..TRIES {
            if self.ask(&assumed) != Answer::Sat {
                return None;
            }
            let asked = [taken.as_slice(), fails.as_slice()].concat();
            let values = self.session.truths(self.walk.pool_mut(), &asked).ok()?;
            let (is_taken, fail) = values.split_at(taken.len());
            let suspect = group.iter().zip(fail).find(|(_, fails)| **fails)?.0;
            let path = follow(self.function, is_taken, suspect.at.block)?;
            if let Some(found) = self.judge(&path, suspect.at) {
                return Some(found);
            }
            let others: Vec<Term> = relevant
                .iter()
                .filter(|block| !path.contains(block))
                .map(|block| taken[block.as_u32() as usize])
                .collect();
            let other = self.walk.pool_mut().any(&others);
            if self.walk.pool().as_bool(other) == Some(false) {
                return None;
            }
            assumed.push(other);
        }
        None
    }

    pub(super) fn ask(&mut self, assumed: &[Term]) -> Answer {
        if self.questions == 0 {
            return Answer::Unknown(gainsay_solver::Reason::Effort);
        }
        self.questions -= 1;
        self.session.check(self.walk.pool(), assumed, self.budget)
    }

    /// The edges that have to do with the checks, directly or through one test in between.
    fn relevant(&self, group: &[Suspect]) -> Vec<Block> {
        let terms: Vec<Term> = group.iter().map(|suspect| suspect.holds).collect();
        let mut about = unknowns(self.walk.pool(), &terms);
        let is_end = group.iter().any(|suspect| self.walk.pool().as_bool(suspect.holds).is_some());
        for _ in 0..2 {
            let more: BTreeSet<Term> = self
                .tests
                .iter()
                .filter(|test| !test.about.is_disjoint(&about))
                .flat_map(|test| test.about.iter().copied())
                .collect();
            about.extend(more);
        }
        let matters = |test: &&Test| is_end || !test.about.is_disjoint(&about);
        self.tests.iter().filter(matters).map(|test| test.edge).collect()
    }
}
