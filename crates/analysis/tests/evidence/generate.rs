//! Random programs: a function `f` with two parameters that may call `g`, over few values.

use crate::syntax::{Block, Comparison, Expr, Function, Predicate, Program, Statement};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

/// Fewer cases than by default, unless the environment sets the number.
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let is_asked_for = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if is_asked_for { default.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

pub fn programs() -> impl Strategy<Value = Program> {
    let callee = blocks(&["x", "h"], statements(&["x", "h"], false, 2, 6).boxed());
    let main = blocks(&["x", "y", "z", "h"], statements(&["x", "y", "z", "h"], true, 3, 12).boxed());
    (callee, main).prop_map(|(callee, mut main)| {
        main.insert(0, Statement::Assign("z".to_owned(), Expr::Const(0)));
        let function = |name: &str, params: &[&str], body| Function {
            name: name.to_owned(),
            line: 0,
            params: params.iter().map(|&name| name.to_owned()).collect(),
            body,
        };
        let functions = vec![function("f", &["x", "y"], main), function("g", &["x"], callee)];
        let mut program = Program { values: 0..=2, unroll: 2, globals: vec!["h".to_owned()], functions };
        let mut line = 0;
        for function in &mut program.functions {
            number(&mut function.body, &mut line);
        }
        program
    })
}

fn blocks(
    vars: &'static [&'static str],
    statement: BoxedStrategy<Statement>,
) -> impl Strategy<Value = Block> {
    (proptest::collection::vec(statement, 1..4), predicates(vars)).prop_map(|(mut block, last)| {
        block.push(Statement::Assert(last, 0));
        block
    })
}

fn statements(
    vars: &'static [&'static str],
    calls: bool,
    depth: u32,
    nodes: u32,
) -> impl Strategy<Value = Statement> {
    let name = move || select(vars).prop_map(str::to_owned);
    let mut simple = vec![
        (4, (name(), exprs(vars)).prop_map(|(name, value)| Statement::Assign(name, value)).boxed()),
        (4, predicates(vars).prop_map(|p| Statement::Assert(p, 0)).boxed()),
        (1, Just(Statement::Abort(0)).boxed()),
        (1, exprs(vars).prop_map(|value| Statement::Return(Some(value))).boxed()),
        (1, predicates(vars).prop_map(Statement::Admits).boxed()),
    ];
    if calls {
        let call = exprs(vars).prop_map(|argument| Statement::Call {
            // Some paths through `g` return nothing.
            result: None,
            callee: "g".to_owned(),
            arguments: vec![argument],
        });
        simple.push((3, call.boxed()));
    }
    Union::new_weighted(simple).prop_recursive(depth, nodes, 3, move |inner| {
        let block = proptest::collection::vec(inner, 0..3).boxed();
        let arm = (predicates(vars), block.clone());
        let last = proptest::option::of(block.clone());
        let cascade = (proptest::collection::vec(arm, 1..4), last.clone())
            .prop_map(|(arms, last)| Statement::If { arms, last });
        let switch =
            (exprs(vars), block.clone(), block.clone(), last).prop_map(|(subject, zero, one, default)| {
                Statement::Switch { subject, cases: vec![(0, zero), (1, one)], default }
            });
        let repeat = (predicates(vars), predicates(vars), block.clone(), any::<(bool, bool)>()).prop_map(
            |(condition, leave, mut body, (body_first, breaks))| {
                if breaks {
                    body.push(Statement::If { arms: vec![(leave, vec![Statement::Break])], last: None });
                }
                Statement::Loop { condition, body, body_first }
            },
        );
        let alias = (name(), name(), block.clone(), block.clone())
            .prop_map(|(p, q, same, separate)| Statement::Alias { pointers: (p, q), same, separate });
        prop_oneof![
            6 => cascade,
            2 => switch,
            2 => repeat,
            1 => block.prop_map(Statement::Macro),
            1 => alias,
        ]
    })
}

fn predicates(vars: &'static [&'static str]) -> impl Strategy<Value = Predicate> {
    (select(Comparison::ALL.to_vec()), select(vars), exprs(vars)).prop_map(|(comparison, name, other)| {
        Predicate::Compare(comparison, Expr::Var(name.to_owned()), other)
    })
}

fn exprs(vars: &'static [&'static str]) -> impl Strategy<Value = Expr> {
    let var = select(vars).prop_map(|name| Expr::Var(name.to_owned())).boxed();
    let constant = (0..3_i64).prop_map(Expr::Const);
    prop_oneof![
        3 => constant,
        2 => var.clone(),
        1 => (var.clone(), 1..3_i64).prop_map(|(a, b)| Expr::Add(Box::new(a), Box::new(Expr::Const(b)))),
        1 => (var.clone(), var).prop_map(|(a, b)| Expr::Sub(Box::new(a), Box::new(b))),
    ]
}

/// Every ERROR node gets a line of its own.
fn number(block: &mut Block, line: &mut usize) {
    for statement in block {
        match statement {
            Statement::Assert(_, at) | Statement::Abort(at) => {
                *line += 1;
                *at = *line;
            }
            Statement::If { arms, last } => {
                arms.iter_mut().map(|(_, block)| block).chain(last).for_each(|block| number(block, line));
            }
            Statement::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, block)| block).chain(default).for_each(|block| number(block, line));
            }
            Statement::Loop { body, .. } => number(body, line),
            Statement::Macro(block) => number(block, line),
            Statement::Alias { same, separate, .. } => {
                number(same, line);
                number(separate, line);
            }
            _ => {}
        }
    }
}
