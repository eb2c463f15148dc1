//! The predicates along one path, with their evidence (evidence-based-analysis, section 3).

use super::kinds::EdgeKind;
use super::path::PathEdge;
use super::places::Alias;
use super::search::PathSearcher;
use super::settings::Evidence;
use super::suspects::unknowns;
use gainsay_ir::check::Check;
use gainsay_ir::gc::BinaryOp;
use gainsay_ir::passive::{Block, CmdKind, Expr, ExprData};
use gainsay_ir::types::Type;
use gainsay_term::{Node, Term};
use gainsay_vc::{Statement, Step};

// not a limit: model of the address space, whose last bytes belong to no object
const LAST_BYTES: u128 = 0xffff;

/// The fact that is expected to occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Holds(Expr),
    Equal(Expr, Expr),
    Less(Expr, Expr),
    Places(Alias),
}

/// One predicate of a path, with its evidence.
pub(super) struct PathPredicate {
    pub(super) at: Statement,
    /// The fact, if it is a branch edge of the source or an outcome of a pointer case split.
    pub(super) claim: Option<Claim>,
    pub(super) term: Term,
    pub(super) evidence: Evidence,
    /// The operands of a comparison that includes equality.
    pub(super) sides: Option<((Expr, Term), (Expr, Term))>,
    /// It is assumed, not checked.
    pub(super) is_assumed: bool,
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
    /// The predicates along the path in order; the last is the failure itself.
    pub(super) fn predicates(&mut self, path: &[Block], at: Statement) -> Option<Vec<PathPredicate>> {
        self.walk.change_path();
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
                if self.graph.callee_check(at.block).is_some()
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
}
