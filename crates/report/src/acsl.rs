//! Inferred annotations as a patch for the sources: `gainsay verify --emit-acsl | patch -p0`.
//!
//! A clause is a keyword and a condition: `loop invariant` before a loop, `requires` before a function.

use std::collections::BTreeMap;

/// Clauses and the place that they are inserted before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub file: String,
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// Without the semicolon: `loop invariant i <= n`.
    pub clauses: Vec<String>,
    pub before: Before,
}

/// What the clauses are inserted before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// The place itself.
    Place,
    /// The declaration of the name at the place, which may begin lines above.
    Declaration,
}

/// A unified diff without context. `text` gives the contents of a file; files without contents are left out.
pub fn patch(annotations: &[Annotation], text: &dyn Fn(&str) -> Option<String>) -> String {
    let mut by_file: BTreeMap<&str, Vec<&Annotation>> = BTreeMap::new();
    for one in annotations {
        by_file.entry(&one.file).or_default().push(one);
    }
    let mut patch = String::new();
    for (file, of_file) in by_file {
        let Some(text) = text(file) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let mut by_line: BTreeMap<u32, Vec<Annotation>> = BTreeMap::new();
        for one in of_file {
            let one = match one.before {
                Before::Place => one.clone(),
                Before::Declaration => {
                    Annotation { line: first_line(&lines, one.line), column: 1, ..one.clone() }
                }
            };
            by_line.entry(one.line).or_default().push(one);
        }
        patch.push_str(&format!("--- {file}\n+++ {file}\n"));
        let mut added = 0;
        for (number, mut of_line) in by_line {
            let Some(line) = (number as usize).checked_sub(1).and_then(|at| lines.get(at)) else { continue };
            of_line.sort_by_key(|one| one.column);
            let new = annotated(line, &of_line);
            patch.push_str(&format!("@@ -{number} +{},{} @@\n-{line}\n", number + added, new.len()));
            new.iter().for_each(|line| patch.push_str(&format!("+{line}\n")));
            added += new.len() as u32 - 1;
        }
    }
    patch
}

/// The first line of the declaration whose name is in line `name`. The line above it is empty or ends a declaration, a
/// comment or a directive.
fn first_line(lines: &[&str], name: u32) -> u32 {
    let mut first = name;
    while let Some(above) = (first as usize).checked_sub(2).and_then(|at| lines.get(at)) {
        let above = above.trim();
        let is_other = above.is_empty()
            || above.ends_with([';', '}', '{', ':', ',', '\\'])
            || above.ends_with("*/")
            || above.starts_with(['#', '/', '*']);
        if is_other {
            break;
        }
        first -= 1;
    }
    first
}

/// The line with the clauses: on lines of their own if only white space precedes the place.
fn annotated(line: &str, annotations: &[Annotation]) -> Vec<String> {
    let clauses =
        |one: &Annotation| one.clauses.iter().map(|clause| format!("{clause};")).collect::<Vec<_>>();
    if let [one] = annotations
        && let Some(indent) = line.get(..one.column.saturating_sub(1) as usize)
        && indent.trim().is_empty()
    {
        let own = clauses(one).into_iter().map(|clause| format!("{indent}//@ {clause}"));
        return own.chain([line.to_owned()]).collect();
    }
    let mut new = line.to_owned();
    for one in annotations.iter().rev() {
        let at = one.column.saturating_sub(1) as usize;
        if new.is_char_boundary(at) {
            new.insert_str(at, &format!("/*@ {} */ ", clauses(one).join(" ")));
        }
    }
    vec![new]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotation(line: u32, column: u32, clauses: &[&str]) -> Annotation {
        let clauses = clauses.iter().map(|&clause| clause.to_owned()).collect();
        Annotation { file: "a.c".into(), line, column, clauses, before: Before::Place }
    }

    #[test]
    fn clauses_precede_their_place() {
        let text = "int f(int n) {\n    while (n) n--;\n    x: while (n) n++;\n}\n";
        let found = [
            annotation(2, 5, &["loop invariant n >= 0", "loop invariant n <= 9"]),
            annotation(3, 8, &["loop invariant n == 0"]),
            annotation(1, 1, &["requires n >= 0"]),
        ];
        assert_eq!(
            patch(&found, &|_| Some(text.to_owned())),
            "--- a.c\n+++ a.c\n@@ -1 +1,2 @@\n-int f(int n) {\n+//@ requires n >= 0;\n+int f(int n) {\n\
             @@ -2 +3,3 @@\n-    while (n) n--;\n+    //@ loop invariant n >= 0;\n+    //@ loop invariant n <= 9;\n\
             +    while (n) n--;\n\
             @@ -3 +6,1 @@\n-    x: while (n) n++;\n+    x: /*@ loop invariant n == 0; */ while (n) n++;\n"
        );
    }

    #[test]
    fn a_contract_precedes_the_whole_declaration() {
        let text = "int x;\n\nstatic int\nf (int n)\n{\n}\n";
        let found = Annotation { before: Before::Declaration, ..annotation(4, 1, &["requires n > 0"]) };
        assert_eq!(
            patch(&[found], &|_| Some(text.to_owned())),
            "--- a.c\n+++ a.c\n@@ -3 +3,2 @@\n-static int\n+//@ requires n > 0;\n+static int\n"
        );
    }

    #[test]
    fn a_missing_file_is_left_out() {
        assert_eq!(patch(&[annotation(1, 1, &["requires 1"])], &|_| None), "");
    }
}
