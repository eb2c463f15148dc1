//! Instances of universally quantified assumptions, at the indices that occur in the addresses of the function and of the
//! goal. Every instance is implied, so a missing one can only lose a proof.

use super::super::limits::{MAX_INDICES, MAX_INSTANCES};
use super::super::{Encoder, Statement};
use gainsay_ir::gc::{BinaryOp, VarKind};
use gainsay_ir::passive::{self, CmdKind, Effect, Expr, ExprData, Var};
use gainsay_term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// What a condition depends on: universally quantified variables.
struct Quantified {
    vars: Vec<Var>,
    /// Temporaries that depend on them, in order, with their definitions.
    temps: Vec<(Var, Expr)>,
}

impl Encoder<'_> {
    /// Does the condition depend on quantified variables? Then it is instantiated at the end.
    pub(in super::super) fn is_quantified(&self, holds: Expr) -> bool {
        !self.quantified(holds).vars.is_empty()
    }

    pub(in super::super) fn instantiate_later(&mut self, statement: Statement, passed: Term) {
        self.exact.quantified.push((statement, passed));
    }

    pub(in super::super) fn instantiate(&mut self) {
        let indices = self.indices();
        for (statement, passed) in std::mem::take(&mut self.exact.quantified) {
            let cmd = &self.function.blocks[statement.block].cmds[statement.index as usize];
            match cmd.kind {
                CmdKind::Assume(holds) => {
                    for instance in self.instances(holds, &indices) {
                        let fact = self.pool.implies(passed, instance);
                        self.facts.push(fact);
                    }
                }
                CmdKind::Assert(_, holds) => {
                    let instances = self.instances(holds, &indices);
                    let any = self.pool.any(&instances);
                    self.fails(statement, passed, any);
                }
                _ => {}
            }
        }
    }

    /// What the expression depends on.
    fn quantified(&self, holds: Expr) -> Quantified {
        let mut found = Quantified { vars: Vec::new(), temps: Vec::new() };
        self.depends(holds, &mut BTreeMap::new(), &mut found);
        found
    }

    fn depends(&self, expr: Expr, seen: &mut BTreeMap<Expr, bool>, found: &mut Quantified) -> bool {
        if let Some(&depends) = seen.get(&expr) {
            return depends;
        }
        let data = self.function.exprs[expr];
        let mut depends = false;
        for part in data.operands() {
            depends |= self.depends(part, seen, found);
        }
        if let ExprData::Var(var) = data {
            depends = if self.is_universal(var) {
                if !found.vars.contains(&var) {
                    found.vars.push(var);
                }
                true
            } else if found.temps.iter().any(|(temp, _)| *temp == var) {
                true
            } else if let Some(value) = self.definition(var) {
                let depends = self.depends(value, seen, found);
                if depends {
                    found.temps.push((var, value));
                }
                depends
            } else {
                false
            };
        }
        seen.insert(expr, depends);
        depends
    }

    /// The condition for every choice of indices.
    fn instances(&mut self, holds: Expr, indices: &[Term]) -> Vec<Term> {
        let Quantified { vars, temps } = self.quantified(holds);
        let before: Vec<(Var, Option<Term>)> = vars
            .iter()
            .copied()
            .chain(temps.iter().map(|&(temp, _)| temp))
            .map(|var| (var, self.vars[var]))
            .collect();
        let mut instances = Vec::new();
        let mut choice = vec![0; vars.len()];
        'all: while !indices.is_empty() && instances.len() < MAX_INSTANCES {
            self.round += 1;
            for (&var, &at) in vars.iter().zip(&choice) {
                let index = self.fitted(indices[at], var);
                self.vars[var] = Some(index);
            }
            for &(temp, value) in &temps {
                let value = self.expr(value);
                self.vars[temp] = Some(value);
            }
            instances.push(self.expr(holds));
            let mut place = 0;
            loop {
                if place == choice.len() {
                    break 'all;
                }
                choice[place] += 1;
                if choice[place] < indices.len() {
                    break;
                }
                choice[place] = 0;
                place += 1;
            }
        }
        self.round += 1;
        for (var, term) in before {
            self.vars[var] = term;
        }
        instances
    }

    /// An index in the width of the variable.
    fn fitted(&mut self, index: Term, var: Var) -> Term {
        let passive::Sort::Value(ty) = self.function.vars[var].sort else { return index };
        let Sort::BitVec(width) = self.sort(ty) else { return index };
        let from = self.pool.width(index);
        if from > width {
            self.pool.extract(width - 1, 0, index)
        } else {
            self.pool.sign_extend(width - from, index)
        }
    }

    /// The variables whose values asserts other than the goal choose.
    fn chosen_elsewhere(&self) -> BTreeSet<Var> {
        let (mut elsewhere, mut own) = (BTreeSet::new(), BTreeSet::new());
        for (block, data) in &self.function.blocks {
            for (index, cmd) in data.cmds.iter().enumerate() {
                let CmdKind::Assert(_, holds) = cmd.kind else { continue };
                let statement = Statement { block, index: index as u32 };
                let chosen = if self.options.goal == Some(statement) { &mut own } else { &mut elsewhere };
                self.chosen(holds, &mut BTreeSet::new(), chosen);
            }
        }
        elsewhere.retain(|var| !own.contains(var));
        elsewhere
    }

    fn chosen(&self, expr: Expr, seen: &mut BTreeSet<Expr>, found: &mut BTreeSet<Var>) {
        if !seen.insert(expr) {
            return;
        }
        let data = self.function.exprs[expr];
        if let ExprData::Var(var) = data {
            match (self.function.vars[var].of, self.definition(var)) {
                (passive::VarOf::Source(source), _)
                    if self.function.sources[source].kind == VarKind::Chosen =>
                {
                    found.insert(var);
                }
                (_, Some(value)) => self.chosen(value, seen, found),
                _ => {}
            }
        }
        for part in data.operands() {
            self.chosen(part, seen, found);
        }
    }

    /// The terms that are added to pointers, in elements.
    fn indices(&mut self) -> Vec<Term> {
        let elsewhere = self.chosen_elsewhere();
        let mut addresses: Vec<Expr> = Vec::new();
        for data in self.function.blocks.values() {
            for cmd in &data.cmds {
                match &cmd.kind {
                    CmdKind::Update { effect: Effect::Store { addr, .. }, .. } => addresses.push(*addr),
                    CmdKind::Define(_, value) => addresses.push(*value),
                    CmdKind::Assume(holds) | CmdKind::Assert(_, holds) => addresses.push(*holds),
                    CmdKind::Update { .. } => {}
                }
            }
        }
        let mut terms = Vec::new();
        let mut seen = BTreeSet::new();
        while let Some(expr) = addresses.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let data = self.function.exprs[expr];
            addresses.extend(data.operands());
            let ExprData::Binary(BinaryOp::PtrAdd, _, offset) = data else { continue };
            let index = match self.function.exprs[offset] {
                ExprData::Binary(BinaryOp::Mul, index, _) => index,
                _ => offset,
            };
            let mut chosen = BTreeSet::new();
            self.chosen(index, &mut BTreeSet::new(), &mut chosen);
            if self.is_quantified(index) || !chosen.is_disjoint(&elsewhere) {
                continue;
            }
            if let Some(term) = self.known(index)
                && !terms.contains(&term)
            {
                terms.push(term);
            }
        }
        terms.sort();
        terms.truncate(MAX_INDICES);
        terms
    }
}
