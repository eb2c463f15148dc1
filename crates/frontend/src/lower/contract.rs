//! Gives annotations their meaning (universal reachability, section 2). `requires` is assumed at entry and asserted at
//! calls; `ensures` is asserted at returns and assumed after calls; and so on.
//!
//! The clauses of all declarations of a function hold together. An unsupported clause is reported as a problem and
//! counted as a gap; it is neither assumed nor asserted. In a function with a contract, signed arithmetic must not
//! overflow, because contracts are about mathematical integers.
//!
//! `check` uses annotations as the paper does. For `verify` ([`Purpose`]) loops are prepared for being cut at their
//! invariants, a call of a function with `assigns` havocs only that, and writes are checked against `assigns`
//! (docs/decisions/033-verification.md).

mod calls;
mod formula;
mod frames;
mod loops;
mod value;

pub(super) use frames::Frame;
pub(super) use loops::LoopNotes;

use super::function::{FunctionCx, Local};
use super::types::value_type;
use super::{Help, Purpose};
use crate::clang::ast::{DeclId, NodeId, Stmt, TypeId, Unit};
use crate::contract::{Annotation, Clause, ClauseKind, Expr as Term, parse};
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{CmdKind, Expr, Next, Origin, Outcome};
use gainsay_ir::source_map::{Raw, Span};
use std::collections::{BTreeMap, BTreeSet};
use value::{Meaning, Value};

/// The annotations of a unit.
#[derive(Default)]
pub(super) struct Contracts {
    of_functions: BTreeMap<DeclId, Contract>,
    /// Annotations that are not before a function declaration, in order. Those of statements are among them.
    others: Vec<Note>,
    /// Invariants of [`super::Help`], by the position of the loop.
    found: BTreeMap<Raw, Vec<Term>>,
    proved: BTreeSet<String>,
}

#[derive(Default)]
pub(super) struct Contract {
    clauses: Vec<Placed>,
    /// Clauses that are not supported.
    problems: Vec<(Raw, String)>,
}

/// A clause with its position and the parameter names of its declaration.
struct Placed {
    at: Raw,
    kind: ClauseKind,
    params: Vec<String>,
}

/// An annotation in a function.
#[derive(Clone)]
pub(super) struct Note {
    begin: Raw,
    annotation: Annotation,
}

/// The names that are visible in a clause, and how the clause is used.
pub(super) struct Env {
    params: Vec<(String, Meaning<Value>)>,
    result: Option<(Expr, TypeId)>,
    olds: Vec<(Term, Meaning<Value>)>,
    bound: Vec<Bound>,
    /// Are the function's own variables visible?
    locals: bool,
    /// `None` where quantifiers are not allowed.
    sense: Option<Sense>,
}

/// A term and its value at entry.
pub(super) type Old = (Term, Meaning<Value>);

/// The value of an argument.
pub(super) type Passed = Meaning<Value>;

/// A variable of a quantifier.
struct Bound {
    name: String,
    value: Expr,
    width: u16,
    of_all: bool,
}

/// How a condition is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sense {
    /// To be proved, not assumed.
    goal: bool,
    positive: bool,
}

impl Sense {
    fn negated(self) -> Sense {
        Sense { positive: !self.positive, ..self }
    }

    /// Is the condition an assumption at this polarity?
    fn is_known(self) -> bool {
        self.goal != self.positive
    }
}

impl Contracts {
    pub(super) fn of_unit(unit: &Unit) -> Contracts {
        let mut contracts = Contracts::default();
        for comment in unit.comments() {
            let annotation = parse(&comment.text);
            if annotation == Annotation::default() {
                continue;
            }
            let Some(function) = comment.function else {
                contracts.others.push(Note { begin: comment.begin, annotation });
                continue;
            };
            let contract = contracts.of_functions.entry(function).or_default();
            for Clause { offset, kind } in annotation.clauses {
                contract.clauses.push(Placed {
                    at: comment.begin + offset,
                    kind,
                    params: comment.params.clone(),
                });
            }
            let placed = annotation
                .problems
                .into_iter()
                .map(|problem| (comment.begin + problem.offset, problem.message));
            contract.problems.extend(placed);
        }
        contracts
    }

