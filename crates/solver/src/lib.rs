//! The oracle: the only crate that will know a solver.
//!
//! Nothing asks a solver yet. The first analysis (`reach`) brings the terms, the encoding and the session
//! that talks to `yices-smt2` over a pipe; `cargo xtask` installs the programs it will start.
