//! `gainsay verify`: the examples are proved, their mutants refuted with inputs that fail in real runs, and annotations that
//! are not understood are reported with their positions.

use crate::project::{Project, Ran};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn verify(project: &Project, file: &str) -> (Ran, Value) {
    let ran = project.run(&["verify", "-q", "--format", "json", file]);
    let json = ran.json();
    (ran, json)
}

#[test]
fn the_examples_are_proved() {
    let all = examples("verified");
    assert!(all.len() >= 6);
    for path in all {
        let project = Project::new(&[("t.c", &fs::read_to_string(&path).unwrap())]);
        let (ran, json) = verify(&project, "t.c");
        assert_eq!(ran.code, 0, "{}: {json}", path.display());
        for function in json["units"][0]["functions"].as_array().unwrap() {
            assert_eq!(function["verdict"], "proved", "{}: {function}", path.display());
            assert!(function["goals"].as_u64().unwrap() > 0);
        }
    }
}

/// A mutant and the harness of its counterexample, compiled with gcc and its sanitizers: the run must fail.
#[test]
fn the_mutants_are_refuted_by_runs_that_fail() {
    for path in examples("refuted") {
        let text = fs::read_to_string(&path).unwrap();
        let project = Project::new(&[("t.c", &text)]);
        let (ran, json) = verify(&project, "t.c");
        assert_eq!(ran.code, 1, "{}: {json}", path.display());
        let functions = json["units"][0]["functions"].as_array().unwrap();
        let refuted = functions.iter().find(|function| function["verdict"] == "refuted").unwrap();
        let harness = refuted["counterexample"]["harness"].as_str().unwrap();
        let name = refuted["name"].as_str().unwrap();
        let checked = harness.replace(&format!("    {name}("), &format!("    checked_{name}("));
        project.write("run.c", format!("#include \"t.c\"\n{checked}").as_bytes());
        let compiled = Command::new("gcc")
            .args([
                "-DCHECKED",
                "-g",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover",
                "-o",
                "run",
                "run.c",
            ])
            .current_dir(project.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&compiled.stderr).into_owned();
        assert!(compiled.status.success(), "{}:\n{stderr}\n{checked}", path.display());
        let run = Command::new(project.path().join("run")).current_dir(project.path()).output().unwrap();
        assert!(!run.status.success(), "{}: does not fail:\n{checked}", path.display());
    }
}

#[test]
fn annotations_that_are_not_understood_are_reported() {
    for (text, expected) in [
        ("/*@ requires n > ; */\nint f(int n) { return n; }\n", "t.c:1:18: an expression is expected here"),
        ("/*@ requires m > 0; */\nint f(int n) { return n; }\n", "t.c:1:5: `m` is not known here"),
        (
            "/*@ ensures \\result > p; */\nint f(int *p) { return 1; }\n",
            "t.c:1:5: a pointer is compared with something that is none",
        ),
        (
            "/*@ requires \\forall integer i; a[i] > 0; */\nint f(int *a) { return 1; }\n",
            "t.c:1:5: `i` needs bounds: `lo <= i < hi ==> ...`",
        ),
        (
            "int f(int n) {\n  //@ loop invariant n > 0;\n  return n;\n}\n",
            "t.c:2:7: no loop follows this clause",
        ),
        ("/*@ decreases n; */\nint f(int n);\n", "t.c:1:5: `decreases` is not supported"),
    ] {
        let project = Project::new(&[("t.c", text)]);
        let (ran, json) = verify(&project, "t.c");
        assert_eq!(ran.code, 2, "{text}");
        assert_eq!(json["units"][0]["problems"], serde_json::json!([expected]), "{text}");
        let checked = project.run(&["check", "-q", "t.c"]);
        assert!(checked.err.contains(expected) && checked.code == 0, "{text}: {}", checked.err);
    }
}