    /// Adds facts from earlier runs. Text that is not a condition is replaced by `true`.
    pub(super) fn with_help(mut self, help: &Help) -> Contracts {
        self.proved.clone_from(&help.proved);
        for (&at, texts) in &help.invariants {
            let clauses = texts.iter().map(|text| parse(&format!("/*@ loop invariant {text}; */")).clauses);
            // One term for each text, so that indices stay valid.
            let terms = clauses.map(|clauses| match clauses.into_iter().next().map(|clause| clause.kind) {
                Some(ClauseKind::Invariant(term)) => term,
                _ => Term::Truth(true),
            });
            self.found.insert(at, terms.collect());
        }
        self
    }

    /// Index of the text that a term was parsed from.
    fn number_of_found(&self, at: Raw, term: &Term) -> Option<usize> {
        self.found.get(&at)?.iter().position(|other| other == term)
    }

    /// Is there a clause that is supported?
    pub(super) fn speak_of(&self, function: DeclId) -> bool {
        self.of_functions.get(&function).is_some_and(|contract| !contract.clauses.is_empty())
    }

    /// The annotations inside a function, in order.
    pub(super) fn inside(&self, span: Span) -> Vec<Note> {
        self.others.iter().filter(|note| span.begin < note.begin && note.begin < span.end).cloned().collect()
    }

    /// Problems of functions that are only declared, and of annotations outside functions.
    pub(super) fn problems_of_declarations(&self, unit: &Unit) -> Vec<(Raw, String)> {
        let declared = self.of_functions.iter().filter(|(function, _)| unit.init(**function).is_none());
        let mut problems: Vec<(Raw, String)> =
            declared.flat_map(|(_, contract)| contract.problems.iter().cloned()).collect();
        let bodies: Vec<Span> = unit.functions().map(|function| unit.decl_span(function)).collect();
        let is_inside =
            |note: &&Note| bodies.iter().any(|body| body.begin < note.begin && note.begin < body.end);
        let stray = self.others.iter().filter(|note| !is_inside(note));
        // Unused functions are not exported, so a stray annotation cannot be told from one of theirs.
        problems.extend(stray.flat_map(|note| {
            let of =
                |problem: &crate::contract::Problem| (note.begin + problem.offset, problem.message.clone());
            note.annotation.problems.iter().map(of)
        }));
        problems
    }
}

fn point(at: Raw) -> Span {
    Span { at, begin: at, end: at }
}

impl Env {
    fn new(sense: Sense) -> Env {
        Env {
            params: Vec::new(),
            result: None,
            olds: Vec::new(),
            bound: Vec::new(),
            locals: false,
            sense: Some(sense),
        }
    }
}

const KNOWN: Sense = Sense { goal: false, positive: true };
const GOAL: Sense = Sense { goal: true, positive: true };

