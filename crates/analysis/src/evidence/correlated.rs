//! Correlated inputs (evidence-based-analysis, sections 4.5 and 6): a path that combines outcomes of tests
//! which may depend on each other in a way that the code does not show is not convincing. The paper accepts
//! such reports; the default settings do not.

use super::predicates::{Claim, PathPredicate};
use super::search::PathSearcher;
use super::suspects::unknowns;
use gainsay_ir::gc::{BinaryOp, Symbol};
use gainsay_ir::passive::{Block, Callee, CmdKind, Definition, Effect, ExprData, Function, Sort, Var};
use gainsay_solver::Answer;
use gainsay_term::Term;
use std::collections::BTreeMap;

/// By block: the variables that are havocked there, and before which command.
pub(super) type FreshVars = BTreeMap<Block, Vec<(Var, u32)>>;

/// The result of a call on the path.
pub(super) struct CallResult {
    result: Term,
    callee: Option<Symbol>,
    /// The objects passed to the call, without constant ones.
    about: Vec<Term>,
    /// The call was passed constants alone, so its result is fixed although it is not modelled: `strcmp("a",
    /// "b")`.
    is_predetermined: bool,
}

/// Havocked variables other than results of calls, which are recorded with their arguments.
pub(super) fn fresh(function: &Function) -> FreshVars {
    let mut fresh = FreshVars::new();
    for (var, data) in &function.vars {
        if let (Definition::Fresh(block, index), Sort::Value(_)) = (data.definition, data.sort)
            && !is_result(function, block, index, var)
        {
            fresh.entry(block).or_default().push((var, index));
        }
    }
    fresh
}

fn is_result(function: &Function, block: Block, index: u32, var: Var) -> bool {
    let cmd = function.blocks[block].cmds.get(index as usize);
    matches!(
        cmd.map(|cmd| &cmd.kind),
        Some(CmdKind::Update { effect: Effect::Call(call), .. }) if call.result == Some(var)
    )
}

