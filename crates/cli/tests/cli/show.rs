//! Version, summary and dumps.

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
fn horn_clauses_are_accepted_by_any_solver() {
    let project = Project::new(&[("t.c", &{
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/loops/kinds.c");
        std::fs::read_to_string(file).unwrap()
    })]);
    let dumped = project.run(&["dump", "--stage=horn", "--function", "figure1", "t.c"]);
    assert_eq!((dumped.code, dumped.err.as_str()), (0, ""));
    assert_eq!(dumped.out.matches("(set-logic HORN)").count(), 2, "{}", dumped.out);
    assert_eq!(dumped.out.matches("(check-sat)").count(), 2, "{}", dumped.out);
}
