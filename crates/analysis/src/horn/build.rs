//! From a function in guarded commands to the pieces of a Horn problem (horn-clauses-with-loops, section 4),
//! with large blocks between loop heads instead of single steps.

use cranelift_entity::SecondaryMap;
use gainsay_ir::gc::{self, Block};
use gainsay_ir::passes::segments::{Cut, Segment, heads};
use gainsay_ir::passes::{constant_float_loops, contents, explicit_flags, passify, scalars, segments};
use gainsay_ir::passive::{self, CmdKind, ExprData};
use gainsay_ir::types::{BOOL, Type};
use gainsay_solver::horn::{Argument, Piece, Point, Prover, Step, System};
use gainsay_term::{Sort, Term};
use gainsay_vc::{Options, Vc, encode_with};

/// One function and the edges to decide.
pub struct HornProblem {
    /// The function with small objects as variables.
    pub(super) whole: gc::Function,
    pub(super) edges: Vec<Block>,
    pub(super) segments: Vec<Segment>,
    /// The function with the variables that the passes added.
    pub(crate) f: gc::Function,
    /// The loop heads: the points of the system.
    pub cuts: Vec<Cut>,
    pub(super) prover: Prover,
}

impl HornProblem {
    pub fn new(unit: &gc::Unit, f: &gc::Function, edges: &[Block]) -> HornProblem {
        let whole = with_small_objects_as_variables(unit, f);
        let (f, first) = explicit_flags(whole.clone());
        let parts = segments(unit, &f, &first);
        let points = parts.cuts.iter().map(|cut| point(unit, &parts.f, cut)).collect();
        let encoded = |segment: &Segment| Encoded::new(unit, segment, &Options::default());
        let piece = |segment: &Segment| encoded(segment).piece(segment, &parts.cuts, edges);
        let pieces = parts.segments.iter().map(piece).collect();
        HornProblem {
            whole,
            edges: edges.to_vec(),
            segments: parts.segments,
            f: parts.f,
            cuts: parts.cuts,
            prover: Prover::new(System { points, pieces }),
        }
    }
}

/// The function with loops resolved as far as possible without clauses; the blocks are unchanged.
pub(crate) fn with_small_objects_as_variables(unit: &gc::Unit, f: &gc::Function) -> gc::Function {
    let cuts = heads(f);
    let (f, _) = constant_float_loops(unit, f.clone(), &cuts);
    scalars(unit, contents(unit, f, &cuts))
}

pub(super) fn point(unit: &gc::Unit, f: &gc::Function, cut: &Cut) -> Point {
    let argument = |&var: &gc::Var| {
        let data = &f.vars[var];
        Argument { name: data.name.clone(), sort: sort(data.ty, unit.target.pointer_bits) }
    };
    Point { name: cut.head.to_string(), arguments: cut.state.iter().map(argument).collect() }
}

fn sort(ty: Type, pointer_bits: u16) -> Sort {
    match ty {
        BOOL => Sort::Bool,
        ty => Sort::BitVec(u32::from(ty.bits(pointer_bits))),
    }
}

/// An encoded segment.
pub(super) struct Encoded {
    pub(super) form: passive::Function,
    pub(super) vc: Vc,
    /// The passive block of each block of the segment.
    pub(super) blocks: SecondaryMap<Block, Option<passive::Block>>,
}

impl Encoded {
    pub(super) fn new(unit: &gc::Unit, segment: &Segment, options: &Options) -> Encoded {
        let form = passify(unit, &segment.f);
        let vc = encode_with(unit, &form, options);
        let mut blocks: SecondaryMap<Block, Option<passive::Block>> = SecondaryMap::new();
        for (block, data) in &form.blocks {
            blocks[data.source] = Some(block);
        }
        Encoded { form, vc, blocks }
    }

    pub(super) fn piece(self, segment: &Segment, cuts: &[Cut], edges: &[Block]) -> Piece {
        piece(self, segment, cuts, edges)
    }
}

fn piece(encoded: Encoded, segment: &Segment, cuts: &[Cut], edges: &[Block]) -> Piece {
    let Encoded { form, mut vc, blocks } = encoded;
    let never = vc.pool.bool(false);
    let entered = |vc: &Vc, block: Block| blocks[block].and_then(|block| vc.entered[block]).unwrap_or(never);
    let taken = edges
        .iter()
        .map(|edge| {
            let copy = segment.copies.get(edge).and_then(|&copy| blocks[copy]);
            copy.and_then(|copy| vc.taken[copy]).unwrap_or(never)
        })
        .collect();
    let before = match segment.from {
        Some(cut) => observed(&form, &vc, blocks[Block::from_u32(0)], cuts[cut].state.len()),
        None => Vec::new(),
    };
    let mut ended = vc.ended;
    let mut steps = Vec::new();
    for &(to, end) in &segment.ends {
        let when = entered(&vc, end);
        let comes_from_within = segment.from.is_some_and(|from| cuts[to].members.contains(&cuts[from].head));
        if cuts[to].is_meant_to_stay && comes_from_within {
            ended = vc.pool.or(ended, when);
        }
        let after = observed(&form, &vc, blocks[end], cuts[to].state.len());
        if after.len() == cuts[to].state.len() {
            steps.push(Step { to, when, after });
        }
    }
    Piece { facts: vc.facts, from: segment.from, before, steps, ended, taken, pool: vc.pool }
}

/// The values that the last `count` commands of the block observe; empty if the block is not reached.
fn observed(form: &passive::Function, vc: &Vc, block: Option<passive::Block>, count: usize) -> Vec<Term> {
    let Some(block) = block else { return Vec::new() };
    let cmds = &form.blocks[block].cmds;
    let value = |cmd: &passive::Cmd| match cmd.kind {
        CmdKind::Assume(holds) => match form.exprs[holds] {
            ExprData::Binary(_, value, _) => vc.term(value),
            _ => None,
        },
        _ => None,
    };
    cmds[cmds.len() - count..].iter().map(|cmd| value(cmd).expect("observed variables are encoded")).collect()
}
