//! `cargo xtask bench branches`: measures the cost per branch. The generated functions have 10 to 1,000 branches with
//! nested and sequential conditions, heap accesses and calls; every file has the same number of branches.
//!
//! There are two shapes. In the first, conditions test values that were just computed, loaded or returned, as in the
//! large functions of real programs. In the second, all conditions depend on the same four values, and every twelfth
//! condition needs a separate path through the whole function, so that no search for paths can be linear.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{process, setup, workspace};

const SIZES: &[u64] = &[10, 30, 100, 300, 1000];
const BRANCHES_PER_FILE: u64 = 3000;
const LIMIT: Duration = Duration::from_secs(120);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of runs; the best one counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) runs: u64,
}

pub(super) fn run(runs: u64) -> Result<(), String> {
    setup::for_analyses(&workspace::root())?;
    let commands =
        [("check", workspace::build_gainsay()?), ("edges", workspace::build_developer_commands()?)];
    let scratch = workspace::target_directory()?.join("bench-branches");
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot create {}: {e}", scratch.display()))?;
    let nothing = scratch.join("nothing.c");
    write(&nothing, "int nothing;\n")?;
    for (shape, name) in [(Shape::Fresh, "fresh values"), (Shape::Entangled, "entangled values")] {
        println!("{name}");
        table(shape, &commands, &scratch, &nothing, runs)?;
    }
    println!(
        "CPU time including solvers; per branch after subtracting the cost of an empty file; ratio to {} branches",
        SIZES[0]
    );
    Ok(())
}

type Commands = [(&'static str, PathBuf); 2];

fn table(shape: Shape, commands: &Commands, scratch: &Path, nothing: &Path, runs: u64) -> Result<(), String> {
    println!("branches  functions    check s  ms per branch   ratio    edges s  ms per branch   ratio");
    let mut first = None;
    for &size in SIZES {
        let functions = BRANCHES_PER_FILE / size;
        let file = scratch.join(format!("{shape:?}-{size}.c").to_lowercase());
        write(&file, &program(shape, size, functions))?;
        let mut columns = String::new();
        let mut per_branch = [None; 2];
        for (i, (command, binary)) in commands.iter().enumerate() {
            let (Some(spent), Some(empty)) =
                (cpu(binary, command, &file, runs)?, cpu(binary, command, nothing, runs)?)
            else {
                let _ = write!(columns, " {:>33}", format!("stopped after {} s", LIMIT.as_secs()));
                continue;
            };
            let own = spent.saturating_sub(empty).as_secs_f64() * 1000.0 / (size * functions) as f64;
            per_branch[i] = Some(own);
            let base = first.and_then(|first: [Option<f64>; 2]| first[i]).unwrap_or(own);
            let _ =
                write!(columns, " {:>10.2} {own:>14.3} {:>7.2}", spent.as_secs_f64(), own / base.max(1e-9));
        }
        first.get_or_insert(per_branch);
        println!("{size:>8} {functions:>10}{columns}");
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// The CPU time of the best run; `None` if one took longer than the limit.
fn cpu(binary: &Path, subcommand: &str, file: &Path, runs: u64) -> Result<Option<Duration>, String> {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let mut command = workspace::call(binary);
        command.arg(subcommand).args((subcommand == "check").then_some("--no-cache")).arg(file);
        let end = process::run_measured(&mut command, Some(LIMIT))?;
        if end.timed_out {
            return Ok(None);
        }
        // 1 means that there are findings.
        if !matches!(end.code, Some(0 | 1)) {
            let why = end.stderr.lines().last().unwrap_or("no message");
            return Err(format!("gainsay {subcommand} ended with {:?}: {why}", end.code));
        }
        best = best.min(end.cpu);
    }
    Ok(Some(best))
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Fresh,
    Entangled,
}

/// Functions with `branches` conditions each.
fn program(shape: Shape, branches: u64, functions: u64) -> String {
    let mut text = String::from(
        "struct node { int key; int count; struct node *next; };\n\
         int ask(struct node *n, int k);\nvoid note(int k);\n",
    );
    for f in 0..functions {
        let mut random = Random(f * 7919 + branches);
        let _ = writeln!(text, "int f{f}(struct node *p, struct node *q, int a, int b, const int *v) {{");
        text.push_str("  int x = a, y = b;\n");
        let mut left = branches;
        while left > 0 {
            left -= match shape {
                Shape::Fresh => fresh_part(&mut text, &mut random, left),
                Shape::Entangled => entangled_part(&mut text, &mut random, left),
            };
        }
        text.push_str("  return x + y;\n}\n");
    }
    text
}

/// One statement of the function; returns the number of its conditions.
fn fresh_part(text: &mut String, random: &mut Random, left: u64) -> u64 {
    let k = random.next(1000);
    let (kind, used) = match random.next(5) {
        0 if left >= 3 => {
            let (near, far) = (k + 9, k + 99);
            let inner = format!("if (x < {near}) y += {k}; else if (x == {far}) y = x;");
            (format!("x = ask(p, {k}); if (x > {k}) {{ {inner} }}"), 3)
        }
        1 if left >= 2 => (
            format!(
                "p = p->next; q = q->next; if (p->key == {k} && q->count > y) {{ p->count = x; q->key = y; }}"
            ),
            2,
        ),
        2 => (format!("if (ask(p, x + {k})) {{ note(y); p->count++; }}"), 1),
        3 => (format!("v += {}; if (*v != y) q->count = p->count + x;", k % 64 + 1), 1),
        _ => (format!("y = ask(q, {k}); if ((x ^ y) & {}) x += p->key; else y -= q->key;", 1 << (k % 16)), 1),
    };
    let (kind, used) =
        if used > left { (format!("x = ask(p, {k}); if (x == {k}) y++;"), 1) } else { (kind, used) };
    let _ = writeln!(text, "  {kind}");
    used
}

/// The same with conditions that depend on earlier ones.
fn entangled_part(text: &mut String, random: &mut Random, left: u64) -> u64 {
    let k = random.next(1000);
    let (kind, used) = match random.next(5) {
        0 if left >= 3 => (format!("if (x > {k}) {{ if (y < x) y += {k}; else if (a == {k}) x = y; }}"), 3),
        1 if left >= 2 => {
            (format!("if (p->key == {k} && q->count > y) {{ p->count = x; q->key = y + 1; }}"), 2)
        }
        2 => (format!("if (ask(p, x + {k})) {{ note(y); p->count++; }}"), 1),
        3 => (format!("if (v[{}] != y) {{ q->count = p->count + x; p = q->next ? p : q; }}", k % 64), 2),
        _ => (format!("if ((x ^ y) & {}) x += p->key; else y -= q->key;", 1 << (k % 16)), 1),
    };
    let (kind, used) = if used > left { (format!("if (x == {k}) y++;"), 1) } else { (kind, used) };
    let _ = writeln!(text, "  {kind}");
    used
}

/// A small generator with a fixed seed, so that the programs are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_the_requested_number_of_conditions() {
        let conditions = |text: &str| {
            ["if (", " && ", " ? "].iter().map(|sign| text.matches(sign).count() as u64).sum::<u64>()
        };
        for shape in [Shape::Fresh, Shape::Entangled] {
            for size in [1, 10, 300] {
                assert_eq!(conditions(&program(shape, size, 3)), 3 * size, "{shape:?} {size}");
            }
            assert_eq!(program(shape, 30, 2), program(shape, 30, 2));
        }
    }
}
