//! The text that solvers get, and the reading of what they say.

use gainsay_solver::smtlib::{Literal, Printer, Sexpr, read_value, read_values};
use gainsay_term::{Sort, Term, TermPool, Value};

fn script(pool: &TermPool, terms: &[Term]) -> String {
    let mut printer = Printer::new();
    let mut text = String::new();
    for &term in terms {
        printer.define(pool, &[term], &mut text);
        text.push_str("(assert ");
        printer.write(pool, term, &mut text);
        text.push_str(")\n");
    }
    text
}

#[test]
fn shared_terms_are_defined_once_and_chains_are_flat() {
    let mut pool = TermPool::new();
    let x = pool.var("x", Sort::BitVec(8));
    let y = pool.var("y.2", Sort::BitVec(8));
    let (p, q, r) = (pool.var("p", Sort::Bool), pool.var("and", Sort::Bool), pool.var("r", Sort::Bool));
    let sum = pool.bv_add(x, y);
    let seven = pool.bits(8, 7);
    let (low, high) = (pool.bv_ult(sum, seven), pool.bv_slt(seven, sum));
    let all = pool.all(&[p, q, r, low, high]);
    let no_sum = pool.distinct(sum, x);
    let n = sum.index();
    assert_eq!(
        script(&pool, &[all, no_sum]),
        format!(
            "(declare-fun %x () (_ BitVec 8))\n\
             (declare-fun %y.2 () (_ BitVec 8))\n\
             (declare-fun %p () Bool)\n\
             (declare-fun %and () Bool)\n\
             (declare-fun %r () Bool)\n\
             (define-fun ${n} () (_ BitVec 8) (bvadd %x %y.2))\n\
             (assert (and %p %and %r (bvult ${n} #x07) (not (bvslt ${n} #x08))))\n\
             (assert (not (= %x ${n})))\n"
        )
    );
}

#[test]
fn a_term_written_out_before_gets_a_name_the_second_time() {
    let mut pool = TermPool::new();
    let (p, q) = (pool.var("p", Sort::Bool), pool.var("q", Sort::Bool));
    let (either, both) = (pool.or(p, q), pool.and(p, q));
    let differ = pool.xor(either, both);
    let text = script(&pool, &[differ, either, either]);
    let n = either.index();
    assert!(text.contains("(assert (xor (or %p %q) (and %p %q)))\n"), "{text}");
    let end = format!("(define-fun ${n} () Bool (or %p %q))\n(assert ${n})\n(assert ${n})\n");
    assert!(text.ends_with(&end), "{text}");
}

/// Seen as a tree, the term has 2^200 leaves.
#[test]
fn the_text_grows_with_the_terms_and_not_with_the_paths() {
    let mut pool = TermPool::new();
    let mut x = pool.var("x", Sort::BitVec(32));
    for _ in 0..200 {
        let negated = pool.bv_not(x);
        x = pool.bv_mul(x, negated);
    }
    let zero = pool.bits(32, 0);
    let term = pool.eq(x, zero);
    assert!(script(&pool, &[term]).len() < 200 * 150);
}

#[test]
fn no_name_can_break_out_or_be_confused() {
    let names = ["a b", "a|b", "a~7c~b", "a\\b", "(assert false)", "", "é", "\n", "$1", "true"];
    let mut pool = TermPool::new();
    let variables: Vec<Term> = names.iter().map(|name| pool.var(name, Sort::Bool)).collect();
    let text = script(&pool, &variables);
    let declared: std::collections::BTreeSet<String> = Sexpr::read_all(&text)
        .unwrap()
        .iter()
        .filter_map(|command| match command.as_list()? {
            [head, name, ..] if head.as_atom() == Some("declare-fun") => Some(name.as_atom()?.to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(declared.len(), names.len(), "{text}");
    assert!(declared.iter().all(|name| name.starts_with('%')), "{text}");
}

#[test]
fn expressions_are_read_and_broken_ones_refused() {
    let atom = |text: &str| Sexpr::Atom(text.to_owned());
    assert_eq!(
        Sexpr::read_all("sat (a |b c| (\"say \"\"hi\"\"\")) ; note )\n#x0f"),
        Ok(vec![
            atom("sat"),
            Sexpr::List(vec![
                atom("a"),
                atom("b c"),
                Sexpr::List(vec![Sexpr::Text("say \"hi\"".to_owned())])
            ]),
            atom("#x0f"),
        ])
    );
    for broken in ["(", ")", "(a))", "\"a", "|a", "((", &"(".repeat(1_000_000)] {
        assert!(Sexpr::read_all(broken).is_err(), "{}", &broken[..broken.len().min(10)]);
    }
}

#[test]
fn values_are_read_in_all_spellings() {
    let read = |text: &str, sort: Sort| read_value(&Sexpr::read_all(text).unwrap()[0], sort);
    let five = Some(Value::Bits { width: 4, value: 5 });
    for text in ["#b0101", "#x5", "(_ bv5 4)"] {
        assert_eq!(read(text, Sort::BitVec(4)), five, "{text}");
    }
    for text in ["#b101", "#x05", "(_ bv16 4)", "(_ bv5 8)", "#b", "#xg", "#b-101", "true", "(a)"] {
        assert_eq!(read(text, Sort::BitVec(4)), None, "{text}");
    }
    assert_eq!(read("true", Sort::Bool), Some(Value::Bool(true)));
    assert_eq!(read("unknown", Sort::Bool), None);
}

#[test]
fn answers_of_another_shape_are_errors() {
    assert_eq!(read_values("((%p true))", &[Sort::Bool]), Ok(vec![Value::Bool(true)]));
    assert!(read_values("((%p true))", &[Sort::Bool, Sort::Bool]).is_err());
    assert!(read_values("sat", &[Sort::Bool]).is_err());
    let literal = |symbol: &str, positive| Literal { symbol: symbol.to_owned(), positive };
    let read_core = |text: &str| Literal::read_all(&Sexpr::read_all(text).unwrap()[0]);
    let core = vec![literal("%p", true), literal("%a b", false)];
    assert_eq!(core[1].to_string(), "(not |%a b|)");
    assert_eq!(read_core("(%p (not |%a b|))"), Some(core));
    assert_eq!(read_core("((and %p %q))"), None);
    assert_eq!(read_core("unsat"), None);
}
