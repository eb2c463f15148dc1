//! The edge: the only crate that prints, reads options and the environment, and ends the process.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod args;
mod commands;
pub mod console;
mod output;

use args::{Args, Command};
use clap::{CommandFactory, FromArgMatches};
use gainsay_driver::{process_limits, stack, worker};
use std::process::ExitCode;

/// The whole program.
pub fn main() -> ExitCode {
    process_limits::keep_freed_memory();
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
        Command::Explain(args) => commands::explain::run(&args),
        Command::Summary(args) => commands::summary::run(&args),
        Command::Worker(args) => match args.order() {
            Some(order) => worker::run(&order, args.memory_limit),
            None => ExitCode::FAILURE,
        },
        Command::PrintArgs(args) => commands::print_args::run(&args),
    }
}

/// Help, the version, or what is wrong with the command line.
fn usage(message: &clap::Error) -> ExitCode {
    match message.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            console::fail(&format!("the text cannot be written: {error}"))
        }
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(console::FAILURE)),
    }
}
