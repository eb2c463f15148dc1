//! Loops with annotations. `check` asserts an invariant whenever control is at the head. For proofs the invariant is
//! asserted at entry and after each iteration, and assumed at the head, where `cut_loops` then havocs what the loop
//! writes. `loop assigns` becomes `clobber` commands at the head, which replace the memory that the cut would havoc.

use super::frames::Frame;
use super::{GOAL, KNOWN, Purpose};
use crate::contract::{ClauseKind, Expr as Term, Places};
use crate::lower::LoopPlace;
use crate::lower::function::FunctionCx;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Block, Clobber, Cmd, CmdKind, Expr, Loc};
use gainsay_ir::source_map::Raw;

/// The annotations of a loop.
#[derive(Clone, Default)]
pub(in crate::lower) struct LoopNotes {
    invariants: Vec<(Raw, Term)>,
    assigns: Option<(Raw, Vec<Places>)>,
    variant: Option<(Raw, Term)>,
    /// Invariants from [`crate::lower::Help`].
    found: Vec<Term>,
}

impl LoopNotes {
    pub(super) fn add(&mut self, at: Raw, clause: ClauseKind) {
        match clause {
            ClauseKind::Invariant(term) => self.invariants.push((at, term)),
            ClauseKind::LoopAssigns(places) => {
                let all = self.assigns.get_or_insert((at, Vec::new()));
                all.1.extend(places);
            }
            ClauseKind::Variant(term) => self.variant = Some((at, term)),
            _ => {}
        }
    }
}

/// A loop that is being lowered.
pub(in crate::lower) struct Loop {
    notes: LoopNotes,
    head: Block,
    /// Index in the head of the commands that havoc memory.
    place: usize,
    framed: bool,
    variant: Option<(Raw, Expr, u16)>,
    /// Start of the loop, if it can be annotated.
    at: Option<Raw>,
    /// The first location of the loop.
    first: Loc,
}

impl Loop {
    pub(in crate::lower) fn is_annotated(&self) -> bool {
        !self.notes.invariants.is_empty() || self.notes.variant.is_some() || !self.notes.found.is_empty()
    }
}

impl FunctionCx<'_> {
    /// Before the head of a loop is entered.
    pub(in crate::lower) fn before_loop(&mut self, head: Block) -> Loop {
        let mut notes = std::mem::take(&mut self.loop_notes);
        let at = self.loop_at.take();
        let here = self.loc;
        self.n_loops.0 += 1;
        self.n_loops.1 += u32::from(notes.variant.is_some());
        if self.options.purpose == Purpose::Prove {
            for (at, invariant) in &notes.invariants {
                let mut env = self.in_body(GOAL);
                self.assert_clause(*at, Check::InvariantAtEntry, &mut env, invariant);
            }
            let found = at.and_then(|at| self.contracts.found.get(&at)).cloned().unwrap_or_default();
            notes.found = self.assert_found(at.unwrap_or_default(), &found);
        }
        let mut framed = false;
        if let (Some((at, places)), true) = (&notes.assigns, self.options.purpose != Purpose::Check) {
            let mut env = self.in_body(KNOWN);
            match self.ranges(&mut env, places) {
                Ok(ranges) => {
                    self.frames.push(Frame { ranges, objects: Vec::new(), of_loop: true });
                    framed = true;
                }
                Err(message) => self.problem(*at, message),
            }
        }
        self.loc = here;
        let first = self.spans.next_key();
        Loop { notes, head, place: 0, framed, variant: None, at, first }
    }

    /// At the head.
    pub(in crate::lower) fn at_head(&mut self, it: &mut Loop) {
        let here = self.loc;
        it.place = self.function.blocks[it.head].cmds.len();
        for (at, invariant) in it.notes.invariants.clone() {
            if self.options.purpose == Purpose::Prove {
                let mut env = self.in_body(KNOWN);
                self.assume(at, &mut env, &invariant);
            } else {
                let mut env = self.in_body(GOAL);
                self.assert_clause(at, Check::Invariant, &mut env, &invariant);
            }
        }
        for term in &it.notes.found {
            let mut env = self.in_body(KNOWN);
            if let Ok(holds) = self.clause_truth(&mut env, term) {
                self.emit(CmdKind::Assume(holds));
            }
        }
        if let (Some((at, variant)), true) =
            (it.notes.variant.clone(), self.options.purpose != Purpose::Check)
        {
            let mut env = self.in_body(KNOWN);
            match self.integer(&mut env, &variant) {
                Ok((value, width)) => it.variant = Some((at, self.hold(value), width)),
                Err(message) => self.problem(at, message),
            }
        }
        self.loc = here;
    }

    /// After an iteration, before control goes back to the head.
    pub(in crate::lower) fn after_iteration(&mut self, it: &Loop) {
        let here = self.loc;
        if self.options.purpose == Purpose::Prove {
            for (at, invariant) in &it.notes.invariants {
                let mut env = self.in_body(GOAL);
                self.assert_clause(*at, Check::InvariantKept, &mut env, invariant);
            }
            self.assert_found(it.at.unwrap_or_default(), &it.notes.found);
        }
        if let (Some((at, before, _)), Some((_, variant))) = (it.variant, &it.notes.variant) {
            let mut env = self.in_body(KNOWN);
            self.loc = self.spans.push(super::point(at));
            if let Ok((after, width)) = self.integer(&mut env, variant) {
                let zero = self.int(width, 0);
                let natural = self.binary(BinaryOp::SLe, zero, before);
                let less = self.binary(BinaryOp::SLt, after, before);
                let decreases = self.binary(BinaryOp::And, natural, less);
                self.emit(CmdKind::Assert(Check::Variant, decreases));
            }
        }
        self.loc = here;
    }

    /// Asserts inferred invariants and returns those that are supported.
    fn assert_found(&mut self, at: Raw, found: &[Term]) -> Vec<Term> {
        let mut understood = Vec::new();
        for term in found {
            self.loc = self.spans.push(super::point(at));
            let mut env = self.in_body(GOAL);
            let Ok(holds) = self.clause_truth(&mut env, term) else { continue };
            self.emit(CmdKind::Assert(Check::InvariantFound, holds));
            let number = self.contracts.number_of_found(at, term);
            self.found.extend(number.map(|number| (self.loc, at, number)));
            understood.push(term.clone());
        }
        understood
    }

    /// After the loop, when its body is known.
    pub(in crate::lower) fn end_loop(&mut self, it: Loop) {
        if let Some(at) = it.at {
            self.loops.push(LoopPlace { at, locs: it.first.as_u32()..self.spans.next_key().as_u32() });
        }
        if !it.framed {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        if self.options.purpose != Purpose::Prove {
            return;
        }
        let mut ranges = frame.ranges;
        for object in frame.objects {
            let addr = self.address_of(object);
            let len = self.word(self.function.objects[object].size);
            ranges.push((addr, len));
        }
        // Marks that nothing else is havocked.
        ranges.insert(0, (self.null(), self.word(0)));
        let loc = self.loc;
        let forget = ranges.into_iter().map(|(addr, len)| {
            let kind = CmdKind::Clobber(Clobber::Range { addr, len });
            Cmd { kind, loc }
        });
        self.function.blocks[it.head].cmds.splice(it.place..it.place, forget.collect::<Vec<_>>());
    }
}
