//! The verdicts of `gainsay verify`, and their output as text and JSON.

use crate::visible::{visible, visible_json};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The verdicts of one unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitVerdict {
    pub file: String,
    /// Why there is no verdict.
    pub failed: Option<String>,
    /// Annotations that are not understood: `file:line:column: what was expected`.
    pub problems: Vec<String>,
    pub functions: Vec<FunctionVerdict>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionVerdict {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub verdict: Verdict,
    /// The number of conditions to prove.
    pub goals: u64,
    pub proved: u64,
    /// Conditions that were not proved: `file:line:column: what`.
    pub open: Vec<String>,
    pub counterexample: Option<Inputs>,
    /// Invariants that are not in the source and that the proofs needed or used.
    pub invariants: Vec<Found>,
    /// The assumptions of the result.
    pub assumptions: Vec<String>,
}

/// Invariants of the loop at this place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Conditions in ACSL.
    pub holds: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Proved,
    Unknown,
    Refuted,
}

/// A counterexample: inputs for which the function fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// What fails, with its place.
    pub fails: String,
    /// `name = value`
    pub inputs: Vec<String>,
    /// A `main` that calls the function with them, as C.
    pub harness: String,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Unknown => "unknown",
            Verdict::Refuted => "refuted",
        }
    }
}

/// Assumptions of every result of `verify`.
pub const ALWAYS_ASSUMED: &[&str] = &[
    "accesses of one type are aligned, and accesses obey C's effective types",
    "memory that a caller passes as valid stays valid until something is freed or a function without a contract is called; \
     a callee with `assigns` frees nothing",
    "no local variable is used through a pointer after its block has ended",
    "the stack is large enough, and no other thread or signal handler writes what is read here",
    "clang's order of evaluation stands for all",
];

pub fn write_text(units: &[UnitVerdict], out: &mut dyn Write) -> io::Result<()> {
    let mut count = [0_u64; 3];
    for unit in units {
        if let Some(reason) = &unit.failed {
            writeln!(out, "{}: failed: {}", visible(&unit.file), visible(reason))?;
        }
        for problem in &unit.problems {
            writeln!(out, "{}", visible(problem))?;
        }
        for function in &unit.functions {
            count[function.verdict as usize] += 1;
            let FunctionVerdict { name, file, line, verdict, goals, proved, .. } = function;
            let (file, name, verdict) = (visible(file), visible(name), verdict.name());
            writeln!(out, "{file}:{line}: {name}: {verdict} ({proved} of {goals} conditions proved)")?;
            for open in &function.open {
                writeln!(out, "  {}", visible(open))?;
            }
            if let Some(inputs) = &function.counterexample {
                writeln!(out, "  {}", visible(&inputs.fails))?;
                writeln!(out, "  with {}", visible(&inputs.inputs.join(", ")))?;
            }
            for Found { file, line, column, holds } in &function.invariants {
                let (file, holds) = (visible(file), holds.join(" && "));
                writeln!(
                    out,
                    "  {file}:{line}:{column}: found and proved: loop invariant {}",
                    visible(&holds)
                )?;
            }
            for assumption in &function.assumptions {
                writeln!(out, "  assumed: {}", visible(assumption))?;
            }
        }
    }
    if count != [0; 3] {
        writeln!(out, "{} proved, {} refuted, {} unknown", count[0], count[2], count[1])?;
        for assumption in ALWAYS_ASSUMED {
            writeln!(out, "always assumed: {assumption}")?;
        }
    }
    Ok(())
}

// not a limit: version of the JSON format
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    always_assumed: &'a [&'a str],
    units: &'a [UnitVerdict],
}

pub fn write_json(units: &[UnitVerdict], out: &mut dyn Write) -> io::Result<()> {
    visible_json(&Json { schema: SCHEMA, always_assumed: ALWAYS_ASSUMED, units }, out)
}
