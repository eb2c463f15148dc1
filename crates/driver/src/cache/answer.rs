//! What was found in a whole unit, for one set of options: a run with nothing changed reads no more than this.

use super::{Hash, Hasher, Store, evict, hash, hex};
use crate::analyse::Checked;
use crate::check_options::CheckOptions;
use crate::units::Unit;
use gainsay_program::link::Hints;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use std::path::{Path, PathBuf};

/// What decides about findings beside the program.
pub struct Settings {
    /// Options and solvers.
    pub analysis: Hash,
    /// Also how files are named.
    shown: Hash,
}

impl Settings {
    /// `None` if there are no solvers, which those who need them report.
    pub fn of_this_process(options: &CheckOptions) -> Option<Settings> {
        let places = SolverDirectories::of_this_process().ok()?;
        let version = |name: &str| places.find(name).ok().map(|program| program.version);
        let current = std::env::current_dir().ok()?;
        Some(Settings::new(options, &version(FIRST)?, &version(SECOND)?, &current))
    }

    pub fn new(options: &CheckOptions, first: &str, second: &str, current: &Path) -> Settings {
        let mut hasher = Hasher::new("settings");
        hasher.part(first.as_bytes()).part(second.as_bytes());
        hasher.part(format!("{:?} {}", options.loops, options.beliefs).as_bytes());
        hasher.part(format!("{:?}", options.evidence.as_ref().map(|(_, settings)| settings)).as_bytes());
        let analysis = hasher.finish();
        hasher.part(current.as_os_str().as_encoded_bytes());
        Settings { analysis, shown: hasher.finish() }
    }

    /// What decides about the findings of a unit's functions: with the hints for the unit, which any of them may use.
    pub fn with(&self, hints: Option<&Hints>) -> Hash {
        let bytes = hints.and_then(|hints| postcard::to_stdvec(hints).ok());
        match bytes {
            Some(bytes) => Hasher::new("hints").part(&self.analysis).part(&bytes).finish(),
            None => self.analysis,
        }
    }
}

fn path(store: &Store, unit: &Unit, settings: &Settings) -> PathBuf {
    store.path(unit, &format!("{}.answer", hex(&settings.shown[..8])))
}

/// `file` is the hash of the unit file.
pub fn write(
    store: &Store,
    unit: &Unit,
    settings: &Settings,
    file: Hash,
    summaries: &[u8],
    checked: &Checked,
) {
    let plain = Checked {
        timings: Vec::new(),
        anew: 0,
        differences: Vec::new(),
        solvers: Vec::new(),
        ..checked.clone()
    };
    // What cannot be written is found out again another time.
    if let Ok(bytes) = postcard::to_stdvec(&(settings.shown, file, hash(summaries), plain)) {
        let _ = store.write(&path(store, unit, settings), &bytes);
    }
}

pub fn read(
    store: &Store,
    unit: &Unit,
    settings: &Settings,
    file: Hash,
    summaries: &[u8],
    explains_macros: bool,
) -> Option<Checked> {
    let path = path(store, unit, settings);
    let (known_settings, known_file, known_summaries, checked): (Hash, Hash, Hash, Checked) =
        postcard::from_bytes(&store.read(&path)?).ok()?;
    let is_it = known_settings == settings.shown && known_file == file && known_summaries == hash(summaries);
    // What is shown decides about no finding, but reasons that nobody asked for were not looked for.
    let is_it = is_it && (!explains_macros || checked.unexplained == 0);
    if is_it {
        evict::touch(&path);
    }
    is_it.then_some(checked)
}
