//! Origin of tokens: which macros they came through, from the definition or as arguments, and where a reader finds
//! them. Noise classes and displayed positions depend on it.

mod common;

use common::{node, parse, parse_with};
use gainsay_frontend::clang::ast::Unit;
use gainsay_ir::source_map::{Place, token_end};

struct Case {
    name: &'static str,
    source: &'static str,
    /// Label of the node in function `f` whose position is tested.
    label: &'static str,
    /// Innermost first. `arg X`: passed as an argument of X. `X!`: X is defined in a system header.
    macros: &'static str,
    in_definition: bool,
    /// line:column of the displayed position, of the use of the outermost macro, and of the spelling.
    place: &'static str,
    expansion: &'static str,
    spelling: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "no macro at all",
        source: "int f(int x) { return x < 3; }",
        label: "Lt",
        macros: "",
        in_definition: false,
        place: "1:25",
        expansion: "1:25",
        spelling: "1:25",
    },
    Case {
        name: "condition in the definition",
        source: "#define SMALL(v) ((v) < 3)\nint f(int x) {\n  if (SMALL(x)) return 1;\n  return 0;\n}",
        label: "Lt",
        macros: "SMALL",
        in_definition: true,
        place: "3:7",
        expansion: "3:7",
        spelling: "1:23",
    },
    Case {
        name: "condition as argument",
        source: "#define CHECK(c) if (c) return 1\nint f(int x) {\n  CHECK(x < 3);\n  return 0;\n}",
        label: "Lt",
        macros: "arg CHECK",
        in_definition: false,
        place: "3:11",
        expansion: "3:3",
        spelling: "3:11",
    },
    Case {
        name: "the if around a condition passed as argument",
        source: "#define CHECK(c) if (c) return 1\nint f(int x) {\n  CHECK(x < 3);\n  return 0;\n}",
        label: "if",
        macros: "CHECK",
        in_definition: true,
        place: "3:3",
        expansion: "3:3",
        spelling: "1:18",
    },
    Case {
        name: "nested macros: argument through two levels",
        source: "#define INNER(c) if (c) return 1\n#define OUTER(c) INNER(c)\nint f(int x) { OUTER(x < 3); return 0; }",
        label: "Lt",
        macros: "arg INNER < arg OUTER",
        in_definition: false,
        place: "3:24",
        expansion: "3:16",
        spelling: "3:24",
    },
    Case {
        name: "nested macros: argument of one, written in the definition of the other",
        source: "#define INNER(c) if (c) return 1\n#define OUTER(v) INNER((v) < 3)\nint f(int x) { OUTER(x); return 0; }",
        label: "Lt",
        macros: "arg INNER < OUTER",
        in_definition: true,
        place: "3:16",
        expansion: "3:16",
        spelling: "2:28",
    },
    Case {
        name: "nested macros: definition within definition",
        source: "#define INNER(v) ((v) < 3)\n#define OUTER(v) if (INNER(v)) return 1\nint f(int x) { OUTER(x); return 0; }",
        label: "Lt",
        macros: "INNER < OUTER",
        in_definition: true,
        place: "3:16",
        expansion: "3:16",
        spelling: "1:23",
    },
    Case {
        name: "OUTER(VAL): an argument that is itself a macro",
        source: "#define VAL 42\n#define OUTER(v) ((v) + 1)\nint f(int x) { return OUTER(x - VAL); }",
        label: "42",
        macros: "VAL < arg OUTER",
        in_definition: true,
        place: "3:33",
        expansion: "3:23",
        spelling: "1:13",
    },
    Case {
        name: "OUTER(VAL) inside a third macro, which is named once and last",
        source: "#define VAL 42\n#define OUTER(v) ((v) + 1)\n#define WRAP(x) OUTER((x) - VAL)\n\
                 int f(int x) { return WRAP(x); }",
        label: "42",
        macros: "VAL < arg OUTER < WRAP",
        in_definition: true,
        place: "4:23",
        expansion: "4:23",
        spelling: "1:13",
    },
    Case {
        name: "a macro passed through two levels",
        source: "#define VAL 42\n#define OUTER(v) ((v) + 1)\n#define WRAP(x) OUTER(x)\nint f(void) { return WRAP(VAL); }",
        label: "42",
        macros: "VAL < arg OUTER < arg WRAP",
        in_definition: true,
        place: "4:27",
        expansion: "4:22",
        spelling: "1:13",
    },
    Case {
        name: "macro-generated loop: its condition",
        source: "struct l { struct l *next; };\n#define list_for_each(p, h) for (p = (h)->next; p != (h); p = p->next)\n\
                 int f(struct l *h) {\n  struct l *p; int n = 0;\n  list_for_each(p, h)\n    n++;\n  return n;\n}",
        label: "Ne",
        macros: "list_for_each",
        in_definition: true,
        place: "5:3",
        expansion: "5:3",
        spelling: "2:51",
    },
    Case {
        name: "macro-generated loop: its body is the user's",
        source: "struct l { struct l *next; };\n#define list_for_each(p, h) for (p = (h)->next; p != (h); p = p->next)\n\
                 int f(struct l *h) {\n  struct l *p; int n = 0;\n  list_for_each(p, h)\n    n++;\n  return n;\n}",
        label: "PostInc",
        macros: "",
        in_definition: false,
        place: "6:6",
        expansion: "6:6",
        spelling: "6:6",
    },
    Case {
        name: "token pasting belongs to the macro around it",
        source: "int ab;\n#define PASTE(x, y) x##y\nint f(void) { return PASTE(a, b); }",
        label: "ab",
        macros: "PASTE",
        in_definition: true,
        place: "3:22",
        expansion: "3:22",
        spelling: "none",
    },
    Case {
        name: "pasting in an inner macro",
        source: "int ab;\n#define PASTE(x, y) x##y\n#define BOTH(y) PASTE(a, y)\nint f(void) { return BOTH(b); }",
        label: "ab",
        macros: "PASTE < BOTH",
        in_definition: true,
        place: "4:22",
        expansion: "4:22",
        spelling: "none",
    },
    Case {
        name: "a pasted name that is a macro again",
        source: "#define VAL1 7\n#define PICK(n) VAL##n\nint f(void) { return PICK(1); }",
        label: "7",
        macros: "VAL1 < PICK",
        in_definition: true,
        place: "3:22",
        expansion: "3:22",
        spelling: "1:14",
    },
    Case {
        name: "stringizing",
        source: "int puts(const char *);\n#define SHOW(e) puts(#e)\nint f(int x) { return SHOW(x < 3); }",
        label: "\"x < 3\"",
        macros: "SHOW",
        in_definition: true,
        place: "3:23",
        expansion: "3:23",
        spelling: "none",
    },
    Case {
        name: "variadic argument",
        source: "int g(int, int);\n#define CALL(fn, ...) fn(__VA_ARGS__)\nint f(int x) { return CALL(g, 5, x < 3); }",
        label: "Lt",
        macros: "arg CALL",
        in_definition: false,
        place: "3:36",
        expansion: "3:23",
        spelling: "3:36",
    },
    Case {
        name: "assert: the condition is the user's, in a macro of a system header",
        source: "#include <assert.h>\nint f(int x) {\n  assert(x < 3);\n  return x;\n}",
        label: "Lt",
        macros: "arg assert!",
        in_definition: false,
        place: "3:12",
        expansion: "3:3",
        spelling: "3:12",
    },
    Case {
        name: "a macro of a system header",
        source: "#include <sys.h>\nint f(int x) {\n  return TOP(x);\n}",
        label: "BitAnd",
        macros: "LOW! < TOP!",
        in_definition: true,
        place: "3:10",
        expansion: "3:10",
        spelling: "1:21",
    },
    Case {
        name: "a built-in macro",
        source: "int f(void) {\n  return __LINE__;\n}",
        label: "2",
        macros: "__LINE__",
        in_definition: true,
        place: "2:10",
        expansion: "2:10",
        spelling: "none",
    },
    Case {
        name: "a macro of the command line",
        source: "int f(void) { return GIVEN; }",
        label: "99",
        macros: "GIVEN",
        in_definition: true,
        place: "1:22",
        expansion: "1:22",
        spelling: "1:15",
    },
];

