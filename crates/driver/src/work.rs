//! A unit in this process, for commands that look at one.

use crate::places::Base;
use crate::units::Unit;
use gainsay_analysis::guard::guard;
use gainsay_frontend::clang::{self, ast};
use gainsay_frontend::compile_db::clean;
use gainsay_frontend::lower::{FunctionMetadata, Lowered, Options, lower};
use gainsay_ir::gc;
use gainsay_ir::source_map::{Raw, SourceMap};
use gainsay_program::link::Interface;
use gainsay_program::models::Models;
use std::collections::BTreeSet;

/// A unit as far as it can be had; an error is a reason for the ledger.
pub fn lowered(unit: &Unit) -> Result<(ast::Unit, Lowered), String> {
    let ast = parsed(unit)?;
    let lowered = lower_guarded(&ast)?;
    Ok((ast, lowered))
}

pub fn parsed(unit: &Unit) -> Result<ast::Unit, String> {
    let mut ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    ast.library.without.extend(unit.own.iter().cloned());
    Ok(ast)
}

pub fn lower_guarded(ast: &ast::Unit) -> Result<Lowered, String> {
    guard(|| lower(ast, &Options::default()))
        .map_err(|panic| format!("internal error while lowering: {panic}"))
}

/// The functions as `check` analyses them: with what is known of those they call.
pub fn prepared(lowered: &mut Lowered) -> Result<Vec<gc::Function>, String> {
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    let unread = lowered.unread();
    let given_up: Vec<&str> = unread.iter().map(String::as_str).collect();
    let Lowered { unit, .. } = lowered;
    guard(|| gainsay_program::prepare::prepare(unit, &models, &given_up))
        .map_err(|panic| format!("internal error while applying models: {panic}"))
}

pub fn base(unit: &Unit) -> Result<Base, String> {
    let current =
        std::env::current_dir().map_err(|error| format!("the current directory is gone: {error}"))?;
    Ok(Base { unit: unit.directory.clone(), current })
}

/// Says where the places of an interface are, by absolute paths.
pub fn located(interface: &mut Interface, unit: &Unit, map: &SourceMap, functions: &[FunctionMetadata]) {
    // Who has a contract says in it what is expected.
    for (paths, beside) in interface.input_paths.iter_mut().flatten().zip(functions) {
        if beside.annotations.has_contract {
            paths.clear();
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
pub fn problems(
    base: &Base,
    map: &SourceMap,
    functions: &[FunctionMetadata],
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
