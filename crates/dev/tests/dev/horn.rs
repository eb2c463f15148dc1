//! The edges that `gainsay-dev horn` calls impossible in tests/c/loops are those marked `//~ origin outcome`, and no others.

use crate::edges::marked;
use crate::project::Project;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn program(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/loops").join(name)).unwrap()
}

/// The edges called impossible are those marked.
fn compare(name: &str) {
    let text = program(name);
    let project = Project::new(&[("t.c", &text)]);
    let ran = project.run(&["horn", "t.c"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
    assert_eq!(reported(&ran.out), marked(&text), "{name}:\n{}", ran.out);
}

#[test]
fn the_kinds_of_the_paper_are_proved() {
    compare("kinds.c");
}

#[test]
fn possible_edges_are_not_called_impossible() {
    compare("traps.c");
}

#[test]
fn invariants_are_printed_in_c() {
    let project = Project::new(&[("t.c", &program("kinds.c"))]);
    let printed = |function: &str| project.run(&["horn", "--function", function, "t.c"]).out;
    let figure1 = printed("figure1");
    assert!(figure1.contains("then at 8:22: i <= 0 && x > 0"), "{figure1}");
    assert!(figure1.contains("rests on 9:15, then: division by zero"), "{figure1}");
    let matrix = printed("matrix");
    assert!(matrix.contains("rows[2] == NULL") || matrix.contains("rows[1] == NULL"), "{matrix}");
}

/// `  LINE:COLUMN: ORIGIN OUTCOME NUMBER: impossible`
fn reported(out: &str) -> BTreeSet<(usize, String)> {
    let of_line = |line: &str| {
        let edge = line.strip_suffix(": impossible")?;
        let mut parts = edge.trim().splitn(3, ':');
        let number = parts.next()?.parse().ok()?;
        let (edge, _) = parts.nth(1)?.trim().rsplit_once(' ')?;
        Some((number, edge.to_owned()))
    };
    out.lines().filter_map(of_line).collect()
}
