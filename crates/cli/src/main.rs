//! The edge: the only crate that prints, reads options and the environment, and ends the process.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod analyse;
mod args;
mod cache;
mod check_options;
mod clock;
mod commands;
mod conditional;
mod frame;
mod kit;
mod known;
mod limits;
mod nursery;
mod output;
mod owner;
mod piece;
mod places;
mod positions;
mod program;
mod progress;
mod read;
mod stack;
mod supervise;
mod unit_file;
mod units;
mod verify_work;
mod work;
mod worker;

use args::{Args, Command};
use clap::{CommandFactory, FromArgMatches};
use std::process::ExitCode;

fn main() -> ExitCode {
    limits::keep_freed_memory();
    stack::with_room(run)
}

fn run() -> ExitCode {
    let version = format!("{} (clang {})", env!("CARGO_PKG_VERSION"), gainsay_frontend::clang::version());
    let parsed = Args::command().version(version).try_get_matches();
    let args = match parsed.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(message) => return usage(&message),
    };
    match args.command {
        Command::Check(args) => commands::check::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Dump(args) => commands::dump::run(&args),
        Command::Edges(args) => commands::edges::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Horn(args) => commands::horn::run(&args),
        Command::Summary(args) => commands::summary::run(&args),
        Command::Worker(args) => worker::run(&args),
        Command::RunGc(args) => commands::run_gc::run(&args),
        Command::PrintArgs(args) => commands::print_args::run(&args),
        Command::BenchLower(args) => commands::bench_lower::run(&args),
        Command::Roundtrip(args) => commands::roundtrip::run(&args),
    }
}

/// Help, the version, or what is wrong with the command line.
fn usage(message: &clap::Error) -> ExitCode {
    match message.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            commands::fail(&format!("the text cannot be written: {error}"))
        }
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(commands::FAILURE)),
    }
}
