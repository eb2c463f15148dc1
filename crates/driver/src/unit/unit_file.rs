//! A lowered unit on disk between the read and analyse phases: everything that the analyses need, without clang.

use crate::cache::{Hash, Store, evict, hash};
use crate::select::Unit;
use crate::source::display_path::DisplayPaths;
use gainsay_frontend::clang::ast;
use gainsay_frontend::clang::probes::Found;
use gainsay_frontend::lower::{FunctionMetadata, GaveUp};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc;
use gainsay_ir::source_map::{Raw, SourceMap, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const EXTENSION: &str = "unit";

#[derive(Serialize, Deserialize)]
pub(crate) struct UnitFile {
    /// With models applied.
    pub(crate) unit: gc::Unit,
    /// Parallel to `unit.functions`.
    pub(crate) functions: Vec<FunctionMetadata>,
    pub(crate) gave_up: Vec<GaveUp>,
    pub(crate) gaps: Vec<(Gap, Span)>,
    /// Annotations of declarations that are not understood.
    pub(crate) problems: Vec<(Raw, String)>,
    pub(crate) source_map: SourceMap,
    pub(crate) error: Option<CompileError>,
    /// Hashes of the files that clang read, by absolute path: what messages quote is looked up there.
    pub(crate) texts: BTreeMap<String, Hash>,
}

/// The first error of a unit, and the number of further errors.
#[derive(Serialize, Deserialize)]
pub struct CompileError {
    at: Raw,
    message: String,
    more: usize,
}

impl CompileError {
    pub fn first_of(ast: &ast::Unit) -> Option<CompileError> {
        let mut errors = ast.diagnostics().into_iter().filter(|message| message.error);
        let first = errors.next()?;
        Some(CompileError { at: first.at, message: first.message, more: errors.count() })
    }

    pub fn describe(&self, paths: &DisplayPaths, map: &SourceMap) -> String {
        let place = match paths.place(map, self.at) {
            Some((file, line, column)) => format!("{file}:{line}:{column}: "),
            None => String::new(),
        };
        let more = match self.more {
            0 => String::new(),
            1 => " (and 1 more error)".into(),
            n => format!(" (and {n} more errors)"),
        };
        format!("{place}{}{more}", self.message)
    }
}

/// Hashes of all files that clang read.
pub(crate) fn texts(ast: &ast::Unit) -> BTreeMap<String, Hash> {
    let text = |probe: gainsay_frontend::clang::probes::Probe| match probe.found {
        Found::Read(hash) => Some((probe.path.to_str()?.to_owned(), hash)),
        _ => None,
    };
    ast.probes().into_iter().filter_map(text).collect()
}

impl UnitFile {
    /// The encoded file and its hash, which identifies it.
    pub(crate) fn to_bytes(&self) -> Result<(Vec<u8>, Hash), String> {
        let bytes = postcard::to_stdvec(self).map_err(|error| format!("internal error: {error}"))?;
        let hash = hash(&bytes);
        Ok((bytes, hash))
    }

    /// Errors are ignored: a missing unit file is made again when it is needed.
    pub(crate) fn write(bytes: &[u8], store: &Store, unit: &Unit) {
        let _ = store.write(&store.path(unit, EXTENSION), bytes);
    }

    /// The unit file with this hash, if the store has it.
    pub(crate) fn read(store: &Store, unit: &Unit, wanted: Hash) -> Option<UnitFile> {
        let path = store.path(unit, EXTENSION);
        let bytes = store.read(&path)?;
        if hash(&bytes) != wanted {
            return None;
        }
        if store.lasts {
            evict::touch(&path);
        }
        postcard::from_bytes(&bytes).ok()
    }
}
