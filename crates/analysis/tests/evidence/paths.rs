//! Falsification conditions (section 3) by enumeration: every path from the entry of a function to an ERROR
//! node, and for each path every input.
//!
//! A path is followed for all inputs at once, including those that would take another path: `pred_e` is a
//! predicate on initial values, and condition (3) ranges over all of them. An input that falsifies an
//! admissible predicate affects neither condition and is dropped.

use crate::graph::{Edge, Graph, Kind, Node, NodeId, graph};
use crate::setting::{Evidence, Setting, Witness};
use crate::syntax::{Expr, Predicate, Program, Values};
use std::collections::{BTreeMap, BTreeSet};

/// A path to an ERROR node that some input takes: its falsification condition is satisfiable, condition (2).
pub struct ErrorPath {
    /// The line of the ERROR node.
    pub line: usize,
    /// The edges in order. Parts of one edge (section 4.4) count as the same edge.
    edges: Vec<usize>,
    /// The functions that the path ends in but does not start in, and where in `edges` it enters them.
    callees: Vec<(usize, usize)>,
    /// Indices of the inputs that take the path.
    pub inputs: BTreeSet<usize>,
    /// The falsification condition is valid, condition (3).
    pub is_valid: bool,
}

/// The result for one function under one setting.
pub struct Verdict {
    /// All its paths to ERROR nodes.
    pub paths: Vec<ErrorPath>,
    /// Lines of ERROR nodes that are reported in this function, without those already reported in a callee.
    pub reported: BTreeSet<usize>,
    /// Inputs on paths that are not reported: the inferred precondition of the function excludes them
    /// (section 5).
    pub illegal: BTreeSet<usize>,
}

/// The verdicts of all functions of the program, in order.
pub fn judge(program: &Program, setting: &Setting) -> Vec<Verdict> {
    let graph = graph(program);
    let search = |function| Search { program, graph: &graph, setting, paths: Vec::new() }.from(function);
    let paths: Vec<Vec<ErrorPath>> = (0..program.functions.len()).map(search).collect();
    let valid = |paths: &Vec<ErrorPath>| -> BTreeSet<(Vec<usize>, usize)> {
        let valid = paths.iter().filter(|path| path.is_valid);
        valid.map(|path| (path.edges.clone(), path.line)).collect()
    };
    let valid: Vec<_> = paths.iter().map(valid).collect();
    let verdict = |paths: Vec<ErrorPath>| {
        let (mut reported, mut illegal) = (BTreeSet::new(), BTreeSet::new());
        for path in &paths {
            let in_callee = |&(callee, from): &(usize, usize)| {
                valid[callee].contains(&(path.edges[from..].to_vec(), path.line))
            };
            if path.callees.iter().any(in_callee) {
                continue;
            }
            if path.is_valid {
                reported.insert(path.line);
            } else {
                illegal.extend(&path.inputs);
            }
        }
        Verdict { paths, reported, illegal }
    };
    paths.into_iter().map(verdict).collect()
}

struct Search<'a> {
    program: &'a Program,
    graph: &'a Graph,
    setting: &'a Setting,
    paths: Vec<ErrorPath>,
}

/// The state of one input on the path so far.
#[derive(Clone)]
struct Candidate {
    input: usize,
    globals: Values,
    /// The innermost function last.
    locals: Vec<Values>,
    /// All predicates hold.
    holds: bool,
    /// All asserted predicates hold.
    asserted: bool,
}

#[derive(Clone)]
struct Frame {
    function: usize,
    /// How many edges were passed before the function was entered.
    from: usize,
    /// Where the caller continues, and which variable gets the result.
    back: Option<(NodeId, Option<String>)>,
    /// How often each loop was repeated since it was entered.
    loops: BTreeMap<usize, usize>,
}

#[derive(Clone)]
struct Path {
    edges: Vec<usize>,
    frames: Vec<Frame>,
    candidates: Vec<Candidate>,
}

impl Candidate {
    fn read(&self, name: &str) -> Option<i64> {
        let locals = self.locals.last().and_then(|locals| locals.get(name));
        *locals.or_else(|| self.globals.get(name)).unwrap_or_else(|| panic!("`{name}` is not declared"))
    }

    fn eval(&self, expr: &Expr) -> i64 {
        expr.eval(&|name| self.read(name))
    }

    fn write(&mut self, name: &str, value: Option<i64>) {
        let is_global = self.globals.contains_key(name);
        let place = if is_global { &mut self.globals } else { self.locals.last_mut().expect("it runs") };
        place.insert(name.to_owned(), value);
    }
}

