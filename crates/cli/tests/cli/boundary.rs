//! `boundary-error` compared with execution, on random loops and comparisons: every reported boundary value passes the
//! comparison and fails in a real run, and every such value is reported.

use crate::project::Project;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The inputs of the runs.
const INPUTS: std::ops::Range<i64> = 0..5_000;

/// The next value of a variable.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(i64),
    Multiply(i64),
    Shift,
    /// `i = i * 4 + 1`
    FourTimes,
    Fill,
}

/// One function: a loop, or a comparison of something computed from the input `n`.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Loop {
        first: i64,
        step: Step,
        /// The input is the bound, and the size of the array.
        to_input: bool,
        /// A value in memory may end it.
        leaves: bool,
    },
    Comparison {
        times: i64,
        mask: i64,
        /// The value comes from a function with a body.
        by_callee: bool,
    },
}

#[derive(Clone, Copy, Debug)]
struct Program {
    shape: Shape,
    bound: i64,
    is_strict: bool,
    size: i64,
    offset: i64,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as i64
    }

    fn program(&mut self) -> Program {
        let size = [8, 10, 16, 64, 300, 1024][self.below(6) as usize];
        let offset = self.below(3);
        let is_down = self.below(4) == 0;
        let shape = if self.below(3) == 0 {
            let mask = [0xff, 0x3fff, 0xffe, 0xffc, 0x7f][self.below(5) as usize];
            Shape::Comparison { times: 1 + self.below(4), mask, by_callee: self.below(3) == 0 }
        } else {
            let step = match self.below(7) {
                0 => Step::Multiply(2 + self.below(2)),
                1 => Step::Shift,
                2 => Step::FourTimes,
                3 => Step::Fill,
                4 => Step::Add(2 + self.below(4)),
                _ => Step::Add(1),
            };
            let to_input = self.below(4) == 0;
            let first = if matches!(step, Step::Add(_)) { self.below(3) } else { 1 + self.below(size / 2) };
            Shape::Loop { first, step, to_input, leaves: self.below(2) == 0 }
        };
        let bound = size - offset + self.below(4) - 2;
        let program = Program { shape, bound, is_strict: self.below(2) == 0, size, offset };
        match program.shape {
            Shape::Loop { to_input: false, leaves, .. } if is_down => Program {
                shape: Shape::Loop {
                    first: size - 1 - offset - self.below(3),
                    step: Step::Add(-1 - self.below(4)),
                    to_input: false,
                    leaves,
                },
                bound: self.below(4) - 2 - offset,
                ..program
            },
            _ => program,
        }
    }
}

impl Program {
    fn is_down(&self) -> bool {
        matches!(self.shape, Shape::Loop { step: Step::Add(by), .. } if by < 0)
    }

    fn passes(&self, value: i64, bound: i64) -> bool {
        let (small, large) = if self.is_down() { (bound, value) } else { (value, bound) };
        if self.is_strict { small < large } else { small <= large }
    }

    fn is_last(&self, value: i64, bound: i64) -> bool {
        let apart = if self.is_down() { value - bound } else { bound - value };
        apart == i64::from(self.is_strict)
    }

    fn text(&self, number: usize) -> String {
        let (bound, offset, size) = (self.bound, self.offset, self.size);
        let relation = match (self.is_down(), self.is_strict) {
            (false, true) => "<",
            (false, false) => "<=",
            (true, true) => ">",
            (true, false) => ">=",
        };
        match self.shape {
            Shape::Loop { first, step, to_input, leaves } => {
                let next = match step {
                    Step::Add(by) => format!("i += {by}"),
                    Step::Multiply(by) => format!("i *= {by}"),
                    Step::Shift => "i <<= 1".to_owned(),
                    Step::FourTimes => "i = i * 4 + 1".to_owned(),
                    Step::Fill => "i = i | i >> 1".to_owned(),
                };
                let (bound, array) = if to_input {
                    ("n".to_owned(), "if (n < 1 || n > 150) return 0; char a[n]; a[0] = 0;".to_owned())
                } else {
                    (bound.to_string(), format!("static char a[{size}];"))
                };
                let leave = if leaves { "if (memory[i & 7]) return i; " } else { "" };
                format!(
                    "int f{number}(int n) {{ int i; {array}\n  for (i = {first}; i {relation} {bound}; {next}) {{ \
                     a[i + {offset}] = 1; {leave}}} return a[0]; }}\n"
                )
            }
            Shape::Comparison { times, mask, by_callee } => {
                let value = format!("({times} * n) & {mask}");
                let callee = format!("static int g{number}(int n) {{ return {value}; }}");
                let (callee, value) =
                    if by_callee { (callee, format!("g{number}(n)")) } else { (String::new(), value) };
                format!(
                    "{callee}int f{number}(int n) {{ static char a[{size}]; int i = {value};\n  \
                     if (i {relation} {bound}) return a[i + {offset}]; return 0; }}\n"
                )
            }
        }
    }

