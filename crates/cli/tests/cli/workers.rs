//! A fault in a worker costs one unit and is reported; the number of workers does not change the output.

use crate::project::{Project, Ran, reason};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn many_units() -> Project {
    let project = Project::new(&[("common.h", "static inline int twice(int x) { return 2 * x; }\n")]);
    for i in 0..12 {
        let text = format!("#include \"common.h\"\nint f{i}(int x) {{ return twice(x) + {i}; }}\n");
        project.write(&format!("u{i}.c"), text.as_bytes());
    }
    project.write("broken.c", b"int g(void) { return missing; }\n");
    let names: Vec<String> = (0..12).map(|i| format!("u{i}.c")).collect();
    let mut entries: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "-O2")).collect();
    entries.extend([("broken.c", ""), ("gone.c", "")]);
    project.write_database(&entries);
    project
}

#[test]
fn the_number_of_workers_does_not_change_the_output() {
    let project = many_units();
    let one = project.run(&["check", "-p", ".", "--format", "json", "-j1"]);
    assert_eq!(one.code, 0, "{}", one.err);
    for jobs in ["-j2", "-j4", "-j32"] {
        let many = project.run(&["check", "-p", ".", "--format", "json", jobs]);
        assert_eq!((many.code, &many.out, &many.err), (one.code, &one.out, &one.err), "{jobs}");
    }
    let coverage = &one.json()["coverage"];
    // Twelve functions, the broken one, and the header's, which counts once although twelve units include it.
    assert_eq!((&coverage["functions"], &coverage["given_up"]), (&json!(14), &json!(1)));
}

/// Runs with a fault in `bad.c`, between two good units, with one worker.
#[cfg(debug_assertions)]
fn with_fault(fault: &str, options: &[&str]) -> (i32, Value) {
    let text = |name: &str| format!("int {name}(void) {{ return 1; }}\n");
    let project = Project::new(&[("a.c", &text("a")), ("bad.c", &text("bad")), ("z.c", &text("z"))]);
    let args = [&["check", "--format", "json", "-j1", "a.c", "bad.c", "z.c"], options].concat();
    let ran =
        Ran::of(project.command(&args).env("GAINSAY_TEST_FAULT", format!("{fault}:bad.c")).output().unwrap());
    assert_eq!(ran.json()["coverage"]["units_failed"], 1, "{}", ran.err);
    assert_eq!(ran.json()["coverage"]["functions"], 2, "{}", ran.err);
    (ran.code, ran.json())
}

#[cfg(debug_assertions)]
#[test]
fn a_fault_in_a_worker_costs_one_unit() {
    for (fault, options, words) in [
        ("crash", &[][..], "crashed with SIGABRT"),
        ("panic", &[], "internal error: on order"),
        ("hang", &["--unit-timeout", "1"], "took longer than 1 s"),
        ("memory", &["--memory-limit", "1500"], "needed more than 1500 MB"),
        ("stack", &[], "overflowed the stack"),
        ("late-crash", &[], "crashed with SIGABRT"),
        ("late-panic", &[], "internal error: on order"),
    ] {
        let (code, report) = with_fault(fault, options);
        assert_eq!(code, 0, "{fault}");
        assert!(reason(&report, "bad.c").starts_with(words), "{fault}: {report}");
    }
    assert_eq!(with_fault("crash", &["--strict-coverage"]).0, 3);
}

/// Three functions, the first and the last with a finding.
#[cfg(debug_assertions)]
const THREE: &str = "int first(int *p) {\n  int n = *p;\n  if (!p)\n    return -1;\n  return n;\n}\n\
                     int middle(int x) {\n  return x;\n}\n\
                     int last(int *p) {\n  int n = *p;\n  if (!p)\n    return -1;\n  return n;\n}\n\
                     int broken(void) { return missing; }\n";

