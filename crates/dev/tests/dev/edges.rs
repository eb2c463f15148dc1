//! The branch edges that `gainsay-dev edges` calls impossible are those marked `//~ origin outcome`, and no others.

use crate::project::Project;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn impossible_edges_are_those_marked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<_> =
        fs::read_dir(root.join("tests/c/edges")).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 2, "tests/c/edges has lost its programs");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let project = Project::new(&[("t.c", &text)]);
        let ran = project.run(&["edges", "t.c"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", file.display());
        assert_eq!(reported(&ran.out), marked(&text), "{}:\n{}", file.display(), ran.out);
    }
}

/// The marks `//~ ...` of a program, with their lines.
pub(crate) fn marked(text: &str) -> BTreeSet<(usize, String)> {
    let of_line = |(i, line): (usize, &str)| -> Vec<(usize, String)> {
        line.split("//~").skip(1).map(|mark| (i + 1, mark.trim().to_owned())).collect()
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

/// `t.c:LINE:COLUMN: function: ORIGIN OUTCOME is impossible`
fn reported(out: &str) -> BTreeSet<(usize, String)> {
    let of_line = |line: &str| {
        let mut parts = line.split(':').skip(1);
        let number = parts.next()?.parse().ok()?;
        let edge = parts.nth(2)?.trim().strip_suffix(" is impossible")?;
        Some((number, edge.to_owned()))
    };
    out.lines().filter_map(of_line).collect()
}
