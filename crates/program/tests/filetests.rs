//! Runs tests/gc/<topic>/*.gc. The first line names the test (`; test passify`), the lines after `; ---`
//! are what must come out. `BLESS=1` rewrites them.

use gainsay_interp::{Interp, InterpOptions};
use gainsay_ir::gc::{Function, Unit};
use gainsay_ir::{parse, passes, passive, print, verify};
use gainsay_program::apply_models::LibraryClasses;
use gainsay_program::models::Models;
use std::fmt::Write;
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
        "passify" => passify(&unit, |f| passes::passify(&unit, f)),
        "cut_loops passify" => passify(&unit, |f| passes::passify(&unit, &passes::cut_loops(&unit, f))),
        "apply_models" => {
            let mut unit = unit;
            let classes = LibraryClasses::of(&mut unit);
            gc_pass(&unit, |f| {
                gainsay_program::apply_models(&unit, &classes, &library(&unit), &unit.defined(), f.clone())
            })
        }
        "skeleton" => body_facts(&unit),
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

fn problems(unit: &Unit) -> String {
    let errors = unit.functions.iter().filter_map(|f| verify::verify(unit, f).err());
    errors.flatten().map(|error| format!("{error}\n")).collect()
}

fn gc_pass(unit: &Unit, pass: impl Fn(&Function) -> Function) -> String {
    let mut text = String::new();
    for f in &unit.functions {
        let after = pass(f);
        text.push_str(&print::function(unit, &after));
        for error in verify::verify(unit, &after).err().into_iter().flatten() {
            writeln!(text, "{error}").unwrap();
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
