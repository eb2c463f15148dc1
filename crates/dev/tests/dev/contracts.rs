//! Contracts and the paper's Figure 1, tested by the impossible edges.

use crate::project::Project;
use std::path::Path;

/// `gainsay-dev edges` in a project of these files, of which the first is analysed.
fn edges(files: &[(&str, &str)]) -> String {
    let ran = Project::new(files).run(&["edges", files[0].0]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    ran.out
}

#[test]
fn a_contract_in_a_header_binds_callers_and_the_definition() {
    let header = "/*@ requires lo < hi; */\nint span(int lo, int hi);\n";
    let unit = "#include \"span.h\"\n\
                int span(int a, int b) { if (a == b) return 0; return b - a; }\n\
                int caller(int n) { if (n) return span(n, n); return 0; }\n";
    let out = edges(&[("t.c", unit), ("span.h", header)]);
    let expected = "t.c:2:32: span: if true is impossible\nt.c:3:25: caller: if true is impossible\n";
    assert_eq!(out, expected);
    let without = edges(&[("t.c", unit), ("span.h", "int span(int lo, int hi);\n")]);
    assert_eq!(without, "");
}

#[test]
fn figure_1_of_the_paper_is_no_contradiction_of_machine_integers() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/reach/figure1.c"))
            .unwrap();
    assert_eq!(edges(&[("figure1.c", &text)]), "");
    // If the last half is left out, the paper's claim holds.
    let strict = text.replace("beg == end", "beg + 1 >= end");
    assert_eq!(edges(&[("figure1.c", &strict)]), "figure1.c:7:20: bsearch: else-if false is impossible\n");
}
