//! What becomes of calls by the summaries of their callees, as text.

use gainsay_ir::gc::{ClassData, Symbol, Unit};
use gainsay_ir::types::Type;
use gainsay_ir::{parse, print, verify};
use gainsay_program::apply_summaries::{CalleeSummaries, UnitNames, apply_summaries};
use gainsay_program::summary::{
    Atom, AtomOp, Base, ExitContents, ExitFact, GlobalName, ParamFacts, ResultFacts, Returns, Summary, Write,
};
use std::collections::BTreeMap;

const HEAD: &str = "target ptr64 little
object @g size 8 align 8 external
object @own size 8 align 8 internal
object @weak size 8 align 8 weak
function @f(ptr, i32) -> i32 external
function @find(ptr) -> ptr external
function @old() -> i32 external
function @replaced(ptr) weak
function @main(ptr, i32) -> i32 external
func @main(p: ptr, x: i32) -> i32 {
  obj a: 8 align 4
b0:
";

/// The commands of the only block after the summary of `callee` is applied.
fn applied(body: &str, callee: &str, summary: &Summary) -> String {
    let text = format!("{HEAD}{body}  return x\n}}\n");
    let mut unit = parse::unit(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let symbol = symbol(&unit, callee);
    let names = UnitNames { unit: "here.c", is_exposed: &|name| name.name.starts_with("exposed") };
    let lookup = |called| (called == symbol).then_some(summary);
    let none = BTreeMap::new();
    let callees = CalleeSummaries::of(&mut unit, &names, &lookup, &none);
    let f = apply_summaries(&unit, &callees, unit.functions[0].clone());
    assert_eq!(verify::verify(&unit, &f), Ok(()));
    let printed = print::function(&unit, &f);
    let (_, block) = printed.split_once("b0:\n").unwrap();
    block.replace(" !0", "").trim_end_matches("}\n").to_owned()
}

fn symbol(unit: &Unit, name: &str) -> Symbol {
    unit.symbols.iter().find(|(_, data)| data.name == name).unwrap().0
}

fn surely() -> Summary {
    Summary { returns: Returns::Surely, ..Summary::top() }
}

fn int() -> ClassData {
    ClassData { ty: Some(Type::Int(32)), field: None }
}

const LENT: ParamFacts = ParamFacts { nonnull: false, may_be_freed: false, may_escape: false };

fn nonnull() -> Summary {
    let facts = ParamFacts { nonnull: true, may_escape: true, ..LENT };
    Summary { params: vec![facts], ..surely() }
}

#[test]
fn of_unknown_functions_nothing_is_said() {
    assert_eq!(applied("  x = call @f(p, x)\n", "f", &Summary::top()), "  x = call @f(p, x)\n  return x\n");
    let text = applied("  call @replaced(p)\n", "replaced", &nonnull());
    assert_eq!(text, "  call @replaced(p)\n  return x\n");
}

#[test]
fn writes_are_named_as_the_unit_names_them() {
    let global = |unit: Option<&str>, name: &str| {
        Base::Global(GlobalName { unit: unit.map(str::to_owned), name: name.to_owned() })
    };
    let bases = vec![
        Base::Param(0),
        Base::Param(7),
        global(None, "g"),
        global(Some("here.c"), "own"),
        global(None, "weak"),
        // Others of the same name, which this unit cannot name and whose address is not taken.
        global(None, "own"),
        global(Some("there.c"), "own"),
        global(Some("there.c"), "g"),
        global(Some("here.c"), "g"),
    ];
    let write = |base| Write { base, class: int() };
    let summary = Summary { writes: Some(bases.into_iter().map(write).collect()), ..surely() };
    assert_eq!(
        applied("  x = call @f(p, x)\n", "f", &summary),
        "  x = call returns @f(p, x) writes(argument 0 #i32, anywhere #i32, @g #i32, @own #i32, @weak #i32)\n  return x\n"
    );
    let errno = Summary { writes: Some(vec![write(Base::Errno)]), ..surely() };
    assert_eq!(
        applied("  x = call @f(p, x)\n", "f", &errno),
        "  x = call returns @f(p, x) writes(errno #i32)\n  return x\n"
    );
    let hidden = Summary { writes: Some(vec![write(global(None, "hidden"))]), ..surely() };
    assert_eq!(
        applied("  x = call @f(p, x)\n", "f", &hidden),
        "  x = call returns @f(p, x) writes()\n  return x\n"
    );
    let exposed = Summary { writes: Some(vec![write(global(Some("there.c"), "exposed"))]), ..surely() };
    assert_eq!(
        applied("  x = call @f(p, x)\n", "f", &exposed),
        "  x = call returns @f(p, x) writes(anywhere #i32)\n  return x\n"
    );
}

#[test]
fn addresses_are_lent_where_they_are_not_kept() {
    let kept = ParamFacts { may_escape: true, ..LENT };
    let of = |params| applied("  x = call @f(p, x)\n", "f", &Summary { params, ..Summary::top() });
    assert_eq!(of(vec![LENT, kept]), "  x = call @f(p, x) keeps(1)\n  return x\n");
    assert_eq!(of(vec![kept]), "  x = call @f(p, x)\n  return x\n");
    assert_eq!(of(vec![LENT]), "  x = call @f(p, x) keeps(1)\n  return x\n");
    assert_eq!(of(vec![LENT, LENT, LENT]), "  x = call @f(p, x) keeps()\n  return x\n");
}

#[test]
fn a_callee_that_cannot_exit_fails_where_it_does_not_return() {
    let text = applied("  x = call @f(p, x)\n", "f", &nonnull());
    assert_eq!(text, "  assert callee p != null\n  x = call returns @f(p, x)\n  return x\n");
    // Evidently not NULL, or just checked.
    let text = applied("  x = call @f(&a, x)\n  x = call @f(@g, x)\n", "f", &nonnull());
    assert_eq!(text, "  x = call returns @f(&a, x)\n  x = call returns @f(@g, x)\n  return x\n");
    let text = applied("  x = call @f(@weak, x)\n", "f", &nonnull());
    assert_eq!(text, "  assert callee @weak != null\n  x = call returns @f(@weak, x)\n  return x\n");
    let text = applied("  assert nonnull p != null\n  x = call @f(p, x)\n", "f", &nonnull());
    assert_eq!(text, "  assert nonnull p != null\n  x = call returns @f(p, x)\n  return x\n");
}

#[test]
fn a_callee_that_may_exit_fails_with_null_all_the_same() {
    let summary = Summary { returns: Returns::Maybe, ..nonnull() };
    let text = applied("  x = call @f(p, x)\n", "f", &summary);
    assert_eq!(text, "  assert callee p != null\n  x = call @f(p, x)\n  return x\n");
}

#[test]
fn arguments_are_those_before_the_call() {
    let is = |op, value| Atom { param: 1, op, value };
    let leaves = |atoms| Summary { leaves_if: vec![atoms], ..Summary::top() };
    let of = |body: &str, atoms| applied(body, "f", &leaves(atoms));
    assert_eq!(
        of("  call @f(p, x)\n", vec![is(AtomOp::Eq, 0)]),
        "  call @f(p, x)\n  assume x != 0i32\n  return x\n"
    );
    assert_eq!(
        of("  x = call @f(p, x)\n", vec![is(AtomOp::Eq, 0)]),
        "  k1 = x != 0i32\n  x = call @f(p, x)\n  assume k1\n  return x\n"
    );
    assert_eq!(
        of(
            "  call @f(p, x)\n",
            vec![is(AtomOp::SGe, 2), is(AtomOp::ULt, 9), Atom { param: 0, op: AtomOp::Ne, value: 0 }]
        ),
        "  call @f(p, x)\n  assume ((x <s 2i32) | (9i32 <=u x)) | (p == null)\n  return x\n"
    );
    // Constants: nothing to say, or never.
    assert_eq!(of("  call @f(p, 1i32)\n", vec![is(AtomOp::Eq, 0)]), "  call @f(p, 1i32)\n  return x\n");
    assert_eq!(
        of("  call @f(p, 0i32)\n", vec![is(AtomOp::Eq, 0)]),
        "  call @f(p, 0i32)\n  assume false\n  return x\n"
    );
    // Values of another type, arguments that are not there, no prototype.
    let unsaid = "  call @f(p, x)\n  return x\n";
    assert_eq!(of("  call @f(p, x)\n", vec![is(AtomOp::Eq, 1 << 32)]), unsaid);
    assert_eq!(of("  call @f(p, x)\n", vec![Atom { param: 2, op: AtomOp::Eq, value: 0 }]), unsaid);
    assert_eq!(of("  call @f(p, x)\n", vec![Atom { param: 0, op: AtomOp::SLt, value: 0 }]), unsaid);
    assert_eq!(of("  call @f(p, x)\n", Vec::new()), unsaid);
    let text = applied("  call @old(x, x)\n", "old", &leaves(vec![is(AtomOp::Eq, 0)]));
    assert_eq!(text, "  call @old(x, x)\n  return x\n");
    // Who cannot exit fails.
    let fails = Summary { leaves_if: vec![vec![is(AtomOp::Eq, 0)]], ..surely() };
    assert_eq!(
        applied("  x = call @f(p, x)\n", "f", &fails),
        "  assert callee x != 0i32\n  x = call returns @f(p, x)\n  return x\n"
    );
}

#[test]
fn results_are_facts_of_the_call() {
    let of = |range| {
        let result = ResultFacts { range: Some(range), ..ResultFacts::default() };
        let text = applied("  x = call @f(p, x)\n", "f", &Summary { result, ..Summary::top() });
        text.replace("  x = call @f(p, x)\n", "").replace("  return x\n", "")
    };
    assert_eq!(of((0, 7)), "  assume (0i32 <=s x) & (x <=s 7i32)\n");
    assert_eq!(of((-1, -1)), "  assume x == 4294967295i32\n");
    assert_eq!(of((i128::from(i32::MIN), 0)), "  assume x <=s 0i32\n");
    assert_eq!(of((1, i128::MAX)), "  assume 1i32 <=s x\n");
    assert_eq!(of((i128::MIN, i128::MAX)), "");
    assert_eq!(of((1, 0)), "");
    let result = ResultFacts { equals: Some(0), nonnull: true, ..ResultFacts::default() };
    assert_eq!(
        applied("  p = call @find(p)\n", "find", &Summary { result, ..surely() }),
        "  call returns @find(p)\n  p = p\n  assume p != null\n  return x\n"
    );
    // The result is not of the argument's type.
    assert_eq!(
        applied("  x = call @f(p, x)\n", "f", &Summary { result, ..surely() }),
        "  x = call returns @f(p, x)\n  return x\n"
    );
}

#[test]
fn what_follows_a_call_that_never_returns_is_gone() {
    let never = |in_error| Summary { returns: Returns::Never { in_error }, ..nonnull() };
    let body = "  x = call @f(p, x)\n  x = 1i32\n";
    assert_eq!(applied(body, "f", &never(false)), "  x = call @f(p, x)\n  raise\n");
    assert_eq!(applied(body, "f", &never(true)), "  x = call returns @f(p, x)\n  error\n");
}

#[test]
fn the_exit_state_of_a_callee_is_known_after_the_call() {
    let fact = |param, offset, ty, contents| {
        let at = Write { base: Base::Param(param), class: ClassData::of_type(ty) };
        ExitFact { at, offset, ty, contents }
    };
    let after =
        |body: &str, exit_state: Vec<ExitFact>| applied(body, "f", &Summary { exit_state, ..surely() });
    let (null, not_null) = (ExitContents::Const(0), ExitContents::NotNull);
    assert_eq!(
        after("  x = call @f(p, x)\n", vec![fact(0, 8, Type::Ptr, not_null), fact(0, 0, Type::Ptr, null)]),
        "  x = call returns @f(p, x)\n  store ptr #ptr p, null\n  k1 = load ptr #ptr p +p 8i64\n\
         \x20 assume k1 != null\n  return x\n"
    );
    assert_eq!(
        after("  call @f(p, x)\n", vec![fact(0, 4, Type::Int(32), ExitContents::Const(7))]),
        "  call returns @f(p, x)\n  store i32 #i32 p +p 4i64, 7i32\n  return x\n"
    );
    // The argument is what it was before the call.
    assert_eq!(
        after("  x = call @f(p, x)\n", vec![fact(0, 0, Type::Int(32), ExitContents::Param(1, 0))]),
        "  k1 = x\n  x = call returns @f(p, x)\n  store i32 #i32 p, k1\n  return x\n"
    );
    assert_eq!(
        after("  call @f(p, x)\n", vec![fact(0, 16, Type::Ptr, ExitContents::Param(0, 8))]),
        "  call returns @f(p, x)\n  store ptr #ptr p +p 16i64, p +p 8i64\n  return x\n"
    );
    let nothing = "  call returns @f(p, x)\n  return x\n";
    // Without a prototype the argument may be something else; so may one of another type.
    assert_eq!(after("  call @f(p, x)\n", vec![fact(7, 0, Type::Ptr, null)]), nothing);
    assert_eq!(after("  call @f(p, x)\n", vec![fact(0, 0, Type::Ptr, ExitContents::Param(7, 0))]), nothing);
    assert_eq!(
        after("  call @f(p, x)\n", vec![fact(0, 0, Type::Int(64), ExitContents::Param(1, 0))]),
        nothing
    );
    assert_eq!(after("  call @f(p, x)\n", vec![fact(0, 0, Type::Ptr, ExitContents::Param(1, 8))]), nothing);
}
