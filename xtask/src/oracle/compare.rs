//! Compares gainsay's verdicts on the edges of a unit with the coverage of programs.
//!
//! Edges that cannot be compared are counted, because an oracle that compares nothing finds nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::coverage::{Branch, Coverage, Function, Position};
use crate::json::{self, Value};

/// What was compared, and the violations.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) functions: u64,
    pub(super) functions_executed: u64,
    /// Executed lines of the functions that were judged.
    pub(super) lines: BTreeSet<(String, u64)>,
    /// Edges with a verdict, in functions that the program contains.
    pub(super) edges: u64,
    pub(super) executed: u64,
    pub(super) impossible: u64,
    pub(super) undecided: u64,
    /// Impossible edges whose counter was found.
    pub(super) matched: u64,
    /// Impossible edges of conditions that clang folds and does not count.
    pub(super) constant: u64,
    /// Impossible edges whose counters have the same position as others, some of which were executed.
    pub(super) shared: u64,
    /// Edges for which no counter was found.
    pub(super) unmatched: u64,
    pub(super) violations: BTreeSet<String>,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.functions += other.functions;
        self.functions_executed += other.functions_executed;
        self.lines.extend(other.lines);
        self.edges += other.edges;
        self.executed += other.executed;
        self.impossible += other.impossible;
        self.undecided += other.undecided;
        self.matched += other.matched;
        self.constant += other.constant;
        self.shared += other.shared;
        self.unmatched += other.unmatched;
        self.violations.extend(other.violations);
    }
}

/// One line of `gainsay edges --json`.
struct Edge {
    function: String,
    file: String,
    place: Position,
    what: String,
    impossible: bool,
    undecided: bool,
    /// Which of clang's two counters it is.
    is_true: bool,
    region: Option<(Vec<Position>, Option<Position>)>,
}

/// Whether clang has a separate counter for the edge, in a file of these lines. It has one for the true outcome of each
/// condition, except operands of `||`.
fn is_counted(edge: &Edge, lines: &[&str]) -> bool {
    let line = lines.get((edge.place.0 as usize).wrapping_sub(1));
    edge.is_true && line.is_some_and(|line| !line.contains("||"))
}

/// Compares the edges of one unit, whose main file is `unit`, with what several programs executed.
pub(super) fn compare(unit: &Path, edges: &str, coverages: &[Coverage]) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let (mut seen, mut executed) = (BTreeSet::new(), BTreeSet::new());
    let text = match coverages.iter().any(|coverage| coverage.abrupt) {
        true => fs::read_to_string(unit).map_err(|e| format!("{}: {e}", unit.display()))?,
        false => String::new(),
    };
    let lines: Vec<&str> = text.lines().collect();
    for line in edges.lines() {
        let edge = read_edge(&json::parse(line)?).ok_or_else(|| format!("not an edge: {line}"))?;
        let mut known = false;
        let mut found = Vec::new();
        for coverage in coverages {
            for function in coverage.functions.iter().filter(|f| is_same(f, &edge, unit)) {
                known = true;
                seen.insert((edge.function.clone(), edge.file.clone()));
                if function.executed
                    && executed.insert((edge.function.clone(), edge.file.clone()))
                    && let Some(lines) = coverage.lines.get(&function.file)
                {
                    let range = lines.range(function.first_line..=function.last_line);
                    tally.lines.extend(range.map(|&line| (function.file.clone(), line)));
                }
                match counted(function, &edge) {
                    Seen::Executed if coverage.abrupt && !is_counted(&edge, &lines) => {}
                    what => found.push(what),
                }
            }
        }
        if known {
            judge(&edge, &found, &mut tally);
        }
    }
    tally.functions = seen.len() as u64;
    tally.functions_executed = executed.len() as u64;
    Ok(tally)
}

/// The result of a program's counters for an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    NoCounter,
    Constant,
    /// Executed in some of several regions that cannot be distinguished.
    Shared,
    Never,
    Executed,
}

fn judge(edge: &Edge, found: &[Seen], tally: &mut Tally) {
    let executed = found.contains(&Seen::Executed);
    let no_counter = found.iter().all(|seen| *seen == Seen::NoCounter);
    tally.edges += 1;
    tally.executed += u64::from(executed);
    tally.unmatched += u64::from(no_counter);
    tally.undecided += u64::from(edge.undecided);
    if !edge.impossible {
        return;
    }
    tally.impossible += 1;
    if executed {
        let (line, column) = edge.place;
        let Edge { file, function, what, .. } = edge;
        tally.violations.insert(format!("{file}:{line}:{column}: {function}: {what} was executed"));
    }
    if no_counter || executed {
        tally.matched += u64::from(executed);
    } else if found.contains(&Seen::Shared) {
        tally.shared += 1;
    } else if found.contains(&Seen::Constant) {
        tally.constant += 1;
    } else {
        tally.matched += 1;
    }
}

fn is_same(function: &Function, edge: &Edge, unit: &Path) -> bool {
    let own_unit = |name: &String| Path::new(name).file_name() == unit.file_name();
    function.name == edge.function
        && function.file == edge.file
        && function.unit.as_ref().is_none_or(own_unit)
}

