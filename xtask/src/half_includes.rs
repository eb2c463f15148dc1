//! `cargo xtask corpus-check --half-includes`: a package whose build is half known. Every second `-I` is taken out of its
//! compile_commands.json, so headers are missing and code does not compile completely.

use std::fs;
use std::path::{Path, PathBuf};

use crate::json::{self, Json};

/// Writes such a database beside the package; returns its folder.
pub(crate) fn database(package: &Path) -> Result<PathBuf, String> {
    let given = package.join("compile_commands.json");
    let text = fs::read_to_string(&given).map_err(|e| format!("cannot read {}: {e}", given.display()))?;
    let folder = package.with_extension("half");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let out = folder.join("compile_commands.json");
    fs::write(&out, halved(json::parse(&text)?).print())
        .map_err(|e| format!("cannot write {}: {e}", out.display()))?;
    Ok(folder)
}

/// The recorder writes commands as `arguments`; flags are counted through the whole database, as some units have only one.
fn halved(database: Json) -> Json {
    let Json::Array(commands) = database else { return database };
    let mut n_flags = 0;
    let halve = |command: Json| match command {
        Json::Object(members) => Json::Object(
            members
                .into_iter()
                .map(|(name, value)| match value {
                    Json::Array(words) if name == "arguments" => {
                        (name, Json::Array(thinned(words, &mut n_flags)))
                    }
                    value => (name, value),
                })
                .collect(),
        ),
        other => other,
    };
    Json::Array(commands.into_iter().map(halve).collect())
}

fn thinned(words: Vec<Json>, n_flags: &mut usize) -> Vec<Json> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.as_str().unwrap_or_default().to_owned();
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
    fn every_second_directory_is_gone_through_all_units() {
        let text = r#"[{"file":"a.c","arguments":["cc","-I.","-I","b","-Ic","a.c"]},{"file":"b.c","arguments":["cc","-Id"]}]"#;
        let left = halved(json::parse(text).unwrap()).print();
        let expected =
            r#"[{"file":"a.c","arguments":["cc","-I.","-Ic","a.c"]},{"file":"b.c","arguments":["cc"]}]"#;
        assert_eq!(json::parse(&left).unwrap().print(), json::parse(expected).unwrap().print());
    }
}
