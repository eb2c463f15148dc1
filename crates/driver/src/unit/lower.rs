//! Parsing and lowering of one unit in this process. A panic becomes an error.

use crate::select::Unit;
use crate::source::display_path::DisplayPaths;
use gainsay_analysis::guard::guard;
use gainsay_frontend::clang::{self, ast};
use gainsay_frontend::compile_db::clean;
use gainsay_frontend::lower::{self, FunctionMetadata, Lowered, Options};
use gainsay_ir::gc;
use gainsay_ir::source_map::{Raw, SourceMap};
use gainsay_program::link::Interface;
use gainsay_program::models::Models;
use std::collections::BTreeSet;

/// Parses and lowers a unit; an error is a reason for the coverage ledger.
pub fn lower(unit: &Unit) -> Result<(ast::Unit, Lowered), String> {
    let ast = parse(unit)?;
    let lowered = lower_ast(&ast)?;
    Ok((ast, lowered))
}

pub(crate) fn parse(unit: &Unit) -> Result<ast::Unit, String> {
    let mut ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    ast.library.without.extend(unit.own_functions.iter().cloned());
    Ok(ast)
}

pub(crate) fn lower_ast(ast: &ast::Unit) -> Result<Lowered, String> {
    guard(|| lower::lower(ast, &Options::default()))
        .map_err(|panic| format!("internal error while lowering: {panic}"))
}

/// The functions as `check` analyses them: with models and summaries applied to their calls.
pub fn prepare(lowered: &mut Lowered) -> Result<Vec<gc::Function>, String> {
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    let unread = lowered.unread();
    let given_up: Vec<&str> = unread.iter().map(String::as_str).collect();
    let Lowered { unit, .. } = lowered;
    guard(|| gainsay_program::prepare::prepare(unit, &models, &given_up))
        .map_err(|panic| format!("internal error while applying models: {panic}"))
}

pub fn display_paths(unit: &Unit) -> Result<DisplayPaths, String> {
    let current =
        std::env::current_dir().map_err(|error| format!("the current directory is gone: {error}"))?;
    Ok(DisplayPaths { unit: unit.directory.clone(), current })
}

/// Adds the source positions of an interface, with absolute paths.
pub(crate) fn locate(
    interface: &mut Interface,
    unit: &Unit,
    map: &SourceMap,
    functions: &[FunctionMetadata],
) {
    // A contract takes the place of inferred preconditions.
    for (paths, metadata) in interface.input_paths.iter_mut().flatten().zip(functions) {
        if metadata.annotations.has_contract {
            paths.clear();
        }
    }
    interface.locate(&|number, loc| {
        let metadata = functions.get(number)?;
        let span = match loc {
            Some(loc) => *metadata.spans.get(loc)?,
            None => metadata.span,
        };
        let (begin, _) = map.range(span)?;
        let file = clean(&unit.directory.join(begin.file)).to_str()?.to_owned();
        Some((file, begin.line, begin.column))
    });
}

/// The annotations that are not understood, with their positions, in order.
pub(crate) fn annotation_problems(
    paths: &DisplayPaths,
    map: &SourceMap,
    functions: &[FunctionMetadata],
    of_declarations: &[(Raw, String)],
) -> Vec<String> {
    let of_functions = functions.iter().flat_map(|metadata| &metadata.annotations.problems);
    let all: BTreeSet<&(Raw, String)> = of_declarations.iter().chain(of_functions).collect();
    let describe = |(at, message): &(Raw, String)| {
        let (file, line, column) = paths.place(map, *at).unwrap_or_default();
        format!("{file}:{line}:{column}: {message}")
    };
    all.into_iter().map(describe).collect()
}
