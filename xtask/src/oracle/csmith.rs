//! `cargo xtask oracle csmith`: random programs of csmith, which have no undefined behaviour.
//!
//! The programs are small, and csmith's headers cost more than one of them. Therefore several programs, with renamed
//! functions and globals, form one unit.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::judged::{self, Judged};
use super::{Binaries, compare, coverage};
use crate::corpus::recorder::{COVERAGE_COMPILER, COVERAGE_FLAGS};
use crate::csmith::{self, HEADERS, Programs};
use crate::process;

/// Programs in one unit.
const BATCH: u64 = 20;

/// The programs limit their own CPU time; this limit is for the case that it does not work.
const NATIVE_LIMIT: Duration = Duration::from_secs(20);

/// A program that has not ended by then probably never ends.
const CPU_LIMIT_MS: u64 = 100;

/// Chosen by seed. The sizes give the most edges in a given time.
const VARIATIONS: &[&[&str]] = &[
    &["--max-funcs", "4", "--max-block-depth", "3"],
    &["--max-funcs", "5", "--max-block-depth", "3", "--max-block-size", "3", "--max-expr-complexity", "6"],
    &["--max-funcs", "3", "--max-block-depth", "3", "--max-struct-fields", "16", "--max-union-fields", "8"],
    &["--max-funcs", "2", "--max-block-depth", "4", "--inline-function", "--max-pointer-depth", "4"],
    &["--no-volatiles", "--concise", "--max-funcs", "4", "--max-block-depth", "3"],
    &["--max-funcs", "3", "--max-block-depth", "2", "--max-expr-complexity", "20", "--max-array-dim", "2"],
];

/// The value of `--loops`, by the number of the batch: `all` takes a minute for a batch.
fn loops(number: u64) -> &'static str {
    match number % 100 {
        99 => "all",
        n if n % 4 == 3 => "off",
        _ => "auto",
    }
}

/// Judges all programs and prints the tally; an error if any edge is wrong.
pub(super) fn judge_all(programs: &Programs) -> Result<(), String> {
    let binaries = Binaries::build()?;
    judged::all(programs, "oracle-csmith", BATCH, |number, seeds, folder| {
        judge_batch(seeds, loops(number), &binaries, folder)
    })
}

fn judge_batch(
    seeds: &[u64],
    loops: &'static str,
    binaries: &Binaries,
    folder: &Path,
) -> Result<Judged, String> {
    judged::make_empty(folder)?;
    let (source, program) = (folder.join("batch.c"), folder.join("program"));
    let mut text = String::from("#include <stdlib.h>\n#include <sys/time.h>\n#include \"csmith.h\"\n");
    for &seed in seeds {
        let variation = VARIATIONS[(seed % VARIATIONS.len() as u64) as usize];
        let made = csmith::generate(seed, variation, folder)?;
        let one = fs::read_to_string(&made).map_err(|e| format!("{}: {e}", made.display()))?;
        text.push_str(&renamed(&one, &format!("s{seed}_")));
    }
    text.push_str(&main_function(seeds));
    fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut compile = Command::new(COVERAGE_COMPILER);
    process::capture(compile.args(COVERAGE_FLAGS).arg(HEADERS).arg("-o").arg(&program).arg(&source))?;
    let mut profiles = Vec::new();
    for seed in seeds {
        let profile = folder.join(format!("{seed}.profraw"));
        let mut start = Command::new(&program);
        start.arg(seed.to_string()).env(coverage::PROFILE, &profile);
        let native = process::run_measured(&mut start, Some(NATIVE_LIMIT))?;
        if native.code == Some(0) && profile.is_file() {
            profiles.push(profile);
        }
    }
    let programs = seeds.len() as u64;
    let not_usable = programs - profiles.len() as u64;
    let judged = match super::edges(binaries, folder, &source, &[HEADERS.to_owned()], None, loops) {
        Err(reason) => Judged::failed(programs, reason),
        Ok(_) if profiles.is_empty() => Judged::compared(programs, loops, Default::default()),
        Ok(edges) => {
            let executed = coverage::read(&program, &profiles, folder)?;
            Judged::compared(programs, loops, compare::compare(&source, &edges, &[executed])?)
        }
    };
    judged.keep_if_wrong(folder)?;
    Ok(Judged { not_usable, ..judged })
}

/// A `main` that runs the program whose seed is the first argument.
fn main_function(seeds: &[u64]) -> String {
    let cases: String = seeds.iter().map(|s| format!("  case {s}: return s{s}_main(1, argv);\n")).collect();
    format!(
        "int main(int argc, char **argv)\n{{\n  struct itimerval limit = {{ {{ 0, 0 }}, {{ 0, {} }} }};\n  \
         setitimer(ITIMER_PROF, &limit, 0);\n  switch (argc > 1 ? atol(argv[1]) : -1) {{\n{cases}  }}\n  return 1;\n}}\n",
        CPU_LIMIT_MS * 1000
    )
}

/// The program with a prefix before all names at file scope.
fn renamed(program: &str, prefix: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = program;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        match word {
            _ if is_own_name(word) => text.extend([prefix, word]),
            _ => text.push_str(word),
        }
        rest = behind;
    }
    // The header is included once; programs without arguments are called like the others.
    text.replace("#include", "// #include")
        .replace(&format!("{prefix}main (void)"), &format!("{prefix}main (int argc, char **argv)"))
}

fn is_own_name(word: &str) -> bool {
    let numbered = |stem: &str| {
        word.strip_prefix(stem).is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    };
    word == "main" || word == "__undefined" || ["g_", "func_", "S", "U"].into_iter().any(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_file_scope_are_renamed_and_no_others() {
        let program = "#include \"csmith.h\"\nstruct S0 { int f1; };\nstatic int g_12; /* SU1 */\nint main (void)\n\
                       { int l_3 = func_1(g_12); return l_3; }\n";
        let expected = "// #include \"csmith.h\"\nstruct s7_S0 { int f1; };\nstatic int s7_g_12; /* SU1 */\n\
                        int s7_main (int argc, char **argv)\n{ int l_3 = s7_func_1(s7_g_12); return l_3; }\n";
        assert_eq!(renamed(program, "s7_"), expected);
    }
}
