//! Annotations of statements: `assert`, `admit`, and the clauses of the loop that follows.

use super::{Env, GOAL, KNOWN, Sense};
use crate::clang::ast::{NodeId, Stmt, Unit};
use crate::contract::{ClauseKind, Expr as Term};
use crate::lower::Purpose;
use crate::lower::function::FunctionCx;
use gainsay_ir::check::Check;
use gainsay_ir::source_map::Raw;

impl FunctionCx<'_> {
    /// The annotations between `after` and a statement. Those of a loop are kept for it.
    pub(in crate::lower) fn annotations_before(&mut self, stmt: NodeId, after: Raw) {
        let begin = self.unit.span(stmt).begin;
        self.loop_at = (begin & MACRO == 0 && is_loop(self.unit, stmt)).then_some(begin);
        if self.notes.first().is_none_or(|note| note.begin >= begin) || begin & MACRO != 0 {
            return;
        }
        self.annotate(after, begin, is_loop(self.unit, stmt));
    }

    /// The annotations after the last statement of a block.
    pub(in crate::lower) fn annotations_at_end(&mut self, after: Raw, end: Raw) {
        if end & MACRO == 0 {
            self.annotate(after, end, false);
        }
    }

    fn annotate(&mut self, after: Raw, before: Raw, is_loop: bool) {
        let here = self.loc;
        let n = self.notes.iter().take_while(|note| note.begin < before).count();
        for note in self.notes.drain(..n).collect::<Vec<_>>() {
            for problem in &note.annotation.problems {
                self.problem(note.begin + problem.offset, problem.message.clone());
            }
            for clause in &note.annotation.clauses {
                let at = note.begin + clause.offset;
                if note.begin < after {
                    self.problem(at, "the annotation stands before no statement of a block".into());
                    continue;
                }
                match &clause.kind {
                    ClauseKind::Assert(holds) => {
                        let mut env = self.in_body(GOAL);
                        self.assert_clause(at, Check::Annotation, &mut env, holds);
                        if self.options.purpose == Purpose::Prove && has_quantifier(holds) {
                            let mut env = self.in_body(KNOWN);
                            self.assume(at, &mut env, holds);
                        }
                    }
                    ClauseKind::Admit(holds) => {
                        let mut env = self.in_body(KNOWN);
                        self.assume(at, &mut env, holds);
                        self.admitted.push(self.loc);
                    }
                    ClauseKind::Invariant(_) | ClauseKind::LoopAssigns(_) | ClauseKind::Variant(_)
                        if is_loop =>
                    {
                        self.loop_notes.add(at, clause.kind.clone());
                    }
                    ClauseKind::Invariant(_) | ClauseKind::LoopAssigns(_) | ClauseKind::Variant(_) => {
                        self.problem(at, "no loop follows this clause".into());
                    }
                    _ => self.problem(at, "this clause belongs before a function".into()),
                }
            }
        }
        self.loc = here;
    }

    /// Reports annotations that belong to no statement.
    pub(in crate::lower) fn report_unattached_annotations(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.problem(note.begin, "the annotation stands before no statement of a block".into());
        }
    }

    pub(super) fn in_body(&mut self, sense: Sense) -> Env {
        let mut env = Env::new(sense);
        env.locals = true;
        env.olds = self.olds.clone();
        env
    }
}

/// Locations in macro expansions have this bit.
// not a limit: clang's encoding of locations
const MACRO: Raw = 1 << 31;

fn is_loop(unit: &Unit, stmt: NodeId) -> bool {
    match unit.stmt(stmt) {
        Stmt::While { .. } | Stmt::Do { .. } | Stmt::For { .. } => true,
        Stmt::Label { body: Some(body), .. } => is_loop(unit, body),
        Stmt::Attributed(inner) => is_loop(unit, inner),
        _ => false,
    }
}

fn has_quantifier(term: &Term) -> bool {
    match term {
        Term::Quantified { .. } => true,
        Term::Not(inner) => has_quantifier(inner),
        Term::All(parts) | Term::Any(parts) => parts.iter().any(has_quantifier),
        _ => false,
    }
}
