//! The tools that gainsay is compared with. Each is called on one unit of a compile database.

use std::process::Command;
use std::time::Duration;

use super::{CLANG, Cost};
use crate::json::{self, Value};
use crate::process;
use crate::units::Unit;

/// A tool that reads one unit.
pub(super) struct Peer {
    pub(super) name: &'static str,
    command: fn(&Unit, &Value) -> Command,
}

/// The first is the base of all ratios.
pub(super) const PEERS: &[Peer] = &[
    Peer { name: "clang -fsyntax-only", command: |unit, _| clang(unit, &["-fsyntax-only"]) },
    Peer {
        name: "clang --analyze",
        command: |unit, _| {
            clang(unit, &["--analyze", "-Xanalyzer", "-analyzer-output=text", "-o", "/dev/null"])
        },
    },
    Peer { name: "gcc -c", command: |_, entry| gcc(entry, &[]) },
    Peer { name: "gcc -c -fanalyzer", command: |_, entry| gcc(entry, &["-fanalyzer"]) },
    Peer { name: "cppcheck", command: |unit, _| cppcheck(unit) },
];

/// A call that takes longer is stopped, reported, and counted with this time.
const LIMIT: Duration = Duration::from_secs(300);

/// The result of one call.
pub(super) struct Called {
    pub(super) cost: Cost,
    pub(super) failure: Option<String>,
}

impl Peer {
    /// Runs the tool on a unit; `entry` is the unit's entry in the compile database.
    pub(super) fn call(&self, unit: &Unit, entry: &Value) -> Result<Called, String> {
        let mut command = (self.command)(unit, entry);
        let end = process::run_measured(command.current_dir(&unit.directory), Some(LIMIT))?;
        let failure = match end.code {
            _ if end.timed_out => Some(format!("stopped after {} s", LIMIT.as_secs())),
            Some(0) => None,
            code => {
                let why = end.stderr.lines().find(|line| line.contains("error")).unwrap_or("no message");
                Some(format!("ended with {code:?}: {why}"))
            }
        };
        let failure = failure.map(|why| format!("{}: {}: {why}", unit.file, self.name));
        Ok(Called { cost: Cost::of(&end), failure })
    }
}

fn clang(unit: &Unit, action: &[&str]) -> Command {
    let mut command = Command::new(CLANG);
    let flags = unit.flags().iter().filter(|flag| *flag != "-fsyntax-only");
    command.args(flags).args(action).arg("--").arg(unit.source());
    command
}

/// gcc with the flags of the package, without output. -fsyntax-only would disable the analyser.
fn gcc(entry: &Value, action: &[&str]) -> Command {
    let mut kept: Vec<String> = Vec::new();
    let mut words = json::strings(&entry["arguments"]).into_iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" => drop(words.next()),
            "-c" | "-MD" | "-MMD" | "-MP" => {}
            _ => kept.push(word),
        }
    }
    let mut command = Command::new("gcc");
    command.args(kept).args(["-O0", "-w", "-c", "-o", "/dev/null"]).args(action);
    command
}

fn cppcheck(unit: &Unit) -> Command {
    let mut kept: Vec<String> = Vec::new();
    let mut flags = unit.flags().iter();
    while let Some(flag) = flags.next() {
        let mut value = || flags.next().map_or("", String::as_str);
        match flag.as_str() {
            "-I" | "-D" | "-U" => kept.push(format!("{flag}{}", value())),
            "-include" => kept.push(format!("--include={}", value())),
            _ if ["-I", "-D", "-U"].iter().any(|kind| flag.starts_with(kind)) => kept.push(flag.clone()),
            _ => {}
        }
    }
    let mut command = Command::new("cppcheck");
    command.args(["--quiet", "--language=c", "-j1"]).args(kept).arg(unit.source());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_get_the_flags_of_the_package_and_write_no_output() {
        let entry: Value = json::parse(
            r#"{"arguments":["gcc","-DX","-MD","-MF","x.d","-c","-o","x.o","a.c"],"directory":"/d","file":"a.c"}"#,
        )
        .unwrap();
        let line = process::line_of(&gcc(&entry, &["-fanalyzer"]));
        assert_eq!(line, "gcc -DX a.c -O0 -w -c -o /dev/null -fanalyzer");
        let arguments =
            ["clang", "-I", "h", "-DX", "-O0", "-fsyntax-only", "--", "a.c"].map(str::to_owned).to_vec();
        let unit = Unit { directory: "/d".into(), file: "a.c".into(), arguments };
        assert_eq!(process::line_of(&cppcheck(&unit)), "cppcheck --quiet --language=c -j1 -Ih -DX a.c");
        assert_eq!(process::line_of(&clang(&unit, &["--analyze"])), "clang-19 -I h -DX -O0 --analyze -- a.c");
    }
}
