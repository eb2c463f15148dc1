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
use std::io::Write;
use std::process::ExitCode;

/// Usage, input or internal failure.
pub(crate) const FAILURE: u8 = 2;

/// A sentence on standard error; nobody may be there to read it.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "gainsay: {text}");
}

pub(crate) fn fail(text: &str) -> ExitCode {
    say(text);
    ExitCode::from(FAILURE)
}

/// Writes to standard output. Whoever closed the other end has seen enough.
pub(crate) fn write_out(text: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
}

pub(crate) fn select(input: &Input) -> Result<Selection, String> {
    units::select(&Wanted {
        files: &input.files,
        build_dir: input.build_dir.as_deref(),
        flags: &input.flags,
        ask_compilers: !input.no_query_compiler,
    })
}

/// The one unit of a command that takes one file; the first, if the database compiles it several times.
pub(crate) fn select_one(input: &OneFile) -> Result<Unit, String> {
    let selection = units::select(&Wanted {
        files: std::slice::from_ref(&input.file),
        build_dir: input.build_dir.as_deref(),
        flags: &input.flags,
        ask_compilers: !input.no_query_compiler,
    })?;
    match selection.units.into_iter().next() {
        Some(Ok(unit)) => Ok(unit),
        Some(Err(unusable)) => Err(format!("{}: {}", unusable.file, unusable.reason)),
        None => Err(format!("{}: not in the compile database", input.file.display())),
    }
}
