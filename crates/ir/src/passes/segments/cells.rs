//! Places in memory whose contents become part of a loop's state: those that the loop, or code after it, reads at an
//! address that does not change in the loop. Their contents at the start and end of a piece are observed by a load, so
//! the encoder alone decides which writes may alias them.

use super::Cut;
use crate::gc::{
    Access, BinaryOp, Block, Call, CallBase, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Object, Unit,
    Var, VarData, VarKind,
};
use crate::limits::{LARGEST_ADDRESS, MOST_LOOP_CELLS};
use crate::passes::cut_loops::base;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Stands for the contents.
    pub var: Var,
    pub addr: Expr,
    pub access: Access,
}

/// For each cut. The new variables are added to the function.
pub(super) fn cells(
    unit: &Unit,
    f: &mut Function,
    cuts: &[Cut],
    exposed: &BTreeSet<Object>,
) -> Vec<Vec<Cell>> {
    let mut vars: BTreeMap<(String, Type), Var> = BTreeMap::new();
    cuts.iter().map(|cut| of_cut(unit, f, cut, exposed, &mut vars)).collect()
}

fn of_cut(
    unit: &Unit,
    f: &mut Function,
    cut: &Cut,
    exposed: &BTreeSet<Object>,
    vars: &mut BTreeMap<(String, Type), Var>,
) -> Vec<Cell> {
    let cmds = || cut.members.iter().flat_map(|&block| &f.blocks[block].cmds);
    let assigned: BTreeSet<Var> = cmds().filter_map(|cmd| cmd.assigned()).collect();
    let mut found: Vec<(String, Expr, Access)> = Vec::new();
    for block in reachable(f, cut.head) {
        for cmd in &f.blocks[block].cmds {
            let CmdKind::Load { addr, access, .. } = cmd.kind else { continue };
            let Some(address) = Address::of(f, addr) else { continue };
            let is_steady = address.vars.iter().all(|var| cut.state.contains(var) && !assigned.contains(var));
            let is_private = address.base.is_some_and(|object| !exposed.contains(&object));
            let is_value = !access.volatile && !matches!(access.ty, Type::Float(_));
            let is_known = found.iter().any(|(key, _, other)| *key == address.key && other.ty == access.ty);
            let is_clobbered = |cmd: &Cmd| match &cmd.kind {
                CmdKind::Clobber(Clobber::Escaped) => !is_private,
                CmdKind::Call(call) => may_write(unit, f, call, addr, access, is_private),
                _ => false,
            };
            if is_steady
                && is_value
                && !is_known
                && found.len() < MOST_LOOP_CELLS
                && !cmds().any(is_clobbered)
            {
                found.push((address.key, addr, access));
            }
        }
    }
    let mut cells = Vec::new();
    for (key, addr, access) in found {
        let var = *vars.entry((key, access.ty)).or_insert_with(|| {
            let name = name(unit, f, addr, access);
            let kind = if name.is_some() { VarKind::Source } else { VarKind::Temp };
            let name = name.filter(|name| f.vars.values().all(|var| var.name != *name));
            let name = name.unwrap_or_else(|| format!("cell {}", f.vars.len()));
            f.vars.push(VarData { name, ty: access.ty, kind })
        });
        cells.push(Cell { var, addr, access });
    }
    cells
}

/// A private object can be written by a call only if the call gets its address.
fn may_write(unit: &Unit, f: &Function, call: &Call, addr: Expr, access: Access, is_private: bool) -> bool {
    let there = f.exprs[base(f, addr)];
    let is_known = || !is_private || call.args.iter().any(|&arg| f.exprs[base(f, arg)] == there);
    let Some(writes) = &call.writes else { return is_known() };
    let is_object = |data| matches!(data, ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_));
    writes.iter().any(|write| {
        let written = match write.base {
            CallBase::Argument(i) => call.args.get(i as usize).map(|&arg| f.exprs[base(f, arg)]),
            CallBase::Symbol(symbol) => Some(ExprData::SymbolAddr(symbol)),
            CallBase::Errno | CallBase::Anywhere | CallBase::Outside => None,
        };
        let meets = match written {
            _ if write.base == CallBase::Errno => !is_private,
            Some(written) if is_object(written) && is_object(there) => written == there,
            Some(_) => !is_private,
            None => is_known(),
        };
        meets && !unit.classes[write.class].is_apart(&unit.classes[access.class])
    })
}

fn reachable(f: &Function, from: Block) -> BTreeSet<Block> {
    let mut seen = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        for &target in f.blocks[block].next.targets() {
            if seen.insert(target) {
                stack.push(target);
            }
        }
    }
    seen
}

/// What an address is made of.
struct Address {
    /// Equal for equal expressions.
    key: String,
    vars: BTreeSet<Var>,
    base: Option<Object>,
}

impl Address {
    fn of(f: &Function, addr: Expr) -> Option<Address> {
        let mut address = Address { key: String::new(), vars: BTreeSet::new(), base: None };
        let mut stack = vec![addr];
        let mut size = 0;
        while let Some(expr) = stack.pop() {
            size += 1;
            let data = f.exprs[expr];
            let name = match data {
                ExprData::Const(..) | ExprData::SymbolAddr(_) => format!("{data:?}"),
                ExprData::ObjectAddr(object) => {
                    address.base = Some(object);
                    format!("{data:?}")
                }
                ExprData::Var(var) => {
                    address.vars.insert(var);
                    format!("{var}")
                }
                ExprData::Unary(op, _) => format!("{op:?}"),
                ExprData::Cast(op, ty, _) => format!("{op:?} {ty:?}"),
                ExprData::Binary(op, ..) => format!("{op:?}"),
                ExprData::Ite(..) => "ite".to_owned(),
                ExprData::Initialised(_) | ExprData::Valid(..) | ExprData::Freeable(_) => return None,
            };
            address.key.push_str(&name);
            address.key.push(' ');
            stack.extend(data.operands());
            if size > LARGEST_ADDRESS {
                return None;
            }
        }
        Some(address)
    }
}

/// As C writes it, where that is simple.
fn name(unit: &Unit, f: &Function, addr: Expr, access: Access) -> Option<String> {
    let mut base = addr;
    let mut is_shifted = false;
    while let ExprData::Binary(BinaryOp::PtrAdd, pointer, _) = f.exprs[base] {
        base = pointer;
        is_shifted = true;
    }
    let field = unit.classes[access.class].field.as_ref().map(|field| field.name.as_str());
    let (name, is_pointer) = match f.exprs[base] {
        ExprData::Var(var) if f.vars[var].is_written_by_user() => (f.vars[var].name.as_str(), true),
        ExprData::SymbolAddr(symbol) => (unit.symbols[symbol].name.as_str(), false),
        ExprData::ObjectAddr(object) if f.objects[object].written_by_user => {
            (f.objects[object].name.as_str(), false)
        }
        _ => return None,
    };
    match (field, is_pointer, is_shifted) {
        (Some(field), true, _) => Some(format!("{name}->{field}")),
        (Some(field), false, _) => Some(format!("{name}.{field}")),
        (None, true, false) => Some(format!("*{name}")),
        (None, false, false) => Some(name.to_owned()),
        (None, _, true) => None,
    }
}
