//! For every function of the test programs, the edges that `reach` calls impossible are those whose own query is
//! unsatisfiable: witnesses cover no impossible edge, and the search for models misses none.

use crate::project::{Project, solvers};
use gainsay_analysis::{edges, pipeline, reach};
use gainsay_frontend::{clang, lower};
use gainsay_ir::passive::{Block, Function};
use gainsay_ir::{gc, passive};
use gainsay_program::models::Models;
use gainsay_solver::programs::{FIRST, SolverDirectories};
use gainsay_solver::{Budget, Options, Program, Session, process};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const BUDGET: Budget = Budget { effort: 2_000_000, backstop: Duration::from_secs(120) };

/// Functions with more edges take a solver too long.
const LARGEST: usize = 60;

fn units() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/c/edges", "tests/c/reach", "tests/c/run"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|ext| ext == "c")));
    }
    files.sort();
    files
}

/// The functions of a file as `check` analyses them.
fn functions(file: &Path) -> (gc::Unit, Vec<passive::Function>) {
    let words = ["clang", "-w", "-fsyntax-only", "-Wno-implicit-function-declaration", "--"];
    let mut arguments: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    arguments.push(file.to_str().unwrap().to_owned());
    let ast = clang::parse(&arguments, file.parent().unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let mut lowered = lower::lower(&ast, &lower::Options::default());
    let models = Models::library(ast.target).unwrap();
    let prepared = gainsay_program::prepare::prepare(&mut lowered.unit, &models, &[]);
    let functions = prepared.iter().map(|f| pipeline::passive_form(&lowered.unit, f).unwrap()).collect();
    (lowered.unit, functions)
}

/// The edges without a model, each decided by its own query, without witnesses and other answers.
fn impossible_by_solver(program: &Program, unit: &gc::Unit, function: &Function) -> BTreeSet<Block> {
    let project = Project::new(&[("questions.smt2", &reach::questions(unit, function))]);
    let file = project.path().join("questions.smt2");
    let mut arguments = program.dialect.arguments_for_file().to_vec();
    arguments.push(file.to_str().unwrap());
    let output = process::output(&program.path, &arguments, Duration::from_secs(120)).unwrap();
    let edges = edges::branch_edges(function);
    let answers: Vec<&str> = output.lines().collect();
    assert_eq!(answers.len(), edges.len(), "{output}");
    let impossible = edges.into_iter().zip(answers).filter(|(_, answer)| match *answer {
        "sat" => false,
        "unsat" => true,
        other => panic!("{other}"),
    });
    impossible.map(|(edge, _)| edge).collect()
}

#[test]
fn reach_agrees_with_one_query_per_edge() {
    let places = SolverDirectories { directories: vec![solvers()] };
    let program = places.find(FIRST).unwrap();
    let mut session = Session::new(&program, &Options::default());
    let (mut n_edges, mut n_impossible, mut n_witnessed) = (0, 0, 0);
    for file in units() {
        let (unit, functions) = functions(&file);
        for function in &functions {
            let name = format!("{}: {}", file.display(), unit.symbols[function.symbol].name);
            let n = edges::branch_edges(function).len();
            if n == 0 || n > LARGEST {
                continue;
            }
            let decided = reach::decide(&mut session, &unit, function, BUDGET);
            assert!(decided.undecided.is_empty(), "{name}: {decided:?}");
            let expected = impossible_by_solver(&program, &unit, function);
            if decided.never_ends {
                assert_eq!(expected.len(), n, "{name} never ends, but an edge is on a run that does");
            } else {
                assert_eq!(decided.impossible.iter().copied().collect::<BTreeSet<_>>(), expected, "{name}");
            }
            n_edges += n;
            n_impossible += expected.len();
            n_witnessed += usize::from(decided.questions == 0);
        }
    }
    assert!(n_edges > 1000 && n_impossible > 100, "the programs are lost: {n_edges} {n_impossible}");
    assert!(n_witnessed > 100, "witnesses spare no questions: {n_witnessed}");
}
