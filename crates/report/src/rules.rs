//! The table of rules. A rule is a row here and a page `docs/rules/<id>.md`.

/// What a finding can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: &'static str,
    /// The text of its page, in Markdown.
    pub page: &'static str,
}

/// Sorted by id. Empty until the first analysis lands.
pub const RULES: &[Rule] = &[];
