//! The noise classes: kinds of true contradictions that are not worth a change (universal reachability, section 6.3.2, and
//! four more). They are recognised, counted, and hidden unless asked for. A class is a variant here and a page
//! `docs/noise/<class>.md`.

/// Why a finding may be noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Noise {
    /// The condition is written in the definition of a macro, which serves many places.
    Macro,
    /// A value is constant only in this build configuration.
    Config,
    /// `while (1)`, `if (0)`, `do ... while (0)`.
    Trivial,
    /// A default, a last else, or a test that only guards a release.
    Defensive,
    /// The dead branch holds no code and rests on no check.
    Redundant,
    /// The branch is behind one that is already reported or hidden.
    Dominated,
    /// The branch only exists to fail: `if (!p) abort();`.
    AssertionOnly,
}

impl Noise {
    pub const ALL: [Noise; 7] = [
        Noise::Macro,
        Noise::Config,
        Noise::Trivial,
        Noise::Defensive,
        Noise::Redundant,
        Noise::Dominated,
        Noise::AssertionOnly,
    ];

    /// The name in `--show` and in the JSON.
    pub fn name(self) -> &'static str {
        match self {
            Noise::Macro => "macro",
            Noise::Config => "config",
            Noise::Trivial => "trivial",
            Noise::Defensive => "defensive",
            Noise::Redundant => "redundant",
            Noise::Dominated => "dominated",
            Noise::AssertionOnly => "assertion-only",
        }
    }

    pub fn from_name(name: &str) -> Option<Noise> {
        Noise::ALL.into_iter().find(|noise| noise.name() == name)
    }

    /// The text of its page, in Markdown.
    pub fn page(self) -> &'static str {
        match self {
            Noise::Macro => include_str!("../../../docs/noise/macro.md"),
            Noise::Config => include_str!("../../../docs/noise/config.md"),
            Noise::Trivial => include_str!("../../../docs/noise/trivial.md"),
            Noise::Defensive => include_str!("../../../docs/noise/defensive.md"),
            Noise::Redundant => include_str!("../../../docs/noise/redundant.md"),
            Noise::Dominated => include_str!("../../../docs/noise/dominated.md"),
            Noise::AssertionOnly => include_str!("../../../docs/noise/assertion-only.md"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_page() {
        for noise in Noise::ALL {
            assert_eq!(Noise::from_name(noise.name()), Some(noise));
            assert!(noise.page().starts_with(&format!("# {}\n", noise.name())), "{}", noise.name());
        }
    }
}
