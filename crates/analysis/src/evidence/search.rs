//! The search for paths that convict: a model proposes a path to a failing check, the path is judged by itself, and the
//! next one must differ from it in an edge that matters.

use super::kinds::Kind;
use super::path::{Graph, follow};
use super::settings::Evidence;
use crate::edges::{above, dominators};
use crate::pipeline::BUDGET;
use crate::reach::scaled;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, BinaryOp, Loc};
use gainsay_ir::passive::{Block, CmdKind, Expr, ExprData, Function, Next, Var};
use gainsay_solver::encode::{Options, Statement, Step, Vc, Walk, encode};
use gainsay_solver::term::Node;
use gainsay_solver::{Answer, Budget, Session, Term, TermPool, Value, minimal_core};
use std::collections::{BTreeMap, BTreeSet};

/// Paths to one check.
const TRIES: usize = 4;

/// Every question costs time in proportion to the formula: a large function may ask fewer.
const WEIGHT_OF_QUESTIONS: u64 = 20_000;
const QUESTIONS: std::ops::RangeInclusive<u64> = 2..=30;

/// Relational operators on a path that are taken apart.
const MOST_SPLITS: usize = 6;

/// Deepest pool of terms for which subterms are looked at again and again.
const MOST_TERMS: usize = 60_000;

/// A path that is reported.
pub(super) struct Found {
    /// The check that fails, or the end in error.
    pub(super) at: Statement,
    pub(super) path: Vec<Block>,
    /// The edges that testify: what the implication needs.
    pub(super) testimony: Vec<Testimony>,
    /// Values of parameters with which the path is taken, where they matter.
    pub(super) values: Vec<(Var, u128)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Testimony {
    pub(super) edge: Block,
    /// The condition that is expected to hold.
    pub(super) condition: Expr,
    /// Which part of it, where a relational operator was taken apart.
    pub(super) part: Part,
}

/// Of `a <= b` (section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Equal(Expr, Expr),
    Less(Expr, Expr),
}

/// A check that may fail.
struct Suspect {
    at: Statement,
    /// The run comes here and the check fails.
    fails: Term,
    /// The condition that is violated.
    holds: Term,
}

/// One predicate of a path.
struct Predicate {
    block: Block,
    /// Set if it is an edge that somebody wrote.
    condition: Option<Expr>,
    term: Term,
    evidence: Evidence,
    /// Both sides of a relational operator that has an equal part.
    sides: Option<((Expr, Term), (Expr, Term))>,
    is_assumed: bool,
}

pub(super) fn search(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    graph: &Graph,
) -> Vec<Found> {
    let mut vc = encode(unit, function);
    if vc.pool.len() > MOST_TERMS {
        return Vec::new();
    }
    let mut suspects = suspects(function, graph, &mut vc);
    if suspects.is_empty() {
        return Vec::new();
    }
    let edges = edges(function, graph, &vc);
    suspects.retain(|_, group| group.iter().any(|suspect| is_suspicious(&vc.pool, graph, &edges, suspect)));
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
    let options = Options::default();
    let walk = Walk::beside(unit, function, &options, pool);
    let mut searcher =
        Searcher { session, function, graph, vc, walk, edges, budget, questions, told: BTreeSet::new() };
    let mut found = Vec::new();
    // What is the same on every path is decided by one question or two.
    let is_plain = |pool: &TermPool, suspect: &Suspect| !chooses(pool, suspect.holds);
    let mut groups: Vec<Vec<Suspect>> = suspects.into_values().collect();
    groups.sort_by_key(|group| !group.iter().all(|suspect| is_plain(searcher.walk.pool(), suspect)));
    for group in groups {
        found.extend(searcher.convict(&group));
    }
    found
}

/// The edges of branches, each with the unknowns that its condition depends on.
fn edges(function: &Function, graph: &Graph, vc: &Vc) -> Vec<(Block, bool, BTreeSet<Term>)> {
    let mut edges = Vec::new();
    for (block, data) in &function.blocks {
        if data.branch.is_none() {
            continue;
        }
        let Some(condition) = data.cmds.first().and_then(|cmd| cmd.condition()) else { continue };
        if let Some(term) = vc.term(condition) {
            edges.push((block, graph.may_testify(block), unknowns(&vc.pool, &[term])));
        }
    }
    edges
}

fn unknowns(pool: &TermPool, terms: &[Term]) -> BTreeSet<Term> {
    pool.subterms(terms).into_iter().filter(|&term| matches!(pool.node(term), Node::Var(_))).collect()
}

