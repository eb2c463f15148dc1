//! Which function a name denotes across units: functions of the program with names of the library, units that were not read,
//! and flags.

use crate::project::Project;
use serde_json::Value;

/// All findings of `check` in the database, hidden or not: `file:line rule`.
fn all_findings(project: &Project, more: &[&str]) -> Vec<String> {
    let (_, report) = project.check(&[&["-p", ".", "--show=all"], more].concat());
    let place = |finding: &Value| {
        let (file, line) = (finding["file"].as_str().unwrap(), finding["line"].as_u64().unwrap());
        format!("{file}:{line} {}", finding["rule"].as_str().unwrap())
    };
    report["findings"].as_array().unwrap().iter().map(place).collect()
}

const LIST_H: &str = "struct node { struct node *next, *prev; int v; };\n\
                      void link(struct node *at, struct node *n);\n\
                      void unlink(struct node *n);\n";

const LIST_C: &str = "#include \"list.h\"\n\
    void link(struct node *at, struct node *n) { n->next = at->next; n->prev = at; at->next->prev = n; at->next = n; }\n\
    void unlink(struct node *n) { n->prev->next = n->next; n->next->prev = n->prev; n->next = n->prev = 0; }\n";

const TAKE_C: &str = "#include <stdio.h>\n#include \"list.h\"\n\
    int take(struct node *head, struct node *n) {\n\
        n->next = n->prev = n;\n\
        link(head, n);\n\
        if (n->next != n) printf(\"linked\\n\");\n\
        n->v = 1;\n\
        unlink(n);\n\
        if (n->next == 0) return 1;\n\
        return 0;\n\
    }\n";

#[test]
fn functions_of_the_program_have_names_of_the_library() {
    let project = Project::new(&[("list.h", LIST_H), ("list.c", LIST_C), ("take.c", TAKE_C)]);
    project.write_database(&[("list.c", ""), ("take.c", "")]);
    // That `unlink` leaves NULL there is known from its definition.
    let left = ["take.c:9 contradictory-condition"];
    assert_eq!(all_findings(&project, &[]), left);
    assert_eq!(all_findings(&project, &["--whole-program"]), left);
    // Without definitions they may do anything.
    project.write_database(&[("take.c", "")]);
    assert_eq!(all_findings(&project, &[]), Vec::<String>::new());
}

const APP_C: &str = "void get(int *p); void on_error(void); int sensor(void); int *slot(void);\n\
    extern const int limit;\n\
    int f1(void) { int x = 0; get(&x); if (x) return 1; return 0; }\n\
    int f2(int c) { if (c) { on_error(); return 1; } return 0; }\n\
    int f3(void) { int *p = slot(); int v = *p; if (!p) return 1; return v; }\n\
    int f4(int c) { if (c > 3) { int k = sensor(); return 10 / k; } return 0; }\n";

const MOCK_C: &str = "#include <stdlib.h>\n\
    void get(int *p) { (void)p; }\n\
    void on_error(void) { abort(); }\n\
    int sensor(void) { return 0; }\n\
    int *slot(void) { return 0; }\n\
    int own(int c) { if (c > 3) { int k = sensor(); return 10 / k; } return 0; }\n";

const REAL_CPP: &str = "extern \"C\" { int val = 1; void get(int *p) { *p = 1; } void on_error(void) {} \
    int sensor(void) { return 5; } int *slot(void) { return &val; } }\n";

