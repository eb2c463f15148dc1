//! A project in a temporary directory that gainsay runs in.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program of the package that is tested: `gainsay`, or `gainsay-dev`.
const BINARY: &str = match (option_env!("CARGO_BIN_EXE_gainsay"), option_env!("CARGO_BIN_EXE_gainsay-dev")) {
    (Some(binary), _) | (None, Some(binary)) => binary,
    (None, None) => panic!("the package has no program"),
};

pub(crate) struct Project {
    dir: tempfile::TempDir,
}

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Project { dir: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            project.write(name, text.as_bytes());
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, text: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A database that compiles each file with `gcc FLAGS -c FILE`.
    pub(crate) fn write_database(&self, entries: &[(&str, &str)]) {
        let entry = |(file, flags): &(&str, &str)| {
            let command = format!("gcc {flags} -c {file} -o {file}.o");
            serde_json::json!({"directory": self.path(), "file": file, "command": command})
        };
        let entries: Vec<Value> = entries.iter().map(entry).collect();
        self.write("compile_commands.json", Value::Array(entries).to_string().as_bytes());
    }

    /// Runs of `check` use no cache, unless they name one.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let names_cache = |arg: &&str| arg.contains("cache");
        let alone = args.first() == Some(&"check") && !args.iter().any(names_cache);
        let args = if alone { [&args[..1], &["--no-cache"], &args[1..]].concat() } else { args.to_vec() };
        let mut command = Command::new(BINARY);
        command.args(args).current_dir(self.path());
        // Otherwise gainsay would use those of the PATH.
        if solvers().is_dir() {
            command.env("GAINSAY_SOLVERS", solvers());
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }

    /// `check --format json` with these arguments: the code and the report.
    pub(crate) fn check(&self, args: &[&str]) -> (i32, Value) {
        let ran = self.run(&[&["check", "--format", "json"], args].concat());
        (ran.code, ran.json())
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.out, self.err))
    }
}

/// The directory that `GAINSAY_SOLVERS` names, or where `cargo xtask` puts the solvers: gainsay itself does not look there.
pub(crate) fn solvers() -> PathBuf {
    match std::env::var_os("GAINSAY_SOLVERS").filter(|named| !named.is_empty()) {
        Some(named) => named.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin"),
    }
}

/// Writes an executable shell script.
pub(crate) fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Why a file was not analysed.
pub(crate) fn reason<'a>(report: &'a Value, file: &str) -> &'a str {
    let failed = report["coverage"]["failed_units"].as_array().unwrap();
    let unit = failed.iter().find(|unit| unit["file"].as_str().unwrap().ends_with(file));
    unit.unwrap_or_else(|| panic!("{file} is not among {failed:?}"))["reason"].as_str().unwrap()
}
