//! The programs of tests/naive. A comment `//~` gives the expectation for the branch that begins on its line:
//!
//! - `fatal`: on no run that ends well, by all methods unless a further word follows;
//! - `missed-by-lfp`: Figure 4 with its least fixpoint misses it (see `wp::Fixpoint`);
//! - `missed-by-engine`: the engine, which cuts loops, misses it;
//! - `boundary`: the boundary wedge of the branch (Figure 6) cannot end well;
//!
//! and on the line of a function's name, `verified`: it meets its specification (section 3.3).

use crate::execute::Runs;
use crate::fast::Engine;
use crate::parse::{Source, parse};
use crate::program_files::{differences, program_files};
use crate::syntax::Path;
use crate::wedges::{Kind, wedges};
use crate::wp::{Calculus, Fixpoint};
use std::collections::{BTreeMap, BTreeSet};

/// The expectations of each line that has any.
type Marks = BTreeMap<usize, BTreeSet<String>>;

#[test]
fn the_files_hold() {
    let mut engine = Engine::new();
    let mut report = String::new();
    for (path, text) in program_files("naive") {
        let source = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        report += &differences(&path, &expected(&text), &found(&source, &mut engine));
    }
    assert!(report.is_empty(), "\n{report}");
}

fn expected(text: &str) -> Marks {
    let mut marks = Marks::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((_, words)) = line.split_once("//~") {
            marks.insert(index + 1, words.split_whitespace().map(str::to_owned).collect());
        }
    }
    marks
}

fn found(source: &Source, engine: &mut Engine) -> Marks {
    let program = &source.program;
    let calculus = |fixpoint| Calculus { program, fixpoint };
    let (exact, literal) = (calculus(Fixpoint::Weakest), calculus(Fixpoint::Least));
    let mut marks = Marks::new();
    for (index, (function, lines)) in program.functions.iter().zip(&source.lines).enumerate() {
        let mut mark = |line: usize, word: &str| {
            marks.entry(line).or_default().insert(word.to_owned());
        };
        if exact.is_verified(index) {
            mark(lines.name, "verified");
        }
        let line_of: BTreeMap<&Path, usize> =
            lines.branches.iter().map(|(path, line)| (path, *line)).collect();
        let distinct: BTreeSet<&usize> = line_of.values().collect();
        assert_eq!(distinct.len(), line_of.len(), "two branches of {} begin on one line", function.name);
        let survivors = Runs::of(program, &function.body).surviving_parts();
        let impossible = engine.decide(program, index).impossible;
        for wedge in wedges(&function.body) {
            let is_terminable = exact.is_terminable(&wedge.statement);
            match wedge.kind {
                Kind::Leaf => assert_eq!(is_terminable, survivors.contains(&wedge.at), "{:?}", wedge.at),
                Kind::Boundary(_) if !is_terminable => mark(line_of[&wedge.at], "boundary"),
                Kind::Boundary(_) => {}
                Kind::Branch => {
                    assert_eq!(is_terminable, survivors.contains(&wedge.at), "{:?}", wedge.at);
                    let is_impossible = impossible.contains(&wedge.at);
                    if is_terminable {
                        assert!(!is_impossible, "the engine is wrong about {}", line_of[&wedge.at]);
                        continue;
                    }
                    mark(line_of[&wedge.at], "fatal");
                    if literal.is_terminable(&wedge.statement) {
                        mark(line_of[&wedge.at], "missed-by-lfp");
                    }
                    if !is_impossible {
                        mark(line_of[&wedge.at], "missed-by-engine");
                    }
                }
            }
        }
    }
    marks
}
