//! The only place where a [`Finding`] is built.

use crate::judge::Judge;
use crate::source::Spot;
use gainsay_report::finding::{Finding, Related};
use gainsay_report::fingerprint::fingerprint;
use gainsay_report::noise::Noise;
use gainsay_report::rules::rule;

/// What an analysis decides about a finding.
pub(crate) struct Draft {
    pub(crate) rule: &'static str,
    pub(crate) analysis: &'static str,
    pub(crate) class: Option<Noise>,
    pub(crate) spot: Spot,
    pub(crate) message: String,
    pub(crate) related: Vec<Related>,
    /// What the fingerprint is made from. No line numbers, so that it survives moved lines.
    pub(crate) identity: Vec<String>,
}

impl Draft {
    /// Its identity is the message up to the first place, and the notes.
    pub(crate) fn new(
        rule: &'static str,
        analysis: &'static str,
        spot: Spot,
        message: String,
        related: Vec<Related>,
    ) -> Draft {
        let mut identity = vec![message.split(" at ").next().unwrap_or(&message).to_owned()];
        identity.extend(related.iter().map(|related| related.message.clone()));
        Draft { rule, analysis, class: None, spot, message, related, identity }
    }

    /// The finding about the judge's function; `None` if there is no such rule.
    pub(crate) fn build(self, judge: &Judge) -> Option<Finding> {
        let name = &judge.unit.symbols[judge.function.symbol].name;
        Some(Finding {
            rule: self.rule.into(),
            severity: rule(self.rule)?.severity,
            class: self.class.map(|class| class.name().into()),
            analyses: vec![self.analysis.into()],
            function: name.clone(),
            file: self.spot.file,
            line: self.spot.line,
            column: self.spot.column,
            end_line: self.spot.end_line,
            end_column: self.spot.end_column,
            message: self.message,
            related: self.related,
            fingerprint: fingerprint(self.rule, name, &self.identity),
        })
    }
}
