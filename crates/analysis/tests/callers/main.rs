//! What the analyses find, and do not find, with summaries of the callees.

mod facts;
mod found;
mod random;
mod traps;

use gainsay_analysis::boundary::Bodies;
use gainsay_analysis::context::Tools;
use gainsay_analysis::loops::{Loops, loop_budget};
use gainsay_analysis::pipeline::analyse;
use gainsay_analysis::source::{Source, Spot};
use gainsay_ir::gc::{Loc, Unit};
use gainsay_ir::parse;
use gainsay_program::apply_summaries::{CalleeSummaries, UnitNames, apply_summaries};
use gainsay_program::summary::Summary;
use gainsay_report::finding::Finding;
use gainsay_report::noise::Noise;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use gainsay_solver::{Options, Session};
use std::collections::BTreeMap;
use std::path::Path;

/// The functions that bodies may call, with the places that they and their callees access.
const HEAD: &str = "target ptr64 little
object @g size 4 align 4 external
object @own size 4 align 4 internal {}
object @record size 16 align 8 external
function @f(ptr, ptr) external
function @id(ptr) -> ptr external
function @get() -> i32 external
function @map(i32) -> i32 external
function @stop(i32) external
function @replaced(ptr) weak
function @unknown() external
func @main(p: ptr, q: ptr, x: i32) -> i32 {
  var r: ptr
  var t: i32
  tmp c: i32
  obj a: 16 align 8
b0:
";

/// A source in which every location is a line of its own.
struct Lines;

impl Source for Lines {
    fn spot(&self, loc: Loc) -> Option<Spot> {
        let line = loc.as_u32();
        Some(Spot { file: "t.c".into(), line, column: 1, end_line: line, end_column: 2 })
    }

    fn is_in_macro_definition(&self, _: Loc) -> bool {
        false
    }

    fn is_in_macro(&self, _: Loc) -> bool {
        false
    }

    fn is_macro_argument(&self, _: Loc) -> bool {
        false
    }

    fn takes_macro_value(&self, _: Loc) -> bool {
        false
    }

    fn is_conditional(&self, _: Loc) -> bool {
        false
    }

    fn is_mentioned_conditionally(&self, _: &str, _: Loc, _: Loc) -> bool {
        false
    }

    fn has_configured_type(&self, _: &str, _: Loc) -> bool {
        false
    }

    fn is_one_token(&self, _: Loc) -> bool {
        false
    }
}

fn session(name: &str) -> Session {
    let mut places = SolverDirectories::of_this_process().unwrap_or_else(|error| panic!("{error}"));
    places.directories.insert(0, Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin"));
    let program = places.find(name).unwrap_or_else(|error| panic!("{error}"));
    Session::new(&program, &Options::default())
}

/// The unit with its function, with the summaries applied at calls.
fn prepared(text: &str, summaries: &[(&str, Summary)]) -> Unit {
    let mut unit = parse::unit(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let names = UnitNames { unit: "t.c", is_exposed: &|_| true };
    let symbols = unit.symbols.clone();
    let lookup = |symbol| {
        let called = &symbols[symbol].name;
        summaries.iter().find(|(name, _)| name == called).map(|(_, summary)| summary)
    };
    let none = BTreeMap::new();
    let callees = CalleeSummaries::of(&mut unit, &names, &lookup, &none);
    unit.functions = unit.functions.iter().map(|f| apply_summaries(&unit, &callees, f.clone())).collect();
    unit
}

fn findings(body: &str, summaries: &[(&str, Summary)]) -> Vec<Finding> {
    let unit = prepared(&format!("{HEAD}{body}}}\n"), summaries);
    let (mut first, mut second) = (session(FIRST), session(SECOND));
    let tools = Tools {
        first: &mut first,
        second: &mut second,
        explains_macros: false,
        loops: Loops::All,
        evidence: None,
        bodies: &Bodies::default(),
        loop_budget: &mut loop_budget(&unit.functions, 1),
        beliefs: None,
        begin: &mut |_| {},
    };
    let outcome = analyse(tools, &unit, unit.functions[0].clone(), &Lines);
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{body}"));
    assert_eq!(outcome.tally.undecided, 0, "{body}");
    outcome.findings
}

/// The visible findings, including defensive ones: rule, line and message, then the notes.
fn found(body: &str, summaries: &[(&str, Summary)]) -> Vec<String> {
    let visible = findings(body, summaries)
        .into_iter()
        .filter(|finding| finding.class.as_deref().is_none_or(|class| class == Noise::Defensive.name()));
    let line = |finding: Finding| {
        let mut text = format!("{} {}: {}", finding.rule, finding.line, finding.message);
        for note in &finding.related {
            text += &format!("; {}: {}", note.line, note.message);
        }
        text
    };
    visible.map(line).collect()
}

/// Code, followed on line 20 by a test with a command on each branch.
fn then_test(code: &str, condition: &str) -> String {
    format!(
        "{code}  goto b20, b21\nb20: [if true 20]\n  assume {condition} !20\n  call @unknown() !21\n  return 1i32\n\
         b21: [if false 20]\n  assume !({condition}) !20\n  call @unknown() !22\n  return 0i32\n"
    )
}
