//! What the command line asks of `check`, as far as it concerns the work on one unit.

use crate::units::Unit;
use gainsay_analysis::evidence::EvidenceSettings;
use gainsay_analysis::loops::Loops;
use gainsay_report::fingerprint::stable_hash;
use gainsay_report::noise::Noise;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Kinds of noise that are shown.
    pub show: Vec<Noise>,
    pub loops: Loops,
    /// Look for beliefs that contradict each other as well.
    pub beliefs: bool,
    /// As the command line says it, and what that means.
    pub evidence: Option<(String, EvidenceSettings)>,
    /// Where the questions to the solvers are written.
    pub transcript: Option<PathBuf>,
    /// Measure where the time goes.
    pub timings: bool,
}

impl CheckOptions {
    /// As the command line names them: classes of noise, or `all`.
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

    /// The same for one unit: its transcript has a folder of its own, whose name is the same in every run and
    /// different for every unit.
    pub fn of_unit(&self, unit: &Unit) -> CheckOptions {
        let mut parts = vec![unit.directory.to_str().unwrap_or_default(), &unit.file];
        parts.extend(unit.arguments.iter().map(String::as_str));
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let name: String = unit.file.trim_start_matches('/').chars().map(plain).collect();
        // The end of a long path says more than its start.
        let name = &name[name.len().saturating_sub(LONGEST_NAME)..];
        let folder = format!("{name}-{}", &stable_hash(&parts)[..8]);
        let transcript = self.transcript.as_ref().map(|dir| dir.join(folder));
        CheckOptions { transcript, ..self.clone() }
    }

    /// Are reasons needed for findings in macro definitions?
    pub fn explains_macros(&self) -> bool {
        self.show.contains(&Noise::Macro)
    }

    /// Is a finding of this class shown?
    pub fn shows(&self, class: Option<&str>) -> bool {
        class.is_none_or(|class| self.show.iter().any(|noise| noise.name() == class))
    }

    /// For the command line of a worker, which reads them back with [`CheckOptions::new`].
    pub fn arguments(&self) -> Vec<std::ffi::OsString> {
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

/// Stands for every class.
pub const ALL: &str = "all";

/// File systems allow 255 bytes.
const LONGEST_NAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(file: &str, flag: &str) -> Unit {
        Unit {
            directory: "/d".into(),
            file: file.into(),
            arguments: vec![flag.into(), file.into()],
            own: Vec::new(),
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
