//! The compile databases of several packages as one.

use std::fs;
use std::path::Path;

use super::Package;
use crate::json::{self, Json};

/// Writes `compile_commands.json` into `scratch`; returns how many units it has.
pub(super) fn write(packages: &[Package], scratch: &Path) -> Result<usize, String> {
    let mut all = Vec::new();
    for (_, dir) in packages {
        let file = dir.join("compile_commands.json");
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        all.extend(entries(&text, dir).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    let units = all.len();
    let file = scratch.join("compile_commands.json");
    fs::write(&file, Json::Array(all).print())
        .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    Ok(units)
}

/// The entries of a database that lies in `home`, with directories that mean the same from elsewhere.
pub(super) fn entries(text: &str, home: &Path) -> Result<Vec<Json>, String> {
    let database = json::parse(text)?;
    let entries = database.as_array().ok_or("not a compile database")?;
    Ok(entries.iter().map(|entry| with_absolute_directory(entry, home)).collect())
}

fn with_absolute_directory(entry: &Json, home: &Path) -> Json {
    let Json::Object(members) = entry else { return entry.clone() };
    let absolute = |(name, value): &(String, Json)| match (name.as_str(), value.as_str()) {
        ("directory", Some(dir)) => (name.clone(), Json::text(home.join(dir).to_string_lossy())),
        _ => (name.clone(), value.clone()),
    };
    Json::Object(members.iter().map(absolute).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_absolute_and_nothing_else_changes() {
        let text = r#"[{"directory":"/d","file":"a.c"},{"directory":"lib","file":"b.c","arguments":["cc"]}]"#;
        let merged = Json::Array(entries(text, Path::new("/home")).unwrap()).print();
        assert_eq!(merged, text.replace("\"lib\"", "\"/home/lib\""));
        assert!(entries("{}", Path::new("/home")).is_err());
    }
}
