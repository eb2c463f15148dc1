//! What `check --evidence` reports of the programs in tests/c/evidence is what is marked there: `//~ rule` by default, and
//! `//^ ev-k` from that column of the paper's Table 1 on, at the line of the check that fails.

use crate::project::Project;
use crate::reach::{compare, programs};
use serde_json::Value;
use std::collections::BTreeSet;

const COLUMNS: [&str; 11] =
    ["ev-0", "ev-1", "ev-2", "ev-3", "ev-4", "ev-5", "ev-6", "ev-7", "ev-8", "ev-9", "ev-all"];

#[test]
fn findings_are_those_marked() {
    compare("evidence", "--evidence=default");
}

/// The lines that evidence names, in findings of its own or together with `reach`.
fn lines(report: &Value) -> BTreeSet<u64> {
    let mut lines = BTreeSet::new();
    for finding in report["findings"].as_array().unwrap() {
        let by = finding["analyses"].as_array().unwrap();
        if !by.iter().any(|name| name == "evidence") {
            continue;
        }
        lines.insert(finding["line"].as_u64().unwrap());
        if finding["rule"] != "evident-error" {
            lines.extend(finding["related"].as_array().unwrap().iter().map(|r| r["line"].as_u64().unwrap()));
        }
    }
    lines
}

#[test]
fn figures_of_the_paper_are_reported_from_their_column_on() {
    let (name, text) = programs("evidence").into_iter().find(|(name, _)| name == "figures.c").unwrap();
    let column = |mark: &str| {
        let mark = mark.split_whitespace().next();
        COLUMNS.iter().position(|column| Some(*column) == mark).unwrap()
    };
    let marks: Vec<(u64, usize)> = text
        .lines()
        .enumerate()
        .filter_map(|(i, line)| Some((i as u64 + 1, column(line.split_once("//^")?.1))))
        .collect();
    assert_eq!(marks.len(), 10, "every figure has a mark");
    let project = Project::new(&[(&name, &text)]);
    for (number, setting) in COLUMNS.iter().enumerate() {
        let (_, report) = project.check(&[&name, "--loops=off", &format!("--evidence={setting}")]);
        let reported = lines(&report);
        for &(line, from) in &marks {
            assert_eq!(reported.contains(&line), number >= from, "{setting}: line {line} of {name}");
        }
    }
}

/// Section 4.2: what the last `else` of a cascade means is up to the project.
#[test]
fn the_last_else_may_mean_three_things() {
    let text = "int a[3];\nint f(unsigned i) {\n  int r = 0;\n  if (i == 0) r = 1;\n  else if (i == 1) r = 2;\n\
                else if (i == 2) r = 3;\n  return r + a[i];\n}\nint g(unsigned i) {\n  int r;\n  if (i == 0) r = 1;\n\
                else if (i == 1) r = 2;\n  return r;\n}\n";
    let project = Project::new(&[("t.c", text)]);
    let lines = |evidence: &str| {
        let (_, report) = project.check(&["t.c", &format!("--evidence=default,last-else={evidence}")]);
        let lines = lines(&report);
        (lines.contains(&7), lines.contains(&13))
    };
    assert_eq!(lines("admissible"), (true, true));
    assert_eq!(lines("inadmissible"), (false, true));
    assert_eq!(lines("asserted"), (false, false));
}

#[test]
fn the_explanation_names_the_lines_that_testify() {
    let text = "#define M_MAX 6\nchar *names[6];\nchar *name(unsigned char code, int quiet) {\n  if (code > M_MAX)\n\
                code = 0;\n  if (quiet) return 0;\n  return names[code];\n}\n";
    let project = Project::new(&[("t.c", text)]);
    let ran = project.run(&["check", "-q", "--evidence=default", "t.c"]);
    assert_eq!(
        ran.out,
        "t.c:7:10: warning: the index is out of bounds: `code < 6` does not hold, which by line 4 is to be expected \
         [evident-error]\n\
         t.c:4:7: note: this tests `code > 6`, so `code == 6` is expected to occur\n\
         t.c:6:7: note: `quiet == 0` holds here\n\
         t.c:7:10: note: for example with `code` = 6, `quiet` = 0\n"
    );
}

#[test]
fn a_setting_that_does_not_exist_is_refused() {
    let project = Project::new(&[("t.c", "int f(void) { return 0; }\n")]);
    let ran = project.run(&["check", "--evidence=ev-11", "t.c"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`ev-11` is no setting of evidence; there are ev-0, "), "{}", ran.err);
    assert_eq!(project.run(&["check", "--evidence=default", "t.c"]).code, 0);
}
