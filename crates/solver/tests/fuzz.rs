//! Answers of solvers from any bytes: values, cores and invariants, or an error.

use gainsay_fuzz::fuzz;
use gainsay_solver::horn::Formula;
use gainsay_solver::smtlib::{Literal, Sexpr, read_values};
use gainsay_term::Sort;

#[test]
fn fuzz_solver_answer() {
    let seeds = [
        "sat",
        "unknown\n(:reason-unknown \"canceled\")",
        "(error \"line 3 column 10: unknown constant x\")",
        "((|x 1| #b0101) (y #x0f) ((_ bv5 4) (_ bv3 4)) (p true) (q false))",
        "((v!0 #b1) (v!1 (_ bv18446744073709551615 64)))",
        "(a (not b) |c d| (not |e|))",
        "sat\n(:rlimit 12345)\n((define-fun inv!1 ((A Int) (B Bool) (C Int)) Bool (and (<= A (* 2 C)) (or B (not (= C (- 1))))))\n\
         (define-fun inv!2 ((A Int)) Bool (let ((a!1 (+ A (* (- 1) A)))) (=> (>= a!1 0) (< a!1 (ite (= A 3) 4 5))))))",
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let sorts = [Sort::BitVec(4), Sort::BitVec(64), Sort::Bool];
    fuzz("solver_answer", seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for n in 0..=sorts.len() {
            let _ = read_values(&text, &sorts[..n]);
        }
        let Ok(exprs) = Sexpr::read_all(&text) else { return };
        let names: Vec<(String, bool)> =
            [("A", false), ("B", true), ("C", false)].map(|(n, b)| (n.to_owned(), b)).into();
        for expr in &exprs {
            let _ = (Literal::read_all(expr), expr.as_error());
            for definition in expr.as_list().unwrap_or_default() {
                if let Some(body) = definition.as_list().and_then(<[Sexpr]>::last) {
                    let _ = Formula::read(body, &names);
                }
            }
        }
    });
}
