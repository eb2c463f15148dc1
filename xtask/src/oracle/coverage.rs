//! What a program executed: clang's profiles, read with `llvm-cov export`.
//!
//! A region inside a macro belongs to a separate file, the expansion of the macro. Expansion regions lead from there to
//! the file of the function. `edges --json` describes its edges by the same paths of positions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::json::{self, Value};
use crate::process;

/// Environment variable with the name of the profile, and a name that makes the runtime merge the profiles of one
/// program.
pub(super) const PROFILE: &str = "LLVM_PROFILE_FILE";
pub(super) const PROFILE_NAME: &str = "profile-%m.profraw";

/// A position: line and column.
pub(super) type Position = (u64, u64);

/// One function of one program.
pub(super) struct Function {
    pub(super) name: String,
    /// The main file of its unit, for static functions.
    pub(super) unit: Option<String>,
    /// The file that contains it.
    pub(super) file: String,
    pub(super) first_line: u64,
    pub(super) last_line: u64,
    pub(super) executed: bool,
    /// By the path to the region, innermost first.
    pub(super) branches: BTreeMap<Vec<Position>, Vec<Branch>>,
    /// Path and end of all regions with a counter. A condition that is here but not in `branches` is a constant.
    pub(super) regions: BTreeSet<(Vec<Position>, Position)>,
}

/// How often each outcome of one condition was executed.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) end: Position,
    pub(super) if_true: u64,
    pub(super) if_false: u64,
}

/// What one program executed.
#[derive(Default)]
pub(super) struct Coverage {
    /// Functions were left by `exit` or `longjmp` in a callee. clang counts only one outcome of a condition and computes
    /// the other as the rest, which is too large in this case: see `compare::is_counted`.
    pub(super) abrupt: bool,
    pub(super) functions: Vec<Function>,
    pub(super) lines: BTreeMap<String, BTreeSet<u64>>,
}

/// The coverage of one program from its raw profiles; writes the merged profile into `scratch`.
pub(super) fn read(program: &Path, profiles: &[PathBuf], scratch: &Path) -> Result<Coverage, String> {
    let merged = scratch.join("merged.profdata");
    let mut merge = Command::new("llvm-profdata-19");
    process::capture(merge.args(["merge", "-o"]).arg(&merged).args(profiles))?;
    let mut export = Command::new("llvm-cov-19");
    export.args(["export", "--skip-expansions"]).arg(program).arg("--instr-profile").arg(&merged);
    parse(&process::capture(&mut export)?)
}

fn parse(text: &str) -> Result<Coverage, String> {
    let export: Value = json::parse(text).map_err(|e| format!("llvm-cov export: {e}"))?;
    let data = export["data"].get(0).ok_or("llvm-cov export: no `data`")?;
    let list = |name: &str| json::items(&data[name]);
    let mut coverage = Coverage::default();
    for function in list("functions") {
        coverage.functions.push(read_function(function).ok_or("llvm-cov export: malformed function")?);
    }
    for file in list("files") {
        let name = file["filename"].as_str().ok_or("llvm-cov export: file without name")?;
        coverage.lines.insert(name.to_owned(), executed_lines(json::items(&file["segments"])));
    }
    Ok(coverage)
}

/// A row of numbers; false is 0 and true is 1.
fn numbers(row: &Value) -> Vec<u64> {
    let number = |value: &Value| match value {
        Value::Bool(value) => u64::from(*value),
        value => value.as_u64().unwrap_or_default(),
    };
    json::items(row).iter().map(number).collect()
}

/// Kinds of regions in the export.
const CODE: u64 = 0;
const EXPANSION: u64 = 1;

fn read_function(function: &Value) -> Option<Function> {
    let rows = |name: &str| -> Vec<Vec<u64>> { json::items(&function[name]).iter().map(numbers).collect() };
    let regions = rows("regions");
    // Maps an expanded file to the position of the macro's use and the file of that position.
    let mut uses = BTreeMap::new();
    for region in &regions {
        let &[line, column, _, _, _, file, expanded, kind] = region.as_slice() else { return None };
        if kind == EXPANSION {
            uses.insert(expanded, ((line, column), file));
        }
    }
    let path = |position: Position, file: u64| {
        let mut path = vec![position];
        let mut inner = file;
        while let Some(&(position, outer)) = uses.get(&inner).filter(|_| path.len() <= uses.len()) {
            path.push(position);
            inner = outer;
        }
        path
    };
    let mut branches: BTreeMap<Vec<Position>, Vec<Branch>> = BTreeMap::new();
    for branch in rows("branches") {
        let &[line, column, end_line, end_column, if_true, if_false, file, ..] = branch.as_slice() else {
            return None;
        };
        let branch = Branch { end: (end_line, end_column), if_true, if_false };
        branches.entry(path((line, column), file)).or_default().push(branch);
    }
    let code = regions.iter().filter(|region| region[7] == CODE);
    let counted = code.map(|r| (path((r[0], r[1]), r[5]), (r[2], r[3]))).collect();
    let name = function["name"].as_str()?;
    // A static function's name begins with its unit.
    let (unit, name) = match name.rsplit_once([';', ':']) {
        Some((unit, name)) => (Some(unit.to_owned()), name.to_owned()),
        None => (None, name.to_owned()),
    };
    let body = regions.first()?;
    Some(Function {
        name,
        unit,
        file: json::strings(&function["filenames"]).into_iter().next()?,
        first_line: body[0],
        last_line: body[2],
        executed: function["count"].as_u64()? > 0,
        branches,
        regions: counted,
    })
}

/// The lines on which something was executed. A segment gives the count of the text from its position on.
fn executed_lines(segments: &[Value]) -> BTreeSet<u64> {
    let mut lines = BTreeSet::new();
    let rows: Vec<Vec<u64>> = segments.iter().map(numbers).collect();
    for (i, segment) in rows.iter().enumerate() {
        let &[line, _, count, has_count, _, is_gap] = segment.as_slice() else { continue };
        if count == 0 || has_count == 0 || is_gap == 1 {
            continue;
        }
        lines.insert(line);
        // The lines up to the next segment begin inside this one.
        let next = rows.get(i + 1).map_or(line, |next| next[0]);
        lines.extend(line + 1..=next);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_in_macros_are_found_by_the_uses_of_the_macros() {
        let text = r#"{"data":[{"files":[{"filename":"/a.c","segments":[[6,1,2,true,true,false],[8,3,0,true,true,false],
            [9,1,0,false,false,false]]}],"functions":[{"name":"a.c:g","count":2,"filenames":["/a.c","/a.h","/a.h"],
            "regions":[[6,22,30,2,2,0,0,0],[19,7,19,11,2,0,1,1],[3,20,3,23,2,1,2,1],[25,7,25,8,2,0,0,0]],
            "branches":[[7,11,7,16,1,3,0,0,4],[4,11,4,18,0,2,2,0,4]]}]}]}"#;
        let coverage = parse(text).unwrap();
        let g = &coverage.functions[0];
        assert_eq!((g.name.as_str(), g.unit.as_deref(), g.file.as_str()), ("g", Some("a.c"), "/a.c"));
        assert_eq!(g.branches[&vec![(7, 11)]][0].if_false, 3);
        assert_eq!(g.branches[&vec![(4, 11), (3, 20), (19, 7)]][0].if_false, 2);
        assert!(g.regions.contains(&(vec![(25, 7)], (25, 8))) && !g.branches.contains_key(&vec![(25, 7)]));
        assert_eq!(coverage.lines["/a.c"], BTreeSet::from([6, 7, 8]));
    }
}
