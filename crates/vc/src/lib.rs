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
mod exact;
mod exposed;
mod heap;
mod lemmas;
mod memory;
mod operators;
mod options;
mod places;
mod walk;

pub use exact::{Cell, Exact};
pub use options::{Options, Statement};
pub use places::Meeting;
pub use walk::{Step, Walk, is_forgotten};

use address::Bases;
use cranelift_entity::{EntitySet, SecondaryMap};
use gainsay_ir::gc::{self, Origin};
use gainsay_ir::passive::{
    Block, BlockData, Callee, Cmd, CmdKind, Definition, Effect, Expr, ExprData, Function, Next, Phi, Var,
    VarOf,
};
use gainsay_ir::table::table;
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::{Node, Sort, Term, TermPool};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
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
    /// The run ends well: in `return` or `raise`, or in a call that may end it, with no assert failing on the way.
    pub ended: Term,
    terms: SecondaryMap<Expr, Option<(u32, Term)>>,
    /// With [`Options::by_statement`], the switch of every assume, assert and end in error, in the order of blocks and
    /// commands; an end has the number after the last command.
    pub switches: Vec<(Statement, Term)>,
    /// With [`Options::exact`].
    pub exact: Exact,
    /// With [`Options::checks_are_events`], the condition under which a run comes to each assert and call, in the order
    /// of blocks and commands: the statement guards of papers/semantic-inconsistency-inference, section 2.1.
    pub events: Vec<(Statement, Term)>,
    /// With [`Options::splits_places`], the conditions that a store and a load meet.
    pub places: BTreeSet<Term>,
    /// The addresses of the objects met, each with its size in bytes if that is known.
    pub objects: Vec<(Term, Option<Term>)>,
    edges: FxHashMap<(Block, Block), Term>,
}

pub fn encode(unit: &gc::Unit, function: &Function) -> Vc {
    encode_with(unit, function, &Options::default())
}

/// As [`encode`], but prepared for questions about single statements.
pub fn encode_with(unit: &gc::Unit, function: &Function, options: &Options) -> Vc {
    let mut encoder = Encoder::new(unit, function, options);
    for (block, data) in &function.blocks {
        if encoder.is_encoded(block) {
            encoder.block(block, data);
        }
    }
    if options.must_pass_blocks.is_some() {
        // Whatever comes behind the last block may end well.
        encoder.ended = encoder.pool.or(encoder.ended, encoder.passed);
    }
    if options.exact {
        encoder.instantiate();
        let params = function.params.iter().map(|&param| encoder.var(param)).collect();
        encoder.exact.out.params = params;
    }
    let lemmas = lemmas::order(&mut encoder.pool);
    encoder.facts.extend(lemmas);
    let (places, objects) = (encoder.places.keys().copied().collect(), encoder.objects());
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
        places,
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

    /// The conditions that decide about values at joins, without a negation in front.
    pub fn ways(&self) -> BTreeSet<Term> {
        let plain = |&way: &Term| match self.pool.node(way) {
            Node::Not(way) => way,
            _ => way,
        };
        self.edges.values().map(plain).collect()
    }

    /// The run goes from the first block straight to the second.
    pub fn edge(&self, from: Block, to: Block) -> Option<Term> {
        self.edges.get(&(from, to)).copied()
    }
}

/// What a command means to the run.
enum Event {
    Nothing,
    /// The run goes on only if this holds.
    Holds(Term),
    /// The run may end here, and acceptably.
    MayEnd,
}

/// The round of an expression that is made of nothing but constants, addresses, inputs and unknowns.
const SETTLED: u32 = u32::MAX;

