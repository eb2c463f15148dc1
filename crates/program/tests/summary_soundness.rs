//! What a call really does lies within its summary: random small programs run in the interpreter, with all that the
//! summaries of their functions say held against what is seen.

use gainsay_interp::{Interp, InterpOptions, Outcome};
use gainsay_ir::types::Type;
use gainsay_ir::{parse, verify};
use gainsay_program::link::{Interface, Program};
use gainsay_program::models::Models;
use gainsay_program::summarize::{Effort, of_name, summarize};
use gainsay_program::summary::{Atom, Base, ExitContents, ExitFact, GlobalName, Returns, Summary};
use proptest::prelude::*;
use std::fmt::Write;
use std::num::NonZeroUsize;

/// Functions f0 to the last one, each of which may call those before it. Recursion is left to the tests as text.
const FUNCTIONS: usize = 4;

const HEAD: &str = "target ptr64 little
function @exit(i32) external library noreturn
function @abort() external library noreturn
function @malloc(i64) -> ptr external library
function @free(ptr) external library
object @a size 8 align 8 external {}
object @b size 8 align 8 external {}
object @c size 8 align 8 internal {}
function @g0(ptr, i32) -> ptr internal
function @g1(ptr, i32) -> ptr internal
function @g2(ptr, i32) -> ptr internal
function @apply(ptr, ptr, i32) -> ptr internal
function @outside(ptr, ptr) external system
object @slot size 8 align 8 external {}
object @ops size 8 align 8 external {}
object @hooks size 16 align 8 internal { 8: @g1 }
func @g0(p: ptr, n: i32) -> ptr {
b0:
  store i32 #i32 @a, 9i32
  return @g1
}
func @g1(p: ptr, n: i32) -> ptr {
b0:
  store i32 #i32 @c +p 4i64, 9i32
  return @g0
}
func @g2(p: ptr, n: i32) -> ptr {
b0:
  assert null p != null
  store i32 #i32 p, 9i32
  return p
}
func @apply(h: ptr, p: ptr, n: i32) -> ptr {
  tmp r: ptr
b0:
  assert null h != null
  r = call *h(p, n)
  return r
}
";

/// What the analysis does not see: code outside of the program, which calls what it was given the last time, and leaves a
/// function of its own, which may exit, where the program finds it.
const OUTSIDE: &str = "object @kept size 8 align 8 internal {}
func @foreign(p: ptr, n: i32) -> ptr {
b0:
  goto b1, b2
b1: [if true 0]
  assume n == 7i32
  raise
b2: [if false 0]
  assume n != 7i32
  return null
}
func @outside(h: ptr, p: ptr) {
  tmp k: ptr
b0:
  k = load ptr #ptr @kept
  store ptr #ptr @kept, h
  goto b1, b2
b1: [if true 0]
  assume k != null
  k = call *k(p, 7i32)
  goto b3
b2: [if false 0]
  assume k == null
  goto b4, b5
b4: [if true 1]
  assume p != null
  store ptr #any p, @foreign
  goto b3
b5: [if false 1]
  assume p == null
  goto b3
b3:
  return
}
";

/// Addresses of functions, and where they are kept.
const FUNCTIONS_TAKEN: [&str; 6] = ["@g0", "@g1", "@g2", "h", "h", "q"];
const HOOKS: [&str; 3] = ["@hooks", "@hooks +p 8i64", "@hooks +p ((zext64(n) & 1i64) * 8i64)"];

struct Choices {
    data: Vec<u32>,
    next: usize,
}

impl Choices {
    fn pick(&mut self, n: u32) -> u32 {
        let choice = self.data.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        choice % n
    }

    fn of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.pick(items.len() as u32) as usize]
    }
}

/// A function under construction: blocks in text form.
struct Writer<'a> {
    choices: &'a mut Choices,
    number: usize,
    text: String,
    blocks: u32,
    conditions: u32,
}

const POINTERS: [&str; 6] = ["p", "q", "w", "t", "@a", "@c"];

