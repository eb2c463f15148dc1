//! The command line of gainsay: the only crate of the user's binary that prints, reads options and exits.
//!
//! Read [`args`] first (commands and options), then `commands::check`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod args;
mod commands;
pub mod console;
mod limits;
mod output;

use args::{Args, Command};
use clap::{CommandFactory, FromArgMatches};
use gainsay_driver::worker::{self, process, stack};
use std::process::ExitCode;

/// The program `gainsay`.
pub fn main() -> ExitCode {
    process::keep_freed_memory();
    stack::with_large_stack(run)
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
        Command::Worker(args) => match args.options() {
            Some(options) => worker::run(&options, args.memory_limit),
            None => ExitCode::FAILURE,
        },
        Command::PrintArgs(args) => commands::print_args::run(&args),
    }
}

/// Prints help, the version, or an error in the command line.
fn usage(message: &clap::Error) -> ExitCode {
    match message.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            console::fail(&format!("the help text cannot be written: {error}"))
        }
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(console::FAILURE)),
    }
}
