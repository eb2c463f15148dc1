//! The encoder: from a passive function to formulas (universal reachability, section 3; decision 002).
//!
//! The form is functional: every value is a term over the unknowns (parameters, results of calls, havocked values), the value
//! at a join is an if-then-else over the incoming edges, and each block has the condition under which a run passes it. A model
//! of [`Vc::ended`] is one run: exactly one edge is taken at every `goto`.
//!
//! Loads are resolved by walking back over the memory versions; if that fails, the value is an unknown. Whatever is not
//! encoded exactly is an unknown as well, so the formulas allow every run of the function and perhaps more.
//!
//! Read `control_flow` (blocks, edges, joins) first, then `values` (expressions) and `memory` (loads). `core`, `exact` and
//! `events` are variants, chosen by [`Options`]; `walk` encodes a single path.

mod address;
mod aliasing;
mod control_flow;
mod core;
mod events;
mod exact;
mod exposed;
mod heap;
mod lemmas;
mod limits;
mod memory;
pub mod operators;
mod options;
mod values;
mod walk;

pub use aliasing::AliasCase;
pub use exact::{Exact, MemoryCell};
pub use options::{Options, Statement};
pub use walk::{Step, Walk};

use address::Bases;
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::gc;
use gainsay_ir::passive::{Block, Expr, Function, Var};
use gainsay_ir::table::table;
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::{Node, Sort, Term, TermPool};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The verification condition of one function.
pub struct Vc {
    pub pool: TermPool,
    /// Facts that hold on every run; to be asserted once.
    pub facts: Vec<Term>,
    /// The run enters the block.
    pub entered: SecondaryMap<Block, Option<Term>>,
    /// The run takes the edge that the block is: it enters it and the leading assume holds.
    pub taken: SecondaryMap<Block, Option<Term>>,
    /// The run ends well: in `return` or `raise`, or in a call that may end it, and no assert on the path fails.
    pub ended: Term,
    terms: SecondaryMap<Expr, Option<(u32, Term)>>,
    /// With [`Options::by_statement`], the switch of every assume, assert and end in error, in the order of blocks and
    /// commands; an end has the number after the last command.
    pub switches: Vec<(Statement, Term)>,
    /// With [`Options::exact`].
    pub exact: Exact,
    /// With [`Options::checks_are_events`], the condition under which a run reaches each assert and call, in the order of
    /// blocks and commands: the statement guards of semantic inconsistency inference, section 2.1.
    pub events: Vec<(Statement, Term)>,
    /// With [`Options::splits_places`], the conditions under which a store and a load access the same place.
    pub alias_conditions: BTreeSet<Term>,
    /// The addresses of the objects that the function uses, each with its size in bytes if that is known.
    pub objects: Vec<(Term, Option<Term>)>,
    edges: FxHashMap<(Block, Block), Term>,
}

pub fn encode(unit: &gc::Unit, function: &Function) -> Vc {
    encode_with(unit, function, &Options::default())
}

/// As [`encode`], in the variant that the options select.
pub fn encode_with(unit: &gc::Unit, function: &Function, options: &Options) -> Vc {
    let mut encoder = Encoder::new(unit, function, options);
    for (block, data) in &function.blocks {
        if encoder.is_encoded(block) {
            encoder.block(block, data);
        }
    }
    if options.must_pass_blocks.is_some() {
        // Whatever follows the last block may end well.
        encoder.ended = encoder.pool.or(encoder.ended, encoder.passed);
    }
    if options.exact {
        encoder.instantiate();
        let params = function.params.iter().map(|&param| encoder.var(param)).collect();
        encoder.exact.out.params = params;
    }
    let lemmas = lemmas::order(&mut encoder.pool);
    encoder.facts.extend(lemmas);
    let (alias_conditions, objects) = (encoder.alias_cases.keys().copied().collect(), encoder.objects());
    let Encoder { pool, facts, entered, taken, ended, exprs: terms, switches, events, edges, exact, .. } =
        encoder;
    Vc {
        pool,
        facts,
        entered,
        taken,
        ended,
        terms,
        switches,
        events,
        alias_conditions,
        objects,
        edges,
        exact: exact.out,
    }
}

