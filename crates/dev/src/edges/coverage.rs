//! Where clang's coverage mapping puts a condition, so that oracles can compare edges with what was executed.
//!
//! clang counts the outcomes of a whole operand (`!x`, `(a)`), while lowering looks through parentheses and `!`; and a
//! region inside a macro has the macro's definition as its place and the uses of macros around it as its way there.
//! This follows clang's CoverageMappingGen.

use gainsay_frontend::clang::ast::{BinaryOp, Expr, NodeId, Stmt, UnaryOp, Unit};
use gainsay_ir::source_map::{EntryKind, Raw, SourceMap, Span, token_end};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A condition as clang counts it.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) span: Span,
    /// Our outcome is that of the whole condition, which negates this operand: `b` in `!(a && b)`.
    pub(super) negated: bool,
}

/// The conditions of a unit, by the span of any expression that lowering may take for the condition.
pub(super) struct Conditions(BTreeMap<(Raw, Raw, Raw), Counted>);

impl Conditions {
    pub(super) fn of(unit: &Unit) -> Conditions {
        let mut conditions = Conditions(BTreeMap::new());
        // `&&` and `||` that are the last part of some condition; the others stand for a value.
        let mut within = BTreeSet::new();
        for node in unit.nodes() {
            let root = match unit.stmt(node) {
                Stmt::If { condition, .. } | Stmt::While { condition, .. } | Stmt::Do { condition, .. } => {
                    Some(condition)
                }
                Stmt::For { condition, .. } => condition,
                Stmt::Expr => match unit.expr(node) {
                    Expr::Conditional { condition, .. } | Expr::BinaryConditional { condition, .. } => {
                        Some(condition)
                    }
                    _ => operands(unit, node).map(|(left, right)| {
                        within.extend(last_part(unit, right));
                        left
                    }),
                },
                _ => None,
            };
            if let Some(root) = root {
                within.extend(last_part(unit, root));
                conditions.insert(unit, root);
            }
        }
        let is_value = |node: &NodeId| operands(unit, *node).is_some() && !within.contains(node);
        unit.nodes().filter(is_value).for_each(|value| conditions.insert(unit, value));
        conditions
    }

    /// Walks down to the last operand of a condition; the other operands are conditions of their own.
    fn insert(&mut self, unit: &Unit, root: NodeId) {
        let mut counted = Counted { span: unit.span(root), negated: false };
        let mut negations = false;
        let mut node = root;
        loop {
            let Span { at, begin, end } = unit.span(node);
            self.0.insert((at, begin, end), counted);
            if let Some((inner, negates)) = looked_through(unit, node) {
                negations ^= negates;
                node = inner;
            } else if let Some((_, right)) = operands(unit, node) {
                counted = Counted { span: unit.span(right), negated: negations };
                node = right;
            } else {
                return;
            }
        }
    }

    /// The condition that lowering saw at `span`.
    pub(super) fn at(&self, span: Span) -> Counted {
        let known = self.0.get(&(span.at, span.begin, span.end)).copied();
        known.unwrap_or(Counted { span, negated: false })
    }
}

fn operands(unit: &Unit, node: NodeId) -> Option<(NodeId, NodeId)> {
    match unit.expr(node) {
        Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, right } => Some((left, right)),
        _ => None,
    }
}

/// The expression whose truth decides that of `node`, and whether it is the opposite.
fn looked_through(unit: &Unit, node: NodeId) -> Option<(NodeId, bool)> {
    match unit.expr(node) {
        Expr::Transparent(inner) => Some((inner, false)),
        Expr::Unary { op: UnaryOp::LogicalNot, operand } => Some((operand, true)),
        Expr::Cast { operand, .. } => Some((operand, false)),
        Expr::Call { function: Some(function), args: [value, ..], .. }
            if unit.name(function).starts_with("__builtin_expect") =>
        {
            Some((*value, false))
        }
        _ => None,
    }
}

/// `node` itself, looked through, if it is `&&` or `||`.
fn last_part(unit: &Unit, mut node: NodeId) -> Option<NodeId> {
    while let Some((inner, _)) = looked_through(unit, node) {
        node = inner;
    }
    operands(unit, node).map(|_| node)
}

