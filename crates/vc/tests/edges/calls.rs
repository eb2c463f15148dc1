//! What a call that says what it writes leaves as it was, and above all what it does not.

use crate::impossible_edges;
use gainsay_ir::{parse, verify};

const HEAD: &str = "target ptr64 little
object @g size 8 align 8 internal {}
object @h size 8 align 8 external {}
object @weak size 8 align 8 weak {}
object @table size 8 align 8 const internal {}
function @f(ptr, ptr) external
function @any() external
func @main(p: ptr, q: ptr, n: i64) -> i32 {
  tmp t: i32
  tmp u: i32
  var r: ptr
  obj a: 16 align 8
  obj b: 8 align 8
";

/// Is the value that `store` wrote surely there where `load` looks, whatever happens between?
fn survives(store: &str, between: &str, load: &str) -> bool {
    let text = format!(
        "{HEAD}b0:\n  store i32 {store}, 5i32\n{between}  t = load i32 {load}\n  goto b1, b2\n\
         b1: [if true 1]\n  assume t == 5i32\n  return 0i32\n\
         b2: [if false 2]\n  assume t != 5i32\n  return 1i32\n}}\n"
    );
    let unit = parse::unit(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let f = unit.functions[0].clone();
    verify::verify(&unit, &f).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    match impossible_edges(&unit, f)[..] {
        [] => false,
        [2] => true,
        ref edges => panic!("{edges:?} are impossible in {text}"),
    }
}

/// The same place, plain `int`.
fn stays(place: &str, call: &str) -> bool {
    survives(&format!("#i32 {place}"), &format!("  call returns {call}\n"), &format!("#i32 {place}"))
}

#[test]
fn what_is_not_written_stays() {
    assert!(stays("@g", "@f(p, q) writes()"));
    assert!(stays("p", "@f(p, q) writes()"));
    assert!(stays("p", "@f(p, q) writes(argument 0 #i64, anywhere #ptr, @g #i16)"));
    assert!(stays("&a", "@f(&a, q) writes(argument 1 #i64)"));
    // By the object.
    assert!(stays("@g", "@f(&a, q) writes(argument 0 #any)"));
    assert!(stays("@g", "@f(p, q) writes(@h #any)"));
    assert!(stays("&a", "@f(p, q) writes(@h #any)"));
    assert!(stays("&a", "@f(&a, &b) writes(argument 1 #any)"));
    assert!(stays("@g", "@f(@h +p n, q) writes(argument 0 #any)"));
    assert!(stays("@table", "@f(@table, q) writes(argument 0 #any)"));
    // An `int` that is an object of the unit is not errno, nor is a member of a record.
    assert!(stays("@g", "@f(p, q) writes(errno #i32)"));
    assert!(stays("&a", "@f(&a, q) writes(errno #i32)"));
    // By the field.
    let fields = |call: &str| survives("#r.x@0/i32 p", &format!("  call {call}\n"), "#r.x@0/i32 p");
    assert!(fields("@f(p, q) writes(argument 0 #r.y@4/i32, anywhere #s.z@8/i32)"));
    assert!(!fields("@f(p, q) writes(argument 0 #r.x@0/i32)"));
    assert!(!fields("@f(p, q) writes(argument 1 #r.x@0/i32)"));
    assert!(!fields("@f(p, q) writes(argument 1 #i32)"));
}

#[test]
fn what_may_be_written_is_forgotten() {
    assert!(!stays("@g", "@f(p, q)"));
    assert!(!stays("@g", "@f(p, q) writes(anywhere #i32)"));
    assert!(!stays("@g", "@f(p, q) writes(anywhere #any)"));
    assert!(!stays("@g", "@f(p, q) writes(@g #i32)"));
    assert!(!stays("@g", "@f(p, q) writes(@g #any)"));
    // An unknown pointer may point there.
    assert!(!stays("@g", "@f(p, q) writes(argument 0 #i32)"));
    assert!(!stays("p", "@f(p, q) writes(@g #i32)"));
    assert!(!stays("p", "@f(p, q) writes(argument 1 #i32)"));
    // Anywhere in the object, before the argument as well as behind it.
    assert!(!stays("&a", "@f(&a +p 8i64, q) writes(argument 0 #i32)"));
    assert!(!stays("&a +p 8i64", "@f(&a, q) writes(argument 0 #i32)"));
    assert!(!stays("@g", "@f(@g +p n, q) writes(argument 0 #any)"));
    assert!(!stays("p", "@f(p, q) writes(errno #i32)"));
    // A weak object may be another one.
    assert!(!stays("p", "@f(p, q) writes(@weak #i32)"));
    // Of a class that may meet it: a plain access of the type of a field.
    assert!(!survives("#r.x@0/i32 p", "  call @f(p, q) writes(argument 0 #any)\n", "#r.x@0/i32 p"));
    assert!(!survives("#any p", "  call @f(p, q) writes(argument 0 #i64)\n", "#any p"));
}

#[test]
fn lent_objects_are_private_again_after_the_call() {
    let between = |call: &str| survives("#i32 &a", call, "#i32 &a");
    // Kept, and written by a later call or through an unknown pointer.
    assert!(!between("  call @f(&a, q) writes()\n  call @any()\n"));
    assert!(!between("  call @f(&a, q) writes() keeps(0)\n  call @any()\n"));
    assert!(!between("  call @f(&a, q) writes() keeps(0)\n  store i32 #i32 p, 6i32\n"));
    assert!(!between("  call @f(&a, q) writes() keeps(0)\n  call @f(p, q) writes(argument 0 #i32)\n"));
    // Not kept.
    assert!(between("  call @f(&a, q) writes() keeps()\n  call @any()\n"));
    assert!(between("  call @f(&a, q) writes() keeps(1)\n  store i32 #i32 p, 6i32\n"));
    assert!(between("  call @f(&a +p n, q) writes(argument 1 #any) keeps()\n  call @any()\n"));
    assert!(between("  call @f(&b, q) writes(anywhere #any) keeps()\n"));
    // During the call it may be written, by whatever way.
    assert!(!between("  call @f(&a, q) keeps()\n"));
    assert!(!between("  call @f(&a, q) writes(anywhere #any) keeps()\n"));
    assert!(!between("  call @f(&a, q) writes(argument 0 #any) keeps()\n"));
    assert!(!between("  call @f(&a +p n, q) writes(argument 0 #i32) keeps()\n"));
    assert!(!between("  r = &a\n  call @f(r, q) writes(argument 0 #i32) keeps()\n"));
    assert!(!between("  r = &a\n  r = r +p n\n  call @f(p, r) writes(argument 1 #i32) keeps()\n"));
    // Two ways to it.
    assert!(!between("  r = &a\n  call @f(&a, r) writes(argument 1 #i32) keeps()\n"));
    // Another call keeps it.
    assert!(!between(
        "  call @f(&a, q) writes() keeps()\n  call @f(&a, q) writes() keeps(0)\n  call @any()\n"
    ));
}

/// A loop round the call: whatever an iteration may write is forgotten, and nothing else.
fn loops(place: &str, call: &str) -> bool {
    let body = format!(
        "  goto b3\nb3:\n  goto b4, b5\nb4: [loop-entry true 3]\n  assume n != 0i64\n  call returns {call}\n  n = n - 1i64\n  goto b3\n\
         b5: [loop-entry false 4]\n  assume n == 0i64\n"
    );
    survives(&format!("#i32 {place}"), &body, &format!("#i32 {place}"))
}

#[test]
fn loops_forget_what_their_calls_write() {
    assert!(loops("@g", "@f(p, q) writes()"));
    assert!(loops("p", "@f(p, q) writes(argument 0 #i64)"));
    assert!(loops("@g", "@f(&a, q) writes(argument 0 #any) keeps()"));
    assert!(loops("@g", "@f(p, q) writes(@h #any)"));
    assert!(loops("&a", "@f(p, q) writes(@h #any, anywhere #any)"));
    assert!(loops("&a", "@f(&a, &b) writes(argument 1 #any, anywhere #i64) keeps()"));
    assert!(loops("@g", "@f(p, q) writes(errno #i32)"));
    assert!(!loops("p", "@f(p, q) writes(errno #i32)"));
    assert!(!loops("@g", "@f(p, q) writes(@g #i32)"));
    assert!(!loops("@g", "@f(p, q) writes(argument 0 #i32)"));
    assert!(!loops("@g", "@f(@g, q) writes(argument 0 #any)"));
    assert!(!loops("@g", "@f(p, q) writes(anywhere #any)"));
    assert!(!loops("p", "@f(p, q) writes(@weak #any)"));
    assert!(!loops("p", "@f(p, q) writes(@g #i32)"));
    assert!(!loops("&a", "@f(&a, q) keeps()"));
    assert!(!loops("&a", "@f(&a, q) writes(anywhere #any) keeps()"));
    assert!(!loops("&a", "@f(&a +p n, q) writes(argument 0 #i32) keeps()"));
    assert!(!loops("&a", "@f(&a, q) writes()\n  call @any()"));
    // The second iteration writes through the pointer that the first one made.
    assert!(!loops("&a", "@f(r, q) writes(argument 0 #any) keeps()\n  r = &a"));
    assert!(!loops("&a", "@f(r, q) writes(argument 0 #i32) keeps()\n  r = &a"));
    assert!(!loops("&a", "@f(r, q) keeps()\n  r = &a"));
}