const SYSTEM_HEADER: &str = "#define LOW(v) ((v) & 7)\n#define TOP(v) LOW(v)\n";

fn unit(source: &str) -> Unit {
    parse_with(source, &[("system/sys.h", SYSTEM_HEADER)], &["-isystem", "system", "-DGIVEN=99"])
}

fn text(place: Option<Place<'_>>) -> String {
    place.map_or("none".to_owned(), |place| format!("{}:{}", place.line, place.column))
}

#[test]
fn every_token_knows_its_macros() {
    for case in CASES {
        let unit = unit(case.source);
        let map = &unit.source_map;
        let at = unit.span(node(&unit, case.label)).at;
        let steps: Vec<String> = map
            .macros(at)
            .iter()
            .map(|step| {
                let argument = if step.argument { "arg " } else { "" };
                format!("{argument}{}{}", step.name, if step.system { "!" } else { "" })
            })
            .collect();
        assert_eq!(steps.join(" < "), case.macros, "{}", case.name);
        assert_eq!(map.is_in_macro_definition(at), case.in_definition, "{}", case.name);
        assert_eq!(text(map.place(at)), case.place, "place: {}", case.name);
        assert_eq!(text(map.expansion_place(at)), case.expansion, "expansion: {}", case.name);
        assert_eq!(text(map.spelling_place(at)), case.spelling, "spelling: {}", case.name);
    }
}