/// Where a counted region begins and ends.
#[derive(Serialize)]
pub(super) struct Region {
    /// Line and column of its beginning, then of the uses of macros around it, from the inside out.
    way: Vec<(u32, u32)>,
    /// The way leads through a macro's argument, where clang's own record of it ends.
    cut: bool,
    end: Option<(u32, u32)>,
}

/// Finds regions; keeps the text of the files that it needs.
pub(super) struct Regions<'a> {
    map: &'a SourceMap,
    directory: &'a Path,
    texts: BTreeMap<String, Vec<u8>>,
}

impl<'a> Regions<'a> {
    pub(super) fn new(map: &'a SourceMap, directory: &'a Path) -> Regions<'a> {
        Regions { map, directory, texts: BTreeMap::new() }
    }

    /// The region of a condition of the function that stands at `function`.
    pub(super) fn of_condition(&mut self, span: Span, function: Raw) -> Option<Region> {
        let (mut start, mut end) = (self.out_of_arguments(span.begin), self.out_of_arguments(span.end));
        while self.entry(start)? != self.entry(end)? {
            let (start_depth, end_depth) = (self.depth(start), self.depth(end));
            if end_depth >= start_depth {
                end = self.parent(end)?;
            }
            if start_depth >= end_depth {
                start = self.parent(start)?;
            }
        }
        let end = self.end_of_token(end)?;
        let (way, cut) = self.way(start, function)?;
        Some(Region { way, cut, end: Some(end) })
    }

    /// The region of a `case` or `default` label, which is known by its beginning.
    pub(super) fn of_label(&self, span: Span, function: Raw) -> Option<Region> {
        let (way, cut) = self.way(self.out_of_arguments(span.begin), function)?;
        Some(Region { way, cut, end: None })
    }

    fn way(&self, start: Raw, function: Raw) -> Option<(Vec<(u32, u32)>, bool)> {
        let home = self.entry(self.out_of_macros(function))?;
        let mut way = Vec::new();
        let mut here = start;
        loop {
            let place = self.map.spelling_place(here)?;
            way.push((place.text.line, place.column));
            if self.entry(here)? == home {
                return Some((way, false));
            }
            here = self.parent(here)?;
            if matches!(self.expansion(here), Some((_, true))) {
                return Some((way, true));
            }
        }
    }

    fn end_of_token(&mut self, token: Raw) -> Option<(u32, u32)> {
        let place = self.map.spelling_place(token)?;
        let text = self.texts.entry(place.text.file.to_owned()).or_insert_with_key(|file| {
            // A file that is gone has no tokens, and so no region: that is counted.
            std::fs::read(self.directory.join(file)).unwrap_or_default()
        });
        let offset = place.text.offset as usize;
        let length = token_end(text, offset).checked_sub(offset).filter(|&length| length > 0)?;
        Some((place.text.line, place.column + length as u32))
    }

    fn out_of_arguments(&self, mut raw: Raw) -> Raw {
        while let Some((begin, true)) = self.expansion(raw) {
            raw = begin;
        }
        raw
    }

    fn out_of_macros(&self, mut raw: Raw) -> Raw {
        while let Some((begin, _)) = self.expansion(raw) {
            raw = begin;
        }
        raw
    }

    /// Where the macro that a token comes from is used, or where its file is included.
    fn parent(&self, raw: Raw) -> Option<Raw> {
        match self.map.entries[self.entry(raw)?].kind {
            EntryKind::Expansion { begin, .. } => Some(begin),
            EntryKind::File(file) => {
                Some(self.map.files.get(file as usize)?.included_at).filter(|&at| at != 0)
            }
        }
    }

    fn depth(&self, raw: Raw) -> usize {
        std::iter::successors(self.parent(raw), |&raw| self.parent(raw)).count()
    }

    /// Where the expansion that a position lies in begins, and whether it is that of an argument.
    fn expansion(&self, raw: Raw) -> Option<(Raw, bool)> {
        match self.map.entries[self.entry(raw)?].kind {
            EntryKind::Expansion { begin, argument, .. } => Some((begin, argument)),
            EntryKind::File(_) => None,
        }
    }

    fn entry(&self, raw: Raw) -> Option<usize> {
        let position = raw & (Raw::MAX >> 1);
        let after = self.map.entries.partition_point(|entry| entry.start <= position);
        after.checked_sub(1).filter(|_| position != 0)
    }
}
