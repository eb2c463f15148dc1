//! A cross compiler's own include directories, which only it knows.
//!
//! The one place where a program named in a compile database is started: only if its name is that of a C
//! compiler, only to ask, only for a few seconds, and not at all if the user says so.

use super::target;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const TIME_LIMIT: Duration = Duration::from_secs(5);
const MAX_ANSWER: u64 = 1 << 20;

/// Compilers that were asked, and what they answered.
#[derive(Debug, Default)]
pub struct Compilers {
    may_ask: bool,
    known: BTreeMap<(PathBuf, Option<String>), Vec<String>>,
}

impl Compilers {
    /// Compilers may be started to ask them for their include directories.
    pub fn ask() -> Self {
        Compilers { may_ask: true, known: BTreeMap::new() }
    }

    /// No program is ever started.
    pub fn never_ask() -> Self {
        Compilers::default()
    }

    /// System include directories of a compiler, in its order, without those that hold the compiler's own
    /// headers: clang brings its own. Empty if it cannot be asked.
    pub(super) fn include_directories(
        &mut self,
        compiler: &str,
        sysroot: Option<&str>,
        directory: &Path,
    ) -> &[String] {
        if !self.may_ask || !target::is_c_compiler(compiler) {
            return &[];
        }
        // A bare name is looked up in PATH by the system.
        let program = if compiler.contains('/') { directory.join(compiler) } else { compiler.into() };
        let key = (program, sysroot.map(str::to_owned));
        self.known.entry(key).or_insert_with_key(|(program, sysroot)| {
            ask(program, sysroot.as_deref()).map(|answer| parse(&answer)).unwrap_or_default()
        })
    }
}

fn ask(program: &Path, sysroot: Option<&str>) -> Option<String> {
    let mut command = Command::new(program);
    command.args(["-E", "-v", "-x", "c", "/dev/null"]);
    command.args(sysroot.map(|dir| format!("--sysroot={dir}")));
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let stderr = child.stderr.take()?;
    let (send, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stderr.take(MAX_ANSWER).read_to_end(&mut bytes);
        // Nobody listens any more after the time limit.
        let _ = send.send(read.map(|_| String::from_utf8_lossy(&bytes).into_owned()));
    });
    let answer = answer.recv_timeout(TIME_LIMIT);
    // It may have closed stderr and go on; what it said is all we want.
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
    fn a_program_that_is_no_c_compiler_is_not_started() {
        let dir = std::env::temp_dir();
        let mut compilers = Compilers::ask();
        for program in ["/bin/sh", "tcc", "./evil"] {
            assert!(compilers.include_directories(program, None, &dir).is_empty());
        }
        assert!(compilers.known.is_empty());
    }
}
