//! The result of a whole unit for one set of options. A run with nothing changed reads only this.

use super::{Hash, Hasher, Store, evict, hash, hex};
use crate::check_options::CheckOptions;
use crate::select::Unit;
use crate::unit::analyse::AnalysedUnit;
use gainsay_program::link::Hints;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use std::path::{Path, PathBuf};

/// Hashes of everything but the program that findings depend on.
pub(crate) struct Settings {
    /// Options and solvers.
    analysis: Hash,
    /// Options, solvers and the current directory, which file names are relative to.
    with_directory: Hash,
}

impl Settings {
    /// `None` if there are no solvers; the command reports that.
    pub(crate) fn of_this_process(options: &CheckOptions) -> Option<Settings> {
        let places = SolverDirectories::of_this_process().ok()?;
        let version = |name: &str| places.find(name).ok().map(|program| program.version);
        let current = std::env::current_dir().ok()?;
        Some(Settings::new(options, &version(FIRST)?, &version(SECOND)?, &current))
    }

    pub(crate) fn new(options: &CheckOptions, first: &str, second: &str, current: &Path) -> Settings {
        let mut hasher = Hasher::new("settings");
        hasher.part(first.as_bytes()).part(second.as_bytes());
        hasher.part(format!("{:?} {}", options.loops, options.beliefs).as_bytes());
        hasher.part(format!("{:?}", options.evidence.as_ref().map(|(_, settings)| settings)).as_bytes());
        let analysis = hasher.finish();
        hasher.part(current.as_os_str().as_encoded_bytes());
        Settings { analysis, with_directory: hasher.finish() }
    }

    /// The settings of a unit's functions: any of them may use the hints for the unit.
    pub(crate) fn with(&self, hints: Option<&Hints>) -> Hash {
        let bytes = hints.and_then(|hints| postcard::to_stdvec(hints).ok());
        match bytes {
            Some(bytes) => Hasher::new("hints").part(&self.analysis).part(&bytes).finish(),
            None => self.analysis,
        }
    }
}

fn path(store: &Store, unit: &Unit, settings: &Settings) -> PathBuf {
    store.path(unit, &format!("{}.answer", hex(&settings.with_directory[..8])))
}

/// `file` is the hash of the unit file, `facts` what linking found for the unit.
pub(crate) fn write(
    store: &Store,
    unit: &Unit,
    settings: &Settings,
    file: Hash,
    facts: &[u8],
    result: &AnalysedUnit,
) {
    let plain = AnalysedUnit {
        timings: Vec::new(),
        reanalysed: 0,
        differences: Vec::new(),
        solvers: Vec::new(),
        ..result.clone()
    };
    // A result that cannot be written is computed again in the next run.
    if let Ok(bytes) = postcard::to_stdvec(&(settings.with_directory, file, hash(facts), plain)) {
        let _ = store.write(&path(store, unit, settings), &bytes);
    }
}

pub(crate) fn read(
    store: &Store,
    unit: &Unit,
    settings: &Settings,
    file: Hash,
    facts: &[u8],
    explains_macros: bool,
) -> Option<AnalysedUnit> {
    let path = path(store, unit, settings);
    let (old_settings, old_file, old_facts, result): (Hash, Hash, Hash, AnalysedUnit) =
        postcard::from_bytes(&store.read(&path)?).ok()?;
    let is_same = old_settings == settings.with_directory && old_file == file && old_facts == hash(facts);
    // `--show` changes no finding, but reasons of hidden findings may not have been computed.
    let is_usable = is_same && (!explains_macros || result.unexplained == 0);
    if is_usable {
        evict::touch(&path);
    }
    is_usable.then_some(result)
}