#[cfg(debug_assertions)]
#[test]
fn findings_before_a_fault_are_kept_and_marked() {
    for (fault, options, words) in [
        ("hang", &["--unit-timeout", "10"][..], "took longer than 10 s (--unit-timeout)"),
        ("memory", &["--memory-limit", "1500"], "needed more than 1500 MB of memory (--memory-limit)"),
        ("crash", &[], "crashed with SIGABRT"),
        ("stack", &[], "overflowed the stack; its source is nested too deeply"),
    ] {
        let project = Project::new(&[("bad.c", THREE), ("z.c", "int z(void) { return 1; }\n")]);
        let run = |options: &[&str]| {
            let args = ["check", "-j1", "bad.c", "z.c", "--cache-dir", "kept"];
            let fault = format!("function-{fault}:middle");
            let mut command = project.command(&[&args, options].concat());
            Ran::of(command.env("GAINSAY_TEST_FAULT", fault).output().unwrap())
        };
        let ran = run(&[options, &["--format=json"]].concat());
        let report = ran.json();
        assert_eq!(
            (ran.code, &report["findings"][0]["function"]),
            (1, &json!("first")),
            "{fault}: {}",
            ran.err
        );
        assert_eq!(report["findings"].as_array().unwrap().len(), 1);
        let coverage = &report["coverage"];
        assert_eq!(
            (&coverage["units_failed"], &coverage["units_cut_short"]),
            (&json!(0), &json!(1)),
            "{coverage}"
        );
        assert_eq!(coverage["cut_short_units"], json!([{"file": "bad.c", "reason": words}]));
        assert_eq!((&coverage["functions"], &coverage["given_up"]), (&json!(5), &json!(3)), "{coverage}");
        assert_eq!(coverage["units_with_errors"], 1);
        let reason = |name: &str| {
            let gone = coverage["functions_given_up"].as_array().unwrap();
            gone.iter().find(|gone| gone["function"] == name).unwrap()["reason"].as_str().unwrap()
        };
        assert_eq!(
            (reason("middle"), reason("last")),
            (words, format!("not reached: the unit {words}").as_str())
        );

        let text = run(options);
        assert!(text.err.contains(&format!("bad.c: partial result: the unit {words}")), "{}", text.err);
        assert!(text.err.contains("1 file only in part"), "{}", text.err);
        // The partial result was not cached.
        let whole = project.run(&["check", "--format=json", "bad.c", "z.c", "--cache-dir", "kept"]);
        assert_eq!(whole.json()["coverage"]["units_cut_short"], 0);
        assert_eq!(whole.json()["findings"].as_array().unwrap().len(), 2, "{}", whole.err);
        assert!(whole.err.contains("cache: 3 of 4 functions re-analysed"), "{}", whole.err);
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_partial_result_is_incomplete_coverage() {
    let project = Project::new(&[("bad.c", "int a(void) { return 1; }\nint b(void) { return 1; }\n")]);
    for (fault, strict, code) in [("b", false, 0), ("b", true, 3), ("a", false, 2), ("a", true, 2)] {
        let args = ["check", "bad.c", "--strict-coverage"];
        let mut command = project.command(&args[..if strict { 3 } else { 2 }]);
        let output = command.env("GAINSAY_TEST_FAULT", format!("function-crash:{fault}")).output().unwrap();
        let ran = Ran::of(output);
        assert_eq!(ran.code, code, "{fault} {strict}: {}", ran.err);
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_run_in_which_all_units_fail_has_failed() {
    let project = Project::new(&[("a.c", "int a;\n")]);
    let output = project.command(&["check", "a.c"]).env("GAINSAY_TEST_FAULT", "crash:.c").output().unwrap();
    let ran = Ran::of(output);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("a.c: not analysed: crashed with SIGABRT"), "{}", ran.err);
}

#[cfg(debug_assertions)]
#[test]
fn an_interrupted_run_prints_its_findings_and_leaves_no_worker_behind() {
    let project =
        Project::new(&[("a.c", "int a(void) { return 1; }\n"), ("slow.c", "int s(void) { return 1; }\n")]);
    let mut command = project.command(&["check", "--format", "json", "-j1", "a.c", "slow.c"]);
    let temporary = project.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let private = || std::fs::read_dir(&temporary).unwrap().count();
    command.env("TMPDIR", &temporary).env("GAINSAY_TEST_FAULT", "hang:slow.c");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let started = Instant::now();
    let workers = loop {
        let workers = children_of(child.id());
        if !workers.is_empty() && private() > 0 && started.elapsed() > Duration::from_millis(1500) {
            break workers;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "no worker was started");
        std::thread::sleep(Duration::from_millis(20));
    };
    // SAFETY: our own child, not yet waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130);
    assert_eq!(ran.json()["coverage"]["partial"], true);
    assert_eq!(ran.json()["coverage"]["units_failed"], 0);
    assert!(ran.err.contains("partial result"));
    assert!(started.elapsed() < Duration::from_secs(60));
    for worker in workers {
        assert!(!std::path::Path::new(&format!("/proc/{worker}")).exists(), "worker {worker} is still there");
    }
    assert_eq!(private(), 0, "the private directory of the run is still there");
}

/// Processes that were started by any thread of a process.
#[cfg(debug_assertions)]
fn children_of(pid: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_reader_that_closes_early_is_no_failure() {
    let project = many_units();
    let mut child = project.command(&["check", "-p", ".", "--format", "json"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}
