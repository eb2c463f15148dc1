//! File names as people see them: relative to where they stand, if the file is below.

use gainsay_frontend::compile_db::clean;
use gainsay_ir::source_map::{Raw, SourceMap};
use std::path::{Path, PathBuf};

/// Where names start: the directory a unit is compiled in, and the one we were started in.
pub struct Base {
    pub unit: PathBuf,
    pub current: PathBuf,
}

impl Base {
    /// File, line and column of a position.
    pub fn place(&self, map: &SourceMap, at: Raw) -> Option<(String, u32, u32)> {
        let place = map.place(at)?;
        Some((self.name(place.file), place.line, place.column))
    }

    pub fn name(&self, file: &str) -> String {
        // Names such as <built-in> are no files.
        if file.starts_with('<') { file.to_owned() } else { shown(&self.unit.join(file), &self.current) }
    }
}

/// An absolute path, made relative to `current` where it is below.
pub(crate) fn shown(path: &Path, current: &Path) -> String {
    let path = clean(path);
    match path.strip_prefix(current) {
        Ok(below) if below.as_os_str().is_empty() => ".".into(),
        Ok(below) => below.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}
