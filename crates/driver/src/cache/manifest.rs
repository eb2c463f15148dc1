//! The files that a unit was made from, and whether they are unchanged.
//!
//! Lookups that failed count too: a header that appears earlier in the search path makes another unit. A change that
//! leaves all contents as they are (a link replaced by a copy) is not noticed; it matters to `#pragma once` only.

use super::file_system::{FileSystem, PathKind, Stat};
use super::{Hash, Store};
use crate::select::Unit;
use gainsay_frontend::clang::ast;
use gainsay_frontend::clang::probes::Found;
use gainsay_ir::source_map::SourceMap;
use gainsay_program::link::Interface;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::SystemTime;

pub(crate) const EXTENSION: &str = "manifest";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// When clang began to read.
    taken: SystemTime,
    lookups: Vec<(String, Lookup)>,
    /// The hash of the unit file.
    pub(crate) unit: Hash,
    pub(crate) interface: Interface,
}

/// What a path led to.
#[derive(Debug, Serialize, Deserialize)]
enum Lookup {
    Nothing,
    Directory,
    File,
    Listed(Hash),
    Read(Hash, Stat),
}

/// Macros whose values change with time.
const TIME_MACROS: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];

impl Manifest {
    /// `None` if the unit may differ in the next run although no file changed.
    pub(crate) fn of(
        ast: &ast::Unit,
        source_map: &SourceMap,
        taken: SystemTime,
        unit: Hash,
        interface: &Interface,
    ) -> Option<Manifest> {
        if source_map.macro_names.iter().any(|name| TIME_MACROS.contains(&name.as_str())) {
            return None;
        }
        let lookups: Option<Vec<(String, Lookup)>> = ast
            .probes()
            .into_iter()
            .map(|probe| {
                let path = probe.path.to_str()?.to_owned();
                let lookup = match probe.found {
                    Found::Nothing => Lookup::Nothing,
                    Found::Directory => Lookup::Directory,
                    Found::File => Lookup::File,
                    Found::Listed(hash) => Lookup::Listed(hash),
                    // If it changed since it was read, its time stamp is after `taken` and is not trusted.
                    Found::Read(hash) => Lookup::Read(hash, Stat::of(Path::new(&path))?),
                    Found::Unsteady => return None,
                };
                Some((path, lookup))
            })
            .collect();
        Some(Manifest { taken, lookups: lookups?, unit, interface: interface.clone() })
    }

    pub(crate) fn write(&self, store: &Store, unit: &Unit) -> std::io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(std::io::Error::other)?;
        store.write(&store.path(unit, EXTENSION), &bytes)
    }

    /// The manifest of the unit, if every lookup gives the same result.
    pub(crate) fn current(store: &Store, unit: &Unit, files: &FileSystem) -> Option<Manifest> {
        let bytes = store.read(&store.path(unit, EXTENSION))?;
        let manifest: Manifest = postcard::from_bytes(&bytes).ok()?;
        manifest.holds(files).then_some(manifest)
    }

    fn holds(&self, files: &FileSystem) -> bool {
        self.lookups.iter().all(|(path, lookup)| {
            let now = files.look(path);
            match lookup {
                Lookup::Nothing => now == PathKind::Nothing,
                Lookup::Directory => now == PathKind::Directory,
                Lookup::File => matches!(now, PathKind::File(_)),
                Lookup::Listed(hash) => now == PathKind::Directory && files.listing(path) == Some(*hash),
                Lookup::Read(hash, stat) => match now {
                    PathKind::File(same) if same == *stat && stat.is_settled(self.taken) => true,
                    PathKind::File(_) => files.hash(path) == Some(*hash),
                    _ => false,
                },
            }
        })
    }
}
