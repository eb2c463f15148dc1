//! Terms as text. A term that is used twice is defined once and named, so the text grows with the number of terms, not with
//! the number of paths through them.
//!
//! The first character of a symbol says what it is, so no name in a C program can be mistaken for anything else:
//! `%x` is the variable x, `$12` the term number 12, `?12` an assumption that stands for term number 12.

use crate::limits::MAX_PRINT_DEPTH;
use gainsay_term::{BinaryOp, CompareOp, Node, Operands, Sort, Term, TermPool};
use std::borrow::Cow;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Never,
    /// Written out as part of another term; a second time it gets a name.
    Inline,
    /// Declared, or defined under a name.
    Named,
}

/// Remembers what was sent to a solver, so that nothing is sent twice.
pub struct Printer {
    seen: Vec<Seen>,
    uses: Vec<u32>,
    depth: Vec<u32>,
}

impl Printer {
    pub fn new() -> Printer {
        Printer { seen: Vec::new(), uses: Vec::new(), depth: Vec::new() }
    }

    /// Appends the declarations and definitions that the roots need and the solver does not know yet. A root
    /// that is listed twice gets a name.
    pub fn define(&mut self, pool: &TermPool, roots: &[Term], out: &mut String) {
        self.seen.resize(pool.len(), Seen::Never);
        self.uses.resize(pool.len(), 0);
        self.depth.resize(pool.len(), 0);
        let fresh = self.count_uses(pool, roots);
        self.pass_on_uses_of_negations(pool, &fresh);
        for &term in &fresh {
            let node = pool.node(term);
            let sort = pool.sort(term);
            if let Node::Var(_) = node {
                out.push_str("(declare-fun ");
                write_leaf(pool, node, out);
                out.push_str(" () ");
                write_sort(sort, out);
                out.push_str(")\n");
                self.seen[term.index()] = Seen::Named;
                continue;
            }
            let depth = self.depth_of(pool, node);
            let again = self.uses[term.index()] > 1 || self.seen[term.index()] == Seen::Inline;
            if depth > MAX_PRINT_DEPTH || (again && !matches!(node, Node::Not(_))) {
                let _ = write!(out, "(define-fun ${} () ", term.index());
                write_sort(sort, out);
                out.push(' ');
                self.write_expanded(pool, term, out);
                out.push_str(")\n");
                self.seen[term.index()] = Seen::Named;
            } else {
                self.depth[term.index()] = depth;
                self.seen[term.index()] = Seen::Inline;
            }
        }
        for term in fresh {
            self.uses[term.index()] = 0;
        }
    }

    /// The terms below the roots that have no name yet, operands first, with the number of their uses.
    fn count_uses(&mut self, pool: &TermPool, roots: &[Term]) -> Vec<Term> {
        let mut fresh = Vec::new();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            let node = pool.node(term);
            if self.seen[term.index()] == Seen::Named || matches!(node, Node::Bool(_) | Node::Bits { .. }) {
                continue;
            }
            self.uses[term.index()] += 1;
            if self.uses[term.index()] == 1 {
                fresh.push(term);
                stack.extend(node.operands());
            }
        }
        fresh.sort_unstable();
        fresh
    }

    /// A name for a negation saves nothing, so negations are written out, and what they negate is used as often.
    fn pass_on_uses_of_negations(&mut self, pool: &TermPool, fresh: &[Term]) {
        for &term in fresh.iter().rev() {
            if let Node::Not(of) = pool.node(term) {
                let again = self.uses[term.index()] > 1 || self.seen[term.index()] == Seen::Inline;
                self.uses[of.index()] += u32::from(again);
            }
        }
    }

    fn depth_of(&self, pool: &TermPool, node: Node) -> u32 {
        let below = node.operands().into_iter().filter(|&operand| self.seen[operand.index()] == Seen::Inline);
        below
            .map(|operand| {
                self.depth[operand.index()] + u32::from(!is_same_chain(&node, &pool.node(operand)))
            })
            .max()
            .unwrap_or(0)
    }

    /// Appends the term: by its name if it has one. Its parts must have been introduced.
    pub fn write(&self, pool: &TermPool, term: Term, out: &mut String) {
        if self.is_atom(pool, term) {
            self.write_atom(pool, term, out);
        } else {
            self.write_expanded(pool, term, out);
        }
    }

    fn is_atom(&self, pool: &TermPool, term: Term) -> bool {
        self.seen.get(term.index()) == Some(&Seen::Named)
            || matches!(pool.node(term), Node::Bool(_) | Node::Bits { .. } | Node::Var(_))
    }

    fn write_atom(&self, pool: &TermPool, term: Term, out: &mut String) {
        match pool.node(term) {
            leaf @ (Node::Bool(_) | Node::Bits { .. } | Node::Var(_)) => write_leaf(pool, leaf, out),
            _ => {
                let _ = write!(out, "${}", term.index());
            }
        }
    }

    fn write_expanded(&self, pool: &TermPool, term: Term, out: &mut String) {
        /// `None` closes a parenthesis.
        type Todo = Vec<Option<Term>>;
        let mut todo: Todo = Vec::new();
        let open = |term: Term, todo: &mut Todo, out: &mut String| {
            let node = pool.node(term);
            out.push('(');
            write_operator(node, out);
            todo.push(None);
            todo.extend(self.flat_operands(pool, node).into_iter().rev().map(Some));
        };
        open(term, &mut todo, out);
        while let Some(next) = todo.pop() {
            match next {
                None => out.push(')'),
                Some(operand) => {
                    out.push(' ');
                    if self.is_atom(pool, operand) {
                        self.write_atom(pool, operand, out);
                    } else {
                        open(operand, &mut todo, out);
                    }
                }
            }
        }
    }

    /// `(or a (or b c))` is written as `(or a b c)`, oldest first.
    fn flat_operands(&self, pool: &TermPool, node: Node) -> Operands {
        if !is_same_chain(&node, &node) {
            return node.operands();
        }
        let mut flat = Operands::new();
        let mut todo = node.operands();
        while let Some(operand) = todo.pop() {
            let below = pool.node(operand);
            if is_same_chain(&node, &below) && !self.is_atom(pool, operand) {
                todo.extend(below.operands());
            } else {
                flat.push(operand);
            }
        }
        flat.sort_unstable();
        flat
    }
}