impl Writer<'_> {
    /// Statements; false if they do not go on.
    fn statements(&mut self, depth: u32) -> bool {
        for _ in 0..self.choices.pick(5) {
            if !self.statement(depth) {
                return false;
            }
        }
        true
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").unwrap();
    }

    fn statement(&mut self, depth: u32) -> bool {
        let pointer = self.choices.of(&POINTERS);
        match self.choices.pick(29) {
            0..=2 => {
                let place = self.choices.of(&[
                    "#s.x@0/i32 {}",
                    "#s.y@4/i32 {} +p 4i64",
                    "#i32 {}",
                    "#any {} +p 4i64",
                ]);
                let value = self.choices.of(&["n", "9i32", "v"]);
                self.line(&format!("assert null {pointer} != null"));
                self.line(&format!("store i32 {}, {value}", place.replace("{}", pointer)));
            }
            3 => self.line(&format!("store ptr #ptr @slot, {pointer}")),
            4 => self.line("t = load ptr #ptr @slot"),
            5 => {
                self.line(&format!("assert null {pointer} != null"));
                self.line(&format!("fill {pointer}, 1i8, 4i64"));
            }
            6 => {
                let value =
                    self.choices.of(&["0i32", "5i32", "n", "4294967295i32", "zext32(n == 0i32)", "v"]);
                self.line(&format!("v = {value}"));
            }
            7 => {
                let value = if self.choices.pick(3) == 0 { "null" } else { pointer };
                self.line(&format!("w = {value}"));
            }
            8 => {
                let line = self.choices.of(&["n = n - 1i32", "p = t"]);
                self.line(line);
            }
            9 => self.line("w = call @malloc(8i64)"),
            10 | 11 if self.number > 0 => self.call(),
            16..=21 => self.function_pointer(pointer),
            22..=24 => {
                let value =
                    self.choices.of(&["null", "null", "@b", "w", "t", "w +p 4i64", "p", "q", "p +p 4i64"]);
                self.line(&format!("assert null {pointer} != null"));
                self.line(&format!("store ptr #ptr {pointer}, {value}"));
            }
            25 => {
                self.line(&format!("assert null {pointer} != null"));
                self.line(&format!("t = load ptr #ptr {pointer}"));
            }
            26 => {
                let store = self.choices.of(&[
                    "i8 #any {} +p 1i64, 3i8",
                    "i8 #any {}, 0i8",
                    "i64 #any {}, 0i64",
                    "i64 #any {}, 1i64",
                    "i16 #any {} +p 3i64, 258i16",
                ]);
                self.line(&format!("assert null {pointer} != null"));
                self.line(&format!("store {}", store.replace("{}", pointer)));
            }
            12 if depth > 0 => {
                let last = self.choices.of(&["call @exit(1i32)", "call @abort()"]);
                self.line(last);
                self.line("raise");
                return false;
            }
            13 if depth > 0 => {
                self.end();
                return false;
            }
            _ if depth < 3 => self.branch(depth),
            _ => {}
        }
        true
    }

    /// Something with the address of a function.
    fn function_pointer(&mut self, pointer: &str) {
        let taken = self.choices.of(&FUNCTIONS_TAKEN);
        let hook = self.choices.of(&HOOKS);
        let line = match self.choices.pick(18) {
            0 | 1 => format!("h = {taken}"),
            2 | 3 => format!("store ptr #ptr {hook}, {taken}"),
            4 | 5 => format!("h = load ptr #ptr {hook}"),
            6 | 7 => {
                self.line("assert null h != null");
                format!("h = call *h({pointer}, n)")
            }
            8 => format!("h = call @apply({taken}, {pointer}, n)"),
            9 => self.choices.of(&["copy @hooks, @slot, 8i64", "copy @slot, @hooks, 8i64"]).to_owned(),
            10 => self.choices.of(&["store ptr #ptr @slot, h", "h = load ptr #ptr @slot"]).to_owned(),
            11 | 12 => format!("call @outside({taken}, {pointer})"),
            // In a record behind a pointer.
            13 | 14 => {
                self.line(&format!("assert null {pointer} != null"));
                format!("store ptr #ptr {pointer}, {taken}")
            }
            15 => {
                self.line(&format!("assert null {pointer} != null"));
                format!("h = load ptr #ptr {pointer}")
            }
            16 => "h = load ptr #ptr @ops".to_owned(),
            _ => {
                let through = ["h = inttoptr(ptrtoint64(h))", "store i64 #any @hooks, ptrtoint64(h)"];
                self.choices.of(&through).to_owned()
            }
        };
        self.line(&line);
    }

    fn call(&mut self) {
        let callee = self.choices.pick(self.number as u32);
        let (p, q) = (
            self.choices.of(&["p", "q", "w", "t", "@a", "null"]),
            self.choices.of(&["p", "q", "@c", "null", "h", "@g0"]),
        );
        let n = self.choices.of(&["n", "0i32", "7i32", "v"]);
        let dst = if callee.is_multiple_of(2) { "v" } else { "w" };
        self.line(&format!("{dst} = call @f{callee}({p}, {q}, {n})"));
    }

    fn branch(&mut self, depth: u32) {
        let (yes, no) = match self.choices.pick(7) {
            0 => ("p == null", "p != null"),
            1 => ("q != null", "q == null"),
            2 => ("n == 0i32", "n != 0i32"),
            3 => ("n <s 5i32", "5i32 <=s n"),
            4 => ("v <s 3i32", "3i32 <=s v"),
            5 => ("t == null", "t != null"),
            _ => ("w == null", "w != null"),
        };
        let (a, b, after) = (self.blocks, self.blocks + 1, self.blocks + 2);
        self.blocks += 3;
        let condition = self.conditions;
        self.conditions += 1;
        writeln!(self.text, "  goto b{a}, b{b}\nb{a}: [if true {condition}]\n  assume {yes}").unwrap();
        if self.statements(depth + 1) {
            writeln!(self.text, "  goto b{after}").unwrap();
        }
        writeln!(self.text, "b{b}: [if false {condition}]\n  assume {no}").unwrap();
        if self.choices.pick(2) == 0 || self.statements(depth + 1) {
            writeln!(self.text, "  goto b{after}").unwrap();
        }
        writeln!(self.text, "b{after}:").unwrap();
    }

    fn end(&mut self) {
        let value = if self.number.is_multiple_of(2) {
            self.choices.of(&["v", "n", "0i32", "3i32", "4294967295i32"])
        } else {
            self.choices.of(&["w", "p", "q", "null", "@a", "t", "p +p 4i64"])
        };
        self.line(&format!("return {value}"));
    }
}

