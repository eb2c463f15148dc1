//! Random programs in which some branches are fatal and others are not: conditions and asserts over the same few
//! variables, nested choices, handlers inside loops, raising inside handlers, calls.

use crate::store::{Set, Stores};
use crate::syntax::{Comparison, Expr, Function, Instruction, Predicate, Program, Statement, Var};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

/// Which features the programs may have.
#[derive(Clone, Copy)]
pub struct Shape {
    pub loops: bool,
    pub calls: bool,
}

pub const LOOP_FREE: Shape = Shape { loops: false, calls: true };
pub const LOOPS: Shape = Shape { loops: true, calls: true };

/// Both sizes have 64 stores.
const SIZES: [Stores; 2] = [Stores { vars: 3, bits: 2 }, Stores { vars: 2, bits: 3 }];
const CALLEES: usize = 2;

/// The function under test; those before it are callees.
pub const MAIN: usize = CALLEES;

/// More cases than usual, or as many as the environment asks for.
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let is_asked_for = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if is_asked_for { default.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..default }
}

pub fn programs(shape: Shape) -> impl Strategy<Value = Program> {
    Union::new(SIZES.map(|size| programs_of(size, shape).boxed()))
}

fn programs_of(size: Stores, shape: Shape) -> impl Strategy<Value = Program> {
    let inner = Shape { loops: false, calls: false };
    let callee = functions(size, statements(size, inner, 1, 3).boxed());
    let main = functions(size, started(size, statements(size, shape, 6, 32)).boxed());
    (callee.clone(), callee, main).prop_map(move |(f, g, main)| {
        let mut functions = vec![f, g, main];
        for (function, name) in functions.iter_mut().zip(["f", "g", "main"]) {
            function.name = name.to_owned();
        }
        let vars = ["x", "y", "z"][..size.vars].iter().map(|&name| name.to_owned()).collect();
        Program { bits: size.bits, vars, functions }
    })
}

/// Half of the time some variables have a known value at the start.
fn started(size: Stores, body: impl Strategy<Value = Statement>) -> impl Strategy<Value = Statement> {
    let known = proptest::collection::vec((0..size.vars, size.values()), 0..3);
    (any::<bool>(), known, body).prop_map(|(is_any, known, body)| {
        let assign = |(x, value)| Statement::Do(Instruction::Assign(x, Expr::Const(value)));
        let known = known.into_iter().filter(|_| !is_any).map(assign).rev();
        known.fold(body, |body, assign| assign.then(body))
    })
}

fn functions(size: Stores, body: BoxedStrategy<Statement>) -> BoxedStrategy<Function> {
    let or =
        |usual: bool, weight| prop_oneof![weight => Just(Predicate::Constant(usual)), 3 => predicates(size)];
    (or(true, 2), or(true, 2), or(false, 3), body)
        .prop_map(|(requires, ensures, raises, body)| Function {
            name: String::new(),
            requires,
            ensures,
            raises,
            body,
        })
        .boxed()
}

fn statements(size: Stores, shape: Shape, depth: u32, nodes: u32) -> impl Strategy<Value = Statement> {
    instructions(size, shape).prop_recursive(depth, nodes, 2, move |inner| {
        let pairs = (inner.clone(), inner.clone());
        let if_else = (predicates(size), inner.clone(), inner.clone()).prop_map(|(p, yes, no)| {
            let other = Statement::assume(p.negated()).then(no);
            Statement::assume(p).then(yes).or(other)
        });
        let if_raise = (predicates(size), inner.clone()).prop_map(|(p, yes)| {
            let other = Statement::assume(p.negated()).then(Statement::Skip);
            Statement::assume(p).then(yes.then(Statement::Raise)).or(other)
        });
        let repeated = inner.clone().prop_map(Statement::repeated);
        let while_do = (predicates(size), inner.clone()).prop_map(|(p, body)| {
            let after = Statement::assume(p.negated());
            Statement::assume(p).then(body).repeated().then(after)
        });
        let counted =
            (0..size.vars, size.values(), size.values(), predicates(size), inner.clone(), inner.clone())
                .prop_map(|(x, first, last, p, yes, no)| count(x, first, last, p, yes, no));
        let mut all = vec![
            (6, pairs.clone().prop_map(|(a, b)| a.then(b)).boxed()),
            (5, if_else.boxed()),
            (1, if_raise.boxed()),
            (1, pairs.clone().prop_map(|(a, b)| a.or(b)).boxed()),
            (2, pairs.prop_map(|(a, b)| a.handled_by(b)).boxed()),
        ];
        if shape.loops {
            all.extend([(1, repeated.boxed()), (2, while_do.boxed()), (2, counted.boxed())]);
        }
        Union::new_weighted(all)
    })
}