impl PathSearcher<'_> {
    /// Records arguments and results of the calls in a block that was just entered. A modelled library
    /// function leaves no call; the checks before its result show its arguments.
    pub(super) fn record_calls(&mut self, block: Block) {
        let cmds = &self.function.blocks[block].cmds;
        for &(result, index) in self.fresh.get(&block).into_iter().flatten() {
            let checks = cmds[..index as usize].iter().rev().map_while(|cmd| match cmd.kind {
                CmdKind::Assert(_, holds) => Some(holds),
                _ => None,
            });
            let mut given = Vec::new();
            for holds in checks {
                if let ExprData::Binary(BinaryOp::Ne, pointer, _) = self.function.exprs[holds] {
                    given.push(self.walk.value(pointer));
                }
            }
            let is_predetermined =
                !given.is_empty() && given.iter().all(|&pointer| self.walk.is_constant(pointer));
            let about = given.into_iter().map(|pointer| self.walk.object_of(pointer)).collect();
            let result = self.walk.variable(result);
            self.call_results.push(CallResult { result, callee: None, about, is_predetermined });
        }
        for cmd in cmds {
            let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { continue };
            let Some(result) = call.result else { continue };
            let given: Vec<Term> = call.args.iter().map(|&arg| self.walk.value(arg)).collect();
            let is_constant = |term: &Term| self.walk.pool().as_bits(*term).is_some();
            let (constant, others): (Vec<Term>, Vec<Term>) =
                given.into_iter().partition(|term| is_constant(term) || self.walk.is_constant(*term));
            let is_predetermined = others.is_empty() && !constant.is_empty() && call.writes.is_some();
            let about = others.into_iter().map(|term| self.walk.object_of(term)).collect();
            let result = self.walk.variable(result);
            let callee = match call.callee {
                Callee::Symbol(symbol) => Some(symbol),
                Callee::Pointer(_) => None,
            };
            self.call_results.push(CallResult { result, callee, about, is_predetermined });
        }
    }

    /// The objects that inputs were read from, or that were passed to the calls that returned them.
    fn objects_behind(&self, inputs: &[Term]) -> Vec<Term> {
        let mut objects = self.walk.found_in(inputs);
        let call_results = self.call_results.iter().filter(|one| inputs.contains(&one.result));
        objects.extend(call_results.flat_map(|one| &one.about));
        objects
    }

    /// Whether the terms depend on the result of a call with constant arguments alone.
    pub(super) fn is_predetermined(&self, terms: &[Term]) -> bool {
        let about = unknowns(self.walk.pool(), terms);
        self.call_results.iter().any(|one| one.is_predetermined && about.contains(&one.result))
    }

    /// Whether the path takes an outcome of a test of something related to the evidence that does not itself
    /// testify: another member of the same object, another global, or the result of a call that was passed
    /// the object. Two members of one object are not independent evidence.
    pub(super) fn is_correlated(&self, predicates: &[PathPredicate], core: &[usize]) -> bool {
        let pool = self.walk.pool();
        let terms: Vec<Term> = core.iter().map(|&i| predicates[i].term).collect();
        let about: Vec<Term> = unknowns(pool, &terms).into_iter().collect();
        let bases = self.objects_behind(&about);
        let is_global = |base: &Term| self.walk.is_global(*base);
        let speaks_of =
            |i: usize| -> Vec<Term> { unknowns(pool, &[predicates[i].term]).into_iter().collect() };
        let are_members = core.iter().enumerate().any(|(n, &one)| {
            let (first, objects) = (speaks_of(one), self.objects_behind(&speaks_of(one)));
            core[..n].iter().any(|&two| {
                let second = speaks_of(two);
                !first.iter().any(|term| second.contains(term))
                    && self.objects_behind(&second).iter().any(|object| objects.contains(object))
            })
        });
        if are_members || self.tests_call_and_contents(predicates) {
            return true;
        }
        let mut others = predicates.iter().enumerate().filter(|(i, other)| {
            let is_test = matches!(other.claim, Some(Claim::Holds(_)));
            is_test && !core.contains(i)
        });
        others.any(|(_, other)| {
            let other_unknowns = unknowns(pool, &[other.term]);
            if about.iter().any(|term| other_unknowns.contains(term)) {
                return false;
            }
            let other_unknowns: Vec<Term> = other_unknowns.into_iter().collect();
            let others = self.objects_behind(&other_unknowns);
            others.iter().any(|base| bases.contains(base))
                || bases.iter().any(is_global) && others.iter().any(is_global)
        })
    }

    /// Whether a loop is not entered because it would start beyond its bound instead of at it. A count is not
    /// negative.
    pub(super) fn starts_beyond(&mut self, predicates: &[PathPredicate], assumed: &[Term]) -> bool {
        let bounds: Vec<(Term, Term)> = predicates.iter().filter_map(|one| one.bound).collect();
        bounds.into_iter().any(|(start, bound)| {
            let mut all = assumed.to_vec();
            all.push(self.walk.pool_mut().eq(start, bound));
            // This is the last query before a report, so it does not count against the limit of queries.
            self.session.check(self.walk.pool(), &all, self.budget) != Answer::Sat
        })
    }

    /// Whether the path takes outcomes of two tests of one object: of a call's result and of the contents, or
    /// of the same call twice (`strlen(s) == 0` and `*s != 0`).
    fn tests_call_and_contents(&self, predicates: &[PathPredicate]) -> bool {
        let tests = predicates.iter().filter(|one| matches!(one.claim, Some(Claim::Holds(_))));
        let terms: Vec<Vec<Term>> =
            tests.map(|one| unknowns(self.walk.pool(), &[one.term]).into_iter().collect()).collect();
        let looked_at: Vec<Term> = terms.iter().flat_map(|inputs| self.walk.found_in(inputs)).collect();
        let is_asked = |one: &&CallResult| terms.iter().any(|inputs| inputs.contains(&one.result));
        let asked: Vec<&CallResult> = self.call_results.iter().filter(is_asked).collect();
        let is_twice = |(n, one): (usize, &&CallResult)| {
            let is_same = |two: &&CallResult| two.about == one.about && two.callee == one.callee;
            one.callee.is_some() && !one.about.is_empty() && asked[..n].iter().any(is_same)
        };
        asked.iter().flat_map(|one| &one.about).any(|object| looked_at.contains(object))
            || asked.iter().enumerate().any(is_twice)
    }
}
