//! Records compiler calls during a build and turns them into compile_commands.json.
//!
//! Copies of the xtask binary named `gcc` and `cc` come first in PATH. Under these names it appends the call to the
//! log and then executes the real compiler, or writes an empty object.

mod empty;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::json::{self, Value};
use crate::process;
use crate::units::Unit;

/// Environment variable with the log file; if it is not set, calls are not recorded.
pub(crate) const LOG: &str = "GAINSAY_RECORD_LOG";

/// Environment variable that selects clang with coverage as the real compiler.
pub(crate) const COVERAGE: &str = "GAINSAY_RECORD_COVERAGE";

/// Environment variable with the folders, separated by colons, whose objects are compiled. All other objects stay
/// empty.
pub(crate) const COMPILED: &str = "GAINSAY_RECORD_COMPILED";

/// The compiler for coverage and its additional flags. At -O0 nothing is folded before it is counted.
pub(crate) const COVERAGE_COMPILER: &str = "clang-19";
pub(crate) const COVERAGE_FLAGS: &[&str] = &[
    "-O0",
    "-g0",
    "-w",
    // gcc 12 only warns about these.
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-mllvm",
    "-system-headers-coverage=true",
    "-Wl,--build-id",
];

const COMPILER_NAMES: [&str; 2] = ["gcc", "cc"];

/// Installs the recorder under the compilers' names into a folder of the corpus; returns the folder.
pub(crate) fn install(corpus: &Path) -> Result<PathBuf, String> {
    let folder = corpus.join(".recorder");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let own = std::env::current_exe().map_err(|e| format!("cannot find the xtask binary: {e}"))?;
    for name in COMPILER_NAMES {
        // Copied and renamed, because another build may be running the old copy.
        let copy = folder.join(format!("{name}.new"));
        let target = folder.join(name);
        fs::copy(&own, &copy)
            .and_then(|_| fs::rename(&copy, &target))
            .map_err(|e| format!("cannot write {}: {e}", target.display()))?;
    }
    let compiler = process::find_in_path(COMPILER_NAMES[0]).ok_or("no gcc in PATH")?;
    let empty = folder.join(empty::OBJECT);
    process::capture(Command::new(compiler).args(["-c", "-x", "c", "/dev/null", "-o"]).arg(empty))?;
    Ok(folder)
}

/// Whether this process was started under a compiler's name.
pub(crate) fn is_called_as_compiler(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| COMPILER_NAMES.contains(&name))
}

/// Logs the call and executes the real compiler; returns only after writing an empty object, or with an error.
pub(crate) fn record_and_compile(program: &OsStr, arguments: &[OsString]) -> Result<(), String> {
    let name = Path::new(program).file_name().unwrap_or(program);
    let coverage = std::env::var_os(COVERAGE).is_some();
    let wanted = if coverage { OsStr::new(COVERAGE_COMPILER) } else { name };
    let Some(real) = real_compiler(wanted) else {
        return Err(format!("no `{}` in PATH after the recorder", wanted.to_string_lossy()));
    };
    let mut command = Command::new(&real);
    command.args(arguments);
    if coverage {
        command.args(COVERAGE_FLAGS);
    }
    if let Some(log) = std::env::var_os(LOG) {
        let arguments: Vec<String> = arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
        record(Path::new(&log), name, &arguments)?;
        match std::env::var(COMPILED) {
            Ok(folders) => {
                let call = empty::compilation(&arguments).filter(|call| !call.is_below(&folders));
                if let Some(call) = call {
                    let own =
                        std::env::current_exe().map_err(|e| format!("cannot find the recorder: {e}"))?;
                    return call.pretend(&own.with_file_name(empty::OBJECT));
                }
            }
            // Only the generated files are needed; the programs need not be fast.
            Err(_) => drop(command.args(["-O0", "-g0", "-w"])),
        }
    }
    Err(format!("cannot start {}: {}", real.display(), command.exec()))
}

fn real_compiler(name: &OsStr) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let path = std::env::var_os("PATH")?;
    let own_folder = own.parent()?;
    std::env::split_paths(&path)
        .filter(|dir| dir != own_folder)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

fn record(log: &Path, name: &OsStr, arguments: &[String]) -> Result<(), String> {
    let directory = std::env::current_dir().map_err(|e| format!("no current directory: {e}"))?;
    let mut lines = String::new();
    for entry in entries(&directory.to_string_lossy(), &name.to_string_lossy(), arguments) {
        lines += &entry.to_string();
        lines += "\n";
    }
    // One write per call, so that parallel makes append whole lines.
    let mut file = File::options().create(true).append(true).open(log).map_err(|e| e.to_string())?;
    file.write_all(lines.as_bytes()).map_err(|e| format!("cannot write {}: {e}", log.display()))
}

