//! SMT-LIB 2, the language of the solvers: writing formulas, reading answers.

mod print;
mod read;
mod sexpr;

pub use print::{Printer, variable_symbol};
pub use read::{Literal, ReadError, read_value, read_values};
pub use sexpr::Sexpr;
