//! Code with compile errors: functions that depend on something that clang made up are given up one by one, and all others
//! are analysed.

use crate::project::Project;
use serde_json::Value;

/// A function with a finding, next to the rest of the unit.
const OTHER: &str = "int other(int *p) { int v = *p; if (!p) return 1; return v; }\n";

fn check(text: &str) -> Value {
    Project::new(&[("x.c", text)]).check(&["x.c"]).1
}

/// Names and reasons.
fn given_up(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = report["coverage"]["functions_given_up"].as_array().unwrap();
    list.iter().map(|gone| (text(&gone["function"]), text(&gone["reason"]))).collect()
}

fn finders(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|one| one["function"].as_str().unwrap()).collect()
}

/// `use` is given up for that reason, and only it.
fn costs_use(before: &str, body: &str, reason: &str) {
    let text = format!("{before}\n{OTHER}{body}\n");
    let report = check(&text);
    assert_eq!(given_up(&report), [("use".to_owned(), reason.to_owned())], "{text}");
    assert_eq!(finders(&report), ["other"], "{text}");
}

#[test]
fn one_use_of_a_broken_declaration_costs_one_function() {
    let bad = "clang makes no sense of `bad`";
    let declared = "int bad(int a, unk_t x);";
    costs_use(declared, "int use(int *p) { return bad(*p, 0) - 1; }", bad);
    costs_use(&format!("{declared} typedef int (*fn)(int, int);"), "fn use(void) { return (fn) bad; }", bad);
    let thing = "clang makes no sense of `thing`";
    costs_use("enum e (*q)(int); extern unk_t thing;", "int use(int *p) { return (int)(long)thing; }", thing);
    costs_use("extern unk_t thing;", "int use(int *p) { return sizeof thing + thing[*p].x; }", thing);
    costs_use("extern unk_t thing;", "int use(int *p) { for (;;) { if (*p) *p += thing; } }", thing);
}

/// clang uses `int` for an unknown type and does not report where.
#[test]
fn made_up_types_are_not_trusted() {
    let of = |name: &str| format!("clang reports an error in the declaration of `{name}`");
    let typed = "typedef unk_t my_t; struct t { my_t a; int b; }; enum { A = MISSING + 1, B };";
    costs_use(typed, "int use(my_t x) { return x > 0x7fffffffL; }", &of("use"));
    costs_use(typed, "int use(long n) { my_t x = n; if (x != n) return 1; return 0; }", &of("x"));
    costs_use(typed, "int use(struct t *t) { return t->b; }", &of("b"));
    costs_use(typed, "int use(int n) { if (n == B && n != 1) return 1; return 0; }", &of("B"));
    costs_use(
        "static int limit = MISSING;",
        "int use(void) { if (limit) return 1; return 0; }",
        &of("limit"),
    );
    costs_use("int table[] = { MISSING };", "int use(int n) { return table[n]; }", &of("table"));
    costs_use("struct s { int a : MISSING; };", "int use(struct s *s) { return s->a == 5; }", &of("a"));
    costs_use(
        "typedef struct { unk_t x; } S; typedef S T; T g;",
        "int use(void) { T *p = &g; return p != 0; }",
        &of("g"),
    );
    costs_use("int f(int) __attribute__((nonnull(MISSING)));", "int use(int n) { return f(n); }", &of("f"));
    let record = "struct s { unk_t a; int b; };";
    costs_use(
        record,
        "int use(unsigned n) { if (n < sizeof(struct s)) return n > 0; return 2; }",
        &of("struct s"),
    );
    costs_use(record, "void *use(struct s *s) { return s + 1; }", &of("struct s"));
    costs_use(record, "void use(struct s *a, struct s *b) { *a = *b; }", &of("struct s"));
}

/// An undeclared function may be a macro of the missing header.
#[test]
fn an_undeclared_function_may_be_a_macro() {
    let body = "int use(int *p) { int v; GET(p, v); if (v) return 1; return 0; }";
    costs_use("#include \"missing.h\"", body, "`GET` is not declared");
    // In a unit that compiles, as with gcc, it is a function.
    let report = check(&format!("{OTHER}int use(int *p) {{ return get(p); }}\n"));
    assert_eq!((given_up(&report), finders(&report)), (vec![], vec!["other"]));
}

/// A definition that clang could not read may write static objects.
#[test]
fn unread_definitions_may_write_statics() {
    for hidden in ["EXPORT int set(void) { flag = 1; return 0; }", "DEFINE(set, int, x) { flag = x; }"] {
        let text =
            format!("static int flag; {hidden}\nint get(void) {{ if (flag) return 1; return 0; }}\n{OTHER}");
        let report = check(&text);
        assert_eq!(finders(&report), ["other"], "{text}");
        let hidden = report["hidden"].to_string();
        assert!(!hidden.contains("\"get\""), "{text}: {hidden}");
    }
}

/// Pointers to records that are broken, or only declared, may be passed around.
#[test]
fn functions_without_broken_types_are_analysed() {
    let text = format!(
        "#include \"missing.h\"\nstruct s {{ unk_t a; int b; }}; struct s *get(struct s *); void put(struct s *);\n{OTHER}\
         int user(struct s *s) {{ struct s *t = get(s); put(t); if (!t) return 1; return 0; }}\n\
         int deep(int *p) {{ return other(p) + user(0); }}\n"
    );
    let report = check(&text);
    assert_eq!((given_up(&report), finders(&report)), (vec![], vec!["other"]));
}

/// Assignments to parts of a vector are lvalues that are not modelled.
#[test]
fn parts_of_vectors_do_not_recurse() {
    let report = check(&format!(
        "typedef float f4 __attribute__((ext_vector_type(4))); typedef float f2 __attribute__((ext_vector_type(2)));\n\
         {OTHER}f4 use(f4 a, f2 b) {{ a.xy = b; a.zw = a.xy; return a; }}\n"
    ));
    assert_eq!((given_up(&report), finders(&report)), (vec![], vec!["other"]));
}
