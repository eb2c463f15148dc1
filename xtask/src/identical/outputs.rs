//! The outputs of one gainsay binary: computed, or read from an earlier comparison.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use super::Format;
use crate::json::{self, Value};
use crate::{process, workspace};

/// Standard output and exit code of one run.
pub(super) struct Output {
    pub(super) code: i32,
    pub(super) text: String,
}

/// How a binary is called.
#[derive(Clone, Copy)]
pub(super) struct Analysis {
    pub(super) cached: bool,
    pub(super) jobs: Option<u64>,
}

/// A binary whose outputs are compared.
pub(super) struct Source {
    binary: PathBuf,
    analysis: Analysis,
    /// Removed when this is dropped.
    cache: Option<PathBuf>,
    /// Directory with earlier outputs of the same binary.
    reuse: Option<PathBuf>,
}

impl Source {
    /// `role` names the temporary cache, which two sources never share.
    pub(super) fn new(
        role: &str,
        binary: PathBuf,
        analysis: Analysis,
        reuse: Option<&Path>,
    ) -> Result<Source, String> {
        if let Some(directory) = reuse {
            claim(directory, &identity(&binary)?)?;
        }
        let cache = analysis
            .cached
            .then(|| std::env::temp_dir().join(format!("gainsay-identical-{role}-{}", std::process::id())));
        Ok(Source { binary, analysis, cache, reuse: reuse.map(Path::to_path_buf) })
    }

    pub(super) fn output(&self, package: &str, directory: &Path, format: Format) -> Result<Output, String> {
        let Some(reuse) = &self.reuse else { return self.compute(directory, format) };
        let file = reuse.join(format!("{package}.{format}"));
        if let Ok(stored) = fs::read_to_string(&file) {
            return read(&stored).ok_or_else(|| format!("{} is damaged; remove it", file.display()));
        }
        let output = self.compute(directory, format)?;
        // Renamed when complete, so that an interrupted run leaves no partial output.
        let unfinished = file.with_extension("unfinished");
        fs::write(&unfinished, format!("{}\n{}", output.code, output.text))
            .and_then(|()| fs::rename(&unfinished, &file))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        Ok(output)
    }

    fn compute(&self, directory: &Path, format: Format) -> Result<Output, String> {
        let mut command = workspace::call(&self.binary);
        // Files are named relative to the current directory.
        command.args(["check", "-p", ".", "-q"]).args(format.arguments()).current_dir(directory);
        command.args(self.analysis.jobs.map(|n| format!("-j{n}")));
        match &self.cache {
            Some(cache) => command.arg("--cache-dir").arg(cache),
            None => command.arg("--no-cache"),
        };
        let end = process::run_measured(&mut command, None)?;
        match end.code {
            Some(code @ (0 | 1)) => Ok(Output { code, text: end.stdout }),
            code => {
                let message = end.stderr.lines().last().unwrap_or("no message");
                Err(format!("{} ended with {code:?}: {message}", self.binary.display()))
            }
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Some(cache) = &self.cache {
            let _ = fs::remove_dir_all(cache);
        }
    }
}

/// A hash of the binary.
fn identity(binary: &Path) -> Result<String, String> {
    let bytes = fs::read(binary).map_err(|e| format!("cannot read {}: {e}", binary.display()))?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    Ok(format!("{:016x}", hasher.finish()))
}

/// Creates the directory of earlier outputs; an error if they are of another binary.
fn claim(directory: &Path, identity: &str) -> Result<(), String> {
    let file = directory.join("binary");
    match fs::read_to_string(&file) {
        Ok(stored) if stored == identity => Ok(()),
        Ok(_) => Err(format!("{} has outputs of another binary", directory.display())),
        Err(_) => fs::create_dir_all(directory)
            .and_then(|()| fs::write(&file, identity))
            .map_err(|e| format!("cannot write {}: {e}", file.display())),
    }
}

fn read(stored: &str) -> Option<Output> {
    let (code, text) = stored.split_once('\n')?;
    Some(Output { code: code.parse().ok()?, text: text.to_owned() })
}

/// SARIF without the table of rules.
pub(super) fn without_rules(sarif: &str) -> Result<String, String> {
    let mut log: Value = json::parse(sarif)?;
    for run in log["runs"].as_array_mut().into_iter().flatten() {
        run["tool"]["driver"]["rules"] = Value::Null;
    }
    serde_json::to_string_pretty(&log).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_reused_only_for_the_same_binary() {
        let scratch = std::env::temp_dir().join(format!("gainsay-outputs-{}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let (binary, reuse) = (scratch.join("gainsay"), scratch.join("outputs"));
        let script = |text: &str| {
            use std::os::unix::fs::PermissionsExt;
            fs::write(&binary, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        };
        let analysis = Analysis { cached: false, jobs: None };
        let source = || Source::new("test", binary.clone(), analysis, Some(&reuse));
        script("echo x >>calls; echo found; exit 1");
        for _ in 0..2 {
            let output = source().unwrap().output("p", &scratch, Format::Json).unwrap();
            assert_eq!((output.code, output.text.as_str()), (1, "found\n"));
        }
        assert_eq!(fs::read_to_string(scratch.join("calls")).unwrap(), "x\n");
        script("exit 2");
        assert!(source().is_err_and(|e| e.contains("another binary")));
        let fails = Source::new("test", binary.clone(), analysis, None).unwrap();
        assert!(fails.output("p", &scratch, Format::Json).is_err());
        fs::remove_dir_all(&scratch).unwrap();
    }
}
