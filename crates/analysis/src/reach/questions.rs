//! The questions of `reach` as SMT-LIB text, for `gainsay dump`.

use super::formula::taken;
use crate::edges::branch_edges;
use gainsay_ir::gc;
use gainsay_ir::passive::Function;
use gainsay_solver::smtlib::Printer;
use gainsay_term::Term;
use gainsay_vc::encode;

/// The same questions as SMT-LIB text, for any solver: `unsat` means that the edge is impossible.
pub fn questions(unit: &gc::Unit, function: &Function) -> String {
    let vc = encode(unit, function);
    let edges = branch_edges(function);
    let mut printer = Printer::new();
    let mut text = format!("; {}\n(set-logic QF_BV)\n", unit.symbols[function.symbol].name);
    let roots: Vec<Term> = vc
        .facts
        .iter()
        .copied()
        .chain([vc.ended])
        .chain(edges.iter().map(|&edge| taken(&vc, edge)))
        .collect();
    printer.define(&vc.pool, &roots, &mut text);
    for &fact in vc.facts.iter().chain([&vc.ended]) {
        text.push_str("(assert ");
        printer.write(&vc.pool, fact, &mut text);
        text.push_str(")\n");
    }
    for edge in edges {
        text.push_str(&format!("; is {edge} on a run that ends well?\n(push 1)\n(assert "));
        printer.write(&vc.pool, taken(&vc, edge), &mut text);
        text.push_str(")\n(check-sat)\n(pop 1)\n");
    }
    text
}
