//! Contracts of functions: what `requires` says is assumed where the function begins and asserted where it is called.
//!
//! All clauses of all declarations of a function hold together. A clause that is not understood is a gap: nothing is
//! assumed and nothing asserted. In a function with a contract signed arithmetic must not overflow, as every tool that
//! reads such contracts has it: the contract speaks of mathematical integers.

mod emit;
mod meaning;

use super::function::FunctionCx;
use super::types::{is_void, value_type};
use crate::ast::{Comment, DeclId, Type, Unit};
use crate::contract::clauses;
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{Callee, CmdKind, Expr};
use gainsay_ir::source_map::{Raw, Span};
use gainsay_ir::types;
use meaning::Formula;
use std::collections::BTreeMap;

/// The contracts of a unit, by function.
#[derive(Default)]
pub(super) struct Contracts(BTreeMap<DeclId, Contract>);

#[derive(Default)]
pub(super) struct Contract {
    requires: Vec<Requires>,
    /// Clauses that are not understood.
    skipped: Vec<Raw>,
}

struct Requires {
    at: Raw,
    holds: Formula,
}

impl Contracts {
    pub(super) fn of_unit(unit: &Unit) -> Contracts {
        let mut contracts = Contracts::default();
        for comment in unit.comments() {
            if let Some(function) = comment.function {
                contracts.read(unit, function, &comment);
            }
        }
        contracts
    }

    fn read(&mut self, unit: &Unit, function: DeclId, comment: &Comment) {
        let params = unit.members(function);
        for clause in clauses(&comment.text) {
            let contract = self.0.entry(function).or_default();
            let at = comment.begin + clause.offset;
            let type_of = |name: &str| {
                let index = comment.params.iter().position(|param| param == name)?;
                Some((index, unit.decl_type(*params.get(index)?)))
            };
            let holds = clause.requires.and_then(|expr| meaning::formula(unit, &type_of, &expr));
            match holds {
                Some(holds) => contract.requires.push(Requires { at, holds }),
                None => contract.skipped.push(at),
            }
        }
    }

    /// Is there a clause that is understood?
    pub(super) fn speak_of(&self, function: DeclId) -> bool {
        self.0.get(&function).is_some_and(|contract| !contract.requires.is_empty())
    }

    /// The gaps in contracts of functions that are only declared.
    pub(super) fn gaps_of_declarations(&self, unit: &Unit) -> Vec<(Gap, Span)> {
        let declared = self.0.iter().filter(|(function, _)| unit.init(**function).is_none());
        declared
            .flat_map(|(_, contract)| contract.skipped.iter().map(|&at| (Gap::Contract, point(at))))
            .collect()
    }
}

fn point(at: Raw) -> Span {
    Span { at, begin: at, end: at }
}

impl FunctionCx<'_> {
    /// At the entry: nobody calls the function otherwise.
    pub(super) fn assume_preconditions(&mut self) {
        let contracts = self.contracts;
        let Some(contract) = contracts.0.get(&self.decl) else { return };
        let entry = self.loc;
        for &at in &contract.skipped {
            self.loc = self.spans.push(point(at));
            self.gap(Gap::Contract);
        }
        let values: Vec<Expr> = self.function.params.clone().into_iter().map(|var| self.read(var)).collect();
        for Requires { at, holds } in &contract.requires {
            self.loc = self.spans.push(point(*at));
            match self.precondition(self.decl, holds, &values) {
                Some(holds) => self.emit(CmdKind::Assume(holds)),
                None => self.gap(Gap::Contract),
            }
        }
        self.loc = entry;
    }

    /// At a call: `args` as they are passed.
    pub(super) fn check_preconditions(&mut self, function: Option<DeclId>, callee: Callee, args: &[Expr]) {
        let (Some(function), Callee::Symbol(_)) = (function, callee) else { return };
        let contracts = self.contracts;
        let Some(contract) = contracts.0.get(&function) else { return };
        for Requires { holds, .. } in &contract.requires {
            match self.precondition(function, holds, args) {
                Some(holds) if self.as_const(holds) == Some(1) => {}
                Some(holds) => self.emit(CmdKind::Assert(Check::Precondition, holds)),
                None => self.gap(Gap::Contract),
            }
        }
    }

    /// The condition over the values passed; none where they are not of the declared types (K&R).
    fn precondition(&mut self, function: DeclId, holds: &Formula, passed: &[Expr]) -> Option<Expr> {
        let Type::Function { result, .. } = self.unit.ty(self.unit.decl_type(function)) else { return None };
        let hidden = value_type(self.unit, result).is_none() && !is_void(self.unit, result);
        let values = passed.get(usize::from(hidden)..)?;
        let params = self.unit.members(function);
        let fits = params.len() <= values.len()
            && params.iter().zip(values).all(|(&param, &value)| {
                let declared = value_type(self.unit, self.unit.decl_type(param));
                declared.unwrap_or(types::Type::Ptr) == self.ty(value)
            });
        fits.then(|| self.formula(holds, values))
    }
}
