//! Flags reach clang: from the command line, from either form of database, from response files.

use crate::project::Project;
use serde_json::{Value, json};

/// Compiles only if the flags of the test define the macro.
const NEEDS_FLAG: &str =
    "#if WIDTH != 32\n#error \"WIDTH is not 32\"\n#endif\nint f(void) { return WIDTH; }\n";

fn errors(report: &Value) -> u64 {
    assert_eq!(report["coverage"]["functions"].as_u64(), Some(1), "{report}");
    report["coverage"]["units_with_errors"].as_u64().unwrap()
}

#[test]
fn flags_after_two_dashes() {
    let project = Project::new(&[("a.c", NEEDS_FLAG), ("args.rsp", "-DWIDTH=32")]);
    assert_eq!(errors(&project.check(&["a.c", "--", "-DWIDTH=32", "-fgcc-only-flag"]).1), 0);
    assert_eq!(errors(&project.check(&["a.c", "--", "@args.rsp"]).1), 0);
    let (code, report) = project.check(&["a.c"]);
    assert_eq!(code, 2, "its only function is lost");
    assert_eq!(report["coverage"]["units_with_errors"], 1);
}

#[test]
fn every_form_of_a_database() {
    let project = Project::new(&[
        ("src/a.c", NEEDS_FLAG),
        ("src/outer.rsp", "@inner.rsp"),
        ("src/inner.rsp", "'-DWIDTH=32'"),
    ]);
    let src = project.path().join("src");
    for entry in [
        json!({"directory": src, "file": "a.c", "command": "gcc -DWIDTH=32 -c a.c"}),
        json!({"directory": src, "file": "a.c", "arguments": ["gcc", "-D", "WIDTH=32", "-c", "a.c"]}),
        json!({"directory": src, "file": src.join("a.c"), "command": "ccache gcc @outer.rsp -c a.c"}),
        json!({"directory": "src", "file": "../src/a.c", "command": "gcc -Wp,-DWIDTH=32,-MD,a.d -c ../src/a.c"}),
    ] {
        project.write("compile_commands.json", json!([entry]).to_string().as_bytes());
        let (code, report) = project.check(&["-p", "."]);
        assert_eq!((code, errors(&report)), (0, 0), "{entry}");
        assert_eq!(errors(&project.check(&["-p", ".", "src/a.c"]).1), 0, "by name: {entry}");
        assert_eq!(errors(&project.check(&["src/a.c"]).1), 0, "by the nearest database: {entry}");
    }
}

#[test]
fn the_target_of_a_cross_compiler() {
    let text = "_Static_assert(sizeof(void *) == 4, \"32 bits\");\nint f(void) { return 1; }\n";
    let project = Project::new(&[("a.c", text)]);
    let entry = json!({"directory": project.path(), "file": "a.c", "command": "arm-none-eabi-gcc -mcpu=cortex-m4 a.c"});
    project.write("compile_commands.json", json!([entry]).to_string().as_bytes());
    assert_eq!(errors(&project.check(&["-p", "."]).1), 0);
    assert_eq!(errors(&project.check(&["a.c", "--", "-m32"]).1), 0);
}

#[test]
fn a_file_compiled_twice_is_analysed_twice_and_counted_once() {
    let project = Project::new(&[("a.c", "int f(void) { return X; }\n")]);
    project.write_database(&[("a.c", "-DX=1"), ("a.c", "-DX=2"), ("a.c", "-DX=1 -O3")]);
    let coverage = &project.check(&["-p", "."]).1["coverage"];
    assert_eq!((&coverage["units"], &coverage["functions"]), (&json!(2), &json!(1)));
}

#[test]
fn arguments_can_be_shown() {
    let project = Project::new(&[("a.c", "int a;\n")]);
    project.write_database(&[("a.c", "-O2 -Iinc -Wall")]);
    let ran = project.run(&["print-args", "-p", "."]);
    let line: Value = serde_json::from_str(ran.out.trim()).unwrap();
    assert_eq!(line["file"], "a.c");
    let arguments: Vec<&str> =
        line["arguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(arguments[..2], ["clang", "-Iinc"]);
    assert_eq!(arguments[arguments.len() - 2..], ["--", "a.c"]);
}

/// Without its flags a unit means something else, so it is not analysed.
#[test]
fn a_response_file_that_cannot_be_read_is_named() {
    let project = Project::new(&[("a.c", NEEDS_FLAG)]);
    let ran = project.run(&["check", "a.c", "--", "@missing.rsp"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("missing.rsp, which cannot be read"), "{}", ran.err);
    let path = project.path();
    let entry = json!([{"directory": path, "file": "a.c", "command": "gcc @missing.rsp -c a.c"}]);
    project.write("compile_commands.json", entry.to_string().as_bytes());
    let ran = project.run(&["check", "-p", "."]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("missing.rsp, which cannot be read"), "{}", ran.err);
}

/// The pragmas change what variables hold.
#[test]
fn functions_with_openmp_are_given_up() {
    let text = "int f(void) {\n  int n = 0;\n#pragma omp parallel num_threads(3)\n  {\n#pragma omp atomic\n    n++;\n  }\n\
        \x20 if (n == 3)\n    return 1;\n  return 0;\n}\nint g(int *p) { int v = *p; if (!p) return 1; return v; }\n";
    let project = Project::new(&[("a.c", text)]);
    let (_, report) = project.check(&["a.c", "--", "-fopenmp"]);
    let found: Vec<&str> =
        report["findings"].as_array().unwrap().iter().map(|one| one["function"].as_str().unwrap()).collect();
    assert_eq!((found, report["coverage"]["given_up"].as_u64()), (vec!["g"], Some(1)));
}
