//! Where a result is written, and in which format.

use crate::args::{Color, Format};
use crate::console::write_out;
use crate::limits::LARGEST_SOURCE;
use gainsay_report::coverage::Coverage;
use gainsay_report::finding::Finding;
use gainsay_report::render::{json, sarif, snippet, text};
use gainsay_report::visible::visible_lines;
use std::fs::{self, OpenOptions};
use std::io::{IsTerminal, Read};
use std::path::Path;

/// Standard output or a file.
pub(crate) struct Output<'a>(Option<&'a Path>);

impl<'a> Output<'a> {
    /// Checks before the run that the result can be written.
    pub(crate) fn open(file: Option<&'a Path>) -> Result<Self, String> {
        if let Some(path) = file {
            OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .map_err(|error| unwritable(path, &error))?;
        }
        Ok(Output(file))
    }

    pub(crate) fn write(&self, text: &[u8]) -> Result<(), String> {
        match self.0 {
            Some(path) => fs::write(path, text).map_err(|error| unwritable(path, &error)),
            None => write_out(text),
        }
    }

    /// A patch as it is written: unchanged, except that control characters of the sources are escaped on a terminal.
    pub(crate) fn patch(&self, patch: &str) -> Vec<u8> {
        if self.is_terminal() { visible_lines(patch).into_owned().into_bytes() } else { patch.into() }
    }

    fn is_terminal(&self) -> bool {
        self.0.is_none() && std::io::stdout().is_terminal()
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> String {
    format!("{}: the result cannot be written: {error}", path.display())
}

/// The result in the format that the user chose.
pub(crate) fn render(
    format: Format,
    color: Color,
    output: &Output,
    findings: &[Finding],
    coverage: &Coverage,
) -> Result<Vec<u8>, String> {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let mut out = Vec::new();
    let done = match format {
        Format::Json => json::write(VERSION, findings, coverage, &mut out),
        Format::Sarif => {
            let current =
                std::env::current_dir().map_err(|error| format!("the current directory is gone: {error}"))?;
            let about = sarif::About { version: VERSION, directory: &current.to_string_lossy(), coverage };
            sarif::write(&about, findings, &read_source, &mut out)
        }
        Format::Text => {
            let terminal = output.is_terminal();
            match color {
                Color::Always => snippet::write(findings, &read_source, true, &mut out),
                Color::Auto if terminal => {
                    snippet::write(findings, &read_source, environment_allows_color(), &mut out)
                }
                Color::Never if terminal => snippet::write(findings, &read_source, false, &mut out),
                Color::Auto | Color::Never => text::write(findings, &mut out),
            }
        }
    };
    done.map(|()| out).map_err(|error| format!("the result cannot be written: {error}"))
}

/// Whether NO_COLOR and TERM allow colors.
fn environment_allows_color() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// A source file of a finding, by its name relative to the current directory. Does not block on pipes and devices.
fn read_source(file: &str) -> Option<Vec<u8>> {
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(LARGEST_SOURCE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
