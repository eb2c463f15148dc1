//! A summary of each function of a program, callees first, from the body facts alone.
//!
//! Functions that call each other are summarised together: each part of the summary is a fixed point. Soundness depends on
//! where the iteration starts:
//!
//! - may-facts (written, freed, retained, a check that can fail) grow from the empty set: whatever a run does, a finite
//!   chain of calls does it;
//! - must-facts about calls that return (`nonnull`, facts about the result) shrink from everything: a call that returned
//!   made only calls that returned, and fewer of them;
//! - how a run ends: "never returns" grows from nothing, "never exits" shrinks from everything, because recursion alone
//!   ends nowhere.

mod effects;
mod exit_state;
mod flow;
mod null_tests;
mod returns;
mod walk;

use crate::body_facts::{AbstractValue, BodyFacts};
use crate::link::{Callees, Definition, FunctionId, Program};
use crate::schedule::for_each_component;
use crate::summary::{Atom, GlobalName, ParamFacts, ResultFacts, Returns, Summary};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::{Index, IndexMut};
use std::rc::Rc;
use std::sync::OnceLock;

/// How summaries are computed.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub threads: NonZeroUsize,
    /// Also compute suggestions, which are no proofs: checks that can fail, results that may be NULL, tests for NULL.
    pub suggestions: bool,
}

/// The summaries of all functions of a program, in the order of [`Program::functions`].
pub fn summarize(program: &Program, effort: Effort) -> Vec<Summary> {
    let callees = |function: &crate::link::ProgramFunction| {
        let calls = function.definitions.iter().flat_map(|definition| &definition.calls);
        let mut ids: Vec<FunctionId> = calls
            .flat_map(|callees| match callees {
                Callees::Known(ids) => ids.as_slice(),
                Callees::Outside | Callees::Unknown => &[],
            })
            .copied()
            .collect();
        ids.sort();
        ids.dedup();
        ids
    };
    let graph: Vec<Vec<FunctionId>> = program.functions.iter().map(callees).collect();
    let done: Vec<OnceLock<PartialSummary>> = program.functions.iter().map(|_| OnceLock::new()).collect();
    for_each_component(&graph, effort.threads, &|component| {
        let is_open = |id: FunctionId| program.functions[id].is_open;
        for &id in component.iter().filter(|&&id| is_open(id)) {
            done[id].get_or_init(PartialSummary::unknown);
        }
        let members: Vec<FunctionId> = component.iter().copied().filter(|&id| !is_open(id)).collect();
        let own = members.iter().map(|_| PartialSummary::unknown()).collect();
        let mut work = Summarizer {
            program,
            callees: &graph,
            known: PartialSummaries { done: &done, members: &members, own },
            suggestions: effort.suggestions,
            is_recursive: component.len() > 1 || graph[component[0]].contains(&component[0]),
            notes: RefCell::default(),
        };
        work.summarize(&members);
        for (&id, known) in members.iter().zip(work.known.own) {
            done[id].get_or_init(|| known);
        }
    });
    done.into_iter().map(|known| known.into_inner().unwrap_or_else(PartialSummary::unknown).summary).collect()
}

/// The summary of the function of that name; [`Summary::top`] if the program has none.
pub fn of_name<'a>(program: &Program, summaries: &'a [Summary], name: &GlobalName) -> Cow<'a, Summary> {
    match program.find(name) {
        Some(id) => Cow::Borrowed(&summaries[id]),
        None => Cow::Owned(Summary::top()),
    }
}

/// The state of the fixed point for one function.
#[derive(Clone, Debug)]
struct PartialSummary {
    summary: Summary,
    ends: returns::Ends,
    /// A path to a return was found; before that, `summary.result` is meaningless.
    has_result: bool,
}

impl PartialSummary {
    fn unknown() -> PartialSummary {
        PartialSummary { summary: Summary::top(), ends: returns::Ends::default(), has_result: true }
    }

    /// For a call whose effects are already listed in the body facts of the caller.
    fn listed(args: usize) -> PartialSummary {
        let facts = ParamFacts { nonnull: false, may_be_freed: false, may_escape: false };
        let summary = Summary { writes: Some(Vec::new()), params: vec![facts; args], ..Summary::top() };
        PartialSummary { summary, ..PartialSummary::unknown() }
    }