/// The functions, and for the last of them one that calls it and tells what came of it.
fn program(choices: &mut Choices) -> String {
    let mut text = HEAD.to_owned();
    for number in 0..FUNCTIONS {
        let result = if number.is_multiple_of(2) { "i32" } else { "ptr" };
        let mut writer = Writer { choices, number, text: String::new(), blocks: 1, conditions: 0 };
        if writer.statements(0) {
            writer.end();
        }
        let body = writer.text;
        write!(
            text,
            "func @f{number}(p: ptr, q: ptr, n: i32) -> {result} {{\n  var v: i32\n  var w: ptr\n  var t: ptr\n\
             \x20 var h: ptr\nb0:\n  v = 1i32\n  w = null\n  t = null\n  h = null\n{body}}}\n"
        )
        .unwrap();
    }
    for number in 0..FUNCTIONS {
        text.push_str(&observer(number));
    }
    text
}

/// What the observers begin with; code outside has filled a record.
const ARGUMENTS: &str = "  call @outside(null, @ops)
  p = ite(first == 0i32, null, @a)
  q = ite(second == 0i32, null, ite(second == 1i32, @a, @b))
";

fn result_type(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "i32" } else { "ptr" }
}

/// Calls with `pick`ed arguments; `what` 0: which places changed; 1: the result.
fn observer(number: usize) -> String {
    let ty = result_type(number);
    let result = if number.is_multiple_of(2) {
        "r"
    } else {
        "(zext32(r == null) | (zext32(r == p) << 1i32)) | (zext32(r == q) << 2i32)"
    };
    let mut changed = String::new();
    let mut sum = "0i32".to_owned();
    for (bit, place) in ["@a", "@a +p 4i64", "@b", "@b +p 4i64", "@c", "@c +p 4i64"].iter().enumerate() {
        writeln!(changed, "  x{bit} = load i32 #any {place}").unwrap();
        sum = format!("({sum}) | (zext32(x{bit} != 0i32) << {bit}i32)");
    }
    sum = format!("({sum}) | (zext32((s == q) & (s != null)) << 6i32)");
    let vars: String = (0..6).map(|bit| format!("  tmp x{bit}: i32\n")).collect();
    format!(
        "func @look{number}(first: i32, second: i32, n: i32, what: i32) -> i32 {{\n  var p: ptr\n  var q: ptr\n\
         \x20 tmp r: {ty}\n  tmp s: ptr\n{vars}b0:\n{ARGUMENTS}  r = call @f{number}(p, q, n)\n{changed}\
         \x20 s = load ptr #any @slot\n  return ite(what == 0i32, {sum}, {result})\n}}\n"
    )
}

