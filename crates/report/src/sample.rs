//! Findings for the tests of this crate, and their sources.

use crate::finding::{Finding, Related, Severity};

const A: &str = "#include \"b.h\"\n\nint first(struct list *p)\n{\n\tint x = p->value;\n\n\tx++;\n\tif (!p)\n\t\treturn 0;\n\treturn x;\n}\n";
const B: &str = "#define SIZE 8\nstatic int table[SIZE];\n";

pub(crate) fn read(file: &str) -> Option<Vec<u8>> {
    match file {
        "a.c" => Some(A.into()),
        "include/b.h" => Some(B.into()),
        _ => None,
    }
}

pub(crate) fn finding() -> Finding {
    Finding {
        rule: "checked-too-late".into(),
        severity: Severity::Warning,
        class: None,
        analyses: vec!["reach".into()],
        function: "first".into(),
        file: "a.c".into(),
        line: 8,
        column: 6,
        end_line: 8,
        end_column: 8,
        message: "`p` cannot be NULL here: it was dereferenced before".into(),
        related: vec![related("a.c", 5, 10, "`p` is dereferenced here, so it is not NULL")],
        fingerprint: "0123456789abcdef0123456789abcdef".into(),
    }
}

/// With places in another file and in one that cannot be read.
pub(crate) fn across_files() -> Finding {
    Finding {
        rule: "fatal-branch".into(),
        severity: Severity::Error,
        class: Some("config".into()),
        line: 9,
        column: 3,
        end_line: 10,
        end_column: 11,
        message: "whoever comes here reads `table[x]` out of bounds".into(),
        related: vec![
            related("include/b.h", 2, 12, "`table` has 8 elements"),
            related("/usr/include/gone.h", 7, 1, "`table[x]` is read here"),
        ],
        fingerprint: "fedcba9876543210fedcba9876543210".into(),
        ..finding()
    }
}

fn related(file: &str, line: u32, column: u32, message: &str) -> Related {
    Related { file: file.into(), line, column, message: message.into() }
}