/// A definition may be one of several if there are units that were not read.
#[test]
fn a_mock_is_one_of_several_definitions_if_units_were_not_read() {
    let files = [("app.c", APP_C), ("mock.c", MOCK_C), ("real.cpp", REAL_CPP), ("real.S", ".globl get\n")];
    let project = Project::new(&files);
    // If all units were read, the mocks are the definitions.
    project.write_database(&[("app.c", ""), ("mock.c", "")]);
    let app = |finding: &&String| finding.starts_with("app.c");
    assert!(all_findings(&project, &[]).iter().filter(app).count() >= 3);
    // No definition elsewhere can change this.
    let in_its_own_unit = ["app.c:5 checked-too-late", "mock.c:3 fatal-branch", "mock.c:6 fatal-branch"];
    for others in [("real.cpp", ""), ("real.S", ""), ("missing.c", ""), ("real.c", "")] {
        project.write_database(&[("app.c", ""), ("mock.c", ""), others]);
        project.write("real.c", b"\x7fELF\0\0");
        assert_eq!(all_findings(&project, &[]), in_its_own_unit, "{others:?}");
        assert_eq!(all_findings(&project, &["--whole-program"]), in_its_own_unit, "{others:?}");
    }
    // Units that were not named were not read either.
    project.write("real.c", REAL_CPP.replace("extern \"C\" {", "").replace("; } }", "; }").as_bytes());
    project.write_database(&[("app.c", ""), ("mock.c", ""), ("real.c", "")]);
    assert_eq!(all_findings(&project, &["app.c", "mock.c"]), in_its_own_unit);
}

/// Objects that the linker collects in a section are used by other units.
#[test]
fn objects_of_sections_are_known_across_units() {
    let defines = "int level __attribute__((section(\"vars\")));\nint plain;\n";
    let uses = "extern int level, plain, __start_vars[];\n\
        int f(int v) { level = 0; __start_vars[0] = v; if (level) return 0; return 1; }\n\
        extern int table[];\n\
        int g(int i) { plain = 0; table[i] = 1; if (plain) return 0; return 1; }\n";
    let tables = "int table[10];\n";
    let project = Project::new(&[("defines.c", defines), ("uses.c", uses), ("tables.c", tables)]);
    project.write_database(&[("defines.c", ""), ("uses.c", "")]);
    assert_eq!(all_findings(&project, &[]), Vec::<String>::new());
    // A unit defines the table, so it is not the linker's.
    project.write_database(&[("defines.c", ""), ("uses.c", ""), ("tables.c", "")]);
    assert_eq!(all_findings(&project, &[]), ["uses.c:4 contradictory-condition"]);
    assert_eq!(all_findings(&project, &["--whole-program"]), ["uses.c:4 contradictory-condition"]);
}

/// It has the library's name and type, but another unit of the program defines it.
#[test]
fn a_definition_in_the_program_replaces_the_library() {
    let user = "#include <unistd.h>\n#include <string.h>\nextern int rings;\n\
        int ring(void) {\n rings = 0;\n unlink(\"bell\");\n if (rings) return 1;\n return 0;\n}\n\
        int text(const char *s) {\n size_t n = strlen(s);\n if (!s) return 1;\n return (int)n;\n}\n";
    let own = "int rings;\nint unlink(const char *name) { rings++; return name ? 0 : 1; }\n";
    let project = Project::new(&[("user.c", user), ("own.c", own)]);
    project.write_database(&[("user.c", "")]);
    let of_library = ["user.c:7 contradictory-condition", "user.c:12 checked-too-late"];
    assert_eq!(all_findings(&project, &[]), of_library);
    project.write_database(&[("user.c", ""), ("own.c", "")]);
    // A function that the program does not define is the library's.
    for _ in 0..2 {
        assert_eq!(all_findings(&project, &["--cache-dir", "cache"]), of_library[1..]);
    }
    let summaries = project.run(&["summary", "ring", "-p", "."]);
    assert!(summaries.out.contains("writes rings"), "{}", summaries.out);
    // It need not be defined in C.
    let alias = "int rings;\nint mine(const char *name) { rings++; return name ? 0 : 1; }\n\
                 int unlink(const char *name) __attribute__((alias(\"mine\")));\n";
    let assembly = "int rings;\n__asm__(\".globl unlink\\nunlink: incl rings(%rip)\\n ret\\n\");\n";
    for other in [alias, assembly] {
        project.write("own.c", other.as_bytes());
        assert_eq!(all_findings(&project, &[]), of_library[1..], "{other}");
    }
}
