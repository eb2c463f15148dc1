//! passive::Function -> formulas (design.md, sections 5 and 9).
//!
//! The functional form: every value is a term over the unknowns (parameters, results of calls, whatever was
//! forgotten), the value at a join is an if-then-else over the incoming edges, and each block gets the condition
//! under which a run passes it. A model of [`Vc::ended`] is one run: at every `goto` exactly one way is taken.
//!
//! Loads are resolved by walking back over the memory versions; where that gets stuck the value is an unknown of
//! its own. Whatever is not encoded exactly is unknown as well, so the formulas allow every run of the function
//! and perhaps more.

mod address;
mod exposed;
mod memory;
mod operators;

use crate::term::{Sort, Term, TermPool};
use address::Bases;
use cranelift_entity::SecondaryMap;
use gainsay_ir::gc::{self, Origin};
use gainsay_ir::passive::{
    Block, BlockData, CmdKind, Definition, Effect, Expr, ExprData, Function, Next, Phi, Var, VarOf,
};
use gainsay_ir::types::{BOOL, Type};
use rustc_hash::FxHashMap;

/// The verification condition of one function.
pub struct Vc {
    pub pool: TermPool,
    /// Facts that hold on every run; to be asserted once.
    pub facts: Vec<Term>,
    /// The run enters the block.
    pub entered: SecondaryMap<Block, Option<Term>>,
    /// The run goes through the block: it enters it and all its assumes and asserts hold.
    pub passed: SecondaryMap<Block, Option<Term>>,
    /// The run ends well: in `return` or `raise`, with no assert failing on the way.
    pub ended: Term,
}

pub fn encode(unit: &gc::Unit, function: &Function) -> Vc {
    let mut pool = TermPool::new();
    let never = pool.bool(false);
    let mut encoder = Encoder {
        unit,
        function,
        pool,
        facts: Vec::new(),
        vars: SecondaryMap::new(),
        exprs: SecondaryMap::new(),
        edges: FxHashMap::default(),
        incoming: SecondaryMap::new(),
        never,
        entered: SecondaryMap::new(),
        passed: SecondaryMap::new(),
        uninterpreted: FxHashMap::default(),
        loads: FxHashMap::default(),
        bases: Bases::default(),
        exposed: exposed::exposed_objects(function),
        n_unknowns: 0,
    };
    let mut ended = never;
    for (block, data) in &function.blocks {
        let passed = encoder.block(block, data);
        if matches!(data.next, Next::Return { .. } | Next::Raise) {
            ended = encoder.pool.or(ended, passed);
        }
    }
    let Encoder { pool, facts, entered, passed, .. } = encoder;
    Vc { pool, facts, entered, passed, ended }
}

struct Encoder<'a> {
    unit: &'a gc::Unit,
    function: &'a Function,
    pool: TermPool,
    facts: Vec<Term>,
    vars: SecondaryMap<Var, Option<Term>>,
    exprs: SecondaryMap<Expr, Option<Term>>,
    /// The run goes from the first block to the second.
    edges: FxHashMap<(Block, Block), Term>,
    /// The run comes into the block by one of the edges met so far.
    incoming: SecondaryMap<Block, Option<Term>>,
    never: Term,
    entered: SecondaryMap<Block, Option<Term>>,
    passed: SecondaryMap<Block, Option<Term>>,
    uninterpreted: FxHashMap<operators::Application, Term>,
    loads: FxHashMap<memory::LoadKey, Term>,
    bases: Bases,
    exposed: exposed::Exposed,
    n_unknowns: u32,
}

