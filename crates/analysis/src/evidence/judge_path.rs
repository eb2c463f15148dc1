//! Judges one path: its predicates with their evidence, and conditions 2 and 3 (evidence-based-analysis,
//! section 3, Definitions 2 and 3).

use super::predicates::{Claim, PathPredicate};
use super::search::PathSearcher;
use super::settings::Evidence;
use super::suspects::unknowns;
use crate::limits::EVIDENCE_SPLITS;
use gainsay_ir::passive::{Block, Expr, Var};
use gainsay_solver::{Answer, minimal_core};
use gainsay_term::{Term, Value};
use gainsay_vc::Statement;

/// A path to report.
pub(super) struct ErrorPath {
    /// The failing check, or the end in error.
    pub(super) at: Statement,
    pub(super) path: Vec<Block>,
    /// The admissible evidence that the implication needs.
    pub(super) testimony: Vec<Testimony>,
    /// Values of relevant parameters with which the path is taken.
    pub(super) values: Vec<(Var, u128)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Testimony {
    /// The test, or the store that may alias a load.
    pub(super) at: Statement,
    pub(super) claim: Claim,
}

impl Testimony {
    /// Whether the block's own condition testifies, not an alias of one of its stores.
    pub(super) fn is_of_edge(&self, block: Block) -> bool {
        self.at.block == block && !matches!(self.claim, Claim::Places(_))
    }
}

/// The part of `a <= b` that is taken (section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComparisonPart {
    Whole,
    Equal(Expr, Expr),
    Less(Expr, Expr),
}

