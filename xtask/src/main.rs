//! The developer's commands: `cargo xtask COMMAND`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program prints; the lint is for the libraries"
)]

mod bench;
mod corpus;
mod corpus_check;
mod csmith;
mod demo;
mod findings;
mod fuzz;
mod half_includes;
mod identical;
mod invariance;
mod json;
mod oracle;
mod process;
mod scaffold;
mod setup;
mod solvers;
mod test;
mod tidy;
mod torture;
mod units;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

const AFTER_HELP: &str = "\
Environment:
  GAINSAY_CORPUS      Directory of the corpus [default: ~/.cache/gainsay/corpus]
  GAINSAY_BINARY      Use this gainsay instead of building the working copy
  GAINSAY_DEV_BINARY  The same for the developer's commands
  GAINSAY_SOLVERS     Directory of the solvers [default: .solvers/bin]";

/// Build, test and measure gainsay.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install missing dependencies, build gainsay and run it on examples/
    Demo,
    /// Install missing dependencies and run every check that a change must pass
    Test(test::Options),
    /// Check the rules of this repository that no compiler checks
    Tidy,
    /// Create the files of a new rule
    NewRule(scaffold::rule::Options),
    /// Create the files of a new pass
    NewPass(scaffold::pass::Options),
    /// Compare random programs: native execution against the GC interpreter
    Csmith(csmith::Programs),
    /// Run gcc's self-checking test programs in the GC interpreter
    Torture(torture::Options),
    /// Fetch and build real programs with their compile_commands.json
    Corpus(corpus::Options),
    /// Run gainsay on the corpus and report coverage, gaps and the round trip of the text form
    CorpusCheck(corpus_check::Options),
    /// Compare the findings on real programs with the judged ones in tests/corpus/
    Findings(findings::Options),
    /// Compare the outputs of two gainsay binaries on the corpus, byte for byte
    Identical(identical::Options),
    /// Check that display, workers, cache and additional analyses do not change what is proved
    Invariance(invariance::Options),
    /// Compare gainsay's verdicts with what programs execute
    #[command(subcommand)]
    Oracle(oracle::Oracle),
    /// Fuzz everything that reads input, guided by coverage
    Fuzz(fuzz::Options),
    /// Measure what gainsay costs, compared with other tools in the same run
    #[command(subcommand)]
    Bench(bench::Benchmark),
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let Some((program, rest)) = arguments.split_first() else { return ExitCode::FAILURE };
    if corpus::recorder::is_called_as_compiler(program) {
        return exit_code("recorder", corpus::recorder::record_and_compile(program, rest));
    }
    exit_code("xtask", run(Arguments::parse().command))
}

fn exit_code(program: &str, result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{program}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), String> {
    match command {
        Command::Demo => demo::run(),
        Command::Test(options) => test::run(&options),
        Command::Tidy => tidy::run(),
        Command::NewRule(options) => scaffold::rule::run(&options),
        Command::NewPass(options) => scaffold::pass::run(&options),
        Command::Csmith(programs) => csmith::run(programs),
        Command::Torture(options) => torture::run(&options),
        Command::Corpus(options) => corpus::run(&options.packages),
        Command::CorpusCheck(options) => corpus_check::run(&options),
        Command::Findings(options) => findings::run(&options),
        Command::Identical(options) => identical::run(&options),
        Command::Invariance(options) => invariance::run(&options.packages),
        Command::Oracle(oracle) => oracle::run(&oracle),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Bench(benchmark) => bench::run(&benchmark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
