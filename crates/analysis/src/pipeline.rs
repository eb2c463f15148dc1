//! Every step of the way of a function, one line each.

use crate::guard::guard;
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::verify::verify;
use gainsay_ir::{gc, passive};
use gainsay_report::finding::Finding;

/// Names of the analyses that run. None is built in yet.
pub const ANALYSES: &[&str] = &[];

/// What is found in one function, or why it was given up.
pub fn analyse(unit: &gc::Unit, f: &gc::Function) -> Result<Vec<Finding>, String> {
    passive_form(unit, f)?;
    Ok(Vec::new())
}

/// The function as every analysis reads it: acyclic, each variable assigned once.
pub fn passive_form(unit: &gc::Unit, f: &gc::Function) -> Result<passive::Function, String> {
    guard(|| {
        checked(unit, f, "lowering")?;
        let f = prune(f.clone());
        checked(unit, &f, "prune")?;
        let f = cut_loops(unit, &f);
        checked(unit, &f, "cut_loops")?;
        let f = passify(unit, &f);
        checked_passive(&f)?;
        Ok(f)
    })
    .map_err(|panic| format!("internal error: {panic}"))?
}

/// In debug builds, is the function still well formed?
fn checked(unit: &gc::Unit, f: &gc::Function, after: &str) -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    verify(unit, f).map_err(|errors| format!("internal error: malformed after {after}: {}", errors[0]))
}

fn checked_passive(f: &passive::Function) -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    passive::verify(f).map_err(|error| format!("internal error: malformed after passify: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_ir::gc::{Next, Unit};
    use gainsay_ir::parse;

    fn unit() -> Unit {
        let text = "target ptr64 little\nfunction @f(i32) -> i32 external\n\nfunc @f(x: i32) -> i32 {\n\
                    b0:\n  goto b1\nb1:\n  x = x + 1i32 !0\n  goto b1, b2\nb2:\n  return x\nb3:\n  return x\n}\n";
        parse::unit(text).unwrap()
    }

    #[test]
    fn loops_and_dead_blocks_are_gone_at_the_end() {
        let unit = unit();
        let form = passive_form(&unit, &unit.functions[0]).unwrap();
        assert_eq!(passive::verify(&form), Ok(()));
        assert_eq!(analyse(&unit, &unit.functions[0]), Ok(Vec::new()));
    }

    #[cfg(debug_assertions)]
    #[test]
    fn a_malformed_function_is_given_up() {
        let unit = unit();
        let mut f = unit.functions[0].clone();
        f.blocks.values_mut().for_each(|block| block.next = Next::Return(None));
        let reason = analyse(&unit, &f).unwrap_err();
        assert!(reason.starts_with("internal error: malformed after lowering: "), "{reason}");
    }
}