    /// For a call of one or the other.
    fn join(&self, other: &PartialSummary) -> PartialSummary {
        let mut summary = self.summary.join(&other.summary);
        match (self.has_result, other.has_result) {
            (true, false) => summary.result = self.summary.result,
            (false, true) => summary.result = other.summary.result,
            _ => {}
        }
        PartialSummary {
            summary,
            ends: self.ends.join(other.ends),
            has_result: self.has_result || other.has_result,
        }
    }
}

/// The finished summaries, and the partial ones of the members of the component.
struct PartialSummaries<'a> {
    done: &'a [OnceLock<PartialSummary>],
    /// In order.
    members: &'a [FunctionId],
    own: Vec<PartialSummary>,
}

impl PartialSummaries<'_> {
    fn number(&self, id: FunctionId) -> usize {
        self.members.binary_search(&id).expect("callees come first")
    }
}

impl Index<FunctionId> for PartialSummaries<'_> {
    type Output = PartialSummary;

    fn index(&self, id: FunctionId) -> &PartialSummary {
        self.done[id].get().unwrap_or_else(|| &self.own[self.number(id)])
    }
}

impl IndexMut<FunctionId> for PartialSummaries<'_> {
    fn index_mut(&mut self, id: FunctionId) -> &mut PartialSummary {
        let number = self.number(id);
        &mut self.own[number]
    }
}

/// The functions of one component of the call graph.
struct Summarizer<'a> {
    program: &'a Program,
    callees: &'a [Vec<FunctionId>],
    known: PartialSummaries<'a>,
    suggestions: bool,
    /// Do the functions of the component call each other?
    is_recursive: bool,
    /// Intermediate results that several steps need, by definition.
    notes: RefCell<BTreeMap<(FunctionId, usize), BodyNotes>>,
}

/// Intermediate results of one definition that no longer change.
#[derive(Default)]
struct BodyNotes {
    /// Set once it is known how runs end.
    seen_calls: Option<Rc<[bool]>>,
    /// Set only if no callee is still being summarised.
    flow: Option<Rc<flow::FlowResult>>,
}

impl<'a> Summarizer<'a> {
    fn summarize(&mut self, members: &[FunctionId]) {
        for &id in members {
            self.known[id] = self.at_start(id);
        }
        self.find_ends(members);
        self.find_kept(members);
        self.find_nonnull(members);
        self.find_leaves_if(members);
        self.find_results(members);
        self.find_writes(members);
        self.find_exit_state(members);
        if self.suggestions {
            self.find_null_tests(members);
            self.find_can_fail(members);
            self.find_null_returns(members);
        }
    }

    /// The start of the iteration.
    fn at_start(&self, id: FunctionId) -> PartialSummary {
        let definitions = &self.program.functions[id].definitions;
        let params =
            definitions.iter().map(|one| self.program.body_facts(one).params.len()).max().unwrap_or(0);
        let facts = ParamFacts { nonnull: false, may_be_freed: false, may_escape: false };
        let summary = Summary {
            returns: Returns::Maybe,
            writes: Some(Vec::new()),
            result: ResultFacts::default(),
            params: vec![facts; params],
            leaves_if: Vec::new(),
            exit_state: Vec::new(),
            can_fail: Vec::new(),
            may_return_null: false,
            null_tested: Vec::new(),
        };
        PartialSummary { summary, ends: returns::Ends::default(), has_result: false }
    }

    fn definitions(&self, id: FunctionId) -> impl Iterator<Item = Body<'a>> + use<'a> {
        let program = self.program;
        program.functions[id].definitions.iter().enumerate().map(move |(number, definition)| Body {
            name: (id, number),
            definition,
            body_facts: program.body_facts(definition),
            pointer_bits: program.units[definition.unit].pointer_bits,
        })
    }

