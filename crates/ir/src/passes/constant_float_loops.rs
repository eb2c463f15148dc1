//! Evaluates float variables of loops. A variable that is constant at the loop's entry and is changed only by one
//! operation on itself (`d += 0.1`) takes a known sequence of values, its *orbit*. A branch whose condition holds for none
//! of them is never taken; the pass puts `assume false` after its condition, since the encoder does not interpret floats.
//!
//! The orbit ends where a value repeats or, if it is monotonic, after the last constant that it is compared with.
//!
//! Only binary32 and binary64 on targets with 64-bit pointers: others may compute with excess precision. A sum with a
//! product may be fused into one operation, so it is not evaluated.

use crate::eval;
use crate::expr::vars_of;
use crate::gc::{BinaryOp, Block, CastOp, Cmd, CmdKind, Expr, ExprData, Function, Unit, Var};
use crate::graph;
use crate::limits::{LONGEST_FLOAT_LOOP, MOST_FLOAT_STARTS, SHOWN_FLOAT_VALUES};
use crate::passes::segments::Cut;
use crate::types::{BOOL, FloatKind, Type};
use std::collections::BTreeSet;

/// The values of a variable in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbit {
    pub head: Block,
    pub var: Var,
    /// The first values, as bits.
    pub values: Vec<u128>,
    /// Edges that none of the values allows.
    pub never: Vec<Block>,
}

/// The function with the branches that are never taken marked as such.
pub fn constant_float_loops(unit: &Unit, mut f: Function, cuts: &[Cut]) -> (Function, Vec<Orbit>) {
    let mut found = Vec::new();
    if unit.target.pointer_bits != 64 {
        return (f, found);
    }
    for cut in cuts {
        for var in f.vars.keys().collect::<Vec<_>>() {
            if matches!(f.vars[var].ty, Type::Float(FloatKind::F32 | FloatKind::F64))
                && let Some(orbit) = orbit(unit, &f, cut, var)
            {
                found.push(orbit);
            }
        }
    }
    for orbit in &found {
        let never = f.exprs.push(ExprData::Const(BOOL, 0));
        for &block in &orbit.never {
            let loc = f.blocks[block].cmds[0].loc;
            f.blocks[block].cmds.insert(1, Cmd { kind: CmdKind::Assume(never), loc });
        }
    }
    (f, found)
}

fn orbit(unit: &Unit, f: &Function, cut: &Cut, var: Var) -> Option<Orbit> {
    let step = step(f, cut, var)?;
    let starts = starts(unit, f, cut, var)?;
    let conditions = conditions(f, cut, var);
    if conditions.is_empty() {
        return None;
    }
    let single = Single { unit, f, var };
    let direction = single.direction(step);
    // Beyond all of these, the conditions do not change.
    let marks = conditions.iter().map(|&(_, e)| single.marks(e)).collect::<Option<Vec<_>>>();
    let marks: Option<Vec<f64>> = marks.map(|marks| marks.concat());
    let mut values = Vec::new();
    for start in starts {
        single.run(start, step, direction.zip(marks.as_deref()), &mut values)?;
    }
    let mut never = Vec::new();
    for (block, condition) in conditions {
        let mut holds = values.iter().map(|&value| single.value(condition, value));
        if holds.all(|holds| holds == Some(0)) {
            never.push(block);
        }
    }
    values.truncate(SHOWN_FLOAT_VALUES);
    (!never.is_empty()).then_some(Orbit { head: cut.head, var, values, never })
}

/// The only assignment to the variable in the loop.
fn step(f: &Function, cut: &Cut, var: Var) -> Option<Expr> {
    let mut step = None;
    for cmd in cut.members.iter().flat_map(|&block| &f.blocks[block].cmds) {
        if cmd.assigned() != Some(var) {
            continue;
        }
        match cmd.kind {
            CmdKind::Assign(_, value) if step.is_none() => step = Some(value),
            _ => return None,
        }
    }
    step
}

