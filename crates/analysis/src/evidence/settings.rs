//! Settings of evidence: which edges testify, one field for each rule of evidence-based-analysis, sections
//! 4.1 to 4.6. The columns of its Table 1 and the default (docs/decisions/028-evidence-default.md) are
//! presets.

/// What an edge shows about legal inputs (section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The author wrote the case, so inputs that take the edge are expected.
    Admissible,
    /// The edge may be taken, but is no evidence.
    Inadmissible,
    /// The edge is not expected to be taken: the admissible evidence must imply it.
    Asserted,
}

use Evidence::{Admissible, Asserted, Inadmissible};

/// The evidence of each kind of edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EvidenceSettings {
    /// Edges into a failing check or an abort (4.1).
    pub error: Evidence,
    /// The condition of an `if` holds; a `case` matches (4.2).
    pub then: Evidence,
    /// The condition of an `if` does not hold; a written `default` is taken (4.2).
    pub other: Evidence,
    /// No condition of a cascade without a last `else` holds; no case of a `switch` without `default` matches
    /// (4.2).
    pub last_else: Evidence,
    /// A `switch` without `default` lists all values of its enum, and none matches. By the letter that is a
    /// missing `default`, which the authors count among their false positives (6).
    pub exhausted: Evidence,
    /// Whether `a <= b` is treated as two edges, `a < b` and `a == b` (4.4).
    pub splits: bool,
    /// A loop is repeated; a loop ends after at least one iteration (4.3).
    pub iteration: Evidence,
    /// A loop is repeated for the third time or more. The paper makes no difference, but notes that users
    /// reject reports that rest on loops (6), and that some object to "exactly five times" (4.3).
    pub many_iterations: Evidence,
    /// A loop is not entered (4.3).
    pub no_iteration: Evidence,
    /// A loop is not entered because it would start beyond its bound instead of at it. The paper makes no
    /// difference; negative counts are rarely expected. Only `asserted` has an effect.
    pub beyond: Evidence,
    /// A loop is not entered on a path to a read of an uninitialised variable. The paper makes no difference;
    /// on the corpus, most such reports rested on loops that are always entered.
    pub unset: Evidence,
    /// Tests inside a loop of what the loop changes (4.3). The paper's tool ships with inadmissible; but a
    /// path with an outcome that nothing testifies to rests on the loop's own bookkeeping, and users reject
    /// such reports (6).
    pub changing: Evidence,
    /// A store aliases a load through another pointer (5).
    pub alias: Evidence,
    /// The store does not alias the load.
    pub apart: Evidence,
    /// It does not, and the pointers are two parameters: their declaration suggests that they do not always
    /// alias (5).
    pub parameters_apart: Evidence,
    /// Tests of another member of the object, or of another global, than the one that testifies. The paper
    /// accepts reports about correlated inputs (4.5, 6); members of one object are seldom independent. Only
    /// `asserted` has an effect.
    pub correlated: Evidence,
    /// Edges inside callees and macro definitions (4.6).
    pub callee: Evidence,
    /// Edges inside a callee, on a path to the callee's precondition: tests that find a pointer NULL, and
    /// tests of the contents of objects reached through pointers. The paper makes no difference; unlike a
    /// mode or a flag, these are not expected of this caller more than of any other.
    pub held: Evidence,
}

/// Names of the presets: the columns of Table 1, and the default.
const PRESETS: [&str; 12] =
    ["ev-0", "ev-1", "ev-2", "ev-3", "ev-4", "ev-5", "ev-6", "ev-7", "ev-8", "ev-9", "ev-all", "default"];

impl Default for EvidenceSettings {
    /// The settings that the paper's tool ships with (sections 4.2 to 4.6), except where a field says
    /// otherwise.
    fn default() -> EvidenceSettings {
        EvidenceSettings {
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

impl EvidenceSettings {
    /// A preset and the rules that differ from it: `default,last-else=asserted`.
    pub fn parse(text: &str) -> Result<EvidenceSettings, String> {
        let mut parts = text.split(',');
        let preset = parts.next().unwrap_or_default();
        let mut settings = EvidenceSettings::preset(preset).ok_or_else(|| {
            format!("`{preset}` is no setting of evidence; there are {}", PRESETS.join(", "))
        })?;
        for part in parts {
            settings.change(part)?;
        }
        Ok(settings)
    }

    /// Column `ev-k` contains the columns before it.
    fn preset(name: &str) -> Option<EvidenceSettings> {
        let column = match name {
            "default" => return Some(EvidenceSettings::default()),
            "ev-all" => {
                return Some(EvidenceSettings {
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
                    ..EvidenceSettings::default()
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
        Some(EvidenceSettings {
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
            let s = EvidenceSettings::preset(name).unwrap();
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
        let settings = EvidenceSettings::parse("ev-5,last-else=asserted,splits=no").unwrap();
        assert_eq!(
            settings,
            EvidenceSettings {
                last_else: Asserted,
                splits: false,
                ..EvidenceSettings::preset("ev-5").unwrap()
            }
        );
        assert_eq!(EvidenceSettings::parse("default"), Ok(EvidenceSettings::default()));
        for wrong in ["", "ev-10", "default,then", "default,then=maybe", "default,than=asserted"] {
            assert!(EvidenceSettings::parse(wrong).is_err(), "{wrong}");
        }
    }
}
