//! Runs tests/summary/*.gc: units, each after a line `; unit NAME` (or one alone), and after `; ---` what is learnt of
//! their functions. `; whole program` in the first line says that there are no other units. `BLESS=1` rewrites the facts.

use gainsay_ir::{parse, verify};
use gainsay_program::link::{Interface, Program};
use gainsay_program::models::Models;
use gainsay_program::summarize::{Effort, summarize};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[test]
fn summary_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/summary");
    let bless = std::env::var_os("BLESS").is_some();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no tests in {}", root.display());
    let mut failures = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (source, expected) = text.split_once("; ---\n").unwrap_or((&text, ""));
        let actual: String = learnt(source).lines().map(|line| format!("; {line}\n")).collect();
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

fn learnt(source: &str) -> String {
    let interfaces = |reverse: bool| {
        let mut interfaces = interfaces(source);
        if reverse {
            interfaces.reverse();
        }
        interfaces
    };
    let is_whole = source.starts_with("; whole program");
    let link = if is_whole { Program::link_whole } else { Program::link };
    let text = described(&link(interfaces(false)));
    let other = described(&link(interfaces(true)));
    assert_eq!(text, other, "the order of the units must not matter");
    text
}

fn interfaces(source: &str) -> Vec<Interface> {
    let mut units: Vec<(&str, String)> = vec![("unit", String::new())];
    for line in source.lines() {
        match line.strip_prefix("; unit ") {
            Some(name) => units.push((name, String::new())),
            None => {
                let text = &mut units.last_mut().unwrap().1;
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    // What stands before the first unit is a comment.
    let skip = usize::from(units.len() > 1);
    units.iter().skip(skip).map(|(name, text)| interface(name, text)).collect()
}

fn interface(name: &str, text: &str) -> Interface {
    let mut unit = parse::unit(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    for f in &unit.functions {
        assert_eq!(verify::verify(&unit, f), Ok(()), "{name}");
    }
    let models = Models::library(unit.target).unwrap();
    let bodies = unit.functions.clone();
    let functions = gainsay_program::prepare::with_models(&mut unit, bodies, &models);
    let mut interface = Interface::new(name, &unit, &functions, &[], &|_, _| None);
    interface.add_library(&mut unit, &models);
    interface
}

fn described(program: &Program) -> String {
    let mut text = String::new();
    let own = program
        .functions
        .iter()
        .zip(summarize(program, Effort { threads: NonZeroUsize::MIN, suggestions: true }))
        .filter(|(one, _)| !one.is_library);
    for (one, summary) in own {
        let definition = &one.definitions[0];
        let of = one.name.unit.as_ref().map_or(String::new(), |unit| format!(" of {unit}"));
        writeln!(text, "{}{of}", one.name.name).unwrap();
        text.push_str(&summary.describe(&program.body_facts(definition).params, 64));
    }
    text
}