/// Invariants are found, proved, printed as a patch and read back; with them the proof needs no search.
#[test]
fn found_invariants_can_be_applied_as_a_patch() {
    let text = "/*@ requires n >= 0 && \\valid_read(a + (0 .. n - 1));\n    ensures 0 <= \\result <= n; */\n\
                int positive(const int *a, int n) {\n  int k = 0;\n  for (int i = 0; i < n; i++)\n    if (a[i] > 0)\n      k++;\n  return k;\n}\n\
                /*@ requires 0 <= n <= 9; ensures \\result == n * 2; */\nint twice(int n) {\n  int i = 0, sum = 0;\n  \
                if (n > 0) {\n    do {\n      sum += 2;\n      i++;\n    } while (i < n);\n  }\n  return sum;\n}\n";
    let project = Project::new(&[("t.c", text)]);
    let (ran, json) = verify(&project, "t.c");
    assert_eq!(ran.code, 0, "{json}");
    let emitted = project.run(&["verify", "-q", "--emit-acsl", "t.c"]);
    assert_eq!(emitted.code, 0, "{}", emitted.err);
    assert!(emitted.out.contains("//@ loop invariant "), "{}", emitted.out);
    project.write("found.patch", emitted.out.as_bytes());
    let patched = Command::new("patch")
        .args(["-p0", "-i", "found.patch"])
        .current_dir(project.path())
        .output()
        .unwrap();
    assert!(patched.status.success(), "{}\n{}", String::from_utf8_lossy(&patched.stdout), emitted.out);
    let (ran, json) = verify(&project, "t.c");
    assert_eq!(ran.code, 0, "{}\n{json}", emitted.out);
    for function in json["units"][0]["functions"].as_array().unwrap() {
        assert_eq!(function["verdict"], "proved", "{function}");
        assert_eq!(function["invariants"], serde_json::json!([]), "{function}");
    }
    assert_eq!(project.run(&["verify", "-q", "--emit-acsl", "t.c"]).out, "");
}

/// Without a contract, the callee's summary is used, in other units too.
#[test]
fn summaries_of_callees_are_used() {
    let caller =
        "int flag(int x);\n/*@ ensures 1 <= \\result <= 2; */\nint f(int x) { return flag(x) + 1; }\n";
    let callee = "int flag(int x) { return x > 5 ? 1 : 0; }\n";
    let project = Project::new(&[("caller.c", caller), ("callee.c", callee)]);
    let together = project.run(&["verify", "-q", "caller.c", "callee.c"]);
    assert_eq!(together.code, 0, "{}", together.out);
    assert!(together.out.contains("`flag` has no contract"), "{}", together.out);
    assert_eq!(project.run(&["verify", "-q", "caller.c"]).code, 3);
}

/// A contract on a prototype is used at calls, whether or not another unit has the body, and together with its summary.
#[test]
fn contracts_are_used_across_units() {
    let header = "/*@ requires n > 0; ensures \\result >= n; */\nint grow(int n);\n";
    let caller = "#include \"grow.h\"\nint f(int n) {\n  if (n <= 0)\n    return grow(n);\n  return 0;\n}\n\
                  int g(int n) {\n  int m = n > 0 ? grow(n) : 1;\n  if (m < 0)\n    return 7;\n  return m;\n}\n";
    let callee = "#include \"grow.h\"\nint grow(int n) { return n < 1000 ? n + 1 : n; }\n";
    let project = Project::new(&[("grow.h", header), ("caller.c", caller), ("callee.c", callee)]);
    project.write_database(&[("caller.c", ""), ("callee.c", "")]);
    for args in [&["-p", "."][..], &["caller.c"]] {
        let (_, report) = project.check(&[&["--show=all"], args].concat());
        let found: Vec<(&str, u64)> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| (finding["rule"].as_str().unwrap(), finding["line"].as_u64().unwrap()))
            .collect();
        assert!(found.contains(&("fatal-branch", 3)), "{args:?}: {found:?}");
        assert!(found.iter().any(|&(_, line)| line == 9), "{args:?}: {found:?}");
    }
    assert_eq!(project.run(&["verify", "-q", "-p", "."]).code, 0);
}

