//! Calls of functions with a contract.

use super::value::{Meaning, Value};
use super::{Contract, Env, GOAL, KNOWN, collect_old};
use crate::clang::ast::{DeclId, Type, TypeId};
use crate::contract::{ClauseKind, Compare, Expr as Term};
use crate::lower::Purpose;
use crate::lower::function::FunctionCx;
use crate::lower::types::{is_void, value_type};
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, CHOSEN, Callee, CastOp, Clobber, CmdKind, Expr, ExprData};
use gainsay_ir::types;

/// Values saved before a call for use after it.
pub(in crate::lower) struct Before {
    params: Vec<Meaning<Value>>,
    olds: Vec<(crate::contract::Expr, Meaning<Value>)>,
    /// The ranges that the callee may write, if only its contract counts.
    pub(in crate::lower) writes: Option<Vec<(Expr, Expr)>>,
}

impl FunctionCx<'_> {
    /// At a call, with the arguments as passed: asserts what must hold. `None` without a contract.
    pub(in crate::lower) fn check_preconditions(
        &mut self,
        function: Option<DeclId>,
        callee: Callee,
        args: &[Expr],
    ) -> Option<Before> {
        let (Some(function), Callee::Symbol(_)) = (function, callee) else { return None };
        let contracts = self.contracts;
        let contract = contracts.of_functions.get(&function)?;
        if contract.clauses.is_empty() {
            return None;
        }
        let Some(params) = self.passed_values(function, args) else {
            self.gap(Gap::Contract);
            return None;
        };
        let here = self.loc;
        for clause in &contract.clauses {
            if let ClauseKind::Requires(holds) = &clause.kind {
                let mut env = Env::new(GOAL);
                env.params = clause.params.iter().cloned().zip(params.iter().cloned()).collect();
                match self.clause_truth(&mut env, holds) {
                    Ok(holds) if self.as_const(holds) == Some(1) => {}
                    Ok(holds) => self.emit(CmdKind::Assert(Check::Precondition, holds)),
                    Err(message) => {
                        self.unproved.push((Check::Precondition, here));
                        self.problem(clause.at, message);
                        self.loc = here;
                    }
                }
            }
        }
        Some(self.before_call(function, contract, params))
    }

    fn before_call(&mut self, function: DeclId, contract: &Contract, params: Vec<Meaning<Value>>) -> Before {
        let here = self.loc;
        let mut before = Before { params, olds: Vec::new(), writes: None };
        let name = self.unit.name(function).to_owned();
        if !self.relies_on.contains(&name) {
            self.relies_on.push(name);
        }
        let mut wanted = Vec::new();
        for clause in &contract.clauses {
            if let ClauseKind::Ensures(holds) = &clause.kind {
                collect_old(holds, &clause.params, &mut wanted);
            }
        }
        for (term, names) in wanted {
            let mut env = Env::new(KNOWN);
            env.params = names.into_iter().zip(before.params.iter().cloned()).collect();
            env.sense = None;
            let value = self.term(&mut env, &term).map(|value| self.held(value));
            before.olds.push((term, value));
        }
        match self.options.purpose {
            Purpose::Check => return before,
            Purpose::Refute => {
                self.rely_on_result(function, contract, &mut before);
                return before;
            }
            Purpose::Prove => {}
        }
        for clause in &contract.clauses {
            if let ClauseKind::Assigns(places) = &clause.kind {
                let mut env = Env::new(KNOWN);
                env.params = clause.params.iter().cloned().zip(before.params.iter().cloned()).collect();
                match self.ranges(&mut env, places) {
                    Ok(ranges) => before.writes.get_or_insert_default().extend(ranges),
                    Err(message) => {
                        self.problem(clause.at, message);
                        before.writes = None;
                        break;
                    }
                }
            }
        }
        self.loc = here;
        before
    }

    /// In the search for counterexamples: does the contract determine the result? Only a proved callee is trusted, and
    /// never the function itself.
    fn rely_on_result(&mut self, function: DeclId, contract: &Contract, before: &mut Before) {
        let name = self.unit.name(function);
        if !self.contracts.proved.contains(name) || name == self.unit.name(self.decl) {
            return;
        }
        let mut assigned = contract.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Assigns(places) => Some(places.is_empty()),
            _ => None,
        });
        if assigned.next() != Some(true) || !assigned.all(|is_nothing| is_nothing) {
            return;
        }
        let Type::Function { result, .. } = self.unit.ty(self.unit.decl_type(function)) else { return };
        if !is_void(self.unit, result) {
            let Some((cases, names)) = determined(contract) else { return };
            let here = self.loc;
            let mut env = Env::new(KNOWN);
            env.params = names.into_iter().zip(before.params.iter().cloned()).collect();
            // The search ends where no case applies.
            let Ok(applies) = self.plain_truth(&mut env, &cases) else { return };
            self.emit(CmdKind::Assume(applies));
            self.loc = here;
        }
        before.writes = Some(Vec::new());
    }

    /// Replaces the call of a callee that states what it writes.
    pub(in crate::lower) fn call_by_contract(
        &mut self,
        ranges: &[(Expr, Expr)],
        args: &[Expr],
        result: Option<types::Type>,
    ) -> Option<Expr> {
        let word = self.pointer_bits();
        let can_hold_address = result.is_some_and(|ty| ty.bits(word) >= word);
        if can_hold_address || !ranges.is_empty() {
            self.give_away(args);
        }
        for &(addr, len) in ranges {
            self.emit(CmdKind::Clobber(Clobber::Range { addr, len }));
        }
        let result = self.temp(result?);
        // What the contract asks for is no gap.
        self.function.vars[result].name = format!("{CHOSEN}{}", self.n_temps);
        self.emit(CmdKind::Havoc(result));
        Some(self.read(result))
    }

    /// The callee may have stored or returned these addresses. A condition that is always true makes them escape.
    fn give_away(&mut self, args: &[Expr]) {
        let word = types::Type::Int(self.pointer_bits());
        for &arg in args.iter().filter(|&&arg| self.ty(arg) == types::Type::Ptr).collect::<Vec<_>>() {
            let number = self.push_expr(ExprData::Cast(CastOp::PtrToInt, word, arg), word);
            let always = self.push_expr(ExprData::Binary(BinaryOp::Eq, number, number), types::BOOL);
            self.emit(CmdKind::Assume(always));
        }
    }

    /// After the call: assumes the postconditions.
    pub(in crate::lower) fn assume_postconditions(
        &mut self,
        function: DeclId,
        before: Before,
        result: Option<Expr>,
    ) {
        let contracts = self.contracts;
        let Some(contract) = contracts.of_functions.get(&function) else { return };
        if self.current.is_none() {
            return;
        }
        let Type::Function { result: result_ty, .. } = self.unit.ty(self.unit.decl_type(function)) else {
            return;
        };
        let here = self.loc;
        for clause in &contract.clauses {
            if let ClauseKind::Ensures(holds) = &clause.kind {
                let mut env = Env::new(KNOWN);
                env.params = clause.params.iter().cloned().zip(before.params.iter().cloned()).collect();
                env.olds = before.olds.clone();
                env.result = result
                    .filter(|_| value_type(self.unit, result_ty).is_some())
                    .map(|value| (value, result_ty));
                match self.clause_truth(&mut env, holds) {
                    Ok(holds) => self.emit(CmdKind::Assume(holds)),
                    Err(message) => self.problem(clause.at, message),
                }
                self.loc = here;
            }
        }
    }

    /// `None` if the arguments do not have the declared types (K&R).
    fn passed_values(&mut self, function: DeclId, passed: &[Expr]) -> Option<Vec<Meaning<Value>>> {
        let Type::Function { result, .. } = self.unit.ty(self.unit.decl_type(function)) else { return None };
        let hidden = value_type(self.unit, result).is_none() && !is_void(self.unit, result);
        let values = passed.get(usize::from(hidden)..)?.to_vec();
        let params: Vec<TypeId> =
            self.unit.members(function).iter().map(|&param| self.unit.decl_type(param)).collect();
        let fits = params.len() <= values.len()
            && params.iter().zip(&values).all(|(&param, &value)| {
                value_type(self.unit, param).unwrap_or(types::Type::Ptr) == self.ty(value)
            });
        if !fits {
            return None;
        }
        let mut typed = Vec::new();
        for (&ty, &value) in params.iter().zip(&values) {
            let value = self.typed(value, ty);
            typed.push(value.map(|value| self.held(value)));
        }
        Some(typed)
    }
}