impl Vc {
    /// How large the formulas are, in nodes; arithmetic that becomes many clauses counts as many.
    pub fn weight(&self) -> u64 {
        self.pool.weight()
    }

    /// The value of an expression of the function; `None` if no command uses it.
    pub fn term(&self, expr: Expr) -> Option<Term> {
        self.terms[expr].map(|(_, term)| term)
    }

    /// The conditions of the edges, without a leading negation.
    pub fn edge_conditions(&self) -> BTreeSet<Term> {
        let plain = |&edge: &Term| match self.pool.node(edge) {
            Node::Not(edge) => edge,
            _ => edge,
        };
        self.edges.values().map(plain).collect()
    }

    /// The run goes from the first block straight to the second.
    pub fn edge(&self, from: Block, to: Block) -> Option<Term> {
        self.edges.get(&(from, to)).copied()
    }
}

struct Encoder<'a> {
    unit: &'a gc::Unit,
    function: &'a Function,
    options: &'a Options,
    pool: TermPool,
    facts: Vec<Term>,
    vars: SecondaryMap<Var, Option<Term>>,
    /// With the round in which it was encoded: on another path the same expression is another term, unless it is
    /// [`values::SETTLED`].
    exprs: SecondaryMap<Expr, Option<(u32, Term)>>,
    round: u32,
    /// Variables that have the same value on all paths.
    settled: EntitySet<Var>,
    /// Scratch space; empty between uses.
    stack: Vec<Expr>,
    /// If a single path is encoded: the predecessor of each block on it.
    route: Option<SecondaryMap<Block, Option<Block>>>,
    /// The run goes from the first block to the second.
    edges: FxHashMap<(Block, Block), Term>,
    /// The run enters the block by one of the edges encoded so far.
    incoming: SecondaryMap<Block, Option<Term>>,
    /// With [`Options::must_pass_blocks`]: the run has passed all blocks so far and goes on.
    passed: Term,
    never: Term,
    entered: SecondaryMap<Block, Option<Term>>,
    taken: SecondaryMap<Block, Option<Term>>,
    uninterpreted: FxHashMap<operators::Application, Term>,
    /// Results of loads, by place and alias class.
    loads: FxHashMap<(memory::VersionedPlace, gc::Class), Term>,
    /// Unknown contents, the same for every alias class.
    contents: FxHashMap<memory::VersionedPlace, Term>,
    /// With [`Options::splits_places`], by the condition that the places are the same.
    alias_cases: FxHashMap<Term, AliasCase>,
    bases: Bases,
    exposed: exposed::Exposed,
    ended: Term,
    switches: Vec<(Statement, Term)>,
    events: Vec<(Statement, Term)>,
    n_unknowns: u32,
    exact: exact::ExactState,
}

impl<'a> Encoder<'a> {
    fn new(unit: &'a gc::Unit, function: &'a Function, options: &'a Options) -> Encoder<'a> {
        let mut pool = TermPool::with_capacity(function.exprs.len());
        let (never, passed) = (pool.bool(false), pool.bool(true));
        Encoder {
            unit,
            function,
            options,
            pool,
            facts: Vec::new(),
            vars: table(function.vars.len()),
            exprs: table(function.exprs.len()),
            round: 0,
            settled: EntitySet::new(),
            stack: Vec::new(),
            route: None,
            edges: FxHashMap::default(),
            incoming: SecondaryMap::new(),
            passed,
            never,
            entered: SecondaryMap::new(),
            taken: SecondaryMap::new(),
            uninterpreted: FxHashMap::default(),
            loads: FxHashMap::default(),
            contents: FxHashMap::default(),
            alias_cases: FxHashMap::default(),
            bases: Bases::default(),
            exposed: exposed::exposed_objects(function),
            ended: never,
            switches: Vec::new(),
            events: Vec::new(),
            n_unknowns: 0,
            exact: exact::ExactState::default(),
        }
    }

    fn pointer_bits(&self) -> u16 {
        self.unit.target.pointer_bits
    }

    fn sort(&self, ty: Type) -> Sort {
        match ty {
            BOOL => Sort::Bool,
            ty => Sort::BitVec(u32::from(ty.bits(self.pointer_bits()))),
        }
    }
}
