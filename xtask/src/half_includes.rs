//! `cargo xtask corpus-check --half-includes`: a package with every second `-I` flag removed from its
//! compile_commands.json. Headers are missing and units have errors, as in a build that is only half known.

use std::fs;
use std::path::{Path, PathBuf};

use crate::json::{self, Value};

/// Writes the reduced database beside the package and returns its folder.
pub(crate) fn database(package: &Path) -> Result<PathBuf, String> {
    let given = package.join("compile_commands.json");
    let text = fs::read_to_string(&given).map_err(|e| format!("cannot read {}: {e}", given.display()))?;
    let mut commands = json::parse(&text)?;
    remove_every_second(&mut commands);
    let folder = package.with_extension("half");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let out = folder.join("compile_commands.json");
    fs::write(&out, commands.to_string()).map_err(|e| format!("cannot write {}: {e}", out.display()))?;
    Ok(folder)
}

/// Flags are counted through the whole database because some units have only one.
fn remove_every_second(database: &mut Value) {
    let mut n_flags = 0;
    for command in database.as_array_mut().into_iter().flatten() {
        // The recorder writes commands as `arguments`.
        if let Some(Value::Array(words)) = command.get_mut("arguments") {
            *words = thinned(std::mem::take(words), &mut n_flags);
        }
    }
}

fn thinned(words: Vec<Value>, n_flags: &mut usize) -> Vec<Value> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.as_str().unwrap_or_default();
        let argument = if text == "-I" { words.next() } else { None };
        if text.starts_with("-I") {
            *n_flags += 1;
            if n_flags.is_multiple_of(2) {
                continue;
            }
        }
        kept.push(word);
        kept.extend(argument);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_directory_is_removed_across_all_units() {
        let text = r#"[{"file":"a.c","arguments":["cc","-I.","-I","b","-Ic","a.c"]},{"file":"b.c","arguments":["cc","-Id"]}]"#;
        let mut database: Value = json::parse(text).unwrap();
        remove_every_second(&mut database);
        let expected =
            r#"[{"file":"a.c","arguments":["cc","-I.","-Ic","a.c"]},{"file":"b.c","arguments":["cc"]}]"#;
        assert_eq!(database, json::parse::<Value>(expected).unwrap());
    }
}
