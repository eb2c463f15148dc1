//! What clang knows arrives in Rust unchanged: types, casts, constants, layouts, attributes, comments, errors.

mod common;

use common::{dump, labelled, node, parse, parse_with};
use gainsay_frontend::clang::ast::{AttrKind, CastKind, DeclId, Expr, Stmt, Type, TypeId, Unit};
use gainsay_frontend::clang::{self, ClangError};
use gainsay_ir::types::FloatKind;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn function(unit: &Unit, name: &str) -> DeclId {
    unit.functions().find(|&id| unit.name(id) == name).unwrap_or_else(|| panic!("no function {name}"))
}

fn global(unit: &Unit, name: &str) -> DeclId {
    unit.globals().find(|&id| unit.name(id) == name).unwrap_or_else(|| panic!("no variable {name}"))
}

fn names(unit: &Unit, ids: impl Iterator<Item = DeclId>) -> Vec<&str> {
    ids.map(|id| unit.name(id)).collect()
}

fn global_type(unit: &Unit, name: &str) -> TypeId {
    unit.decl_type(global(unit, name))
}

#[test]
fn types_are_canonical_and_exact() {
    let unit = parse(
        "typedef unsigned long size; typedef size again;\n\
         again a; char c; signed char sc; _Bool b; short s; __int128 wide; _BitInt(37) odd; float f; long double ld;\n\
         int *p; const volatile int cv; int arr[3][4]; int (*fp)(int, ...); int (*old)(); enum e { A = -1 } en;\n\
         _Atomic int at; double _Complex cx; int v4 __attribute__((vector_size(16)));\n",
    );
    let ty = |name: &str| unit.ty(global_type(&unit, name));
    assert_eq!(ty("a"), Type::Int { bits: 64, signed: false, is_char: false });
    assert_eq!(unit.spelling(global_type(&unit, "a")), "unsigned long");
    assert_eq!(ty("c"), Type::Int { bits: 8, signed: true, is_char: true });
    assert_eq!(ty("sc"), Type::Int { bits: 8, signed: true, is_char: true });
    assert_eq!(ty("b"), Type::Bool);
    assert_eq!(ty("s"), Type::Int { bits: 16, signed: true, is_char: false });
    assert_eq!(ty("wide"), Type::Int { bits: 128, signed: true, is_char: false });
    assert_eq!(ty("odd"), Type::Int { bits: 37, signed: true, is_char: false });
    assert_eq!(unit.size_of(global_type(&unit, "odd")), Some(8));
    assert_eq!(ty("f"), Type::Float(FloatKind::F32));
    assert_eq!(ty("ld"), Type::Float(FloatKind::F80));
    assert!(unit.is_const(global_type(&unit, "cv")) && unit.is_volatile(global_type(&unit, "cv")));
    let Type::Array { elem, count: 3 } = ty("arr") else { panic!("{:?}", ty("arr")) };
    assert!(matches!(unit.ty(elem), Type::Array { count: 4, .. }));
    assert_eq!(unit.size_of(global_type(&unit, "arr")), Some(48));
    let Type::Pointer(target) = ty("fp") else { panic!("{:?}", ty("fp")) };
    let Type::Function { params, variadic: true, has_prototype: true, .. } = unit.ty(target) else {
        panic!()
    };
    assert_eq!(params.len(), 1);
    let Type::Pointer(target) = ty("old") else { panic!("{:?}", ty("old")) };
    assert!(matches!(unit.ty(target), Type::Function { has_prototype: false, .. }));
    let Type::Enum { underlying: Some(int) } = ty("en") else { panic!("{:?}", ty("en")) };
    assert!(unit.is_signed(int) && unit.is_signed(global_type(&unit, "en")));
    assert!(matches!(ty("at"), Type::Atomic(_)));
    assert!(matches!(ty("cx"), Type::Complex(_)));
    assert!(matches!(ty("v4"), Type::Vector { count: 4, .. }));
    assert_eq!(unit.target.pointer_bits, 64);
}

#[test]
fn a_record_may_name_itself_through_a_typedef_first_met_as_pointer() {
    let unit = parse("typedef struct n n; n *head; struct n { n *next, *prev; int v; };");
    let Type::Pointer(record_ty) = unit.ty(global_type(&unit, "head")) else { panic!("head is a pointer") };
    let Type::Record(record) = unit.ty(record_ty) else { panic!("head points to a record") };
    let types: Vec<&str> = unit.members(record).iter().map(|&f| unit.spelling(unit.field(f).ty)).collect();
    assert_eq!(types, ["struct n *", "struct n *", "int"]);
}

