//! Standard output and standard error, and the selection of units by command-line arguments.

use crate::args::{Input, OneFile};
use gainsay_driver::phases;
use gainsay_driver::select::{SelectOptions, Selection, Unit};
use gainsay_report::visible::{visible, visible_lines};
use std::io::Write;
use std::process::ExitCode;

/// Exit code of usage, input and internal errors.
// not a limit: exit code
pub const FAILURE: u8 = 2;

/// Writes a sentence to standard error. A closed standard error is ignored; control characters in quoted text are escaped.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "gainsay: {}", visible(text));
}

pub fn fail(text: &str) -> ExitCode {
    say(text);
    ExitCode::from(FAILURE)
}

/// Writes to standard output. A reader that closes the pipe early is no failure; every other error is.
pub fn write_out(text: &[u8]) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("standard output: the result cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes lines of text to standard output, with control characters escaped.
pub fn show(text: &str) -> ExitCode {
    match write_out(visible_lines(text).as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem),
    }
}

pub fn select(input: &Input) -> Result<Selection, String> {
    phases::select(&SelectOptions {
        files: &input.files,
        build_dir: input.build_dir.as_deref(),
        flags: &input.flags,
        may_query: input.query.allowed(),
    })
}

/// The unit of a command that takes one file; the first, if the database compiles it several times.
pub fn select_one(input: &OneFile) -> Result<Unit, String> {
    let selection = phases::select(&SelectOptions {
        files: std::slice::from_ref(&input.file),
        build_dir: input.build_dir.as_deref(),
        flags: &input.flags,
        may_query: input.query.allowed(),
    })?;
    match selection.units.into_iter().next() {
        Some(Ok(unit)) => Ok(unit),
        Some(Err(unusable)) => Err(format!("{}: {}", unusable.file, unusable.reason)),
        None => Err(format!("{}: not in the compile database", input.file.display())),
    }
}
