//! Searches for paths to report: a model proposes a path to a failing check, the path is judged on its own,
//! and the next proposal must differ from it in a relevant edge.

use super::correlated::{CallResult, FreshVars, fresh};
use super::judge_path::ErrorPath;
use super::path::{EvidenceGraph, follow};
use super::prefilter::{Exactness, leading, may_be_reported};
use super::suspects::{
    Suspect, TestEdge, TestEdges, depends_on_path, is_worth_asking, suspects, tests, unknowns,
};
use crate::limits::{
    EVIDENCE_LEAST_QUERIES, EVIDENCE_MOST_QUERIES, EVIDENCE_PATHS_PER_CHECK, EVIDENCE_QUERY_WEIGHT,
    EVIDENCE_RELEVANCE_STEPS, EVIDENCE_TERMS, QUESTION,
};
use crate::reach::scaled;
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::{Answer, Budget, Session};
use gainsay_term::{Term, TermPool};
use gainsay_vc::{Options, Vc, Walk, encode_with};
use std::collections::BTreeSet;

pub(super) fn search(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    graph: &EvidenceGraph,
) -> Vec<ErrorPath> {
    let options = Options { splits_places: true, ..Options::default() };
    let mut vc = encode_with(unit, function, &options);
    if vc.pool.len() > EVIDENCE_TERMS {
        return Vec::new();
    }
    let mut suspects = suspects(function, graph, &mut vc);
    if suspects.is_empty() {
        return Vec::new();
    }
    let tests = tests(function, graph, &vc);
    suspects.retain(|_, group| {
        group.iter().any(|suspect| is_worth_asking(&vc, graph, &tests, suspect))
            && may_be_reported(function, graph, &vc, &tests, group)
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
    let budget = scaled(QUESTION, &vc);
    let questions =
        (EVIDENCE_QUERY_WEIGHT / vc.weight().max(1)).clamp(EVIDENCE_LEAST_QUERIES, EVIDENCE_MOST_QUERIES);
    let pool = std::mem::take(&mut vc.pool);
    let walk = Walk::with_pool(unit, function, &options, pool);
    let mut searcher = PathSearcher {
        session,
        function,
        graph,
        vc,
        walk,
        tests,
        budget,
        questions,
        bounded_objects: BTreeSet::new(),
        call_results: Vec::new(),
        fresh: fresh(function),
    };
    let mut found = Vec::new();
    // Failures that are the same on every path take one or two queries.
    let is_plain = |pool: &TermPool, suspect: &Suspect| !depends_on_path(pool, suspect.holds);
    let mut groups: Vec<Vec<Suspect>> = suspects.into_values().collect();
    // Failures in the function itself come before preconditions of its callees.
    groups.sort_by_key(|group| {
        let of_callee = group.iter().any(|suspect| graph.callee_check(suspect.at.block).is_some());
        (of_callee, !group.iter().all(|suspect| is_plain(searcher.walk.pool(), suspect)))
    });
    for group in groups {
        found.extend(searcher.find_path(&group));
    }
    found
}

pub(super) struct PathSearcher<'a> {
    pub(super) session: &'a mut Session,
    pub(super) function: &'a Function,
    pub(super) graph: &'a EvidenceGraph<'a>,
    pub(super) vc: Vc,
    pub(super) walk: Walk<'a>,
    tests: TestEdges,
    pub(super) budget: Budget,
    /// Queries that may still be made.
    pub(super) questions: u64,
    /// Objects whose addresses have been bounded in the session.
    pub(super) bounded_objects: BTreeSet<Term>,
    /// Results of the calls on the path that is being judged.
    pub(super) call_results: Vec<CallResult>,
    pub(super) fresh: FreshVars,
}

impl PathSearcher<'_> {
    /// A path to report to one of the copies of a check.
    fn find_path(&mut self, group: &[Suspect]) -> Option<ErrorPath> {
        let fails: Vec<Term> = group.iter().map(|suspect| suspect.fails).collect();
        let goal = self.walk.pool_mut().any(&fails);
        let relevant = self.relevant(group);
        let leading = leading(self.function, group);
        let blocks: Vec<Block> = self.function.blocks.keys().collect();
        let never = self.walk.pool_mut().bool(false);
        // A failing check at the start of a block must not exclude runs from the block.
        let taken = |&block: &Block| match self.function.blocks[block].branch {
            Some(_) => self.vc.taken[block],
            None => self.vc.entered[block],
        };
        let taken = |block: &Block| if leading.contains(block) { taken(block) } else { None };
        let taken: Vec<Term> = blocks.iter().map(|block| taken(block).unwrap_or(never)).collect();
        let mut assumed = vec![goal];
        for _ in 0..EVIDENCE_PATHS_PER_CHECK {
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

    /// The edges related to the checks, directly or through one test in between.
    fn relevant(&self, group: &[Suspect]) -> Vec<Block> {
        let terms: Vec<Term> = group.iter().map(|suspect| suspect.holds).collect();
        let mut about = unknowns(self.walk.pool(), &terms);
        let is_end = group.iter().any(|suspect| self.walk.pool().as_bool(suspect.holds).is_some());
        for _ in 0..EVIDENCE_RELEVANCE_STEPS {
            let more: BTreeSet<Term> = self
                .tests
                .iter()
                .filter(|test| !test.about.is_disjoint(&about))
                .flat_map(|test| test.about.iter().copied())
                .collect();
            about.extend(more);
        }
        let matters = |test: &&TestEdge| is_end || !test.about.is_disjoint(&about);
        self.tests.iter().filter(matters).map(|test| test.edge).collect()
    }
}
