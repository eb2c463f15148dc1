//! Bad input is reported with advice, and the other units are analysed.

use crate::project::{Project, Ran, reason};
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

const GOOD: (&str, &str) = ("good.c", "int good(int x) { return x ? 1 : 2; }\n");

/// The good unit next to the bad one was analysed.
fn assert_good(report: &serde_json::Value) {
    let coverage = &report["coverage"];
    assert_eq!(
        coverage["units"].as_u64().unwrap() - coverage["units_failed"].as_u64().unwrap(),
        1,
        "{report}"
    );
    assert!(
        coverage["functions"].as_u64().unwrap() - coverage["given_up"].as_u64().unwrap() >= 1,
        "{report}"
    );
}

#[test]
fn a_missing_file() {
    let project = Project::new(&[GOOD]);
    let (code, report) = project.check(&["good.c", "missing.c"]);
    assert_eq!(code, 2);
    assert_good(&report);
    assert_eq!(reason(&report, "missing.c"), "no such file");
}

#[test]
fn a_directory_instead_of_a_file() {
    let project = Project::new(&[GOOD, ("sub/x.h", "")]);
    let (code, report) = project.check(&["good.c", "sub"]);
    assert_eq!(code, 2);
    assert_good(&report);
    assert!(reason(&report, "sub").contains("-p"));
}

#[test]
fn a_binary_file() {
    let project = Project::new(&[GOOD]);
    project.write("binary.c", b"\x7fELF\x02\x01\x01\0\0\0\0");
    let (code, report) = project.check(&["good.c", "binary.c"]);
    assert_eq!(code, 2);
    assert_good(&report);
    assert!(reason(&report, "binary.c").contains("binary"));
}

#[test]
fn an_unreadable_file() {
    let project = Project::new(&[GOOD]);
    // It can be opened but not read, not even by root.
    let (code, report) = project.check(&["good.c", "/proc/self/mem"]);
    assert_eq!(code, 2);
    assert_good(&report);
    assert!(reason(&report, "mem").starts_with("cannot be read: "));
}

