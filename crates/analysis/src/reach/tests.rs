//! Decisions compared with the bare questions, on functions in the text form.

use super::{decide, questions};
use crate::pipeline::passive_form;
use crate::witness::{Open, Search};
use gainsay_ir::gc::Outcome;
use gainsay_ir::parse;
use gainsay_ir::passive::Block;
use gainsay_solver::programs::{FIRST, SolverDirectories};
use gainsay_solver::{Budget, Options, Session};
use std::path::Path;
use std::time::Duration;

/// The impossible edges of the only function, as "condition outcome".
fn impossible(text: &str) -> Vec<String> {
    let unit = parse::unit(text).unwrap();
    let function = passive_form(&unit, &unit.functions[0]).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin");
    let mut places = SolverDirectories::of_this_process().unwrap_or_else(|error| panic!("{error}"));
    places.directories.insert(0, root);
    let program = places.find(FIRST).unwrap_or_else(|error| panic!("{error}"));
    let mut session = Session::new(&program, &Options::default());
    let budget = Budget { effort: 1_000_000, backstop: Duration::from_secs(20) };
    let edges = decide(&mut session, &unit, &function, budget);
    assert!(edges.undecided.is_empty(), "{edges:?}");
    let name = |&block: &Block| {
        let branch = function.blocks[block].branch.unwrap();
        format!("{} {}", branch.condition, if branch.outcome == Outcome::True { "true" } else { "false" })
    };
    edges.impossible.iter().map(name).collect()
}

const HEAD: &str = "target ptr64 little\nfunction @f(ptr, i32) -> i32 external\nfunction @g() external\n\n\
                    func @f(p: ptr, n: i32) -> i32 {\n  var x: i32\n  tmp t: i32\n  obj o: 8 align 4\n";

#[test]
fn checked_too_late() {
    let text = "b0:\n  assert null p != null\n  t = load i32 #i32 p\n  goto b1, b2\n\
                b1: [if true 0]\n  assume p == null\n  goto b3\nb2: [if false 0]\n  assume p != null\n  goto b3\n\
                b3:\n  return t\n}\n";
    assert_eq!(impossible(&format!("{HEAD}{text}")), ["0 true"]);
}

#[test]
fn fatal_branch_and_its_other_side() {
    let text = "b0:\n  x = 1i32\n  goto b1, b2\nb1: [if true 0]\n  assume n == 0i32\n  x = 0i32\n  goto b3\n\
                b2: [if false 0]\n  assume n != 0i32\n  goto b3\nb3:\n  assert division x != 0i32\n  return n /s x\n}\n";
    assert_eq!(impossible(&format!("{HEAD}{text}")), ["0 true"]);
}

#[test]
fn memory_is_remembered_until_something_may_change_it() {
    let test = "  t = load i32 #i32 p\n  goto b1, b2\nb1: [if true 0]\n  assume t == 1i32\n  goto b3\n\
                b2: [if false 0]\n  assume t != 1i32\n  goto b3\nb3:\n  return t\n}\n";
    let kept = format!("{HEAD}b0:\n  store i32 #i32 p, 1i32\n  store i32 #i32 &o, n\n{test}");
    assert_eq!(impossible(&kept), ["0 false"]);
    let called = format!("{HEAD}b0:\n  store i32 #i32 p, 1i32\n  call @g()\n{test}");
    assert!(impossible(&called).is_empty());
    let overlapped =
        format!("{HEAD}b0:\n  store i32 #i32 p, 1i32\n  store i8 #any p +p 1i64, trunc8(n)\n{test}");
    assert!(impossible(&overlapped).is_empty());
}

#[test]
fn an_edge_taken_in_a_late_iteration_is_possible() {
    let text = "b0:\n  x = 0i32\n  goto b1\nb1:\n  goto b2, b3\nb2: [loop-entry true 0]\n  assume x <s n\n  x = x + 1i32\n\
                goto b4, b5\nb3: [loop-entry false 0]\n  assume n <=s x\n  return x\nb4: [if true 1]\n  assume x == 5i32\n\
                return 7i32\nb5: [if false 1]\n  assume x != 5i32\n  goto b1\n}\n";
    assert!(impossible(&format!("{HEAD}{text}")).is_empty());
}

/// `x = 0; if (a0 == 0) goto end; ... x = n; if (a20 == 0) goto end; ... end: if (x) ...`
#[test]
fn a_value_from_far_away_needs_no_question() {
    const TESTS: usize = 40;
    let params: String = (0..TESTS).map(|i| format!(", a{i}: i32")).collect();
    let types = ", i32".repeat(TESTS);
    let mut text = format!(
        "target ptr64 little\nfunction @f(i32{types}) -> i32 external\n\nfunc @f(n: i32{params}) -> i32 {{\n  var x: i32\n"
    );
    let block = |i: usize, rest: String| format!("b{i}:{rest}");
    text += "b0:\n  x = 0i32\n  goto b1, b2\n";
    let end = 3 * TESTS;
    for i in 0..TESTS {
        let (yes, no, next) = (3 * i + 1, 3 * i + 2, 3 * i + 3);
        text += &block(yes, format!(" [if true {i}]\n  assume a{i} == 0i32\n  goto b{end}\n"));
        text += &block(no, format!(" [if false {i}]\n  assume a{i} != 0i32\n  goto b{next}\n"));
        if next < end {
            let set = if i == TESTS / 2 { "  x = n\n" } else { "" };
            text += &block(next, format!("\n{set}  goto b{}, b{}\n", next + 1, next + 2));
        }
    }
    let (yes, no) = (end + 1, end + 2);
    text += &block(end, format!("\n  goto b{yes}, b{no}\n"));
    text += &block(yes, format!(" [if true {TESTS}]\n  assume x != 0i32\n  return 1i32\n"));
    text += &block(no, format!(" [if false {TESTS}]\n  assume x == 0i32\n  return 0i32\n}}\n"));
    let unit = parse::unit(&text).unwrap();
    let function = passive_form(&unit, &unit.functions[0]).unwrap();
    let options = gainsay_vc::Options::default();
    let mut search = Search::new(&unit, &function, &options);
    search.cover();
    assert_eq!(search.open(), Open::default());
}

#[test]
fn there_is_one_question_per_edge() {
    let text = "b0:\n  goto b1, b2\nb1: [if true 0]\n  assume n == 0i32\n  return 1i32\n\
                b2: [if false 0]\n  assume n != 0i32\n  return 2i32\n}\n";
    let unit = parse::unit(&format!("{HEAD}{text}")).unwrap();
    let function = passive_form(&unit, &unit.functions[0]).unwrap();
    assert_eq!(questions(&unit, &function).matches("(check-sat)").count(), 2);
}