/// A counterexample continues after a call if the callee keeps a contract that determines its result.
#[test]
fn counterexamples_go_past_calls_that_keep_their_contracts() {
    let absolute = |body: &str| {
        format!(
            "/*@ requires -1000 <= x <= 1000; assigns \\nothing;\n    behavior neg: assumes x < 0; ensures \\result == -x;\n    \
             behavior pos: assumes x >= 0; ensures \\result == x; */\nint absolute(int x) {{ {body} }}\n\
             /*@ requires -1000 <= x <= 1000; ensures \\result > 0; */\nint f(int x) {{ return absolute(x); }}\n"
        )
    };
    let project =
        Project::new(&[("t.c", &absolute("return x < 0 ? -x : x;")), ("u.c", &absolute("return x;"))]);
    let (ran, json) = verify(&project, "t.c");
    assert_eq!(ran.code, 1, "{json}");
    let f = &json["units"][0]["functions"][1];
    assert_eq!(
        (&f["verdict"], &f["counterexample"]["inputs"][0]),
        (&"refuted".into(), &"x = 0".into()),
        "{f}"
    );
    // Nothing follows from a callee that breaks its contract.
    let (_, json) = verify(&project, "u.c");
    let [absolute, f] = [0, 1].map(|i| &json["units"][0]["functions"][i]);
    assert_eq!((&absolute["verdict"], &f["verdict"]), (&"refuted".into(), &"unknown".into()), "{json}");
}

/// Memory from `malloc` is valid where it is not NULL, and may be freed once.
#[test]
fn heap_blocks_are_valid_until_something_is_freed() {
    let text = "#include <stdlib.h>\n\
                /*@ requires 0 < n < 1000; ensures \\result == \\null || \\result[n - 1] == 7; */\n\
                int *make(int n) {\n  int *p = malloc(n * sizeof *p);\n  if (!p)\n    return NULL;\n  p[n - 1] = 7;\n  return p;\n}\n\
                /*@ ensures \\result == 3; */\n\
                int use(void) {\n  int *p = malloc(sizeof *p);\n  if (!p)\n    return 3;\n  *p = 3;\n  int n = *p;\n  free(p);\n  return n;\n}\n";
    let project = Project::new(&[("t.c", text)]);
    let (ran, json) = verify(&project, "t.c");
    assert_eq!(ran.code, 0, "{json}");
}

#[test]
fn assumptions_are_listed() {
    let text = "/*@ requires n > 0; assigns \\nothing; ensures \\result >= n; */\nint more(int n);\n\
                int other(int n);\n\
                /*@ requires 0 < n < 100; ensures \\result > 0; */\nint f(int n) {\n  other(n);\n  return more(n);\n}\n\
                /*@ requires 0 < n < 100; ensures \\result > 1; */\nint g(int n) { return more(n); }\n";
    let project = Project::new(&[("t.c", text)]);
    let (ran, json) = verify(&project, "t.c");
    assert_eq!(ran.code, 3, "{json}");
    let [f, g] = [0, 1].map(|i| &json["units"][0]["functions"][i]);
    assert_eq!(f["verdict"], "proved");
    let assumed = f["assumptions"].to_string();
    assert!(assumed.contains("the contract of `more`, which is defined elsewhere"), "{assumed}");
    assert!(assumed.contains("`other` has no contract"), "{assumed}");
    // The contract allows the callee to return 1; whether it does is unknown.
    assert_eq!(g["verdict"], "unknown");
    assert!(g["open"].to_string().contains("the postcondition does not hold"), "{g}");
}

