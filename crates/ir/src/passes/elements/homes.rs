//! Arrays whose address never escapes: local objects, and fresh memory whose only pointers are local variables.

use crate::gc::{BinaryOp, Block, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Unit, Var, VarKind};
use crate::passes::cut_loops::Exposed;
use crate::passes::places::{self, Index, Offset, Root};
use crate::passes::segments::Cut;
use crate::types::Type;
use std::collections::BTreeSet;

/// An array whose every write is seen.
#[derive(Clone, Debug)]
pub(super) struct Home {
    /// As in the source.
    pub(super) name: String,
    /// The object, or all variables that point to the array.
    pub(super) roots: BTreeSet<Root>,
    /// Of the elements.
    pub(super) ty: Type,
    pub(super) bytes: u64,
    /// In bytes, if that is a constant.
    pub(super) size: Option<u64>,
    /// What is read, and where.
    pub(super) reads: Vec<(Block, Index)>,
    /// Its elements are not initialised when its lifetime begins.
    pub(super) is_unset: bool,
    /// The command that makes it, which runs at most once for fresh memory.
    birth: (Block, usize),
}

impl Home {
    pub(super) fn holds(&self, f: &Function, addr: Expr) -> bool {
        places::root(f, addr).is_some_and(|root| self.roots.contains(&root))
    }

    /// Where an address that is always the same is, in bytes from the start.
    pub(super) fn start(&self, f: &Function, addr: Expr) -> Option<u64> {
        let place = places::place(f, addr).filter(|place| self.roots.contains(&place.root))?;
        match place.offset {
            Offset::Constant(offset) => Some(offset),
            Offset::Sum(..) => None,
        }
    }

    /// The element that an address leads to.
    pub(super) fn index(&self, f: &Function, addr: Expr) -> Option<Index> {
        let place = places::place(f, addr).filter(|place| self.roots.contains(&place.root))?;
        places::index(f, &place.offset, self.bytes)
    }

    pub(super) fn is_born(&self, kind: &CmdKind) -> bool {
        match kind {
            CmdKind::EnterObject(object) => self.roots.contains(&Root::Object(*object)),
            CmdKind::Allocate { dst, .. } | CmdKind::Alloca { dst, .. } => {
                self.roots.contains(&Root::Var(*dst))
            }
            _ => false,
        }
    }

    /// Is it written as a whole, or by something that is not followed?
    pub(super) fn is_filled(&self, f: &Function, kind: &CmdKind) -> bool {
        match kind {
            CmdKind::Fill { dst, .. } | CmdKind::Copy { dst, .. } => self.holds(f, *dst),
            CmdKind::Clobber(Clobber::Range { addr, .. }) => self.holds(f, *addr),
            _ => false,
        }
    }

    /// What follows its making in the same block.
    pub(super) fn initialiser<'a>(&self, f: &'a Function) -> &'a [Cmd] {
        let (block, index) = self.birth;
        &f.blocks[block].cmds[index + 1..]
    }
}

pub(super) fn homes(unit: &Unit, f: &Function, cuts: &[Cut]) -> Vec<Home> {
    let cmds = || f.blocks.values().flat_map(|data| &data.cmds);
    let has_read = cmds().any(|cmd| matches!(cmd.kind, CmdKind::Load { .. }));
    if !has_read || cmds().any(|cmd| matches!(cmd.kind, CmdKind::Clobber(Clobber::Classes(_)))) {
        return Vec::new();
    }
    let mut exposed: BTreeSet<_> = Exposed::new(f).objects().collect();
    // A callee that gets the address may read and write there, even if it does not keep the address.
    for cmd in cmds() {
        if let CmdKind::Call(call) = &cmd.kind {
            exposed.extend(call.args.iter().filter_map(|&arg| match places::root(f, arg) {
                Some(Root::Object(object)) => Some(object),
                _ => None,
            }));
        }
    }
    let is_repeated = |block: Block| cuts.iter().any(|cut| cut.members.contains(&block));
    let mut homes = Vec::new();
    for (block, data) in &f.blocks {
        for (index, cmd) in data.cmds.iter().enumerate() {
            let (roots, name, size, is_unset) = match cmd.kind {
                CmdKind::EnterObject(object) if !exposed.contains(&object) => {
                    let data = &f.objects[object];
                    let name = data.written_by_user.then(|| data.name.clone());
                    (BTreeSet::from([Root::Object(object)]), name, Some(data.size), true)
                }
                CmdKind::Allocate { dst, size, .. } | CmdKind::Alloca { dst, size }
                    if !is_repeated(block) =>
                {
                    let Some(pointers) = only_pointers(f, dst) else { continue };
                    // An array of variable length is not a variable for C, but has a name.
                    let has_name = |var: &&Var| {
                        let data = &f.vars[**var];
                        data.is_written_by_user() || data.kind == VarKind::VariableArray
                    };
                    let name = pointers.iter().find(has_name).map(|&var| f.vars[var].name.clone());
                    let size = match f.exprs[size] {
                        ExprData::Const(_, size) => u64::try_from(size).ok(),
                        _ => None,
                    };
                    let is_unset = !matches!(cmd.kind, CmdKind::Allocate { unset: false, .. });
                    (pointers.into_iter().map(Root::Var).collect(), name, size, is_unset)
                }
                _ => continue,
            };
            let Some(name) = name else { continue };
            let Some((ty, reads)) = elements(unit, f, &roots) else { continue };
            let bytes = ty.bytes(unit.target.pointer_bits);
            homes.push(Home { name, roots, ty, bytes, size, reads, is_unset, birth: (block, index) });
        }
    }
    // Objects that are entered at two places are not followed.
    let all: Vec<BTreeSet<Root>> = homes.iter().map(|home| home.roots.clone()).collect();
    homes.retain(|home| all.iter().filter(|roots| !roots.is_disjoint(&home.roots)).count() == 1);
    homes
}

