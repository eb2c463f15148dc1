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
    passive::verify::verify(f).map_err(|error| format!("internal error: malformed after passify: {error}"))
}
