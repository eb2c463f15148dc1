//! Random callers and callees: an edge that a real run takes, with the callee's body, is not impossible for one who knows
//! only the callee's summary.
//!
//! The callee writes through its parameters, to globals and to whatever it keeps, exits, fails, and gives something back;
//! its summary is made beside its text. Members are at fixed offsets of every object, so no run breaks C's rules on types.

use crate::facts::{LENT, any, field, global, int, pure};
use crate::{prepared, session};
use gainsay_analysis::edges::branch_edges;
use gainsay_analysis::limits::QUESTION;
use gainsay_analysis::pipeline::passive_form;
use gainsay_analysis::reach::decide;
use gainsay_interp::{Interp, InterpOptions, Outcome};
use gainsay_ir::gc::{ClassData, Outcome as Side, Unit};
use gainsay_ir::parse;
use gainsay_ir::types::Type;
use gainsay_program::summary::{Atom, AtomOp, Base, Returns, Summary, Write};
use gainsay_solver::Session;
use gainsay_solver::programs::FIRST;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const HEAD: &str = "target ptr64 little
object @g size 8 align 8 external {}
object @h size 8 align 8 external {}
object @slot size 8 align 8 external {}
function @f(ptr, ptr, i32) -> i32 external
function @use() external
function @putchar(i32) -> i32 external
function @main(ptr, ptr, i32) -> i32 external
function @start() -> i32 external
";

/// Writes through the pointer that was kept, if one was.
const USE: &str = "func @use() {
  tmp s: ptr
b0:
  s = load ptr #ptr @slot
  goto b1, b2
b1: [if true 0]
  assume s != null
  store i32 #i32 s, 7i32
  return
b2: [if false 0]
  assume s == null
  return
}
";

struct Choices<'a> {
    left: &'a [u8],
}

impl Choices<'_> {
    /// Zero where there are no more.
    fn pick(&mut self, limit: usize) -> usize {
        let Some((first, rest)) = self.left.split_first() else { return 0 };
        self.left = rest;
        usize::from(*first) % limit
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.pick(items.len())]
    }
}

