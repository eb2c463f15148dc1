//! Combines several random programs into one executable: they share units, a header and `main`.

use super::generator::EXIT_INPUT;
use super::program;
use super::rng::Rng;

/// At most this many programs in a batch, because each gets a different library name.
pub(super) const BATCH: u64 = LIBRARY_NAMES.len() as u64;

/// Names of POSIX functions that a program may define itself. Neither the C library nor the coverage runtime calls them
/// by name.
const LIBRARY_NAMES: [&str; 20] = [
    "link", "unlink", "send", "recv", "access", "read", "stat", "lstat", "bind", "listen", "accept",
    "connect", "shutdown", "chmod", "rmdir", "symlink", "truncate", "nice", "alarm", "umask",
];

/// Inputs of each program in one run.
const INPUTS: usize = 24;

/// Runs of a batch, with different inputs; the argument is the number of the run.
pub(super) const RUNS: u64 = 5;
/// From this run on, programs also end by `exit` and jump by `longjmp`.
pub(super) const ABRUPT_FROM: u64 = 3;

const TOP: &str = "\
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ORACLE_LIKELY(c) __builtin_expect(!!(c), 1)
#define ORACLE_IS(a, b) ((a) == (b))
extern int oracle_abrupt;
";

/// Name and text of the files of a batch: the header first, then the units.
pub(super) fn files(seeds: &[u64]) -> Vec<(String, String)> {
    let first = seeds.first().copied().unwrap_or_default() / BATCH;
    let mut rng = Rng::new(first ^ 0x0bad_cafe_0000);
    let units = rng.between(1, 3);
    let mut names = LIBRARY_NAMES;
    rng.shuffle(&mut names);
    let mut header = TOP.to_owned();
    let mut texts = vec!["#include \"batch.h\"\n".to_owned(); units];
    let mut calls = String::new();
    for &seed in seeds {
        let source = program::generate(seed, units, names[(seed % BATCH) as usize]);
        header.push_str(&format!("/* program {seed} */\n{}", source.header));
        for (text, part) in texts.iter_mut().zip(&source.units) {
            text.push_str(&format!("/* program {seed} */\n{part}"));
        }
        calls.push_str(&format!("  {},\n", source.entry));
    }
    let main = format!(
        "#include \"batch.h\"\nint oracle_abrupt;\nstatic int (*const entries[])(unsigned) = {{\n{calls}}};\n\
         int main(int argc, char **argv) {{\n  unsigned run = argc > 1 ? (unsigned)atoi(argv[1]) : 0;\n  \
         unsigned n = sizeof entries / sizeof *entries;\n  unsigned input = run * 2654435761u;\n  \
         oracle_abrupt = run >= {ABRUPT_FROM};\n  \
         for (unsigned k = 0; k < n; k++)\n    for (int i = 0; i < {INPUTS}; i++) {{\n      \
         input = input * 1664525u + 1013904223u;\n      entries[k](input ^ input >> 15);\n    }}\n  \
         for (unsigned k = run; oracle_abrupt && k < n; k++) entries[k]({EXIT_INPUT});\n  return 0;\n}}\n"
    );
    let mut files = vec![("batch.h".to_owned(), header), ("main.c".to_owned(), main)];
    files.extend(texts.into_iter().enumerate().map(|(k, text)| (format!("unit{k}.c"), text)));
    files
}
