//! Real findings in every output format.

use crate::project::Project;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const LATE: &str = "struct user { int id; };\n\nint id_of(struct user *u) {\n  int id = u->id;\n  if (!u)\n    return -1;\n  return id;\n}\n";

/// Every noise class, and two findings that are not noise.
const NOISY: &str = "#include <assert.h>\n#include <stdlib.h>\nvoid swap(void);\nint step(int);\n\
    #define RELEASE(p) do { if ((p) != NULL) free(p); } while (0)\n\
    void macro(int *p) { *p = 0; RELEASE(p); }\n\
    void config(void) { if (sizeof(long) < 4) swap(); }\n\
    int trivial(int n) { if (0) return 1; while (1) { if (step(n)) return 2; } }\n\
    int defensive(unsigned k) {\n  switch (k & 1) { case 0: return 1; case 1: return 2; default: return 3; }\n}\n\
    int redundant(unsigned x) { if (x >= 10) return 2; if (x < 10) step(1); return 0; }\n\
    int dominated(int x) { if (x > 5 && x < 3) { if (step(x)) return 1; return 2; } return 0; }\n\
    int assertion(const int *p, int n) { assert(n > 0); if (!p) abort(); return p[n - 1]; }\n\
    int late(int *p) { int n = *p; if (!p) return -1; return n; }\n";

fn count(report: &Value, class: Option<&str>) -> usize {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().filter(|finding| finding["class"].as_str() == class).count()
}

fn hidden(report: &Value) -> BTreeMap<String, usize> {
    let hidden = report["coverage"]["hidden"].as_object().unwrap();
    hidden.iter().map(|(class, n)| (class.clone(), n.as_u64().unwrap() as usize)).collect()
}

#[test]
fn hidden_findings_can_be_shown_and_the_counts_agree() {
    let project = Project::new(&[("t.c", NOISY)]);
    let (code, report) = project.check(&["t.c"]);
    let all = hidden(&report);
    let classes: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(
        classes,
        ["assertion-only", "config", "defensive", "dominated", "macro", "redundant", "trivial"],
        "{report}"
    );
    assert_eq!((code, count(&report, None), report["findings"].as_array().unwrap().len()), (1, 2, 2));
    for (class, n) in &all {
        let (_, shown) = project.check(&["t.c", &format!("--show={class}")]);
        assert_eq!((count(&shown, Some(class)), count(&shown, None)), (*n, 2), "{class}: {shown}");
        let mut rest = all.clone();
        rest.remove(class);
        assert_eq!(hidden(&shown), rest, "{class}");
    }
    let (_, shown) = project.check(&["t.c", "--show=all"]);
    assert_eq!(shown["findings"].as_array().unwrap().len(), 2 + all.values().sum::<usize>());
    assert!(hidden(&shown).is_empty());
}

