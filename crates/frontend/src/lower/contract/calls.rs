//! Calls of functions with a contract.

use super::value::{Meaning, Value};
use super::{Contract, Env, GOAL, KNOWN, collect_old};
use crate::ast::{DeclId, Type, TypeId};
use crate::contract::ClauseKind;
use crate::lower::Purpose;
use crate::lower::function::FunctionCx;
use crate::lower::types::{is_void, value_type};
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{Callee, Clobber, CmdKind, Expr};
use gainsay_ir::types;

/// What was seen before a call that counts after it.
pub(in crate::lower) struct Before {
    params: Vec<Meaning<Value>>,
    olds: Vec<(crate::contract::Expr, Meaning<Value>)>,
    /// What the callee may write, if it says so and only its word counts.
    pub(in crate::lower) writes: Option<Vec<(Expr, Expr)>>,
}

impl FunctionCx<'_> {
    /// At a call, with the arguments as they are passed: what must hold. None where no contract says anything.
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
        if self.options.purpose != Purpose::Prove {
            return before;
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

    /// Instead of the call, where the callee says what it writes.
    pub(in crate::lower) fn call_by_contract(
        &mut self,
        ranges: &[(Expr, Expr)],
        result: Option<types::Type>,
    ) -> Option<Expr> {
        for &(addr, len) in ranges {
            self.emit(CmdKind::Clobber(Clobber::Range { addr, len }));
        }
        result.map(|ty| self.unknown(ty))
    }

    /// After the call: what the callee promises.
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

    /// None where the arguments are not of the declared types (K&R).
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