struct Encoder<'a> {
    unit: &'a gc::Unit,
    function: &'a Function,
    options: &'a Options,
    pool: TermPool,
    facts: Vec<Term>,
    vars: SecondaryMap<Var, Option<Term>>,
    /// With the round in which it was encoded: along another way the same expression is another term, unless it is
    /// [`SETTLED`].
    exprs: SecondaryMap<Expr, Option<(u32, Term)>>,
    round: u32,
    /// Variables with the same value on all ways to them.
    settled: EntitySet<Var>,
    /// To work on; empty.
    stack: Vec<Expr>,
    /// Where only one way is walked: the block before each block of it.
    route: Option<SecondaryMap<Block, Option<Block>>>,
    /// The run goes from the first block to the second.
    edges: FxHashMap<(Block, Block), Term>,
    /// The run comes into the block by one of the edges met so far.
    incoming: SecondaryMap<Block, Option<Term>>,
    /// With [`Options::must_pass_blocks`]: the run has passed all blocks so far and goes on.
    passed: Term,
    never: Term,
    entered: SecondaryMap<Block, Option<Term>>,
    taken: SecondaryMap<Block, Option<Term>>,
    uninterpreted: FxHashMap<operators::Application, Term>,
    /// What loads found, by the class they see it with.
    loads: FxHashMap<(memory::Place, gc::Class), Term>,
    /// Unknown contents, which every class sees alike.
    contents: FxHashMap<memory::Place, Term>,
    /// With [`Options::splits_places`], by the term that says that they are one.
    places: FxHashMap<Term, Meeting>,
    bases: Bases,
    exposed: exposed::Exposed,
    ended: Term,
    switches: Vec<(Statement, Term)>,
    events: Vec<(Statement, Term)>,
    n_unknowns: u32,
    exact: exact::State,
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
            places: FxHashMap::default(),
            bases: Bases::default(),
            exposed: exposed::exposed_objects(function),
            ended: never,
            switches: Vec::new(),
            events: Vec::new(),
            n_unknowns: 0,
            exact: exact::State::default(),
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

    /// A value of which nothing is known.
    fn unknown(&mut self, what: &str, ty: Type) -> Term {
        self.n_unknowns += 1;
        let name = format!("{what}!{}", self.n_unknowns);
        let sort = self.sort(ty);
        self.pool.var(&name, sort)
    }

    fn is_encoded(&self, block: Block) -> bool {
        match &self.options.must_pass_blocks {
            Some(must_pass_blocks) => must_pass_blocks.contains(block),
            None => self.is_of_interest(block),
        }
    }

    fn is_of_interest(&self, block: Block) -> bool {
        self.options.within.as_ref().is_none_or(|within| within.contains(block))
    }

    /// Encode one block whose predecessors are done.
    fn block(&mut self, block: Block, data: &BlockData) {
        let entered = self.entering(block);
        for phi in &data.phis {
            self.phi(block, phi);
        }
        let mut passed = entered;
        self.taken[block] = Some(entered);
        for (index, cmd) in data.cmds.iter().enumerate() {
            let statement = Statement { block, index: index as u32 };
            if self.options.checks_are_events && self.is_event(statement, cmd, passed) {
                continue;
            }
            match self.command(statement, cmd) {
                Event::Nothing => {}
                Event::Holds(holds) => {
                    if self.options.exact {
                        self.consider(statement, cmd, passed, holds);
                    }
                    passed = self.pool.and(passed, holds);
                    if index == 0 {
                        self.taken[block] = Some(passed);
                    }
                }
                Event::MayEnd => {
                    self.exact.out.approximate = true;
                    let stop = self.unknown("stop", BOOL);
                    let stopped = self.pool.and(passed, stop);
                    self.ended = self.pool.or(self.ended, stopped);
                    let on = self.pool.not(stop);
                    passed = self.pool.and(passed, on);
                }
            }
        }
        self.entered[block] = Some(entered);
        if matches!(data.next, Next::Return { .. } | Next::Raise) {
            self.ended = self.pool.or(self.ended, passed);
        }
        if matches!(data.next, Next::Error) {
            let may_end = self.may_end_in_error(Statement { block, index: data.cmds.len() as u32 });
            let ended = self.pool.and(passed, may_end);
            self.ended = self.pool.or(self.ended, ended);
        }
        self.leave(block, &data.next, passed);
    }

    /// For proofs: an assert that may fail, or a condition that stands for many.
    fn consider(&mut self, statement: Statement, cmd: &Cmd, passed: Term, holds: Term) {
        match cmd.kind {
            CmdKind::Assume(condition) | CmdKind::Assert(_, condition) if self.is_quantified(condition) => {
                self.instantiate_later(statement, passed);
            }
            CmdKind::Assert(..) => self.fails(statement, passed, holds),
            _ => {}
        }
    }

    /// Notes when a run comes to an assert or a call; true if that is all there is to it.
    fn is_event(&mut self, statement: Statement, cmd: &Cmd, passed: Term) -> bool {
        match &cmd.kind {
            CmdKind::Assert(_, holds) => {
                self.expr(*holds);
                self.events.push((statement, passed));
                true
            }
            CmdKind::Update { effect: Effect::Call(call), .. } => {
                for &arg in &call.args {
                    self.expr(arg);
                }
                self.events.push((statement, passed));
                false
            }
            _ => false,
        }
    }

    fn command(&mut self, statement: Statement, cmd: &Cmd) -> Event {
        match &cmd.kind {
            CmdKind::Define(var, value) => {
                let is_forgotten = self.options.forgotten.contains(&statement);
                let term = if is_forgotten { self.unknown_var(*var) } else { self.expr(*value) };
                if !is_forgotten && self.is_settled(*value) {
                    self.settled.insert(*var);
                }
                self.vars[*var] = Some(term);
                Event::Nothing
            }
            CmdKind::Assume(_) | CmdKind::Assert(..) if !self.counts(statement) => Event::Nothing,
            CmdKind::Assume(holds) | CmdKind::Assert(_, holds) => {
                let holds = self.expr(*holds);
                Event::Holds(self.switched(statement, holds))
            }
            CmdKind::Update { before, effect, .. } => {
                let event = self.effect(effect);
                if let (Effect::Allocate { pointer, size }, true) = (effect, self.options.exact) {
                    self.block_is_valid(*before, *pointer, *size);
                }
                event
            }
        }
    }

    /// In a question by statements: the statement counts only where its switch is on.
    fn switched(&mut self, statement: Statement, holds: Term) -> Term {
        if !self.options.by_statement || self.pool.as_bool(holds) == Some(true) {
            return holds;
        }
        let switch = self.switch(statement);
        self.pool.implies(switch, holds)
    }

    /// An end in error counts as any other end where its switch is off.
    fn may_end_in_error(&mut self, statement: Statement) -> Term {
        if !self.counts(statement) {
            return self.pool.bool(true);
        }
        if !self.options.by_statement {
            return self.never;
        }
        let switch = self.switch(statement);
        self.pool.not(switch)
    }

    fn counts(&self, statement: Statement) -> bool {
        self.options.only.as_ref().is_none_or(|only| only.contains(&statement))
    }

    fn switch(&mut self, statement: Statement) -> Term {
        let switch = self.unknown("on", BOOL);
        self.switches.push((statement, switch));
        switch
    }

    fn entering(&mut self, block: Block) -> Term {
        if self.options.must_pass_blocks.is_some() {
            return self.passed;
        }
        let is_entry = self.function.blocks.keys().next() == Some(block);
        if is_entry { self.pool.bool(true) } else { self.incoming[block].unwrap_or(self.never) }
    }

    /// Which way the run goes on. Edges of one branch of the source exclude each other by their guards; any other
    /// choice is an unknown of its own, or the value at a later join would favour one of several ways.
    fn leave(&mut self, block: Block, next: &Next, passed: Term) {
        let targets = next.targets();
        if self.options.must_pass_blocks.is_some() {
            self.passed = if targets.is_empty() { self.never } else { passed };
            return;
        }
        let mut rest = passed;
        for (i, &target) in targets.iter().enumerate() {
            if !self.is_of_interest(target) {
                continue;
            }
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
        if self.options.by_statement || self.options.only.is_some() {
            return false;
        }
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
        if let Some(source) = self.source_on_route(block, phi) {
            self.vars[phi.var] = Some(self.var(source));
            return;
        }
        let mut value = None;
        for (edge, source) in self.sources(block, phi) {
            let source = self.var(source);
            value = Some(value.map_or(source, |others| self.pool.ite(edge, source, others)));
        }
        self.vars[phi.var] = value;
    }

    /// Where a phi may come from, last first: only edges that are of interest.
    fn sources(&self, block: Block, phi: &Phi) -> SmallVec<[(Term, Var); 4]> {
        let edge = |&(pred, source)| Some((*self.edges.get(&(pred, block))?, source));
        phi.sources.iter().rev().filter_map(edge).collect()
    }

    /// The source of a phi, where only one way is walked or of interest.
    fn source_on_route(&self, block: Block, phi: &Phi) -> Option<Var> {
        if self.options.must_pass_blocks.is_some() {
            let mut sources = phi.sources.iter().filter(|(pred, _)| self.is_of_interest(*pred));
            let &(before, source) = sources.next()?;
            return (self.is_encoded(before) && sources.next().is_none()).then_some(source);
        }
        let before = self.route.as_ref()?[block]?;
        phi.sources.iter().find(|(pred, _)| *pred == before).map(|&(_, source)| source)
    }

    fn var(&mut self, var: Var) -> Term {
        if let Some(term) = self.vars[var] {
            return term;
        }
        let term = self.unknown_var(var);
        self.vars[var] = Some(term);
        let is_settled = match self.function.vars[var].definition {
            Definition::Entry | Definition::Fresh(..) => true,
            Definition::Phi(_) => false,
            Definition::Command(block, index) => {
                let cmd = &self.function.blocks[block].cmds[index as usize];
                !matches!(cmd.kind, CmdKind::Define(..))
            }
        };
        if is_settled {
            self.settled.insert(var);
        }
        term
    }

    /// A value of which nothing is known but its name.
    fn unknown_var(&mut self, var: Var) -> Term {
        let data = self.function.vars[var];
        match (data.of, data.definition) {
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
        }
    }

    /// Operands come before their users, so this recurses only through loads.
    fn expr(&mut self, expr: Expr) -> Term {
        if let Some(term) = self.known(expr) {
            return term;
        }
        // What is encoded on the way, through loads, has a stack of its own.
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(expr);
        while let Some(&top) = stack.last() {
            let data = self.function.exprs[top];
            let waiting = stack.len();
            data.for_each_operand(|operand| {
                if self.known(operand).is_none() {
                    stack.push(operand);
                }
            });
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            if self.known(top).is_none() {
                let term = self.node(data);
                let round = if self.will_not_change(data) { SETTLED } else { self.round };
                self.exprs[top] = Some((round, term));
            }
        }
        self.stack = stack;
        self.done(expr)
    }

    fn known(&self, expr: Expr) -> Option<Term> {
        self.exprs[expr].filter(|&(round, _)| round == self.round || round == SETTLED).map(|(_, term)| term)
    }

    fn is_settled(&self, expr: Expr) -> bool {
        self.exprs[expr].is_some_and(|(round, _)| round == SETTLED)
    }

    /// Is the node, whose operands are encoded, the same term on all ways? (Where quantifiers are instantiated, rounds
    /// are instances, and their inputs change.)
    fn will_not_change(&self, data: ExprData) -> bool {
        if self.route.is_none() {
            return false;
        }
        match data {
            ExprData::Var(var) => self.settled.contains(var),
            ExprData::Load(..) | ExprData::Valid(..) | ExprData::Freeable(..) => false,
            _ => {
                let mut all = true;
                data.for_each_operand(|operand| all &= self.is_settled(operand));
                all
            }
        }
    }

    fn done(&self, expr: Expr) -> Term {
        self.known(expr).expect("operands are encoded first")
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
            ExprData::Valid(memory, pointer, len) if self.options.exact => {
                self.valid_exactly(memory, pointer, len)
            }
            ExprData::Valid(memory, pointer, len) => self.valid(memory, pointer, len),
            ExprData::Freeable(memory, pointer) if self.options.exact => {
                self.freeable_exactly(memory, pointer)
            }
            ExprData::Freeable(memory, pointer) => self.freeable(memory, pointer),
        }
    }

    /// What an effect makes known besides the memory it makes.
    fn effect(&mut self, effect: &Effect) -> Event {
        match effect {
            Effect::Alloca { pointer, size } => {
                let size = self.expr(*size);
                let base = self.var(*pointer);
                self.new_base(base, address::Base::Alloca, Some(size));
            }
            Effect::Allocate { pointer, size } => self.allocated(*pointer, *size),
            Effect::Free { pointer } => self.freed(*pointer),
            Effect::Call(call) => {
                if let (Some(result), Callee::Symbol(symbol)) = (call.result, call.callee)
                    && let gc::SymbolKind::Function(facts) = &self.unit.symbols[symbol].kind
                    && facts.returns_nonnull
                {
                    let result = self.var(result);
                    self.is_not_null(result);
                }
                if !call.returns {
                    return Event::MayEnd;
                }
            }
            _ => {}
        }
        Event::Nothing
    }
}
