//! Judges one path: its predicates with their evidence, and conditions 2 and 3 (evidence-based-analysis,
//! section 3, Definitions 2 and 3).

use super::kinds::EdgeKind;
use super::path::PathEdge;
use super::places::Alias;
use super::search::PathSearcher;
use super::settings::Evidence;
use super::suspects::unknowns;
use gainsay_ir::check::Check;
use gainsay_ir::gc::BinaryOp;
use gainsay_ir::passive::{Block, CmdKind, Expr, ExprData, Var};
use gainsay_ir::types::Type;
use gainsay_solver::{Answer, minimal_core};
use gainsay_term::Node;
use gainsay_term::{Term, Value};
use gainsay_vc::{Statement, Step};

const MOST_SPLITS: usize = 6;

const LAST_BYTES: u128 = 0xffff;

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

/// The fact that is expected to occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Holds(Expr),
    Equal(Expr, Expr),
    Less(Expr, Expr),
    Places(Alias),
}

/// The part of `a <= b` that is taken (section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComparisonPart {
    Whole,
    Equal(Expr, Expr),
    Less(Expr, Expr),
}

/// One predicate of a path, with its evidence.
pub(super) struct PathPredicate {
    pub(super) at: Statement,
    /// The fact, if it is a branch edge of the source or an outcome of a pointer case split.
    pub(super) claim: Option<Claim>,
    pub(super) term: Term,
    pub(super) evidence: Evidence,
    /// The operands of a comparison that includes equality.
    sides: Option<((Expr, Term), (Expr, Term))>,
    is_assumed: bool,
    /// Start and bound of a loop that ends without an iteration.
    pub(super) bound: Option<(Term, Term)>,
}

