//! Which edges testify, by the rules of papers/evidence-based-analysis, sections 4.1 to 4.6, each a field of its own; the
//! columns of its Table 1 and what its authors shipped are presets.

/// What an edge says about the inputs that are legal (section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// Somebody wrote it, so inputs that take it are expected.
    Admissible,
    /// It may be taken, but says nothing.
    Inadmissible,
    /// Nobody expects it to be taken: that has to follow from what is admissible.
    Asserted,
}

use Evidence::{Admissible, Asserted, Inadmissible};

/// How a project reads its code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Into a check that fails, or an abort (4.1).
    pub error: Evidence,
    /// The condition of an `if` holds; a `case` is met (4.2).
    pub then: Evidence,
    /// It does not hold, or a written `default` is met (4.2).
    pub other: Evidence,
    /// No test of a cascade holds, and there is no last `else`; a `switch` has no `default` (4.2).
    pub last_else: Evidence,
    /// A `switch` without `default` lists all values of its enum, and none is met. By the letter that is a missing
    /// `default`, which the authors count among their false positives (6).
    pub exhausted: Evidence,
    /// `a <= b` is two edges, `a < b` and `a == b` (4.4).
    pub splits: bool,
    /// A loop goes on; a loop ends after at least one iteration (4.3).
    pub iteration: Evidence,
    /// A loop goes on for a third time or more often. The paper makes no difference, but says that users do not forgive
    /// reports that rest on loops (6), and that some object to "exactly five times" (4.3).
    pub many_iterations: Evidence,
    /// A loop is not entered at all (4.3).
    pub no_iteration: Evidence,
    /// A loop is not entered because it would start beyond its bound, not at it. The paper makes no difference; but few
    /// expect a negative count. Only `asserted` makes a difference.
    pub beyond: Evidence,
    /// A loop is not entered on the way to a read of what was not initialised. The paper makes no difference; on the corpus
    /// loops that are always entered were behind most such reports.
    pub unset: Evidence,
    /// Tests inside a loop of what the loop changes (4.3). Shipped as inadmissible; but a path that takes an outcome which
    /// nothing testifies to rests on the loop's own bookkeeping, and users do not forgive that (6).
    pub changing: Evidence,
    /// A store meets a load through another pointer (5).
    pub alias: Evidence,
    /// It does not.
    pub apart: Evidence,
    /// It does not, and the pointers are two parameters: their very declaration says that they do not always alias (5).
    pub parameters_apart: Evidence,
    /// Tests of another member of the object, or of another global, than what testifies. The paper's authors accept reports
    /// about correlated inputs (4.5, 6); members of one object are seldom independent. Only `asserted` makes a difference.
    pub correlated: Evidence,
    /// Inside callees, and in the definitions of macros (4.6).
    pub callee: Evidence,
    /// Inside a callee, on the way to the check that the caller is held to: tests that find a pointer NULL, and tests of what
    /// objects hold that pointers lead to. The paper makes no difference; but these are as little expected of this caller as
    /// of any other, unlike a mode or a flag.
    pub held: Evidence,
}

/// Names of the presets: the columns of Table 1, and what is meant by default.
pub const PRESETS: [&str; 12] =
    ["ev-0", "ev-1", "ev-2", "ev-3", "ev-4", "ev-5", "ev-6", "ev-7", "ev-8", "ev-9", "ev-all", "default"];

impl Default for Settings {
    /// What the paper's tool was shipped with (sections 4.2 to 4.6), but for what the fields say.
    fn default() -> Settings {
        Settings {
            error: Asserted,
            then: Admissible,
            other: Admissible,
            last_else: Admissible,
            exhausted: Inadmissible,
            splits: true,
            iteration: Admissible,
            many_iterations: Asserted,
            no_iteration: Inadmissible,
            beyond: Asserted,
            unset: Asserted,
            changing: Asserted,
            alias: Inadmissible,
            apart: Inadmissible,
            parameters_apart: Admissible,
            correlated: Asserted,
            callee: Inadmissible,
            held: Asserted,
        }
    }
}