#[test]
fn may_alias_survives_typedefs_and_pointers() {
    let unit = parse(
        "typedef int any __attribute__((may_alias)); any *p; int *q;\n\
         typedef struct s loose __attribute__((may_alias)); struct s { loose *next; int v; } chain;\n\
         int f(void) { return *p + chain.next->v; }",
    );
    let pointee = |ty: TypeId| match unit.ty(ty) {
        Type::Pointer(target) => target,
        other => panic!("{other:?}"),
    };
    let loose = pointee(global_type(&unit, "p"));
    assert!(unit.may_alias(loose) && matches!(unit.ty(loose), Type::Int { bits: 32, .. }));
    assert!(!unit.may_alias(pointee(global_type(&unit, "q"))));
    assert!(unit.may_alias(unit.type_of(node(&unit, "Deref"))));
    let Type::Record(record) = unit.ty(global_type(&unit, "chain")) else { panic!() };
    let next = pointee(unit.field(unit.members(record)[0]).ty);
    assert!(unit.may_alias(next));
    assert_eq!(unit.size_of(next), Some(16));
    assert!(!unit.may_alias(global_type(&unit, "chain")));
}

#[test]
fn variable_arrays_lead_to_their_size() {
    let unit = parse(
        "int f(int n, int a[n + 1][n]) { int v[n * 2]; typedef char t[n]; t w; return sizeof v + sizeof w; }",
    );
    let f = function(&unit, "f");
    let Type::VariableArray { elem, count: Some(size) } = unit.ty(unit.type_before_decay(unit.members(f)[1]))
    else {
        panic!()
    };
    assert!(matches!(unit.expr(size), Expr::Binary { .. }));
    assert!(matches!(unit.ty(elem), Type::VariableArray { count: Some(_), .. }));
    let Stmt::Compound(statements) = unit.stmt(unit.init(f).unwrap()) else { panic!() };
    let Stmt::Decl(&[v]) = unit.stmt(statements[0]) else { panic!() };
    let Type::VariableArray { count: Some(size), .. } = unit.ty(unit.decl_type(v)) else { panic!() };
    assert!(matches!(unit.expr(size), Expr::Binary { .. }));
    assert_eq!(unit.size_of(unit.decl_type(v)), None);
}

#[test]
fn implicit_casts_are_nodes_with_kinds() {
    let unit = parse("double g(float); int f(char c, int *p, unsigned u) { if (p) u = c; return g(c) + u; }");
    let text = dump(&unit, "f");
    for cast in
        ["IntegralCast", "LValueToRValue", "IntegralToFloating", "FloatingToIntegral", "FunctionToPointer"]
    {
        assert!(text.contains(&format!("Cast {cast}")), "{cast} in {text}");
    }
    let casts = labelled(&unit, "f");
    assert!(casts.iter().all(|(name, _)| name != "Other"), "{casts:?}");
    let unit = parse("long f(void *p) { return (long)p; }");
    let cast = unit.expr(node(&unit, "PointerToIntegral"));
    assert!(matches!(cast, Expr::Cast { kind: CastKind::PointerToIntegral, explicit: true, .. }));
}

/// `static T x = EXPRESSION;` evaluated by clang.
fn constant(ty: &str, expression: &str) -> Option<i128> {
    let unit = parse(format!(
        "struct s {{ char c; int i; unsigned b : 3; }}; enum e {{ A = 5, B = -7 }}; typedef __SIZE_TYPE__ size;\n\
         int x; {ty} g = {expression};"
    ));
    unit.constant(unit.init(global(&unit, "g")).unwrap()).map(|bits| bits as i128)
}

