//! From a contradiction to a finding: which rule, which place, in which words.

use crate::contract;
use crate::edges::{Dominators, above, breaks_at_boundary, dominators};
use crate::explain::{Core, Subject};
use crate::source::{Source, Spot};
use crate::witness::can_end;
use crate::wording::{Fact, Wording};
use cranelift_entity::EntitySet;
use gainsay_ir::gc::Loc;
use gainsay_ir::gc::{self, Outcome};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_report::finding::{Finding, Related};
use gainsay_report::fingerprint::fingerprint;
use gainsay_report::noise::Noise;
use gainsay_report::rules::RULES;
use gainsay_vc::Statement;
use std::cell::OnceCell;

pub(crate) const CHECKED_TOO_LATE: &str = "checked-too-late";
pub(crate) const FATAL_BRANCH: &str = "fatal-branch";
pub(crate) const CONTRADICTORY_CONDITION: &str = "contradictory-condition";
pub(crate) const ENDLESS: &str = "endless";
pub(crate) const BOUNDARY_ERROR: &str = "boundary-error";
pub(crate) const CONTRADICTORY_CONTRACT: &str = "contradictory-contract";

/// What findings of one cause have in common: the rule, and the places that matter.
pub(crate) type Cause = (&'static str, Vec<Option<Loc>>);

/// A passive form of the function with its unit and its positions: all that a finding about it is built from.
pub(crate) struct Judge<'a> {
    pub(crate) unit: &'a gc::Unit,
    pub(crate) function: &'a Function,
    pub(crate) source: &'a dyn Source,
    dominators: OnceCell<Dominators>,
    can_end: OnceCell<EntitySet<Block>>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(unit: &'a gc::Unit, function: &'a Function, source: &'a dyn Source) -> Judge<'a> {
        Judge { unit, function, source, dominators: OnceCell::new(), can_end: OnceCell::new() }
    }

    /// Computed once, when first needed.
    pub(crate) fn dominators(&self) -> &Dominators {
        self.dominators.get_or_init(|| dominators(self.function))
    }

    /// The blocks from which the graph has a path to an acceptable end; computed once, when first needed.
    pub(crate) fn can_end(&self) -> &EntitySet<Block> {
        self.can_end.get_or_init(|| can_end(self.function))
    }
}

impl Judge<'_> {
    pub(crate) fn finding(&self, subject: Subject, core: &Core, class: Option<Noise>) -> Option<Finding> {
        let rule = self.rule(subject, core)?;
        let primary = self.primary(rule, subject, core)?;
        let spot = self.source.spot(primary)?;
        let message = self.message(rule, subject, core, &spot);
        let related = self.related(rule, subject, core, primary, &spot);
        let mut texts = vec![message_without_places(&message)];
        texts.extend(related.iter().map(|related| related.message.clone()));
        let name = &self.unit.symbols[self.function.symbol].name;
        let severity = RULES.iter().find(|row| row.id == rule)?.severity;
        Some(Finding {
            rule: rule.into(),
            severity,
            class: class.map(|class| class.name().into()),
            analyses: vec!["reach".into()],
            function: name.clone(),
            file: spot.file,
            line: spot.line,
            column: spot.column,
            end_line: spot.end_line,
            end_column: spot.end_column,
            message,
            related,
            fingerprint: fingerprint(rule, name, &texts),
        })
    }

    /// The message where only loops exclude a condition.
    pub(crate) fn impossible_in_loops(&self, subject: Subject) -> String {
        format!("{} here, however often the loop is repeated", self.fact(subject).cannot_be())
    }

    /// A finding whose class is plain to see. What it says does not depend on the reasons, which may be added.
    pub(crate) fn unexplained(&self, subject: Subject, class: Noise) -> Option<Finding> {
        let core = Core { before: vec![Statement { block: subject.block(), index: 0 }], ..Core::default() };
        let finding = self.finding(subject, &core, Some(class))?;
        let fact = self.fact(subject);
        let message = match class {
            Noise::Config | Noise::Trivial => return Some(finding),
            Noise::AssertionOnly => format!("if {}, the program always fails", fact.is()),
            Noise::Dominated => format!("{} here: this code is never reached", fact.cannot_be()),
            _ => format!("{} here", fact.cannot_be()),
        };
        let rule = if class == Noise::AssertionOnly { FATAL_BRANCH } else { CONTRADICTORY_CONDITION };
        let severity = RULES.iter().find(|row| row.id == rule)?.severity;
        let fingerprint = fingerprint(rule, &finding.function, std::slice::from_ref(&message));
        Some(Finding { rule: rule.into(), severity, message, fingerprint, ..finding })
    }

    /// The notes of a finding, without the finding.
    pub(crate) fn reasons(&self, subject: Subject, core: &Core) -> Vec<Related> {
        self.finding(subject, core, None).map(|finding| finding.related).unwrap_or_default()
    }

    /// What two findings of one function must share to have one cause: the check that fails, or the statements that
    /// exclude the condition.
    pub(crate) fn cause(&self, subject: Subject, core: &Core) -> Option<Cause> {
        let rule = self.rule(subject, core)?;
        let is_failure = |statement: &&Statement| self.is_failure(**statement);
        let cause = match rule {
            FATAL_BRANCH | BOUNDARY_ERROR => {
                vec![self.loc(**core.after.iter().rev().find(is_failure).as_ref()?)]
            }
            CHECKED_TOO_LATE => vec![self.loc(**core.before.iter().rev().find(is_failure).as_ref()?)],
            ENDLESS => vec![self.primary(rule, subject, core)],
            _ => {
                // The operands of one condition stand close together.
                let own = self.line(Statement { block: subject.block(), index: 0 });
                let is_own = |line: Option<u32>| line.zip(own).is_some_and(|(a, b)| a <= b && b - a <= 2);
                let others = core.before.iter().chain(&core.definitions);
                let others = others.filter(|statement| !is_own(self.line(**statement)));
                let places: Vec<_> = others.map(|&statement| self.loc(statement)).collect();
                if places.is_empty() {
                    vec![self.loc(Statement { block: subject.block(), index: 0 })]
                } else {
                    places
                }
            }
        };
        Some((rule, cause))
    }

    fn line(&self, statement: Statement) -> Option<u32> {
        self.loc(statement).and_then(|loc| self.source.spot(loc)).map(|spot| spot.line)
    }

    /// A note for another finding of the same cause.
    pub(crate) fn likewise(&self, subject: Subject) -> Option<Related> {
        let spot = self.source.spot(self.loc(Statement { block: subject.block(), index: 0 })?)?;
        let message = match subject {
            Subject::Edge(_) => format!("likewise: {} here", self.fact(subject).cannot_be()),
            _ => "likewise here".into(),
        };
        Some(Related { file: spot.file, line: spot.line, column: spot.column, message })
    }

    /// Which checks does the contradiction need? (design.md, section 5) `None` where there is nothing to report: a boundary
    /// value that cannot come here anyway.
    pub(crate) fn rule(&self, subject: Subject, core: &Core) -> Option<&'static str> {
        let is_check =
            |statement: &&Statement| !matches!(self.command(**statement), Some((CmdKind::Assume(_), _)));
        let fails_after = core.after.iter().any(|statement| is_check(&statement));
        let fails_before = core.before.iter().any(|statement| is_check(&statement));
        match subject {
            Subject::Boundary(..) => {
                let breaks = |statement: &&Statement| matches!(self.command(**statement), Some((CmdKind::Assert(check, _), _)) if breaks_at_boundary(*check));
                core.after.iter().any(|statement| breaks(&statement)).then_some(BOUNDARY_ERROR)
            }
            _ if contract::is_contradictory(self.function, subject, core) => Some(CONTRADICTORY_CONTRACT),
            _ if fails_after => Some(FATAL_BRANCH),
            _ if core.needs_end => Some(ENDLESS),
            _ if fails_before => Some(CHECKED_TOO_LATE),
            _ => Some(CONTRADICTORY_CONDITION),
        }
    }

    fn command(&self, statement: Statement) -> Option<(&CmdKind, Loc)> {
        let cmd = self.function.blocks[statement.block].cmds.get(statement.index as usize)?;
        Some((&cmd.kind, cmd.loc))
    }

    /// An end in error has the place of what leads to it.
    fn loc(&self, statement: Statement) -> Option<Loc> {
        match self.command(statement) {
            Some((_, loc)) => Some(loc),
            None => self.function.blocks[statement.block].cmds.last().map(|cmd| cmd.loc),
        }
    }

    fn primary(&self, rule: &str, subject: Subject, core: &Core) -> Option<Loc> {
        match subject {
            Subject::Entry(_) => {
                let last = core.after.iter().rev().find(|statement| self.is_failure(**statement));
                self.loc(*last.or(core.after.last())?)
            }
            // What a person would change is the annotation, where there is one alone.
            Subject::Edge(_) if rule == CONTRADICTORY_CONTRACT => {
                self.loc(contract::place(self.function, subject, core))
            }
            // The loop is what a person would change, not the way to it.
            Subject::Edge(_) if rule == ENDLESS && !core.after.is_empty() => self.loc(core.after[0]),
            Subject::Edge(block) | Subject::Boundary(block, _) => self.loc(Statement { block, index: 0 }),
        }
    }

    fn is_failure(&self, statement: Statement) -> bool {
        !matches!(self.command(statement), Some((CmdKind::Assume(_), _)))
    }

    /// Is it a check that an element of an array was written?
    pub(crate) fn is_about_element(&self, statement: Statement) -> bool {
        match self.command(statement) {
            Some((CmdKind::Assert(_, holds), _)) => self.wording().element(*holds).is_some(),
            _ => false,
        }
    }

    pub(crate) fn wording(&self) -> Wording<'_> {
        Wording { unit: self.unit, function: self.function }
    }

    fn fact(&self, subject: Subject) -> Fact {
        match self.command(Statement { block: subject.block(), index: 0 }) {
            Some((CmdKind::Assume(condition), _)) => match self.wording().fact(*condition) {
                Fact::Unspoken => self.outcome(subject),
                fact => fact,
            },
            _ => Fact::Unspoken,
        }
    }

    fn outcome(&self, subject: Subject) -> Fact {
        match self.function.blocks[subject.block()].branch.map(|branch| branch.outcome) {
            Some(Outcome::True) => Fact::Goes("true"),
            Some(Outcome::False) => Fact::Goes("false"),
            Some(Outcome::Case | Outcome::Default | Outcome::MissingDefault | Outcome::Exhausted) => {
                Fact::Goes("the case")
            }
            None => Fact::Unspoken,
        }
    }

    fn message(&self, rule: &str, subject: Subject, core: &Core, spot: &Spot) -> String {
        let fact = self.fact(subject);
        let failure = core.after.iter().rev().find(|statement| self.is_failure(**statement));
        let failure = failure.map(|&statement| (self.failing(statement), self.at(statement, spot)));
        match (rule, subject, failure) {
            (CONTRADICTORY_CONTRACT, ..) => {
                let name = &self.unit.symbols[self.function.symbol].name;
                let at = |statement| self.at(statement, spot);
                contract::message(self.function, name, subject, core, at)
            }
            (FATAL_BRANCH, Subject::Entry(_), Some((what, _))) => {
                format!("every run of `{}` fails here: {what}", self.unit.symbols[self.function.symbol].name)
            }
            (FATAL_BRANCH, _, Some((what, at))) => format!("whenever {} here, {what}{at}", fact.is()),
            (BOUNDARY_ERROR, Subject::Boundary(_, boundary), Some((what, at))) => {
                let words = self.wording();
                let pair = words.text(boundary.smaller).zip(words.text(boundary.larger));
                match pair {
                    Some((smaller, larger)) if boundary.is_strict => {
                        format!("{} also for `{smaller} == {larger} - 1`, but then {what}{at}", fact.is())
                    }
                    Some((smaller, larger)) => {
                        format!("{} also for `{smaller} == {larger}`, but then {what}{at}", fact.is())
                    }
                    None => format!("{} also at its boundary, but then {what}{at}", fact.is()),
                }
            }
            (CHECKED_TOO_LATE, ..) => {
                let check = core.before.iter().rev().find(|statement| self.is_failure(**statement));
                let at = check.map(|&statement| self.at(statement, spot)).unwrap_or_default();
                let what = check.map(|&statement| self.already(statement)).unwrap_or_default();
                format!("{} here: {what}{at}", fact.cannot_be())
            }
            (ENDLESS, Subject::Entry(_), _) => "this never ends".into(),
            (ENDLESS, ..) => {
                let edge = Statement { block: subject.block(), index: 0 };
                let at = if self.line(edge) == Some(spot.line) { String::new() } else { self.at(edge, spot) };
                let once = match fact {
                    Fact::Goes(outcome) if !at.is_empty() => format!("the condition{at} is {outcome}"),
                    fact => format!("{}{at}", fact.is()),
                };
                format!("once {once}, this never ends: nothing in the loop changes that")
            }
            _ if core.before.len() == 1 && core.definitions.is_empty() => {
                format!("{} here, whatever the values are", fact.cannot_be())
            }
            _ => format!("{} here: what comes before excludes {}", fact.cannot_be(), fact.rest()),
        }
    }

    /// " at line 7", or " at file.h:7".
    fn at(&self, statement: Statement, here: &Spot) -> String {
        match self.loc(statement).and_then(|loc| self.source.spot(loc)) {
            Some(spot) if spot.file == here.file => format!(" at line {}", spot.line),
            Some(spot) => format!(" at {}:{}", spot.file, spot.line),
            None => String::new(),
        }
    }

    fn failing(&self, statement: Statement) -> String {
        match self.command(statement) {
            Some((CmdKind::Assert(check, holds), _)) => self.wording().failing(statement, *check, *holds),
            _ => "the program aborts".into(),
        }
    }

    /// Why a test comes too late.
    fn already(&self, statement: Statement) -> String {
        match self.command(statement) {
            Some((CmdKind::Assert(check, holds), _)) => self.wording().already(statement, *check, *holds),
            _ => "otherwise the program aborts".into(),
        }
    }

    /// The other statements of the contradiction, in source order.
    fn related(&self, rule: &str, subject: Subject, core: &Core, primary: Loc, spot: &Spot) -> Vec<Related> {
        let words = self.wording();
        // What every run to the edge passes, told apart from what only some do.
        let always: Vec<Block> = above(self.dominators(), subject.block()).collect();
        let mut notes: Vec<(Spot, String)> = Vec::new();
        let mut note = |loc: Option<Loc>, text: Option<String>| {
            if let (Some(loc), Some(text)) = (loc.filter(|&loc| loc != primary), text)
                && let Some(place) = self.source.spot(loc)
            {
                notes.push((place, text));
            }
        };
        for (statements, is_after) in [(&core.before, false), (&core.after, true)] {
            for &statement in statements {
                let text = match self.command(statement) {
                    Some((CmdKind::Assume(_), _)) if words.call_fact(statement).is_some() => {
                        words.call_fact(statement)
                    }
                    Some((CmdKind::Assume(condition), _)) => match words.fact(*condition) {
                        Fact::Unspoken => None,
                        fact if always.contains(&statement.block) => Some(format!("{} here", fact.is())),
                        fact => Some(format!("a run comes this way only if {}", fact.is())),
                    },
                    Some((CmdKind::Assert(check, holds), _)) if is_after => {
                        Some(words.failing(statement, *check, *holds))
                    }
                    Some((CmdKind::Assert(check, holds), _)) => Some(words.passed(statement, *check, *holds)),
                    Some(_) => None,
                    None => Some("the program aborts here".into()),
                };
                note(self.loc(statement), text);
            }
        }
        for &statement in &core.definitions {
            let command = self.command(statement);
            let text = words.exit_state(statement).or_else(|| words.definition(command?.0));
            note(self.loc(statement), text);
        }
        notes.sort();
        notes.dedup();
        let own = |place: &Spot| rule != FATAL_BRANCH && place == spot;
        notes.retain(|(place, _)| !own(place));
        notes
            .into_iter()
            .map(|(place, message)| Related {
                file: place.file,
                line: place.line,
                column: place.column,
                message,
            })
            .collect()
    }
}

/// Fingerprints survive moved lines.
fn message_without_places(message: &str) -> String {
    message.split(" at ").next().unwrap_or(message).to_owned()
}
