//! Writes invariants as C expressions.

use super::{HornProblem, Proof};
use gainsay_ir::gc::{Block, Function, Loc, Var};
use gainsay_ir::passes::segments::Cut;
use gainsay_ir::types::Type;
use gainsay_solver::horn::{Formula, Integer, Relation};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An invariant of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInvariant {
    /// The loop's head.
    pub head: Block,
    /// The first location in the loop, if it has one.
    pub loc: Option<Loc>,
    /// It holds after the edge was passed; otherwise before.
    pub passed: bool,
    /// C expressions that hold together: `i < 0`, `n > 0`. Not empty.
    pub parts: Vec<String>,
}

impl LoopInvariant {
    pub fn conjunction(&self) -> String {
        self.parts.join(" && ")
    }
}

/// The invariants of the proof, as far as C can express them; none for a loop that the proof needs nothing
/// of.
pub fn invariants_in_c(problem: &HornProblem, proof: &Proof) -> Vec<LoopInvariant> {
    let mut found = Vec::new();
    for (predicate, formula) in &proof.invariants.of {
        let cut = &problem.cuts[predicate.point];
        let writer = InvariantWriter { problem, state: &cut.state };
        let parts: Vec<String> = equalities(formula.conjuncts())
            .iter()
            .filter_map(|part| writer.formula(part, true))
            .filter(|text| !text.contains('?'))
            .collect();
        if !parts.is_empty() {
            let loc = place(&problem.whole, cut);
            found.push(LoopInvariant { head: cut.head, loc, passed: predicate.passed, parts });
        }
    }
    found
}

/// The location of the loop: usually its condition.
fn place(f: &Function, cut: &Cut) -> Option<Loc> {
    let mut seen = BTreeSet::from([cut.head]);
    let mut queue = VecDeque::from([cut.head]);
    while let Some(block) = queue.pop_front() {
        let data = &f.blocks[block];
        if let Some(cmd) = data.cmds.first() {
            return Some(cmd.loc);
        }
        let inside = data.next.targets().iter().filter(|target| cut.members.contains(target));
        queue.extend(inside.filter(|&&target| seen.insert(target)));
    }
    None
}

/// Removes the suffix such as `.v2` that distinguishes shadowed names.
fn as_written(name: &str) -> String {
    let mut parts = name.split(".v");
    let mut written = parts.next().unwrap_or(name).to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == part.len() {
            written.push_str(".v");
        }
        written.push_str(rest);
    }
    written
}

/// Merges `a <= b` and `b <= a` into `a == b`, also inside equal disjunctions.
fn equalities(mut parts: Vec<Formula>) -> Vec<Formula> {
    let mut at = 0;
    while at < parts.len() {
        let others = (at + 1..parts.len()).find_map(|other| Some((other, both(&parts[at], &parts[other])?)));
        match others {
            Some((other, merged)) => {
                parts[at] = merged;
                parts.remove(other);
            }
            None => at += 1,
        }
    }
    parts
}

/// The equation that two conjuncts amount to, if they do.
fn both(one: &Formula, other: &Formula) -> Option<Formula> {
    match (one, other) {
        (Formula::Compare(Relation::AtMost, a, b), Formula::Compare(Relation::AtMost, c, d))
            if (a, b) == (d, c) =>
        {
            let (a, b) = if matches!(a, Integer::Constant(_)) { (b, a) } else { (a, b) };
            Some(Formula::Compare(Relation::Equal, a.clone(), b.clone()))
        }
        (Formula::Or(ones), Formula::Or(others)) if ones.len() == others.len() => {
            let is_own = |part: &&Formula| !others.contains(part);
            let own: Vec<&Formula> = ones.iter().filter(is_own).collect();
            let theirs: Vec<&Formula> = others.iter().filter(|part| !ones.contains(part)).collect();
            let ([own], [theirs]) = (&own[..], &theirs[..]) else { return None };
            let merged = both(own, theirs)?;
            let rest = ones.iter().filter(|part| part != own).cloned();
            Some(Formula::Or(std::iter::once(merged).chain(rest).collect()))
        }
        _ => None,
    }
}

struct InvariantWriter<'a> {
    problem: &'a HornProblem,
    state: &'a [Var],
}

/// A sum of multiples of unknowns, and a constant.
#[derive(Default)]
struct Linear {
    /// Coefficients by the text of the term.
    terms: BTreeMap<String, i128>,
    constant: i128,
    has_pointer: bool,
}

