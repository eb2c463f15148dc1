//! What people see: version, summary, dumps, and the developer's commands.

use crate::project::Project;

const TWO: &str = "int one(int x) { return x; }\nint two(int *p) { while (*p) p++; return one(*p); }\n";

#[test]
fn the_version_is_one_line_and_names_clang() {
    let ran = Project::new(&[]).run(&["--version"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out.lines().count(), 1);
    assert!(ran.out.starts_with("gainsay 0.") && ran.out.contains("(clang "), "{}", ran.out);
}

#[test]
fn the_summary_accounts_for_every_function() {
    let project = Project::new(&[("a.c", TWO)]);
    let ran = project.run(&["check", "a.c"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert_eq!(
        ran.err,
        "gainsay: 2 functions in 1 file analysed by reach, horn: 2 consistent, 0 inconsistent, 0 given up; 0 findings\n"
    );
    assert_eq!(project.run(&["check", "-q", "a.c"]).err, "");
    let nothing = Project::new(&[("empty.c", "int x;\n")]).run(&["check", "empty.c"]);
    assert!(nothing.err.ends_with("; there was nothing to check\n"), "{}", nothing.err);
}

#[test]
fn every_stage_can_be_dumped() {
    let project = Project::new(&[("a.c", TWO)]);
    for stage in ["ast", "gc", "passive", "smt2"] {
        let both = project.run(&["dump", "--stage", stage, "a.c"]);
        assert_eq!(both.code, 0, "{stage}: {}", both.err);
        assert!(both.out.contains("one") && both.out.contains("two"), "{stage}: {}", both.out);
        let one = project.run(&["dump", "--stage", stage, "--function", "one", "a.c"]);
        assert_eq!(one.code, 0, "{stage}: {}", one.err);
        assert!(one.out.contains("one") && !one.out.contains("two"), "{stage}: {}", one.out);
    }
}

#[test]
fn programs_run() {
    let text = "#include <stdio.h>\nint main(void) { int s = 0; for (int i = 1; i <= 4; i++) s += i; \
                printf(\"sum %d\\n\", s); return s == 10 ? 7 : 1; }\n";
    let project = Project::new(&[("sum.c", text), ("endless.c", "int main(void) { for (;;) ; }\n")]);
    let ran = project.run(&["run-gc", "sum.c"]);
    assert_eq!((ran.code, ran.out.as_str()), (7, "sum 10\n"), "{}", ran.err);
    assert_eq!(project.run(&["run-gc", "--steps", "1000", "endless.c"]).code, 124);
}

#[test]
fn a_failing_check_is_shown_with_its_place() {
    let project = Project::new(&[("div.c", "int zero;\nint main(void) {\n  return 1 / zero;\n}\n")]);
    let ran = project.run(&["run-gc", "div.c"]);
    assert_eq!(ran.code, 126);
    assert!(ran.err.contains("division by zero: main b0") && ran.err.contains("(div.c:3:"), "{}", ran.err);
}

#[test]
fn functions_come_back_from_their_text() {
    let project =
        Project::new(&[("a.c", TWO), ("b.c", "#include <stdio.h>\nvoid f(void) { puts(\"\\\"\\n\"); }\n")]);
    let ran = project.run(&["roundtrip", "a.c", "b.c"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "3 functions, 0 differences, 0 units failed\n"),
        "{}",
        ran.err
    );
}

#[test]
fn one_unit_can_be_timed() {
    let project = Project::new(&[("a.c", TWO)]);
    project.write_database(&[("a.c", "")]);
    let units = project.run(&["print-args", "-p", "."]).out;
    let ran = project.run(&["bench-lower", units.trim()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "a.c: 2 functions, 0 given up, 0 gaps\n"), "{}", ran.err);
    assert_eq!(project.run(&["bench-lower", "{}"]).code, 2);
}
