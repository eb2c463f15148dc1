//! One file per subcommand.

pub(crate) mod bench_lower;
pub(crate) mod check;
pub(crate) mod dump;
pub(crate) mod edges;
pub(crate) mod explain;
pub(crate) mod horn;
pub(crate) mod print_args;
pub(crate) mod roundtrip;
pub(crate) mod run_gc;
pub(crate) mod summary;
pub(crate) mod verify;

use crate::args::{Input, OneFile};
use crate::units::{self, Selection, Unit, Wanted};
use gainsay_report::visible::{visible, visible_lines};
use std::io::Write;
use std::process::ExitCode;

/// Usage, input or internal failure.
pub(crate) const FAILURE: u8 = 2;

/// A sentence on standard error; nobody may be there to read it. It may quote whatever was analysed.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "gainsay: {}", visible(text));
}

pub(crate) fn fail(text: &str) -> ExitCode {
    say(text);
    ExitCode::from(FAILURE)
}

/// Writes to standard output. Whoever closed the other end has seen enough; everything else that keeps the result from being
/// written is a failure.
pub(crate) fn write_out(text: &[u8]) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("standard output: the result cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes lines of text to standard output: what a command has to say.
pub(crate) fn show(text: &str) -> ExitCode {
    match write_out(visible_lines(text).as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem),
    }
}

pub(crate) fn select(input: &Input) -> Result<Selection, String> {
    units::select(&Wanted {
        files: &input.files,
        build_dir: input.build_dir.as_deref(),
        flags: &input.flags,
        may_query: input.query.allowed(),
    })
}

/// The one unit of a command that takes one file; the first, if the database compiles it several times.
pub(crate) fn select_one(input: &OneFile) -> Result<Unit, String> {
    let selection = units::select(&Wanted {
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