impl InvariantWriter<'_> {
    /// `None` if it mentions something without a name in the source.
    fn formula(&self, formula: &Formula, is_conjunct: bool) -> Option<String> {
        let joined = |parts: &[Formula], operator: &str| -> Option<String> {
            let parts =
                parts.iter().map(|part| self.formula(part, false)).collect::<Option<Vec<String>>>()?;
            let text = parts.join(operator);
            Some(if is_conjunct && operator == " && " { text } else { format!("({text})") })
        };
        match formula {
            Formula::Bool(_) => None,
            Formula::Argument(number) => self.name(*number),
            Formula::Not(inner) => match &**inner {
                Formula::Compare(Relation::Equal, a, b) => self.compare("!=", a, b),
                inner => Some(format!("!{}", self.formula(inner, false)?)),
            },
            Formula::And(parts) => joined(parts, " && "),
            Formula::Or(parts) => joined(parts, " || "),
            Formula::Same(a, b) => {
                Some(format!("{} == {}", self.formula(a, false)?, self.formula(b, false)?))
            }
            Formula::Choice(c, a, b) => Some(format!(
                "({} ? {} : {})",
                self.formula(c, false)?,
                self.formula(a, false)?,
                self.formula(b, false)?
            )),
            Formula::Compare(Relation::Equal, a, b) => self.compare("==", a, b),
            Formula::Compare(Relation::AtMost, a, b) => self.compare("<=", a, b),
            Formula::Compare(Relation::Less, a, b) => self.compare("<", a, b),
        }
    }

    fn name(&self, number: usize) -> Option<String> {
        let data = &self.problem.f.vars[*self.state.get(number)?];
        data.is_written_by_user().then(|| as_written(&data.name))
    }

    /// Positive terms go to the left, negative ones to the right, and the constant where it reads best.
    fn compare(&self, operator: &str, a: &Integer, b: &Integer) -> Option<String> {
        let mut sum = Linear::default();
        self.add(a, 1, &mut sum)?;
        self.add(b, -1, &mut sum)?;
        let side = |sign: i128| {
            sum.terms
                .iter()
                .filter(|(_, times)| **times * sign > 0)
                .map(|(text, times)| match times.abs() {
                    1 => text.clone(),
                    times => format!("{times} * {text}"),
                })
                .collect::<Vec<String>>()
                .join(" + ")
        };
        let (mut left, mut right) = (side(1), side(-1));
        // left + constant OP right
        let mut operator = operator;
        let mut constant = -sum.constant;
        if left.is_empty() {
            if right.is_empty() {
                return None;
            }
            std::mem::swap(&mut left, &mut right);
            constant = -constant;
            operator = match operator {
                "<=" => ">=",
                "<" => ">",
                same => same,
            };
        }
        // left OP right + constant; integers, so the bound may move by one
        match (operator, constant) {
            ("<=", -1) if !right.is_empty() => (operator, constant) = ("<", 0),
            (">=", 1) if !right.is_empty() => (operator, constant) = (">", 0),
            ("<", 1) => (operator, constant) = ("<=", 0),
            (">", -1) => (operator, constant) = (">=", 0),
            ("<=", -1) => (operator, constant) = ("<", 0),
            (">=", 1) => (operator, constant) = (">", 0),
            _ => {}
        }
        if sum.has_pointer && right.is_empty() && constant == 0 {
            // No pointer is below NULL.
            operator = match operator {
                ">=" => return None,
                "<=" => "==",
                other => other,
            };
        }
        let right = match (right.is_empty(), constant) {
            (true, 0) if sum.has_pointer => "NULL".to_owned(),
            (true, constant) => constant.to_string(),
            (false, 0) => right,
            (false, constant) if constant < 0 => format!("{right} - {}", constant.unsigned_abs()),
            (false, constant) => format!("{right} + {constant}"),
        };
        Some(format!("{left} {operator} {right}"))
    }

    fn add(&self, integer: &Integer, times: i128, sum: &mut Linear) -> Option<()> {
        match integer {
            Integer::Constant(value) => sum.constant = sum.constant.checked_add(value.checked_mul(times)?)?,
            Integer::Argument(number) => {
                let name = self.name(*number)?;
                sum.has_pointer |= self.problem.f.vars[self.state[*number]].ty == Type::Ptr;
                *sum.terms.entry(name).or_default() += times;
            }
            Integer::Sum(parts) => {
                for part in parts {
                    self.add(part, times, sum)?;
                }
            }
            Integer::Product(factor, of) => self.add(of, times.checked_mul(*factor)?, sum)?,
            Integer::Quotient(of, by) => {
                *sum.terms.entry(format!("{} / {by}", self.atom(of)?)).or_default() += times;
            }
            Integer::Remainder(of, by) => {
                *sum.terms.entry(format!("{} % {by}", self.atom(of)?)).or_default() += times;
            }
            Integer::Choice(c, a, b) => {
                let text = format!("({} ? {} : {})", self.formula(c, false)?, self.atom(a)?, self.atom(b)?);
                *sum.terms.entry(text).or_default() += times;
            }
        }
        Some(())
    }

    /// The integer as an operand.
    fn atom(&self, integer: &Integer) -> Option<String> {
        let mut sum = Linear::default();
        self.add(integer, 1, &mut sum)?;
        let mut parts: Vec<String> = Vec::new();
        for (text, times) in &sum.terms {
            parts.push(match times {
                1 => text.clone(),
                times => format!("{times} * {text}"),
            });
        }
        if sum.constant != 0 || parts.is_empty() {
            parts.push(sum.constant.to_string());
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { format!("({})", parts.join(" + ")) })
    }
}
