//! What is printed reads back as the same function.

mod common;

use common::{Shape, units};
use cranelift_entity::EntityRef;
use gainsay_interp::{Interp, InterpOptions, Outcome};
use gainsay_ir::gc::{BinaryOp, BlockData, Expr, ExprData, Next, Unit};
use gainsay_ir::passes::{cut_loops, passify};
use gainsay_ir::types::Type;
use gainsay_ir::{equal, parse, passive, print, verify};
use proptest::prelude::*;
use std::fmt::Write;

const ANY: Shape = Shape { blocks: 6, loops: true, runs: false };

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn printing_and_parsing_gives_the_same_unit(unit in units(ANY)) {
        prop_assert_eq!(verify::verify(&unit, &unit.functions[0]), Ok(()));
        let text = print::unit(&unit);
        let again = match parse::unit(&text) {
            Ok(again) => again,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
        };
        prop_assert_eq!(print::unit(&again), text);
        prop_assert_eq!(&again.symbols, &unit.symbols);
        prop_assert!(equal::same(&unit, &unit.functions[0], &again, &again.functions[0]));
    }

    #[test]
    fn a_changed_expression_is_not_the_same(unit in units(ANY), at in any::<prop::sample::Index>()) {
        let mut changed = unit.clone();
        let f = &mut changed.functions[0];
        let expr = Expr::new(at.index(f.exprs.len().max(1)));
        prop_assume!(f.exprs.is_valid(expr));
        let ExprData::Const(ty, bits) = f.exprs[expr] else { return Err(TestCaseError::reject("no constant")) };
        f.exprs[expr] = ExprData::Const(ty, bits ^ 1);
        let used = print::unit(&changed) != print::unit(&unit);
        let same = equal::same(&unit, &unit.functions[0], &changed, &changed.functions[0]);
        prop_assert_eq!(same, !used);
    }

    #[test]
    fn the_reader_survives_damaged_text(unit in units(ANY), at in any::<prop::sample::Index>(), byte in 32u8..127) {
        let mut text = print::unit(&unit).into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        if let Ok(text) = String::from_utf8(text)
            && let Ok(unit) = parse::unit(&text)
        {
            for f in &unit.functions {
                let _ = verify::verify(&unit, f);
            }
        }
    }
}

#[test]
fn expressions_of_any_depth_are_handled() {
    let mut unit = parse::unit("target ptr64 little\nfunc @f() -> i32 {\nb0:\n  return 1i32\n}\n").unwrap();
    let f = &mut unit.functions[0];
    let mut value = Expr::new(0);
    for _ in 0..100_000 {
        value = f.exprs.push(ExprData::Binary(BinaryOp::Add, value, Expr::new(0)));
        value = f.exprs.push(ExprData::Unary(gainsay_ir::gc::UnaryOp::Neg, value));
    }
    f.blocks.clear();
    f.blocks.push(BlockData { branch: None, cmds: vec![], next: Next::Return(Some(value)) });
    assert_eq!(f.ty(value, 64), Type::Int(32));
    verify::verify(&unit, &unit.functions[0]).unwrap();
    let again: Unit = parse::unit(&print::unit(&unit)).unwrap();
    assert!(equal::same(&unit, &unit.functions[0], &again, &again.functions[0]));
    let run = Interp::new(&unit, InterpOptions::default()).run("f", &[]);
    assert_eq!(run.outcome, Outcome::Returned(1));
    let passive = passify(&unit, &cut_loops(&unit, &unit.functions[0]));
    assert_eq!(passive::verify(&passive), Ok(()));
    assert!(passive::print(&unit, &passive).len() > 1_000_000);
}

#[test]
fn errors_name_their_place() {
    let mut text = String::from("target ptr64 little\nfunc @f(a: i32) -> i32 {\nb0:\n");
    writeln!(text, "  a = a + a + a !0").unwrap();
    let error = parse::unit(&text).unwrap_err();
    assert_eq!(error.to_string(), "5:1: the function is not closed by `}`");
    text.push_str("  return a\n}\n");
    let error = parse::unit(&text).unwrap_err();
    assert_eq!(error.to_string(), "4:13: nested operations need parentheses");
}