#[test]
fn a_pipe_does_not_block() {
    let project = Project::new(&[GOOD]);
    let pipe = std::ffi::CString::new(project.path().join("pipe.c").as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a valid C string.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    let (code, report) = project.check(&["good.c", "pipe.c"]);
    assert_eq!(code, 2);
    assert_good(&report);
    assert!(reason(&report, "pipe.c").contains("not a regular file"));
}

#[test]
fn a_path_that_is_not_utf8() {
    let project = Project::new(&[GOOD]);
    let name = OsStr::from_bytes(b"\xff.c");
    std::fs::write(project.path().join(name), "int f(void) { return 0; }").unwrap();
    let ran = Ran::of(project.command(&["check", "--format", "json", "good.c"]).arg(name).output().unwrap());
    assert_eq!(ran.code, 2);
    assert_good(&ran.json());
    assert!(reason(&ran.json(), ".c").contains("UTF-8"));
}

#[test]
fn content_that_is_not_utf8() {
    let project = Project::new(&[]);
    project.write("latin.c", b"/* caf\xe9 */ const char *f(void) { return \"caf\xe9\"; }\n");
    let (code, report) = project.check(&["latin.c"]);
    assert_eq!(code, 0, "{report}");
    assert_good(&report);
}

#[test]
fn a_unit_that_does_not_compile_keeps_its_good_functions() {
    let text = "int one(void) { return 1; }\nint two(void) {\n  return undeclared;\n}\n";
    let project = Project::new(&[("broken.c", text)]);
    let (code, report) = project.check(&["broken.c"]);
    assert_eq!(code, 0, "{report}");
    let coverage = &report["coverage"];
    assert_eq!((&coverage["units_failed"], &coverage["units_with_errors"]), (&json!(0), &json!(1)));
    let error = coverage["erroneous_units"][0]["reason"].as_str().unwrap();
    assert!(error.starts_with("broken.c:3:10: ") && error.contains("undeclared"), "{error}");
    assert_eq!((&coverage["functions"], &coverage["given_up"]), (&json!(2), &json!(1)));
    assert_eq!(coverage["functions_given_up"][0]["function"], "two");
    assert_eq!(coverage["functions_given_up"][0]["line"], 2);
    assert_eq!(project.check(&["broken.c", "--strict-coverage"]).0, 3);
}

#[test]
fn a_program_that_was_not_read_as_a_whole_is_not_taken_for_one() {
    let project =
        Project::new(&[("good.c", "int one(void) { return 1; }\n"), ("bad.c", "int two(void) { return }\n")]);
    let note = "--whole-program has no effect";
    assert!(project.run(&["check", "--whole-program", "good.c", "bad.c"]).err.contains(note));
    assert!(!project.run(&["check", "--whole-program", "good.c"]).err.contains(note));
    assert!(!project.run(&["check", "good.c", "bad.c"]).err.contains(note));
}

#[test]
fn a_file_without_any_c_in_it() {
    let project = Project::new(&[
        GOOD,
        ("prose.c", "This is a letter, not a program.\nIt has two lines.\n"),
        ("empty.c", ""),
    ]);
    let (code, report) = project.check(&["good.c", "prose.c", "empty.c"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["coverage"]["functions"], 1);
    assert_eq!(report["coverage"]["erroneous_units"][0]["file"], "prose.c");
}

#[test]
fn a_hundred_thousand_nested_parentheses() {
    let project = Project::new(&[GOOD]);
    let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
    project.write("deep.c", format!("int deep(int x) {{ return {open}x{close}; }}\n").as_bytes());
    let (code, report) = project.check(&["deep.c", "good.c"]);
    assert_eq!(code, 0, "{report}");
    assert!(report["coverage"]["functions"].as_u64().unwrap() >= 1, "{report}");
    assert_eq!(report["coverage"]["erroneous_units"][0]["file"], "deep.c", "{report}");
}

#[test]
fn a_line_of_fifty_megabytes() {
    let project = Project::new(&[GOOD]);
    let text = "x".repeat(50 << 20);
    project.write("long.c", format!("const char *text(void) {{ return \"{text}\"; }}\n").as_bytes());
    let (code, report) = project.check(&["long.c", "good.c"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["coverage"]["functions"], 2);
}

#[test]
fn databases_that_cannot_be_used() {
    let project =
        Project::new(&[("malformed/compile_commands.json", "[{]"), ("empty/compile_commands.json", "[]")]);
    for (dir, words) in [
        ("malformed", "malformed/compile_commands.json:1:3: not valid JSON"),
        ("empty", "bear -- make"),
        ("missing", "no compile database here"),
        (".", "no compile database here"),
    ] {
        let ran = project.run(&["check", "-p", dir]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(words), "{dir}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
}

#[test]
fn other_entries_are_used() {
    let project = Project::new(&[GOOD]);
    let database = json!([
        {"directory": project.path(), "file": "good.c", "command": "gcc -c good.c"},
        {"directory": project.path(), "file": "gone.c", "command": "gcc -c gone.c"},
        {"directory": project.path(), "file": "other.cpp", "command": "g++ -c other.cpp"},
    ]);
    project.write("compile_commands.json", database.to_string().as_bytes());
    let (code, report) = project.check(&["-p", "."]);
    assert_eq!(code, 0, "a file that is gone is an entry of the ledger");
    assert_good(&report);
    assert!(reason(&report, "gone.c").contains("build first"));
    assert_eq!(report["coverage"]["entries_skipped"], 1);

    let mut database = database;
    database.as_array_mut().unwrap().push(json!({"directory": "/"}));
    project.write("compile_commands.json", database.to_string().as_bytes());
    let (code, report) = project.check(&["-p", "."]);
    assert_eq!(code, 2, "a malformed entry is not");
    assert_good(&report);
    assert!(reason(&report, ".").contains("entry 3 (counting from 0) has no \"file\""));
}

#[test]
fn usage_errors() {
    let project = Project::new(&[GOOD]);
    for args in [
        &["check"][..],
        &["check", "--format", "xml", "good.c"],
        &["check", "-p", ".", "good.c", "--", "-DX"],
        &["dump", "--stage=gc", "missing.c"],
        &["dump", "--stage=gc", "--function", "none", "good.c"],
        &["explain", "no-such-rule"],
        &["frobnicate"],
    ] {
        let ran = project.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn a_run_in_which_no_function_could_be_analysed_has_failed() {
    let broken = "int g(void) { return missing; }\n";
    let project = Project::new(&[
        GOOD,
        ("broken.c", broken),
        ("prose.c", "This is a letter.\n"),
        ("data.c", "int x;\n"),
    ]);
    for (files, code) in [
        (&["broken.c"][..], 2),
        (&["prose.c"], 2),
        (&["broken.c", "prose.c", "data.c"], 2),
        (&["broken.c", "good.c"], 0),
        (&["prose.c", "good.c"], 0),
        // Nothing is wrong with a file without functions.
        (&["data.c"], 0),
    ] {
        assert_eq!(project.check(files).0, code, "{files:?}");
    }
    assert_eq!(project.check(&["broken.c", "good.c", "--strict-coverage"]).0, 3);
}

/// A few hundred bytes that expand to more arguments than fit into memory.
#[test]
fn recursive_response_files_end() {
    let project = Project::new(&[GOOD]);
    for level in 0..9 {
        project.write(&format!("r{level}"), format!("@r{} ", level + 1).repeat(100).as_bytes());
    }
    let ran = project.run(&["check", "good.c", "--", "@r0"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("the command line has more than 1000 response files"), "{}", ran.err);
    let database = json!([
        {"directory": project.path(), "file": "good.c", "command": "gcc -c good.c"},
        {"directory": project.path(), "file": "other.c", "command": "gcc @r0 -c other.c"},
    ]);
    project.write("compile_commands.json", database.to_string().as_bytes());
    let (code, report) = project.check(&["-p", "."]);
    assert_eq!(code, 2);
    assert_good(&report);
    assert!(reason(&report, ".").contains("entry 1 (counting from 0) has more than 1000 response files"));
}

/// clang's driver reads configuration files next to its program, which does not exist here.
#[test]
fn configuration_files_of_clang_in_the_project_are_not_read() {
    let names = ["clang.cfg", "x86_64-pc-linux-gnu-clang.cfg", "x86_64-unknown-linux-gnu-clang.cfg"];
    let project =
        Project::new(&[("good.c", "#ifdef EVIL\n#error read\n#endif\nint good(int x) { return x; }\n")]);
    names.iter().for_each(|name| {
        project.write(name, b"-DEVIL\n");
    });
    let (code, report) = project.check(&["good.c"]);
    assert_eq!((code, &report["coverage"]["units_with_errors"]), (0, &json!(0)), "{report}");
}
