//! Contradictions that only a summary of the callee reveals.

use crate::facts::{field, giving, global, int, keeping, leaving, nonnull, pure, ranging, writing};
use crate::{found, then_test};
use gainsay_program::summary::{Base, ResultFacts, Returns, Summary};

/// Asserts that nothing is found without the summary, and this with it.
fn only_with(name: &str, summary: Summary, body: &str, expected: &str) {
    assert_eq!(found(body, &[]), [""; 0], "{body}");
    assert_eq!(found(body, &[(name, summary)]), [expected], "{body}");
}

#[test]
fn a_global_that_the_callee_does_not_write() {
    let body = then_test(
        "  store i32 #i32 @g, 5i32 !1\n  call @f(p, q) !2\n  t = load i32 #i32 @g !3\n",
        "t != 5i32",
    );
    let expected = "contradictory-condition 20: `t != 5` cannot hold here: what comes before excludes it; 1: `g` is set to `5` here; 3: `t` is set to `g` here";
    only_with("f", pure(), &body, expected);
    only_with("f", writing(global(Some("t.c"), "own"), int()), &body, expected);
}

#[test]
fn another_field_than_the_written_one() {
    let body = then_test(
        "  store i32 #r.x@0/i32 p, 0i32 !1\n  call @f(p, q) !2\n  t = load i32 #r.x@0/i32 p !3\n",
        "t != 0i32",
    );
    let summary = writing(Base::Param(0), field("y", 4));
    let expected = "contradictory-condition 20: `t != 0` cannot hold here: what comes before excludes it; 1: `p->x` is set to `0` here; 3: `t` is set to `p->x` here";
    only_with("f", summary, &body, expected);
}

#[test]
fn a_local_whose_address_is_not_retained() {
    let body = then_test(
        "  store i32 #i32 &a, 1i32 !1\n  call @f(&a, q) !2\n  call @unknown() !3\n  t = load i32 #i32 &a !4\n",
        "t != 1i32",
    );
    let expected = "contradictory-condition 20: `t != 1` cannot hold here: what comes before excludes it; 1: `a` is set to `1` here; 4: `t` is set to `a` here";
    only_with("f", pure(), &body, expected);
    assert_eq!(found(&body, &[("f", keeping())]), [""; 0]);
}

#[test]
fn a_test_after_a_callee_that_fails_on_null() {
    let body = then_test("  call @f(p, q) !7\n", "p == null");
    only_with(
        "f",
        nonnull(Returns::Surely),
        &body,
        "checked-too-late 20: `p` cannot be NULL here: `p` was already passed to `f`, which fails if it is NULL at line 7; 7: `f` fails if its first argument is NULL, so `p` is not NULL",
    );
}

#[test]
fn a_branch_that_leads_to_a_failing_call() {
    let body = "  goto b1, b2\nb1: [if true 0]\n  assume p == null !3\n  call @unknown() !4\n  goto b3\n\
                b2: [if false 0]\n  assume p != null !3\n  goto b3\nb3:\n  call @f(p, q) !7\n  return 0i32\n";
    // `unknown` may exit; but if it returns, the next call fails.
    let known = |summary| [("f", summary), ("unknown", pure())];
    assert_eq!(found(body, &[("unknown", pure())]), [""; 0]);
    assert_eq!(
        found(body, &known(nonnull(Returns::Surely))),
        [
            "fatal-branch 3: whenever `p` is NULL here, `p` is NULL, and `f` fails if its first argument is at line 7; 7: `p` is NULL, and `f` fails if its first argument is"
        ]
    );
    // With NULL it does not even exit.
    assert_eq!(found(body, &known(nonnull(Returns::Maybe))), found(body, &known(nonnull(Returns::Surely))));
}