#[test]
fn noise_alone_is_no_finding() {
    let project = Project::new(&[("t.c", "int f(void) { if (0) return 1; return 2; }\n")]);
    let ran = project.run(&["check", "t.c"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert_eq!(
        ran.err,
        "gainsay: 1 function in 1 file analysed by reach, horn: 0 consistent, 1 inconsistent, 0 given up; \
         0 findings; 1 hidden (trivial 1); --show=trivial shows it\n"
    );
    assert_eq!(project.run(&["check", "t.c", "--show=trivial"]).code, 1);
    assert_eq!(project.run(&["check", "t.c", "--show=trivial", "--exit-zero"]).code, 0);
}

#[test]
fn a_finding_as_lines_and_as_json() {
    let project = Project::new(&[("t.c", LATE)]);
    let ran = project.run(&["check", "t.c"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.out,
        "t.c:5:8: warning: `u` cannot be NULL here: `u` was already dereferenced at line 4 [checked-too-late]\n\
         t.c:4:12: note: `u` is dereferenced here, so it is not NULL\n"
    );
    let (_, report) = project.check(&["t.c"]);
    let mut finding = report["findings"][0].clone();
    let fingerprint = finding["fingerprint"].take();
    assert!(fingerprint.as_str().is_some_and(|text| text.len() >= 16), "{fingerprint}");
    let expected = json!({
        "rule": "checked-too-late", "severity": "warning", "class": null, "analyses": ["reach"], "function": "id_of",
        "file": "t.c", "line": 5, "column": 8, "end_line": 5, "end_column": 9,
        "message": "`u` cannot be NULL here: `u` was already dereferenced at line 4",
        "related": [{"file": "t.c", "line": 4, "column": 12,
            "message": "`u` is dereferenced here, so it is not NULL"}],
        "fingerprint": null,
    });
    assert_eq!(finding, expected);
    // Moved lines do not change its identity.
    let moved = Project::new(&[("t.c", &format!("int before;\n\n{LATE}"))]);
    assert_eq!(moved.check(&["t.c"]).1["findings"][0]["fingerprint"], fingerprint);
}

/// Also if the same condition is checked elsewhere, and if two callees need it.
#[test]
fn a_callee_that_fails_is_named() {
    let text = "int first(int *p) { return *p + 1; }\nint second(int *p) { return *p + 2; }\nint f(int *p, int n) {\n\
                  if (n) { *p = 1; return first(p); }\n  if (!p)\n    n = 1;\n  return second(p) + n;\n}\n";
    let project = Project::new(&[("t.c", text)]);
    let (_, report) = project.check(&["t.c"]);
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "fatal-branch", "{report}");
    let note = "`p` is NULL, and `second` fails if its first argument is";
    assert_eq!(finding["related"][0]["message"], note, "{report}");
}

/// Only one unit declares that two names are one object.
#[test]
fn aliases_of_another_unit_are_known() {
    let one = "int base;\nextern int other __attribute__((alias(\"base\")));\nvoid set(void) { base = 1; }\n";
    let two = "extern int base, other;\nvoid set(void);\nint by_call(void) {\n  other = 7;\n  set();\n  if (other == 1)\n\
                 return base;\n  return 0;\n}\nint by_name(void) {\n  other = 7;\n  base = 1;\n  if (other == 1)\n    return 3;\n\
                 return 0;\n}\n";
    let project = Project::new(&[("one.c", one), ("two.c", two)]);
    for more in [&[][..], &["--whole-program"]] {
        let (_, report) = project.check(&[&["one.c", "two.c"], more].concat());
        assert_eq!(report["findings"], json!([]), "{report}");
    }
    // Without the alias both are contradictions.
    project.write("one.c", b"int base, other;\nvoid set(void) { base = 1; }\n");
    let (_, report) = project.check(&["one.c", "two.c"]);
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(2), "{report}");
}

#[test]
fn a_finding_on_a_terminal() {
    let ran = Project::new(&[("t.c", LATE)]).run(&["check", "--color=always", "-q", "t.c"]);
    let mut plain = String::new();
    for (i, piece) in ran.out.split("\x1b[").enumerate() {
        plain.push_str(if i == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert!(plain != ran.out && ran.err.is_empty(), "no colors: {plain}");
    let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
    assert_eq!(
        lines,
        [
            "warning[checked-too-late]: `u` cannot be NULL here: `u` was already dereferenced at line 4",
            " --> t.c:5:8",
            "  |",
            "4 |   int id = u->id;",
            "  |            - `u` is dereferenced here, so it is not NULL",
            "5 |   if (!u)",
            "  |        ^",
            "",
        ]
    );
}

#[test]
fn the_number_of_workers_does_not_change_findings() {
    let project = Project::new(&[("a.c", NOISY), ("b.c", LATE), ("c.c", "int f(int x) { return x; }\n")]);
    project.write("d.c", NOISY.replace("int late", "int later").as_bytes());
    let run = |jobs: &str, format: &str| {
        let ran = project.run(&["check", "--format", format, "--show=all", jobs, "a.c", "b.c", "c.c", "d.c"]);
        (ran.code, ran.out, ran.err)
    };
    for format in ["json", "text", "sarif"] {
        let one = run("-j1", format);
        assert_eq!(one.0, 1);
        assert_eq!(run("-j4", format), one, "{format}");
        assert_eq!(run("-j1", format), one, "{format} again");
    }
}

#[test]
fn sarif_of_findings_obeys_the_official_schema() {
    let project = Project::new(&[("t.c", NOISY), ("sub dir/u.c", LATE)]);
    let report = project.run(&["check", "--format=sarif", "--show=all", "t.c", "sub dir/u.c"]).json();
    let results = report["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > 8, "{report}");
    let mut schema: Value = serde_json::from_slice(&std::fs::read(schema()).unwrap()).unwrap();
    // A pattern that only JavaScript's regular expressions accept, of a field that gainsay does not write.
    for place in ["run", "toolComponent"] {
        schema["definitions"][place]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The schema of OASIS, from the sources of the crate serde-sarif.
fn schema() -> std::path::PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version=1", "--offline", "--manifest-path"]).arg(manifest);
    let host = Command::new("rustc").args(["--print", "host-tuple"]).output().unwrap().stdout;
    let output =
        command.args(["--filter-platform", String::from_utf8(host).unwrap().trim()]).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src/schema.json")
}
