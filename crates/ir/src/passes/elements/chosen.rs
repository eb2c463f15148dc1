//! Which elements of an array are worth following. A loop that reads an array goes from one end to the other: the last
//! and the first element that it reads are the ones that are forgotten.

use super::homes::Home;
use crate::eval;
use crate::gc::{BinaryOp, Block, CastOp, CmdKind, Expr, ExprData, Function, Origin, Outcome, Unit, Var};
use crate::passes::places::{self, Offset};
use crate::passes::segments::Cut;
use crate::types::Type;
use std::collections::BTreeSet;

/// Of one array.
const MOST_ELEMENTS: usize = 4;

/// One element, the same for as long as the array lives.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// In bytes from the start: an expression over variables that hardly change.
    pub(super) offset: Expr,
    /// The same as a number.
    pub(super) constant: Option<u64>,
    /// When one of these changes, the element is another one.
    pub(super) vars: BTreeSet<Var>,
    /// `a[3]`, `m[n - 1]`
    pub(super) name: String,
}

/// What a loop compares: `index` goes up to `bound`, or down to it.
#[derive(Clone, Copy)]
struct Bound {
    index: Expr,
    bound: Expr,
    /// The last value is so much more than the bound.
    more: i64,
    at: Block,
}

pub(super) fn chosen(unit: &Unit, f: &mut Function, cuts: &[Cut], home: &Home) -> Vec<Chosen> {
    let changing: BTreeSet<Var> = cuts
        .iter()
        .flat_map(|cut| &cut.members)
        .flat_map(|&block| &f.blocks[block].cmds)
        .filter_map(|cmd| cmd.assigned())
        .collect();
    let ends = [bounds(f, &changing), starts(f)];
    let mut found: Vec<Chosen> = Vec::new();
    for (block, addr) in home.reads.clone() {
        let Some(place) = places::place(f, addr) else { continue };
        match place.offset {
            Offset::Constant(offset) => add(&mut found, at(unit, f, home, offset)),
            Offset::Sum(terms, _) => {
                for bounds in &ends {
                    // What the loop says that reads comes before what others say of the same variable.
                    let is_near = |bound: &Bound| {
                        cuts.iter().any(|cut| cut.members.contains(&bound.at) && cut.members.contains(&block))
                    };
                    let mut bounds = bounds.clone();
                    bounds.sort_by_key(|bound| !is_near(bound));
                    for first in 0..bounds.len() {
                        let first = bounds[first];
                        if terms.iter().any(|&term| contains(f, term, first.index)) {
                            let bounds: Vec<Bound> = [first].into_iter().chain(bounds.clone()).collect();
                            let one = substituted(unit, f, home, &terms, &bounds, &changing);
                            one.into_iter().for_each(|one| add(&mut found, one));
                        }
                    }
                }
            }
        }
    }
    // Few enough to follow them all.
    if let Some(count) =
        home.size.map(|size| size / home.bytes).filter(|&count| count <= MOST_ELEMENTS as u64)
    {
        for index in 0..count {
            add(&mut found, at(unit, f, home, index * home.bytes));
        }
    }
    let is_inside = |one: &Chosen| match (one.constant, home.size) {
        (Some(offset), Some(size)) => offset.checked_add(home.bytes).is_some_and(|end| end <= size),
        _ => true,
    };
    found.retain(is_inside);
    found.truncate(MOST_ELEMENTS);
    found
}

fn add(found: &mut Vec<Chosen>, one: Chosen) {
    if found.iter().all(|other| other.name != one.name) {
        found.push(one);
    }
}

fn at(unit: &Unit, f: &mut Function, home: &Home, offset: u64) -> Chosen {
    let constant = ExprData::Const(Type::Int(unit.target.pointer_bits), u128::from(offset));
    let name = format!("{}[{}]", home.name, offset / home.bytes);
    Chosen { offset: f.exprs.push(constant), constant: Some(offset), vars: BTreeSet::new(), name }
}

/// The offset with every index at its end.
fn substituted(
    unit: &Unit,
    f: &mut Function,
    home: &Home,
    terms: &[Expr],
    bounds: &[Bound],
    changing: &BTreeSet<Var>,
) -> Option<Chosen> {
    let mut used = Vec::new();
    let mut sum = None;
    for &term in terms {
        let term = substitute(f, term, bounds, &mut used)?;
        sum = Some(match sum {
            None => term,
            Some(sum) => f.exprs.push(ExprData::Binary(BinaryOp::Add, sum, term)),
        });
    }
    let offset = sum?;
    if let Some(constant) = constant(unit, f, offset) {
        return Some(at(unit, f, home, constant as u64));
    }
    let vars = vars(f, offset)?;
    let [bound] = used[..] else { return None };
    if !vars.is_disjoint(changing) {
        return None;
    }
    let name = format!("{}[{}]", home.name, text(unit, f, bound)?);
    Some(Chosen { offset, constant: None, vars, name })
}

/// `None` if it does not fit; a copy that says the same where nothing is replaced.
fn substitute(f: &mut Function, expr: Expr, bounds: &[Bound], used: &mut Vec<Bound>) -> Option<Expr> {
    if let Some(bound) = bounds.iter().copied().find(|bound| is_same(f, bound.index, expr)) {
        used.push(bound);
        if bound.more == 0 {
            return Some(bound.bound);
        }
        let ExprData::Const(ty @ Type::Int(bits), value) = one_like(f, bound)? else { return None };
        let more = ExprData::Const(ty, value.wrapping_mul(bound.more as u128) & eval::mask(bits));
        let more = f.exprs.push(more);
        return Some(f.exprs.push(ExprData::Binary(BinaryOp::Add, bound.bound, more)));
    }
    let data = match f.exprs[expr] {
        ExprData::Const(..) | ExprData::Var(_) => return Some(expr),
        ExprData::Cast(op, ty, a) => ExprData::Cast(op, ty, substitute(f, a, bounds, used)?),
        ExprData::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            ExprData::Binary(op, substitute(f, a, bounds, used)?, substitute(f, b, bounds, used)?)
        }
        _ => return None,
    };
    Some(f.exprs.push(data))
}

