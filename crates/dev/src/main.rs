//! `gainsay-dev`: looks into the engine. The oracles, the benchmarks and the tests use it; users never need it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench_lower;
mod edges;
mod horn;
mod roundtrip;
mod run_gc;

use clap::{Parser, Subcommand};
use gainsay_driver::{process_limits, stack};
use std::process::ExitCode;

/// Developer commands of gainsay.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lower a file and execute its main
    RunGc(run_gc::RunGcArgs),
    /// Export and lower one unit in this process
    BenchLower(bench_lower::BenchLowerArgs),
    /// List every branch edge that no run which ends well can take
    Edges(edges::EdgesArgs),
    /// Ask Horn clauses about every branch edge of functions with loops
    Horn(horn::HornArgs),
    /// Print every function, read it back and compare
    Roundtrip(roundtrip::RoundtripArgs),
}

fn main() -> ExitCode {
    process_limits::keep_freed_memory();
    stack::with_room(|| match Args::parse().command {
        Command::RunGc(args) => run_gc::run(&args),
        Command::BenchLower(args) => bench_lower::run(&args),
        Command::Edges(args) => edges::run(&args),
        Command::Horn(args) => horn::run(&args),
        Command::Roundtrip(args) => roundtrip::run(&args),
    })
}
