//! Programs in the interpreter, and the text form of lowered C.

use crate::project::Project;

const TWO: &str = "int one(int x) { return x; }\nint two(int *p) { while (*p) p++; return one(*p); }\n";

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
fn functions_survive_the_round_trip() {
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
    let arguments = ["clang", "-w", "-fsyntax-only", "--", "a.c"];
    let unit = serde_json::json!({"directory": project.path(), "file": "a.c", "arguments": arguments});
    let ran = project.run(&["bench-lower", &unit.to_string()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "a.c: 2 functions, 0 given up, 0 gaps\n"), "{}", ran.err);
    assert_eq!(project.run(&["bench-lower", "{}"]).code, 2);
}