impl Default for Printer {
    fn default() -> Printer {
        Printer::new()
    }
}

fn is_same_chain(a: &Node, b: &Node) -> bool {
    matches!((a, b), (Node::And(..), Node::And(..)) | (Node::Or(..), Node::Or(..)))
}

fn write_operator(node: Node, out: &mut String) {
    let name = match node {
        // Leaves have no operator; they are written by `write_leaf`.
        Node::Bool(_) | Node::Bits { .. } | Node::Var(_) => "",
        Node::Not(_) => "not",
        Node::And(..) => "and",
        Node::Or(..) => "or",
        Node::Xor(..) => "xor",
        Node::Eq(..) => "=",
        Node::Ite(..) => "ite",
        Node::BvNot(_) => "bvnot",
        Node::Neg(_) => "bvneg",
        Node::Binary(op, ..) => match op {
            BinaryOp::Add => "bvadd",
            BinaryOp::Sub => "bvsub",
            BinaryOp::Mul => "bvmul",
            BinaryOp::UDiv => "bvudiv",
            BinaryOp::SDiv => "bvsdiv",
            BinaryOp::URem => "bvurem",
            BinaryOp::SRem => "bvsrem",
            BinaryOp::And => "bvand",
            BinaryOp::Or => "bvor",
            BinaryOp::Xor => "bvxor",
            BinaryOp::Shl => "bvshl",
            BinaryOp::LShr => "bvlshr",
            BinaryOp::AShr => "bvashr",
        },
        Node::Compare(op, ..) => match op {
            CompareOp::ULt => "bvult",
            CompareOp::SLt => "bvslt",
        },
        Node::Concat(..) => "concat",
        Node::Select(..) => "select",
        Node::Store(..) => "store",
        Node::Extract { high, low, .. } => {
            let _ = write!(out, "(_ extract {high} {low})");
            return;
        }
        Node::ZeroExtend { by, .. } => {
            let _ = write!(out, "(_ zero_extend {by})");
            return;
        }
        Node::SignExtend { by, .. } => {
            let _ = write!(out, "(_ sign_extend {by})");
            return;
        }
    };
    out.push_str(name);
}

fn write_leaf(pool: &TermPool, node: Node, out: &mut String) {
    let _ = match node {
        Node::Bool(value) => write!(out, "{value}"),
        Node::Bits { width, value } if width % 4 == 0 => {
            write!(out, "#x{value:0digits$x}", digits = width as usize / 4)
        }
        Node::Bits { width, value } => write!(out, "#b{value:0digits$b}", digits = width as usize),
        Node::Var(number) => {
            out.push_str(&quoted(&variable_symbol(pool.name(number))));
            Ok(())
        }
        _ => Ok(()),
    };
}

/// `%name`. What a symbol cannot hold is written as its code, so that different names stay different.
pub fn variable_symbol(name: &str) -> String {
    let mut symbol = String::from("%");
    for c in name.chars() {
        if matches!(c, ' '..='}') && c != '|' && c != '\\' {
            symbol.push(c);
        } else {
            let _ = write!(symbol, "~{:x}~", u32::from(c));
        }
    }
    symbol
}

/// In bars, if SMT-LIB asks for them.
pub(super) fn quoted(symbol: &str) -> Cow<'_, str> {
    let is_simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if symbol.chars().all(is_simple) { Cow::Borrowed(symbol) } else { Cow::Owned(format!("|{symbol}|")) }
}

fn write_sort(sort: Sort, out: &mut String) {
    let _ = match sort {
        Sort::Bool => write!(out, "Bool"),
        Sort::BitVec(width) => write!(out, "(_ BitVec {width})"),
        Sort::Array { index, element } => write!(out, "(Array (_ BitVec {index}) (_ BitVec {element}))"),
    };
}
