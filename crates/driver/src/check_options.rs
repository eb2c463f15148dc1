//! The options of `check` that concern the work on one unit.

use crate::limits::LONGEST_FOLDER_NAME;
use crate::select::Unit;
use gainsay_analysis::evidence::EvidenceSettings;
use gainsay_analysis::loops::Loops;
use gainsay_report::fingerprint::stable_hash;
use gainsay_report::noise::Noise;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Noise classes that are shown.
    pub show: Vec<Noise>,
    pub loops: Loops,
    /// Also look for contradictory beliefs.
    pub beliefs: bool,
    /// The text of the option, and its meaning.
    pub evidence: Option<(String, EvidenceSettings)>,
    /// The directory that the questions to the solvers are written to.
    pub transcript: Option<PathBuf>,
    /// Measure where the time goes.
    pub timings: bool,
}

impl CheckOptions {
    /// `show`: names of noise classes, or `all`.
    pub fn new(
        show: &[String],
        loops: Loops,
        beliefs: bool,
        evidence: Option<&str>,
        transcript: Option<&Path>,
        timings: bool,
    ) -> Result<CheckOptions, String> {
        let all = show.iter().any(|name| name == ALL);
        let wanted = |noise: &Noise| all || show.iter().any(|name| name == noise.name());
        let absolute = |path| {
            std::path::absolute(path).map_err(|error| format!("the current directory is gone: {error}"))
        };
        let settings = |text: &str| EvidenceSettings::parse(text).map(|settings| (text.to_owned(), settings));
        Ok(CheckOptions {
            show: Noise::ALL.into_iter().filter(wanted).collect(),
            loops,
            beliefs,
            evidence: evidence.map(settings).transpose()?,
            transcript: transcript.map(absolute).transpose()?,
            timings,
        })
    }

    /// The options for one unit: its transcript gets a folder of its own, whose name is the same in every run and different
    /// for every unit.
    pub(crate) fn of_unit(&self, unit: &Unit) -> CheckOptions {
        let mut parts = vec![unit.directory.to_str().unwrap_or_default(), &unit.file];
        parts.extend(unit.arguments.iter().map(String::as_str));
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let name: String = unit.file.trim_start_matches('/').chars().map(plain).collect();
        // The end of a long path says more than its start.
        let name = &name[name.len().saturating_sub(LONGEST_FOLDER_NAME)..];
        let folder = format!("{name}-{}", &stable_hash(&parts)[..8]);
        let transcript = self.transcript.as_ref().map(|dir| dir.join(folder));
        CheckOptions { transcript, ..self.clone() }
    }

    /// Whether findings in macro definitions are shown and so need reasons.
    pub(crate) fn explains_macros(&self) -> bool {
        self.show.contains(&Noise::Macro)
    }

    /// Whether a finding of this noise class is shown.
    pub(crate) fn shows(&self, class: Option<&str>) -> bool {
        class.is_none_or(|class| self.show.iter().any(|noise| noise.name() == class))
    }

    /// The command line of a worker, which reads them back with [`CheckOptions::new`].
    pub(crate) fn arguments(&self) -> Vec<std::ffi::OsString> {
        let mut arguments = Vec::new();
        for noise in &self.show {
            arguments.extend(["--show".into(), noise.name().into()]);
        }
        let loops = match self.loops {
            Loops::Off => "off",
            Loops::Auto => "auto",
            Loops::All => "all",
        };
        arguments.extend(["--loops".into(), loops.into()]);
        if self.beliefs {
            arguments.push("--beliefs".into());
        }
        if let Some((text, _)) = &self.evidence {
            arguments.extend(["--evidence".into(), text.into()]);
        }
        if let Some(directory) = &self.transcript {
            arguments.extend(["--transcript".into(), directory.into()]);
        }
        if self.timings {
            arguments.push("--timings".into());
        }
        arguments
    }
}

/// The name that stands for every noise class.
pub const ALL: &str = "all";

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(file: &str, flag: &str) -> Unit {
        Unit {
            directory: "/d".into(),
            file: file.into(),
            arguments: vec![flag.into(), file.into()],
            own_functions: Vec::new(),
        }
    }

    #[test]
    fn every_unit_has_its_own_folder_that_does_not_change() {
        let options = CheckOptions::new(&[], Loops::Auto, false, None, Some(Path::new("/t")), false).unwrap();
        let folder = |file: &str, flag: &str| options.of_unit(&unit(file, flag)).transcript.unwrap();
        assert_eq!(folder("src/a.c", "-O"), folder("src/a.c", "-O"));
        let all =
            [folder("src/a.c", "-O"), folder("src/a.c", "-g"), folder("src_a.c", "-O"), folder("../a.c", "")];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
            assert_eq!(a.parent(), Some(Path::new("/t")));
        }
        let long = folder(&format!("{}/é/last.c", "x".repeat(5000)), "");
        let name = long.file_name().unwrap().to_str().unwrap();
        assert!(name.len() < 255 && name.contains("last.c-"), "{name}");
    }

    #[test]
    fn all_shows_all() {
        let options = |names: &[&str]| {
            CheckOptions::new(
                &names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(),
                Loops::Auto,
                false,
                None,
                None,
                false,
            )
            .unwrap()
        };
        assert_eq!(options(&["macro", "all"]).show, Noise::ALL);
        assert!(options(&["macro"]).shows(Some("macro")) && options(&[]).shows(None));
        assert!(!options(&["macro"]).shows(Some("config")));
    }
}