/// The variables that hold the fresh address, if nothing else ever does and they hold nothing else but NULL.
fn only_pointers(f: &Function, fresh: Var) -> Option<BTreeSet<Var>> {
    let cmds = || f.blocks.values().flat_map(|data| &data.cmds);
    let mut pointers = BTreeSet::from([fresh]);
    loop {
        let before = pointers.len();
        for cmd in cmds() {
            if let CmdKind::Assign(var, value) = cmd.kind
                && matches!(f.exprs[value], ExprData::Var(of) if pointers.contains(&of))
            {
                pointers.insert(var);
            }
        }
        if pointers.len() == before {
            break;
        }
    }
    if f.params.iter().any(|param| pointers.contains(param)) {
        return None;
    }
    let mut births = 0;
    for cmd in cmds() {
        if cmd.assigned().is_some_and(|var| pointers.contains(&var)) {
            match cmd.kind {
                CmdKind::Enter(_) => {}
                CmdKind::Allocate { .. } | CmdKind::Alloca { .. } => births += 1,
                CmdKind::Assign(_, value) => match f.exprs[value] {
                    ExprData::Const(_, 0) => {}
                    ExprData::Var(of) if pointers.contains(&of) => continue,
                    _ => return None,
                },
                _ => return None,
            }
        }
        if gives_away(f, &pointers, cmd) {
            return None;
        }
    }
    // To return the pointer gives it away when nothing here reads or writes any more.
    (births == 1).then_some(pointers)
}

/// Does the command do more with the pointers than access what they point to, compare or free it?
fn gives_away(f: &Function, pointers: &BTreeSet<Var>, cmd: &Cmd) -> bool {
    let offsets = |addr: Expr| -> Vec<Expr> {
        let mut rest = Vec::new();
        let mut addr = addr;
        while let ExprData::Binary(BinaryOp::PtrAdd, pointer, offset) = f.exprs[addr] {
            rest.push(offset);
            addr = pointer;
        }
        if !matches!(f.exprs[addr], ExprData::Var(_)) {
            rest.push(addr);
        }
        rest
    };
    let mut stack: Vec<Expr> = match &cmd.kind {
        CmdKind::Assume(_) | CmdKind::Assert(..) => Vec::new(),
        CmdKind::Load { addr, .. } | CmdKind::Free(addr) => offsets(*addr),
        CmdKind::Store { addr, value, .. } => offsets(*addr).into_iter().chain([*value]).collect(),
        CmdKind::Fill { dst, .. } => offsets(*dst),
        CmdKind::Copy { dst, src, .. } => offsets(*dst).into_iter().chain(offsets(*src)).collect(),
        CmdKind::Clobber(Clobber::Range { addr, .. }) => offsets(*addr),
        _ => cmd.exprs().to_vec(),
    };
    while let Some(expr) = stack.pop() {
        match f.exprs[expr] {
            ExprData::Var(var) if pointers.contains(&var) => return true,
            ExprData::Binary(op, ..) if op.is_comparison() => {}
            _ => stack.extend(f.exprs[expr].operands()),
        }
    }
    false
}

/// The type of the elements and the addresses of reads, if all accesses are to whole elements that C forbids to read
/// before they are written. Bytes may be read at any time, and to write a bit-field is to read its neighbours.
fn elements(unit: &Unit, f: &Function, roots: &BTreeSet<Root>) -> Option<(Type, Vec<(Block, Index)>)> {
    let mut ty = None;
    let mut reads = Vec::new();
    let cmds = f.blocks.iter().flat_map(|(block, data)| data.cmds.iter().map(move |cmd| (block, cmd)));
    for (block, cmd) in cmds {
        let (CmdKind::Load { addr, access, .. } | CmdKind::Store { addr, access, .. }) = &cmd.kind else {
            continue;
        };
        let Some(place) = places::place(f, *addr).filter(|place| roots.contains(&place.root)) else {
            continue;
        };
        let bytes = access.ty.bytes(unit.target.pointer_bits);
        let class = &unit.classes[access.class];
        let is_element = class.ty.is_some() && class.field.is_none() && !access.volatile;
        if !is_element || bytes < 2 || !bytes.is_power_of_two() {
            return None;
        }
        let index = places::index(f, &place.offset, bytes)?;
        if *ty.get_or_insert(access.ty) != access.ty {
            return None;
        }
        if matches!(cmd.kind, CmdKind::Load { .. }) {
            reads.push((block, index));
        }
    }
    (!reads.is_empty()).then_some((ty?, reads))
}