/// Calls the function and tells whether it has left there what it should.
fn exit_fact_observer(number: usize, fact: usize, expected: &ExitFact) -> String {
    let place = match &expected.at.base {
        Base::Param(param) => PARAMS[*param as usize].to_owned(),
        Base::Global(global) => format!("@{}", global.name),
        base => panic!("nobody knows where {base:?} is"),
    };
    let ty = match expected.ty {
        Type::Int(bits) => format!("i{bits}"),
        _ => "ptr".to_owned(),
    };
    let moved = |pointer: &str, by: i64| format!("({pointer} +p {}i64)", by as u64);
    let holds = match expected.contents {
        ExitContents::Const(0) if expected.ty == Type::Ptr => "l == null".to_owned(),
        ExitContents::Const(bits) => format!("l == {bits}{ty}"),
        ExitContents::Param(param, 0) => format!("l == {}", PARAMS[param as usize]),
        ExitContents::Param(param, offset) => format!("l == {}", moved(PARAMS[param as usize], offset)),
        ExitContents::NotNull => "l != null".to_owned(),
    };
    let result = result_type(number);
    format!(
        "func @exit_fact{number}_{fact}(first: i32, second: i32, n: i32) -> i32 {{\n  var p: ptr\n  var q: ptr\n\
         \x20 tmp r: {result}\n  tmp l: {ty}\nb0:\n{ARGUMENTS}  r = call @f{number}(p, q, n)\n\
         \x20 l = load {ty} #any {}\n  return zext32({holds})\n}}\n",
        moved(&place, expected.offset)
    )
}

/// Of the functions.
const PARAMS: [&str; 3] = ["p", "q", "n"];

/// What is known of a program.
struct Learnt {
    /// With what the analysis did not see.
    unit: gainsay_ir::gc::Unit,
    summaries: Vec<Summary>,
    /// Objects that no pointer in memory points to.
    unexposed: Vec<String>,
    /// Those that code outside of the program changes by calling back.
    written_by_callbacks: Vec<String>,
}