/// A condition that is the same on every path, and whose unknowns no test mentions, is nobody's business here.
fn is_suspicious(
    pool: &TermPool,
    graph: &Graph,
    edges: &[(Block, bool, BTreeSet<Term>)],
    suspect: &Suspect,
) -> bool {
    if graph.settings.error != Evidence::Asserted {
        return true;
    }
    if chooses(pool, suspect.holds) {
        return true;
    }
    let about = unknowns(pool, &[suspect.holds]);
    edges.iter().any(|(_, may_testify, tested)| *may_testify && !tested.is_disjoint(&about))
}

/// Does the value depend on the path?
fn chooses(pool: &TermPool, term: Term) -> bool {
    let is_choice = |&term: &Term| {
        matches!(pool.node(term), Node::Ite(..) | Node::And(..) | Node::Or(..) | Node::Bool(_))
    };
    pool.subterms(&[term]).iter().any(is_choice)
}

/// All checks that are not known to hold, and the ends in error behind a test; copies of one belong together.
fn suspects(function: &Function, graph: &Graph, vc: &mut Vc) -> BTreeMap<(Loc, Option<Check>), Vec<Suspect>> {
    let dominators = dominators(function);
    let mut passed_in: BTreeMap<Term, Vec<Block>> = BTreeMap::new();
    let mut suspects: BTreeMap<(Loc, Option<Check>), Vec<Suspect>> = BTreeMap::new();
    for (block, data) in &function.blocks {
        let Some(mut passed) = vc.entered[block] else { continue };
        for (index, cmd) in data.cmds.iter().enumerate() {
            let Some(holds) = cmd.condition().and_then(|condition| vc.term(condition)) else { continue };
            if let CmdKind::Assert(check, _) = cmd.kind {
                let above: Vec<Block> = above(&dominators, block).chain([block]).collect();
                let known = passed_in.entry(holds).or_default();
                let is_known = known.iter().any(|block| above.contains(block));
                known.push(block);
                let violated = vc.pool.not(holds);
                let fails = vc.pool.and(passed, violated);
                if !is_known && vc.pool.as_bool(fails) != Some(false) && graph.original(block).is_some() {
                    let at = Statement { block, index: index as u32 };
                    suspects.entry((cmd.loc, Some(check))).or_default().push(Suspect { at, fails, holds });
                }
            }
            passed = vc.pool.and(passed, holds);
        }
        let is_end = matches!(data.next, Next::Error) && graph.original(block).is_some();
        if let (true, Some(last)) = (is_end, data.cmds.last()) {
            let at = Statement { block, index: data.cmds.len() as u32 };
            let holds = vc.pool.bool(false);
            suspects.entry((last.loc, None)).or_default().push(Suspect { at, fails: passed, holds });
        }
    }
    suspects
}

struct Searcher<'a> {
    session: &'a mut Session,
    function: &'a Function,
    graph: &'a Graph<'a>,
    vc: Vc,
    walk: Walk<'a>,
    edges: Vec<(Block, bool, BTreeSet<Term>)>,
    budget: Budget,
    /// That may still be asked.
    questions: u64,
    /// Objects whose addresses the solver knows something of.
    told: BTreeSet<Term>,
}