/// Several regions may be indistinguishable (operands that are parts of one macro argument); then the edge counts as
/// executed only if it was executed in all of them.
fn counted(function: &Function, edge: &Edge) -> Seen {
    // Functions that are never called have no counters.
    if !function.executed {
        return Seen::Never;
    }
    let Some((path, end)) = &edge.region else { return Seen::NoCounter };
    let regions = function.branches.get(path).map(Vec::as_slice).unwrap_or_default();
    let fitting: Vec<&Branch> = regions.iter().filter(|b| end.is_none_or(|end| b.end == end)).collect();
    if fitting.is_empty() {
        let constant = end.is_some_and(|end| function.regions.contains(&(path.clone(), end)));
        return if constant { Seen::Constant } else { Seen::NoCounter };
    }
    let was_executed = |b: &&Branch| (if edge.is_true { b.if_true } else { b.if_false }) > 0;
    if fitting.iter().all(was_executed) {
        Seen::Executed
    } else if fitting.iter().any(was_executed) {
        Seen::Shared
    } else {
        Seen::Never
    }
}

fn read_edge(edge: &Value) -> Option<Edge> {
    let text = |name: &str| edge[name].as_str();
    let number = |name: &str| edge[name].as_u64();
    let (outcome, verdict) = (text("outcome")?, text("verdict")?);
    let region = match &edge["region"] {
        Value::Null => None,
        region => {
            let path = region["way"].as_array()?.iter().map(position).collect::<Option<_>>()?;
            Some((path, position(&region["end"])))
        }
    };
    Some(Edge {
        function: text("function")?.to_owned(),
        file: text("file")?.to_owned(),
        place: (number("line")?, number("column")?),
        what: format!("{} {outcome}", text("origin")?),
        impossible: verdict == "impossible",
        undecided: verdict == "undecided",
        is_true: (outcome != "false") != (edge["negated"] == true),
        region,
    })
}

fn position(pair: &Value) -> Option<Position> {
    match pair.as_array()?.as_slice() {
        [line, column] => Some((line.as_u64()?, column.as_u64()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn coverage(branches: &[(u64, u64)]) -> Coverage {
        let branch = |&(if_true, if_false): &(u64, u64)| Branch { end: (7, 16), if_true, if_false };
        let branches = BTreeMap::from([(vec![(7, 11)], branches.iter().map(branch).collect())]);
        let (name, file, unit) = ("g".to_owned(), "/a.c".to_owned(), Some("x/a.c".to_owned()));
        let regions = BTreeSet::from([(vec![(7, 12)], (7, 16))]);
        let function =
            Function { name, unit, file, first_line: 1, last_line: 9, executed: true, branches, regions };
        Coverage {
            abrupt: false,
            functions: vec![function],
            lines: BTreeMap::from([("/a.c".into(), BTreeSet::from([7, 20]))]),
        }
    }

    fn edge(outcome: &str, negated: bool) -> String {
        format!(
            r#"{{"function":"g","file":"/a.c","line":7,"column":13,"origin":"if","outcome":"{outcome}","verdict":"impossible",
            "negated":{negated},"region":{{"way":[[7,11]],"cut":false,"end":[7,16]}}}}"#
        )
        .replace('\n', " ")
    }

    fn judged(branches: &[(u64, u64)], line: &str) -> Tally {
        compare(Path::new("/d/a.c"), line, &[coverage(branches)]).unwrap()
    }

    #[test]
    fn an_executed_edge_that_is_called_impossible_is_a_violation() {
        let tally = judged(&[(1, 0)], &edge("true", false));
        assert_eq!((tally.functions, tally.edges, tally.executed, tally.matched), (1, 1, 1, 1));
        assert_eq!(tally.violations.first().unwrap(), "/a.c:7:13: g: if true was executed");
        assert_eq!(tally.lines.len(), 1);
        assert!(judged(&[(1, 0)], &edge("false", false)).violations.is_empty());
        assert_eq!(judged(&[(1, 0)], &edge("false", true)).violations.len(), 1);
    }

    #[test]
    fn indistinguishable_regions_are_executed_only_if_all_are() {
        let differing = judged(&[(1, 0), (0, 1)], &edge("true", false));
        assert_eq!((differing.violations.len(), differing.shared, differing.matched), (0, 1, 0));
        assert_eq!(judged(&[(1, 0), (2, 1)], &edge("true", false)).violations.len(), 1);
    }

    #[test]
    fn edges_without_counters_are_counted() {
        let constant = edge("true", false).replace("[7,11]", "[7,12]");
        assert_eq!((judged(&[(1, 1)], &constant).constant, judged(&[(1, 1)], &constant).unmatched), (1, 0));
        let elsewhere = edge("true", false).replace("[7,11]", "[8,11]");
        assert_eq!((judged(&[(1, 0)], &elsewhere).unmatched, judged(&[(1, 0)], &elsewhere).matched), (1, 0));
        let other_unit = compare(Path::new("/d/b.c"), &edge("true", false), &[coverage(&[(1, 0)])]).unwrap();
        assert_eq!((other_unit.functions, other_unit.edges), (0, 0));
    }
}