impl PathSearcher<'_> {
    /// Conditions 2 and 3 for one path.
    pub(super) fn judge(&mut self, path: &[Block], at: Statement) -> Option<ErrorPath> {
        let mut predicates = self.predicates(path, at)?;
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
        if self.is_predetermined(&must_be_exact) || !self.walk.is_exact(&must_be_exact) {
            return None;
        }
        let all = self.walk.pool_mut().all(&asserted);
        let negated_goal = self.walk.pool_mut().not(all);
        let n_predicates = predicates.len();
        for case in self.cases(&predicates, negated_goal) {
            predicates.truncate(n_predicates);
            predicates.extend(case);
            if let Some(found) = self.judge_case(path, at, &predicates, negated_goal) {
                return Some(found);
            }
        }
        None
    }

    /// Conditions 2 and 3 with one outcome for every pointer case split.
    fn judge_case(
        &mut self,
        path: &[Block],
        at: Statement,
        predicates: &[PathPredicate],
        negated_goal: Term,
    ) -> Option<ErrorPath> {
        if !self.covers_inputs(predicates, negated_goal) {
            return None;
        }
        let whole: Vec<ComparisonPart> = predicates.iter().map(|_| ComparisonPart::Whole).collect();
        if let Some(core) = self.implied(predicates, &whole, negated_goal) {
            return self.found(path, at, predicates, &whole, &core);
        }
        if !self.graph.settings.splits {
            return None;
        }
        let about = unknowns(self.walk.pool(), &[negated_goal]);
        let may_split: Vec<usize> = (0..predicates.len())
            .rev()
            .filter(|&i| predicates[i].sides.is_some())
            .filter(|&i| !unknowns(self.walk.pool(), &[predicates[i].term]).is_disjoint(&about))
            .take(EVIDENCE_SPLITS)
            .collect();
        for &chosen in &may_split {
            let Some(parts) = self.parts(predicates, chosen) else { continue };
            if let Some(core) = self.implied(predicates, &parts, negated_goal) {
                return self.found(path, at, predicates, &parts, &core);
            }
        }
        None
    }

    /// The part of each comparison that is taken, with equality for the chosen one.
    fn parts(&mut self, predicates: &[PathPredicate], chosen: usize) -> Option<Vec<ComparisonPart>> {
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
        let part = |predicate: &PathPredicate| match predicate.sides {
            Some(((a, _), (b, _))) if truths.next() == Some(true) => ComparisonPart::Equal(a, b),
            Some(((a, _), (b, _))) => ComparisonPart::Less(a, b),
            None => ComparisonPart::Whole,
        };
        Some(predicates.iter().map(part).collect())
    }

    /// The term that the edge asserts, for the part taken.
    fn claim_term(&mut self, predicate: &PathPredicate, part: ComparisonPart) -> Term {
        let equal = predicate.sides.map(|((_, a), (_, b))| self.walk.pool_mut().eq(a, b));
        match (part, equal) {
            (ComparisonPart::Equal(..), Some(equal)) => equal,
            (ComparisonPart::Less(..), Some(equal)) => {
                let differs = self.walk.pool_mut().not(equal);
                self.walk.pool_mut().and(predicate.term, differs)
            }
            _ => predicate.term,
        }
    }

    /// Whether the admissible predicates mention all inputs that the asserted ones depend on; otherwise they
    /// cannot imply them. (If a pointer case split fixes which value is loaded, the inputs of the other value
    /// need not be mentioned.)
    fn covers_inputs(&self, predicates: &[PathPredicate], negated_goal: Term) -> bool {
        if predicates.iter().any(|predicate| matches!(predicate.claim, Some(Claim::Places(_)))) {
            return true;
        }
        let pool = self.walk.pool();
        let mut about = unknowns(pool, &[negated_goal]);
        for (base, size) in self.walk.objects() {
            about.remove(&base);
            size.iter().for_each(|size| {
                about.remove(size);
            });
        }
        let admissible = predicates.iter().filter(|predicate| predicate.evidence == Evidence::Admissible);
        let terms: Vec<Term> = admissible.map(|predicate| predicate.term).collect();
        about.is_subset(&unknowns(pool, &terms))
    }

    /// Condition 3: indices of the admissible predicates that the implication needs.
    fn implied(
        &mut self,
        predicates: &[PathPredicate],
        parts: &[ComparisonPart],
        negated_goal: Term,
    ) -> Option<Vec<usize>> {
        let mut numbers: Vec<(usize, Term)> = Vec::new();
        for (i, predicate) in predicates.iter().enumerate() {
            if predicate.evidence == Evidence::Admissible {
                numbers.push((i, self.claim_term(predicate, parts[i])));
            }
        }
        if self.walk.pool().as_bool(negated_goal) == Some(false) {
            return Some(Vec::new());
        }
        let mut terms: Vec<Term> = numbers.iter().map(|&(_, term)| term).collect();
        terms.push(negated_goal);
        if self.ask(&terms) != Answer::Unsat {
            return None;
        }
        let core = minimal_core(self.session, self.walk.pool(), &terms, self.budget);
        let mut needed: Vec<usize> = Vec::new();
        for term in core.terms {
            // If two predicates are equal, the earlier one testifies.
            needed.extend(numbers.iter().find(|(_, claim)| *claim == term).map(|(i, _)| *i));
        }
        needed.sort_unstable();
        Some(needed)
    }

    /// Condition 2, and input values that show it.
    fn found(
        &mut self,
        path: &[Block],
        at: Statement,
        predicates: &[PathPredicate],
        parts: &[ComparisonPart],
        core: &[usize],
    ) -> Option<ErrorPath> {
        if self.graph.settings.correlated == Evidence::Asserted && self.is_correlated(predicates, core) {
            return None;
        }
        let mut assumed: Vec<Term> = Vec::new();
        for (predicate, &part) in predicates.iter().zip(parts) {
            assumed.push(self.claim_term(predicate, part));
        }
        if self.graph.settings.beyond == Evidence::Asserted && self.starts_beyond(predicates, &assumed) {
            return None;
        }
        let params: Vec<Var> = self.function.params.clone();
        let about = unknowns(self.walk.pool(), &assumed);
        let inputs: Vec<Term> = about.iter().copied().collect();
        assumed.extend(self.walk.same_contents(&inputs));
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
            let claim = match parts[i] {
                ComparisonPart::Whole => predicates[i].claim?,
                ComparisonPart::Equal(a, b) => Claim::Equal(a, b),
                ComparisonPart::Less(a, b) => Claim::Less(a, b),
            };
            Some(Testimony { at: predicates[i].at, claim })
        });
        Some(ErrorPath { at, path: path.to_vec(), testimony: testimony.collect(), values: values.collect() })
    }
}
