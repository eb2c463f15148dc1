//! `gainsay summary`: what is learnt of each function for its callers, in C's terms.
//!
//! Units are read in this process, one after the other; only their interfaces are kept.

use crate::args::SummaryArgs;
use crate::console::{fail, say, show};
use gainsay_analysis::guard::guard;
use gainsay_driver::phases::disown;
use gainsay_driver::units::{self, Unit, Wanted};
use gainsay_driver::{imports_file, work};
use gainsay_ir::types::Type;
use gainsay_program::link::{Interface, Program};
use gainsay_program::models::Models;
use gainsay_program::precondition::Precondition;
use gainsay_program::preconditions::infer;
use gainsay_program::summarize::{Effort, summarize};
use gainsay_program::summary::{Returns, Summary};
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(args: &SummaryArgs) -> ExitCode {
    let (function, files) = function_first(&args.input.files);
    let wanted = Wanted {
        files,
        build_dir: args.input.build_dir.as_deref(),
        flags: &args.input.flags,
        may_query: args.input.query.allowed(),
    };
    let selection = match units::select(&wanted) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    selection.notes.iter().for_each(|note| say(note));
    let (mut interfaces, mut names, mut units) = (Vec::new(), Vec::new(), Vec::new());
    for unit in &selection.units {
        let read = match unit {
            Ok(unit) => interface(unit).map_err(|reason| format!("{}: {reason}", unit.file)),
            Err(unusable) => Err(format!("{}: {}", unusable.file, unusable.reason)),
        };
        match (read, unit) {
            (Ok((name, interface)), Ok(unit)) => {
                names.push(name);
                interfaces.push(interface);
                units.push(unit.clone());
            }
            (Err(problem), _) => say(&problem),
            (Ok(_), Err(_)) => {}
        }
    }
    for index in disown(&mut units, interfaces.iter().map(Some)) {
        match interface(&units[index]) {
            Ok((name, again)) => (names[index], interfaces[index]) = (name, again),
            Err(problem) => say(&format!("{}: {problem}", units[index].file)),
        }
    }
    if interfaces.is_empty() {
        return fail("no unit could be read");
    }
    let is_complete = interfaces.len() == selection.units.len();
    let program = selection.extent(args.input.whole_program).link(interfaces, is_complete);
    let summaries =
        summarize(&program, Effort { threads: gainsay_driver::supervise::every_core(), suggestions: true });
    if let Some(directory) = &args.known {
        for (number, name) in names.iter().enumerate() {
            if let Err(problem) =
                imports_file::write(directory, name, &program.imports_of(&summaries, number))
            {
                return fail(&problem);
            }
        }
        return ExitCode::SUCCESS;
    }
    let text = if args.counts {
        let own = program.functions.iter().filter(|function| !function.is_library).count();
        counts(&summaries[..own])
    } else {
        match described(&program, &summaries, &infer(&program, &summaries), function) {
            Ok(text) => text,
            Err(problem) => return fail(&problem),
        }
    };
    show(&text)
}

/// The first word is a function if it looks like one and no file has that name.
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

/// With its name among what units know.
fn interface(unit: &Unit) -> Result<(String, Interface), String> {
    let (_, mut lowered) = work::lowered(unit)?;
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    let of_unit = || {
        let bodies = lowered.unit.functions.clone();
        let functions = gainsay_program::prepare::with_models(&mut lowered.unit, bodies, &models);
        let unread = lowered.unread();
        let given_up: Vec<&str> = unread.iter().map(String::as_str).collect();
        let mut interface =
            Interface::new(&unit.identity(), &lowered.unit, &functions, &given_up, &|_, _| None);
        interface.add_library(&mut lowered.unit, &models);
        interface.find_input_paths(&lowered.unit, &functions);
        interface
    };
    let interface =
        guard(of_unit).map_err(|panic| format!("internal error while looking at functions: {panic}"))?;
    Ok((imports_file::name(unit, &lowered.unit), interface))
}

fn described(
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

/// How much is known, for those who measure.
fn counts(summaries: &[Summary]) -> String {
    let count = |holds: &dyn Fn(&Summary) -> bool| summaries.iter().filter(|summary| holds(summary)).count();
    let params = |holds: &dyn Fn(&gainsay_program::summary::ParamFacts) -> bool| {
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
