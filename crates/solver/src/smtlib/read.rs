//! What the answers mean: values of terms, and the assumptions of a core.

use super::Sexpr;
use super::print::quoted;
use crate::limits::MAX_SHOWN_ANSWER;
use gainsay_term::bits::mask;
use gainsay_term::{FOLDED_WIDTH, Sort, Value};
use std::fmt;

/// An answer of an unexpected form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(String);

impl ReadError {
    /// `got` is truncated.
    pub fn new(what: &str, got: &str) -> ReadError {
        let shown: String = got.trim().chars().take(MAX_SHOWN_ANSWER).collect();
        let more = if got.trim().chars().nth(MAX_SHOWN_ANSWER).is_some() { "..." } else { "" };
        ReadError(format!("the solver answered with {what}: `{shown}{more}`"))
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

/// A value of the given sort. Arrays have none that all solvers write alike: ask for their elements.
pub fn read_value(expr: &Sexpr, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => match expr.as_atom()? {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Sort::BitVec(width) if width <= FOLDED_WIDTH => {
            let value = number(expr, width)?;
            (value & !mask(width) == 0).then_some(Value::Bits { width, value })
        }
        Sort::BitVec(_) | Sort::Array { .. } => None,
    }
}

/// `#b0101`, `#x05` or `(_ bv5 4)`.
fn number(expr: &Sexpr, width: u32) -> Option<u128> {
    match expr {
        Sexpr::Atom(atom) => {
            if let Some(digits) = atom.strip_prefix("#b") {
                (digits.len() == width as usize).then(|| u128::from_str_radix(digits, 2).ok())?
            } else {
                let digits = atom.strip_prefix("#x")?;
                (digits.len() * 4 == width as usize).then(|| u128::from_str_radix(digits, 16).ok())?
            }
        }
        Sexpr::List(list) => match list.as_slice() {
            [Sexpr::Atom(_), Sexpr::Atom(value), Sexpr::Atom(bits)] if bits.parse() == Ok(width) => {
                value.strip_prefix("bv")?.parse().ok()
            }
            _ => None,
        },
        Sexpr::Text(_) => None,
    }
}

/// The answer to `get-value`: pairs of a term and its value, in the order of the question.
pub fn read_values(answer: &str, sorts: &[Sort]) -> Result<Vec<Value>, ReadError> {
    let wrong = || ReadError::new("something else than the values asked for", answer);
    let exprs = Sexpr::read_all(answer)?;
    let [Sexpr::List(pairs)] = exprs.as_slice() else { return Err(wrong()) };
    if pairs.len() != sorts.len() {
        return Err(wrong());
    }
    let value = |(pair, &sort): (&Sexpr, &Sort)| match pair.as_list()? {
        [_, value] => read_value(value, sort),
        _ => None,
    };
    pairs.iter().zip(sorts).map(value).collect::<Option<Vec<Value>>>().ok_or_else(wrong)
}

/// A Boolean symbol, without bars, or its negation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Literal {
    pub symbol: String,
    pub positive: bool,
}

impl Literal {
    /// The answer to `get-unsat-assumptions`.
    pub fn read_all(core: &Sexpr) -> Option<Vec<Literal>> {
        core.as_list()?.iter().map(Literal::read).collect()
    }

    fn read(expr: &Sexpr) -> Option<Literal> {
        match expr {
            Sexpr::Atom(symbol) => Some(Literal { symbol: symbol.clone(), positive: true }),
            Sexpr::List(list) => match list.as_slice() {
                [Sexpr::Atom(not), Sexpr::Atom(symbol)] if not == "not" => {
                    Some(Literal { symbol: symbol.clone(), positive: false })
                }
                _ => None,
            },
            Sexpr::Text(_) => None,
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let symbol = quoted(&self.symbol);
        if self.positive { f.write_str(&symbol) } else { write!(f, "(not {symbol})") }
    }
}
