//! The programs of tests/beliefs: every example of the paper, and traps. A comment `//~` says what is found on its line, and nothing
//! else is:
//!
//! - `source-sink`: a check or call that fails with a value made in the function (Definition 3);
//! - `inconsistent` and `protected`: the sink that can fail and the one that cannot (Definition 5);
//! - `unreachable`: its guard is not satisfiable (Definition 2);
//! - `with-checks:inconsistent`, `with-sources:source-sink`: only after the rewriting of section 3.3;
//! - `literal-join:...`: a word on which the join as the paper writes it disagrees (`infer::Join`);
//!
//! and on the line of a function's name `fails a=C1 if b=C2 and c=C1, b=C2` is its summary (Definition 7), without the atom that
//! is before the `if` in any case. Without it the function never fails because of an argument.

use crate::elaborate::{Added, elaborate};
use crate::errors::{Analysis, analyse};
use crate::infer::Join;
use crate::parse::parse;
use crate::program_files::{differences, program_files};
use crate::summary::{Atom, Summary, summaries};
use crate::syntax::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The words for each line that has any.
type Marks = BTreeMap<usize, BTreeSet<String>>;

#[test]
fn programs_meet_their_expectations() {
    let mut report = String::new();
    for (path, text) in program_files("beliefs") {
        let program = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (marks, failures) = expected(&text);
        report += &differences(&path, &marks, &found(&program));
        let summaries = summaries(&program, Join::Guarded);
        for (function, summary) in program.functions.iter().zip(&summaries) {
            let wanted = failures.get(&function.line).map(String::as_str).unwrap_or("");
            let got = summary_text(&function.params, summary);
            if wanted != got {
                report +=
                    &format!("{}:{}: expected fails {wanted}, found {got}\n", path.display(), function.line);
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

fn expected(text: &str) -> (Marks, BTreeMap<usize, String>) {
    let (mut marks, mut failures) = (Marks::new(), BTreeMap::new());
    for (index, line) in text.lines().enumerate() {
        let Some((_, mark)) = line.split_once("//~") else { continue };
        match mark.trim().strip_prefix("fails ") {
            Some(summary) => {
                failures.insert(index + 1, summary.to_owned());
            }
            None => {
                marks.insert(index + 1, mark.split_whitespace().map(str::to_owned).collect());
            }
        }
    }
    (marks, failures)
}

fn found(program: &Program) -> Marks {
    let exact = marks(program, Join::Guarded);
    let mut all = exact.clone();
    let mut add = |line: usize, prefix: &str, word: &str| {
        all.entry(line).or_default().insert(format!("{prefix}:{word}"));
    };
    for (line, word) in pairs(&exact).symmetric_difference(&pairs(&marks(program, Join::Literal))) {
        add(*line, "literal-join", word);
    }
    let rewritings =
        [(Added::Checks, "with-checks", "inconsistent"), (Added::Sources, "with-sources", "source-sink")];
    for (added, prefix, wanted) in rewritings {
        let more = pairs(&marks(&elaborate(program, added), Join::Guarded));
        for (line, word) in more.difference(&pairs(&exact)).filter(|(_, word)| word == wanted) {
            add(*line, prefix, word);
        }
    }
    all
}

fn pairs(marks: &Marks) -> BTreeSet<(usize, String)> {
    let pairs = marks.iter().flat_map(|(line, words)| words.iter().map(|word| (*line, word.clone())));
    pairs.collect()
}

fn marks(program: &Program, join: Join) -> Marks {
    let summaries: Vec<Option<Summary>> = summaries(program, join).into_iter().map(Some).collect();
    let mut marks = Marks::new();
    for function in 0..program.functions.len() {
        let analysis: Analysis = analyse(program, function, &summaries, join);
        let mut mark = |label: usize, word: &str| {
            marks.entry(program.lines[label]).or_default().insert(word.to_owned());
        };
        for (sink, _) in analysis.source_sink_errors() {
            mark(sink, "source-sink");
        }
        for (protected, failing) in analysis.inconsistencies(program) {
            mark(protected, "protected");
            mark(failing, "inconsistent");
        }
        for sink in &analysis.sinks {
            if !analysis.derivation.guards[&sink.label].is_satisfiable() {
                mark(sink.label, "unreachable");
            }
        }
    }
    marks
}

fn summary_text(params: &[String], summary: &Summary) -> String {
    let atom = |&(index, constructor): &Atom| format!("{}=C{constructor}", params[index]);
    let entry = |(subject, atoms): (&Atom, &BTreeSet<Atom>)| {
        let others: Vec<String> = atoms.iter().filter(|other| *other != subject).map(atom).collect();
        if others.is_empty() {
            atom(subject)
        } else {
            format!("{} if {}", atom(subject), others.join(" and "))
        }
    };
    summary.iter().map(entry).collect::<Vec<_>>().join(", ")
}
