//! Which function a name denotes, with models and flags, tested by the impossible edges of one unit.

use crate::project::Project;

fn edges(text: &str, flags: &[&str]) -> String {
    let project = Project::new(&[("t.c", text)]);
    let ran = project.run(&[&["edges", "t.c", "--"], flags].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    ran.out
}

/// The program defines it in assembly of the same unit.
#[test]
fn assembly_of_the_unit_replaces_the_library() {
    let assembly = "int rings;\n__asm__(\".globl unlink\\nunlink: incl rings(%rip)\\n ret\\n\");\n";
    let one_unit = [
        "#include <unistd.h>\n",
        assembly,
        "int f(void) { rings = 0; unlink(\"\"); if (rings) return 1; return 0; }\n",
    ];
    assert_eq!(edges(&one_unit.concat(), &[]), "");
}

#[test]
fn only_the_library_has_models() {
    let late = |declaration: &str, call: &str| {
        format!(
            "{declaration}\nint f(const char *s) {{ long n = (long){call}; if (!s) return 1; return (int)n; }}\n"
        )
    };
    let is_late = |text: &str, flags: &[&str]| !edges(text, flags).is_empty();
    let header = late("#include <string.h>", "strlen(s)");
    let by_hand = late("extern unsigned long strlen(const char *);", "strlen(s)");
    let other_type = late("extern int strlen(const char *, int);", "strlen(s, 1)");
    let other_name = late("extern int atoi(const char *);", "atoi(s)");
    let built_in = late("", "__builtin_strlen(s)");
    let own = late("unsigned long strlen(const char *s) { return s ? *s : 0; }", "strlen(s)");
    assert!(is_late(&header, &[]));
    assert!(is_late(&by_hand, &[]), "clang knows it with this type");
    assert!(!is_late(&other_type, &[]));
    assert!(!is_late(&other_name, &[]), "only the user says that it is the library's");
    assert!(!is_late(&own, &[]));
    for absent in ["-ffreestanding", "-fno-builtin", "-fno-builtin-strlen"] {
        assert!(!is_late(&by_hand, &[absent]), "{absent}");
        assert!(is_late(&built_in, &[absent]), "{absent}");
    }
    // The header's own attributes apply in any case.
    assert!(is_late(&header, &["-fno-builtin"]));
    let system =
        "#include <unistd.h>\nextern int g;\nint f(int d) { g = 0; close(d); if (g) return 1; return 0; }\n";
    for (flags, is_modelled) in [
        (&[][..], true),
        (&["-fno-builtin"], true),
        (&["-fno-builtin-close"], true),
        (&["-ffreestanding"], false),
        (&["-ffreestanding", "-fhosted"], true),
    ] {
        assert_eq!(!edges(system, flags).is_empty(), is_modelled, "{flags:?}");
    }
}

/// A header of another system, found by -isystem, that declares something else.
#[test]
fn models_need_the_type_that_they_are_about() {
    let text =
        "#include <sock.h>\nint f(void) { struct s x = { 0 }; bind(&x); if (x.v) return 1; return 0; }\n";
    let header = "struct s { int v; };\nvoid bind(struct s *);\n";
    let project = Project::new(&[("t.c", text), ("sys/sock.h", header)]);
    let ran = project.run(&["edges", "t.c", "--", "-isystem", "sys"]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 0), "{}", ran.err);
}

#[test]
fn null_may_be_an_address() {
    let text = "#include <string.h>\n__attribute__((nonnull)) int take(int *);\n\
        int late(int *p) { int v = *p; if (!p) return 1; return v; }\n\
        int fatal(int *p) { if (!p) return *p; return 0; }\n\
        int called(int (*f)(void)) { if (!f) return f(); return 0; }\n\
        int given(int *p) { if (!p) return take(p); return 0; }\n\
        int text(const char *s) { if (!s) return (int)strlen(s); return 0; }\n\
        int copied(char *d, char *s) { if (!d) { memcpy(d, s, 4); return 1; } return 0; }\n";
    let zero = "int zero(int n) { if (n == 0) return 10 / n; return 0; }\n";
    let all = [text, zero].concat();
    assert_eq!(edges(&all, &[]).lines().count(), 7);
    assert_eq!(
        edges(&all, &["-fno-delete-null-pointer-checks", "-fdelete-null-pointer-checks"]).lines().count(),
        7
    );
    let valid = edges(&all, &["-fno-delete-null-pointer-checks"]);
    assert_eq!(valid, "t.c:9:25: zero: if true is impossible\n");
}

#[test]
fn imports_make_a_unit_part_of_its_program() {
    let caller =
        "int x;\nint g(void);\nint f(void) {\n  x = 0;\n  g();\n  if (x)\n    return 1;\n  return 0;\n}\n";
    let project = Project::new(&[("a.c", caller), ("b.c", "int g(void) { return 1; }\n")]);
    std::fs::create_dir(project.path().join("imports")).unwrap();
    let written = project.run(&["imports", "--directory", "imports", "a.c", "b.c"]);
    assert_eq!((written.code, written.out.as_str(), written.err.as_str()), (0, "", ""));
    assert_eq!(project.run(&["edges", "a.c"]).out, "");
    let linked = project.run(&["edges", "--imports", "imports", "a.c"]).out;
    assert_eq!(linked, "a.c:6:7: f: if true is impossible\n");
}