#[test]
fn integer_constants_are_folded() {
    for (ty, expression, value) in [
        ("int", "1 + 2 * 3", 7),
        ("int", "-1", -1),
        ("unsigned", "-1", 0xffff_ffff),
        ("unsigned long", "-1", 0xffff_ffff_ffff_ffff),
        ("char", "200", -56),
        ("int", "'\\xff'", -1),
        ("int", "B", -7),
        ("size", "sizeof(struct s)", 12),
        ("size", "__builtin_offsetof(struct s, i)", 4),
        ("int", "A > 3 ? 10 : 20", 10),
        ("int", "(int)2.75", 2),
        ("int", "1.5 < 2", 1),
        ("int", "1 && 0", 0),
        ("int", "__builtin_constant_p(3)", 1),
        ("int", "__builtin_types_compatible_p(int, long)", 0),
        ("int", "_Generic(1L, int: 1, long: 2)", 2),
        ("int", "__builtin_choose_expr(0, 1, 2)", 2),
        ("unsigned", "1u << 31", 0x8000_0000),
        ("__int128", "(__int128)1 << 100", 1 << 100),
        ("__int128", "-((__int128)1 << 100)", -(1 << 100)),
        ("_Bool", "17", 1),
    ] {
        assert_eq!(constant(ty, expression), Some(value), "{expression}");
    }
}

#[test]
fn undefined_or_unknown_values_are_not_folded() {
    for expression in ["1 / 0", "2147483647 + 1", "1 << 32", "1 << -1", "-2147483648 % 0"] {
        assert_eq!(constant("int", expression), None, "{expression}");
    }
    let unit = parse("int f(int x) { return __builtin_constant_p(x); }");
    assert_eq!(unit.constant(node(&unit, "call")), None);
    // Branches on constants stay branches.
    let unit = parse("int f(int x) { return 0 && x; }");
    assert_eq!(unit.constant(node(&unit, "LogicalAnd")), None);
}

#[test]
fn float_constants_are_exact() {
    let value = |ty: &str, expression: &str| {
        let unit = parse(format!("{ty} g = {expression};"));
        unit.float_constant(unit.init(global(&unit, "g")).unwrap())
    };
    assert_eq!(value("double", "0.1 + 0.2"), Some(0.1 + 0.2));
    assert_eq!(value("float", "0.1f"), Some(f64::from(0.1f32)));
    assert_eq!(value("double", "1"), Some(1.0));
    assert_eq!(value("double", "-__builtin_inf()"), Some(f64::NEG_INFINITY));
    assert!(value("double", "__builtin_nan(\"\")").is_some_and(f64::is_nan));
    assert_eq!(value("long double", "1.5L"), Some(1.5));
    assert_eq!(value("long double", "0.1L"), None, "no double has this value");
}

#[test]
fn long_chains_cost_no_square() {
    let sum = vec!["1"; 50_000].join("+");
    let text = format!("int g = {sum}; int f(int x) {{ return {}; }}", vec!["x"; 50_000].join("+"));
    let started = std::time::Instant::now();
    let unit = parse(text);
    assert_eq!(unit.constant(unit.init(global(&unit, "g")).unwrap()), Some(50_000));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!(dump(&unit, "f").lines().count() > 100_000);
}

#[test]
fn layouts_have_bit_offsets() {
    let unit = parse(
        "struct s { char c; unsigned a : 3; int b : 7; long l; struct { short in; }; union { int i; char ch[6]; } u; } g;\n\
         struct __attribute__((packed)) p { char c; int i; } packed; struct flex { int n; char tail[]; } *fl;",
    );
    let record = |name: &str| match unit.ty(global_type(&unit, name)) {
        Type::Record(record) => record,
        other => panic!("{other:?}"),
    };
    let fields = |record| -> Vec<(&str, u64, Option<u64>)> {
        let fields = unit.members(record).iter().map(|&field| unit.field(field));
        fields.map(|field| (field.name, field.bit_offset, field.bit_width)).collect()
    };
    assert_eq!(
        fields(record("g")),
        [
            ("c", 0, None),
            ("a", 8, Some(3)),
            ("b", 11, Some(7)),
            ("l", 64, None),
            ("", 128, None),
            ("u", 160, None)
        ]
    );
    assert_eq!(unit.size_of(global_type(&unit, "g")), Some(32));
    assert_eq!(fields(record("packed")), [("c", 0, None), ("i", 8, None)]);
    let u = unit.field(unit.members(record("g"))[5]);
    let Type::Record(union) = unit.ty(u.ty) else { panic!() };
    assert!(unit.is_union(union) && !unit.is_union(record("g")));
    assert_eq!(fields(union), [("i", 0, None), ("ch", 0, None)]);
}