/// One compile database entry per C file that this call compiles.
fn entries(directory: &str, compiler: &str, arguments: &[String]) -> Vec<Value> {
    let only_preprocesses = arguments.iter().any(|a| matches!(a.as_str(), "-E" | "-M" | "-MM"));
    let sources = positions_of(arguments, &[".c"]);
    if only_preprocesses {
        return Vec::new();
    }
    let entry = |&own: &usize| {
        let mut words = vec![compiler];
        let others = arguments.iter().enumerate().filter(|(i, _)| *i == own || !sources.contains(i));
        words.extend(others.map(|(_, argument)| argument.as_str()));
        json!({ "directory": directory, "file": arguments[own], "arguments": words })
    };
    sources.iter().map(entry).collect()
}

/// Options whose value is the next word, which is not compiled even if it ends in `.c`.
const WITH_VALUE: [&str; 9] = ["-o", "-MF", "-MT", "-MQ", "-include", "-imacros", "-I", "-D", "-x"];

/// The positions of the compiled files with these endings.
fn positions_of(arguments: &[String], endings: &[&str]) -> Vec<usize> {
    let is_value = |i: usize| i > 0 && WITH_VALUE.contains(&arguments[i - 1].as_str());
    let is_source = |argument: &str| {
        let scratch =
            Path::new(argument).file_name().is_some_and(|f| f.to_string_lossy().starts_with("conftest"));
        endings.iter().any(|ending| argument.ends_with(ending)) && !argument.starts_with('-') && !scratch
    };
    (0..arguments.len()).filter(|&i| is_source(&arguments[i]) && !is_value(i)).collect()
}

/// Turns the log into a compile database of distinct units; returns their number.
pub(crate) fn write_database(calls: &Path, database: &Path) -> Result<usize, String> {
    let text = fs::read_to_string(calls).map_err(|e| format!("no compiler call was recorded: {e}"))?;
    let mut seen = std::collections::BTreeSet::new();
    let mut units = Vec::new();
    for line in text.lines() {
        let Unit { directory, file, arguments } = json::parse(line)?;
        let file = Path::new(&directory).join(file);
        // A source that the build removed cannot be analysed.
        if file.is_file() && seen.insert((file, meaning(&arguments))) {
            units.push(line);
        }
    }
    let text = format!("[\n{}\n]\n", units.join(",\n"));
    let unfinished = database.with_extension("json.new");
    fs::write(&unfinished, text)
        .and_then(|()| fs::rename(&unfinished, database))
        .map_err(|e| format!("cannot write {}: {e}", database.display()))?;
    Ok(units.len())
}

/// The arguments that can change the meaning of the source. libtool compiles every file twice, with and without PIC.
fn meaning(arguments: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" => drop(words.next()),
            "-fPIC" | "-fPIE" | "-DPIC" | "-c" => {}
            _ => out.push(word.clone()),
        }
    }
    out
}

/// The number of units in a compile database.
pub(crate) fn count_units(database: &Path) -> Result<usize, String> {
    let text =
        fs::read_to_string(database).map_err(|e| format!("cannot read {}: {e}", database.display()))?;
    let units: Vec<Value> = json::parse(&text).map_err(|e| format!("{}: {e}", database.display()))?;
    Ok(units.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries_of(line: &str) -> Vec<Value> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        entries("/d", "gcc", &words)
    }

    #[test]
    fn every_c_file_of_a_call_is_one_unit() {
        let expected =
            json!({"directory": "/d", "file": "b.c", "arguments": ["gcc", "-O2", "-o", "x", "b.c", "c.o"]});
        let entries = entries_of("-O2 -o x a.c b.c c.o");
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[1], expected);
    }

    #[test]
    fn configure_tests_preprocessing_and_option_values_are_not_units() {
        for line in ["-c conftest.c", "-E a.c", "-MM a.c", "-include a.c -c b.s", "a.o -o x", "-c a.cc"] {
            assert_eq!(entries_of(line), Vec::<Value>::new(), "{line}");
        }
    }

    #[test]
    fn pic_and_output_do_not_make_a_different_unit_but_macros_do() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let plain = meaning(&words("gcc -DA -c a.c -o a.o"));
        assert_eq!(plain, meaning(&words("gcc -DA -c a.c -fPIC -DPIC -o .libs/a.o")));
        assert_ne!(plain, meaning(&words("gcc -DB -c a.c -o a.o")));
    }
}