impl PathPredicate {
    /// An outcome of a pointer case split.
    pub(super) fn of_places(at: Statement, alias: Alias, term: Term, evidence: Evidence) -> PathPredicate {
        let claim = Some(Claim::Places(alias));
        PathPredicate { at, claim, term, evidence, sides: None, is_assumed: true, bound: None }
    }
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
            .take(MOST_SPLITS)
            .collect();
        for &chosen in &may_split {
            let Some(parts) = self.parts(predicates, chosen) else { continue };
            if let Some(core) = self.implied(predicates, &parts, negated_goal) {
                return self.found(path, at, predicates, &parts, &core);
            }
        }
        None
    }

    /// The predicates along the path in order; the last is the failure itself.
    fn predicates(&mut self, path: &[Block], at: Statement) -> Option<Vec<PathPredicate>> {
        self.walk.turn();
        let edges = self.graph.edges(path);
        let mut predicates = Vec::new();
        let mut steps = Vec::new();
        let mut from = None;
        let mut comes_to_error = false;
        self.call_results.clear();
        for (&block, edge) in path.iter().zip(edges) {
            comes_to_error |= edge.is_some_and(|edge| edge.kind == EdgeKind::ToError);
            steps.clear();
            self.walk.enter(block, from, &mut steps);
            from = Some(block);
            let data = &self.function.blocks[block];
            self.record_calls(block);
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
                    // A function that only aborts does so on purpose.
                    if deliberate && !comes_to_error {
                        return None;
                    }
                    predicates.push(PathPredicate {
                        at,
                        claim: None,
                        term: violated,
                        evidence: self.graph.settings.error,
                        sides: None,
                        is_assumed: true,
                        bound: None,
                    });
                    return Some(self.with_objects(predicates));
                }
                let is_edge = index == 0 && data.branch.is_some();
                let edge = edge.filter(|_| is_edge);
                let evidence = edge
                    .map_or(Evidence::Inadmissible, |edge| self.evidence(edge, at, cmd.condition(), term));
                let may_split = edge.is_some_and(|edge| edge.kind.splits());
                if let CmdKind::Assert(check, _) = cmd.kind
                    && let Some(lies) = self.lies_in_object(check, term)
                {
                    predicates.push(PathPredicate {
                        at: Statement { block, index: index as u32 },
                        claim: None,
                        term: lies,
                        evidence: Evidence::Inadmissible,
                        sides: None,
                        is_assumed: false,
                        bound: None,
                    });
                }
                let ends_at_once =
                    edge.is_some_and(|edge| matches!(edge.kind, EdgeKind::LoopEnd(_)) && edge.rounds <= 1);
                let bound = if ends_at_once { self.sides(cmd.condition()) } else { None };
                predicates.push(PathPredicate {
                    at: Statement { block, index: index as u32 },
                    claim: edge.and(cmd.condition()).map(Claim::Holds),
                    term,
                    evidence,
                    sides: if may_split { self.sides(cmd.condition()) } else { None },
                    is_assumed: matches!(cmd.kind, CmdKind::Assume(_)),
                    bound: bound.map(|((_, a), (_, b))| (a, b)),
                });
            }
        }
        let is_end = at.index as usize == self.function.blocks[at.block].cmds.len();
        (is_end && comes_to_error).then(|| self.with_objects(predicates))
    }

    /// The evidence of an edge with this condition on a path to the check at `at`.
    fn evidence(&self, edge: PathEdge, at: Statement, condition: Option<Expr>, term: Term) -> Evidence {
        let settings = self.graph.settings;
        let check = match self.function.blocks[at.block].cmds.get(at.index as usize).map(|cmd| &cmd.kind) {
            Some(CmdKind::Assert(check, _)) => Some(*check),
            _ => None,
        };
        match edge.kind {
            EdgeKind::LoopEnd(_) if edge.rounds <= 1 && check == Some(Check::Uninitialised) => settings.unset,
            EdgeKind::Callee
                if self.graph.site(at.block).is_some()
                    && (self.finds_null(condition) || self.is_behind_pointers(term)) =>
            {
                settings.held
            }
            _ => edge.evidence,
        }
    }

    /// Whether the term depends on the contents of objects reached through pointers.
    fn is_behind_pointers(&self, term: Term) -> bool {
        let about: Vec<Term> = unknowns(self.walk.pool(), &[term]).into_iter().collect();
        self.walk.found_in(&about).into_iter().any(|base| !self.walk.is_global(base))
    }

    fn finds_null(&self, condition: Option<Expr>) -> bool {
        let exprs = &self.function.exprs;
        condition.is_some_and(|condition| match exprs[condition] {
            ExprData::Binary(BinaryOp::Eq, a, b) => {
                [a, b].iter().any(|&side| exprs[side] == ExprData::Const(Type::Ptr, 0))
            }
            _ => false,
        })
    }

    /// A dereferenced address lies in an object, and objects end well before the end of the address space: `p
    /// + 1` is not NULL.
    fn lies_in_object(&mut self, check: Check, holds: Term) -> Option<Term> {
        let pool = self.walk.pool_mut();
        let (Check::NullDereference, Node::Not(is_null)) = (check, pool.node(holds)) else { return None };
        let Node::Eq(a, b) = pool.node(is_null) else { return None };
        let address = if pool.as_bits(a) == Some(0) { b } else { a };
        let width = pool.width(address);
        let last = pool.bits(width, ((1u128 << width) - 1) - LAST_BYTES);
        Some(pool.bv_ule(address, last))
    }

    /// Asserts that no object wraps around the end of the address space; otherwise `p < end` could fail at
    /// once.
    fn with_objects(&mut self, predicates: Vec<PathPredicate>) -> Vec<PathPredicate> {
        for (base, size) in self.walk.objects() {
            let Some(size) = size.filter(|_| self.bounded_objects.insert(base)) else { continue };
            let pool = self.walk.pool_mut();
            let most = pool.bv_not(size);
            let fits = pool.bv_ule(base, most);
            self.session.assert(self.walk.pool(), fits);
        }
        predicates
    }

    /// The operands of an integer comparison `a <= b`.
    fn sides(&mut self, condition: Option<Expr>) -> Option<((Expr, Term), (Expr, Term))> {
        let ExprData::Binary(BinaryOp::SLe | BinaryOp::ULe, a, b) = self.function.exprs[condition?] else {
            return None;
        };
        let (a_value, b_value) = (self.walk.value(a), self.walk.value(b));
        // `a + b < a` tests for overflow; `b == 0` is not a case that its author had in mind.
        let pool = self.walk.pool();
        let is_boundary = unknowns(pool, &[a_value]).is_disjoint(&unknowns(pool, &[b_value]));
        is_boundary.then_some(((a, a_value), (b, b_value)))
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
