//! Runs tests/gc/<topic>/*.gc. The first line names the test (`; test passify`), the lines after `; ---`
//! are what must come out. `BLESS=1` rewrites them.

use gainsay_interp::{Interp, InterpOptions};
use gainsay_ir::gc::{Block, Function, Linkage, Symbol, Unit};
use gainsay_ir::passes::segments::heads;
use gainsay_ir::types::Type;
use gainsay_ir::{parse, passes, passive, print, verify};
use gainsay_program::apply_models::LibraryClasses;
use gainsay_program::link::{Interface, Program};
use gainsay_program::models::Models;
use gainsay_program::precondition::{Input, InputPathEnd};
use gainsay_program::preconditions::infer;
use gainsay_program::prepare;
use gainsay_program::summarize::{Effort, summarize};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[test]
fn gc_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gc");
    let bless = std::env::var_os("BLESS").is_some();
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(!files.is_empty(), "no tests in {}", root.display());
    let mut failures = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (source, expected) = match text.split_once("; ---\n") {
            Some((source, expected)) => (source, expected.to_owned()),
            None => (&*text, String::new()),
        };
        let actual = commented(&run(source));
        if actual == expected {
            continue;
        }
        if bless {
            std::fs::write(&file, format!("{source}; ---\n{actual}")).unwrap();
        } else {
            writeln!(failures, "{}\nexpected:\n{expected}actual:\n{actual}", file.display()).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}BLESS=1 rewrites the expectations");
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "gc") {
            files.push(path);
        }
    }
}

fn commented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { ";\n".to_owned() } else { format!("; {line}\n") }).collect()
}

fn run(source: &str) -> String {
    let command = source.lines().next().and_then(|line| line.strip_prefix("; test ")).unwrap_or("").trim();
    let unit = match parse::unit(source) {
        Ok(unit) => unit,
        Err(error) => return format!("{error}\n"),
    };
    let problems = problems(&unit);
    if command == "verify" || !problems.is_empty() {
        return problems;
    }
    match command {
        "print" => print::unit(&unit),
        "run" => execute(&unit),
        "prune" => gc_pass(&unit, |f| passes::prune(f.clone())),
        "cut_loops" => gc_pass(&unit, |f| passes::cut_loops(&unit, f).into_owned()),
        "constant_float_loops" => {
            gc_pass(&unit, |f| passes::constant_float_loops(&unit, f.clone(), &heads(f)).0)
        }
        "elements" => gc_pass(&unit, |f| passes::elements(&unit, f, &heads(f)).unwrap_or_else(|| f.clone())),
        "elements contents" => gc_pass(&unit, |f| passes::contents(&unit, f.clone(), &heads(f))),
        "flags" => gc_pass(&unit, |f| {
            let (mut f, first) = passes::explicit_flags(f.clone());
            f.blocks[Block::from_u32(0)].cmds.splice(0..0, first);
            f
        }),
        "havoc_shared_globals" => {
            let is_external = |symbol| unit.symbols[symbol].linkage == Linkage::External;
            gc_pass(&unit, |f| passes::havoc_shared_globals(&is_external, f.clone()))
        }
        "scalars" => gc_pass(&unit, |f| passes::scalars(&unit, f.clone())),
        "segments" => segments(&unit),
        "unroll" => gc_pass(&unit, |f| passes::unroll(f, &heads(f), 1).f),
        "passify" => passify(&unit, |f| passes::passify(&unit, f)),
        "cut_loops passify" => passify(&unit, |f| passes::passify(&unit, &passes::cut_loops(&unit, f))),
        "apply_models" => {
            let mut unit = unit;
            let classes = LibraryClasses::of(&mut unit);
            gc_pass(&unit, |f| {
                gainsay_program::apply_models(&unit, &classes, &library(&unit), &unit.defined(), f.clone())
            })
        }
        "apply_summaries" => apply_summaries(unit),
        "body_facts" => body_facts(&unit),
        "input_paths" => input_paths(unit),
        "instrument_calls" => instrument_calls(unit),
        _ => format!("unknown test `{command}`\n"),
    }
}

fn library(unit: &Unit) -> Models {
    Models::library(unit.target).unwrap_or_else(|error| panic!("{error}"))
}

fn body_facts(unit: &Unit) -> String {
    let mut unit = unit.clone();
    let classes = LibraryClasses::of(&mut unit);
    let (models, unit) = (library(&unit), &unit);
    let mut text = String::new();
    for f in &unit.functions {
        let applied = gainsay_program::apply_models(unit, &classes, &models, &unit.defined(), f.clone());
        writeln!(text, "{}", unit.symbols[f.symbol].name).unwrap();
        text.push_str(&gainsay_program::body_facts(unit, &applied).describe(unit));
    }
    text
}

/// The functions with the models and summaries of their callees.
fn apply_summaries(mut unit: Unit) -> String {
    let models = library(&unit);
    let functions = prepare::prepare(&mut unit, &models, &[]);
    printed(&unit, &functions)
}

