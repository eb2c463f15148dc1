//! A unit in this process, for commands that look at one.

use crate::places::Base;
use crate::units::Unit;
use gainsay_analysis::guard::guard;
use gainsay_analysis::link::Interface;
use gainsay_analysis::pipeline;
use gainsay_frontend::compile_db::clean;
use gainsay_frontend::lower::{Beside, Lowered, Options, lower};
use gainsay_frontend::{ast, clang};
use gainsay_ir::models::Models;
use gainsay_ir::source_map::{Raw, SourceMap};
use gainsay_ir::{equal, gc, parse, print};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The outcome of printing and reading back each function of one unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RoundTripped {
    pub(crate) functions: usize,
    /// What did not come back the same.
    pub(crate) differences: Vec<String>,
}

/// A unit as far as it can be had; an error is a reason for the ledger.
pub(crate) fn lowered(unit: &Unit) -> Result<(ast::Unit, Lowered), String> {
    let ast = parsed(unit)?;
    let lowered = lower_guarded(&ast)?;
    Ok((ast, lowered))
}

pub(crate) fn parsed(unit: &Unit) -> Result<ast::Unit, String> {
    let mut ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    ast.library.without.extend(unit.own.iter().cloned());
    Ok(ast)
}

pub(crate) fn lower_guarded(ast: &ast::Unit) -> Result<Lowered, String> {
    guard(|| lower(ast, &Options::default()))
        .map_err(|panic| format!("internal error while lowering: {panic}"))
}

/// The functions as `check` analyses them: with what is known of those they call.
pub(crate) fn prepared(lowered: &mut Lowered) -> Result<Vec<gc::Function>, String> {
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    let Lowered { unit, gave_up, .. } = lowered;
    let given_up: Vec<&str> = gave_up.iter().map(|gone| gone.name.as_str()).collect();
    guard(|| pipeline::prepare(unit, &models, &given_up))
        .map_err(|panic| format!("internal error while applying models: {panic}"))
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

/// Says where the places of an interface are, by absolute paths.
pub(crate) fn located(interface: &mut Interface, unit: &Unit, map: &SourceMap, functions: &[Beside]) {
    // Who has a contract says in it what is expected.
    for (ways, beside) in interface.ways.iter_mut().flatten().zip(functions) {
        if beside.annotations.has_contract {
            ways.clear();
        }
    }
    interface.locate(&|number, loc| {
        let beside = functions.get(number)?;
        let span = match loc {
            Some(loc) => *beside.spans.get(loc)?,
            None => beside.span,
        };
        let (begin, _) = map.range(span)?;
        let file = clean(&unit.directory.join(begin.file)).to_str()?.to_owned();
        Some((file, begin.line, begin.column))
    });
}

/// The annotations that have no meaning here, with their places, in order.
pub(crate) fn problems(
    base: &Base,
    map: &SourceMap,
    functions: &[Beside],
    of_declarations: &[(Raw, String)],
) -> Vec<String> {
    let of_functions = functions.iter().flat_map(|beside| &beside.annotations.problems);
    let all: BTreeSet<&(Raw, String)> = of_declarations.iter().chain(of_functions).collect();
    let said = |(at, message): &(Raw, String)| {
        let (file, line, column) = base.place(map, *at).unwrap_or_default();
        format!("{file}:{line}:{column}: {message}")
    };
    all.into_iter().map(said).collect()
}