/// The constants that the variable can hold where the loop is entered.
fn starts(unit: &Unit, f: &Function, cut: &Cut, var: Var) -> Option<BTreeSet<u128>> {
    let predecessors = graph::predecessors(&f.successors());
    // Entries other than the head are not examined.
    let is_outside = |block: &Block| !cut.members.contains(block);
    for member in &cut.members {
        if *member != cut.head && predecessors[*member].iter().any(is_outside) {
            return None;
        }
    }
    let entry = f.blocks.keys().next()?;
    if cut.members.contains(&entry) {
        return None;
    }
    let mut starts = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut stack: Vec<Block> = predecessors[cut.head].iter().copied().filter(is_outside).collect();
    while let Some(block) = stack.pop() {
        if !seen.insert(block) {
            continue;
        }
        match f.blocks[block].cmds.iter().rev().find(|cmd| cmd.assigned() == Some(var)).map(|cmd| &cmd.kind) {
            Some(CmdKind::Assign(_, value)) => {
                starts.insert(Single { unit, f, var }.closed(*value)?);
            }
            Some(_) => return None,
            None if block == entry => return None,
            None => stack.extend(&predecessors[block]),
        }
    }
    (starts.len() <= MOST_FLOAT_STARTS).then_some(starts)
}

/// Branches in the loop, and out of it, whose conditions depend on the variable only.
fn conditions(f: &Function, cut: &Cut, var: Var) -> Vec<(Block, Expr)> {
    let targets: BTreeSet<Block> =
        cut.members.iter().flat_map(|&block| f.blocks[block].next.targets()).copied().collect();
    let mut from_outside: BTreeSet<Block> = BTreeSet::new();
    for (block, data) in &f.blocks {
        if !cut.members.contains(&block) {
            from_outside.extend(data.next.targets());
        }
    }
    let mut conditions = Vec::new();
    for block in targets {
        let Some(CmdKind::Assume(holds)) = f.blocks[block].cmds.first().map(|cmd| &cmd.kind) else {
            continue;
        };
        let vars = vars_of(f, *holds);
        if f.blocks[block].branch.is_some()
            && !from_outside.contains(&block)
            && vars.is_some_and(|vars| vars == BTreeSet::from([var]))
        {
            conditions.push((block, *holds));
        }
    }
    conditions
}

