//! Terms mean what their constructors say, whatever was simplified on the way.

use crate::support::{ARRAY, Formulas, Random};
use gainsay_term::{Assignment, Sort, Term, TermPool};
use gainsay_term::{Node, eval};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn simplified_terms_keep_their_values(seed in any::<u64>(), steps in 1..60usize) {
        let formulas = Formulas::random(&mut Random::new(seed), steps);
        for (term, expected) in &formulas.terms {
            let value = eval(&formulas.pool, *term, &formulas.assignment);
            prop_assert_eq!(value.as_ref(), Some(expected), "{:?}", formulas.pool.node(*term));
        }
    }
}

fn byte(pool: &mut TermPool, name: &str) -> Term {
    pool.var(name, Sort::BitVec(8))
}

#[test]
fn equal_terms_are_one() {
    let mut pool = TermPool::new();
    let (x, y) = (byte(&mut pool, "x"), byte(&mut pool, "y"));
    assert_eq!(pool.bv_add(x, y), pool.bv_add(y, x));
    assert_eq!(byte(&mut pool, "x"), x);
    assert_ne!(pool.bv_sub(x, y), pool.bv_sub(y, x));
}

/// What C makes of `if (a < b)` before it is lowered well: `(int)(a < b) != 0`.
#[test]
fn a_comparison_survives_the_detour_over_int() {
    let mut pool = TermPool::new();
    let (a, b) = (byte(&mut pool, "a"), byte(&mut pool, "b"));
    let less = pool.bv_slt(a, b);
    let (one, zero) = (pool.bits(1, 1), pool.bits(1, 0));
    let bit = pool.ite(less, one, zero);
    let int = pool.zero_extend(31, bit);
    let none = pool.bits(32, 0);
    assert_eq!(pool.distinct(int, none), less);
}

#[test]
fn a_value_written_by_bytes_is_read_whole() {
    let mut pool = TermPool::new();
    let value = pool.var("v", Sort::BitVec(32));
    let bytes: Vec<Term> = (0..4).map(|i| pool.extract(8 * i + 7, 8 * i, value)).collect();
    let whole = bytes[1..].iter().fold(bytes[0], |low, &high| pool.concat(high, low));
    assert_eq!(whole, value);
}

#[test]
fn reads_look_through_writes_at_other_offsets() {
    let mut pool = TermPool::new();
    let memory = pool.var("m", ARRAY);
    let pointer = byte(&mut pool, "p");
    let element = pool.var("e", Sort::BitVec(7));
    let (two, three) = (pool.bits(8, 2), pool.bits(8, 3));
    let (at_two, at_three) = (pool.bv_add(pointer, two), pool.bv_add(pointer, three));
    let written = pool.store(memory, at_two, element);
    assert_eq!(pool.select(written, at_two), element);
    assert_eq!(pool.select(written, at_three), pool.select(memory, at_three));
    let elsewhere = byte(&mut pool, "q");
    let unknown = pool.select(written, elsewhere);
    assert_eq!(pool.node(unknown), Node::Select(written, elsewhere));
}

#[test]
fn wide_terms_exist_but_are_not_computed() {
    let mut pool = TermPool::new();
    let minus_one = pool.bits(256, u128::MAX);
    assert_eq!(pool.sort(minus_one), Sort::BitVec(256));
    let product = pool.bv_mul(minus_one, minus_one);
    assert_eq!(eval(&pool, product, &Assignment::new()), None);
    let low = pool.extract(127, 0, minus_one);
    assert_eq!(pool.as_bits(low), Some(u128::MAX));
}

#[test]
fn a_variable_without_a_value_has_no_value() {
    let mut pool = TermPool::new();
    let x = byte(&mut pool, "x");
    let sum = pool.bv_add(x, x);
    assert_eq!(eval(&pool, sum, &Assignment::new()), None);
}