fn input_paths(mut unit: Unit) -> String {
    let mut text = String::new();
    let (models, bodies) = (library(&unit), unit.functions.clone());
    for f in prepare::with_models(&mut unit, bodies, &models) {
        let params: Vec<(String, Type)> =
            f.params.iter().map(|&param| (f.vars[param].name.clone(), f.vars[param].ty)).collect();
        let shown = |input: &Input| input.text(&params).unwrap_or_else(|| "?".to_owned());
        writeln!(text, "{}", unit.symbols[f.symbol].name).unwrap();
        for path in gainsay_program::input_paths("unit", &unit, &f) {
            let when: Vec<String> = path.when.iter().map(shown).collect();
            let end = match &path.end {
                InputPathEnd::Fails { check, fails } => format!("{} fails if {}", check.name(), shown(fails)),
                InputPathEnd::Calls { callee, args, .. } => {
                    let args: Vec<String> =
                        args.iter().map(|(_, arg)| arg.as_ref().map_or("?".to_owned(), shown)).collect();
                    format!("call {}({})", callee.name, args.join(", "))
                }
            };
            writeln!(text, "  [{}] {end}", when.join(" && ")).unwrap();
        }
    }
    text
}

fn instrument_calls(mut unit: Unit) -> String {
    let (models, bodies) = (library(&unit), unit.functions.clone());
    let functions = prepare::with_models(&mut unit, bodies, &models);
    let mut interface = Interface::new("unit", &unit, &functions, &[], &|_, _| None);
    interface.find_input_paths(&unit, &functions);
    let program = Program::link(vec![interface]);
    let summaries = summarize(&program, Effort { threads: NonZeroUsize::MIN, suggestions: false });
    let expected = program.callee_preconditions(&infer(&program, &summaries), 0);
    let of_callee = |callee: Symbol| expected.get(&callee.as_u32()).map_or(&[][..], Vec::as_slice);
    let instrumented: Vec<Function> = functions
        .iter()
        .map(|f| gainsay_program::instrument_calls("unit", &unit, f, &of_callee, false).f)
        .collect();
    printed(&unit, &instrumented)
}

fn problems(unit: &Unit) -> String {
    let errors = unit.functions.iter().filter_map(|f| verify::verify(unit, f).err());
    errors.flatten().map(|error| format!("{error}\n")).collect()
}

fn gc_pass(unit: &Unit, pass: impl Fn(&Function) -> Function) -> String {
    printed(unit, &unit.functions.iter().map(pass).collect::<Vec<Function>>())
}

fn printed(unit: &Unit, functions: &[Function]) -> String {
    let mut text = String::new();
    for f in functions {
        text.push_str(&print::function(unit, f));
        for error in verify::verify(unit, f).err().into_iter().flatten() {
            writeln!(text, "{error}").unwrap();
        }
    }
    text
}

/// Each cut with the state there, and each piece with where it starts and ends.
fn segments(unit: &Unit) -> String {
    let mut text = String::new();
    for f in &unit.functions {
        let (f, first) = passes::explicit_flags(f.clone());
        let passes::Segments { f, cuts, segments } = passes::segments(unit, &f, &first);
        for (number, cut) in cuts.iter().enumerate() {
            let state: Vec<&str> = cut.state.iter().map(|&var| f.vars[var].name.as_str()).collect();
            let members: Vec<String> = cut.members.iter().map(Block::to_string).collect();
            let forever = if cut.is_meant_to_stay { ", meant to stay" } else { "" };
            writeln!(
                text,
                "cut {number} at {} of {}: {} ({} cells){forever}",
                cut.head,
                members.join(" "),
                state.join(", "),
                cut.cells.len()
            )
            .unwrap();
        }
        for segment in &segments {
            let from = segment.from.map_or("the entry".to_owned(), |cut| format!("cut {cut}"));
            let ends: Vec<String> =
                segment.ends.iter().map(|(cut, block)| format!("cut {cut} ({block})")).collect();
            writeln!(text, "from {from} to {}", ends.join(", ")).unwrap();
            text.push_str(&print::function(unit, &segment.f));
            for error in verify::verify(unit, &segment.f).err().into_iter().flatten() {
                writeln!(text, "{error}").unwrap();
            }
        }
    }
    text
}

fn passify(unit: &Unit, pass: impl Fn(&Function) -> passive::Function) -> String {
    let mut text = String::new();
    for f in &unit.functions {
        let after = pass(f);
        text.push_str(&passive::print(unit, &after));
        if let Err(error) = passive::verify(&after) {
            writeln!(text, "{error}").unwrap();
        }
    }
    text
}

fn execute(unit: &Unit) -> String {
    let run = Interp::new(unit, InterpOptions { steps: 10_000_000, strict_havoc: true }).run("main", &[]);
    format!("{}{:?}\n", String::from_utf8_lossy(&run.stdout), run.outcome)
}
