//! Code for which nothing may be reported, whatever the summaries contain.

use crate::facts::{
    any, field, freeing, giving, global, int, keeping, leaving, nonnull, pure, ranging, writing,
};
use crate::{findings, then_test};
use gainsay_ir::gc::ClassData;
use gainsay_ir::types::Type;
use gainsay_program::summary::{Base, ResultFacts, Returns, Summary};

fn silent(body: &str, summaries: &[(&str, Summary)]) {
    assert_eq!(findings(body, summaries), [], "{body}");
}

/// Whether the place is written, at the latest by the first of the calls.
fn changes(store: &str, calls: &str, load: &str, summaries: &[(&str, Summary)]) {
    let code = format!("  store i32 {store}, 5i32 !1\n{calls}  t = load i32 {load} !9\n");
    silent(&then_test(&code, "t != 5i32"), summaries);
}

const CALL: &str = "  call @f(p, q) !2\n";

#[test]
fn arguments_may_be_aliases() {
    changes("#r.x@0/i32 p", CALL, "#r.x@0/i32 p", &[("f", writing(Base::Param(1), field("x", 0)))]);
    // A record with the same initial members.
    let other = ClassData {
        field: field("x", 0).field.map(|f| gainsay_ir::gc::Field { record: "s".into(), ..f }),
        ..int()
    };
    changes("#r.x@0/i32 p", CALL, "#r.x@0/i32 p", &[("f", writing(Base::Param(1), other))]);
}

#[test]
fn a_global_is_changed_through_a_pointer() {
    changes("#i32 @g", CALL, "#i32 @g", &[("f", writing(Base::Param(0), int()))]);
    changes("#i32 p", CALL, "#i32 p", &[("f", writing(global(None, "g"), int()))]);
}

#[test]
fn a_kept_pointer_is_written_through_later() {
    let calls = "  call @f(&a, q) !2\n  call @unknown() !3\n";
    changes("#i32 &a", calls, "#i32 &a", &[("f", keeping())]);
    let calls = "  call @f(&a, q) !2\n  call @f(p, q) !3\n";
    let keeps = Summary { writes: writing(Base::Param(0), int()).writes, ..keeping() };
    changes("#i32 &a +p 8i64", calls, "#i32 &a +p 8i64", &[("f", keeps)]);
    // The result keeps the pointer.
    let calls = "  r = call @id(&a) !2\n  store i32 #i32 r, 6i32 !3\n";
    changes("#i32 &a", calls, "#i32 &a", &[("id", keeping())]);
    let same = giving(ResultFacts { equals: Some(0), ..ResultFacts::default() });
    let calls = "  r = call @id(&a) !2\n  r = r +p sext64(x) !3\n  store i32 #i32 r, 6i32 !3\n";
    changes("#i32 &a", calls, "#i32 &a", &[("id", same)]);
}

#[test]
fn a_freed_argument_may_still_be_there() {
    let code = "  assert null p != null !1\n  call @f(p, q) !2\n  assert access valid(p, 1i64) !3\n  assert free freeable(p) !4\n  free p !4\n";
    silent(&then_test(code, "x == 0i32"), &[("f", freeing())]);
    // Its replacement is another block.
    let code = "  store i32 #i32 p, 5i32 !1\n  call @f(p, q) !2\n  r = call @id(q) !3\n  assume r == p !3\n  t = load i32 #i32 r !4\n";
    silent(&then_test(code, "t != 5i32"), &[("f", freeing()), ("id", pure())]);
}

#[test]
fn characters_unions_and_copies_write_anything() {
    changes("#r.x@0/i32 p", CALL, "#r.x@0/i32 p", &[("f", writing(Base::Param(0), any()))]);
    changes("#r.x@0/i32 p", CALL, "#r.x@0/i32 p", &[("f", writing(Base::Anywhere, any()))]);
    changes(
        "#r.x@0/i32 @record",
        CALL,
        "#r.x@0/i32 @record",
        &[("f", writing(global(None, "record"), any()))],
    );
    // Read with any type, written as another type.
    let long = ClassData { ty: Some(Type::Int(64)), field: None };
    changes("#any p", CALL, "#any p", &[("f", writing(Base::Param(0), long))]);
}