#[test]
fn a_step_says_where_the_macro_is_defined_and_used() {
    let unit = unit("#define LIMIT 3\n#define SMALL(v) ((v) < LIMIT)\nint f(int x) {\n  return SMALL(x);\n}");
    let steps = unit.source_map.macros(unit.span(node(&unit, "3")).at);
    let shown: Vec<_> = steps
        .iter()
        .map(|step| (step.name, step.function_like, text(step.definition), text(step.used_at)))
        .collect();
    assert_eq!(
        shown,
        [
            ("LIMIT", false, "1:9".to_owned(), "2:25".to_owned()),
            ("SMALL", true, "2:9".to_owned(), "4:10".to_owned())
        ]
    );
}

#[test]
fn ranges_reach_to_the_end_of_the_last_token() {
    for (source, label, shown) in [
        ("int f(int x) { return x + 100; }", "Add", "x + 100"),
        ("int f(int xyz) { return 1 < xyz; }", "Lt", "1 < xyz"),
        ("#define SMALL(v) ((v) < 3)\nint f(int x) { return SMALL(x) + 1; }", "Lt", "SMALL(x)"),
        ("#define SMALL(v) ((v) < 3)\nint f(int x) { return SMALL(x) + 17; }", "Add", "SMALL(x) + 17"),
        ("#define CHECK(c) if (c) return 1\nint f(int x) { CHECK(x <= 33); return 0; }", "Le", "x <= 33"),
        ("#define MAX 10\nint f(int x) { return x + MAX; }", "Add", "x + MAX"),
        ("int g(int); int f(int x) { return g( x ) ; }", "call", "g( x )"),
        ("int f(int *p) { return p [ 2 ]; }", "[]", "p [ 2 ]"),
        ("int f(int x) { if (x) { x = 1; } return x; }", "if", "if (x) { x = 1; }"),
    ] {
        let unit = parse(source);
        let (begin, end) = unit.source_map.range(unit.span(node(&unit, label))).expect("a range");
        let end = token_end(source.as_bytes(), end.text.offset as usize);
        assert_eq!(&source[begin.text.offset as usize..end], shown);
    }
}

#[test]
fn line_directives_name_the_file_the_user_wrote() {
    let source = "int before;\n#line 40 \"gram.y\"\nint f(int x) {\n  return x < 3;\n}\n#line 7 \"t.c\"\nint g(int x) { return x < 3; }\n";
    let unit = parse(source);
    let place = unit.source_map.place(unit.span(node(&unit, "Lt")).at).expect("a place");
    assert_eq!((place.file, place.line, place.column), ("gram.y", 41, 12));
    assert_eq!((place.text.file, place.text.line), ("t.c", 4));
    let (_, id) =
        common::labelled(&unit, "g").into_iter().find(|(label, _)| label == "Lt").expect("the comparison");
    let place = unit.source_map.place(unit.span(id).at).expect("a place");
    assert_eq!((place.file, place.line), ("t.c", 7));
}

#[test]
fn markers_of_preprocessed_text_tell_system_headers() {
    let source = "# 1 \"/usr/include/sys.h\" 1 3 4\nstatic int sys(int x) { return x; }\n# 2 \"user.c\" 2\nint f(int x) { return sys(x) < 3; }\n";
    let unit = parse(source);
    let system = |name: &str| {
        let id = unit.functions().find(|&id| unit.name(id) == name).expect("exported");
        (unit.is_system(id), unit.source_map.place(unit.decl_span(id).at).expect("a place").in_system_header)
    };
    assert_eq!(system("sys"), (true, true));
    assert_eq!(system("f"), (false, false));
}

#[test]
fn a_header_included_twice_has_two_histories() {
    let header = "int CAT(g, N)(int x) { return x < N; }\n";
    let source = "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define N 1\n#include \"h.h\"\n#undef N\n#define N 2\n#include \"h.h\"\n";
    let unit = parse_with(source, &[("h.h", header)], &[]);
    for (function, literal, definition) in [("g1", "1", "3:9"), ("g2", "2", "6:9")] {
        let nodes = common::labelled(&unit, function);
        let (_, id) = nodes.iter().find(|(label, _)| label == literal).expect("the literal");
        let steps = unit.source_map.macros(unit.span(*id).at);
        assert_eq!(text(steps[0].definition), definition);
        let place = unit.source_map.place(unit.span(*id).at).expect("a place");
        assert_eq!((place.file, place.line, place.column), ("./h.h", 1, 35));
    }
}
