//! `gainsay-dev`: shows stages of the analysis that users do not need. Oracles, benchmarks and tests use it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench_lower;
mod edges;
mod horn;
mod imports;
mod limits;
mod roundtrip;
mod run_gc;

use clap::{Parser, Subcommand};
use gainsay_driver::worker::{process, stack};
use std::process::ExitCode;

/// Developer commands of gainsay
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lower a file and execute its `main`
    RunGc(run_gc::RunGcArgs),
    /// Export and lower one unit in this process
    BenchLower(bench_lower::BenchLowerArgs),
    /// Print every branch edge that no error-free terminating run takes
    Edges(edges::EdgesArgs),
    /// Decide every branch edge of functions with loops by Horn clauses
    Horn(horn::HornArgs),
    /// Write what each unit imports from the others, for `edges --imports`
    Imports(imports::ImportsArgs),
    /// Print every function, parse the text and compare
    Roundtrip(roundtrip::RoundtripArgs),
}

fn main() -> ExitCode {
    process::keep_freed_memory();
    stack::with_large_stack(|| match Args::parse().command {
        Command::RunGc(args) => run_gc::run(&args),
        Command::BenchLower(args) => bench_lower::run(&args),
        Command::Edges(args) => edges::run(&args),
        Command::Horn(args) => horn::run(&args),
        Command::Imports(args) => imports::run(&args),
        Command::Roundtrip(args) => roundtrip::run(&args),
    })
}