impl Search<'_> {
    fn from(mut self, function: usize) -> Vec<ErrorPath> {
        let declared = &self.program.functions[function];
        let candidate = |(input, values): (usize, Values)| {
            let is_global = |name: &String| self.program.globals.contains(name);
            let (globals, locals) = values.into_iter().partition(|(name, _)| is_global(name));
            Candidate { input, globals, locals: vec![locals], holds: true, asserted: true }
        };
        let candidates = self.program.inputs(declared).into_iter().enumerate().map(candidate).collect();
        let frame = Frame { function, from: 0, back: None, loops: BTreeMap::new() };
        let start = Path { edges: Vec::new(), frames: vec![frame], candidates };
        self.follow(start, self.graph.entries[function]);
        self.paths
    }

    fn follow(&mut self, mut path: Path, mut at: NodeId) {
        let graph = self.graph;
        loop {
            match &graph.nodes[at] {
                Node::Assign(name, value, next) => {
                    for candidate in &mut path.candidates {
                        let value = value.as_ref().map(|value| candidate.eval(value));
                        candidate.write(name, value);
                    }
                    at = *next;
                }
                Node::Call { result, callee, arguments, next } => {
                    at = self.enter(&mut path, callee, arguments, (*next, result.clone()));
                }
                Node::Return(value) => match leave(&mut path, value.as_ref()) {
                    Some(next) => at = next,
                    None => return,
                },
                Node::EnterLoop(id, next) => {
                    path.frames.last_mut().expect("it runs").loops.insert(*id, 0);
                    at = *next;
                }
                Node::Branch(edges) => {
                    for edge in edges {
                        self.branch(&path, edge);
                    }
                    return;
                }
                Node::Error(line) => {
                    let holding = path.candidates.iter().filter(|candidate| candidate.holds);
                    self.paths.push(ErrorPath {
                        line: *line,
                        callees: path.frames[1..].iter().map(|f| (f.function, f.from)).collect(),
                        inputs: holding.map(|candidate| candidate.input).collect(),
                        is_valid: path.candidates.iter().all(|candidate| candidate.asserted),
                        edges: path.edges,
                    });
                    return;
                }
            }
        }
    }

    fn enter(
        &self,
        path: &mut Path,
        callee: &str,
        arguments: &[Expr],
        back: (NodeId, Option<String>),
    ) -> NodeId {
        let named = |function: &crate::syntax::Function| function.name == callee;
        let function = self.program.functions.iter().position(named).expect("the reader has looked");
        let params = &self.program.functions[function].params;
        for candidate in &mut path.candidates {
            let values = arguments.iter().map(|argument| Some(candidate.eval(argument)));
            let locals = params.iter().cloned().zip(values).collect();
            candidate.locals.push(locals);
        }
        let frame = Frame { function, from: path.edges.len(), back: Some(back), loops: BTreeMap::new() };
        path.frames.push(frame);
        self.graph.entries[function]
    }

    fn branch(&mut self, path: &Path, edge: &Edge) {
        let mut longer = path.clone();
        longer.edges.push(edge.id);
        let in_callee = path.frames.len() > 1 || edge.in_macro;
        let mut first = false;
        if let Some(id) = edge.in_loop {
            let times = longer.frames.last_mut().and_then(|frame| frame.loops.get_mut(&id));
            let times = times.expect("the loop was entered");
            first = *times == 0;
            *times += 1;
            let most = self.program.unroll + usize::from(edge.kind == Kind::LoopEnds);
            if *times > most {
                return;
            }
        }
        let evidence =
            self.setting.evidence(&Witness { kind: edge.kind, in_callee, varies: edge.varies, first });
        let is_split = self.setting.three_way && edge.in_loop.is_none() && evidence == Evidence::Admissible;
        let parts = if is_split { edge.predicate.three_way() } else { vec![edge.predicate.clone()] };
        for part in parts {
            let mut longer = longer.clone();
            take(&mut longer.candidates, &part, evidence);
            // If no input takes a path, none takes a longer one.
            if longer.candidates.iter().any(|candidate| candidate.holds) {
                self.follow(longer, edge.target);
            }
        }
    }
}

fn take(candidates: &mut Vec<Candidate>, predicate: &Predicate, evidence: Evidence) {
    candidates.retain_mut(|candidate| {
        let holds = predicate.holds(&|name| candidate.read(name));
        candidate.holds &= holds;
        candidate.asserted &= holds || evidence != Evidence::Asserted;
        holds || evidence != Evidence::Admissible
    });
}

/// Returns to the caller, if there is one.
fn leave(path: &mut Path, value: Option<&Expr>) -> Option<NodeId> {
    let (next, result) = path.frames.pop()?.back?;
    for candidate in &mut path.candidates {
        let value = value.map(|value| candidate.eval(value));
        candidate.locals.pop();
        if let Some(result) = &result {
            candidate.write(result, value);
        }
    }
    Some(next)
}
