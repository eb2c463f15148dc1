//! File names as users see them: relative to the current directory if the file is below it.

use gainsay_frontend::compile_db::clean;
use gainsay_ir::source_map::{Raw, SourceMap};
use std::path::{Path, PathBuf};

/// The directories that file names of a unit are relative to.
pub struct DisplayPaths {
    /// Where the unit is compiled.
    pub(crate) unit: PathBuf,
    /// Where gainsay was started.
    pub(crate) current: PathBuf,
}

impl DisplayPaths {
    /// File, line and column of a position.
    pub fn place(&self, map: &SourceMap, at: Raw) -> Option<(String, u32, u32)> {
        let place = map.place(at)?;
        Some((self.name(place.file), place.line, place.column))
    }

    pub(crate) fn name(&self, file: &str) -> String {
        // clang's names such as <built-in> are not paths.
        if file.starts_with('<') {
            file.to_owned()
        } else {
            display_path(&self.unit.join(file), &self.current)
        }
    }
}

/// An absolute path, made relative to `current` if it is below it.
pub(crate) fn display_path(path: &Path, current: &Path) -> String {
    let path = clean(path);
    match path.strip_prefix(current) {
        Ok(below) if below.as_os_str().is_empty() => ".".into(),
        Ok(below) => below.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}
