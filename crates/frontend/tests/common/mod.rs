//! Parses C text, and walks over the expressions of the result.

#![allow(dead_code)] // every test binary uses its own part

use gainsay_frontend::clang;
use gainsay_frontend::clang::ast::{Expr, NodeId, Stmt, Unit};
use std::fs;
use std::path::Path;

/// The flags that compile_db adds to every command.
const FLAGS: [&str; 9] = [
    "-U_FORTIFY_SOURCE",
    "-O0",
    "-w",
    "-ferror-limit=0",
    "-fbracket-depth=4096",
    "-Wno-implicit-function-declaration",
    "-Wno-int-conversion",
    "-Wno-error",
    "-fsyntax-only",
];

pub(crate) fn arguments(flags: &[&str], file: &str) -> Vec<String> {
    let words = [&["clang"], flags, &FLAGS, &["--", file]].concat();
    words.into_iter().map(str::to_owned).collect()
}

/// Parses on a stack as large as that of a worker.
pub(crate) fn parse_file(directory: &Path, file: &str, flags: &[&str]) -> Unit {
    let arguments = arguments(flags, file);
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        thread.spawn_scoped(scope, || clang::parse(&arguments, directory)).unwrap().join().unwrap()
    });
    parsed.unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Parses `text` as `t.c`, next to the files `headers` (name, text).
pub(crate) fn parse_with(text: impl AsRef<[u8]>, headers: &[(&str, &str)], flags: &[&str]) -> Unit {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("t.c"), text).expect("write the source");
    for (name, text) in headers {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("make the folder");
        fs::write(path, text).expect("write the header");
    }
    parse_file(directory.path(), "t.c", flags)
}

pub(crate) fn parse(text: impl AsRef<[u8]>) -> Unit {
    parse_with(text, &[], &[])
}

pub(crate) fn dump(unit: &Unit, function: &str) -> String {
    let mut text = String::new();
    gainsay_frontend::clang::dump::dump(unit, Some(function), &mut text);
    text
}

/// The nodes of a function's body that have a label, with their labels.
pub(crate) fn labelled(unit: &Unit, function: &str) -> Vec<(String, NodeId)> {
    let decl = unit.functions().find(|&id| unit.name(id) == function).expect("the function is exported");
    let mut found = Vec::new();
    statement(unit, unit.init(decl).expect("it has a body"), &mut found);
    found
}

/// The one node with this label in function `f`.
pub(crate) fn node(unit: &Unit, label: &str) -> NodeId {
    let found: Vec<_> = labelled(unit, "f").into_iter().filter(|(name, _)| name == label).collect();
    assert_eq!(found.len(), 1, "nodes named {label}: {:?}", labelled(unit, "f"));
    found[0].1
}

fn statement(unit: &Unit, id: NodeId, found: &mut Vec<(String, NodeId)>) {
    let name = match unit.stmt(id) {
        Stmt::If { .. } => "if",
        Stmt::For { .. } => "for",
        Stmt::While { .. } => "while",
        Stmt::Do { .. } => "do",
        Stmt::Return(_) => "return",
        _ => "",
    };
    if !name.is_empty() {
        found.push((name.to_owned(), id));
    }
    match unit.stmt(id) {
        Stmt::Compound(all) => all.iter().for_each(|&part| statement(unit, part, found)),
        Stmt::Decl(decls) => {
            decls.iter().filter_map(|&d| unit.init(d)).for_each(|e| expression(unit, e, found))
        }
        Stmt::If { condition, then, otherwise } => {
            expression(unit, condition, found);
            statement(unit, then, found);
            otherwise.into_iter().for_each(|part| statement(unit, part, found));
        }
        Stmt::While { condition, body } | Stmt::Do { condition, body } => {
            expression(unit, condition, found);
            statement(unit, body, found);
        }
        Stmt::For { init, condition, increment, body } => {
            init.into_iter().for_each(|part| statement(unit, part, found));
            condition.into_iter().chain(increment).for_each(|part| expression(unit, part, found));
            statement(unit, body, found);
        }
        Stmt::Return(Some(value)) => expression(unit, value, found),
        Stmt::Expr => expression(unit, id, found),
        _ => {}
    }
}

fn expression(unit: &Unit, id: NodeId, found: &mut Vec<(String, NodeId)>) {
    let mut name = |text: String| found.push((text, id));
    let parts: Vec<NodeId> = match unit.expr(id) {
        Expr::DeclRef(decl) => return name(unit.name(decl).to_owned()),
        Expr::Literal => {
            return name(unit.constant(id).map_or("?".to_owned(), |value| (value as i128).to_string()));
        }
        Expr::String { bytes, .. } => return name(format!("\"{}\"", bytes.escape_ascii())),
        Expr::Transparent(inner) => vec![inner],
        Expr::Unary { op, operand } => {
            name(format!("{op:?}"));
            vec![operand]
        }
        Expr::Binary { op, left, right } | Expr::CompoundAssign { op, left, right, .. } => {
            name(format!("{op:?}"));
            vec![left, right]
        }
        Expr::Conditional { condition, then, otherwise } => {
            name("?:".to_owned());
            vec![condition, then, otherwise]
        }
        Expr::Cast { kind, operand, .. } => {
            name(format!("{kind:?}"));
            vec![operand]
        }
        Expr::Call { callee, args, .. } => {
            name("call".to_owned());
            [callee].iter().chain(args).copied().collect()
        }
        Expr::Member { base, field, .. } => {
            name(format!(".{}", unit.name(field)));
            vec![base]
        }
        Expr::Index { base, index } => {
            name("[]".to_owned());
            vec![base, index]
        }
        Expr::StmtExpr(body) => return statement(unit, body, found),
        _ => vec![],
    };
    parts.into_iter().for_each(|part| expression(unit, part, found));
}