/// The cases in which the contract determines the result, with the parameter names that they use.
fn determined(contract: &Contract) -> Option<(Term, Vec<String>)> {
    for clause in &contract.clauses {
        let ClauseKind::Ensures(holds) = &clause.kind else { continue };
        if conjuncts(holds).any(is_value_of_result) {
            return Some((Term::Truth(true), clause.params.clone()));
        }
    }
    let mut cases = Vec::new();
    let mut names: Option<&Vec<String>> = None;
    for clause in &contract.clauses {
        let ClauseKind::Ensures(holds) = &clause.kind else { continue };
        for case in conjuncts(holds).filter_map(case_of_result) {
            if names.is_some_and(|names| *names != clause.params) {
                return None;
            }
            names = Some(&clause.params);
            cases.push(case);
        }
    }
    Some((Term::Any(cases), names?.clone()))
}

fn conjuncts(term: &Term) -> impl Iterator<Item = &Term> {
    match term {
        Term::All(parts) => parts.iter(),
        other => std::slice::from_ref(other).iter(),
    }
}

/// `\result == e`
fn is_value_of_result(term: &Term) -> bool {
    match term {
        Term::Compare(Compare::Eq, a, b) => match (&**a, &**b) {
            (Term::Result, other) | (other, Term::Result) => is_plain(other),
            _ => false,
        },
        _ => false,
    }
}

/// The condition of `condition ==> \result == e`.
fn case_of_result(term: &Term) -> Option<Term> {
    let Term::Any(parts) = term else { return None };
    let (last, conditions) = parts.split_last()?;
    let mut all = Vec::new();
    for condition in conditions {
        let Term::Not(condition) = condition else { return None };
        // Evaluated before the call.
        all.push(match condition.as_ref() {
            Term::Old(condition) => condition.as_ref().clone(),
            condition => condition.clone(),
        });
    }
    let plain = all.iter().all(is_plain);
    (plain && conjuncts(last).any(is_value_of_result)).then_some(Term::All(all))
}

/// Refers to arguments and constants only, so it has one value.
fn is_plain(term: &Term) -> bool {
    match term {
        Term::Int(_) | Term::Null | Term::Truth(_) | Term::Name(_) => true,
        Term::Neg(a) | Term::Complement(a) | Term::Not(a) | Term::Cast(_, a) | Term::Old(a) => is_plain(a),
        Term::Arith(op, a, b) => {
            let may_have_none = matches!(op, crate::contract::Arith::Div | crate::contract::Arith::Rem);
            !may_have_none && is_plain(a) && is_plain(b)
        }
        Term::Compare(_, a, b) | Term::Iff(a, b) => is_plain(a) && is_plain(b),
        Term::All(parts) | Term::Any(parts) => parts.iter().all(is_plain),
        Term::Ite(c, a, b) => is_plain(c) && is_plain(a) && is_plain(b),
        _ => false,
    }
}
