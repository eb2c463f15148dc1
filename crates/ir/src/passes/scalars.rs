//! Replaces small local arrays and records whose address does not escape by variables, one for each element or member, so
//! that their contents become part of a loop's state.
//!
//! A load at an unknown index becomes an if-then-else over the elements; a store there writes each element under a
//! condition.

use crate::gc::{
    Access, BinaryOp, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Loc, Object, Unit, Var, VarData,
    VarKind,
};
use crate::limits::MOST_OBJECT_CELLS;
use crate::passes::cut_loops::Exposed;
use crate::passes::places::{self, Offset, Root};
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// A place in an object that becomes a variable.
#[derive(Clone, Debug)]
struct Cell {
    offset: u64,
    ty: Type,
    var: Option<Var>,
}

/// Where an access goes: bytes from the start of an object.
struct ObjectPlace {
    object: Object,
    offset: Offset,
}

pub fn scalars(unit: &Unit, mut f: Function) -> Function {
    let mut objects = candidates(unit, &f);
    for (object, cells) in &mut objects {
        let data = &f.objects[*object];
        let is_array = cells.windows(2).all(|pair| pair[0].ty == pair[1].ty) && cells.len() > 1;
        for (index, cell) in cells.iter_mut().enumerate() {
            let name = match cells_name(unit, &f, *object, cell.offset) {
                Some(member) => format!("{}.{member}", data.name),
                None if is_array => format!("{}[{index}]", data.name),
                None => format!("{} at {}", data.name, cell.offset),
            };
            let is_taken = f.vars.values().any(|var| var.name == name);
            let name = if is_taken { format!("{name} at {}", cell.offset) } else { name };
            let kind = if data.written_by_user { VarKind::Source } else { VarKind::Temp };
            cell.var = Some(f.vars.push(VarData { name, ty: cell.ty, kind }));
        }
    }
    if objects.is_empty() {
        return f;
    }
    for block in f.blocks.keys().collect::<Vec<_>>() {
        let cmds = std::mem::take(&mut f.blocks[block].cmds);
        let mut rewritten = Vec::with_capacity(cmds.len());
        for cmd in cmds {
            rewrite(unit, &mut f, &objects, cmd, &mut rewritten);
        }
        f.blocks[block].cmds = rewritten;
    }
    f
}

/// The member at an offset, if every access there is a member access of one name.
fn cells_name(unit: &Unit, f: &Function, object: Object, offset: u64) -> Option<String> {
    let mut names = BTreeSet::new();
    for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
        let (CmdKind::Load { addr, access, .. } | CmdKind::Store { addr, access, .. }) = &cmd.kind else {
            continue;
        };
        let is_there = place(f, *addr).is_some_and(|place| {
            place.object == object && matches!(place.offset, Offset::Constant(at) if at == offset)
        });
        if is_there {
            names.insert(unit.classes[access.class].field.as_ref().map(|field| field.name.clone()));
        }
    }
    if names.len() == 1 { names.into_iter().next().flatten() } else { None }
}

