//! `gainsay summary`: the summary of each function, in terms of C.

use crate::args::SummaryArgs;
use crate::console::{fail, say, show};
use gainsay_driver::phases;
use gainsay_driver::select::SelectOptions;
use gainsay_driver::summaries::Summaries;
use gainsay_ir::types::Type;
use gainsay_program::link::Program;
use gainsay_program::precondition::Precondition;
use gainsay_program::preconditions::infer;
use gainsay_program::summary::{ParamFacts, Returns, Summary};
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(args: &SummaryArgs) -> ExitCode {
    match summary(args) {
        Ok(text) => show(&text),
        Err(problem) => fail(&problem),
    }
}

fn summary(args: &SummaryArgs) -> Result<String, String> {
    let (function, files) = function_first(&args.input.files);
    let selection = phases::select(&SelectOptions {
        files,
        build_dir: args.input.build_dir.as_deref(),
        flags: &args.input.flags,
        may_query: args.input.query.allowed(),
    })?;
    selection.notes.iter().for_each(|note| say(note));
    let extent = selection.extent(args.input.whole_program);
    let Summaries { program, summaries, .. } =
        Summaries::of(&selection, extent, &say).ok_or("no unit could be read")?;
    if args.counts {
        let own = program.functions.iter().filter(|function| !function.is_library).count();
        return Ok(counts(&summaries[..own]));
    }
    describe(&program, &summaries, &infer(&program, &summaries), function)
}

/// Splits off the function: the first argument if it is an identifier and no file has that name.
fn function_first(files: &[PathBuf]) -> (Option<&str>, &[PathBuf]) {
    let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    match files.split_first() {
        Some((first, rest)) if !first.exists() => match first.to_str().filter(|word| is_name(word)) {
            Some(name) => (Some(name), rest),
            None => (None, files),
        },
        _ => (None, files),
    }
}

fn describe(
    program: &Program,
    summaries: &[Summary],
    inferred: &[Vec<Precondition>],
    function: Option<&str>,
) -> Result<String, String> {
    let mut text = String::new();
    for ((one, summary), inferred) in program.functions.iter().zip(summaries).zip(inferred) {
        if one.is_library || function.is_some_and(|wanted| wanted != one.name.name) {
            continue;
        }
        let Some(definition) = one.definitions.first() else { continue };
        let params = &program.body_facts(definition).params;
        let names: Vec<&str> = params.iter().map(|param| param.0.as_str()).collect();
        text.push_str(&format!("{}({})", one.name.name, names.join(", ")));
        if let Some(unit) = &one.name.unit {
            text.push_str(&format!(" of {}", unit.split('\0').next().unwrap_or_default()));
        }
        text.push('\n');
        text.push_str(&summary.describe(params, program.units[definition.unit].pointer_bits));
        for expects in inferred {
            text.extend(expected(expects, params));
        }
    }
    match function {
        Some(wanted) if text.is_empty() => Err(format!("no function '{wanted}' is defined here")),
        _ => Ok(text),
    }
}

/// "expects n != 0: otherwise division by zero in g (through f)"
fn expected(expects: &Precondition, params: &[(String, Type)]) -> Option<String> {
    let (last, before) = expects.chain.split_last()?;
    let through: Vec<&str> = before.iter().skip(1).map(|place| place.function.as_str()).collect();
    let through =
        if through.is_empty() { String::new() } else { format!(" (through {})", through.join(", ")) };
    let fails = expects.check.fails();
    Some(format!(
        "  expects {}: otherwise {fails} in {}{through}\n",
        expects.as_words(params)?,
        last.function
    ))
}

/// How many functions and parameters each fact is known of.
fn counts(summaries: &[Summary]) -> String {
    let count = |holds: &dyn Fn(&Summary) -> bool| summaries.iter().filter(|summary| holds(summary)).count();
    let params = |holds: &dyn Fn(&ParamFacts) -> bool| {
        summaries.iter().flat_map(|summary| &summary.params).filter(|facts| holds(facts)).count()
    };
    let rows: [(&str, usize); 13] = [
        ("functions", summaries.len()),
        ("writes known", count(&|summary| summary.writes.is_some())),
        ("writes nothing", count(&|summary| summary.writes.as_ref().is_some_and(Vec::is_empty))),
        ("surely returns", count(&|summary| summary.returns == Returns::Surely)),
        ("never returns", count(&|summary| matches!(summary.returns, Returns::Never { .. }))),
        ("does not return if", count(&|summary| !summary.leaves_if.is_empty())),
        ("result not NULL", count(&|summary| summary.result.nonnull)),
        ("result in range", count(&|summary| summary.result.range.is_some())),
        ("result is a parameter", count(&|summary| summary.result.equals.is_some())),
        ("result fresh", count(&|summary| summary.result.fresh)),
        ("can fail", count(&|summary| !summary.can_fail.is_empty())),
        ("parameters not NULL", params(&|facts| facts.nonnull)),
        ("parameters not kept", params(&|facts| !facts.may_escape)),
    ];
    rows.iter().map(|(what, number)| format!("{number:8} {what}\n")).collect()
}
