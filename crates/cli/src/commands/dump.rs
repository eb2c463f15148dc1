//! `gainsay dump`: one stage of one file as text.

use crate::args::{DumpArgs, Stage};
use crate::console::{fail, say, select_one, show};
use gainsay_analysis::horn::{Problem, source_edges, with_checks};
use gainsay_analysis::{pipeline, reach};
use gainsay_driver::unit_file::CompileError;
use gainsay_driver::units::Unit;
use gainsay_driver::work;
use gainsay_frontend::clang::{self, dump};
use gainsay_frontend::lower::Lowered;
use gainsay_ir::passes::prune;
use gainsay_ir::{gc, passive, print};
use std::process::ExitCode;

pub(crate) fn run(args: &DumpArgs) -> ExitCode {
    let shown = select_one(&args.input).and_then(|unit| match args.stage {
        Stage::Ast => ast(&unit, args.function.as_deref()),
        Stage::Gc | Stage::Passive | Stage::Smt2 | Stage::Horn => commands(&unit, args),
    });
    match shown {
        Ok(text) => show(&text),
        Err(problem) => fail(&problem),
    }
}

fn ast(unit: &Unit, function: Option<&str>) -> Result<String, String> {
    let ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    warn_of_errors(unit, &ast)?;
    if let Some(name) = function
        && !ast.functions().any(|id| ast.name(id) == name)
    {
        return Err(format!("{}: no function '{name}' is defined here", unit.file));
    }
    let mut text = String::new();
    dump::dump(&ast, function, &mut text);
    Ok(text)
}

fn commands(unit: &Unit, args: &DumpArgs) -> Result<String, String> {
    let (ast, mut lowered) = work::lowered(unit)?;
    warn_of_errors(unit, &ast)?;
    let prepared = work::prepared(&mut lowered)?;
    let of_stage = if args.stage == Stage::Gc { &lowered.unit.functions } else { &prepared };
    let functions = wanted(unit, &lowered, of_stage, args.function.as_deref())?;
    for gone in &lowered.gave_up {
        if args.function.is_none() {
            say(&format!("{}: function {} given up: {}", unit.file, gone.name, gone.reason));
        }
    }
    match args.stage {
        Stage::Passive => {
            let mut text = String::new();
            for f in functions {
                text.push_str(&passive::print(&lowered.unit, &pipeline::passive_form(&lowered.unit, f)?));
                text.push('\n');
            }
            Ok(text)
        }
        Stage::Smt2 => {
            let ask = |f| Ok(reach::questions(&lowered.unit, &pipeline::passive_form(&lowered.unit, f)?));
            functions
                .into_iter()
                .map(ask)
                .collect::<Result<Vec<String>, String>>()
                .map(|texts| texts.join("(reset)\n"))
        }
        Stage::Horn => Ok(functions.into_iter().map(|f| horn(&lowered.unit, f)).collect()),
        _ if args.function.is_none() => Ok(print::unit(&lowered.unit)),
        _ => Ok(functions.iter().map(|f| print::function(&lowered.unit, f)).collect::<Vec<_>>().join("\n")),
    }
}

/// The question about each edge.
fn horn(unit: &gc::Unit, f: &gc::Function) -> String {
    let f = prune(f.clone());
    let f = with_checks(unit, &f).unwrap_or(f);
    let edges = source_edges(&f);
    let mut problem = Problem::new(unit, &f, &edges);
    let mut text = String::new();
    for (number, &edge) in edges.iter().enumerate() {
        let name = &unit.symbols[f.symbol].name;
        text.push_str(&format!("(reset)\n; {name}: is {edge} on a run that ends well?\n"));
        text.push_str(&problem.text(number));
    }
    text
}

fn wanted<'a>(
    unit: &Unit,
    lowered: &Lowered,
    functions: &'a [gc::Function],
    name: Option<&str>,
) -> Result<Vec<&'a gc::Function>, String> {
    let name_of = |f: &gc::Function| lowered.unit.symbols[f.symbol].name.as_str();
    let Some(name) = name else { return Ok(functions.iter().collect()) };
    let found: Vec<_> = functions.iter().filter(|f| name_of(f) == name).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    Err(match lowered.gave_up.iter().find(|gone| gone.name == name) {
        Some(gone) => format!("{}: function {name} given up: {}", unit.file, gone.reason),
        None => format!("{}: no function '{name}' is defined here", unit.file),
    })
}

fn warn_of_errors(unit: &Unit, ast: &gainsay_frontend::clang::ast::Unit) -> Result<(), String> {
    if let Some(error) = CompileError::first_of(ast) {
        let error = error.shown(&work::base(unit)?, &ast.source_map);
        say(&format!("{}: does not compile, shown as far as possible: {error}", unit.file));
    }
    Ok(())
}
