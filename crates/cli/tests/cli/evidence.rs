//! `check --evidence` reports the marked lines of the programs in tests/c/evidence: `//~ rule` by default, and `//^ ev-k`
//! from that column of the paper's Table 1 on, at the line of the failing check.

use crate::project::Project;
use crate::reach::{compare, programs};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

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
    reported_from_their_column_on("figures.c", 10, &COLUMNS);
}

/// Sections 4.6 and 5, and the example of section 6. In ev-all every possible error is reported in the callee.
#[test]
fn calls_are_reported_from_their_column_on() {
    reported_from_their_column_on("calls.c", 5, &COLUMNS[..10]);
}

/// Section 5: case splits of pointer analysis.
#[test]
fn aliases_are_reported_from_their_column_on() {
    reported_from_their_column_on("alias.c", 6, &COLUMNS);
}

fn reported_from_their_column_on(file: &str, expected: usize, columns: &[&str]) {
    let (name, text) = programs("evidence").into_iter().find(|(name, _)| name == file).unwrap();
    let column = |mark: &str| {
        let mark = mark.split_whitespace().next();
        COLUMNS.iter().position(|column| Some(*column) == mark).unwrap()
    };
    let marks: Vec<(u64, usize)> = text
        .lines()
        .enumerate()
        .filter_map(|(i, line)| Some((i as u64 + 1, column(line.split_once("//^")?.1))))
        .collect();
    assert_eq!(marks.len(), expected, "every example has a mark");
    let project = Project::new(&[(&name, &text)]);
    for (number, setting) in columns.iter().enumerate() {
        let (_, report) = project.check(&[&name, "--loops=off", &format!("--evidence={setting}")]);
        let reported = lines(&report);
        for &(line, from) in &marks {
            assert_eq!(reported.contains(&line), number >= from, "{setting}: line {line} of {name}");
        }
    }
}

