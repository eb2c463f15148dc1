//! Takes a function with loops apart into acyclic pieces: from the entry, and from the head of every loop, to wherever
//! the next head or an end is reached (large blocks; Horn clauses with loops, section 4).
//!
//! A piece is a function of its own that starts with every variable and all memory unknown. The variables that can
//! matter where a piece begins and ends are *observed* there by assumptions that always hold (`v == v`): they survive
//! every pass, and the encoder has a value for them.

mod cells;
mod live;

pub use cells::Cell;

use crate::gc::{
    BinaryOp, Block, BlockData, CastOp, Cmd, CmdKind, Expr, ExprData, Function, Loc, Next, Object, Unit, Var,
};
use crate::graph::{self, Scratch};
use crate::passes::cut_loops::{Exposed, is_never_taken};
use crate::types::Type;
use cranelift_entity::{EntityRef, PrimaryMap};
use std::collections::{BTreeMap, BTreeSet};

/// A loop head: without it, the cycles through it are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub head: Block,
    /// The variables whose values here can matter to what follows, those of `cells` last.
    pub state: Vec<Var>,
    /// Places in memory whose contents can matter.
    pub cells: Vec<Cell>,
    /// The loop, as blocks of the function.
    pub members: BTreeSet<Block>,
    /// The loop has no exit: it is meant to run forever, and reaching its head again is an acceptable end.
    pub is_meant_to_stay: bool,
}

/// An acyclic piece of the function.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Which cut it starts from; `None` for the function's entry.
    pub from: Option<usize>,
    pub f: Function,
    /// For each cut that it leads to, the block where it ends. Nothing else ends in error there.
    pub ends: Vec<(usize, Block)>,
    /// The copy of each block of the function that the piece passes.
    pub copies: BTreeMap<Block, Block>,
}

#[derive(Clone, Debug)]
pub struct Segments {
    /// The function with variables for the cells.
    pub f: Function,
    pub cuts: Vec<Cut>,
    pub segments: Vec<Segment>,
}

/// `first` are commands before the first block; see [`super::explicit_flags`], which must have run.
pub fn segments(unit: &Unit, f: &Function, first: &[Cmd]) -> Segments {
    let mut f = f.clone();
    let mut cuts = heads(&f);
    let exposed = exposed_objects(&f);
    let at_cuts = cuts.iter().map(|cut| (cut.head, false)).collect();
    let live = live::live(&f, &at_cuts);
    for cut in &mut cuts {
        cut.state = live[cut.head].clone();
    }
    let cells = cells::cells(unit, &mut f, &cuts, &exposed);
    let at_cuts = cuts.iter().zip(&cells).map(|(cut, cells)| (cut.head, !cells.is_empty())).collect();
    let live = live::live(&f, &at_cuts);
    for (cut, cells) in cuts.iter_mut().zip(cells) {
        cut.state = live[cut.head].clone();
        cut.state.extend(cells.iter().map(|cell| cell.var));
        cut.cells = cells;
    }
    let froms = std::iter::once(None).chain((0..cuts.len()).map(Some));
    let segments = froms.map(|from| segment(unit, &f, first, &cuts, &exposed, from)).collect();
    Segments { f, cuts, segments }
}

/// Objects that a pointer from another piece may point to. Converting an address to a number exposes its object, too.
fn exposed_objects(f: &Function) -> BTreeSet<Object> {
    let mut exposed: BTreeSet<Object> = Exposed::new(f).objects().collect();
    let mut stack: Vec<Expr> = Vec::new();
    for data in f.exprs.values() {
        if let ExprData::Cast(CastOp::PtrToInt, _, of) = *data {
            stack.push(of);
        }
    }
    while let Some(expr) = stack.pop() {
        if let ExprData::ObjectAddr(object) = f.exprs[expr] {
            exposed.insert(object);
        }
        stack.extend(f.exprs[expr].operands());
    }
    exposed
}

/// The places to cut a function at, without what is to be known there: heads of the cyclic components, then of what is
/// cyclic within them without their heads.
pub fn heads(f: &Function) -> Vec<Cut> {
    let mut successors = f.successors();
    let all = successors.clone();
    let region = graph::reverse_postorder(&successors);
    let position = graph::positions(&region);
    let mut cuts = Vec::new();
    let mut scratch = Scratch::default();
    let mut regions = vec![region];
    while let Some(region) = regions.pop() {
        for component in graph::cycles(&successors, &region, &mut scratch) {
            // The first in this order is entered from outside, or is the function's entry.
            let Some(&head) = component.iter().min_by_key(|&&block| position[block]) else {
                continue;
            };
            let members: BTreeSet<Block> = component.iter().copied().collect();
            let mut exits = component
                .iter()
                .flat_map(|&block| &all[block])
                .copied()
                .filter(|target| !members.contains(target));
            let is_meant_to_stay = exits.all(|exit| is_never_taken(f, exit));
            for &block in &component {
                successors[block].retain(|target| *target != head);
            }
            let (state, cells) = (Vec::new(), Vec::new());
            cuts.push(Cut { head, state, cells, members, is_meant_to_stay });
            regions.push(component);
        }
    }
    cuts.sort_by_key(|cut| position[cut.head]);
    cuts
}

