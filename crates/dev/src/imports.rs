//! `gainsay-dev imports`: writes what each unit of a program imports from the others, for `gainsay-dev edges --imports`.

use clap::Args;
use gainsay::args::Input;
use gainsay::console::{fail, say, select};
use gainsay_driver::summaries::Summaries;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct ImportsArgs {
    /// Directory to write to
    #[arg(long, value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    input: Input,
}

pub(crate) fn run(args: &ImportsArgs) -> ExitCode {
    match write(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem),
    }
}

fn write(args: &ImportsArgs) -> Result<(), String> {
    let selection = select(&args.input)?;
    selection.notes.iter().for_each(|note| say(note));
    let extent = selection.extent(args.input.whole_program);
    let summaries = Summaries::of(&selection, extent, &say).ok_or("no unit could be read")?;
    summaries.write_imports(&args.directory)
}
