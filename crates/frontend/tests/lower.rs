//! Properties of lowering that are easy to break: effects that must be kept, and claims that must not be made.

mod common;

use common::{parse, parse_with};
use gainsay_frontend::clang::ast::Unit;
use gainsay_frontend::lower;
use gainsay_ir::{print, verify};

/// The guarded commands of the last function of the text.
fn lowered(unit: &Unit) -> String {
    let lowered = lower::lower(unit, &lower::Options::default());
    assert!(lowered.gave_up.is_empty(), "{:?}", lowered.gave_up);
    for function in &lowered.unit.functions {
        verify::verify(&lowered.unit, function).unwrap_or_else(|errors| panic!("{}", errors[0]));
    }
    print::function(&lowered.unit, lowered.unit.functions.last().expect("a function"))
}

fn gc(text: &str) -> String {
    lowered(&parse(text))
}

#[track_caller]
fn has(text: &str, part: &str) {
    let gc = gc(text);
    assert!(gc.contains(part), "`{part}` is missing in\n{gc}");
}

#[track_caller]
fn has_not(text: &str, part: &str) {
    let gc = gc(text);
    assert!(!gc.contains(part), "`{part}` must not be in\n{gc}");
}

#[test]
fn what_is_not_modelled_gets_the_pointers_it_is_given() {
    has(
        "int f(int *g) { int e = 0; __sync_bool_compare_and_swap(g, e, 1); return __sync_fetch_and_add(&e, 1); }",
        "(&e)",
    );
    has("void f(void) { int x = 0; __asm__ volatile(\"foo\" : : \"r\"(&x) : \"memory\"); }", "(&x)");
    has("int f(int *g) { int e = 0; return __atomic_compare_exchange_n(g, &e, 1, 0, 5, 5) + e; }", ", &e)");
}

#[test]
fn transparent_unions_carry_their_pointer() {
    let text = "typedef union { int *i; char *c; } u __attribute__((transparent_union)); void g(u);\
                int f(void) { int x = 0; g(&x); return x; }";
    has(text, ", &x");
    has_not(text, "unknown");
}

#[test]
fn looking_away_is_not_an_access() {
    has_not("int f(int *p) { int u; (void)u; (void)*p; *p; return 1; }", "assert");
    has_not("void *f(struct { int a; int b[4]; } *p) { return &p->b[4] - (&p->a == 0); }", "assert null");
    has_not("unsigned long f(int *p) { return sizeof *p + sizeof(__typeof__(*p)); }", "assert");
    has("int f(volatile int *p) { *p; return 1; }", "load i32 #i32 volatile");
}

#[test]
fn sizes_of_parameters_are_not_checked() {
    has_not("int f(int n, int a[n], int (*m)[n]) { return n; }", "assert");
    has("int f(int n) { int a[n]; return sizeof a; }", "assert vla-size");
}

#[test]
fn fields_meet_where_c_programs_let_them() {
    has("struct a { short k; int x; }; int f(struct a *p) { return p->x; }", "#a.x@4/i32");
    has(
        "struct __attribute__((may_alias)) a { short k; }; int f(void *p) { return ((struct a *)p)->k; }",
        "#any",
    );
    has("union u { struct { int a; } s; float f; }; int f(union u *p) { return p->s.a; }", "#any");
    has("struct a { unsigned x : 3, y : 9; }; int f(struct a *p) { return p->y; }", "#a.bits0@0/i32");
    let unit = parse_with("int f(int *p) { return *p; }", &[], &["-fno-strict-aliasing"]);
    assert!(lowered(&unit).contains("#any"));
}

#[test]
fn outcomes_are_those_of_the_condition_as_written() {
    let negated = gc("int f(int *p) { if (!p) return 1; return 2; }");
    assert!(negated.contains("[if true 0]\n  assume p == null"), "{negated}");
    let both = gc("int f(int a, int b) { if (!(a && b)) return 1; return 2; }");
    assert!(both.contains("[and true 0]\n  assume a != 0i32"), "{both}");
    assert!(both.contains("[if true 1]\n  assume b == 0i32"), "{both}");
}

#[test]
fn every_condition_remembers_its_origin() {
    let text = "int f(int a, int b) { if (a) b = 1; else if (b) b = 2; while (a < 9) a++; do a--; while (a);\
                switch (b) { case 1: a = 1; } switch (a) { default: b++; } return a || b ? a && b : a ?: b; }";
    let gc = gc(text);
    for part in [
        "[if true",
        "[else-if true",
        "[loop-entry true",
        "[loop-again true",
        "[switch case",
        "[switch missing-default",
        "[switch default",
        "[or true",
        "[and true",
        "[conditional false",
    ] {
        assert!(gc.contains(part), "{part} is missing in\n{gc}");
    }
}

#[test]
fn ends_say_how() {
    has("void exit(int) __attribute__((noreturn)); void f(void) { exit(1); }", "raise");
    has("void abort(void) __attribute__((noreturn)); void f(void) { abort(); }", "raise");
    has("void f(int x) { if (x) __builtin_unreachable(); }", "assert unreachable false");
    // `__builtin_unreachable` directly after a call states that the call does not return.
    has_not("void quit(int); void f(void) { quit(1); __builtin_unreachable(); }", "assert");
    has_not("static void __assert(int ok) { } void f(int x) { __assert(x); }", "assert ");
}

#[test]
fn unknown_stays_unknown() {
    has("int f(int n) { return __builtin_constant_p(n); }", "havoc");
    has(
        "int f(void) { volatile struct { int a; } *p = 0; __typeof__(*p) x = *p; return x.a; }",
        "load i32 #any volatile",
    );
    has_not("int f(void) { return \"abc\" == \"abc\"; }", "return 1i32");
    has("extern int w(int) __attribute__((weak)); int f(void) { return w ? w(1) : 0; }", "@w != null");
    has("static int w(int) __attribute__((weakref(\"t\"))); int f(void) { return w ? 1 : 0; }", "@w != null");
}

#[test]
fn setjmp_may_come_back_with_anything_changed() {
    let text = "typedef int jmp_buf[8]; int setjmp(jmp_buf) __attribute__((returns_twice)); jmp_buf b;\
                int f(int n) { int x = 1; if (setjmp(b)) return x; x = n; return 0; }";
    has(text, "havoc x");
}

#[test]
fn nothing_is_built_on_a_broken_declaration() {
    let unit = parse(
        "struct s { int a[-1]; int b; }; struct s x; int good(int n) { return n; } int bad(void) { return x.b; }",
    );
    let lowered = lower::lower(&unit, &lower::Options::default());
    let given_up: Vec<&str> = lowered.gave_up.iter().map(|gone| gone.name.as_str()).collect();
    assert_eq!((given_up, lowered.unit.functions.len()), (vec!["bad"], 1));
}

#[test]
fn cleanups_run_on_every_way_out() {
    let text = "void done(int *); int f(int n) { int x __attribute__((cleanup(done))) = n;\
                if (n == 1) return 5; if (n == 2) goto out; while (n) { int y __attribute__((cleanup(done))) = 1; if (y) break; } out: return 0; }";
    assert_eq!(gc(text).matches("call @done(").count(), 5);
}