/// `x := first ; while x != last do (if P then yes else no ; x := x + 1)`: a loop from a known start, so that some
/// branches are taken in late iterations only.
fn count(x: Var, first: i32, last: i32, p: Predicate, yes: Statement, no: Statement) -> Statement {
    let compare = |comparison| Predicate::Compare(comparison, Expr::Var(x), Expr::Const(last));
    let assign = |e| Statement::Do(Instruction::Assign(x, e));
    let next = Expr::Add(Box::new(Expr::Var(x)), Box::new(Expr::Const(1)));
    let other = Statement::assume(p.negated()).then(no);
    let choice = Statement::assume(p).then(yes).or(other);
    let iteration = Statement::assume(compare(Comparison::Ne)).then(choice.then(assign(next)));
    let after = Statement::assume(compare(Comparison::Eq));
    assign(Expr::Const(first)).then(iteration.repeated().then(after))
}

fn instructions(size: Stores, shape: Shape) -> impl Strategy<Value = Statement> {
    let var = 0..size.vars;
    let instruction = prop_oneof![
        5 => (var.clone(), exprs(size)).prop_map(|(x, e)| Instruction::Assign(x, e)),
        5 => predicates(size).prop_map(Instruction::Assert),
        1 => predicates(size).prop_map(Instruction::Assume),
        1 => var.prop_map(Instruction::Havoc),
    ];
    let mut all = vec![
        (12, instruction.prop_map(Statement::Do).boxed()),
        (1, Just(Statement::Skip).boxed()),
        (1, Just(Statement::Raise).boxed()),
    ];
    if shape.calls {
        let call = (0..CALLEES).prop_map(|callee| Statement::Do(Instruction::Call(callee)));
        all.push((1, call.boxed()));
    }
    Union::new_weighted(all)
}

fn predicates(size: Stores) -> impl Strategy<Value = Predicate> {
    let comparison = || select(Comparison::ALL.to_vec());
    let var = move || (0..size.vars).prop_map(Expr::Var);
    let simple = prop_oneof![
        5 => (comparison(), var(), var()).prop_map(|(c, a, b)| Predicate::Compare(c, a, b)),
        5 => (comparison(), var(), constants(size)).prop_map(|(c, a, b)| Predicate::Compare(c, a, b)),
        2 => (comparison(), var(), exprs(size)).prop_map(|(c, a, b)| Predicate::Compare(c, a, b)),
    ]
    .boxed();
    let two = (simple.clone(), simple.clone());
    prop_oneof![
        12 => simple.clone(),
        1 => any::<bool>().prop_map(Predicate::Constant),
        1 => simple.prop_map(|a| Predicate::Not(Box::new(a))),
        1 => two.clone().prop_map(|(a, b)| Predicate::And(Box::new(a), Box::new(b))),
        1 => two.prop_map(|(a, b)| Predicate::Or(Box::new(a), Box::new(b))),
    ]
}

fn constants(size: Stores) -> impl Strategy<Value = Expr> {
    size.values().prop_map(Expr::Const)
}

fn exprs(size: Stores) -> impl Strategy<Value = Expr> {
    let var = (0..size.vars).prop_map(Expr::Var).boxed();
    let constant = constants(size).boxed();
    let divisors: Vec<i32> = size.values().filter(|&value| value != 0).collect();
    let two = |b: &BoxedStrategy<Expr>| (var.clone().prop_map(Box::new), b.clone().prop_map(Box::new));
    prop_oneof![
        3 => constant.clone(),
        3 => var.clone(),
        3 => two(&constant).prop_map(|(a, b)| Expr::Add(a, b)),
        1 => two(&var).prop_map(|(a, b)| Expr::Sub(a, b)),
        1 => two(&var).prop_map(|(a, b)| Expr::Mul(a, b)),
        1 => (var.clone(), select(divisors)).prop_map(|(a, divisor)| Expr::Div(Box::new(a), divisor)),
    ]
}

/// Any set of the 64 stores, as bits: with no members, all, few, many, or about half.
pub fn sets() -> impl Strategy<Value = u64> {
    let two = any::<(u64, u64)>();
    prop_oneof![
        Just(0),
        Just(u64::MAX),
        any::<u64>(),
        two.prop_map(|(a, b)| a & b),
        two.prop_map(|(a, b)| a | b),
    ]
}

pub fn set_of(program: &Program, bits: u64) -> Set {
    program.stores().set(|store| bits >> store & 1 == 1)
}