fn learn(text: &str, is_whole: bool) -> Learnt {
    let mut unit = parse::unit(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for f in &unit.functions {
        assert_eq!(verify::verify(&unit, f), Ok(()), "{text}");
    }
    let models = Models::library(unit.target).unwrap();
    let bodies = unit.functions.clone();
    let functions = gainsay_program::prepare::with_models(&mut unit, bodies, &models);
    let link = if is_whole { Program::link_whole } else { Program::link };
    let program = link(vec![Interface::new("unit", &unit, &functions, &[], &|_, _| None)]);
    let summaries = summarize(&program, Effort { threads: NonZeroUsize::MIN, suggestions: true });
    let name = |number| GlobalName { unit: None, name: format!("f{number}") };
    let of = (0..FUNCTIONS).map(|number| of_name(&program, &summaries, &name(number)).into_owned());
    let of: Vec<Summary> = of.collect();
    let imports = program.imports_of(&summaries, 0);
    let name = |symbol: &u32| unit.symbols[gainsay_ir::gc::Symbol::from_u32(*symbol)].name.clone();
    let unexposed = imports.hidden_objects.iter().chain(&imports.unretained_objects).map(name).collect();
    let written_by_callbacks = imports.objects_written_by_callbacks.iter().map(name).collect();
    let mut text = format!("{text}{OUTSIDE}");
    for (number, summary) in of.iter().enumerate() {
        let observers = summary
            .exit_state
            .iter()
            .enumerate()
            .map(|(fact, expected)| exit_fact_observer(number, fact, expected));
        text.extend(observers);
    }
    let unit = parse::unit(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Learnt { unit, summaries: of, unexposed, written_by_callbacks }
}

/// Does the summary allow that the place (object and offset) is written?
fn may_write(
    summary: &Summary,
    (object, offset): (&str, u64),
    (first, second): (u32, u32),
    learnt: &Learnt,
) -> bool {
    let is_among = |names: &[String]| names.iter().any(|name| name == object);
    let Some(writes) = &summary.writes else { return true };
    writes.iter().any(|write| {
        let is_there = match &write.base {
            Base::Param(0) => first != 0 && object == "a",
            Base::Param(1) => [None, Some("a"), Some("b")][second as usize] == Some(object),
            Base::Global(global) => global.name == object,
            Base::Anywhere => !is_among(&learnt.unexposed),
            Base::Outside => !is_among(&learnt.unexposed) || is_among(&learnt.written_by_callbacks),
            Base::Errno | Base::Param(_) => false,
        };
        // A record may be thought to lie anywhere in an object.
        let is_whole = write.base != Base::Anywhere;
        let fits = write.class.field.as_ref().is_none_or(|field| !is_whole || field.offset == offset);
        is_there && fits
    })
}

fn holds(condition: &[Atom], args: [u128; 3]) -> bool {
    let bits = [64, 64, 32];
    condition.iter().all(|atom| atom.holds(args[atom.param as usize], bits[atom.param as usize]))
}

fn check(text: &str) -> Result<(), TestCaseError> {
    check_as(text, false)?;
    check_as(text, true)
}

/// `is_whole`: there is nothing but this text and what is outside.
fn check_as(text: &str, is_whole: bool) -> Result<(), TestCaseError> {
    let learnt = learn(text, is_whole);
    let unit = &learnt.unit;
    for (number, summary) in learnt.summaries.iter().enumerate() {
        for (first, second, n) in
            [(0, 0, 0), (0, 2, 0), (1, 0, 0), (1, 1, 7), (1, 2, 0), (1, 2, 4), (1, 2, 0xffff_ffff), (0, 1, 7)]
        {
            let interp = || Interp::new(unit, InterpOptions { steps: 20_000, strict_havoc: true });
            let run = |what: u128| {
                let args = [first.into(), second.into(), u128::from(n), what];
                interp().run(&format!("look{number}"), &args).outcome
            };
            let shown = format!("f{number}({first}, {second}, {n}): {summary:?}\n{text}");
            let outcome = run(0);
            let Outcome::Returned(seen) = outcome else {
                let left = matches!(outcome, Outcome::Exited(_) | Outcome::Raised);
                prop_assert!(!(left && summary.returns == Returns::Surely), "left: {shown}");
                prop_assert!(
                    !(left && summary.returns == Returns::Never { in_error: true }),
                    "left: {shown}"
                );
                let must_fail =
                    first == 0 && summary.param(0).nonnull || second == 0 && summary.param(1).nonnull;
                prop_assert!(!(left && must_fail), "left with NULL: {shown}");
                continue;
            };
            prop_assert!(!matches!(summary.returns, Returns::Never { .. }), "returned: {shown}");
            prop_assert!(first != 0 || !summary.param(0).nonnull, "p was NULL: {shown}");
            prop_assert!(second != 0 || !summary.param(1).nonnull, "q was NULL: {shown}");
            let args = [u128::from(first), u128::from(second), u128::from(n)];
            prop_assert!(!summary.leaves_if.iter().any(|c| holds(c, args)), "leaves: {shown}");
            for (bit, (object, offset)) in
                [("a", 0), ("a", 4), ("b", 0), ("b", 4), ("c", 0), ("c", 4)].into_iter().enumerate()
            {
                let is_written = seen >> bit & 1 == 1;
                prop_assert!(
                    !is_written || may_write(summary, (object, offset), (first, second), &learnt),
                    "{object}+{offset}: {shown}"
                );
            }
            // Only `q` can be the address of `b`; that of `a` may be stored by name.
            let is_kept = second == 2 && seen >> 6 & 1 == 1;
            prop_assert!(!is_kept || summary.param(1).may_escape, "q is kept: {shown}");
            for (fact, expected) in summary.exit_state.iter().enumerate() {
                let args = [first.into(), second.into(), u128::from(n)];
                let outcome = interp().run(&format!("exit_fact{number}_{fact}"), &args).outcome;
                prop_assert_eq!(outcome, Outcome::Returned(1), "{:?} does not hold: {}", expected, shown);
            }
            let Outcome::Returned(result) = run(1) else { continue };
            if number.is_multiple_of(2) {
                let value = i128::from(result);
                let fits = summary.result.range.is_none_or(|(low, high)| (low..=high).contains(&value));
                prop_assert!(fits, "returned {value}: {shown}");
                prop_assert!(
                    summary.result.equals != Some(2) || result as u32 == n,
                    "returned {value}: {shown}"
                );
            } else {
                prop_assert!(!(summary.result.nonnull && result & 1 == 1), "returned NULL: {shown}");
                if let Some(param @ 0..=1) = summary.result.equals {
                    prop_assert!(result >> (param + 1) & 1 == 1, "returned another pointer: {shown}");
                }
            }
        }
    }
    Ok(())
}

/// More cases than usual, or as many as the environment asks for.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let is_asked_for = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if is_asked_for { default.cases } else { 3000 };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_a_call_does_lies_within_its_summary(data in proptest::collection::vec(any::<u32>(), 0..300)) {
        let text = program(&mut Choices { data, next: 0 });
        check(&text)?;
    }
}