    /// What is known of what a call calls.
    fn callee(&self, body: &Body, call: u32) -> Cow<'_, PartialSummary> {
        match &body.definition.calls[call as usize] {
            Callees::Outside | Callees::Unknown if body.body_facts.calls[call as usize].is_listed => {
                Cow::Owned(PartialSummary::listed(body.body_facts.calls[call as usize].args.len()))
            }
            Callees::Outside => {
                Cow::Owned(PartialSummary { summary: Summary::outside(), ..PartialSummary::unknown() })
            }
            Callees::Unknown => Cow::Owned(PartialSummary::unknown()),
            Callees::Known(ids) => match ids.as_slice() {
                [id] => Cow::Borrowed(&self.known[*id]),
                ids => {
                    let all = ids.iter().map(|&id| &self.known[id]);
                    let joined = all.cloned().reduce(|a, b| a.join(&b));
                    Cow::Owned(joined.unwrap_or_else(PartialSummary::unknown))
                }
            },
        }
    }

    /// Repeats the step until it changes no member. A step depends only on callees, so only callers of a changed member are
    /// visited again.
    fn until_stable(
        &mut self,
        members: &[FunctionId],
        mut step: impl FnMut(&mut Summarizer<'a>, FunctionId, usize) -> bool,
    ) {
        let mut is_due = vec![true; members.len()];
        let callers = if self.is_recursive { self.callers(members) } else { Vec::new() };
        for round in 0.. {
            let mut is_done = true;
            for (number, &id) in members.iter().enumerate() {
                if std::mem::replace(&mut is_due[number], false) && step(self, id, round) {
                    for &caller in callers.get(number).into_iter().flatten() {
                        is_due[caller] = true;
                        is_done &= caller > number;
                    }
                }
            }
            if is_done {
                break;
            }
        }
    }

    /// For each member, the numbers of the members that call it.
    fn callers(&self, members: &[FunctionId]) -> Vec<Vec<usize>> {
        let mut callers = vec![Vec::new(); members.len()];
        for (number, &id) in members.iter().enumerate() {
            for callee in self.callees[id].iter().filter_map(|callee| members.binary_search(callee).ok()) {
                callers[callee].push(number);
            }
        }
        callers
    }
}

/// One definition of a function.
struct Body<'a> {
    name: (FunctionId, usize),
    definition: &'a Definition,
    body_facts: &'a BodyFacts,
    pointer_bits: u16,
}

impl Body<'_> {
    fn params(&self) -> u32 {
        self.body_facts.params.len() as u32
    }

    fn bits(&self, slot: u32) -> u16 {
        self.body_facts.slots[slot as usize].bits(self.pointer_bits)
    }

    /// Does one of the atoms imply this one?
    fn implied(&self, known: &[Atom], atom: Atom) -> bool {
        known.iter().any(|one| one.implies(atom, self.bits(atom.param)))
    }

    fn excluded(&self, known: &[Atom], atom: Atom) -> bool {
        known.iter().any(|one| one.excludes(atom, self.bits(atom.param)))
    }

    /// The callee's atom in terms of the caller: a truth value, or an atom over a slot.
    fn at_call(&self, call: u32, atom: Atom) -> AtCall {
        let Some(arg) = self.body_facts.calls[call as usize].args.get(atom.param as usize) else {
            return AtCall::Unknown;
        };
        match arg.value {
            AbstractValue::Const(value) => AtCall::Is(atom.holds(value, arg.ty.bits(self.pointer_bits))),
            AbstractValue::Slot(slot) if self.body_facts.slots[slot as usize] == arg.ty => {
                AtCall::Atom(Atom { param: slot, ..atom })
            }
            AbstractValue::Address if atom.value == 0 => match atom.op {
                crate::summary::AtomOp::Eq => AtCall::Is(false),
                crate::summary::AtomOp::Ne => AtCall::Is(true),
                _ => AtCall::Unknown,
            },
            _ => AtCall::Unknown,
        }
    }

    /// Do the atoms imply the callee's condition at the call?
    fn holds_at_call(&self, call: u32, condition: &[Atom], known: &[Atom]) -> bool {
        condition.iter().all(|&atom| match self.at_call(call, atom) {
            AtCall::Is(holds) => holds,
            AtCall::Atom(atom) => self.implied(known, atom),
            AtCall::Unknown => false,
        })
    }
}

enum AtCall {
    Is(bool),
    Atom(Atom),
    Unknown,
}

/// Argument `param` is NULL.
fn is_null(param: u32) -> Atom {
    Atom { param, op: crate::summary::AtomOp::Eq, value: 0 }
}