#[test]
fn a_callee_that_returns_only_with_some_arguments() {
    let body = then_test("  call @stop(x) !7\n", "x == 3i32");
    only_with(
        "stop",
        leaving(Returns::Maybe, 3),
        &body,
        "contradictory-condition 20: `x == 3` cannot hold here: what comes before excludes it; 7: `stop` returns only if `x != 3`",
    );
    only_with(
        "stop",
        leaving(Returns::Surely, 3),
        &body,
        "checked-too-late 20: `x == 3` cannot hold here: `stop` was already called, which fails unless `x != 3` at line 7; 7: `stop` fails otherwise, so `x != 3` holds",
    );
    let body = then_test("  call @f(p, q) !7\n", "p == null");
    only_with(
        "f",
        nonnull(Returns::Maybe),
        &body,
        "checked-too-late 20: `p` cannot be NULL here: `p` was already passed to `f`, which fails if it is NULL at line 7; 7: `f` fails if its first argument is NULL, so `p` is not NULL",
    );
}

#[test]
fn results_out_of_range() {
    let body = then_test("  t = call @get() !7\n", "7i32 <s t");
    only_with(
        "get",
        ranging(0, 7),
        &body,
        "contradictory-condition 20: `t > 7` cannot hold here: what comes before excludes it; 7: `get` returns only values from 0 to 7",
    );
    only_with(
        "get",
        ranging(i128::MIN, 6),
        &body,
        "contradictory-condition 20: `t > 7` cannot hold here: what comes before excludes it; 7: `get` returns nothing above 6",
    );
    only_with(
        "get",
        ranging(-1, -1),
        &body,
        "contradictory-condition 20: `t > 7` cannot hold here: what comes before excludes it; 7: `get` returns only -1",
    );
    let body = then_test("  r = call @id(p) !7\n", "r == null");
    only_with(
        "id",
        giving(ResultFacts { nonnull: true, ..ResultFacts::default() }),
        &body,
        "contradictory-condition 20: `r` cannot be NULL here: what comes before excludes it; 7: `id` never returns NULL",
    );
}

#[test]
fn a_result_that_is_an_argument() {
    let body = then_test("  assert null p != null !6\n  r = call @id(p) !7\n", "r == null");
    only_with(
        "id",
        giving(ResultFacts { equals: Some(0), ..ResultFacts::default() }),
        &body,
        "checked-too-late 20: `r` cannot be NULL here: `p` was already dereferenced at line 6; 6: `p` is dereferenced here, so it is not NULL; 7: `r` is set to `p` here",
    );
}

#[test]
fn a_callee_that_never_returns() {
    let body = format!(
        "  goto b1, b2\nb1: [if true 0]\n  assume x == 3i32 !3\n  call @stop(x) !4\n  goto b3\n\
         b2: [if false 0]\n  assume x != 3i32 !3\n  goto b3\nb3:\n{}",
        then_test("", "x == 3i32")
    );
    let never = |in_error| Summary { returns: Returns::Never { in_error }, ..pure() };
    let expected = "contradictory-condition 20: `x == 3` cannot hold here: what comes before excludes it; 3: `x != 3` holds here";
    only_with("stop", never(false), &body, expected);
    only_with("stop", never(true), &body, expected);
}

#[test]
fn a_global_that_a_loop_of_calls_does_not_write() {
    let body = format!(
        "  store i32 #i32 @g, 5i32 !1\n  goto b1\nb1:\n  goto b2, b3\nb2: [loop-entry true 0]\n  assume x != 0i32 !2\n  call @f(p, q) !3\n\
         x = x - 1i32 !4\n  goto b1\nb3: [loop-entry false 0]\n  assume x == 0i32 !2\n{}",
        then_test("  t = load i32 #i32 @g !5\n", "t != 5i32")
    );
    let expected = "contradictory-condition 20: `t != 5` cannot hold here: what comes before excludes it; 1: `g` is set to `5` here; 5: `t` is set to `g` here";
    only_with(
        "f",
        writing(Base::Param(0), field("x", 0)),
        &body.replace("#i32 @g", "#r.y@4/i32 @g +p 4i64").replace("`g`", "`g.y`"),
        &expected.replace("`g`", "`g.y`"),
    );
    only_with("f", writing(global(None, "record"), int()), &body, expected);
}
