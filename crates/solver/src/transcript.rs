//! Transcripts: the commands to a solver as files that can be run again by hand.
//!
//! Each file holds one problem, from one reset of a session to the next; answers stand in it as comments. It is
//! written before the solver is asked, so that the question that killed a solver is the last in its file.

use crate::programs::Program;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Transcript {
    directory: PathBuf,
    introduction: String,
    last_number: u32,
    current: Option<(File, PathBuf)>,
    /// Set once writing has failed; nothing more is written then.
    failure: Option<String>,
}

impl Transcript {
    pub(crate) fn new(directory: &Path, program: &Program) -> Transcript {
        let arguments = program.dialect.arguments_for_file().join(" ");
        let introduction = format!("; {}\n; {} {arguments}\n", program.version, program.path.display());
        Transcript {
            directory: directory.to_owned(),
            introduction,
            last_number: 0,
            current: None,
            failure: None,
        }
    }

    /// What is written next belongs to a new problem.
    pub(crate) fn start_next(&mut self) {
        self.current = None;
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.current.as_ref().map(|(_, path)| path.as_path())
    }

    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(crate) fn write(&mut self, text: &str) {
        if self.failure.is_some() || text.is_empty() {
            return;
        }
        if let Err(e) = self.try_write(text) {
            self.failure =
                Some(format!("{}: the transcript cannot be written: {e}", self.directory.display()));
        }
    }

    pub(crate) fn comment(&mut self, text: &str) {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        self.write(&lines.map(|line| format!("; {line}\n")).collect::<String>());
    }

    fn try_write(&mut self, text: &str) -> io::Result<()> {
        if self.current.is_none() {
            let (mut file, path) = self.create()?;
            file.write_all(self.introduction.as_bytes())?;
            self.current = Some((file, path));
        }
        match &mut self.current {
            Some((file, _)) => file.write_all(text.as_bytes()),
            None => Ok(()),
        }
    }

    /// The next file that does not exist yet: several sessions, of several processes, may share the directory.
    fn create(&mut self) -> io::Result<(File, PathBuf)> {
        fs::create_dir_all(&self.directory)?;
        loop {
            self.last_number += 1;
            let path = self.directory.join(format!("{:05}.smt2", self.last_number));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, path)),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }
}