impl FunctionCx<'_> {
    /// At entry: callers must establish the preconditions.
    pub(super) fn assume_preconditions(&mut self) {
        let contracts = self.contracts;
        let entry = self.loc;
        self.notes = contracts.inside(self.unit.decl_span(self.decl));
        let contract = contracts.of_functions.get(&self.decl);
        for (at, message) in contract.map(|contract| contract.problems.clone()).unwrap_or_default() {
            self.problem(at, message);
        }
        for clause in contract.map(|contract| contract.clauses.as_slice()).unwrap_or_default() {
            if let ClauseKind::Requires(holds) = &clause.kind {
                let mut env = self.at_entry(&clause.params, KNOWN);
                self.assume(clause.at, &mut env, holds);
            }
        }
        self.remember_old_values(contract);
        for clause in contract.map(|contract| contract.clauses.as_slice()).unwrap_or_default() {
            match &clause.kind {
                ClauseKind::Assumes(applies) if self.options.purpose == Purpose::Check => {
                    let mut env = self.at_entry(&clause.params, KNOWN);
                    self.choose(clause.at, &mut env, applies);
                }
                ClauseKind::AtEntry(holds) => {
                    let mut env = self.at_entry(&clause.params, GOAL);
                    self.assert_clause(clause.at, Check::Behaviors, &mut env, holds);
                }
                ClauseKind::Assigns(places) => {
                    let mut env = self.at_entry(&clause.params, KNOWN);
                    self.begin_frame(clause.at, &mut env, places);
                }
                ClauseKind::Requires(_) | ClauseKind::Ensures(_) | ClauseKind::Assumes(_) => {}
                _ => self.problem(clause.at, "this clause belongs before a statement".into()),
            }
        }
        self.loc = entry;
    }

    /// The current values of the parameters, by the names of one declaration.
    fn at_entry(&mut self, names: &[String], sense: Sense) -> Env {
        let mut env = Env::new(sense);
        env.params = self.parameter_values(names);
        env
    }

    fn parameter_values(&mut self, names: &[String]) -> Vec<(String, Meaning<Value>)> {
        let members = self.unit.members(self.decl);
        let named: Vec<(String, DeclId)> = names.iter().cloned().zip(members.iter().copied()).collect();
        named.into_iter().map(|(name, param)| (name, self.parameter_value(param))).collect()
    }

    fn parameter_value(&mut self, param: DeclId) -> Meaning<Value> {
        let ty = self.unit.decl_type(param);
        let Some(Local::Var(var)) = self.local(param) else {
            return match (value_type(self.unit, ty), self.variable(param, ty)) {
                (Some(_), mut place) => {
                    place.forget_checks();
                    let value = self.load(&place);
                    self.typed(value, ty)
                }
                (None, _) => {
                    Err(format!("a parameter of type `{}` is not supported", self.unit.spelling(ty)))
                }
            };
        };
        let value = self.read(var);
        self.typed(value, ty)
    }

    /// Saves the operands of `\old` and the arguments.
    fn remember_old_values(&mut self, contract: Option<&Contract>) {
        let mut wanted = Vec::new();
        let clauses = contract.map(|contract| contract.clauses.as_slice()).unwrap_or_default();
        let mut names: Vec<Vec<String>> = Vec::new();
        for clause in clauses {
            if let ClauseKind::Ensures(holds) = &clause.kind {
                collect_old(holds, &clause.params, &mut wanted);
                names.push(clause.params.clone());
            }
        }
        let own: Vec<String> =
            self.unit.members(self.decl).iter().map(|&param| self.unit.name(param).to_owned()).collect();
        for note in self.notes.clone() {
            for clause in &note.annotation.clauses {
                if let ClauseKind::Assert(term) | ClauseKind::Admit(term) | ClauseKind::Invariant(term) =
                    &clause.kind
                {
                    collect_old(term, &own, &mut wanted);
                }
            }
        }
        let mut olds = Vec::new();
        for (term, params) in wanted {
            let mut env = self.at_entry(&params, KNOWN);
            env.sense = None;
            let value = self.term(&mut env, &term).map(|value| self.held(value));
            olds.push((term, value));
        }
        self.olds = olds;
        if names.is_empty() {
            return;
        }
        // In a postcondition a parameter means the value at entry.
        let members = self.unit.members(self.decl).to_vec();
        self.passed = members
            .into_iter()
            .map(|param| {
                let value = self.parameter_value(param);
                value.map(|value| self.held(value))
            })
            .collect();
    }

    fn held(&mut self, value: Value) -> Value {
        match value {
            Value::Int(value, width) => Value::Int(self.hold(value), width),
            Value::Pointer(pointer, elem) => Value::Pointer(self.hold(pointer), elem),
            Value::Truth(truth) => Value::Truth(self.hold(truth)),
            Value::Null => Value::Null,
        }
    }

    /// At a return.
    pub(super) fn assert_postconditions(&mut self, result: Option<Expr>) {
        let contracts = self.contracts;
        let Some(contract) = contracts.of_functions.get(&self.decl) else { return };
        let here = self.loc;
        for clause in &contract.clauses {
            if let ClauseKind::Ensures(holds) = &clause.kind {
                let mut env = Env::new(GOAL);
                env.params = clause.params.iter().cloned().zip(self.passed.iter().cloned()).collect();
                env.result = result.map(|value| (value, self.result_ty));
                env.olds = self.olds.clone();
                self.assert_clause(clause.at, Check::Postcondition, &mut env, holds);
            }
        }
        self.loc = here;
    }

    fn assume(&mut self, at: Raw, env: &mut Env, holds: &Term) {
        self.loc = self.spans.push(point(at));
        match self.clause_truth(env, holds) {
            Ok(holds) => self.emit(CmdKind::Assume(holds)),
            Err(message) => self.problem(at, message),
        }
    }

    fn assert_clause(&mut self, at: Raw, check: Check, env: &mut Env, holds: &Term) {
        self.loc = self.spans.push(point(at));
        match self.clause_truth(env, holds) {
            Ok(holds) if self.as_const(holds) == Some(1) => {}
            Ok(holds) => self.emit(CmdKind::Assert(check, holds)),
            Err(message) => {
                self.problem(at, message);
                // An unsupported clause cannot be proved.
                if self.options.purpose != Purpose::Check {
                    self.unproved.push((check, self.loc));
                }
            }
        }
    }

    /// Branches on a behavior's condition, so that one that never applies is found.
    fn choose(&mut self, at: Raw, env: &mut Env, applies: &Term) {
        self.loc = self.spans.push(point(at));
        let Ok(holds) = self.clause_truth(env, applies) else { return };
        let (after, other) = (self.new_block(), self.new_block());
        let condition = self.new_condition();
        let edge = self.edge(condition, Origin::Behavior, Outcome::True, holds, after);
        self.end(Next::Goto(smallvec::smallvec![edge, other]));
        self.current = Some(other);
        let not = self.not(holds);
        self.emit(CmdKind::Assume(not));
        self.goto(after);
        self.current = Some(after);
    }

    pub(super) fn problem(&mut self, at: Raw, message: String) {
        self.loc = self.spans.push(point(at));
        self.gap(Gap::Contract);
        if !self.problems.contains(&(at, message.clone())) {
            self.problems.push((at, message));
        }
    }

    /// The annotations between `after` and a statement. Those of a loop are kept for it.
    pub(super) fn annotations_before(&mut self, stmt: NodeId, after: Raw) {
        let begin = self.unit.span(stmt).begin;
        self.loop_at = (begin & MACRO == 0 && is_loop(self.unit, stmt)).then_some(begin);
        if self.notes.first().is_none_or(|note| note.begin >= begin) || begin & MACRO != 0 {
            return;
        }
        self.annotate(after, begin, is_loop(self.unit, stmt));
    }

    /// The annotations after the last statement of a block.
    pub(super) fn annotations_at_end(&mut self, after: Raw, end: Raw) {
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
    pub(super) fn annotations_left_over(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.problem(note.begin, "the annotation stands before no statement of a block".into());
        }
    }

    fn in_body(&mut self, sense: Sense) -> Env {
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

/// Collects the operands of `\old`, with the parameter names of their declaration.
fn collect_old(term: &Term, params: &[String], all: &mut Vec<(Term, Vec<String>)>) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match term {
            Term::Old(inner) => {
                if !all.iter().any(|(known, _)| known == inner.as_ref()) {
                    all.push((inner.as_ref().clone(), params.to_vec()));
                }
            }
            Term::Int(_) | Term::Null | Term::Truth(_) | Term::Name(_) | Term::Result => {}
            Term::Neg(a) | Term::Complement(a) | Term::Not(a) | Term::Deref(a) | Term::AddressOf(a) => {
                stack.push(a)
            }
            Term::Field(a, _) | Term::Cast(_, a) => stack.push(a),
            Term::Arith(_, a, b) | Term::Compare(_, a, b) | Term::Iff(a, b) | Term::Index(a, b) => {
                stack.extend([a.as_ref(), b])
            }
            Term::Ite(a, b, c) => stack.extend([a.as_ref(), b, c]),
            Term::All(parts) | Term::Any(parts) => stack.extend(parts),
            Term::Quantified { body, .. } => stack.push(body),
            Term::Valid(places) => stack.extend(places_of(places)),
            Term::Separated(all) => stack.extend(all.iter().flat_map(places_of)),
        }
    }
}

fn places_of(places: &crate::contract::Places) -> impl Iterator<Item = &Term> {
    std::iter::once(&places.base).chain(places.range.iter().flat_map(|(low, high)| [low, high]))
}
