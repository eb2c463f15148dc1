//! Kinds of true contradictions that a programmer would shrug at (design.md, section 5): recognised, counted, and
//! hidden unless asked for.

/// The page about them, in Markdown, with a section for each.
pub const PAGE: &str = include_str!("../../../docs/noise.md");

/// Why a finding may be noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Noise {
    /// The condition is written in the definition of a macro: macros serve many places.
    Macro,
    /// A value is constant only in this build configuration.
    Config,
    /// `while (1)`, `if (0)`, `do ... while (0)`.
    Trivial,
    /// A default, a last else, or a test that only guards a release.
    Defensive,
    /// The dead branch holds no code and rests on no check.
    Redundant,
    /// Lies below a branch that is reported already.
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

    /// As in `--show` and in the JSON.
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

    /// Its section of [`PAGE`].
    pub fn explanation(self) -> &'static str {
        let heading = format!("## {}\n", self.name());
        let start = PAGE.find(&heading).unwrap_or(PAGE.len());
        let section = &PAGE[start..];
        section.get(1..).and_then(|rest| rest.find("\n## ")).map_or(section, |end| &section[..end + 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_explained() {
        for noise in Noise::ALL {
            assert_eq!(Noise::from_name(noise.name()), Some(noise));
            let text = noise.explanation();
            assert!(text.starts_with(&format!("## {}\n", noise.name())), "{}", noise.name());
            assert!(text.ends_with('\n') && text.len() > 100 && text.matches("\n## ").count() == 0, "{text}");
        }
    }
}
