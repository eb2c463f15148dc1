//! The directories of toy programs with `//~` expectations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// The files of `tests/NAME` with their texts, in order.
pub fn program_files(name: &str) -> Vec<(PathBuf, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
    let entries = std::fs::read_dir(directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// A line of text for every key on which the maps differ.
pub fn differences<K: Ord + Debug, V: PartialEq + Debug>(
    path: &Path,
    expected: &BTreeMap<K, V>,
    found: &BTreeMap<K, V>,
) -> String {
    let mut text = String::new();
    for at in expected.keys().chain(found.keys()).collect::<BTreeSet<_>>() {
        let (wanted, got) = (expected.get(at), found.get(at));
        if wanted != got {
            text += &format!("{}:{at:?}: expected {wanted:?}, found {got:?}\n", path.display());
        }
    }
    text
}
