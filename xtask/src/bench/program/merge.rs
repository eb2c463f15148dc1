//! Merges the compile databases of several packages.

use std::fs;
use std::path::Path;

use super::Package;
use crate::json;
use crate::units::Unit;

/// Writes `compile_commands.json` into `scratch`; returns the number of its units.
pub(super) fn write(packages: &[Package], scratch: &Path) -> Result<usize, String> {
    let mut all = Vec::new();
    for (_, dir) in packages {
        let file = dir.join("compile_commands.json");
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        all.extend(entries(&text, dir).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    let file = scratch.join("compile_commands.json");
    let text = serde_json::to_string(&all).map_err(|e| e.to_string())?;
    fs::write(&file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    Ok(all.len())
}

/// The entries of a database in the folder `home`, with absolute directories.
pub(super) fn entries(text: &str, home: &Path) -> Result<Vec<Unit>, String> {
    let mut entries: Vec<Unit> = json::parse(text)?;
    for entry in &mut entries {
        entry.directory = home.join(&entry.directory).to_string_lossy().into_owned();
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_become_absolute_and_nothing_else_changes() {
        let text = r#"[{"directory":"/d","file":"a.c","arguments":["cc"]},{"directory":"lib","file":"b.c","arguments":["cc"]}]"#;
        let merged = serde_json::to_string(&entries(text, Path::new("/home")).unwrap()).unwrap();
        assert_eq!(merged, text.replace("\"lib\"", "\"/home/lib\""));
        assert!(entries("{}", Path::new("/home")).is_err());
    }
}