impl Settings {
    /// A preset, and rules that differ from it: `default,last-else=asserted`.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut parts = text.split(',');
        let preset = parts.next().unwrap_or_default();
        let mut settings = Settings::preset(preset).ok_or_else(|| {
            format!("`{preset}` is no setting of evidence; there are {}", PRESETS.join(", "))
        })?;
        for part in parts {
            settings.change(part)?;
        }
        Ok(settings)
    }

    /// Column `ev-k` contains the columns before it.
    pub fn preset(name: &str) -> Option<Settings> {
        let column = match name {
            "default" => return Some(Settings::default()),
            "ev-all" => {
                return Some(Settings {
                    error: Admissible,
                    exhausted: Admissible,
                    many_iterations: Admissible,
                    no_iteration: Admissible,
                    beyond: Admissible,
                    unset: Admissible,
                    changing: Admissible,
                    alias: Admissible,
                    apart: Admissible,
                    correlated: Admissible,
                    callee: Admissible,
                    held: Admissible,
                    ..Settings::default()
                });
            }
            _ => PRESETS[..10].iter().position(|preset| *preset == name)?,
        };
        let callee = match column {
            9 => Admissible,
            8 => Inadmissible,
            _ => Asserted,
        };
        let from = |first: usize| if column >= first { Admissible } else { Inadmissible };
        Some(Settings {
            error: Asserted,
            then: from(1),
            other: from(2),
            last_else: from(3),
            exhausted: from(3),
            splits: column >= 4,
            iteration: from(5),
            many_iterations: from(5),
            no_iteration: from(6),
            beyond: from(6),
            unset: from(6),
            changing: Inadmissible,
            alias: from(7),
            apart: from(7),
            parameters_apart: from(7),
            correlated: Inadmissible,
            callee,
            held: callee,
        })
    }

    /// `rule=evidence`, or `splits=yes`.
    fn change(&mut self, part: &str) -> Result<(), String> {
        let (rule, value) =
            part.split_once('=').ok_or_else(|| format!("`{part}` is not of the form rule=evidence"))?;
        if rule == "splits" {
            self.splits = match value {
                "yes" => true,
                "no" => false,
                _ => return Err(format!("splits is `yes` or `no`, not `{value}`")),
            };
            return Ok(());
        }
        let field = match rule {
            "error" => &mut self.error,
            "then" => &mut self.then,
            "else" => &mut self.other,
            "last-else" => &mut self.last_else,
            "exhausted" => &mut self.exhausted,
            "iteration" => &mut self.iteration,
            "many-iterations" => &mut self.many_iterations,
            "no-iteration" => &mut self.no_iteration,
            "beyond" => &mut self.beyond,
            "unset" => &mut self.unset,
            "changing" => &mut self.changing,
            "alias" => &mut self.alias,
            "apart" => &mut self.apart,
            "parameters-apart" => &mut self.parameters_apart,
            "correlated" => &mut self.correlated,
            "callee" => &mut self.callee,
            "held" => &mut self.held,
            _ => {
                return Err(format!(
                    "`{rule}` is no rule of evidence; there are error, then, else, last-else, exhausted, splits, iteration, \
                     many-iterations, no-iteration, beyond, unset, changing, alias, apart, \
                     parameters-apart, correlated, callee, held"
                ));
            }
        };
        *field = match value {
            "admissible" => Admissible,
            "inadmissible" => Inadmissible,
            "asserted" => Asserted,
            _ => return Err(format!("evidence is admissible, inadmissible or asserted, not `{value}`")),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_makes_more_admissible_and_less_asserted() {
        let strength = |evidence: Evidence| match evidence {
            Asserted => 0,
            Inadmissible => 1,
            Admissible => 2,
        };
        let strengths = |name: &str| {
            let s = Settings::preset(name).unwrap();
            [
                s.error,
                s.then,
                s.other,
                s.last_else,
                s.exhausted,
                s.iteration,
                s.many_iterations,
                s.no_iteration,
                s.beyond,
                s.unset,
                s.changing,
                s.alias,
                s.apart,
                s.parameters_apart,
                s.correlated,
                s.callee,
                s.held,
            ]
            .map(strength)
        };
        for pair in PRESETS[..11].windows(2) {
            let (before, after) = (strengths(pair[0]), strengths(pair[1]));
            assert!(before.iter().zip(&after).all(|(a, b)| a <= b), "{pair:?}");
        }
    }

    #[test]
    fn a_rule_may_differ_from_its_preset() {
        let settings = Settings::parse("ev-5,last-else=asserted,splits=no").unwrap();
        assert_eq!(
            settings,
            Settings { last_else: Asserted, splits: false, ..Settings::preset("ev-5").unwrap() }
        );
        assert_eq!(Settings::parse("default"), Ok(Settings::default()));
        for wrong in ["", "ev-10", "default,then", "default,then=maybe", "default,than=asserted"] {
            assert!(Settings::parse(wrong).is_err(), "{wrong}");
        }
    }
}
