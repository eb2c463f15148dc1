//! Inferred preconditions of all functions of a program, callees first (evidence-based analysis, section 5): what the checks
//! of a function need, and what its callees expect of the inputs that it passes on.
//!
//! A path counts only if it surely reaches its end. If a call on it may not return and a test on it is about the input that
//! the check is about, the call may be there to prevent the failure (`if (!p) die();`).

use crate::body_facts::BodyFacts;
use crate::limits::{MAX_PRECONDITION_CHAIN, MAX_PRECONDITION_TESTS, MAX_PRECONDITIONS};
use crate::link::{Callees, Definition, FunctionId, Program, ProgramFunction};
use crate::precondition::{Input, InputPath, InputPathEnd, Precondition, Substitution, simplified};
use crate::schedule::components;
use crate::summary::{GlobalName, Returns, Summary};

/// In the order of [`Program::functions`].
pub fn infer(program: &Program, summaries: &[Summary]) -> Vec<Vec<Precondition>> {
    let called = |function: &ProgramFunction| -> Vec<FunctionId> {
        let calls = function.definitions.iter().flat_map(|definition| &definition.calls);
        calls
            .flat_map(|callees| match callees {
                Callees::Known(ids) => ids.as_slice(),
                Callees::Outside | Callees::Unknown => &[],
            })
            .copied()
            .collect()
    };
    let graph: Vec<Vec<FunctionId>> = program.functions.iter().map(called).collect();
    let mut inferred: Vec<Vec<Precondition>> = program.functions.iter().map(|_| Vec::new()).collect();
    for component in components(&graph) {
        for id in component {
            let function = &program.functions[id];
            // With several definitions, it is not known which is called.
            if let ([definition], false) = (function.definitions.as_slice(), function.is_open) {
                inferred[id] = of_function(program, summaries, &inferred, id, definition);
            }
        }
    }
    inferred
}

fn of_function(
    program: &Program,
    summaries: &[Summary],
    inferred: &[Vec<Precondition>],
    id: FunctionId,
    definition: &Definition,
) -> Vec<Precondition> {
    let unit = &program.units[definition.unit];
    let body_facts = program.body_facts(definition);
    let returns = |name: &GlobalName| match program.find(name) {
        Some(id) => summaries[id].returns,
        None => Returns::Maybe,
    };
    let mut found: Vec<Precondition> = Vec::new();
    for path in unit.input_paths.iter().filter_map(|paths| paths.get(definition.function)).flatten() {
        let candidates = match &path.end {
            InputPathEnd::Fails { check, fails } => {
                let own = Precondition {
                    when: path.when.clone(),
                    tested: path.tested.clone(),
                    fails: fails.clone(),
                    check: *check,
                    chain: vec![path.place.clone()],
                    expects: fails.clone().negated().text(&body_facts.params),
                };
                vec![own]
            }
            InputPathEnd::Calls { callee, .. } => match program.find(callee).filter(|callee| *callee != id) {
                Some(callee) => passed_on(program, path, callee, &inferred[callee], unit.pointer_bits),
                None => Vec::new(),
            },
        };
        for one in candidates {
            let Some((when, fails)) = simplified(one.when, one.fails, unit.pointer_bits) else { continue };
            let about = fails.about();
            let is_related = |test: &Input| test.about().iter().any(|input| about.contains(input));
            let is_tested = when.iter().chain(&path.when).any(is_related);
            let comes_back = path.may_not_return.iter().all(|name| match returns(name) {
                Returns::Surely => true,
                Returns::Maybe => !is_tested,
                Returns::Never { .. } => false,
            });
            let is_new = |known: &Precondition| {
                known.check != one.check
                    || known.fails != fails
                    || !known.when.iter().all(|test| when.contains(test))
            };
            if comes_back && when.len() <= MAX_PRECONDITION_TESTS && found.iter().all(is_new) {
                found.push(Precondition { when, fails, ..one });
            }
        }
    }
    let mut found = without_earlier(found);
    found.truncate(MAX_PRECONDITIONS);
    found
}

/// What the callee expects, over the caller's inputs.
fn passed_on(
    program: &Program,
    path: &InputPath,
    callee: FunctionId,
    expected: &[Precondition],
    pointer_bits: u16,
) -> Vec<Precondition> {
    let InputPathEnd::Calls { args, is_untouched, .. } = &path.end else { return Vec::new() };
    let [definition] = program.functions[callee].definitions.as_slice() else { return Vec::new() };
    if !fits(program.body_facts(definition), args.iter().map(|arg| arg.0)) {
        return Vec::new();
    }
    let argument = |i: u32| args.get(i as usize).and_then(|arg| arg.1.clone());
    let at = Substitution { args: &argument, is_untouched: *is_untouched, pointer_bits };
    let mut passed_on = Vec::new();
    for one in expected.iter().filter(|one| one.chain.len() < MAX_PRECONDITION_CHAIN) {
        let when: Option<Vec<Input>> = one.when.iter().map(|test| test.substituted(&at)).collect();
        let tested = one.tested.iter().filter_map(|test| test.substituted(&at));
        let tested = tested.filter(|test| test.as_bool().is_none());
        if let (Some(when), Some(fails)) = (when, one.fails.substituted(&at)) {
            passed_on.push(Precondition {
                when: path.when.iter().cloned().chain(when).collect(),
                tested: path.tested.iter().cloned().chain(tested).collect(),
                fails,
                check: one.check,
                chain: std::iter::once(path.place.clone()).chain(one.chain.iter().cloned()).collect(),
                expects: one.expects.clone(),
            });
        }
    }
    passed_on
}

fn fits(body_facts: &BodyFacts, args: impl ExactSizeIterator<Item = gainsay_ir::types::Type>) -> bool {
    body_facts.params.len() <= args.len()
        && body_facts.params.iter().zip(args).all(|(param, arg)| param.1 == arg)
}

/// Removes tests that only state that an earlier check passed: if such a test does not hold, that check fails.
fn without_earlier(mut found: Vec<Precondition>) -> Vec<Precondition> {
    for at in 0..found.len() {
        let (earlier, rest) = found.split_at_mut(at);
        let Some(one) = rest.first_mut() else { break };
        let when = std::mem::take(&mut one.when);
        let is_implied = |test: &Input| {
            earlier.iter().any(|other| {
                other.fails.clone().negated() == *test && other.when.iter().all(|test| when.contains(test))
            })
        };
        one.when = when.iter().filter(|test| !is_implied(test)).cloned().collect();
    }
    found
}
