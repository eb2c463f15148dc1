//! What goes together: a path that takes outcomes of tests which depend on each other, in a way that nothing here knows of,
//! persuades nobody (papers/evidence-based-analysis, sections 4.5 and 6; the paper accepts such reports, the default does not).

use super::search::Searcher;
use super::suspects::unknowns;
use crate::evidence::judge_path::{Predicate, Said};
use gainsay_ir::gc::{BinaryOp, Symbol};
use gainsay_ir::passive::{Block, Callee, CmdKind, Definition, Effect, ExprData, Function, Sort, Var};
use gainsay_solver::Answer;
use gainsay_term::Term;
use std::collections::BTreeMap;

/// By block: the variables that get any value there, and before which command.
pub(super) type Fresh = BTreeMap<Block, Vec<(Var, u32)>>;

/// What a call gave.
pub(super) struct AnswerOf {
    result: Term,
    callee: Option<Symbol>,
    /// The objects that it was given and that may change.
    about: Vec<Term>,
    /// It was given constants alone, so what it gives is known to everybody but us: `strcmp("a", "b")`.
    is_settled: bool,
}

/// Not the results of calls, which say themselves what they were given.
pub(super) fn fresh(function: &Function) -> Fresh {
    let mut fresh = Fresh::new();
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

impl Searcher<'_> {
    /// Notes what the calls of a block that was just entered are given and give. Of what is modelled in the library no call is
    /// left: the checks before it tell what it was given.
    pub(super) fn listen(&mut self, block: Block) {
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
            let is_settled = !given.is_empty() && given.iter().all(|&pointer| self.walk.is_constant(pointer));
            let about = given.into_iter().map(|pointer| self.walk.object_of(pointer)).collect();
            let result = self.walk.variable(result);
            self.answers.push(AnswerOf { result, callee: None, about, is_settled });
        }
        for cmd in cmds {
            let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { continue };
            let Some(result) = call.result else { continue };
            let given: Vec<Term> = call.args.iter().map(|&arg| self.walk.value(arg)).collect();
            let is_constant = |term: &Term| self.walk.pool().as_bits(*term).is_some();
            let (constant, others): (Vec<Term>, Vec<Term>) =
                given.into_iter().partition(|term| is_constant(term) || self.walk.is_constant(*term));
            let is_settled = others.is_empty() && !constant.is_empty() && call.writes.is_some();
            let about = others.into_iter().map(|term| self.walk.object_of(term)).collect();
            let result = self.walk.variable(result);
            let callee = match call.callee {
                Callee::Symbol(symbol) => Some(symbol),
                Callee::Pointer(_) => None,
            };
            self.answers.push(AnswerOf { result, callee, about, is_settled });
        }
    }

    /// The objects that inputs were found in, or that calls were given which gave them.
    fn objects_behind(&self, inputs: &[Term]) -> Vec<Term> {
        let mut objects = self.walk.found_in(inputs);
        let answers = self.answers.iter().filter(|one| inputs.contains(&one.result));
        objects.extend(answers.flat_map(|one| &one.about));
        objects
    }

    /// Do the terms depend on what a call gave that was given constants alone?
    pub(super) fn is_settled(&self, terms: &[Term]) -> bool {
        let about = unknowns(self.walk.pool(), terms);
        self.answers.iter().any(|one| one.is_settled && about.contains(&one.result))
    }

    /// Does the path take an outcome of a test of something beside what testifies: another member of the same object, another
    /// global, or what a call said of the object? Members of one object testify together for nothing.
    pub(super) fn is_correlated(&self, predicates: &[Predicate], core: &[usize]) -> bool {
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
        if are_members || self.asks_and_looks(predicates) {
            return true;
        }
        let mut others = predicates.iter().enumerate().filter(|(i, other)| {
            let is_test = matches!(other.said, Some(Said::Holds(_)));
            is_test && !core.contains(i)
        });
        others.any(|(_, other)| {
            let beside = unknowns(pool, &[other.term]);
            if about.iter().any(|term| beside.contains(term)) {
                return false;
            }
            let beside: Vec<Term> = beside.into_iter().collect();
            let others = self.objects_behind(&beside);
            others.iter().any(|base| bases.contains(base))
                || bases.iter().any(is_global) && others.iter().any(is_global)
        })
    }

    /// Is a loop not entered because it would start beyond its bound, not at it? A count is not negative.
    pub(super) fn starts_beyond(&mut self, predicates: &[Predicate], assumed: &[Term]) -> bool {
        let bounds: Vec<(Term, Term)> = predicates.iter().filter_map(|one| one.bound).collect();
        bounds.into_iter().any(|(start, bound)| {
            let mut all = assumed.to_vec();
            all.push(self.walk.pool_mut().eq(start, bound));
            // As the last question before a report: it is asked whatever there is left to ask with.
            self.session.check(self.walk.pool(), &all, self.budget) != Answer::Sat
        })
    }

    /// Does the path take outcomes of two tests of one object, of what a call said of it and of what it holds, or of what a call
    /// said of it twice? (`strlen(s) == 0` and `*s != 0`)
    fn asks_and_looks(&self, predicates: &[Predicate]) -> bool {
        let tests = predicates.iter().filter(|one| matches!(one.said, Some(Said::Holds(_))));
        let terms: Vec<Vec<Term>> =
            tests.map(|one| unknowns(self.walk.pool(), &[one.term]).into_iter().collect()).collect();
        let looked_at: Vec<Term> = terms.iter().flat_map(|inputs| self.walk.found_in(inputs)).collect();
        let is_asked = |one: &&AnswerOf| terms.iter().any(|inputs| inputs.contains(&one.result));
        let asked: Vec<&AnswerOf> = self.answers.iter().filter(is_asked).collect();
        let is_twice = |(n, one): (usize, &&AnswerOf)| {
            let is_same = |two: &&AnswerOf| two.about == one.about && two.callee == one.callee;
            one.callee.is_some() && !one.about.is_empty() && asked[..n].iter().any(is_same)
        };
        asked.iter().flat_map(|one| &one.about).any(|object| looked_at.contains(object))
            || asked.iter().enumerate().any(is_twice)
    }
}