/// Each of these is false, and one small unsound step would prove it.
#[test]
fn false_contracts_are_not_proved() {
    for text in [
        // Aliasing.
        "/*@ requires \\valid(p) && \\valid(q); ensures *p == 1; */ void f(int *p, int *q) { *p = 1; *q = 2; }",
        // The loop writes more than its `loop assigns`.
        "/*@ requires \\valid(p); ensures *p == 1; */ void f(int *p, int n) { *p = 1; /*@ loop assigns n; */ while (n > 0) { *p = 2; n--; } }",
        // The function writes more than its `assigns`.
        "int g; /*@ assigns \\nothing; */ void f(void) { g = 1; }",
        // A callee without a contract may write anything it can reach.
        "int g; void other(void); /*@ ensures g == 1; */ void f(void) { g = 1; other(); }",
        // Freed by another function.
        "void other(int *); /*@ requires \\valid(p); */ int f(int *p) { other(p); return *p; }",
        // An invariant that does not hold initially, and one that is not preserved.
        "/*@ ensures \\result > 5; */ int f(int n) { int i = 0; /*@ loop invariant i > 5; */ while (i < n) i++; return i; }",
        "/*@ ensures \\result <= 9; */ int f(int n) { int i = 0; /*@ loop invariant i <= 9; */ while (i < n) i += 2; return i; }",
        // A universal property does not follow from an existential one.
        "/*@ requires n > 0 && \\valid_read(a + (0 .. n - 1)); requires \\exists integer i; 0 <= i < n && a[i] == 0; ensures \\result == 0; */ int f(int *a, int n) { return a[0]; }",
        "/*@ requires n > 0 && \\valid(a + (0 .. n - 1)); ensures \\forall integer i; 0 <= i < n ==> a[i] == 0; */ void f(int *a, int n) { a[0] = 0; }",
        // One past the end.
        "/*@ requires n > 0 && \\valid_read(a + (0 .. n - 1)); */ int f(int *a, int n) { return a[n]; }",
        // Contracts use mathematical integers, which do not wrap.
        "/*@ requires n > 0; ensures \\result > n; */ int f(int n) { return n + 1; }",
        // Memory that an iteration freed, directly or in a callee.
        "#include <stdlib.h>\n/*@ ensures \\true; */ void f(unsigned n) { int *p = malloc(4); if (!p) return; while (n-- > 0) { *p = 1; free(p); } }",
        "void other(void); /*@ requires \\valid(p); */ void f(int *p, unsigned n) { while (n-- > 0) { *p = 1; other(); } }",
        // Valid memory need not come from `malloc`, and a block has an end.
        "#include <stdlib.h>\n/*@ requires \\valid(p); */ void f(int *p) { free(p); }",
        "#include <stdlib.h>\n/*@ ensures \\true; */ void f(void) { char *p = malloc(3); if (p) p[3] = 0; }",
        // The loop begins with a call with `assigns`; the loop writes more.
        "int g, h; /*@ assigns g; */ void set(void); /*@ ensures \\true; */ void f(unsigned n) { h = 1; do { set();\n//@ assert h == 1;\nh = 2; } while (n-- > 0); }",
        // A callee with `assigns` may keep an address.
        "int *kept; /*@ assigns kept; */ void keep(int *p); void other(void); /*@ ensures \\result == 1; */ int f(void) { int x = 1; keep(&x); other(); return x; }",
        // The variant must be bounded.
        "/*@ ensures \\true; */ void f(int n) { /*@ loop variant n; */ while (n < 0) n--; }",
    ] {
        let project = Project::new(&[("t.c", text)]);
        let (ran, json) = verify(&project, "t.c");
        assert!(ran.code == 1 || ran.code == 3, "{text}: {json}");
    }
}

/// docs/bsearch.md: every line that the page says is printed is printed.
#[test]
fn the_page_about_bsearch_is_true() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bsearch.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = |kind: &str| -> Vec<String> {
        let start = format!("```{kind}\n");
        page.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
    };
    let code = &blocks("c")[0];
    let project =
        Project::new(&[("bsearch.c", code), ("wrong.c", &code.replace("beg, mid, x", "beg, mid - 1, x"))]);
    let shown = blocks("text");
    assert_eq!(shown.len(), 3);
    for block in shown {
        let (command, lines) = block.split_once('\n').unwrap();
        let args: Vec<&str> = command.strip_prefix("$ gainsay ").unwrap().split(' ').collect();
        let ran = project.run(&args);
        for line in lines.lines() {
            assert!(ran.out.lines().any(|printed| printed == line), "{command}: {line}\n{}", ran.out);
        }
    }
    let (ran, json) = verify(&project, "wrong.c");
    assert_eq!(
        (ran.code, &json["units"][0]["functions"][0]["verdict"]),
        (1, &Value::from("refuted")),
        "{json}"
    );
}
