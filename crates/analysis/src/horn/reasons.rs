//! Fault localisation: which conditions and checks of the source a proof rests on (horn-clauses-with-loops,
//! section 5).

use super::build::{Encoded, point};
use super::{HornProblem, Proof};
use crate::explain::reachable;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, Loc};
use gainsay_ir::passive::{Cmd, CmdKind, Function};
use gainsay_solver::horn::{System, reasons};
use gainsay_solver::{Budget, Session};
use gainsay_term::Term;
use gainsay_vc::{Options, Statement};

/// A statement that the proof needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    /// The block of the function that it belongs to.
    pub block: gc::Block,
    pub loc: Loc,
    pub role: Role,
    /// Its index among the checks of the same kind at the same location.
    pub nth: usize,
    /// It is on runs after the edge was passed; otherwise before.
    pub after: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A condition or another assumption.
    Condition,
    Check(Check),
    /// The run ends in error.
    Error,
}

impl HornProblem {
    /// The statements that the proof about an edge rests on; `None` if they cannot be determined.
    pub fn reasons(
        &mut self,
        session: &mut Session,
        unit: &gc::Unit,
        edge: usize,
        proof: &Proof,
        budget: Budget,
    ) -> Option<Vec<Needed>> {
        let options = Options { by_statement: true, ..Options::default() };
        let points = self.cuts.iter().map(|cut| point(unit, &self.f, cut)).collect();
        let (mut pieces, mut forms) = (Vec::new(), Vec::new());
        let mut switches: Vec<Vec<(Statement, Term)>> = Vec::new();
        for segment in &self.segments {
            let encoded = Encoded::new(unit, segment, &options);
            let edge_block = segment.copies.get(&self.edges[edge]).and_then(|&copy| encoded.blocks[copy]);
            switches.push(encoded.vc.switches.clone());
            forms.push((encoded.form.clone(), edge_block));
            pieces.push(encoded.piece(segment, &self.cuts, &self.edges));
        }
        // Checks are dropped before conditions.
        for (switches, (form, _)) in switches.iter_mut().zip(&forms) {
            switches.sort_by_key(|(statement, _)| !is_check(form, *statement));
        }
        let mut switched = System { points, pieces };
        let terms: Vec<Vec<Term>> =
            switches.iter().map(|switches| switches.iter().map(|(_, term)| *term).collect()).collect();
        let invariants = &proof.invariants;
        let used =
            reasons(session, &mut self.prover.system, &mut switched, &terms, edge, invariants, budget)?;
        let mut needed: Vec<Needed> = Vec::new();
        for used in used {
            let (form, edge_block) = &forms[used.piece];
            let behind = edge_block.map(|block| reachable(form, block)).unwrap_or_default();
            for (statement, switch) in &switches[used.piece] {
                if !used.switches.contains(switch) {
                    continue;
                }
                let after = used.passed || used.takes && behind.contains(statement.block);
                let source = form.blocks[statement.block].source;
                let is_end_of_piece = self.segments[used.piece].ends.iter().any(|&(_, end)| end == source);
                let (false, Some((loc, role))) = (is_end_of_piece, meaning(form, *statement)) else {
                    continue;
                };
                let copies = &self.segments[used.piece].copies;
                let Some((&block, _)) = copies.iter().find(|(_, copy)| **copy == source) else { continue };
                let nth = earlier(form, *statement);
                let one = Needed { block, loc, role, nth, after };
                if !needed.contains(&one) {
                    needed.push(one);
                }
            }
        }
        needed.sort_by_key(|one| (one.loc, one.after));
        Some(needed)
    }
}

fn is_check(form: &Function, statement: Statement) -> bool {
    let cmd = form.blocks[statement.block].cmds.get(statement.index as usize);
    cmd.is_none_or(|cmd| matches!(cmd.kind, CmdKind::Assert(..)))
}

/// The number of checks of the same kind and location before the statement in its block.
fn earlier(form: &Function, statement: Statement) -> usize {
    let cmds = &form.blocks[statement.block].cmds;
    let index = statement.index as usize;
    let Some(CmdKind::Assert(check, _)) = cmds.get(index).map(|cmd| &cmd.kind) else { return 0 };
    let is_alike = |cmd: &&Cmd| {
        cmd.loc == cmds[index].loc && matches!(&cmd.kind, CmdKind::Assert(other, _) if other == check)
    };
    cmds[..index].iter().filter(is_alike).count()
}

/// `None` if the statement has no location.
fn meaning(form: &Function, statement: Statement) -> Option<(Loc, Role)> {
    let cmds = &form.blocks[statement.block].cmds;
    match cmds.get(statement.index as usize) {
        Some(cmd) => match cmd.kind {
            CmdKind::Assert(check, _) => Some((cmd.loc, Role::Check(check))),
            _ => Some((cmd.loc, Role::Condition)),
        },
        None => cmds.last().map(|cmd| (cmd.loc, Role::Error)),
    }
}