/// Objects that can be split into cells, with the cells in order.
fn candidates(unit: &Unit, f: &Function) -> BTreeMap<Object, Vec<Cell>> {
    let exposed: BTreeSet<Object> = Exposed::new(f).objects().collect();
    let mut cells: BTreeMap<Object, BTreeSet<(u64, Type)>> = BTreeMap::new();
    let mut indexed: BTreeMap<Object, BTreeSet<Type>> = BTreeMap::new();
    let mut unfit: BTreeSet<Object> = exposed;
    for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
        match &cmd.kind {
            CmdKind::Load { addr, access, .. } | CmdKind::Store { addr, access, .. } => {
                let Some(place) = place(f, *addr) else {
                    unfit.extend(base(f, *addr));
                    continue;
                };
                let bytes = access.ty.bytes(unit.target.pointer_bits);
                match place.offset {
                    _ if access.volatile => {
                        unfit.insert(place.object);
                    }
                    Offset::Constant(offset) => {
                        cells.entry(place.object).or_default().insert((offset, access.ty));
                    }
                    Offset::Sum(_, step) if bytes.is_power_of_two() && step >= bytes => {
                        indexed.entry(place.object).or_default().insert(access.ty);
                    }
                    Offset::Sum(..) => {
                        unfit.insert(place.object);
                    }
                }
            }
            CmdKind::Fill { dst, byte, len } => {
                let is_whole = match place(f, *dst) {
                    Some(ObjectPlace { object, offset: Offset::Constant(0) }) => {
                        matches!(f.exprs[*len], ExprData::Const(_, len) if len == u128::from(f.objects[object].size))
                            && matches!(f.exprs[*byte], ExprData::Const(..))
                    }
                    _ => false,
                };
                if !is_whole {
                    unfit.extend(base(f, *dst));
                }
            }
            // A callee that gets the address may read and write there, even if it does not keep the address.
            CmdKind::Call(call) => unfit.extend(call.args.iter().filter_map(|&arg| base(f, arg))),
            CmdKind::Copy { dst, src, .. } => unfit.extend(base(f, *dst).into_iter().chain(base(f, *src))),
            CmdKind::Clobber(Clobber::Range { addr, .. }) => unfit.extend(base(f, *addr)),
            CmdKind::Clobber(Clobber::Classes(_)) => return BTreeMap::new(),
            _ => {}
        }
    }
    let mut result = BTreeMap::new();
    for (object, data) in &f.objects {
        if unfit.contains(&object) {
            continue;
        }
        let mut of_object = cells.remove(&object).unwrap_or_default();
        if let Some(types) = indexed.get(&object) {
            let Some(&ty) = types.first() else { continue };
            let bytes = ty.bytes(unit.target.pointer_bits);
            if types.len() > 1 || data.size % bytes != 0 || data.size / bytes > MOST_OBJECT_CELLS {
                continue;
            }
            of_object.extend((0..data.size / bytes).map(|index| (index * bytes, ty)));
        }
        let of_object: Vec<(u64, Type)> = of_object.into_iter().collect();
        let is_inside =
            |&(offset, ty): &(u64, Type)| offset + ty.bytes(unit.target.pointer_bits) <= data.size;
        let are_apart = of_object
            .windows(2)
            .all(|pair| pair[0].0 + pair[0].1.bytes(unit.target.pointer_bits) <= pair[1].0);
        let fits = (1..=MOST_OBJECT_CELLS as usize).contains(&of_object.len());
        if fits && are_apart && of_object.iter().all(is_inside) {
            let cell = |(offset, ty)| Cell { offset, ty, var: None };
            result.insert(object, of_object.into_iter().map(cell).collect());
        }
    }
    result
}

/// The object that an address is in.
fn base(f: &Function, addr: Expr) -> Option<Object> {
    match places::root(f, addr)? {
        Root::Object(object) => Some(object),
        Root::Var(_) => None,
    }
}

/// `None` where it is no place in a local object.
fn place(f: &Function, addr: Expr) -> Option<ObjectPlace> {
    let object = base(f, addr)?;
    Some(ObjectPlace { object, offset: places::place(f, addr)?.offset })
}

