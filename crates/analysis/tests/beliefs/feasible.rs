//! Definition 2, on the paths that the paper names.

use crate::guard::Guard;
use crate::infer::{Join, infer};
use crate::parse::parse;
use std::path::Path;

/// Whether the statements on these lines of an example are on a feasible path together.
fn is_feasible(example: &str, lines: &[usize], join: Join) -> bool {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/beliefs");
    let program = parse(&std::fs::read_to_string(directory.join(example)).unwrap()).unwrap();
    let derivation = infer(&program, &program.functions[0], join);
    let on_the_path = derivation.guards.iter().filter(|(label, _)| lines.contains(&program.lines[**label]));
    let guards: Vec<&Guard> = on_the_path.map(|(_, guard)| guard).collect();
    assert_eq!(guards.len(), lines.len(), "a statement for each line");
    guards.into_iter().fold(derivation.all.clone(), |so_far, guard| so_far.and(guard)).is_satisfiable()
}

#[test]
fn the_paths_of_examples_1_and_2() {
    for join in [Join::Literal, Join::Guarded] {
        // Section 2.1: "the path of the source-sink error is feasible", the one by `y <- C3` to the skip is not.
        assert!(is_feasible("example_01.bel", &[4, 5, 8], join));
        assert!(!is_feasible("example_01.bel", &[4, 5, 6, 11], join));
        // "The path from the function entry to the check is not feasible."
        assert!(!is_feasible("example_02.bel", &[4, 7], join));
        assert!(is_feasible("example_02.bel", &[4, 6], join));
    }
}