#[test]
fn attributes_arrive_with_their_arguments() {
    let unit = parse(
        "void *grab(int, unsigned long) __attribute__((malloc, alloc_size(2), returns_nonnull, warn_unused_result));\n\
         void say(int, const char *, ...) __attribute__((format(printf, 2, 3), nonnull(2)));\n\
         void die(void) __attribute__((noreturn)); _Noreturn void quit(void); extern int weak __attribute__((weak));\n\
         int renamed(void) __asm__(\"other\"); void done(int *);\n\
         int f(int unused __attribute__((unused))) {\n\
           int local __attribute__((cleanup(done))) = 0;\n\
           say(1, \"\"); grab(1, 2); if (weak) die(); quit(); return renamed(); }",
    );
    let f = function(&unit, "f");
    let called: BTreeMap<String, DeclId> = labelled(&unit, "f")
        .into_iter()
        .filter_map(|(name, id)| match unit.expr(id) {
            Expr::DeclRef(decl) => Some((name, decl)),
            _ => None,
        })
        .collect();
    let args = |name: &str, kind| -> Option<Vec<u32>> {
        unit.attrs(called[name]).find(|attr| attr.kind == kind).map(|attr| attr.args.to_vec())
    };
    assert_eq!(args("grab", AttrKind::Malloc), Some(vec![]));
    assert_eq!(args("grab", AttrKind::AllocSize), Some(vec![1]));
    assert_eq!(args("grab", AttrKind::ReturnsNonNull), Some(vec![]));
    assert_eq!(args("say", AttrKind::NonNull), Some(vec![1]));
    assert_eq!(args("say", AttrKind::Format).map(|args| args[1..].to_vec()), Some(vec![2, 3]));
    assert!(
        unit.is_noreturn(called["die"])
            && unit.is_noreturn(called["quit"])
            && !unit.is_noreturn(called["say"])
    );
    assert!(unit.is_noreturn_type(unit.decl_type(called["die"])));
    assert!(unit.has_attr(called["weak"], AttrKind::Weak));
    let label =
        unit.attrs(called["renamed"]).find(|attr| attr.kind == AttrKind::AsmLabel).map(|attr| attr.text);
    assert_eq!(label, Some("other"));
    assert!(unit.has_attr(unit.members(f)[0], AttrKind::Unused));
    let Stmt::Compound(statements) = unit.stmt(unit.init(f).unwrap()) else { panic!() };
    let Stmt::Decl(&[local]) = unit.stmt(statements[0]) else { panic!() };
    let cleanup: Vec<u32> = unit
        .attrs(local)
        .filter(|attr| attr.kind == AttrKind::Cleanup)
        .flat_map(|attr| attr.args.to_vec())
        .collect();
    assert_eq!(cleanup.len(), 1);
}

#[test]
fn comments_that_speak_are_kept() {
    let text = "/*@ requires x > 0; */\nint f(int x) {\n  //@ assert x;\n  // ordinary\n  return x; // NOLINT\n  /* gainsay-ignore: known */\n}\n#if 0\n/*@ inactive */\n#endif\n//@ caf\u{e9}\n";
    let mut latin1 = text.as_bytes().to_vec();
    latin1.extend(b"//@ na\xefve\n");
    let unit = parse(latin1);
    let comments = unit.comments();
    let texts: Vec<&str> = comments.iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "/*@ requires x > 0; */",
            "//@ assert x;",
            "// NOLINT",
            "/* gainsay-ignore: known */",
            "//@ caf\u{e9}",
            "//@ na\u{fffd}ve"
        ]
    );
    let place = unit.source_map.place(comments[1].begin).unwrap();
    assert_eq!((place.line, place.column), (3, 3));
}

#[test]
fn an_error_costs_its_function_only() {
    let unit = parse(
        "int good(int x) { return x; }\nint bad(int x) { return nowhere + x; }\nint also(int x) { return x + 1; }\n",
    );
    assert!(!unit.has_errors_inside(function(&unit, "good")));
    assert!(unit.has_errors_inside(function(&unit, "bad")));
    assert!(!unit.has_errors_inside(function(&unit, "also")));
    assert!(!unit.degraded);
    assert!(unit.diagnostics()[0].message.contains("nowhere"));
    assert_eq!(unit.source_map.place(unit.diagnostics()[0].at).unwrap().line, 2);
}