/// Section 4.2: the meaning of the last `else` of a cascade is a setting.
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
fn the_explanation_names_the_lines_of_evidence() {
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

#[test]
fn the_chain_of_calls_is_reported() {
    let text = "int log_it(void);\nstatic int share(int whole, int parts) {\n  return whole / parts;\n}\n\
                static int half(int whole, int n) {\n  return share(whole, n) / 2;\n}\n\
                int f(int whole, int n) {\n  if (n == 0) log_it();\n  return half(whole, n);\n}\n";
    let project = Project::new(&[("t.c", text)]);
    let ran = project.run(&["check", "-q", "--evidence=default", "t.c"]);
    assert_eq!(
        ran.out,
        "t.c:10:10: warning: `half` fails with these arguments: division by zero, which by line 9 is to be expected \
         [evident-error]\n\
         t.c:9:7: note: this tests `n == 0`, so that is expected to occur\n\
         t.c:6:10: note: `half` passes it on to `share` here\n\
         t.c:3:10: note: `share` expects `parts != 0` here: the divisor is not zero\n\
         t.c:10:10: note: for example with `n` = 0\n"
    );
    let summary = project.run(&["summary", "half", "t.c"]).out;
    assert!(summary.contains("  expects n != 0: otherwise division by zero in share\n"), "{summary}");
}

/// The result of a caller depends on the preconditions of callees in other units.
#[test]
fn callers_follow_a_callee_that_changes() {
    let caller = "int log_it(void);\nint length(const char *s);\nint f(const char *s) {\n  if (!s) log_it();\n  \
                  return length(s);\n}\n";
    let careless = "int length(const char *s) {\n  int n = 0;\n  while (s[n]) n++;\n  return n;\n}\n";
    let careful = "int length(const char *s) {\n  int n = 0;\n  while (s && s[n]) n++;\n  return n;\n}\n";
    let project = Project::new(&[("caller.c", caller), ("callee.c", careless)]);
    project.write_database(&[("caller.c", ""), ("callee.c", "")]);
    let check = |jobs: &str| {
        let args =
            ["check", "-p", ".", "--format", "json", "--evidence=default", "-q", jobs, "--cache-dir", "kept"];
        project.run(&args).out
    };
    let cold = check("-j1");
    assert!(cold.contains("`length` fails with these arguments"), "{cold}");
    assert!(cold.contains("callee.c"), "{cold}");
    assert_eq!((check("-j2"), check("-j1")), (cold.clone(), cold.clone()));
    // One line further down: the same error at another position.
    project.write("callee.c", format!("\n{careless}").as_bytes());
    let moved = check("-j2");
    assert_eq!(
        moved,
        project.run(&["check", "-p", ".", "--format", "json", "--evidence=default", "-q", "--no-cache"]).out
    );
    assert_ne!(moved, cold);
    project.write("callee.c", careful.as_bytes());
    assert!(!check("-j1").contains("evident-error"));
}

/// Printed, applied and read back, they are contracts like any other.
#[test]
fn preconditions_can_be_applied_as_a_patch() {
    let text = "struct list { int n; };\nint mean(struct list *l, int sum) {\n  return sum / l->n;\n}\n\
                static int\nfirst (const char *s, int len)\n{\n  if (len > 0) return s[0];\n  return 0;\n}\n\
                int use(const char *s) {\n  return first(s, 3);\n}\n";
    for (command, name) in [("check", "--emit-preconditions"), ("verify", "--emit-acsl")] {
        let project = Project::new(&[("t.c", text)]);
        let emitted = project.run(&[command, "-q", name, "t.c"]);
        for clause in ["l != \\null", "l->n != 0", "len > 0 ==> s != \\null", "s != \\null"] {
            assert!(emitted.out.contains(&format!("+//@ requires {clause};\n")), "{clause}: {}", emitted.out);
        }
        project.write("found.patch", emitted.out.as_bytes());
        let patched =
            Command::new("patch").args(["-p0", "-i", "found.patch"]).current_dir(project.path()).output();
        let patched = patched.unwrap();
        assert!(patched.status.success(), "{}\n{}", String::from_utf8_lossy(&patched.stdout), emitted.out);
        let again = project.run(&["check", "-q", "t.c"]);
        assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (0, "", ""), "{}", emitted.out);
        assert_eq!(project.run(&[command, "-q", name, "t.c"]).out, "");
    }
}

#[test]
fn functions_that_are_too_large_are_named() {
    let tests: String = (0..200).map(|i| format!("  if (n == {i}) log_it();\n")).collect();
    let text = format!("int log_it(void);\nint large(int n) {{\n{tests}  return n;\n}}\n");
    let project = Project::new(&[("t.c", &text)]);
    let (_, report) = project.check(&["t.c", "--evidence=default", "--loops=off"]);
    assert_eq!(report["coverage"]["without_evidence"][0]["function"], "large");
    let ran = project.run(&["check", "--evidence=default", "--loops=off", "t.c"]);
    assert!(ran.err.contains("t.c:2: function large: too large for evidence"), "{}", ran.err);
    assert!(project.check(&["t.c"]).1["coverage"].get("without_evidence").is_none());
}

/// One finding with the names of all analyses that found it; it is shown even if `reach` hides its own.
#[test]
fn several_analyses_share_one_finding() {
    let (name, text) = programs("evidence").into_iter().find(|(name, _)| name == "merged.c").unwrap();
    let project = Project::new(&[(&name, &text)]);
    let (_, report) = project.check(&[&name, "--evidence=default", "--beliefs"]);
    let found = report["findings"].as_array().unwrap().iter().map(|finding| {
        let names = finding["analyses"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        (finding["function"].as_str().unwrap(), names.collect::<Vec<_>>())
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            ("clamped_bad", vec!["evidence"]),
            ("tested_bad", vec!["evidence", "reach"]),
            ("released_bad", vec!["beliefs", "evidence", "reach"]),
        ]
    );
}
