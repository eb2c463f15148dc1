//! The control-flow graph of section 3: edges carry predicates, and the kind that the rules of section 4
//! refer to.

use crate::syntax::{Block, Expr, Function, Predicate, Program, Statement};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Leads to a deliberate ERROR node (4.1).
    Error,
    /// The other edge at the condition of an ERROR node.
    Passed,
    /// A then-branch or a case of a switch.
    Then,
    /// An else-branch other than an unwritten last one; a written `default`.
    WrittenElse,
    /// The unwritten else-branch at the end of a cascade; a missing `default`.
    LastElse,
    LoopGoesOn,
    LoopEnds,
    /// A comment admits this case (true), or does not mention it.
    Comment(bool),
    /// Two pointers are the same (true) or separate.
    Alias(bool),
}

pub type NodeId = usize;

pub struct Edge {
    /// Unique in the program.
    pub id: usize,
    pub predicate: Predicate,
    pub kind: Kind,
    pub in_macro: bool,
    pub varies: bool,
    /// Set for the two edges of a loop condition.
    pub in_loop: Option<usize>,
    pub target: NodeId,
}

pub enum Node {
    /// `None`: not initialised from here on.
    Assign(String, Option<Expr>, NodeId),
    Call {
        result: Option<String>,
        callee: String,
        arguments: Vec<Expr>,
        next: NodeId,
    },
    Return(Option<Expr>),
    Branch(Vec<Edge>),
    EnterLoop(usize, NodeId),
    Error(usize),
}

/// The graphs of all functions of a program.
pub struct Graph {
    pub nodes: Vec<Node>,
    /// In the order of the program's functions.
    pub entries: Vec<NodeId>,
}

pub fn graph(program: &Program) -> Graph {
    let mut builder = Builder { program, nodes: Vec::new(), edges: 0, loops: 0 };
    let mut entry = |function: &Function| {
        let end = builder.node(Node::Return(None));
        builder.block(&function.body, end, &Context::default())
    };
    let entries = program.functions.iter().map(&mut entry).collect();
    Graph { nodes: builder.nodes, entries }
}

struct Builder<'a> {
    program: &'a Program,
    nodes: Vec<Node>,
    edges: usize,
    loops: usize,
}

#[derive(Clone, Default)]
struct Context {
    in_macro: bool,
    /// The variables that the enclosing loops modify.
    modified: BTreeSet<String>,
    after_loop: Option<NodeId>,
}

