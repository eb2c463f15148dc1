//! Which elements of an array are worth following. A loop that reads an array goes from one end to the other: the last
//! and the first element that it reads are the ones that are forgotten.

use super::bounds::{Bound, bounds, constant, starts, text};
use super::homes::Home;
use crate::eval;
use crate::expr::vars_of;
use crate::gc::{BinaryOp, CmdKind, Expr, ExprData, Function, Unit, Var};
use crate::limits::MOST_ELEMENTS;
use crate::passes::places::Index;
use crate::passes::segments::Cut;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// One element, the same for as long as the array lives.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// An expression over variables that hardly change.
    pub(super) index: Expr,
    /// The same as a number.
    pub(super) constant: Option<i64>,
    /// When one of these changes, the element is another one.
    pub(super) vars: BTreeSet<Var>,
    /// `a[3]`, `m[n - 1]`
    pub(super) name: String,
}

pub(super) fn chosen(unit: &Unit, f: &mut Function, cuts: &[Cut], home: &Home) -> Vec<Chosen> {
    let changing: BTreeSet<Var> = cuts
        .iter()
        .flat_map(|cut| &cut.members)
        .flat_map(|&block| &f.blocks[block].cmds)
        .filter_map(|cmd| cmd.assigned())
        .collect();
    let ends = [bounds(f, &changing), starts(f)];
    let copies = copies(f);
    let mut found: Vec<Chosen> = Vec::new();
    for (block, index) in &home.reads {
        if index.terms.is_empty() {
            add(&mut found, at(unit, f, home, index.constant));
        }
        for bounds in &ends {
            // What the loop says that reads comes before what others say of the same variable.
            let is_near = |bound: &Bound| {
                cuts.iter().any(|cut| cut.members.contains(&bound.at) && cut.members.contains(block))
            };
            let mut bounds = bounds.clone();
            bounds.sort_by_key(|bound| !is_near(bound));
            for first in bounds.clone() {
                bounds.insert(0, first);
                let mut ends = Ends { bounds: &bounds, copies: &copies, used: Vec::new() };
                let one = ends.substituted(unit, f, home, index, &changing);
                let is_used = ends.used.iter().any(|used| is_same(f, used.index, first.index));
                one.filter(|_| is_used).into_iter().for_each(|one| add(&mut found, one));
                bounds.remove(0);
            }
        }
    }
    // Few enough to follow them all.
    if let Some(count) =
        home.size.map(|size| size / home.bytes).filter(|&count| count <= MOST_ELEMENTS as u64)
    {
        for index in 0..count {
            add(&mut found, at(unit, f, home, index as i64));
        }
    }
    let is_inside = |one: &Chosen| match (one.constant, home.size) {
        (Some(index), Some(size)) => (0..(size / home.bytes) as i64).contains(&index),
        (Some(index), None) => index >= 0,
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

fn at(unit: &Unit, f: &mut Function, home: &Home, index: i64) -> Chosen {
    let mask = eval::mask(unit.target.pointer_bits);
    let constant = ExprData::Const(Type::Int(unit.target.pointer_bits), index as u128 & mask);
    let name = format!("{}{}", home.name, indices(home, index));
    Chosen { index: f.exprs.push(constant), constant: Some(index), vars: BTreeSet::new(), name }
}

/// `[3]`, or `[1][0]` where the array is read as one of arrays.
fn indices(home: &Home, index: i64) -> String {
    let factors = home.reads.iter().flat_map(|(_, index)| &index.terms).map(|&(_, times)| times);
    let strides: BTreeSet<u64> = factors.chain([1]).collect();
    let strides: Vec<i64> = strides.into_iter().rev().filter_map(|stride| stride.try_into().ok()).collect();
    if strides.windows(2).any(|pair| pair[0] % pair[1] != 0) {
        return format!("[{index}]");
    }
    let mut rest = index;
    let mut text = String::new();
    for stride in strides {
        text.push_str(&format!("[{}]", rest / stride));
        rest %= stride;
    }
    text
}

/// Temporaries that are copies, as those of `a[i++]`.
fn copies(f: &Function) -> BTreeMap<Var, Expr> {
    let mut copies = BTreeMap::new();
    let mut others = BTreeSet::new();
    for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
        let Some(var) = cmd.assigned() else { continue };
        match cmd.kind {
            CmdKind::Assign(_, value)
                if matches!(f.exprs[value], ExprData::Var(_)) && !f.vars[var].is_written_by_user() =>
            {
                if copies.insert(var, value).is_some() {
                    others.insert(var);
                }
            }
            _ => {
                others.insert(var);
            }
        }
    }
    copies.retain(|var, _| !others.contains(var));
    copies
}

/// What indices end with.
struct Ends<'a> {
    bounds: &'a [Bound],
    copies: &'a BTreeMap<Var, Expr>,
    used: Vec<Bound>,
}

impl Ends<'_> {
    /// The element with every index at its end.
    fn substituted(
        &mut self,
        unit: &Unit,
        f: &mut Function,
        home: &Home,
        index: &Index,
        changing: &BTreeSet<Var>,
    ) -> Option<Chosen> {
        let mut last = Index { terms: Vec::new(), constant: index.constant };
        for &(term, times) in &index.terms {
            last.terms.push((self.substitute(f, term)?, times));
        }
        let last = last.expr(unit, f);
        if let Some(constant) = constant(unit, f, last) {
            return Some(at(unit, f, home, eval::signed(constant, unit.target.pointer_bits) as i64));
        }
        let vars = vars_of(f, last)?;
        let ([bound], [(_, 1)], 0) = (&self.used[..], &index.terms[..], index.constant) else { return None };
        if !vars.is_disjoint(changing) {
            return None;
        }
        let name = format!("{}[{}]", home.name, text(unit, f, *bound)?);
        Some(Chosen { index: last, constant: None, vars, name })
    }

    /// `None` if it does not fit; the same again where nothing is replaced.
    fn substitute(&mut self, f: &mut Function, expr: Expr) -> Option<Expr> {
        if let Some(bound) = self.bounds.iter().copied().find(|bound| is_same(f, bound.index, expr)) {
            self.used.push(bound);
            if bound.more == 0 {
                return Some(bound.bound);
            }
            let ty @ Type::Int(bits) = f.ty(bound.bound, 64) else { return None };
            let more = f.exprs.push(ExprData::Const(ty, bound.more as u128 & eval::mask(bits)));
            return Some(f.exprs.push(ExprData::Binary(BinaryOp::Add, bound.bound, more)));
        }
        let data = match f.exprs[expr] {
            ExprData::Var(var) if self.copies.contains_key(&var) => {
                return self.substitute(f, self.copies[&var]);
            }
            ExprData::Const(..) | ExprData::Var(_) => return Some(expr),
            ExprData::Cast(op, ty, a) => ExprData::Cast(op, ty, self.substitute(f, a)?),
            ExprData::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                ExprData::Binary(op, self.substitute(f, a)?, self.substitute(f, b)?)
            }
            _ => return None,
        };
        Some(f.exprs.push(data))
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