impl Encoder<'_> {
    fn pointer_bits(&self) -> u16 {
        self.unit.target.pointer_bits
    }

    fn sort(&self, ty: Type) -> Sort {
        match ty {
            BOOL => Sort::Bool,
            ty => Sort::BitVec(u32::from(ty.bits(self.pointer_bits()))),
        }
    }

    /// A value of which nothing is known.
    fn unknown(&mut self, what: &str, ty: Type) -> Term {
        self.n_unknowns += 1;
        let name = format!("{what}!{}", self.n_unknowns);
        let sort = self.sort(ty);
        self.pool.var(&name, sort)
    }

    /// Encode one block whose predecessors are done; gives the condition that the run goes through it.
    fn block(&mut self, block: Block, data: &BlockData) -> Term {
        let entered = self.entering(block);
        for phi in &data.phis {
            self.phi(block, phi);
        }
        let mut passed = entered;
        for cmd in &data.cmds {
            match &cmd.kind {
                CmdKind::Define(var, value) => {
                    let value = self.expr(*value);
                    self.vars[*var] = Some(value);
                }
                CmdKind::Assume(holds) | CmdKind::Assert(_, holds) => {
                    let holds = self.expr(*holds);
                    passed = self.pool.and(passed, holds);
                }
                CmdKind::Update { effect, .. } => self.effect(effect),
            }
        }
        self.entered[block] = Some(entered);
        self.passed[block] = Some(passed);
        self.leave(block, &data.next, passed);
        passed
    }

    fn entering(&mut self, block: Block) -> Term {
        let is_entry = self.function.blocks.keys().next() == Some(block);
        if is_entry { self.pool.bool(true) } else { self.incoming[block].unwrap_or(self.never) }
    }

    /// Which way the run goes on. Edges of one branch of the source exclude each other by their guards; any other
    /// choice is an unknown of its own, or the value at a later join would favour one of several ways.
    fn leave(&mut self, block: Block, next: &Next, passed: Term) {
        let targets = next.targets();
        let mut rest = passed;
        for (i, &target) in targets.iter().enumerate() {
            let edge = if i + 1 == targets.len() || self.is_one_branch(targets) {
                rest
            } else {
                let choice = self.unknown("way", BOOL);
                let edge = self.pool.and(rest, choice);
                let other = self.pool.not(choice);
                rest = self.pool.and(rest, other);
                edge
            };
            let known = self.edges.get(&(block, target)).copied().unwrap_or(self.never);
            let along = self.pool.or(known, edge);
            self.edges.insert((block, target), along);
            let others = self.incoming[target].unwrap_or(self.never);
            self.incoming[target] = Some(self.pool.or(others, edge));
        }
    }

    fn is_one_branch(&self, targets: &[Block]) -> bool {
        let branch = |block: &Block| self.function.blocks[*block].branch;
        let first = targets.first().and_then(branch);
        first.is_some_and(|first| {
            first.origin != Origin::Model
                && targets.iter().all(|target| branch(target).is_some_and(|b| b.condition == first.condition))
        })
    }

    /// A value is the one of the edge that the run came by. Memory is resolved by its readers.
    fn phi(&mut self, block: Block, phi: &Phi) {
        if self.function.vars[phi.var].of == VarOf::Memory {
            return;
        }
        let mut value = None;
        for &(pred, source) in phi.sources.iter().rev() {
            let source = self.var(source);
            value = Some(match (value, self.edges.get(&(pred, block))) {
                (Some(others), Some(&edge)) => self.pool.ite(edge, source, others),
                (Some(others), None) => others,
                (None, _) => source,
            });
        }
        self.vars[phi.var] = value;
    }

    fn var(&mut self, var: Var) -> Term {
        if let Some(term) = self.vars[var] {
            return term;
        }
        let data = self.function.vars[var];
        let term = match (data.of, data.definition) {
            (VarOf::Flag(value), _) => self.pool.bool(value),
            (VarOf::Source(source), _) => {
                let source = &self.function.sources[source];
                let name = format!("{}@{}", source.name, data.version);
                let sort = self.sort(source.ty);
                self.pool.var(&name, sort)
            }
            // A variable that was never entered is as uninitialised as one that just was.
            (VarOf::Initialised(_), Definition::Entry) => self.pool.bool(false),
            (VarOf::Initialised(_) | VarOf::Memory, _) => self.unknown("flag", BOOL),
        };
        self.vars[var] = Some(term);
        term
    }

    /// Operands come before their users, so this recurses only through loads.
    fn expr(&mut self, expr: Expr) -> Term {
        if let Some(term) = self.exprs[expr] {
            return term;
        }
        let mut stack = vec![expr];
        while let Some(&top) = stack.last() {
            if self.exprs[top].is_some() {
                stack.pop();
                continue;
            }
            let data = self.function.exprs[top];
            let missing: Vec<Expr> =
                data.operands().into_iter().filter(|&e| self.exprs[e].is_none()).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let term = self.node(data);
            self.exprs[top] = Some(term);
            stack.pop();
        }
        self.exprs[expr].expect("just computed")
    }

    fn done(&self, expr: Expr) -> Term {
        self.exprs[expr].expect("operands are encoded first")
    }

    fn node(&mut self, data: ExprData) -> Term {
        match data {
            ExprData::Const(BOOL, bits) => self.pool.bool(bits != 0),
            ExprData::Const(ty, bits) => {
                let width = u32::from(ty.bits(self.pointer_bits()));
                self.pool.bits(width, bits)
            }
            ExprData::Var(var) => self.var(var),
            ExprData::ObjectAddr(object) => self.object_base(object),
            ExprData::SymbolAddr(symbol) => self.symbol_base(symbol),
            ExprData::Unary(op, a) => {
                let a = self.done(a);
                self.unary(op, a)
            }
            ExprData::Cast(op, to, a) => {
                let a = self.done(a);
                self.cast(op, to, a)
            }
            ExprData::Binary(op, a, b) => {
                let (a, b) = (self.done(a), self.done(b));
                self.binary(op, a, b)
            }
            ExprData::Ite(c, a, b) => {
                let (c, a, b) = (self.done(c), self.done(a), self.done(b));
                self.pool.ite(c, a, b)
            }
            ExprData::Load(memory, access, addr) => {
                let addr = self.done(addr);
                self.load(memory, access, addr)
            }
            ExprData::Valid(_, pointer, len) => {
                let (pointer, len) = (self.done(pointer), self.done(len));
                self.valid(pointer, len)
            }
            // Which blocks of the heap are live is the library models' business; without them, any may be.
            ExprData::Freeable(..) => self.pool.bool(true),
        }
    }

    /// What an effect makes known besides the memory it makes.
    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Alloca { pointer, size } => {
                let size = self.expr(*size);
                let base = self.var(*pointer);
                self.new_base(base, address::Base::Alloca, Some(size));
            }
            Effect::Call(call) => {
                if let (Some(result), gainsay_ir::passive::Callee::Symbol(symbol)) =
                    (call.result, call.callee)
                    && let gc::SymbolKind::Function(facts) = &self.unit.symbols[symbol].kind
                    && facts.returns_nonnull
                {
                    let result = self.var(result);
                    self.is_not_null(result);
                }
            }
            _ => {}
        }
    }
}
