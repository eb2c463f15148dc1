//! Random programs: `f` with two arguments, which may call `g`, which may call `h`.

use crate::syntax::{Function, Program, Statement};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

/// The function that calls others.
pub const MAIN: usize = 0;

/// Fewer cases than by default, unless the environment sets the number.
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let is_asked_for = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if is_asked_for { default.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

const VARIABLES: [&str; 4] = ["a", "b", "x", "y"];

pub fn programs() -> impl Strategy<Value = Program> {
    (2..4_usize).prop_flat_map(|constructors| {
        let body = |callee: Option<usize>, nodes| {
            let locals = proptest::collection::vec(1..=constructors, 2);
            (locals, statements(constructors, callee, 5, nodes)).prop_map(|(values, body)| {
                let start = |(x, value): (&str, usize)| Statement::Construct(0, x.to_owned(), value);
                ["x", "y"].into_iter().zip(values).map(start).rev().fold(body, |body, first| first.then(body))
            })
        };
        (body(Some(1), 24), body(Some(2), 10), body(None, 10)).prop_map(move |(f, g, h)| {
            let function = |(name, body): (&str, Statement)| Function {
                name: name.to_owned(),
                line: 0,
                params: vec!["a".to_owned(), "b".to_owned()],
                body,
            };
            let functions = ["f", "g", "h"].into_iter().zip([f, g, h]).map(function).collect();
            let mut program = Program { constructors, functions, lines: Vec::new() };
            for index in 0..program.functions.len() {
                let mut body = program.functions[index].body.clone();
                number(&mut body, &mut program);
                program.functions[index].body = body;
            }
            program
        })
    })
}

fn statements(
    constructors: usize,
    callee: Option<usize>,
    depth: u32,
    nodes: u32,
) -> impl Strategy<Value = Statement> {
    let variable = move || select(&VARIABLES[..]).prop_map(str::to_owned);
    let constructor = move || 1..=constructors;
    let construct = (variable(), constructor()).prop_map(|(x, c)| Statement::Construct(0, x, c));
    let copy = (variable(), variable()).prop_map(|(x, y)| Statement::Copy(0, x, y));
    let check = (variable(), constructor()).prop_map(|(x, c)| Statement::Check(0, x, c));
    let mut simple = vec![(3, construct.boxed()), (3, copy.boxed()), (6, check.boxed())];
    if let Some(callee) = callee {
        let call = (variable(), variable()).prop_map(move |(x, y)| Statement::Call(0, callee, vec![x, y]));
        simple.push((2, call.boxed()));
    }
    Union::new_weighted(simple).prop_recursive(depth, nodes, 2, move |inner| {
        let seq = (inner.clone(), inner.clone()).prop_map(|(a, b)| a.then(b));
        let test = (variable(), constructor(), inner.clone(), inner.clone(), any::<bool>());
        let choice = test.prop_map(|(x, c, yes, no, has_else)| {
            let no = if has_else { no } else { Statement::Skip(0) };
            Statement::If(0, x, c, Box::new(yes), Box::new(no))
        });
        prop_oneof![3 => seq, 2 => choice]
    })
}

/// Every statement gets a label of its own.
fn number(statement: &mut Statement, program: &mut Program) {
    match statement {
        Statement::Construct(label, ..)
        | Statement::Copy(label, ..)
        | Statement::Check(label, ..)
        | Statement::Call(label, ..)
        | Statement::Skip(label) => *label = program.fresh_label(0),
        Statement::Seq(a, b) => {
            number(a, program);
            number(b, program);
        }
        Statement::If(label, _, _, a, b) => {
            *label = program.fresh_label(0);
            number(a, program);
            number(b, program);
        }
    }
}
