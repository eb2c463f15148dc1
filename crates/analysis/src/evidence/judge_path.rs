//! One path before the court: its predicates with their evidence, and the paper's conditions 2 and 3.

use super::kinds::Kind;
use super::path::Edge;
use super::places::Alias;
use super::search::Searcher;
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

/// Relational operators on a path that are taken apart.
const MOST_SPLITS: usize = 6;

/// Where no object ends.
const LAST_BYTES: u128 = 0xffff;

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
    /// The test, or the store that may meet a load.
    pub(super) at: Statement,
    pub(super) said: Said,
}

impl Testimony {
    /// Is it the edge itself that testifies?
    pub(super) fn is_of_edge(&self, block: Block) -> bool {
        self.at.block == block && !matches!(self.said, Said::Places(_))
    }
}

/// What is expected to occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Holds(Expr),
    Equal(Expr, Expr),
    Less(Expr, Expr),
    Places(Alias),
}

/// Of `a <= b` (section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Equal(Expr, Expr),
    Less(Expr, Expr),
}

/// One predicate of a path.
pub(super) struct Predicate {
    pub(super) at: Statement,
    /// What it says, if it is an edge that somebody wrote, or a case of pointer analysis.
    pub(super) said: Option<Said>,
    pub(super) term: Term,
    pub(super) evidence: Evidence,
    /// Both sides of a relational operator that has an equal part.
    sides: Option<((Expr, Term), (Expr, Term))>,
    is_assumed: bool,
    /// Start and bound of a loop that ends before it began.
    pub(super) bound: Option<(Term, Term)>,
}

impl Predicate {
    /// An outcome of a case split of pointer analysis.
    pub(super) fn of_places(at: Statement, alias: Alias, term: Term, evidence: Evidence) -> Predicate {
        let said = Some(Said::Places(alias));
        Predicate { at, said, term, evidence, sides: None, is_assumed: true, bound: None }
    }
}

impl Searcher<'_> {
    /// Conditions 2 and 3 of the paper for one path.
    pub(super) fn judge(&mut self, path: &[Block], at: Statement) -> Option<Found> {
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
        if self.is_settled(&must_be_exact) || !self.walk.is_exact(&must_be_exact) {
            return None;
        }
        let all = self.walk.pool_mut().all(&asserted);
        let denied = self.walk.pool_mut().not(all);
        let n_predicates = predicates.len();
        for case in self.cases(&predicates, denied) {
            predicates.truncate(n_predicates);
            predicates.extend(case);
            if let Some(found) = self.judge_case(path, at, &predicates, denied) {
                return Some(found);
            }
        }
        None
    }

    /// The same with one outcome for every case split of pointer analysis.
    fn judge_case(
        &mut self,
        path: &[Block],
        at: Statement,
        predicates: &[Predicate],
        denied: Term,
    ) -> Option<Found> {
        if !self.is_spoken_of(predicates, denied) {
            return None;
        }
        let whole: Vec<Part> = predicates.iter().map(|_| Part::Whole).collect();
        if let Some(core) = self.implied(predicates, &whole, denied) {
            return self.found(path, at, predicates, &whole, &core);
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
            let Some(parts) = self.parts(predicates, chosen) else { continue };
            if let Some(core) = self.implied(predicates, &parts, denied) {
                return self.found(path, at, predicates, &parts, &core);
            }
        }
        None
    }

    /// What holds along the path, in order; the last is the failure itself.
    fn predicates(&mut self, path: &[Block], at: Statement) -> Option<Vec<Predicate>> {
        self.walk.change_path();
        let edges = self.graph.edges(path);
        let mut predicates = Vec::new();
        let mut steps = Vec::new();
        let mut from = None;
        let mut comes_to_error = false;
        self.answers.clear();
        for (&block, edge) in path.iter().zip(edges) {
            comes_to_error |= edge.is_some_and(|edge| edge.kind == Kind::ToError);
            steps.clear();
            self.walk.enter(block, from, &mut steps);
            from = Some(block);
            let data = &self.function.blocks[block];
            self.listen(block);
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
                        at,
                        said: None,
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
                    predicates.push(Predicate {
                        at: Statement { block, index: index as u32 },
                        said: None,
                        term: lies,
                        evidence: Evidence::Inadmissible,
                        sides: None,
                        is_assumed: false,
                        bound: None,
                    });
                }
                let ends_at_once =
                    edge.is_some_and(|edge| matches!(edge.kind, Kind::LoopEnd(_)) && edge.rounds <= 1);
                let bound = if ends_at_once { self.sides(cmd.condition()) } else { None };
                predicates.push(Predicate {
                    at: Statement { block, index: index as u32 },
                    said: edge.and(cmd.condition()).map(Said::Holds),
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

    /// The evidence of an edge on a path to this check; its condition.
    fn evidence(&self, edge: Edge, at: Statement, condition: Option<Expr>, term: Term) -> Evidence {
        let settings = self.graph.settings;
        let check = match self.function.blocks[at.block].cmds.get(at.index as usize).map(|cmd| &cmd.kind) {
            Some(CmdKind::Assert(check, _)) => Some(*check),
            _ => None,
        };
        match edge.kind {
            Kind::LoopEnd(_) if edge.rounds <= 1 && check == Some(Check::Uninitialised) => settings.unset,
            Kind::Callee
                if self.graph.site(at.block).is_some()
                    && (self.finds_null(condition) || self.is_behind_pointers(term)) =>
            {
                settings.held
            }
            _ => edge.evidence,
        }
    }

    /// Does it depend on what objects hold that pointers lead to?
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

    /// What was dereferenced lies in an object, and objects end well before the address space: `p + 1` is not NULL.
    fn lies_in_object(&mut self, check: Check, holds: Term) -> Option<Term> {
        let pool = self.walk.pool_mut();
        let (Check::NullDereference, Node::Not(is_null)) = (check, pool.node(holds)) else { return None };
        let Node::Eq(a, b) = pool.node(is_null) else { return None };
        let address = if pool.as_bits(a) == Some(0) { b } else { a };
        let width = pool.width(address);
        let last = pool.bits(width, ((1u128 << width) - 1) - LAST_BYTES);
        Some(pool.bv_ule(address, last))
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

    /// Do the admissible predicates speak of all inputs that the asserted ones depend on? Otherwise they do not imply them.
    /// (Where a case of pointer analysis says which value is read, what the other one depends on needs nobody to speak of it.)
    fn is_spoken_of(&self, predicates: &[Predicate], denied: Term) -> bool {
        if predicates.iter().any(|predicate| matches!(predicate.said, Some(Said::Places(_)))) {
            return true;
        }
        let pool = self.walk.pool();
        let mut about = unknowns(pool, &[denied]);
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
        if self.graph.settings.correlated == Evidence::Asserted && self.is_correlated(predicates, core) {
            return None;
        }
        let mut assumed: Vec<Term> = Vec::new();
        for (predicate, &part) in predicates.iter().zip(parts) {
            assumed.push(self.said(predicate, part));
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
            let said = match parts[i] {
                Part::Whole => predicates[i].said?,
                Part::Equal(a, b) => Said::Equal(a, b),
                Part::Less(a, b) => Said::Less(a, b),
            };
            Some(Testimony { at: predicates[i].at, said })
        });
        Some(Found { at, path: path.to_vec(), testimony: testimony.collect(), values: values.collect() })
    }
}