/// Expressions over one variable.
struct Single<'a> {
    unit: &'a Unit,
    f: &'a Function,
    var: Var,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Single<'_> {
    fn closed(&self, expr: Expr) -> Option<u128> {
        let vars = vars_of(self.f, expr)?;
        if vars.is_empty() { self.value(expr, 0) } else { None }
    }

    /// The expression's value where the variable has the given one.
    fn value(&self, expr: Expr, of_var: u128) -> Option<u128> {
        let bits = self.unit.target.pointer_bits;
        match self.f.exprs[expr] {
            ExprData::Const(_, value) => Some(value),
            ExprData::Var(var) => (var == self.var).then_some(of_var),
            ExprData::Unary(op, a) => eval::unary(op, self.f.ty(a, bits), self.value(a, of_var)?, bits),
            ExprData::Cast(op, to, a) => {
                let is_exact = matches!(
                    op,
                    CastOp::FloatToFloat | CastOp::SignedToFloat | CastOp::ZeroExtend | CastOp::SignExtend
                );
                let value = self.value(a, of_var)?;
                if is_exact { eval::cast(op, self.f.ty(a, bits), to, value, bits) } else { None }
            }
            ExprData::Binary(op, a, b) => {
                let ty = self.f.ty(a, bits);
                let is_product = |e: Expr| matches!(self.f.exprs[e], ExprData::Binary(BinaryOp::FMul, ..));
                if matches!(op, BinaryOp::FAdd | BinaryOp::FSub) && (is_product(a) || is_product(b)) {
                    return None;
                }
                use BinaryOp::{And, Eq, FAdd, FDiv, FEq, FLe, FLt, FMul, FSub, Ne, Or, Xor};
                if !matches!(op, And | Or | Xor | Eq | Ne | FAdd | FSub | FMul | FDiv | FEq | FLt | FLe) {
                    return None;
                }
                eval::binary(op, ty, self.value(a, of_var)?, self.value(b, of_var)?, bits)
            }
            ExprData::Ite(c, a, b) => match self.value(c, of_var)? {
                0 => self.value(b, of_var),
                _ => self.value(a, of_var),
            },
            _ => None,
        }
    }

    fn number(&self, bits: u128) -> f64 {
        match self.f.vars[self.var].ty {
            Type::Float(FloatKind::F32) => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits as u64),
        }
    }

    /// Adds the values from a start to `values`. `None` if they do not end.
    fn run(
        &self,
        start: u128,
        step: Expr,
        passing: Option<(Direction, &[f64])>,
        values: &mut Vec<u128>,
    ) -> Option<()> {
        let mut seen = BTreeSet::new();
        let mut value = start;
        for _ in 0..LONGEST_FLOAT_LOOP {
            if !seen.insert(value) {
                return Some(());
            }
            values.push(value);
            if let Some((direction, marks)) = passing {
                let number = self.number(value);
                let is_behind = |mark: &f64| match direction {
                    Direction::Up => number > *mark,
                    Direction::Down => number < *mark,
                };
                if marks.iter().all(is_behind) {
                    return Some(());
                }
            }
            value = self.value(step, value)?;
            if self.number(value).is_nan() {
                return None;
            }
        }
        None
    }

    /// Does the step always add, or always subtract? Rounding keeps the order.
    fn direction(&self, step: Expr) -> Option<Direction> {
        let ExprData::Binary(op, a, b) = self.f.exprs[self.without_rounding(step)] else { return None };
        let is_var =
            |e: Expr| matches!(self.f.exprs[self.without_rounding(e)], ExprData::Var(var) if var == self.var);
        let constant = if is_var(a) {
            self.constant(b)?
        } else if is_var(b) && op == BinaryOp::FAdd {
            self.constant(a)?
        } else {
            return None;
        };
        let change = match op {
            BinaryOp::FAdd => constant,
            BinaryOp::FSub => -constant,
            _ => return None,
        };
        if change > 0.0 {
            Some(Direction::Up)
        } else if change < 0.0 {
            Some(Direction::Down)
        } else {
            None
        }
    }

    /// Without conversions that keep every value of the variable as it is: a narrower format could round it past itself.
    fn without_rounding(&self, expr: Expr) -> Expr {
        let is_wide = |ty: Type| match ty {
            Type::Float(FloatKind::F64) => true,
            ty => ty == self.f.vars[self.var].ty,
        };
        match self.f.exprs[expr] {
            ExprData::Cast(CastOp::FloatToFloat, ty, of) if is_wide(ty) => self.without_rounding(of),
            _ => expr,
        }
    }

    fn constant(&self, expr: Expr) -> Option<f64> {
        let value = self.closed(expr)?;
        match self.f.ty(expr, self.unit.target.pointer_bits) {
            Type::Float(FloatKind::F64) => Some(f64::from_bits(value as u64)),
            Type::Float(FloatKind::F32) => Some(f32::from_bits(value as u32).into()),
            _ => None,
        }
    }

    /// The numbers that a condition compares the variable with; `None` if it does anything else with it.
    fn marks(&self, condition: Expr) -> Option<Vec<f64>> {
        match self.f.exprs[condition] {
            ExprData::Const(..) => Some(Vec::new()),
            ExprData::Unary(_, a) => self.marks(a),
            ExprData::Binary(BinaryOp::FEq | BinaryOp::FLt | BinaryOp::FLe, a, b) => {
                let is_var = |e: Expr| matches!(self.f.exprs[self.without_rounding(e)], ExprData::Var(_));
                if is_var(a) {
                    Some(vec![self.constant(b)?])
                } else if is_var(b) {
                    Some(vec![self.constant(a)?])
                } else {
                    None
                }
            }
            ExprData::Binary(
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Eq | BinaryOp::Ne,
                a,
                b,
            ) => {
                let mut marks = self.marks(a)?;
                marks.extend(self.marks(b)?);
                Some(marks)
            }
            _ => None,
        }
    }
}
