//! Asks a cross compiler for its include directories.
//!
//! This is the only code that starts a program named in a compile database, and only with the user's permission: the
//! path must be absolute, or the name found through an absolute entry of `PATH`; a glob given by the user must match
//! the path; and the name must be that of a C compiler. Each compiler is asked once, with a time limit. A database
//! alone never starts a program (docs/security.md).

use super::glob::Glob;
use super::target;
use crate::limits;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;

/// Answers of the compilers that were asked.
#[derive(Debug, Default)]
pub struct Compilers {
    allowed: Vec<Glob>,
    known: BTreeMap<(PathBuf, Vec<String>), Vec<String>>,
    /// Compilers that were not asked, with a note for the user.
    refused: BTreeMap<String, String>,
}

impl Compilers {
    /// Never starts a program.
    pub fn never_ask() -> Self {
        Compilers::default()
    }

    /// Allows compilers whose path matches one of the globs. The error is a sentence for the user.
    pub fn allowing(globs: &[String]) -> Result<Self, String> {
        let parse = |text: &String| {
            Glob::parse(text).ok_or_else(|| {
                format!(
                    "--query-driver={text}: must match an absolute path, such as /usr/bin/arm-none-eabi-*"
                )
            })
        };
        Ok(Compilers { allowed: globs.iter().map(parse).collect::<Result<_, _>>()?, ..Compilers::default() })
    }

    /// Notes for the user about compilers that were not asked.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.refused.values()
    }

    /// System include directories of a compiler, in its order, without the compiler's own headers, which clang
    /// replaces. Empty if it cannot or may not be asked. `options` are its target and root where the command names
    /// them.
    pub(super) fn include_directories(&mut self, compiler: &str, options: Vec<String>) -> &[String] {
        if !target::is_c_compiler(compiler) {
            return &[];
        }
        match self.permitted(compiler) {
            Ok(Some(program)) => {
                self.known.entry((program, options)).or_insert_with_key(|(program, options)| {
                    ask(program, options).map(|answer| parse(&answer)).unwrap_or_default()
                })
            }
            Ok(None) => &[],
            Err(note) => {
                self.refused.insert(compiler.to_owned(), note);
                &[]
            }
        }
    }

    /// The program to ask; `None` if no such program exists. The error says why it may not be asked.
    fn permitted(&self, compiler: &str) -> Result<Option<PathBuf>, String> {
        const NOT_ASKED: &str = "was not asked for its include directories";
        let path = if compiler.starts_with('/') {
            super::clean(Path::new(compiler))
        } else if compiler.contains('/') {
            return Err(format!(
                "the compiler {compiler} {NOT_ASKED}: only a compiler with an absolute path, or one found through PATH, is ever run"
            ));
        } else {
            match in_path(compiler) {
                Some(path) => path,
                None => return Ok(None),
            }
        };
        let is_allowed = path.to_str().is_some_and(|path| self.allowed.iter().any(|glob| glob.matches(path)));
        if is_allowed {
            return Ok(Some(path));
        }
        let path = path.display();
        Err(format!("the compiler {path} {NOT_ASKED}; --query-driver={path} allows gainsay to run it"))
    }
}

/// Looks a bare name up in `PATH`, never in the current directory.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name)).find(is_program)
}

fn ask(program: &Path, options: &[String]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(options).args(["-E", "-v", "-x", "c", "/dev/null"]);
    // Not the project's directory, so that no file of the project is picked up.
    command.current_dir("/");
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let stderr = child.stderr.take()?;
    let (send, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stderr.take(limits::COMPILER_QUERY_BYTES).read_to_end(&mut bytes);
        // After the time limit the receiver is gone.
        let _ = send.send(read.map(|_| String::from_utf8_lossy(&bytes).into_owned()));
    });
    let answer = answer.recv_timeout(limits::COMPILER_QUERY_TIME);
    // The program may have closed stderr and be running still; only its output matters.
    let _ = child.kill();
    let _ = child.wait();
    answer.ok()?.ok()
}

/// The list between gcc's two marker lines.
fn parse(answer: &str) -> Vec<String> {
    answer
        .lines()
        .skip_while(|line| !line.starts_with("#include <...>"))
        .skip(1)
        .take_while(|line| !line.starts_with("End of search list"))
        .map(|line| line.trim().trim_end_matches(" (framework directory)"))
        .map(|dir| super::clean(Path::new(dir)))
        .filter(|dir| dir.is_absolute() && !holds_own_headers(dir))
        .filter_map(|dir| dir.into_os_string().into_string().ok())
        .collect()
}

/// `.../gcc/TRIPLE/VERSION/include`, `.../gcc-cross/TRIPLE/VERSION/include-fixed`, `.../clang/VERSION/include`.
fn holds_own_headers(dir: &Path) -> bool {
    let parts: Vec<_> = dir.iter().map(|part| part.to_string_lossy()).collect();
    match parts.as_slice() {
        [.., last] if last == "include-fixed" => true,
        [.., vendor, _, _, last] if last == "include" && vendor.starts_with("gcc") => true,
        [.., vendor, _, last] if last == "include" && vendor == "clang" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_headers_of_the_compiler_are_left_out() {
        let answer = "ignored\n#include \"...\" search starts here:\n#include <...> search starts here:\n \
            /usr/lib/gcc-cross/aarch64-linux-gnu/12/include\n \
            /usr/lib/gcc-cross/aarch64-linux-gnu/12/include-fixed\n \
            /usr/lib/gcc-cross/aarch64-linux-gnu/12/../../../../aarch64-linux-gnu/include\n \
            /usr/include\nEnd of search list.\n /not/this\n";
        assert_eq!(parse(answer), ["/usr/aarch64-linux-gnu/include", "/usr/include"]);
    }

    #[test]
    fn only_c_compilers_with_an_absolute_path_that_is_allowed_are_asked() {
        let all = ["**".to_owned()];
        for program in ["/bin/sh", "tcc", "./evil", "./gcc", "sub/arm-none-eabi-gcc", "../cc"] {
            let mut compilers = Compilers::allowing(&all).unwrap();
            assert!(compilers.include_directories(program, Vec::new()).is_empty());
            assert!(compilers.known.is_empty(), "{program}");
        }
        let compilers = Compilers::allowing(&["/opt/*/bin/*-gcc".to_owned()]).unwrap();
        let permitted = |compiler: &str| compilers.permitted(compiler).ok().flatten();
        assert_eq!(permitted("/opt/arm/bin/arm-gcc"), Some("/opt/arm/bin/arm-gcc".into()));
        assert_eq!(permitted("/opt/arm/bin/../../../tmp/bin/arm-gcc"), None);
        assert_eq!(permitted("/tmp/bin/arm-gcc"), None);
        assert!(Compilers::never_ask().permitted("/opt/arm/bin/arm-gcc").is_err());
        assert!(Compilers::allowing(&["arm-gcc".to_owned()]).is_err());
    }
}
