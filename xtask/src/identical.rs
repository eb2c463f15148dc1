//! `cargo xtask identical`: shows that a refactoring changes no behaviour. Two gainsay binaries check the packages of the
//! corpus, and every output must be the same, byte for byte.

mod outputs;

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;

use crate::{corpus, setup, workspace};
use outputs::{Analysis, Output, Source};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The gainsay binary to compare with
    #[arg(value_name = "OLD_BINARY")]
    old: PathBuf,
    /// The gainsay binary to test [default: built from the working copy]
    #[arg(long, value_name = "NEW_BINARY")]
    new: Option<PathBuf>,
    /// Outputs to compare
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', default_values_t = Format::value_variants().to_vec())]
    formats: Vec<Format>,
    /// Analyse each package once per binary and set of options, and take the other formats from a temporary cache
    #[arg(long)]
    cached: bool,
    /// Directory with outputs of OLD_BINARY; existing ones are used, missing ones are added
    #[arg(long, value_name = "DIR")]
    reuse: Option<PathBuf>,
    /// Ignore the rule pages in SARIF, which come from docs/rules/
    #[arg(long)]
    ignore_rule_pages: bool,
    /// Number of workers [default: gainsay's]
    #[arg(short = 'j', value_name = "N")]
    jobs: Option<u64>,
    /// Packages [default: all twelve]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON of a default run
    Json,
    /// SARIF of a default run
    Sarif,
    /// Text of a default run, one line for each position
    Text,
    /// Text of a default run with source snippets and colors
    Snippets,
    /// JSON with all noise classes, beliefs and evidence
    AllJson,
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Text => "text",
            Format::Snippets => "snippets",
            Format::AllJson => "all-json",
        }
    }

    /// The options of `gainsay check`.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Format::Json => &["--format=json"],
            Format::Sarif => &["--format=sarif"],
            Format::Text => &["--format=text", "--color=never"],
            Format::Snippets => &["--format=text", "--color=always"],
            Format::AllJson => &["--format=json", "--show=all", "--beliefs", "--evidence=default"],
        }
    }
}

/// Prints a line for each package and format; an error if any output differs.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let packages = corpus::built(&options.packages)?;
    for wanted in corpus::select(&options.packages)? {
        if !packages.iter().any(|(package, _)| package.name == wanted.name) {
            return Err(format!("{0} is not built; run `cargo xtask corpus {0}` first", wanted.name));
        }
    }
    setup::for_analyses(&workspace::root())?;
    let new = match &options.new {
        Some(binary) => std::path::absolute(binary).map_err(|e| format!("{}: {e}", binary.display()))?,
        None => workspace::build_gainsay()?,
    };
    let old = std::path::absolute(&options.old).map_err(|e| format!("{}: {e}", options.old.display()))?;
    let analysis = Analysis { cached: options.cached, jobs: options.jobs };
    let old = Source::new("old", old, analysis, options.reuse.as_deref())?;
    let new = Source::new("new", new, analysis, None)?;
    let mut n_different = 0;
    for (package, directory) in &packages {
        for &format in &options.formats {
            let start = Instant::now();
            let describe = |e| format!("{} {format}: {e}", package.name);
            let [old, new] =
                [old.output(package.name, directory, format), new.output(package.name, directory, format)];
            let (old, new) = (old.map_err(describe)?, new.map_err(describe)?);
            let difference = difference(&old, &new, format, options.ignore_rule_pages)?;
            let verdict = if difference.is_some() { "DIFFERENT" } else { "identical" };
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{:<10} {:<9} {:>9} bytes {seconds:>7.1} s  {verdict}",
                package.name,
                format.name(),
                new.text.len()
            );
            if let Some(difference) = difference {
                println!("{difference}");
                n_different += 1;
            }
        }
    }
    if n_different == 0 { Ok(()) } else { Err(format!("{n_different} output(s) differ")) }
}

/// The first difference between two outputs, with the lines before it.
fn difference(
    old: &Output,
    new: &Output,
    format: Format,
    ignore_rule_pages: bool,
) -> Result<Option<String>, String> {
    if old.code != new.code {
        return Ok(Some(format!("  exit code {}, was {}", new.code, old.code)));
    }
    if ignore_rule_pages && format == Format::Sarif {
        let [old, new] = [outputs::without_rules(&old.text)?, outputs::without_rules(&new.text)?];
        return Ok(first_difference(&old, &new));
    }
    Ok(first_difference(&old.text, &new.text))
}

fn first_difference(old: &str, new: &str) -> Option<String> {
    /// Lines before the difference that are shown.
    const CONTEXT: usize = 3;
    if old == new {
        return None;
    }
    let [old, new] = [old, new].map(|text| text.split('\n').collect::<Vec<_>>());
    let at = old.iter().zip(&new).position(|(a, b)| a != b).unwrap_or(old.len().min(new.len()));
    let mut lines = vec![format!("  line {}:", at + 1)];
    lines.extend(new[at.saturating_sub(CONTEXT)..at].iter().map(|line| format!("    {line}")));
    let side = |sign: &str, text: &[&str]| match text.get(at) {
        Some(line) => format!("  {sign} {line}"),
        None => format!("  {sign} (end of output)"),
    };
    lines.extend([side("-", &old), side("+", &new)]);
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_different_line_is_shown_with_context() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let shown = first_difference("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nx\n7\n").unwrap();
        assert_eq!(shown, "  line 5:\n    2\n    3\n    4\n  - 5\n  + x");
        assert!(first_difference("a", "a\nb").unwrap().ends_with("  - (end of output)\n  + b"));
        assert!(first_difference("a", "a\n").is_some());
    }

    #[test]
    fn exit_codes_and_rule_pages_are_compared() {
        let sarif = |page: &str, result: &str| {
            let text = format!(
                r#"{{"runs":[{{"tool":{{"driver":{{"rules":["{page}"]}}}},"results":["{result}"]}}]}}"#
            );
            Output { code: 1, text }
        };
        let (old, new) = (sarif("page", "finding"), sarif("better page", "finding"));
        assert!(difference(&old, &new, Format::Sarif, false).unwrap().is_some());
        assert!(difference(&old, &new, Format::Sarif, true).unwrap().is_none());
        assert!(difference(&old, &sarif("page", "other"), Format::Sarif, true).unwrap().is_some());
        let ended = Output { code: 0, ..sarif("page", "finding") };
        assert!(
            difference(&old, &ended, Format::Sarif, true).unwrap().unwrap().contains("exit code 0, was 1")
        );
    }
}