impl Searcher<'_> {
    /// A path to one of the copies of a check, if there is one to report.
    fn convict(&mut self, group: &[Suspect]) -> Option<Found> {
        let fails: Vec<Term> = group.iter().map(|suspect| suspect.fails).collect();
        let goal = self.walk.pool_mut().any(&fails);
        let relevant = self.relevant(group);
        let blocks: Vec<Block> = self.function.blocks.keys().collect();
        let never = self.walk.pool_mut().bool(false);
        // A check that stands first in a block must not keep the run out of it.
        let taken = |&block: &Block| match self.function.blocks[block].branch {
            Some(_) => self.vc.taken[block],
            None => self.vc.entered[block],
        };
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

    fn ask(&mut self, assumed: &[Term]) -> Answer {
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
                .edges
                .iter()
                .filter(|(_, _, tested)| !tested.is_disjoint(&about))
                .flat_map(|(_, _, tested)| tested.iter().copied())
                .collect();
            about.extend(more);
        }
        let matters = |tested: &BTreeSet<Term>| is_end || !tested.is_disjoint(&about);
        self.edges.iter().filter(|(_, _, tested)| matters(tested)).map(|(block, ..)| *block).collect()
    }

    /// Conditions 2 and 3 of the paper for one path.
    fn judge(&mut self, path: &[Block], at: Statement) -> Option<Found> {
        let predicates = self.predicates(path, at)?;
        let asserted: Vec<Term> = predicates
            .iter()
            .filter(|predicate| predicate.evidence == Evidence::Asserted)
            .map(|predicate| predicate.term)
            .collect();
        let must_be_exact: Vec<Term> = predicates
            .iter()
            .filter(|predicate| predicate.is_assumed || predicate.evidence == Evidence::Asserted)
            .map(|predicate| predicate.term)
            .collect();
        if !self.walk.is_exact(&must_be_exact) {
            return None;
        }
        let all = self.walk.pool_mut().all(&asserted);
        let denied = self.walk.pool_mut().not(all);
        let whole: Vec<Part> = predicates.iter().map(|_| Part::Whole).collect();
        if let Some(core) = self.implied(&predicates, &whole, denied) {
            return self.found(path, at, &predicates, &whole, &core);
        }
        if !self.graph.settings.splits {
            return None;
        }
        let about = unknowns(self.walk.pool(), &[denied]);
        let may_split: Vec<usize> = (0..predicates.len())
            .rev()
            .filter(|&i| predicates[i].sides.is_some())
            .filter(|&i| !unknowns(self.walk.pool(), &[predicates[i].term]).is_disjoint(&about))
            .take(MOST_SPLITS)
            .collect();
        for &chosen in &may_split {
            let Some(parts) = self.parts(&predicates, chosen) else { continue };
            if let Some(core) = self.implied(&predicates, &parts, denied) {
                return self.found(path, at, &predicates, &parts, &core);
            }
        }
        None
    }

    /// What holds along the path, in order; the last is the failure itself.
    fn predicates(&mut self, path: &[Block], at: Statement) -> Option<Vec<Predicate>> {
        self.walk.turn();
        let edges = self.graph.edges(path);
        let mut predicates = Vec::new();
        let mut steps = Vec::new();
        let mut from = None;
        let mut comes_to_error = false;
        for (&block, edge) in path.iter().zip(edges) {
            comes_to_error |= edge.is_some_and(|edge| edge.kind == Kind::ToError);
            steps.clear();
            self.walk.enter(block, from, &mut steps);
            from = Some(block);
            let data = &self.function.blocks[block];
            let conditions = data.cmds.iter().enumerate().filter(|(_, cmd)| cmd.condition().is_some());
            let holds = steps.iter().filter_map(|step| match *step {
                Step::Holds(term, _) => Some(term),
                Step::Always(_) | Step::MayEnd => None,
            });
            for step in &steps {
                if let Step::Always(fact) = *step {
                    self.session.assert(self.walk.pool(), fact);
                }
            }
            for ((index, cmd), term) in conditions.zip(holds.collect::<Vec<_>>()) {
                let is_last = block == at.block && index as u32 == at.index;
                if is_last {
                    let violated = self.walk.pool_mut().not(term);
                    let deliberate = matches!(
                        cmd.kind,
                        CmdKind::Assert(Check::Assertion | Check::Unreachable, holds)
                            if matches!(self.function.exprs[holds], ExprData::Const(..))
                    );
                    // A function that does nothing but abort is meant to.
                    if deliberate && !comes_to_error {
                        return None;
                    }
                    predicates.push(Predicate {
                        block,
                        condition: None,
                        term: violated,
                        evidence: self.graph.settings.error,
                        sides: None,
                        is_assumed: true,
                    });
                    return Some(self.with_objects(predicates));
                }
                let is_edge = index == 0 && data.branch.is_some();
                let edge = edge.filter(|_| is_edge);
                let evidence = edge.map_or(Evidence::Inadmissible, |edge| edge.evidence);
                let may_split = edge.is_some_and(|edge| edge.kind.splits());
                predicates.push(Predicate {
                    block,
                    condition: edge.and(cmd.condition()),
                    term,
                    evidence,
                    sides: if may_split { self.sides(cmd.condition()) } else { None },
                    is_assumed: matches!(cmd.kind, CmdKind::Assume(_)),
                });
            }
        }
        let is_end = at.index as usize == self.function.blocks[at.block].cmds.len();
        (is_end && comes_to_error).then(|| self.with_objects(predicates))
    }

    /// No object lies across the end of the address space: otherwise `p < end` could fail at once.
    fn with_objects(&mut self, predicates: Vec<Predicate>) -> Vec<Predicate> {
        for (base, size) in self.walk.objects() {
            let Some(size) = size.filter(|_| self.told.insert(base)) else { continue };
            let pool = self.walk.pool_mut();
            let most = pool.bv_not(size);
            let fits = pool.bv_ule(base, most);
            self.session.assert(self.walk.pool(), fits);
        }
        predicates
    }

    /// Both sides of `a <= b` of integers.
    fn sides(&mut self, condition: Option<Expr>) -> Option<((Expr, Term), (Expr, Term))> {
        let ExprData::Binary(BinaryOp::SLe | BinaryOp::ULe, a, b) = self.function.exprs[condition?] else {
            return None;
        };
        let (left, right) = (self.walk.value(a), self.walk.value(b));
        // `a + b < a` asks for overflow, and nobody thinks of `b == 0` there.
        let pool = self.walk.pool();
        let is_boundary = unknowns(pool, &[left]).is_disjoint(&unknowns(pool, &[right]));
        is_boundary.then_some(((a, left), (b, right)))
    }

    /// Which part of each relational operator is taken, with equality for the chosen one.
    fn parts(&mut self, predicates: &[Predicate], chosen: usize) -> Option<Vec<Part>> {
        let equal: Vec<Option<Term>> = predicates
            .iter()
            .map(|predicate| predicate.sides.map(|((_, a), (_, b))| self.walk.pool_mut().eq(a, b)))
            .collect();
        let mut assumed: Vec<Term> = predicates.iter().map(|predicate| predicate.term).collect();
        assumed.push(equal[chosen]?);
        if self.ask(&assumed) != Answer::Sat {
            return None;
        }
        let asked: Vec<Term> = equal.iter().flatten().copied().collect();
        let mut truths = self.session.truths(self.walk.pool_mut(), &asked).ok()?.into_iter();
        let part = |predicate: &Predicate| match predicate.sides {
            Some(((a, _), (b, _))) if truths.next() == Some(true) => Part::Equal(a, b),
            Some(((a, _), (b, _))) => Part::Less(a, b),
            None => Part::Whole,
        };
        Some(predicates.iter().map(part).collect())
    }

    /// What an edge testifies.
    fn said(&mut self, predicate: &Predicate, part: Part) -> Term {
        let equal = predicate.sides.map(|((_, a), (_, b))| self.walk.pool_mut().eq(a, b));
        match (part, equal) {
            (Part::Equal(..), Some(equal)) => equal,
            (Part::Less(..), Some(equal)) => {
                let differs = self.walk.pool_mut().not(equal);
                self.walk.pool_mut().and(predicate.term, differs)
            }
            _ => predicate.term,
        }
    }

    /// Condition 3: the admissible predicates that the implication needs, by their numbers.
    fn implied(&mut self, predicates: &[Predicate], parts: &[Part], denied: Term) -> Option<Vec<usize>> {
        let mut numbers: Vec<(usize, Term)> = Vec::new();
        for (i, predicate) in predicates.iter().enumerate() {
            if predicate.evidence == Evidence::Admissible {
                numbers.push((i, self.said(predicate, parts[i])));
            }
        }
        if self.walk.pool().as_bool(denied) == Some(false) {
            return Some(Vec::new());
        }
        let mut terms: Vec<Term> = numbers.iter().map(|&(_, term)| term).collect();
        // Who does not speak of it does not imply it.
        let pool = self.walk.pool();
        let about = unknowns(pool, &[denied]);
        if !about.is_empty() && unknowns(pool, &terms).is_disjoint(&about) {
            return None;
        }
        terms.push(denied);
        if self.ask(&terms) != Answer::Unsat {
            return None;
        }
        let core = minimal_core(self.session, self.walk.pool(), &terms, self.budget);
        let mut needed: Vec<usize> = Vec::new();
        for term in core.terms {
            // Said twice, the earlier testifies.
            needed.extend(numbers.iter().find(|(_, said)| *said == term).map(|(i, _)| *i));
        }
        needed.sort_unstable();
        Some(needed)
    }

    /// Condition 2, and a run that shows it.
    fn found(
        &mut self,
        path: &[Block],
        at: Statement,
        predicates: &[Predicate],
        parts: &[Part],
        core: &[usize],
    ) -> Option<Found> {
        let mut assumed: Vec<Term> = Vec::new();
        for (predicate, &part) in predicates.iter().zip(parts) {
            assumed.push(self.said(predicate, part));
        }
        let params: Vec<Var> = self.function.params.clone();
        let about = unknowns(self.walk.pool(), &assumed);
        let mut shown: Vec<(Var, Term)> = Vec::new();
        for param in params {
            let term = self.walk.variable(param);
            if about.contains(&term) && self.walk.pool().width(term) > 0 {
                shown.push((param, term));
            }
        }
        if self.session.check(self.walk.pool(), &assumed, self.budget) != Answer::Sat {
            return None;
        }
        let terms: Vec<Term> = shown.iter().map(|&(_, term)| term).collect();
        let values = self.session.values(self.walk.pool(), &terms).ok()?;
        let bits = |value: &Value| value.as_bits();
        let values = shown.iter().zip(&values).filter_map(|(&(var, _), value)| Some((var, bits(value)?)));
        let testimony = core.iter().filter_map(|&i| {
            let condition = predicates[i].condition?;
            Some(Testimony { edge: predicates[i].block, condition, part: parts[i] })
        });
        Some(Found { at, path: path.to_vec(), testimony: testimony.collect(), values: values.collect() })
    }
}
