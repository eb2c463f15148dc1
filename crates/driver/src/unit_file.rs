//! A unit on disk between reading and analysing: everything that the analyses need, without clang.

use crate::cache::{Hash, Store, evict, hash};
use crate::places::Base;
use crate::units::Unit;
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
pub struct UnitFile {
    /// With models applied.
    pub unit: gc::Unit,
    /// Parallel to `unit.functions`.
    pub functions: Vec<FunctionMetadata>,
    pub gave_up: Vec<GaveUp>,
    pub gaps: Vec<(Gap, Span)>,
    /// Annotations that have no meaning here, of functions that are only declared.
    pub problems: Vec<(Raw, String)>,
    pub source_map: SourceMap,
    pub error: Option<CompileError>,
    /// The files that were read, by their absolute paths: what messages quote is looked up there.
    pub texts: BTreeMap<String, Hash>,
}

/// The first error of a unit, and how many follow.
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

    pub fn shown(&self, base: &Base, map: &SourceMap) -> String {
        let place = match base.place(map, self.at) {
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

/// The contents of all files that clang read.
pub fn texts(ast: &ast::Unit) -> BTreeMap<String, Hash> {
    let text = |probe: gainsay_frontend::clang::probes::Probe| match probe.found {
        Found::Read(hash) => Some((probe.path.to_str()?.to_owned(), hash)),
        _ => None,
    };
    ast.probes().into_iter().filter_map(text).collect()
}

impl UnitFile {
    /// What the store keeps, and its hash, which names this very unit.
    pub fn to_bytes(&self) -> Result<(Vec<u8>, Hash), String> {
        let bytes = postcard::to_stdvec(self).map_err(|error| format!("internal error: {error}"))?;
        let hash = hash(&bytes);
        Ok((bytes, hash))
    }

    /// A unit that cannot be written is read again when it is needed.
    pub fn write(bytes: &[u8], store: &Store, unit: &Unit) {
        let _ = store.write(&store.path(unit, EXTENSION), bytes);
    }

    /// This very unit, if it is still there.
    pub fn read(store: &Store, unit: &Unit, wanted: Hash) -> Option<UnitFile> {
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
