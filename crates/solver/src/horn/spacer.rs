//! Z3's Spacer as a program: clauses in, invariants out.

use super::integers::predicate_name;
use super::{Formula, Predicate, System};
use crate::answer::{Budget, Reason};
use crate::dialect::Z3_OPERATIONS_PER_EFFORT;
use crate::process::{Failure, Heard, Process};
use crate::programs::Program;
use crate::smtlib::Sexpr;
use gainsay_term::Sort;
use std::collections::BTreeMap;
use std::time::Instant;

pub(super) enum Solved {
    /// The clauses have this solution.
    Invariants(BTreeMap<Predicate, Formula>),
    /// They have none: there is a run.
    Refuted,
    Unknown(Reason),
}

/// Without eager inlining the invariants are the loop's, not those of a loop unrolled once.
const ARGUMENTS: &[&str] = &["-in", "-smt2", "fp.xform.inline_eager=false"];

/// Asks about the text, which ends with `(check-sat)`; gives the answer and what it cost.
pub(super) fn solve(
    program: &Program,
    system: &System,
    predicates: &[Predicate],
    text: &str,
    options: &[&str],
    budget: Budget,
) -> (Solved, u64) {
    let limit = budget.effort.saturating_mul(Z3_OPERATIONS_PER_EFFORT).clamp(1, u64::from(u32::MAX));
    let question = format!("(set-option :rlimit {limit})\n{text}(get-info :rlimit)\n(get-model)\n");
    let arguments = [ARGUMENTS, options].concat();
    if let Some(why) = program.refusal() {
        return (Solved::Unknown(Reason::Crashed(why)), budget.effort);
    }
    let (solved, cost) = search(program, system, predicates, &question, &arguments, budget);
    match &solved {
        Solved::Unknown(failure @ (Reason::Backstop | Reason::Crashed(_) | Reason::Rejected(_))) => {
            program.failed(&failure.to_string(), budget.backstop);
        }
        _ => program.answered(),
    }
    (solved, cost)
}

fn search(
    program: &Program,
    system: &System,
    predicates: &[Predicate],
    question: &str,
    arguments: &[&str],
    budget: Budget,
) -> (Solved, u64) {
    let deadline = Instant::now() + budget.backstop;
    let answer = Process::start(&program.path, arguments)
        .and_then(|mut process| process.ask(question, deadline, &mut |_| Heard::Answer));
    let exprs = match answer {
        Ok(answer) => match Sexpr::read_all(&answer) {
            Ok(exprs) => exprs,
            Err(error) => return (Solved::Unknown(Reason::Crashed(error.to_string())), budget.effort),
        },
        Err(Failure::Late) => return (Solved::Unknown(Reason::Backstop), budget.effort),
        Err(failure) => return (Solved::Unknown(Reason::Crashed(failure.to_string())), budget.effort),
    };
    let cost = exprs.get(1).and_then(|expr| match expr.as_list()? {
        [Sexpr::Atom(key), Sexpr::Atom(count)] if key == ":rlimit" => count.parse::<u64>().ok(),
        _ => None,
    });
    let cost = cost.map_or(budget.effort, |operations| operations.div_ceil(Z3_OPERATIONS_PER_EFFORT));
    let solved = match exprs.first().and_then(Sexpr::as_atom) {
        Some("unsat") => Solved::Refuted,
        Some("unknown") => Solved::Unknown(Reason::Effort),
        Some("sat") => match exprs.get(2).and_then(|model| invariants(system, predicates, model)) {
            Some(invariants) => Solved::Invariants(invariants),
            None => Solved::Unknown(Reason::Incomplete("its invariants are not understood".to_owned())),
        },
        _ => {
            let message = exprs.iter().find_map(Sexpr::as_error).unwrap_or("no answer");
            let is_limit = program.dialect.is_limit(message);
            Solved::Unknown(if is_limit { Reason::Effort } else { Reason::Rejected(message.to_owned()) })
        }
    };
    (solved, cost)
}

/// `((define-fun name ((x Int) ...) Bool body) ...)`. A predicate that is not mentioned does not matter.
fn invariants(
    system: &System,
    predicates: &[Predicate],
    model: &Sexpr,
) -> Option<BTreeMap<Predicate, Formula>> {
    let mut found = BTreeMap::new();
    for definition in model.as_list()? {
        let [Sexpr::Atom(keyword), Sexpr::Atom(name), Sexpr::List(parameters), _, body] =
            definition.as_list()?
        else {
            continue;
        };
        let is_it = |p: &&Predicate| predicate_name(system, **p).trim_matches('|') == name;
        let (true, Some(&predicate)) = (keyword == "define-fun", predicates.iter().find(is_it)) else {
            continue;
        };
        let arguments = &system.points[predicate.point].arguments;
        if parameters.len() != arguments.len() {
            return None;
        }
        let mut names = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let [name, _] = parameter.as_list()? else { return None };
            names.push((name.as_atom()?.to_owned(), argument.sort == Sort::Bool));
        }
        // What is not understood may not be needed.
        found.insert(predicate, Formula::read(body, &names).unwrap_or(Formula::Bool(true)));
    }
    for &predicate in predicates {
        found.entry(predicate).or_insert(Formula::Bool(true));
    }
    Some(found)
}
