//! The assignments that a contradiction needs, apart from the statements of its core.

use super::{Core, Question, is_written_by_user};
use crate::limits::TRIED_DEFINITIONS;
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{CmdKind, Definition, Effect, Expr, Function, Var};
use gainsay_vc::Statement;
use std::collections::BTreeSet;

impl Question<'_> {
    /// The definitions that the contradiction needs.
    pub(super) fn definitions(&mut self, core: &Core) -> Vec<Statement> {
        let mut forgotten = BTreeSet::new();
        let mut needed = Vec::new();
        for candidate in candidates(self.function, core) {
            forgotten.insert(candidate);
            if !self.is_contradictory(core, &forgotten) {
                forgotten.remove(&candidate);
                needed.push(candidate);
            }
        }
        needed.sort();
        needed
    }
}

/// Assignments of user variables and stores that the conditions of the core are computed from, nearest first.
fn candidates(function: &Function, core: &Core) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut seen: EntitySet<Var> = EntitySet::new();
    let mut exprs: Vec<Expr> = Vec::new();
    for statement in core.before.iter().chain(&core.after) {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        if let Some(CmdKind::Assume(holds) | CmdKind::Assert(_, holds)) = cmd.map(|cmd| &cmd.kind) {
            exprs.push(*holds);
        }
    }
    let mut next = 0;
    while next < exprs.len() && found.len() < TRIED_DEFINITIONS {
        let data = function.exprs[exprs[next]];
        next += 1;
        exprs.extend(data.operands());
        let mut vars: Vec<Var> = data.var().into_iter().collect();
        while let Some(var) = vars.pop() {
            if !seen.insert(var) {
                continue;
            }
            match function.vars[var].definition {
                Definition::Entry | Definition::Fresh(..) => {}
                Definition::Phi(block) => {
                    let phi = function.blocks[block].phis.iter().find(|phi| phi.var == var);
                    vars.extend(phi.into_iter().flat_map(|phi| &phi.sources).map(|&(_, source)| source));
                }
                Definition::Command(block, index) => {
                    let statement = Statement { block, index };
                    match &function.blocks[block].cmds[index as usize].kind {
                        CmdKind::Define(_, value) => {
                            exprs.push(*value);
                            if is_written_by_user(function, var) {
                                found.push(statement);
                            }
                        }
                        CmdKind::Update { before, effect, .. } => {
                            match effect {
                                Effect::Store { value, .. } => {
                                    exprs.push(*value);
                                    found.push(statement);
                                }
                                Effect::Free { .. } => found.push(statement),
                                _ => {}
                            }
                            vars.push(*before);
                        }
                        CmdKind::Assume(_) | CmdKind::Assert(..) => {}
                    }
                }
            }
        }
    }
    found.truncate(TRIED_DEFINITIONS);
    found
}