/// The number one in the type of the bound.
fn one_like(f: &Function, bound: Bound) -> Option<ExprData> {
    match f.ty(bound.bound, 64) {
        ty @ Type::Int(_) => Some(ExprData::Const(ty, 1)),
        _ => None,
    }
}

/// Where loops that count upwards end.
fn bounds(f: &Function, changing: &BTreeSet<Var>) -> Vec<Bound> {
    let mut bounds: Vec<Bound> = Vec::new();
    for (at, data) in &f.blocks {
        let is_loop = data.branch.is_some_and(|branch| {
            matches!(branch.origin, Origin::LoopEntry | Origin::LoopAgain | Origin::And)
                && branch.outcome == Outcome::True
        });
        let Some(CmdKind::Assume(holds)) = data.cmds.first().map(|cmd| &cmd.kind).filter(|_| is_loop) else {
            continue;
        };
        let ExprData::Binary(op, index, bound) = f.exprs[*holds] else { continue };
        let more = match op {
            BinaryOp::SLt | BinaryOp::ULt | BinaryOp::Ne => -1,
            BinaryOp::SLe | BinaryOp::ULe => 0,
            _ => continue,
        };
        let is_steady = vars(f, bound).is_some_and(|vars| vars.is_disjoint(changing));
        if is_steady && is_index(f, index) && f.ty(bound, 64).is_int() {
            bounds.push(Bound { index, bound, more, at });
        }
    }
    bounds
}

/// Where they start: constants that are assigned.
fn starts(f: &mut Function) -> Vec<Bound> {
    let mut starts = Vec::new();
    for (at, data) in &f.blocks {
        for cmd in &data.cmds {
            if let CmdKind::Assign(var, value) = cmd.kind
                && matches!(f.exprs[value], ExprData::Const(Type::Int(_), _))
            {
                starts.push((var, value, at));
            }
        }
    }
    let bound = |(var, bound, at)| Bound { index: f.exprs.push(ExprData::Var(var)), bound, more: 0, at };
    starts.into_iter().map(bound).collect()
}

/// A variable, perhaps converted.
fn is_index(f: &Function, expr: Expr) -> bool {
    match f.exprs[expr] {
        ExprData::Var(_) => true,
        ExprData::Cast(CastOp::SignExtend | CastOp::ZeroExtend, _, of) => is_index(f, of),
        _ => false,
    }
}

fn is_same(f: &Function, a: Expr, b: Expr) -> bool {
    match (f.exprs[a], f.exprs[b]) {
        (ExprData::Cast(op_a, ty_a, a), ExprData::Cast(op_b, ty_b, b)) => {
            (op_a, ty_a) == (op_b, ty_b) && is_same(f, a, b)
        }
        (ExprData::Var(a), ExprData::Var(b)) => a == b,
        _ => false,
    }
}

fn contains(f: &Function, expr: Expr, part: Expr) -> bool {
    is_same(f, expr, part) || f.exprs[expr].operands().iter().any(|&operand| contains(f, operand, part))
}

/// `None` if the expression looks at anything else than variables.
fn vars(f: &Function, root: Expr) -> Option<BTreeSet<Var>> {
    let mut found = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(expr) = stack.pop() {
        match f.exprs[expr] {
            ExprData::Var(var) => {
                found.insert(var);
            }
            ExprData::Const(..) | ExprData::Cast(..) | ExprData::Binary(..) | ExprData::Unary(..) => {}
            _ => return None,
        }
        stack.extend(f.exprs[expr].operands());
    }
    Some(found)
}

fn constant(unit: &Unit, f: &Function, expr: Expr) -> Option<u128> {
    let bits = unit.target.pointer_bits;
    match f.exprs[expr] {
        ExprData::Const(_, value) => Some(value),
        ExprData::Cast(op, to, a) => eval::cast(op, f.ty(a, bits), to, constant(unit, f, a)?, bits),
        ExprData::Binary(op, a, b) => {
            eval::binary(op, f.ty(a, bits), constant(unit, f, a)?, constant(unit, f, b)?, bits)
        }
        _ => None,
    }
}

/// The last index as C writes it: `n - 1`.
fn text(unit: &Unit, f: &Function, bound: Bound) -> Option<String> {
    let (mut expr, mut more) = (bound.bound, i128::from(bound.more));
    loop {
        match f.exprs[expr] {
            ExprData::Cast(CastOp::SignExtend | CastOp::ZeroExtend, _, of) => expr = of,
            ExprData::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let value = eval::signed(constant(unit, f, b)?, f.ty(b, 64).bits(64));
                more += if op == BinaryOp::Add { value } else { -value };
                expr = a;
            }
            ExprData::Var(var) if f.vars[var].written_by_user => {
                let name = f.vars[var].name.split('.').next().unwrap_or_default();
                return Some(match more {
                    0 => name.to_owned(),
                    1.. => format!("{name} + {more}"),
                    _ => format!("{name} - {}", -more),
                });
            }
            _ => return None,
        }
    }
}