#[test]
fn an_error_outside_functions_degrades_the_unit() {
    for text in [
        "unknown_t g;\nint f(int x) { return x; }",
        "#include \"missing.h\"\nint f(int x) { return x; }",
        "struct s { unknown_t m; };\nint f(int x) { return x; }",
        "int f(unknown_t x) { return 1; }",
    ] {
        let unit = parse(text);
        assert!(unit.degraded, "{text}");
    }
    let unit = parse("#include \"missing.h\"\nint f(int x) { return x; }");
    assert!(!unit.is_invalid(function(&unit, "f")));
}

#[test]
fn errors_in_included_bodies_and_macros_find_their_function() {
    let source = "#define BAD nowhere\nint in_macro(void) { return BAD; }\nint fine(void) { return 1; }\n\
                  int in_file(int x) {\n  switch (x) {\n#include \"cases.inc\"\n  }\n  return 0;\n}\n";
    let unit = parse_with(source, &[("cases.inc", "case 1: return nowhere;\n")], &[]);
    assert!(unit.has_errors_inside(function(&unit, "in_macro")));
    assert!(unit.has_errors_inside(function(&unit, "in_file")));
    assert!(!unit.has_errors_inside(function(&unit, "fine")));
    assert!(!unit.degraded);
}

#[test]
fn helpers_of_headers_come_on_demand() {
    let header = "static inline int deep(int x) { return x; }\nstatic inline int used(int x) { return deep(x); }\n\
                  static inline int unused(int x) { return x; }\nint plain(int x) { return x; }\n\
                  extern int declared; extern int referred; static const int table[2] = { 1, 2 };\n";
    let unit =
        parse_with("#include \"h.h\"\nint f(int x) { return used(x) + referred; }", &[("h.h", header)], &[]);
    let mut functions = names(&unit, unit.functions());
    functions.sort_unstable();
    assert_eq!(functions, ["deep", "f", "plain", "used"]);
    let mut globals = names(&unit, unit.globals());
    globals.sort_unstable();
    assert_eq!(globals, ["referred", "table"]);
    assert!(unit.is_defined(global(&unit, "table")) && !unit.is_defined(global(&unit, "referred")));
}

#[test]
fn redeclarations_are_one_thing() {
    let unit = parse(
        "extern int a[]; int a[5]; int f(int); int f(x) int x; { extern int a[]; return a[x] + f(1); }",
    );
    assert_eq!(names(&unit, unit.globals()), ["a"]);
    assert!(matches!(unit.ty(global_type(&unit, "a")), Type::Array { count: 5, .. }));
    assert_eq!(unit.functions().count(), 1);
}

#[test]
fn strict_aliasing_is_what_the_command_says() {
    let strict = |flags: &[&str]| parse_with("int x;", &[], flags).strict_aliasing;
    assert!(strict(&[]));
    assert!(!strict(&["-fno-strict-aliasing"]));
    assert!(strict(&["-fno-strict-aliasing", "-fstrict-aliasing"]));
    assert!(!strict(&["-fstrict-aliasing", "-fno-strict-aliasing"]));
}

#[test]
fn other_targets_have_their_own_sizes() {
    let unit = parse_with("long l; void *p;", &[], &["-m32"]);
    assert_eq!((unit.target.pointer_bits, unit.size_of(global_type(&unit, "l"))), (32, Some(4)));
    let unit = parse_with("long l;", &[], &["--target=powerpc64-linux-gnu"]);
    assert!(unit.target.big_endian);
}

#[test]
fn what_cannot_be_parsed_is_said_in_a_sentence() {
    let failure = |file: &str| match clang::parse(&common::arguments(&[], file), Path::new("/")) {
        Ok(_) => panic!("{file} was parsed"),
        Err(error) => error,
    };
    assert!(matches!(failure("/nowhere/at-all.c"), ClangError::Arguments(_) | ClangError::Input(_)));
    assert!(failure("/nowhere/at-all.c").to_string().contains("/nowhere/at-all.c"));
    assert!(
        matches!(failure("/tmp"), ClangError::Arguments(_) | ClangError::Input(_)),
        "{:?}",
        failure("/tmp")
    );
    assert_eq!(failure("a\0b.c"), ClangError::Nul);
    assert!(clang::version().split('.').count() >= 2);
}

