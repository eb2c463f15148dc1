//! What was found in each function of a unit, in one file per unit. An entry can be used where the function's text is the
//! same, the source answers the same questions alike, and the purse would have allowed the same questions.

use super::recorder::{Recorder, Reply, Trace, repeats};
use super::text::Texts;
use super::{Hash, Hasher, Store, evict};
use crate::positions::Home;
use crate::units::Unit;
use gainsay_analysis::loops::{LoopBudget, LoopBudgetUse};
use gainsay_analysis::pipeline::Outcome;
use gainsay_analysis::source::Source;
use gainsay_ir::gc;
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXTENSION: &str = "functions";

/// An entry that so many rewrites of the file did not use is dropped.
const MOST_IDLE: u8 = 4;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    idle: u8,
    /// Where the function stood, if its messages name lines of it.
    pinned: Option<Home>,
    trace: Trace,
    used: LoopBudgetUse,
    /// Places in the function's file have no file, and lines counted from the function's.
    outcome: Outcome,
}

/// The entries of one unit.
pub struct Functions<'a> {
    store: &'a Store,
    path: PathBuf,
    settings: Hash,
    texts: Texts<'a>,
    entries: BTreeMap<Hash, Entry>,
    used: Vec<Hash>,
    is_changed: bool,
}

impl<'a> Functions<'a> {
    /// `settings`: what decides about all findings.
    pub fn open(store: &'a Store, unit: &Unit, settings: Hash, lowered: &'a gc::Unit) -> Functions<'a> {
        let path = store.path(unit, EXTENSION);
        let read = store.read(&path).and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let texts = Texts::new(lowered);
        let entries = read.unwrap_or_default();
        Functions { store, path, settings, texts, entries, used: Vec::new(), is_changed: false }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `expected`: by the functions that it calls.
    pub fn key(&self, f: &gc::Function, expected: &[u8]) -> Hash {
        Hasher::new("entry").part(&self.settings).part(&self.texts.hash(f)).part(expected).finish()
    }

    /// What is known of a function, and how it uses the purse.
    pub fn find(
        &mut self,
        key: Hash,
        source: &dyn Source,
        home: &Home,
        loop_budget: &LoopBudget,
        explains_macros: bool,
    ) -> Option<(Outcome, LoopBudgetUse)> {
        let entry = self.entries.get(&key)?;
        if explains_macros && entry.outcome.tally.unexplained != 0 {
            return None;
        }
        let stands_there = entry.pinned.as_ref().is_none_or(|pinned| pinned == home);
        if !stands_there || !loop_budget.allows(&entry.used) || !repeats(source, home, &entry.trace) {
            return None;
        }
        self.used.push(key);
        Some((moved(&entry.outcome, |finding| from_home(finding, home)), entry.used))
    }

    /// Remembers what was found.
    pub fn put(&mut self, key: Hash, home: &Home, trace: Trace, used: LoopBudgetUse, outcome: &Outcome) {
        let is_nameless = |finding: &Finding| {
            finding.file.is_empty() || finding.related.iter().any(|related| related.file.is_empty())
        };
        if outcome.findings.iter().any(is_nameless) {
            return;
        }
        let pinned = names_lines(outcome, home, &trace).then(|| home.clone());
        let outcome = moved(outcome, |finding| to_home(finding, home));
        self.entries.insert(key, Entry { idle: 0, pinned, trace, used, outcome });
        self.used.push(key);
        self.is_changed = true;
    }

    /// Writes what was found anew. What cannot be written is found out again another time.
    pub fn close(mut self) {
        if !self.is_changed {
            evict::touch(&self.path);
            return;
        }
        self.used.sort();
        self.entries.retain(|key, entry| {
            let is_used = self.used.binary_search(key).is_ok();
            entry.idle = if is_used { 0 } else { entry.idle + 1 };
            entry.idle <= MOST_IDLE
        });
        if let Ok(bytes) = postcard::to_stdvec(&self.entries) {
            let _ = self.store.write(&self.path, &bytes);
        }
    }
}

/// Runs an analysis and tells what it asked.
pub fn recorded<T>(source: &dyn Source, home: &Home, analysis: impl FnOnce(&dyn Source) -> T) -> (T, Trace) {
    let recorder = Recorder::new(source, home);
    let result = analysis(&recorder);
    (result, recorder.into_trace())
}

/// Does a message contain the number of a line that moves with the function?
fn names_lines(outcome: &Outcome, home: &Home, trace: &Trace) -> bool {
    let absolute = |line: i64| (line + i64::from(home.line)).to_string();
    let lines: Vec<String> = trace
        .values()
        .filter_map(|reply| match reply {
            Reply::Near { line, end_line, .. } => Some([absolute(*line), absolute(*end_line)]),
            _ => None,
        })
        .flatten()
        .collect();
    let names = |text: &str| lines.iter().any(|line| text.contains(line.as_str()));
    outcome
        .findings
        .iter()
        .any(|f| names(&f.message) || f.related.iter().any(|related| names(&related.message)))
}

fn moved(outcome: &Outcome, place: impl Fn(&mut Finding)) -> Outcome {
    let mut outcome = outcome.clone();
    outcome.findings.iter_mut().for_each(place);
    outcome
}

fn to_home(finding: &mut Finding, home: &Home) {
    if finding.file == home.file {
        finding.file.clear();
        finding.line = finding.line.wrapping_sub(home.line);
        finding.end_line = finding.end_line.wrapping_sub(home.line);
    }
    for related in finding.related.iter_mut().filter(|related| related.file == home.file) {
        related.file.clear();
        related.line = related.line.wrapping_sub(home.line);
    }
}

/// The inverse of [`to_home`].
fn from_home(finding: &mut Finding, home: &Home) {
    if finding.file.is_empty() {
        finding.file.clone_from(&home.file);
        finding.line = finding.line.wrapping_add(home.line);
        finding.end_line = finding.end_line.wrapping_add(home.line);
    }
    for related in finding.related.iter_mut().filter(|related| related.file.is_empty()) {
        related.file.clone_from(&home.file);
        related.line = related.line.wrapping_add(home.line);
    }
}
