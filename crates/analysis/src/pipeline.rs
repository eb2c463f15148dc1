//! The steps of one function, in order. Start reading here.

use crate::context::{Cx, Stage, Tally, Tools};
use crate::guard::guard;
use crate::judge::Judge;
use crate::loops::{self, Loops};
use crate::source::Source;
use crate::{beliefs, evidence, reach};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::verify::verify;
use gainsay_ir::{gc, passive};
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};

/// Names of the analyses that run.
pub fn analyses(loops: Loops, beliefs: bool, evidence: bool) -> Vec<&'static str> {
    let mut names = vec!["reach"];
    names.extend((loops != Loops::Off).then_some("horn"));
    names.extend(beliefs.then_some("beliefs"));
    names.extend(evidence.then_some("evidence"));
    names
}

/// The result of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub findings: Vec<Finding>,
    pub tally: Tally,
}

/// Analyses one prepared function. An error says why it was given up.
pub fn analyse(
    tools: Tools,
    unit: &gc::Unit,
    f: gc::Function,
    source: &dyn Source,
) -> Result<Outcome, String> {
    (tools.begin)(Stage::Passes);
    let (pruned, function) = forms(unit, f)?;
    let judge = Judge::new(unit, &function, source);
    guard(|| steps(Cx::new(tools, &pruned, &judge))).map_err(|panic| format!("internal error: {panic}"))?
}

fn steps(mut cx: Cx) -> Result<Outcome, String> {
    cx.edges = reach::edges(&mut cx);
    cx.findings = reach::find(&mut cx)?;
    cx.add(loops::find);
    cx.add(beliefs::find);
    cx.add(evidence::find);
    Ok(Outcome { findings: cx.findings, tally: cx.tally })
}

/// The form that most analyses read: acyclic, each variable assigned once.
pub fn passive_form(unit: &gc::Unit, f: &gc::Function) -> Result<passive::Function, String> {
    forms(unit, f.clone()).map(|(_, passive)| passive)
}

/// The pruned function with its loops, and its passive form.
fn forms(unit: &gc::Unit, f: gc::Function) -> Result<(gc::Function, passive::Function), String> {
    guard(|| {
        checked(unit, &f, "lowering")?;
        let pruned = prune(f);
        checked(unit, &pruned, "prune")?;
        let acyclic = cut_loops(unit, &pruned);
        checked(unit, &acyclic, "cut_loops")?;
        let passive = passify(unit, &acyclic);
        checked_passive(&passive)?;
        drop(acyclic);
        Ok((pruned, passive))
    })
    .map_err(|panic| format!("internal error: {panic}"))?
}

/// Runs the verifier in debug builds.
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
    fn the_passive_form_has_no_loops_and_no_dead_blocks() {
        let unit = unit();
        let form = passive_form(&unit, &unit.functions[0]).unwrap();
        assert_eq!(passive::verify(&form), Ok(()));
    }

    #[cfg(debug_assertions)]
    #[test]
    fn a_malformed_function_is_given_up() {
        let unit = unit();
        let mut f = unit.functions[0].clone();
        f.blocks.values_mut().for_each(|block| block.next = Next::Return(None));
        let reason = passive_form(&unit, &f).unwrap_err();
        assert!(reason.starts_with("internal error: malformed after lowering: "), "{reason}");
    }
}