#[test]
fn hostile_sources_do_no_harm() {
    let deep = 100_000;
    for text in [
        String::new(),
        "\0\u{1}\u{2}garbage".to_owned(),
        format!("int f(int x) {{ return {}x{}; }}", "(".repeat(deep), ")".repeat(deep)),
        format!("int f(int x) {{ return x{}; }}", "+x".repeat(deep)),
        format!("int f(int x) {{ {} }}", "{".repeat(deep)),
        format!("int f(int x) {{ {} ; }}", "if (x) ; else ".repeat(5_000)),
        format!("char *s = \"{}\";", "a".repeat(5 << 20)),
    ] {
        let started = std::time::Instant::now();
        let unit = parse(text);
        let mut out = String::new();
        gainsay_frontend::clang::dump::dump(&unit, None, &mut out);
        assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    }
}

/// Our node name for clang's class name.
fn our_name(class: &str) -> Option<&'static str> {
    Some(match class {
        "ImplicitCastExpr" | "CStyleCastExpr" => "Cast",
        "DeclRefExpr" => "DeclRef",
        "BinaryOperator" => "Binary",
        "UnaryOperator" => "Unary",
        "CompoundAssignOperator" => "CompoundAssign",
        "ConditionalOperator" => "Conditional",
        "IntegerLiteral" => "IntLiteral",
        "CharacterLiteral" => "CharLiteral",
        "FloatingLiteral" => "FloatLiteral",
        "ImaginaryLiteral" => "ImaginaryLiteral",
        "StringLiteral" => "StringLiteral",
        "ParenExpr" => "Paren",
        "CallExpr" => "Call",
        "MemberExpr" => "Member",
        "ArraySubscriptExpr" => "Index",
        "InitListExpr" => "InitList",
        "CompoundLiteralExpr" => "CompoundLiteral",
        "ConstantExpr" => "Constant",
        "StmtExpr" => "StmtExpr",
        "VAArgExpr" => "VaArg",
        "AddrLabelExpr" => "AddrLabel",
        "UnaryExprOrTypeTraitExpr" => "SizeOf",
        "OffsetOfExpr" => "OffsetOf",
        "CompoundStmt" => "Compound",
        "DeclStmt" => "DeclStmt",
        "IfStmt" => "If",
        "ForStmt" => "For",
        "WhileStmt" => "While",
        "DoStmt" => "Do",
        "SwitchStmt" => "Switch",
        "CaseStmt" => "Case",
        "DefaultStmt" => "Default",
        "LabelStmt" => "Label",
        "GotoStmt" => "Goto",
        "IndirectGotoStmt" => "IndirectGoto",
        "BreakStmt" => "Break",
        "ContinueStmt" => "Continue",
        "ReturnStmt" => "Return",
        "NullStmt" => "Null",
        "GCCAsmStmt" => "Asm",
        "AttributedStmt" => "Attributed",
        _ => return None,
    })
}

fn count<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line).or_insert(0) += 1;
    }
    counts
}

/// The class names in clang's dump, except those below a field: the exporter emits the width of a bit-field, not its
/// tree.
fn without_field_widths(dump: &str) -> impl Iterator<Item = &str> {
    let mut field_depth = usize::MAX;
    dump.lines().filter_map(move |line| {
        let class = line.trim_start_matches(['|', '-', '`', ' ']);
        let depth = line.len() - class.len();
        if depth > field_depth {
            return None;
        }
        let class = class.split(' ').next()?;
        field_depth = if class == "FieldDecl" { depth } else { usize::MAX };
        Some(class)
    })
}

/// Needs the clang program of the linked version, which `cargo xtask test` installs.
#[test]
fn node_counts_equal_those_of_clang() {
    let program = format!("clang-{}", clang::version().split('.').next().unwrap());
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for file in ["statements.c", "expressions.c"] {
        let output = Command::new(&program)
            .args(["-fsyntax-only", "-w", "-Xclang", "-ast-dump", "-fno-color-diagnostics", file])
            .current_dir(&directory)
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}; `cargo xtask test` installs it"));
        let theirs = String::from_utf8(output.stdout).unwrap();
        let theirs = count(without_field_widths(&theirs).filter_map(our_name));
        let unit = common::parse_file(&directory, file, &[]);
        assert_eq!(unit.diagnostics(), [], "{file}");
        let mut ours = String::new();
        gainsay_frontend::clang::dump::dump(&unit, None, &mut ours);
        let ours = count(ours.lines().filter_map(|line| {
            let word = line.trim_start().split([' ', ':']).next()?;
            theirs.keys().copied().find(|name| *name == word)
        }));
        assert_eq!(ours, theirs, "{file}");
    }
}
