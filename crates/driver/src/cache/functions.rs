//! The results of a unit's functions, in one file per unit. An entry can be used if the function's text is the same, the
//! source gives the same replies to the questions of the analysis, and the loop budget allows the same queries.

use super::function_hash::FunctionHashes;
use super::recorder::{Recorder, Reply, Trace, repeats};
use super::{Hash, Hasher, Store, evict};
use crate::limits::IDLE_REWRITES;
use crate::select::Unit;
use crate::source::positions::Home;
use gainsay_analysis::loops::{LoopBudget, LoopBudgetUse};
use gainsay_analysis::pipeline::Outcome;
use gainsay_analysis::source::Source;
use gainsay_ir::gc;
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXTENSION: &str = "functions";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    /// Rewrites of the file since it was used.
    idle: u8,
    /// The position of the function, if its messages name lines of it.
    pinned: Option<Home>,
    trace: Trace,
    used: LoopBudgetUse,
    /// Positions in the function's file have no file, and lines relative to the function's.
    outcome: Outcome,
}

/// The entries of one unit.
pub(crate) struct Functions<'a> {
    store: &'a Store,
    path: PathBuf,
    settings: Hash,
    hashes: FunctionHashes<'a>,
    entries: BTreeMap<Hash, Entry>,
    used: Vec<Hash>,
    is_changed: bool,
}

impl<'a> Functions<'a> {
    /// `settings`: see `Settings::with`.
    pub(crate) fn open(
        store: &'a Store,
        unit: &Unit,
        settings: Hash,
        lowered: &'a gc::Unit,
    ) -> Functions<'a> {
        let path = store.path(unit, EXTENSION);
        let read = store.read(&path).and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let hashes = FunctionHashes::new(lowered);
        let entries = read.unwrap_or_default();
        Functions { store, path, settings, hashes, entries, used: Vec::new(), is_changed: false }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// `expected`: the encoded preconditions of the functions that it calls.
    pub(crate) fn key(&self, f: &gc::Function, expected: &[u8]) -> Hash {
        Hasher::new("entry").part(&self.settings).part(&self.hashes.hash(f)).part(expected).finish()
    }

    /// The cached outcome of a function, and its use of the loop budget.
    pub(crate) fn find(
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
        let is_in_place = entry.pinned.as_ref().is_none_or(|pinned| pinned == home);
        if !is_in_place || !loop_budget.allows(&entry.used) || !repeats(source, home, &entry.trace) {
            return None;
        }
        self.used.push(key);
        Some((with_positions(&entry.outcome, |finding| make_absolute(finding, home)), entry.used))
    }

    /// Adds the outcome of a function.
    pub(crate) fn put(
        &mut self,
        key: Hash,
        home: &Home,
        trace: Trace,
        used: LoopBudgetUse,
        outcome: &Outcome,
    ) {
        let has_no_file = |finding: &Finding| {
            finding.file.is_empty() || finding.related.iter().any(|related| related.file.is_empty())
        };
        if outcome.findings.iter().any(has_no_file) {
            return;
        }
        let pinned = names_lines(outcome, home, &trace).then(|| home.clone());
        let outcome = with_positions(outcome, |finding| make_relative(finding, home));
        self.entries.insert(key, Entry { idle: 0, pinned, trace, used, outcome });
        self.used.push(key);
        self.is_changed = true;
    }

    /// Writes the file if it changed. Results that cannot be written are computed again in the next run.
    pub(crate) fn close(mut self) {
        if !self.is_changed {
            evict::touch(&self.path);
            return;
        }
        self.used.sort();
        self.entries.retain(|key, entry| {
            let is_used = self.used.binary_search(key).is_ok();
            entry.idle = if is_used { 0 } else { entry.idle + 1 };
            entry.idle <= IDLE_REWRITES
        });
        if let Ok(bytes) = postcard::to_stdvec(&self.entries) {
            let _ = self.store.write(&self.path, &bytes);
        }
    }
}

/// Runs an analysis and records its questions about the source.
pub(crate) fn recorded<T>(
    source: &dyn Source,
    home: &Home,
    analysis: impl FnOnce(&dyn Source) -> T,
) -> (T, Trace) {
    let recorder = Recorder::new(source, home);
    let result = analysis(&recorder);
    (result, recorder.into_trace())
}

/// Whether a message contains the number of a line that moves with the function.
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

fn with_positions(outcome: &Outcome, place: impl Fn(&mut Finding)) -> Outcome {
    let mut outcome = outcome.clone();
    outcome.findings.iter_mut().for_each(place);
    outcome
}

fn make_relative(finding: &mut Finding, home: &Home) {
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

/// The inverse of [`make_relative`].
fn make_absolute(finding: &mut Finding, home: &Home) {
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
