//! The models that gainsay brings along can be read for every target, and mistakes in models are reported.

use gainsay_ir::models::Models;
use gainsay_ir::types::Target;

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
