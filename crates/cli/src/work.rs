//! What is done with one unit, in this process.

use crate::check_options::CheckOptions;
use crate::clock::{Clock, Timing};
use crate::kit::Kit;
use crate::places::Base;
use crate::positions::{Positions, Texts};
use crate::units::Unit;
use gainsay_analysis::guard::guard;
use gainsay_analysis::loops;
use gainsay_analysis::pipeline::{self, Tools};
use gainsay_frontend::lower::{Beside, Lowered, Options, lower};
use gainsay_frontend::{ast, clang};
use gainsay_ir::gap::Gap;
use gainsay_ir::models::Models;
use gainsay_ir::source_map::{Raw, Span};
use gainsay_ir::{equal, gc, parse, print};
use gainsay_report::coverage::{FunctionReport, GlobalGap, UnitReport};
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The outcome of `check` for one unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Checked {
    pub(crate) report: UnitReport,
    pub(crate) findings: Vec<Finding>,
    /// Annotations that are not understood: `file:line:column: why`.
    pub(crate) problems: Vec<String>,
    /// Where the time went, if somebody asked.
    pub(crate) timings: Vec<Timing>,
}

/// The outcome of printing and reading back each function of one unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RoundTripped {
    pub(crate) functions: usize,
    /// What did not come back the same.
    pub(crate) differences: Vec<String>,
}

/// A unit as far as it can be had; an error is a reason for the ledger.
pub(crate) fn lowered(unit: &Unit) -> Result<(ast::Unit, Lowered), String> {
    let ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    let lowered = lower_guarded(&ast)?;
    Ok((ast, lowered))
}

fn lower_guarded(ast: &ast::Unit) -> Result<Lowered, String> {
    guard(|| lower(ast, &Options::default()))
        .map_err(|panic| format!("internal error while lowering: {panic}"))
}

/// The functions as `check` analyses them: with what is known of those they call.
pub(crate) fn prepared(lowered: &Lowered) -> Result<Vec<gc::Function>, String> {
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    guard(|| pipeline::prepare(&lowered.unit, &models))
        .map_err(|panic| format!("internal error while applying models: {panic}"))
}

pub(crate) fn check(unit: &Unit, options: &CheckOptions, kit: &mut Kit) -> Result<Checked, String> {
    let mut clock = Clock::new(&unit.file);
    let ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    clock.begin("lower");
    let lowered = lower_guarded(&ast)?;
    clock.begin("passes");
    let base = base(unit)?;
    let texts = Texts::default();
    let mut functions = Vec::new();
    let mut findings = Vec::new();
    let (sessions, models) = kit.of_unit(ast.target, options)?;
    let prepared = guard(|| pipeline::prepare(&lowered.unit, models))
        .map_err(|panic| format!("internal error while applying models: {panic}"))?;
    let mut purse = loops::purse(options.loops, &prepared);
    for (f, beside) in prepared.into_iter().zip(&lowered.functions) {
        // What the system's headers hold is not the user's to change.
        if ast.source_map.place(beside.span.at).is_some_and(|place| place.in_system_header) {
            continue;
        }
        let name = &lowered.unit.symbols[f.symbol].name;
        clock.function = name.clone();
        let mut report = function_report(&base, &ast, name, beside.span);
        report.gaps = count_gaps(beside);
        let positions = Positions { base: &base, map: &ast.source_map, spans: &beside.spans, texts: &texts };
        let mut tools = Tools {
            first: &mut sessions.first,
            second: &mut sessions.second,
            show: &options.show,
            loops: options.loops,
            purse: &mut purse,
            begin: &mut |stage| clock.begin(stage.name()),
        };
        match pipeline::analyse(&mut tools, &lowered.unit, f, &positions) {
            Ok(outcome) => {
                report.inconsistent = outcome.is_inconsistent;
                report.undecided = outcome.undecided;
                report.loops = outcome.loops;
                findings.extend(outcome.findings);
            }
            Err(reason) => report.given_up = Some(reason),
        }
        functions.push(report);
    }
    let timings = if options.timings { clock.stop() } else { Vec::new() };
    for gone in &lowered.gave_up {
        let report = function_report(&base, &ast, &gone.name, gone.span);
        functions.push(FunctionReport { given_up: Some(gone.reason.clone()), ..report });
    }
    let global_gap = |&(gap, span): &(Gap, Span)| {
        let (file, line, column) = base.place(&ast.source_map, span.at).unwrap_or_default();
        GlobalGap { kind: gap.name().to_owned(), file, line, column }
    };
    let gaps = lowered.gaps.iter().map(global_gap).collect();
    let error = first_error(&base, &ast);
    Ok(Checked {
        report: UnitReport { file: unit.file.clone(), failed: None, error, functions, gaps },
        findings,
        problems: problems(&base, &ast, &lowered),
        timings,
    })
}