fn rewrite(
    unit: &Unit,
    f: &mut Function,
    objects: &BTreeMap<Object, Vec<Cell>>,
    cmd: Cmd,
    out: &mut Vec<Cmd>,
) {
    let loc = cmd.loc;
    let mut push = |kind: CmdKind| out.push(Cmd { kind, loc });
    match &cmd.kind {
        CmdKind::EnterObject(object) => {
            for cell in objects.get(object).into_iter().flatten() {
                cell.var.into_iter().for_each(|var| push(CmdKind::Havoc(var)));
            }
            push(cmd.kind);
        }
        CmdKind::Load { dst, addr, .. } => match cells_at(f, objects, *addr) {
            Some((cells, offset)) => load(unit, f, cells, offset, *dst, loc, out),
            None => push(cmd.kind),
        },
        CmdKind::Store { addr, value, access } => match cells_at(f, objects, *addr) {
            Some((cells, offset)) => store(unit, f, cells, offset, *value, *access, loc, out),
            None => push(cmd.kind),
        },
        CmdKind::Fill { dst, byte, .. } => match cells_at(f, objects, *dst) {
            Some((cells, _)) => {
                let byte = match f.exprs[*byte] {
                    ExprData::Const(_, byte) => byte & 0xff,
                    _ => 0,
                };
                for cell in cells {
                    let bytes = cell.ty.bytes(unit.target.pointer_bits);
                    let bits = (0..bytes.min(16)).fold(0u128, |value, _| value << 8 | byte);
                    let width = u32::from(cell.ty.bits(unit.target.pointer_bits));
                    let value = f.exprs.push(ExprData::Const(cell.ty, bits & (u128::MAX >> (128 - width))));
                    cell.var.into_iter().for_each(|var| push(CmdKind::Assign(var, value)));
                }
            }
            None => push(cmd.kind),
        },
        _ => push(cmd.kind),
    }
}

/// The cells of the object that an access goes to, and where it goes.
fn cells_at<'a>(
    f: &Function,
    objects: &'a BTreeMap<Object, Vec<Cell>>,
    addr: Expr,
) -> Option<(&'a [Cell], Offset)> {
    let place = place(f, addr)?;
    Some((objects.get(&place.object)?, place.offset))
}

fn load(
    unit: &Unit,
    f: &mut Function,
    cells: &[Cell],
    offset: Offset,
    dst: Var,
    loc: Loc,
    out: &mut Vec<Cmd>,
) {
    // Outside the object: any value.
    out.push(Cmd { kind: CmdKind::Havoc(dst), loc });
    let mut value = f.exprs.push(ExprData::Var(dst));
    for cell in cells.iter().rev() {
        let Some(var) = cell.var else { continue };
        match &offset {
            Offset::Constant(at) if *at == cell.offset => value = f.exprs.push(ExprData::Var(var)),
            Offset::Constant(_) => {}
            Offset::Sum(..) => {
                let is_it = is_at(unit, f, &offset, cell.offset);
                let held = f.exprs.push(ExprData::Var(var));
                value = f.exprs.push(ExprData::Ite(is_it, held, value));
            }
        }
    }
    out.push(Cmd { kind: CmdKind::Assign(dst, value), loc });
}

#[allow(clippy::too_many_arguments)]
fn store(
    unit: &Unit,
    f: &mut Function,
    cells: &[Cell],
    offset: Offset,
    value: Expr,
    access: Access,
    loc: Loc,
    out: &mut Vec<Cmd>,
) {
    for cell in cells.iter().filter(|cell| cell.ty == access.ty) {
        let Some(var) = cell.var else { continue };
        let value = match &offset {
            Offset::Constant(at) if *at == cell.offset => value,
            Offset::Constant(_) => continue,
            Offset::Sum(..) => {
                let is_it = is_at(unit, f, &offset, cell.offset);
                let held = f.exprs.push(ExprData::Var(var));
                f.exprs.push(ExprData::Ite(is_it, value, held))
            }
        };
        out.push(Cmd { kind: CmdKind::Assign(var, value), loc });
    }
}

fn is_at(unit: &Unit, f: &mut Function, offset: &Offset, cell: u64) -> Expr {
    let ty = Type::Int(unit.target.pointer_bits);
    let there = f.exprs.push(ExprData::Const(ty, u128::from(cell)));
    let sum = match offset {
        Offset::Constant(at) => f.exprs.push(ExprData::Const(ty, u128::from(*at))),
        Offset::Sum(terms, _) => {
            let mut terms = terms.iter().copied();
            let first = terms.next().unwrap_or(there);
            terms.fold(first, |sum, term| f.exprs.push(ExprData::Binary(BinaryOp::Add, sum, term)))
        }
    };
    f.exprs.push(ExprData::Binary(BinaryOp::Eq, sum, there))
}
