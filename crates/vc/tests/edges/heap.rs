//! What is impossible because memory is gone, and above all what is not: models applied, encoded, and asked.

use crate::impossible_edges;
use gainsay_ir::gc::Unit;
use gainsay_ir::parse;
use gainsay_program::apply_models;
use gainsay_program::apply_models::LibraryClasses;
use gainsay_program::models::Models;

const HEAD: &str = "target ptr64 little
object @global size 8 align 8 internal {}
function @malloc(i64) -> ptr external library
function @calloc(i64, i64) -> ptr external library
function @realloc(ptr, i64) -> ptr external library
function @free(ptr) external library
function @strchr(ptr, i32) -> ptr external library
function @errno() -> ptr external
function @unknown(ptr) external
func @f(p: ptr, q: ptr, n: i64, x: i32) -> i32 {
  tmp a: ptr
  tmp b: ptr
  tmp t: i32
  obj buf: 8 align 4
";

/// The numbers of the impossible edges among `b1` ... of the function.
fn impossible(body: &str) -> Vec<u32> {
    let mut unit: Unit = parse::unit(&format!("{HEAD}{body}}}\n")).unwrap_or_else(|error| panic!("{error}"));
    let models = Models::library(unit.target).unwrap();
    let classes = LibraryClasses::of(&mut unit);
    let applied = apply_models(&unit, &classes, &models, &unit.defined(), unit.functions[0].clone());
    impossible_edges(&unit, applied)
}

/// Straight-line code, and then edge 1 which is taken if anything is.
fn can_end(body: &str) -> bool {
    let text = format!("b0:\n{body}  goto b1\nb1: [if true 1]\n  assume true\n  return 0i32\n");
    impossible(&text).is_empty()
}

#[test]
fn freed_memory_is_gone() {
    assert!(!can_end("  call @free(p)\n  assert null p != null\n  assert access valid(p, 1i64)\n"));
    assert!(!can_end(
        "  call @free(p)\n  assert null p != null\n  assert access valid(p +p (n * 4i64), 4i64)\n"
    ));
    assert!(!can_end("  assume p != null\n  call @free(p)\n  call @free(p)\n"));
    assert!(!can_end("  call @free(&buf)\n"));
    assert!(!can_end("  call @free(@global)\n"));
    assert!(!can_end("  a = call @malloc(8i64)\n  call @free(a +p 4i64)\n"));
    assert!(!can_end(
        "  a = call @malloc(8i64)\n  assume a != null\n  call @unknown(a)\n  call @free(a)\n  call @free(a)\n"
    ));
}

#[test]
fn what_may_be_live_is_live() {
    // free(NULL), twice.
    assert!(can_end("  call @free(null)\n  call @free(p)\n  call @free(p)\n"));
    // A callee may free, or not.
    assert!(can_end("  call @unknown(p)\n  assert access valid(p, 1i64)\n  call @free(p)\n"));
    // A freed pointer may have the address of a fresh one.
    assert!(can_end(
        "  assume p != null\n  call @free(p)\n  a = call @malloc(4i64)\n  assume a == p\n  assert access valid(a, 4i64)\n"
    ));
    // Another pointer may be another block.
    assert!(can_end("  assume p != null\n  assume q != null\n  call @free(p)\n  call @free(q)\n"));
    // The block may start before the pointer.
    assert!(can_end("  call @free(p +p 18446744073709551608i64)\n"));
    assert!(can_end("  a = call @malloc(0i64)\n  assume a != null\n  call @free(a)\n"));
}

#[test]
fn sizes_of_blocks_are_known() {
    let made = "  a = call @malloc(8i64)\n  assert null a != null\n";
    assert!(can_end(&format!("{made}  assert access valid(a +p 4i64, 4i64)\n")));
    assert!(!can_end(&format!("{made}  assert access valid(a +p 8i64, 1i64)\n")));
    assert!(!can_end("  a = call @malloc(0i64)\n  assert null a != null\n  assert access valid(a, 1i64)\n"));
    assert!(can_end(
        "  a = call @malloc(n)\n  assert null a != null\n  assert access valid(a +p 800i64, 1i64)\n"
    ));
    assert!(can_end(
        "  a = call @calloc(n, n)\n  assert null a != null\n  assert access valid(a +p 800i64, 1i64)\n"
    ));
}

#[test]
fn an_allocation_may_fail() {
    let test = "  goto b1, b2\nb1: [if true 1]\n  assume a == null\n  return 0i32\n\
                b2: [if false 2]\n  assume a != null\n  return 1i32\n";
    assert!(impossible(&format!("b0:\n  a = call @malloc(n)\n{test}")).is_empty());
    assert_eq!(impossible(&format!("b0:\n  a = call @malloc(8i64)\n  assert null a != null\n{test}")), [1]);
}

#[test]
fn realloc_frees_only_on_success() {
    let moved = "  assume p != null\n  a = call @realloc(p, n)\n";
    assert!(can_end(&format!(
        "{moved}  assume a == null\n  assert access valid(p, 1i64)\n  call @free(p)\n"
    )));
    assert!(can_end(&format!("{moved}  assume a == p\n  assert access valid(p, 1i64)\n")));
    assert!(!can_end(&format!("{moved}  assume (a != null) & (a != p)\n  assert access valid(p, 1i64)\n")));
    // In place the old pointer points to the new size.
    let grown =
        "  a = call @malloc(4i64)\n  assume a != null\n  b = call @realloc(a, 8i64)\n  assume b == a\n";
    assert!(can_end(&format!("{grown}  assert access valid(a +p 4i64, 4i64)\n")));
    let written =
        "  store i32 #i32 b, 1i32\n  store i32 #i32 a, 2i32\n  t = load i32 #i32 b\n  assume t == 2i32\n";
    assert!(can_end(&format!("{grown}{written}")));
}

#[test]
fn free_on_one_branch_only() {
    let text = "b0:\n  assume p != null\n  goto b1, b2\nb1: [if true 1]\n  assume x == 0i32\n  call @free(p)\n  goto b3\n\
                b2: [if false 2]\n  assume x != 0i32\n  goto b3\nb3:\n  goto b4, b5\n\
                b4: [if true 3]\n  assume n == 0i64\n  assert access valid(p, 1i64)\n  return 0i32\n\
                b5: [if false 4]\n  assume n != 0i64\n  return 1i32\n";
    assert!(impossible(text).is_empty());
    // Used on every way: then the branch that frees is fatal.
    let always = text.replace(
        "b5: [if false 4]\n  assume n != 0i64\n",
        "b5: [if false 4]\n  assume n != 0i64\n  assert access valid(p, 1i64)\n",
    );
    assert_eq!(impossible(&always), [1]);
    // The pointer itself was chosen before one of the choices was freed.
    let chosen = "b0:\n  assume (p != null) & (q != null)\n  goto b1, b2\nb1: [if true 1]\n  assume x == 0i32\n  a = p\n  goto b3\n\
                  b2: [if false 2]\n  assume x != 0i32\n  a = q\n  goto b3\nb3:\n  call @free(p)\n  assert access valid(a, 1i64)\n  return 0i32\n";
    assert_eq!(impossible(chosen), [1]);
    let other = chosen.replace(
        "call @free(p)\n  assert access valid(a, 1i64)",
        "call @free(a)\n  assert access valid(q, 1i64)",
    );
    assert_eq!(impossible(&other), [2]);
}

#[test]
fn a_list_is_freed_in_a_loop() {
    let text = "b0:\n  goto b1\nb1:\n  goto b2, b3\nb2: [loop-entry true 1]\n  assume p != null\n\
                  assert access valid(p, 8i64)\n  a = load ptr #ptr p\n  call @free(p)\n  p = a\n  goto b1\n\
                b3: [loop-entry false 2]\n  assume p == null\n  call @free(p)\n  return 0i32\n";
    assert!(impossible(text).is_empty());
    let late = text.replace(
        "  a = load ptr #ptr p\n  call @free(p)\n",
        "  call @free(p)\n  assert access valid(p, 8i64)\n  a = load ptr #ptr p\n",
    );
    assert_eq!(impossible(&late), [1]);
}

#[test]
fn what_loads_find() {
    let test = "  goto b1, b2\nb1: [if true 1]\n  assume t == 0i32\n  return 0i32\n\
                b2: [if false 2]\n  assume t != 0i32\n  return 1i32\n";
    let of = |body: &str| impossible(&format!("b0:\n{body}{test}"));
    // Fresh memory holds anything, zeroed memory zero.
    assert!(of("  a = call @malloc(8i64)\n  t = load i32 #i32 a\n").is_empty());
    assert_eq!(
        of("  a = call @calloc(2i64, 4i64)\n  assert null a != null\n  t = load i32 #i32 a +p 4i64\n"),
        [2]
    );
    assert!(
        of("  a = call @calloc(1i64, 4i64)\n  assert null a != null\n  t = load i32 #i32 a +p 4i64\n")
            .is_empty()
    );
    // Two blocks are apart; allocating changes no other memory but errno.
    let two = "  a = call @malloc(4i64)\n  b = call @malloc(4i64)\n";
    assert_eq!(
        of(&format!("{two}  store i32 #i32 a, 0i32\n  store i32 #i32 b, 1i32\n  t = load i32 #i32 a\n")),
        [2]
    );
    assert_eq!(
        of("  store i32 #i32 @global, 0i32\n  a = call @malloc(4i64)\n  t = load i32 #i32 @global\n"),
        [2]
    );
    assert_eq!(
        of("  store i32 #r.f@0/i32 p, 0i32\n  a = call @malloc(4i64)\n  t = load i32 #r.f@0/i32 p\n"),
        [2]
    );
    assert!(of("  store i32 #i32 p, 0i32\n  a = call @malloc(4i64)\n  t = load i32 #i32 p\n").is_empty());
    // A pointer into a local object comes back from the library.
    let found = "  store i32 #any &buf, 0i32\n  a = call @strchr(&buf, 1i32)\n  assert null a != null\n  store i32 #any a, 1i32\n";
    assert!(of(&format!("{found}  t = load i32 #any &buf\n")).is_empty());
}

#[test]
fn differences_of_pointers_are_no_addresses() {
    // `buf[q - a]` is a place in `buf`, whatever is known of `a`.
    let text = "b0:\n  a = call @malloc(8i64)\n  assume a != null\n  store i8 #any &buf, 0i8\n  store i8 #any &buf +p (q -p a), 1i8\n\
                  t = load i32 #any &buf\n  goto b1, b2\nb1: [if true 1]\n  assume trunc8(t) == 0i8\n  return 0i32\n\
                b2: [if false 2]\n  assume trunc8(t) != 0i8\n  return 1i32\n";
    assert!(impossible(text).is_empty());
}