fn segment(
    unit: &Unit,
    f: &Function,
    first: &[Cmd],
    cuts: &[Cut],
    exposed: &BTreeSet<Object>,
    from: Option<usize>,
) -> Segment {
    let cut_at: BTreeMap<Block, usize> = cuts.iter().enumerate().map(|(i, cut)| (cut.head, i)).collect();
    let entry = Block::new(0);
    let start = from.map_or(entry, |cut| cuts[cut].head);
    let mut piece = Function { blocks: PrimaryMap::new(), ..f.clone() };
    let loc = f.blocks[start].cmds.first().map_or(Loc::new(0), |cmd| cmd.loc);
    let mut cmds = expose(unit, &mut piece, exposed, loc);
    match from {
        None => cmds.extend(first.iter().cloned()),
        Some(cut) => cmds.extend(observe(&mut piece, &cuts[cut], loc)),
    }
    piece.blocks.push(BlockData { branch: None, cmds, next: Next::Raise });
    let mut copies = BTreeMap::new();
    let mut ends: BTreeMap<usize, Block> = BTreeMap::new();
    let mut order = Vec::new();
    if from.is_some() || !cut_at.contains_key(&start) {
        copies.insert(start, piece.blocks.push(f.blocks[start].clone()));
        order.push(start);
    }
    let mut done = 0;
    while let Some(&block) = order.get(done) {
        done += 1;
        for &target in f.blocks[block].next.targets() {
            if !cut_at.contains_key(&target) && !copies.contains_key(&target) {
                copies.insert(target, piece.blocks.push(f.blocks[target].clone()));
                order.push(target);
            }
        }
    }
    let mut lead = |piece: &mut Function, target: Block| match cut_at.get(&target) {
        Some(&cut) => *ends.entry(cut).or_insert_with(|| {
            let cmds = observe(piece, &cuts[cut], loc);
            piece.blocks.push(BlockData { branch: None, cmds, next: Next::Error })
        }),
        None => copies[&target],
    };
    let first_block = match copies.get(&start) {
        Some(&copy) => copy,
        None => lead(&mut piece, start),
    };
    piece.blocks[entry].next = Next::Goto([first_block].into_iter().collect());
    for &block in &order {
        let Next::Goto(targets) = &f.blocks[block].next else { continue };
        let mut led: smallvec::SmallVec<[Block; 2]> = smallvec::SmallVec::new();
        for &target in targets {
            let target = lead(&mut piece, target);
            if !led.contains(&target) {
                led.push(target);
            }
        }
        piece.blocks[copies[&block]].next = Next::Goto(led);
    }
    Segment { from, f: piece, ends: ends.into_iter().collect(), copies }
}

/// Assumptions that always hold and read the variables; as many as there are, last.
fn observe(f: &mut Function, cut: &Cut, loc: Loc) -> Vec<Cmd> {
    let load = |cell: &Cell| CmdKind::Load { dst: cell.var, addr: cell.addr, access: cell.access };
    let mut cmds: Vec<Cmd> = cut.cells.iter().map(|cell| Cmd { kind: load(cell), loc }).collect();
    for &var in &cut.state {
        let value = f.exprs.push(ExprData::Var(var));
        cmds.push(always(f, value, loc));
    }
    cmds
}

fn always(f: &mut Function, value: Expr, loc: Loc) -> Cmd {
    let equal = f.exprs.push(ExprData::Binary(BinaryOp::Eq, value, value));
    Cmd { kind: CmdKind::Assume(equal), loc }
}

/// An unknown pointer at the start of the piece may hold any address that another piece gave away: the encoder is shown
/// that these addresses are known elsewhere.
fn expose(unit: &Unit, f: &mut Function, exposed: &BTreeSet<Object>, loc: Loc) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    for &object in exposed {
        let address = f.exprs.push(ExprData::ObjectAddr(object));
        let number =
            f.exprs.push(ExprData::Cast(CastOp::PtrToInt, Type::Int(unit.target.pointer_bits), address));
        cmds.push(always(f, number, loc));
    }
    cmds
}