pub(crate) fn roundtrip(unit: &Unit) -> Result<RoundTripped, String> {
    let (_, lowered) = lowered(unit)?;
    let before = &lowered.unit;
    let mut differences = Vec::new();
    match parse::unit(&print::unit(before)) {
        Err(error) => {
            differences.push(format!("{}: the text form cannot be read back: {error}", unit.file));
            differences.extend(unreadable_functions(unit, before));
        }
        Ok(after) => {
            let (n, m) = (before.functions.len(), after.functions.len());
            if n != m {
                differences.push(format!("{}: {n} functions became {m}", unit.file));
            }
            for (a, b) in before.functions.iter().zip(&after.functions) {
                if !equal::same(before, a, &after, b) {
                    let name = &before.symbols[a.symbol].name;
                    differences.push(format!("{}: function {name} reads back differently", unit.file));
                }
            }
        }
    }
    Ok(RoundTripped { functions: before.functions.len(), differences })
}

/// Which functions of a unit cannot be read back, each with its reason.
fn unreadable_functions(unit: &Unit, before: &gc::Unit) -> Vec<String> {
    let mut scratch = before.clone();
    let mut problem = |f: &gc::Function| {
        let error = parse::function(&mut scratch, &print::function(before, f)).err()?;
        let name = &before.symbols[f.symbol].name;
        Some(format!("{}: function {name} cannot be read back: {error}", unit.file))
    };
    before.functions.iter().filter_map(&mut problem).collect()
}

pub(crate) fn base(unit: &Unit) -> Result<Base, String> {
    let current =
        std::env::current_dir().map_err(|error| format!("the current directory is gone: {error}"))?;
    Ok(Base { unit: unit.directory.clone(), current })
}

/// The first compile error with its place, and how many follow.
pub(crate) fn first_error(base: &Base, ast: &ast::Unit) -> Option<String> {
    let mut errors = ast.diagnostics().into_iter().filter(|message| message.error);
    let first = errors.next()?;
    let place = match base.place(&ast.source_map, first.at) {
        Some((file, line, column)) => format!("{file}:{line}:{column}: "),
        None => String::new(),
    };
    let more = match errors.count() {
        0 => String::new(),
        1 => " (and 1 more error)".into(),
        n => format!(" (and {n} more errors)"),
    };
    Some(format!("{place}{}{more}", first.message))
}

/// The annotations that have no meaning here, with their places, in order.
pub(crate) fn problems(base: &Base, ast: &ast::Unit, lowered: &Lowered) -> Vec<String> {
    let of_functions = lowered.functions.iter().flat_map(|beside| &beside.annotations.problems);
    let all: BTreeSet<&(Raw, String)> = lowered.problems.iter().chain(of_functions).collect();
    let said = |(at, message): &(Raw, String)| {
        let (file, line, column) = base.place(&ast.source_map, *at).unwrap_or_default();
        format!("{file}:{line}:{column}: {message}")
    };
    all.into_iter().map(said).collect()
}

fn count_gaps(beside: &Beside) -> BTreeMap<String, u64> {
    let mut gaps = BTreeMap::new();
    for (gap, _) in &beside.gaps {
        *gaps.entry(gap.name().to_owned()).or_default() += 1;
    }
    gaps
}

fn function_report(base: &Base, ast: &ast::Unit, name: &str, span: Span) -> FunctionReport {
    let (file, line, _) = base.place(&ast.source_map, span.at).unwrap_or_default();
    FunctionReport { name: name.to_owned(), file, line, ..FunctionReport::default() }
}
