//! Rejects functions that depend on clang's error recovery. Only these functions are given up
//! (docs/decisions/031-give-up-little.md).
//!
//! The exporter marks declarations and expressions (`cpp/errors.cpp`): a type replaced by `int`, a dropped initialiser,
//! a call of an undeclared function. Lowered functions contain none of them.

use crate::clang::ast::{DeclId, Expr, NodeId, Stmt, Unit};

/// The reason for giving up the function.
pub(super) fn reason(unit: &Unit, function: DeclId, body: NodeId) -> Option<String> {
    if !unit.has_any_error() {
        return None;
    }
    if unit.is_invalid(function) {
        return Some(in_declaration(unit, function));
    }
    let mut stack = vec![body];
    while let Some(node) = stack.pop() {
        if unit.has_errors(node) {
            return Some(of_expression(unit, node));
        }
        stack.extend(unit.parts(node).iter().rev().filter(|part| part.0 != 0));
        match unit.stmt(node) {
            Stmt::Decl(decls) => {
                if let Some(&decl) = decls.iter().find(|&&decl| unit.is_invalid(decl)) {
                    return Some(in_declaration(unit, decl));
                }
                stack.extend(decls.iter().filter_map(|&decl| unit.init(decl)));
            }
            Stmt::Asm(asm) => stack.extend(asm.outputs.iter().chain(asm.inputs)),
            _ => {}
        }
    }
    None
}

/// Names the innermost part that has the error.
fn of_expression(unit: &Unit, mut node: NodeId) -> String {
    let is_broken = |part: &&NodeId| part.0 != 0 && unit.has_errors(**part);
    while let Some(&part) = unit.parts(node).iter().find(is_broken) {
        node = part;
    }
    match unit.expr(node) {
        Expr::DeclRef(decl) if unit.is_implicit(decl) => format!("`{}` is not declared", unit.name(decl)),
        Expr::DeclRef(decl) => in_declaration(unit, decl),
        Expr::Member { field, .. } => in_declaration(unit, field),
        Expr::Broken("") => "clang makes no sense of an expression".to_owned(),
        Expr::Broken(text) => format!("clang makes no sense of `{text}`"),
        Expr::SizeOf { ty, .. } => in_type(unit.spelling(ty)),
        _ => in_type(unit.spelling(unit.type_of(node))),
    }
}

fn in_declaration(unit: &Unit, decl: DeclId) -> String {
    format!("clang reports an error in the declaration of `{}`", unit.name(decl))
}

/// Types are spelled without typedefs, so only a tag identifies one.
fn in_type(spelling: &str) -> String {
    let spelling = spelling.trim_end_matches([' ', '*']);
    match spelling.split(' ').next() {
        Some("struct" | "union" | "enum") => {
            format!("clang reports an error in the declaration of `{spelling}`")
        }
        _ => "clang reports an error in the declaration of a type".to_owned(),
    }
}