/// An offset and a class that it may be accessed by, as text and as such.
type Member = (u64, &'static str, ClassData);

fn member(choices: &mut Choices) -> Member {
    match choices.pick(5) {
        0 => (0, "i32 #r.x@0/i32", field("x", 0)),
        1 => (4, "i32 #r.y@4/i32", field("y", 4)),
        2 => (0, "i32 #i32", int()),
        3 => (4, "i32 #any", any()),
        _ => (4, "i32 #i32", int()),
    }
}

struct Callee {
    text: String,
    summary: Summary,
}

fn callee(choices: &mut Choices, focus: &Member) -> Callee {
    let mut text = String::from("func @f(p: ptr, q: ptr, x: i32) -> i32 {\n  tmp s: ptr\nb0:\n");
    let mut writes: Vec<Write> = Vec::new();
    let mut params = vec![LENT; 3];
    let mut summary = pure();
    // From then on a run with NULL need not fail.
    let mut may_have_left = false;
    for step in 0..1 + choices.pick(4) {
        let (yes, no, on) = (3 * step + 1, 3 * step + 2, 3 * step + 3);
        let k = choices.pick(4);
        // Half of the steps depend on the last argument.
        let is_always = choices.pick(2) == 0;
        let i = choices.pick(2);
        let pointer = ["p", "q"][i];
        let other = member(choices);
        let (offset, access, class) = if choices.pick(3) == 0 { other } else { focus.clone() };
        let kind = choices.of(&[0, 1, 2, 3, 3, 3, 4, 5, 6]);
        let is_exit = kind >= 6;
        may_have_left |= is_exit;
        if !is_always || is_exit {
            let _ = writeln!(text, "  goto b{yes}, b{no}\nb{yes}: [if true {step}]\n  assume x == {k}i32");
        }
        match kind {
            0 | 1 => {
                let _ = writeln!(
                    text,
                    "  assert null {pointer} != null\n  s = {pointer}\n  store {access} s +p {offset}i64, 9i32"
                );
                writes.push(Write { base: Base::Param(i as u32), class });
                params[i].nonnull |= is_always && !may_have_left;
            }
            2 => {
                let name = choices.of(&["g", "h"]);
                let _ = writeln!(text, "  store {access} @{name} +p {offset}i64, 9i32");
                writes.push(Write { base: global(None, name), class });
            }
            3 => {
                let _ = writeln!(text, "  store ptr #ptr @slot, {pointer}");
                writes.push(Write {
                    base: global(None, "slot"),
                    class: ClassData { ty: Some(Type::Ptr), field: None },
                });
                params[i].may_escape = true;
            }
            4 => {
                let _ = writeln!(text, "  call @use()");
                writes.push(Write { base: Base::Anywhere, class: int() });
            }
            5 => {
                let _ = writeln!(text, "  assert bounds x != {k}i32");
                summary.leaves_if.push(vec![Atom { param: 2, op: AtomOp::Eq, value: k as u128 }]);
            }
            _ => {
                let _ = writeln!(text, "  raise");
                summary.leaves_if.push(vec![Atom { param: 2, op: AtomOp::Eq, value: k as u128 }]);
                summary.returns = Returns::Maybe;
            }
        }
        if !is_always || is_exit {
            if !is_exit {
                let _ = writeln!(text, "  goto b{on}");
            }
            let _ = writeln!(text, "b{no}: [if false {step}]\n  assume x != {k}i32\n  goto b{on}\nb{on}:");
        }
    }
    let result = match choices.pick(3) {
        0 => {
            summary.result.range = Some((2, 2));
            "2i32"
        }
        1 => {
            summary.result.range = Some((0, 1));
            "x & 1i32"
        }
        _ => {
            summary.result.equals = Some(2);
            "x"
        }
    };
    let _ = writeln!(text, "  return {result}\n}}");
    // What a step fails on, under a condition or not, it fails on before the return.
    summary.writes = Some(writes);
    summary.params = params;
    Callee { text, summary }
}

/// The caller prints a letter for each edge that it takes.
fn caller(choices: &mut Choices, focus: &Member) -> String {
    let mut text = String::from(
        "func @main(p: ptr, q: ptr, x: i32) -> i32 {\n  var t: i32\n  tmp c: i32\n  obj a: 8 align 8\n  obj b: 8 align 8\nb0:\n  enter &a\n  enter &b\n",
    );
    // Most of it is about one place, or nothing would ever contradict anything.
    let places = ["&a", "&b", "@g", "@h", "p", "q"];
    let focus = (choices.of(&places), focus.clone(), choices.pick(4));
    let mut any = || choices.pick(8);
    let kinds = [0, any(), 2, [4, any()][any() % 2], any(), 7, any()];
    for (step, kind) in kinds.into_iter().enumerate() {
        let chosen = (choices.of(&places), member(choices), choices.pick(4));
        let is_other = choices.pick(4) == 0;
        let (place, (offset, access, _), k) = if is_other { chosen } else { focus.clone() };
        let checked = if ["p", "q"].contains(&place) {
            format!("  assert null {place} != null\n")
        } else {
            String::new()
        };
        match kind {
            0 | 1 => {
                let _ = writeln!(text, "{checked}  store {access} {place} +p {offset}i64, {k}i32");
            }
            2 | 3 => {
                let other = choices.of(&["&a", "&b", "@g", "@h", "p", "q", "null"]);
                let (dst, x) = (choices.of(&["t", "x"]), choices.of(&["x", "t", "1i32", "3i32"]));
                let _ = writeln!(text, "  {dst} = call @f({place}, {other}, {x})");
            }
            4 => text.push_str("  call @use()\n"),
            kind => {
                let (yes, no) = match kind {
                    5 => (format!("{place} == null"), format!("{place} != null")),
                    6 => (format!("x == {k}i32"), format!("x != {k}i32")),
                    _ => {
                        let _ = writeln!(text, "{checked}  t = load {access} {place} +p {offset}i64");
                        (format!("t == {k}i32"), format!("t != {k}i32"))
                    }
                };
                let (b, letter) = (3 * step, 65 + 2 * step);
                let _ = writeln!(
                    text,
                    "  goto b{}, b{}\nb{}: [if true {step}]\n  assume {yes}\n  c = call @putchar({letter}i32)\n  goto b{}\n\
                     b{}: [if false {step}]\n  assume {no}\n  c = call @putchar({}i32)\n  goto b{}\nb{}:",
                    b + 1,
                    b + 2,
                    b + 1,
                    b + 3,
                    b + 2,
                    letter + 1,
                    b + 3,
                    b + 3
                );
            }
        }
    }
    text.push_str("  return t\n}\n");
    text
}

/// The letters that runs which end well print, for a few arguments.
fn taken(caller: &str, callee: &str) -> BTreeSet<u8> {
    let mut taken = BTreeSet::new();
    for p in ["@g", "@h", "&w", "null"] {
        for q in ["@g", "&w", "null"] {
            for x in 0..4 {
                let start = format!(
                    "func @start() -> i32 {{\n  tmp t: i32\n  obj w: 8 align 8\nb0:\n  enter &w\n  t = call @main({p}, {q}, {x}i32)\n  return t\n}}\n"
                );
                let unit = parsed(&format!("{HEAD}{start}{caller}{callee}{USE}"));
                let options = InterpOptions { steps: 10_000, strict_havoc: false };
                let run = Interp::new(&unit, options).run("start", &[]);
                match run.outcome {
                    Outcome::Returned(_) | Outcome::Raised => taken.extend(run.stdout),
                    Outcome::Failed { .. } | Outcome::Stuck { .. } => {}
                    outcome => panic!("{outcome:?} in\n{caller}{callee}"),
                }
            }
        }
    }
    taken
}

fn parsed(text: &str) -> Unit {
    parse::unit(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The letters of the edges that are impossible.
fn impossible(session: &mut Session, caller: &str, summaries: &[(&str, Summary)]) -> BTreeSet<u8> {
    let unit = prepared(&format!("{HEAD}{caller}"), summaries);
    let f = passive_form(&unit, &unit.functions[0]).unwrap_or_else(|why| panic!("{why}\n{caller}"));
    let edges = decide(session, &unit, &f, QUESTION);
    assert!(edges.undecided.is_empty(), "{caller}");
    let all = branch_edges(&f);
    let found = if edges.never_ends { all } else { edges.impossible };
    let letter = |block| {
        let branch = f.blocks[block].branch.expect("only branches are edges");
        65 + 2 * branch.condition as u8 + u8::from(branch.outcome == Side::False)
    };
    found.into_iter().map(letter).collect()
}

#[test]
fn no_run_is_lost() {
    let session = RefCell::new(session(FIRST));
    let (with, without) = (Cell::new(0), Cell::new(0));
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 300 };
    let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 5_000, ..default };
    let result = TestRunner::new(config).run(&proptest::collection::vec(any_choice(), 120), |choices| {
        let mut choices = Choices { left: &choices };
        let focus = member(&mut choices);
        let Callee { text, summary } = callee(&mut choices, &focus);
        let caller = caller(&mut choices, &focus);
        let taken = taken(&caller, &text);
        let of_use = Summary { writes: Some(vec![Write { base: Base::Anywhere, class: int() }]), ..pure() };
        let others = [("use", of_use), ("putchar", pure())];
        let known = [others.as_slice(), &[("f", summary.clone())]].concat();
        let found = impossible(&mut session.borrow_mut(), &caller, &known);
        with.set(with.get() + found.len());
        without.set(without.get() + impossible(&mut session.borrow_mut(), &caller, &others).len());
        let lost: Vec<char> = found.intersection(&taken).map(|&letter| char::from(letter)).collect();
        prop_assert!(lost.is_empty(), "{lost:?} are taken\n{summary:#?}\n{caller}{text}");
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (with, without) = (with.get(), without.get());
    assert!(10 * with > 11 * without, "{with} impossible edges with summaries, {without} without");
}

fn any_choice() -> impl Strategy<Value = u8> {
    proptest::num::u8::ANY
}
