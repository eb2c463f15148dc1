//! The edges that universal reachability asks about, and their boundary values.

use crate::limits::{BLOCKS_TO_CHECK, FOLLOWED_VARIABLES};
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Origin};
use gainsay_ir::graph;
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Function, Var, VarOf};
use gainsay_ir::types::Type;
use gainsay_term::{Term, TermPool};

/// The blocks that are edges of branches of the source.
pub fn branch_edges(function: &Function) -> Vec<Block> {
    function.blocks.keys().filter(|&block| is_branch_edge(function, block)).collect()
}

pub(crate) fn is_branch_edge(function: &Function, block: Block) -> bool {
    function.blocks[block].branch.is_some_and(|branch| branch.origin != Origin::Model)
}

/// The immediate dominator of each block.
pub(crate) type Dominators = SecondaryMap<Block, Option<Block>>;

pub(crate) fn dominators(function: &Function) -> Dominators {
    graph::dominators(&graph::predecessors(&function.successors()))
}

/// The blocks of all runs through this one.
pub(crate) fn blocks_of_runs_through(function: &Function, through: Block) -> EntitySet<Block> {
    let mut is_above: EntitySet<Block> = EntitySet::new();
    is_above.insert(through);
    // Blocks are in topological order.
    for (block, data) in function.blocks.iter().rev().filter(|(block, _)| *block < through) {
        if data.next.targets().iter().any(|&target| is_above.contains(target)) {
            is_above.insert(block);
        }
    }
    let mut met = is_above;
    let mut is_below: EntitySet<Block> = EntitySet::new();
    is_below.insert(through);
    for (block, data) in function.blocks.iter().filter(|(block, _)| *block >= through) {
        if is_below.contains(block) {
            met.insert(block);
            data.next.targets().iter().for_each(|&target| {
                is_below.insert(target);
            });
        }
    }
    met
}

/// The dominators of a block, closest first.
pub(crate) fn above(dominators: &Dominators, block: Block) -> impl Iterator<Item = Block> + '_ {
    std::iter::successors(dominators[block], |&block| dominators[block])
}

/// The outermost value that a comparison lets through (universal-reachability, section 4, `bcond`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Boundary {
    pub(crate) smaller: Expr,
    pub(crate) larger: Expr,
    /// `<`, else `<=`.
    pub(crate) is_strict: bool,
}

impl Boundary {
    /// The narrowed condition, given the two values.
    pub(crate) fn condition(self, pool: &mut TermPool, smaller: Term, larger: Term) -> Term {
        if !self.is_strict {
            return pool.eq(smaller, larger);
        }
        let one = pool.bits(pool.width(larger), 1);
        let last = pool.bv_sub(larger, one);
        pool.eq(smaller, last)
    }
}

/// The boundary of each edge that has one and is followed by a check that the boundary value could break.
pub(crate) fn boundaries(function: &Function) -> SecondaryMap<Block, Option<Boundary>> {
    let mut boundaries = SecondaryMap::new();
    for edge in branch_edges(function) {
        let Some(boundary) = relation(function, edge) else { continue };
        let tested = variables(function, &[boundary.smaller, boundary.larger]);
        if precedes_check(function, edge, &tested) {
            boundaries[edge] = Some(boundary);
        }
    }
    boundaries
}

fn relation(function: &Function, block: Block) -> Option<Boundary> {
    if !is_branch_edge(function, block) {
        return None;
    }
    let CmdKind::Assume(condition) = function.blocks[block].cmds.first()?.kind else { return None };
    let ExprData::Binary(op, smaller, larger) = function.exprs[condition] else { return None };
    let is_strict = match op {
        BinaryOp::SLt | BinaryOp::ULt => true,
        BinaryOp::SLe | BinaryOp::ULe => false,
        _ => return None,
    };
    let is_integer = matches!(type_of(function, larger)?, Type::Int(bits) if bits > 1);
    is_integer.then_some(Boundary { smaller, larger, is_strict })
}

/// The type of an operand of a comparison, where it is easy to tell.
fn type_of(function: &Function, expr: Expr) -> Option<Type> {
    match function.exprs[expr] {
        ExprData::Const(ty, _) | ExprData::Cast(_, ty, _) => Some(ty),
        ExprData::Load(_, access, _) => Some(access.ty),
        ExprData::Var(var) => match function.vars[var].of {
            VarOf::Source(source) => Some(function.sources[source].ty),
            _ => None,
        },
        ExprData::Unary(_, a) | ExprData::Binary(_, a, _) | ExprData::Ite(_, a, _) => type_of(function, a),
        _ => None,
    }
}

/// Does the access go to an object whose size is known?
fn has_known_extent(function: &Function, holds: Expr) -> bool {
    let ExprData::Valid(_, mut pointer, _) = function.exprs[holds] else { return false };
    loop {
        pointer = match function.exprs[pointer] {
            ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_) => return true,
            ExprData::Binary(BinaryOp::PtrAdd, base, _) => base,
            ExprData::Var(var) => match function.vars[var].definition {
                Definition::Command(block, index) => match function.blocks[block].cmds[index as usize].kind {
                    CmdKind::Define(_, value) => value,
                    _ => return false,
                },
                Definition::Fresh(block, index) => {
                    let cmd = function.blocks[block].cmds.get(index as usize);
                    return matches!(
                        cmd.map(|cmd| &cmd.kind),
                        Some(CmdKind::Update { effect: Effect::Alloca { .. } | Effect::Allocate { .. }, .. })
                    );
                }
                _ => return false,
            },
            _ => return false,
        };
    }
}

/// Can an off-by-one error break the check? Assertions of the program are left out.
pub(crate) fn breaks_at_boundary(check: Check) -> bool {
    matches!(check, Check::Bounds | Check::InvalidAccess | Check::DivisionByZero | Check::Shift)
}

/// Does a check that depends on one of the variables follow close to the edge?
fn precedes_check(function: &Function, edge: Block, tested: &[Var]) -> bool {
    let mut seen = EntitySet::new();
    let mut queue = std::collections::VecDeque::from([edge]);
    let mut looked_at = 0;
    while let Some(block) = queue.pop_front() {
        if !seen.insert(block) {
            continue;
        }
        looked_at += 1;
        if looked_at > BLOCKS_TO_CHECK {
            return false;
        }
        for cmd in &function.blocks[block].cmds {
            if let CmdKind::Assert(check, holds) = cmd.kind
                && breaks_at_boundary(check)
                && (check != Check::InvalidAccess || has_known_extent(function, holds))
                && variables(function, &[holds]).iter().any(|var| tested.contains(var))
            {
                return true;
            }
        }
        queue.extend(function.blocks[block].next.targets());
    }
    false
}

/// The variables that the expressions are computed from, through all definitions.
pub(crate) fn variables(function: &Function, roots: &[Expr]) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut stack = roots.to_vec();
    while let Some(expr) = stack.pop() {
        let data = function.exprs[expr];
        stack.extend(data.operands());
        let Some(var) = data.var() else { continue };
        if function.vars[var].of == VarOf::Memory || found.contains(&var) || found.len() >= FOLLOWED_VARIABLES
        {
            continue;
        }
        found.push(var);
        if let Definition::Command(block, index) = function.vars[var].definition
            && let CmdKind::Define(_, value) = function.blocks[block].cmds[index as usize].kind
        {
            stack.push(value);
        }
    }
    found
}