impl Builder<'_> {
    fn node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn edge(&mut self, predicate: Predicate, kind: Kind, target: NodeId, context: &Context) -> Edge {
        self.edges += 1;
        let varies = !predicate.vars().is_disjoint(&context.modified);
        Edge { id: self.edges, predicate, kind, in_macro: context.in_macro, varies, in_loop: None, target }
    }

    /// The node that runs the block and then `next`.
    fn block(&mut self, block: &Block, next: NodeId, context: &Context) -> NodeId {
        block.iter().rev().fold(next, |next, statement| self.statement(statement, next, context))
    }

    fn statement(&mut self, statement: &Statement, next: NodeId, context: &Context) -> NodeId {
        match statement {
            Statement::Assign(name, value) => {
                self.node(Node::Assign(name.clone(), Some(value.clone()), next))
            }
            Statement::Local(name) => self.node(Node::Assign(name.clone(), None, next)),
            Statement::Call { result, callee, arguments } => {
                let (result, callee, arguments) = (result.clone(), callee.clone(), arguments.clone());
                self.node(Node::Call { result, callee, arguments, next })
            }
            Statement::If { arms, last } => self.cascade(arms, last.as_ref(), next, context),
            Statement::Switch { subject, cases, default } => {
                self.switch(subject, cases, default.as_ref(), next, context)
            }
            Statement::Loop { condition, body, body_first } => {
                self.repeat(condition, body, *body_first, next, context)
            }
            Statement::Break => context.after_loop.expect("`break` stands in a loop"),
            Statement::Return(value) => self.node(Node::Return(value.clone())),
            Statement::Assert(predicate, line) => {
                let error = self.node(Node::Error(*line));
                let failed = self.edge(predicate.negated(), Kind::Error, error, context);
                let passed = self.edge(predicate.clone(), Kind::Passed, next, context);
                self.node(Node::Branch(vec![failed, passed]))
            }
            Statement::Abort(line) => self.node(Node::Error(*line)),
            Statement::Macro(block) => {
                self.block(block, next, &Context { in_macro: true, ..context.clone() })
            }
            Statement::Admits(predicate) => {
                let promised = self.edge(predicate.clone(), Kind::Comment(true), next, context);
                let other = self.edge(predicate.negated(), Kind::Comment(false), next, context);
                self.node(Node::Branch(vec![promised, other]))
            }
            Statement::Alias { pointers: (p, q), same, separate } => {
                let equal = Predicate::equal(Expr::Var(p.clone()), Expr::Var(q.clone()));
                let differ = equal.negated();
                let (same, separate) = (self.block(same, next, context), self.block(separate, next, context));
                let same = self.edge(equal, Kind::Alias(true), same, context);
                let separate = self.edge(differ, Kind::Alias(false), separate, context);
                self.node(Node::Branch(vec![same, separate]))
            }
        }
    }

    fn cascade(
        &mut self,
        arms: &[(Predicate, Block)],
        last: Option<&Block>,
        next: NodeId,
        context: &Context,
    ) -> NodeId {
        let is_cascade = arms.len() > 1;
        let mut otherwise = last.map_or(next, |block| self.block(block, next, context));
        let mut else_kind = if last.is_none() && is_cascade { Kind::LastElse } else { Kind::WrittenElse };
        let mut else_aborts = last.is_some_and(|block| self.always_aborts(block));
        for (condition, block) in arms.iter().rev() {
            let then_aborts = self.always_aborts(block);
            let target = self.block(block, next, context);
            // 4.1: `if (x == NULL) abort()` is an ERROR node with its edge, as `assert(x != NULL)` is.
            let then_kind = if else_aborts { Kind::Passed } else { Kind::Then };
            let then_kind = if then_aborts { Kind::Error } else { then_kind };
            let other_kind = if then_aborts { Kind::Passed } else { else_kind };
            let other_kind = if else_aborts { Kind::Error } else { other_kind };
            let then = self.edge(condition.clone(), then_kind, target, context);
            let other = self.edge(condition.negated(), other_kind, otherwise, context);
            otherwise = self.node(Node::Branch(vec![then, other]));
            (else_kind, else_aborts) = (Kind::WrittenElse, then_aborts && else_aborts);
        }
        otherwise
    }

    fn switch(
        &mut self,
        subject: &Expr,
        cases: &[(i64, Block)],
        default: Option<&Block>,
        next: NodeId,
        context: &Context,
    ) -> NodeId {
        let mut none = Predicate::Constant(true);
        let mut edges = Vec::new();
        for (value, block) in cases {
            let equal = Predicate::equal(subject.clone(), Expr::Const(*value));
            none = Predicate::And(Box::new(none), Box::new(equal.negated()));
            let kind = if self.always_aborts(block) { Kind::Error } else { Kind::Then };
            let target = self.block(block, next, context);
            edges.push(self.edge(equal, kind, target, context));
        }
        let kind = match default {
            Some(block) if self.always_aborts(block) => Kind::Error,
            Some(_) => Kind::WrittenElse,
            None => Kind::LastElse,
        };
        let target = default.map_or(next, |block| self.block(block, next, context));
        edges.push(self.edge(none, kind, target, context));
        self.node(Node::Branch(edges))
    }

    fn repeat(
        &mut self,
        condition: &Predicate,
        body: &Block,
        body_first: bool,
        next: NodeId,
        context: &Context,
    ) -> NodeId {
        self.loops += 1;
        let id = self.loops;
        let head = self.node(Node::Branch(Vec::new()));
        let mut inside = Context { after_loop: Some(next), ..context.clone() };
        modified(self.program, body, &mut inside.modified);
        let body = self.block(body, head, &inside);
        let mut edge = |predicate, kind, target| {
            let mut edge = self.edge(predicate, kind, target, context);
            edge.in_loop = Some(id);
            edge
        };
        let goes_on = edge(condition.clone(), Kind::LoopGoesOn, body);
        let ends = edge(condition.negated(), Kind::LoopEnds, next);
        self.nodes[head] = Node::Branch(vec![goes_on, ends]);
        self.node(Node::EnterLoop(id, if body_first { body } else { head }))
    }

    /// Whether every path through the block ends in a deliberate ERROR node: then the edge to it leads to an
    /// ERROR node (4.1), even if a message is printed before.
    fn always_aborts(&self, block: &Block) -> bool {
        for statement in block {
            if self.aborts(statement) {
                return true;
            }
            if may_leave(statement) {
                return false;
            }
        }
        false
    }

    fn aborts(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Abort(_) => true,
            Statement::If { arms, last: Some(last) } => {
                self.always_aborts(last) && arms.iter().all(|(_, block)| self.always_aborts(block))
            }
            Statement::Macro(block) => self.always_aborts(block),
            Statement::Call { callee, .. } => self.always_aborts(&self.program.function(callee).body),
            _ => false,
        }
    }
}

/// Whether the block contains a `return` or `break`.
fn may_leave(statement: &Statement) -> bool {
    matches!(statement, Statement::Return(_) | Statement::Break)
        || parts(statement).iter().any(|block| block.iter().any(may_leave))
}

pub fn parts(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::If { arms, last } => arms.iter().map(|(_, block)| block).chain(last).collect(),
        Statement::Switch { cases, default, .. } => {
            cases.iter().map(|(_, block)| block).chain(default).collect()
        }
        Statement::Loop { body, .. } => vec![body],
        Statement::Macro(block) => vec![block],
        Statement::Alias { same, separate, .. } => vec![same, separate],
        _ => Vec::new(),
    }
}

/// The variables that a block assigns, itself or (globals only) in functions it calls.
fn modified(program: &Program, block: &Block, into: &mut BTreeSet<String>) {
    for statement in block {
        match statement {
            Statement::Assign(name, _) | Statement::Local(name) => {
                into.insert(name.clone());
            }
            Statement::Call { result, callee, .. } => {
                into.extend(result.clone());
                let mut there = BTreeSet::new();
                modified(program, &program.function(callee).body, &mut there);
                into.extend(there.into_iter().filter(|name| program.globals.contains(name)));
            }
            _ => {}
        }
        for part in parts(statement) {
            modified(program, part, into);
        }
    }
}
