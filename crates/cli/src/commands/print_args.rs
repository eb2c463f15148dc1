//! `gainsay print-args`: the arguments that each unit is parsed with, for benchmarks against clang.

use crate::args::PrintArgsArgs;
use crate::console::{fail, select, write_out};
use std::process::ExitCode;

pub(crate) fn run(args: &PrintArgsArgs) -> ExitCode {
    let selection = match select(&args.input) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    let mut out = String::new();
    for unit in selection.units.iter().flatten() {
        let line = serde_json::json!({
            "directory": unit.directory,
            "file": unit.file,
            "arguments": unit.arguments,
        });
        out.push_str(&format!("{line}\n"));
    }
    match write_out(out.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem),
    }
}