    /// Whether a run passes the comparison with its boundary value and then fails, and whether a run passes it with the
    /// closest other value without failing.
    fn truth(&self) -> (bool, bool) {
        let mut passed: BTreeSet<(i64, bool)> = BTreeSet::new();
        let mut occurs = false;
        let mut is_bad = false;
        for n in INPUTS {
            let (mut i, bound, size) = match self.shape {
                Shape::Loop { to_input: true, .. } if !(1..=150).contains(&n) => continue,
                Shape::Loop { first, to_input: true, .. } => (first, n, n),
                Shape::Loop { first, .. } => (first, self.bound, self.size),
                Shape::Comparison { times, mask, .. } => ((times * n) & mask, self.bound, self.size),
            };
            for _ in 0..3_000 {
                if !self.passes(i, bound) {
                    break;
                }
                let fails = !(0..size).contains(&(i + self.offset));
                if self.is_last(i, bound) {
                    occurs = true;
                    is_bad |= fails;
                } else {
                    passed.insert(((bound - i).abs(), fails));
                }
                let Shape::Loop { step, .. } = self.shape else { break };
                if fails {
                    break;
                }
                i = match step {
                    Step::Add(by) => i + by,
                    Step::Multiply(by) => i * by,
                    Step::Shift => i << 1,
                    Step::FourTimes => i * 4 + 1,
                    Step::Fill => i | i >> 1,
                };
            }
        }
        let is_boundary = passed.first().is_some_and(|(_, fails)| !fails);
        (occurs && is_bad, occurs && is_bad && is_boundary)
    }
}

#[test]
fn claimed_boundary_values_occur() {
    let mut random = Random(20);
    let programs: Vec<Program> = (0..120).map(|_| random.program()).collect();
    let mut text = String::from("extern int memory[8];\n");
    for (number, program) in programs.iter().enumerate() {
        let _ = write!(text, "{}", program.text(number));
    }
    let project = Project::new(&[("t.c", &text)]);
    let (_, report) = project.check(&["t.c"]);
    let named = |finding: &serde_json::Value| finding["function"].as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap();
    let of_rule = |finding: &&serde_json::Value| finding["rule"] == "boundary-error";
    let claimed: BTreeSet<String> = findings.iter().filter(of_rule).map(named).collect();
    let reported: BTreeSet<String> = findings.iter().map(named).collect();
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    let mut n_right = 0;
    for (number, program) in programs.iter().enumerate() {
        let name = format!("f{number}");
        let (is_true, is_expected) = program.truth();
        n_right += usize::from(is_true && claimed.contains(&name));
        if claimed.contains(&name) && !is_true {
            wrong.push(program.text(number));
        }
        if is_expected && !reported.contains(&name) {
            missing.push(program.text(number));
        }
    }
    assert!(wrong.is_empty(), "claimed, but they never occur:\n{}", wrong.concat());
    assert!(missing.is_empty(), "they occur and are not reported:\n{}", missing.concat());
    assert!(n_right >= 15, "only {n_right} claims");
}

/// The result of a function of another file is not an input, and unconfirmed values are counted.
#[test]
fn results_of_other_files_are_not_inputs() {
    let depth = "int depth_of(unsigned f) { switch (f & 0xff) { case 1: return 4; default: return -22; } }\n";
    let check = "int depth_of(unsigned f);\n\
                 int check(unsigned f, unsigned n) { int d = depth_of(f); if (d < 0) return d; return n % d; }\n";
    let project = Project::new(&[("a.c", check), ("b.c", depth)]);
    let rules = |report: &serde_json::Value| report["findings"].as_array().unwrap().len();
    let (_, apart) = project.check(&["a.c"]);
    assert_eq!((rules(&apart), &apart["coverage"]["boundary_unconfirmed"]), (1, &0.into()), "{apart}");
    let (_, together) = project.check(&["a.c", "b.c"]);
    assert_eq!(
        (rules(&together), &together["coverage"]["boundary_unconfirmed"]),
        (0, &1.into()),
        "{together}"
    );
}

/// The result depends on the body of a callee, which is not part of the caller's cache key.
#[test]
fn an_edit_of_a_callee_is_noticed() {
    let text = |most: u32| {
        format!(
            "static int chosen(int n) {{ int i, r = 0; for (i = 0; i < n; i++) if (r < {most}) r += 2; return r; }}\n\
             int use(int n) {{ char a[11] = {{0}}; int i = chosen(n); if (i >= 0 && i <= 11) return a[i]; return 0; }}\n"
        )
    };
    let project = Project::new(&[("t.c", &text(20))]);
    let cache = project.path().join("cache");
    let cache = format!("--cache-dir={}", cache.display());
    let findings = |project: &Project| {
        let (_, report) = project.check(&["t.c", &cache]);
        report["findings"].as_array().unwrap().len()
    };
    assert_eq!(findings(&project), 0);
    project.write("t.c", text(20).replace("r += 2", "r += 1").as_bytes());
    assert_eq!(findings(&project), 1);
    project.write("t.c", text(20).as_bytes());
    assert_eq!(findings(&project), 0);
}
