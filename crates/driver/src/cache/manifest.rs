//! What a unit was made from, and whether that is still so.
//!
//! Not only the files that were read count, but also those that were looked for in vain: a header that appears earlier in
//! the search path is another unit. Not seen are changes of what a name leads to that leave all contents alone (a
//! link replaced by a copy), which matter to `#pragma once` only.

use super::files::{Files, Now, Stat};
use super::{Hash, Store};
use crate::units::Unit;
use gainsay_frontend::clang::ast;
use gainsay_frontend::clang::probes::Found;
use gainsay_ir::source_map::SourceMap;
use gainsay_program::link::Interface;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::SystemTime;

pub const EXTENSION: &str = "manifest";

#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// When clang began to read.
    taken: SystemTime,
    facts: Vec<(String, Fact)>,
    /// The body of the unit file.
    pub unit: Hash,
    pub interface: Interface,
}

#[derive(Debug, Serialize, Deserialize)]
enum Fact {
    Nothing,
    Directory,
    File,
    Listed(Hash),
    Read(Hash, Stat),
}

/// Macros whose values are different another time.
const OF_THE_CLOCK: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];

impl Manifest {
    /// `None` if the unit may be another one next time although nothing changed.
    pub fn of(
        ast: &ast::Unit,
        source_map: &SourceMap,
        taken: SystemTime,
        unit: Hash,
        interface: &Interface,
    ) -> Option<Manifest> {
        if source_map.macro_names.iter().any(|name| OF_THE_CLOCK.contains(&name.as_str())) {
            return None;
        }
        let facts: Option<Vec<(String, Fact)>> = ast
            .probes()
            .into_iter()
            .map(|probe| {
                let path = probe.path.to_str()?.to_owned();
                let fact = match probe.found {
                    Found::Nothing => Fact::Nothing,
                    Found::Directory => Fact::Directory,
                    Found::File => Fact::File,
                    Found::Listed(hash) => Fact::Listed(hash),
                    // If it changed since it was read, this is a time after `taken`, and is not relied on.
                    Found::Read(hash) => Fact::Read(hash, Stat::of(Path::new(&path))?),
                    Found::Unsteady => return None,
                };
                Some((path, fact))
            })
            .collect();
        Some(Manifest { taken, facts: facts?, unit, interface: interface.clone() })
    }

    pub fn write(&self, store: &Store, unit: &Unit) -> std::io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(std::io::Error::other)?;
        store.write(&store.path(unit, EXTENSION), &bytes)
    }

    /// The manifest of the unit, if all is as it was.
    pub fn current(store: &Store, unit: &Unit, files: &Files) -> Option<Manifest> {
        let bytes = store.read(&store.path(unit, EXTENSION))?;
        let manifest: Manifest = postcard::from_bytes(&bytes).ok()?;
        manifest.holds(files).then_some(manifest)
    }

    fn holds(&self, files: &Files) -> bool {
        self.facts.iter().all(|(path, fact)| {
            let now = files.look(path);
            match fact {
                Fact::Nothing => now == Now::Nothing,
                Fact::Directory => now == Now::Directory,
                Fact::File => matches!(now, Now::File(_)),
                Fact::Listed(hash) => now == Now::Directory && files.listing(path) == Some(*hash),
                Fact::Read(hash, stat) => match now {
                    Now::File(same) if same == *stat && stat.is_settled(self.taken) => true,
                    Now::File(_) => files.hash(path) == Some(*hash),
                    _ => false,
                },
            }
        })
    }
}
