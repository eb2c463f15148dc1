//! `@file` arguments: the arguments are in the file, which may name further files.

use std::path::{Path, PathBuf};

const MAX_DEPTH: usize = 8;
/// No build writes more; a database that asks for more is not worth its memory.
const MAX_BYTES: u64 = 16 << 20;

/// Puts the contents of response files in their place. An `@file` that cannot be read, names itself or nests
/// too deeply is dropped, as clang's driver would take it for an input file.
pub(super) fn expand(arguments: Vec<String>, directory: &Path) -> Vec<String> {
    let mut out = Vec::with_capacity(arguments.len());
    expand_into(arguments, directory, &mut Vec::new(), &mut out);
    out
}

fn expand_into(arguments: Vec<String>, directory: &Path, open: &mut Vec<PathBuf>, out: &mut Vec<String>) {
    for argument in arguments {
        let Some(name) = argument.strip_prefix('@').filter(|name| !name.is_empty()) else {
            out.push(argument);
            continue;
        };
        let path = super::clean(&directory.join(name));
        if open.len() == MAX_DEPTH || open.contains(&path) {
            continue;
        }
        if let Some(inner) = read(&path) {
            open.push(path);
            expand_into(inner, directory, open, out);
            open.pop();
        }
    }
}

fn read(path: &Path) -> Option<Vec<String>> {
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > MAX_BYTES {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    shlex::split(&String::from_utf8_lossy(&bytes))
}
