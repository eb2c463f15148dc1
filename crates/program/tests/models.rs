//! The models that gainsay brings along can be read for every target, and mistakes in models are reported.

use gainsay_ir::gc::FunctionFacts;
use gainsay_ir::types::{Target, Type};
use gainsay_program::models::Models;

fn target(pointer_bits: u16) -> Target {
    Target { pointer_bits, big_endian: false, null_is_valid: false }
}

#[test]
fn the_library_can_be_read() {
    for bits in [16, 32, 64] {
        let models = Models::library(target(bits)).unwrap_or_else(|error| panic!("{error}"));
        assert!(models.names().count() > 600, "{}", models.names().count());
        for name in
            ["malloc", "__builtin_memcpy", "__builtin___memcpy_chk", "exit", "abort", "strlen", "read"]
        {
            assert!(models.is_known(name), "{name}");
        }
        assert!(!models.is_known("main"));
    }
}

/// A program's own function of that name is declared in another way, as a rule.
#[test]
fn all_lines_have_a_prototype() {
    let models = Models::library(target(64)).unwrap();
    let without: Vec<&str> = models.without_prototype().filter(|name| !name.starts_with('_')).collect();
    assert_eq!(without, Vec::<&str>::new());
}

#[test]
fn models_are_about_the_library() {
    let models = Models::library(target(64)).unwrap();
    let declared = |params: &[Type], result: Option<Type>| FunctionFacts {
        params: params.to_vec(),
        result,
        library: true,
        ..FunctionFacts::default()
    };
    let (int, ptr) = (Type::Int(32), Type::Ptr);
    let link = declared(&[ptr, ptr], Some(int));
    assert!(models.is_meant("link", &link));
    assert!(!models.is_meant("link", &FunctionFacts { library: false, ..link.clone() }));
    for other in [declared(&[ptr, ptr], None), declared(&[ptr], Some(int)), declared(&[ptr, int], Some(int))]
    {
        assert!(!models.is_meant("link", &other), "{other:?}");
    }
    assert!(!models.is_meant("link", &declared(&[ptr, ptr, ptr], Some(int))));
    // Without a prototype nothing is known of the parameters.
    let old = FunctionFacts { variadic: true, ..declared(&[], Some(int)) };
    assert!(models.is_meant("link", &old));
    assert!(!models.is_meant("link", &FunctionFacts { result: None, ..old }));
    // Whatever the width is: off_t, time_t.
    assert!(models.is_meant("lseek", &declared(&[int, Type::Int(64), int], Some(Type::Int(64)))));
    assert!(models.is_meant("__builtin_strlen", &declared(&[ptr], Some(Type::Int(64)))));
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let wrong = [
        ("\nreads @f\nreads errno @f\n", "m:3:14: `f` has two models"),
        ("sings @f\n", "m:1:1: `sings` does not begin a model"),
        ("reads loudly @f\n", "m:1:7: unknown attribute `loudly`"),
        ("reads nonnull(64) @f\n", "m:1:17: only the first 64 arguments can be named"),
        ("reads gives(luck) @f\n", "m:1:13: unknown result `luck`"),
        ("returns writes(0) @f\n", "m:1:9: only `reads` can say what is written and given"),
        ("reads errno\n", "m:1:12: expected `@`"),
        ("prototype (luck) @f\n", "m:1:12: expected `int`, `ptr` or `float`"),
        ("prototype () @f\nprototype (int) @f\n", "m:2:18: `f` has two prototypes"),
        ("like @f @g\n", "m:1:7: `f` has no model above"),
        ("reads @f, @g\n", "m:1:9: expected `@`"),
        (
            "\n\nfunc @f(n: word) {\nb0:\n  n = 1word\n  return\n}\n",
            "m:3:1: a model may not assign its parameters",
        ),
        ("func @f() {\nb0:\n  goto b1\nb1:\n  return\n}\n", "m:1:1: a model has one block"),
        ("func @f() {\nb0:\n  raise\n}\n", "m:1:1: a model ends in return and has no objects"),
        (
            "reads @g\nfunc @f() -> ptr {\nb0:\n  return 1word\n}\n",
            "m:2:1: b0: the returned value is i64, not ptr",
        ),
        ("reads @g\nfunc @f() {\nb0:\n  oops\n  return\n}\n", "m:4:3: there is no variable `oops`"),
        ("func @f() {\nb0:\n", "m:3:1: the function is not closed by `}`"),
    ];
    for (text, message) in wrong {
        let error = Models::default().add("m", text, target(64)).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}
