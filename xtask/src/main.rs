//! The developer's commands: `cargo xtask COMMAND`. Std only, so that it builds before anything is installed.

mod bench;
mod corpus;
mod corpus_check;
mod csmith;
mod demo;
mod findings;
mod fuzz;
mod half_includes;
mod invariance;
mod json;
mod options;
mod oracle;
mod process;
mod setup;
mod solvers;
mod test;
mod tidy;
mod torture;
mod units;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use options::Options;

const HELP: &str = "\
usage: cargo xtask COMMAND

  demo                                 install what is missing, build, run gainsay on examples/
  test [--quick]                       install what is missing, run every check; --quick leaves out random programs
  tidy                                 rules of this repository that no compiler checks
  csmith [--count N] [--seed S] [--keep DIR] [-j N]
                                       compare random programs, native against the GC interpreter
  torture [--filter S] [-j N]          run gcc's self-checking test programs in the GC interpreter
  corpus [PACKAGE...]                  fetch and build real programs, with compile_commands.json; larger ones, which
                                       are not compiled, only by name: linux, postgresql-15, u-boot, busybox, haproxy
  corpus-check [-j N] [--half-includes] [PACKAGE...]
                                       run gainsay on the corpus: coverage, gaps, round trip; --half-includes takes
                                       every second -I away first
  findings [-j N] [--beliefs | --evidence] [PACKAGE...]
                                       findings on the corpus against the judged ones in tests/corpus/*.tsv
  findings [-j N] [--reports DIR [--compare-only]] PROGRAM...
                                       the same on the larger programs; reports are kept in DIR, or read from there
  invariance [PACKAGE...]              what is proved does not depend on display, workers, cache or further analyses
  oracle csmith [--count N] [--seed S] [--keep DIR] [-j N]
                                       random programs, run with coverage: no edge taken may be called impossible
  oracle random [--count N] [--seed S] [--keep DIR] [--mode M] [--sanitize] [-j N]
                                       the same with programs of a generator of our own: callbacks, memory, sections, ...
  oracle corpus [-j N] [PACKAGE...]    the same with real programs and their own test suites
  fuzz [--seconds N] [--seed S] [--blind] [TARGET...]
                                       any bytes for everything that reads some; --blind: without coverage
  bench frontend [--all] [--runs N] [PACKAGE...]
                                       cost of export and lowering, compared with clang -fsyntax-only
  bench check [--all] [--runs N] [PACKAGE...]
                                       cost of everything, compared with clang, gcc and cppcheck
  bench branches [--runs N]            cost per branch of generated functions
  bench evidence [--runs N] [PACKAGE...]
                                       errors reported by each setting of --evidence, and what that costs
  bench program [--runs N] [PACKAGE...]
                                       the packages as one program: growth, a second worker, the cache, one edit

The corpus lies in $GAINSAY_CORPUS, or in ~/.cache/gainsay/corpus. With $GAINSAY_BINARY that gainsay is used instead of
one built from the working copy.";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let Some((program, rest)) = arguments.split_first() else { return ExitCode::FAILURE };
    if corpus::recorder::is_called_as_compiler(program) {
        return match corpus::recorder::record_and_compile(program, rest) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("recorder: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let words: Vec<String> = rest.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Result<(), String> {
    let Some((command, rest)) = words.split_first() else {
        println!("{HELP}");
        return Ok(());
    };
    let mut options = Options::new(rest);
    match command.as_str() {
        "demo" => options.end().and_then(|()| demo::run()),
        "test" => {
            let quick = options.flag("--quick");
            options.end().and_then(|()| test::run(quick))
        }
        "tidy" => options.end().and_then(|()| tidy::run()),
        "csmith" => csmith::run(options),
        "torture" => torture::run(options),
        "corpus" => options.words().and_then(|names| corpus::run(&names)),
        "corpus-check" => corpus_check::run(options),
        "findings" => findings::run(options),
        "invariance" => invariance::run(options),
        "bench" => bench::run(rest),
        "oracle" => oracle::run(rest),
        "fuzz" => fuzz::run(options),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        unknown => Err(format!("no command `{unknown}`\n\n{HELP}")),
    }
}