#[test]
fn the_middle_of_an_object_is_the_object() {
    let calls = "  call @f(&a +p 8i64, &a +p 4i64) !2\n";
    changes("#i32 &a", calls, "#i32 &a", &[("f", writing(Base::Param(1), int()))]);
    changes("#i32 &a +p 4i64", calls, "#i32 &a +p 4i64", &[("f", writing(Base::Param(0), int()))]);
    changes(
        "#i32 @record +p 4i64",
        "  call @f(@record, q) !2\n",
        "#i32 @record +p 4i64",
        &[("f", writing(Base::Param(0), int()))],
    );
}

#[test]
fn volatile_memory_changes_by_itself() {
    changes("#i32 volatile @g", CALL, "#i32 volatile @g", &[("f", pure())]);
}

#[test]
fn unretained_memory_is_written_during_the_call() {
    let calls = "  call @f(&a, q) !2\n";
    for writes in [None, writing(Base::Anywhere, any()).writes, writing(Base::Param(0), int()).writes] {
        changes("#i32 &a", calls, "#i32 &a", &[("f", Summary { writes, ..pure() })]);
    }
}

#[test]
fn a_global_of_another_unit_may_be_known_by_its_address() {
    changes("#i32 p", CALL, "#i32 p", &[("f", writing(global(Some("u.c"), "own"), int()))]);
}

#[test]
fn a_callee_that_exits_does_not_fail() {
    let before = |call: &str, test: &str, other: &str| {
        format!(
            "  goto b1, b2\nb1: [if true 0]\n  assume {test} !3\n  store i32 #i32 @g, 1i32 !4\n  goto b3\n\
             b2: [if false 0]\n  assume {other} !3\n  goto b3\nb3:\n  {call} !7\n  return 0i32\n"
        )
    };
    silent(&before("call @stop(x)", "x == 3i32", "x != 3i32"), &[("stop", leaving(Returns::Maybe, 3))]);
    let never = Summary { returns: Returns::Never { in_error: false }, ..nonnull(Returns::Maybe) };
    silent(&before("call @f(p, q)", "p == null", "p != null"), &[("f", never)]);
}

#[test]
fn an_argument_that_the_result_replaces() {
    let body = then_test("  x = call @map(x) !2\n", "x == 3i32");
    silent(&body, &[("map", leaving(Returns::Maybe, 3))]);
    silent(&body, &[("map", leaving(Returns::Surely, 3))]);
}

#[test]
fn results_at_the_ends_of_their_range() {
    let body = |condition: &str| then_test("  t = call @get() !2\n", condition);
    silent(&body("t == 7i32"), &[("get", ranging(-7, 7))]);
    silent(&body("t == -7i32"), &[("get", ranging(-7, 7))]);
    silent(&body("t <s 0i32"), &[("get", ranging(-7, 7))]);
    silent(&then_test("  r = call @id(p) !2\n", "r == null"), &[("id", pure())]);
}

#[test]
fn weak_functions_may_be_replaced() {
    let body = then_test("  call @replaced(p) !2\n", "p == null");
    silent(&body, &[("replaced", nonnull(Returns::Surely))]);
    changes("#i32 @g", "  call @replaced(p) !2\n", "#i32 @g", &[("replaced", pure())]);
}

#[test]
fn later_iterations_write_through_earlier_pointers() {
    let around = |call: &str| {
        format!(
            "  r = p !1\n  goto b1\nb1:\n  goto b2, b3\nb2: [loop-entry true 0]\n  assume x != 0i32 !2\n{call}  x = x - 1i32 !4\n  goto b1\n\
             b3: [loop-entry false 0]\n  assume x == 0i32 !2\n"
        )
    };
    let through = writing(Base::Param(0), int());
    changes("#i32 &a", &around("  call @f(r, q) !3\n  r = &a !3\n"), "#i32 &a", &[("f", through.clone())]);
    changes("#i32 @g", &around("  call @f(r, q) !3\n  r = @g !3\n"), "#i32 @g", &[("f", through)]);
    changes("#i32 &a", &around("  call @f(&a, q) !3\n"), "#i32 &a", &[("f", writing(Base::Param(0), any()))]);
    changes(
        "#i32 &a",
        &around("  call @f(&a, q) !3\n  call @unknown() !3\n"),
        "#i32 &a",
        &[("f", keeping())],
    );
}
