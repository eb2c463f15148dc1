//! Acyclic gc to the passive stage: every assignment defines a new variable, and blocks where several
//! values of a variable meet and matter choose by a phi. Near linear: phis are placed by dominance frontiers
//! and only where the variable is still read.

mod phis;
mod tidy;

use crate::gc;
use crate::graph::{self, Graph};
use crate::passive::*;
use crate::table::table;
use crate::types::BOOL;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

/// The passive form of a well-formed function without cycles; panics if there are cycles.
pub fn passify(_unit: &gc::Unit, f: &gc::Function) -> Function {
    let flow = Flow::new(f);
    let slots = Slots::new(f);
    let placed = phis::place(f, &flow, &slots);
    tidy::tidy(Passifier::new(f, &flow, &slots).run(placed))
}

/// The blocks that the entry reaches, in topological order.
struct Flow {
    order: PrimaryMap<Block, gc::Block>,
    successors: Graph<Block>,
    predecessors: Graph<Block>,
    dominators: SecondaryMap<Block, Option<Block>>,
}

impl Flow {
    fn new(f: &gc::Function) -> Flow {
        let all = f.successors();
        let order: PrimaryMap<Block, gc::Block> = graph::reverse_postorder(&all).into_iter().collect();
        let mut renamed: SecondaryMap<gc::Block, Block> = SecondaryMap::with_default(Block::new(0));
        for (block, &source) in &order {
            renamed[source] = block;
        }
        let successors: Graph<Block> =
            order.values().map(|&block| all[block].iter().map(|&target| renamed[target]).collect()).collect();
        for (block, targets) in &successors {
            let forward = targets.iter().all(|&target| target > block);
            assert!(forward, "passify needs a function without loops: cut_loops comes before it");
        }
        let predecessors = graph::predecessors(&successors);
        let dominators = graph::dominators(&predecessors);
        Flow { order, successors, predecessors, dominators }
    }
}

/// What has versions, numbered: the variables, then memory, then the flags of variables whose
/// initialisation is asked for.
struct Slots {
    memory: usize,
    flags: SecondaryMap<gc::Var, Option<usize>>,
    all: Vec<VarOf>,
}

impl Slots {
    fn new(f: &gc::Function) -> Slots {
        let mut all: Vec<VarOf> = f.vars.keys().map(VarOf::Source).collect();
        let memory = all.len();
        all.push(VarOf::Memory);
        let mut flags: SecondaryMap<gc::Var, Option<usize>> = table(f.vars.len());
        for data in f.exprs.values() {
            if let gc::ExprData::Initialised(var) = *data
                && flags[var].is_none()
            {
                flags[var] = Some(all.len());
                all.push(VarOf::Initialised(var));
            }
        }
        Slots { memory, flags, all }
    }

    /// The slots a command gives a new version.
    fn defined(&self, cmd: &gc::Cmd) -> impl Iterator<Item = usize> {
        let var = cmd.assigned();
        let memory = changes_memory(&cmd.kind).then_some(self.memory);
        var.map(|var| var.index()).into_iter().chain(var.and_then(|var| self.flags[var])).chain(memory)
    }
}

fn changes_memory(cmd: &gc::CmdKind) -> bool {
    match cmd {
        gc::CmdKind::EnterObject(_)
        | gc::CmdKind::Store { .. }
        | gc::CmdKind::Copy { .. }
        | gc::CmdKind::Fill { .. }
        | gc::CmdKind::Alloca { .. }
        | gc::CmdKind::Allocate { .. }
        | gc::CmdKind::Free(_)
        | gc::CmdKind::Clobber(_)
        | gc::CmdKind::Call(_) => true,
        gc::CmdKind::Assign(..)
        | gc::CmdKind::Havoc(_)
        | gc::CmdKind::Enter(_)
        | gc::CmdKind::Assume(_)
        | gc::CmdKind::Assert(..)
        | gc::CmdKind::Load { .. } => false,
    }
}

/// The round of what is the same everywhere.
// not a limit: mark of an expression that is the same in every round
const FOREVER: u32 = u32::MAX;

fn is_constant(data: &gc::ExprData) -> bool {
    matches!(data, gc::ExprData::Const(..) | gc::ExprData::ObjectAddr(_) | gc::ExprData::SymbolAddr(_))
}

/// A walk over the dominator tree.
enum Step {
    Visit(Block),
    /// Forget the versions since this length of the log.
    Leave(usize),
}

struct Passifier<'a> {
    source: &'a gc::Function,
    flow: &'a Flow,
    slots: &'a Slots,
    f: Function,
    /// The version of each slot at the current place.
    current: Vec<Var>,
    /// Versions that `current` held before, to go back to on leaving a block.
    log: Vec<(usize, Var)>,
    /// The always true and the never true flag, where flags are asked for.
    yes: Var,
    no: Var,
    /// Translated expressions and the round (command) they were translated in, or [`FOREVER`].
    translated: SecondaryMap<gc::Expr, (u32, Expr)>,
    round: u32,
    /// To work on; empty.
    stack: Vec<gc::Expr>,
    /// Equal expressions over the same versions are one.
    interned: FxHashMap<ExprData, Expr>,
}

impl<'a> Passifier<'a> {
    fn new(source: &'a gc::Function, flow: &'a Flow, slots: &'a Slots) -> Self {
        let f = Function {
            symbol: source.symbol,
            params: Vec::new(),
            result: source.result,
            vars: PrimaryMap::new(),
            sources: source.vars.clone(),
            objects: source.objects.clone(),
            exprs: PrimaryMap::with_capacity(source.exprs.len()),
            blocks: PrimaryMap::with_capacity(flow.order.len()),
        };
        let mut this = Passifier {
            source,
            flow,
            slots,
            f,
            current: Vec::with_capacity(slots.all.len()),
            log: Vec::new(),
            yes: Var::new(0),
            no: Var::new(0),
            translated: SecondaryMap::with_default((0, Expr::new(0))),
            round: 0,
            stack: Vec::new(),
            interned: FxHashMap::with_capacity_and_hasher(source.exprs.len(), Default::default()),
        };
        this.translated.resize(source.exprs.len());
        let at_entry = |number| Definition::Command(Block::new(0), number);
        this.yes = this.new_var(VarOf::Flag(true), at_entry(0));
        this.no = this.new_var(VarOf::Flag(false), at_entry(1));
        for slot in 0..slots.all.len() {
            let version = match slots.all[slot] {
                VarOf::Initialised(var) if source.params.contains(&var) => this.yes,
                VarOf::Initialised(_) => this.no,
                of => this.new_var(of, Definition::Entry),
            };
            this.current.push(version);
        }
        this.f.params = source.params.iter().map(|param| this.current[param.index()]).collect();
        this
    }

    fn run(mut self, placed: SecondaryMap<Block, Vec<usize>>) -> Function {
        self.make_blocks(&placed);
        let mut children: SecondaryMap<Block, Vec<Block>> = table(self.flow.order.len());
        for block in self.flow.order.keys() {
            if let Some(dominator) = self.flow.dominators[block] {
                children[dominator].push(block);
            }
        }
        let mut steps = vec![Step::Visit(Block::new(0))];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(block) => {
                    steps.push(Step::Leave(self.log.len()));
                    self.block(block, &placed);
                    steps.extend(children[block].iter().rev().map(|&child| Step::Visit(child)));
                }
                Step::Leave(length) => {
                    for (slot, version) in self.log.drain(length..).rev() {
                        self.current[slot] = version;
                    }
                }
            }
        }
        self.f
    }

    /// All blocks with their phis, whose sources are filled in when the predecessors are done.
    fn make_blocks(&mut self, placed: &SecondaryMap<Block, Vec<usize>>) {
        for (block, &source) in &self.flow.order {
            let mut phis = Vec::with_capacity(placed[block].len());
            for &slot in &placed[block] {
                let var = self.new_var(self.slots.all[slot], Definition::Phi(block));
                phis.push(Phi { var, sources: Vec::with_capacity(self.flow.predecessors[block].len()) });
            }
            let gc::BlockData { branch, cmds, .. } = &self.source.blocks[source];
            let cmds = Vec::with_capacity(cmds.len());
            let data = BlockData { branch: *branch, source, phis, cmds, next: Next::Raise };
            self.f.blocks.push(data);
        }
        let has_flags = self.slots.all.len() > self.slots.memory + 1;
        if has_flags {
            for (var, bits) in [(self.yes, 1), (self.no, 0)] {
                let value = self.intern(ExprData::Const(BOOL, bits));
                let cmd = Cmd { kind: CmdKind::Define(var, value), loc: gc::Loc::new(0) };
                self.f.blocks[Block::new(0)].cmds.push(cmd);
            }
        }
    }

    fn new_var(&mut self, of: VarOf, definition: Definition) -> Var {
        let sort = match of {
            VarOf::Source(var) => Sort::Value(self.source.vars[var].ty),
            VarOf::Initialised(_) | VarOf::Flag(_) => Sort::Value(BOOL),
            VarOf::Memory => Sort::Memory,
        };
        self.f.vars.push(VarData { of, sort, version: 0, definition })
    }

    fn set(&mut self, slot: usize, version: Var) {
        let before = std::mem::replace(&mut self.current[slot], version);
        self.log.push((slot, before));
    }

    fn block(&mut self, block: Block, placed: &SecondaryMap<Block, Vec<usize>>) {
        for (index, &slot) in placed[block].iter().enumerate() {
            let version = self.f.blocks[block].phis[index].var;
            self.set(slot, version);
        }
        let source = &self.source.blocks[self.flow.order[block]];
        for cmd in &source.cmds {
            self.round += 1;
            self.cmd(block, cmd);
        }
        self.round += 1;
        let successors = &self.flow.successors[block];
        self.f.blocks[block].next = match &source.next {
            gc::Next::Goto(_) => Next::Goto(successors.iter().copied().collect()),
            gc::Next::Return(value) => {
                let value = value.map(|value| self.expr(value));
                Next::Return { value, memory: self.current[self.slots.memory] }
            }
            gc::Next::Raise => Next::Raise,
            gc::Next::Error => Next::Error,
        };
        for (i, &target) in successors.iter().enumerate() {
            if successors[..i].contains(&target) {
                continue;
            }
            let phis = &mut self.f.blocks[target].phis;
            for (phi, &slot) in phis.iter_mut().zip(&placed[target]) {
                phi.sources.push((block, self.current[slot]));
            }
        }
    }

    fn push(&mut self, block: Block, loc: gc::Loc, kind: CmdKind) {
        self.f.blocks[block].cmds.push(Cmd { kind, loc });
    }

    /// What the next command of the block will define.
    fn here(&self, block: Block) -> Definition {
        Definition::Command(block, self.f.blocks[block].cmds.len() as u32)
    }

    fn define(&mut self, block: Block, loc: gc::Loc, var: gc::Var, value: Expr) {
        let version = self.new_var(VarOf::Source(var), self.here(block));
        self.push(block, loc, CmdKind::Define(version, value));
        self.set(var.index(), version);
        self.flag(var, self.yes);
    }

    /// A version that can have any value.
    fn fresh(&mut self, block: Block, var: gc::Var, flag: Var) -> Var {
        let next = self.f.blocks[block].cmds.len() as u32;
        let version = self.new_var(VarOf::Source(var), Definition::Fresh(block, next));
        self.set(var.index(), version);
        self.flag(var, flag);
        version
    }

    fn flag(&mut self, var: gc::Var, flag: Var) {
        if let Some(slot) = self.slots.flags[var] {
            self.set(slot, flag);
        }
    }

    fn update(&mut self, block: Block, loc: gc::Loc, effect: Effect) {
        let before = self.current[self.slots.memory];
        let after = self.new_var(VarOf::Memory, self.here(block));
        self.push(block, loc, CmdKind::Update { after, before, effect });
        self.set(self.slots.memory, after);
    }

    fn cmd(&mut self, block: Block, cmd: &gc::Cmd) {
        let loc = cmd.loc;
        match &cmd.kind {
            gc::CmdKind::Assign(var, value) => {
                let value = self.expr(*value);
                self.define(block, loc, *var, value);
            }
            gc::CmdKind::Havoc(var) => {
                self.fresh(block, *var, self.yes);
            }
            gc::CmdKind::Enter(var) => {
                self.fresh(block, *var, self.no);
            }
            gc::CmdKind::Assume(condition) => {
                let condition = self.expr(*condition);
                self.push(block, loc, CmdKind::Assume(condition));
            }
            gc::CmdKind::Assert(check, condition) => {
                let condition = self.expr(*condition);
                self.push(block, loc, CmdKind::Assert(*check, condition));
            }
            gc::CmdKind::Load { dst, access, .. } if access.volatile => {
                self.fresh(block, *dst, self.yes);
            }
            gc::CmdKind::Load { dst, addr, access } => {
                let addr = self.expr(*addr);
                let memory = self.current[self.slots.memory];
                let value = self.intern(ExprData::Load(memory, *access, addr));
                self.define(block, loc, *dst, value);
            }
            gc::CmdKind::EnterObject(object) => self.update(block, loc, Effect::Enter(*object)),
            gc::CmdKind::Store { addr, value, access } => {
                let (addr, value) = (self.expr(*addr), self.expr(*value));
                self.update(block, loc, Effect::Store { access: *access, addr, value });
            }
            gc::CmdKind::Copy { dst, src, len } => {
                let (dst, src, len) = (self.expr(*dst), self.expr(*src), self.expr(*len));
                self.update(block, loc, Effect::Copy { dst, src, len });
            }
            gc::CmdKind::Fill { dst, byte, len } => {
                let (dst, byte, len) = (self.expr(*dst), self.expr(*byte), self.expr(*len));
                self.update(block, loc, Effect::Fill { dst, byte, len });
            }
            gc::CmdKind::Alloca { dst, size } => {
                let size = self.expr(*size);
                let pointer = self.fresh(block, *dst, self.yes);
                self.update(block, loc, Effect::Alloca { pointer, size });
            }
            gc::CmdKind::Allocate { dst, size, .. } => {
                let size = self.expr(*size);
                let pointer = self.fresh(block, *dst, self.yes);
                self.update(block, loc, Effect::Allocate { pointer, size });
            }
            gc::CmdKind::Free(pointer) => {
                let pointer = self.expr(*pointer);
                self.update(block, loc, Effect::Free { pointer });
            }
            gc::CmdKind::Clobber(clobber) => {
                let effect = match clobber {
                    gc::Clobber::Escaped => Effect::ClobberEscaped,
                    gc::Clobber::Errno => Effect::ClobberErrno,
                    gc::Clobber::Range { addr, len } => {
                        Effect::ClobberRange { addr: self.expr(*addr), len: self.expr(*len) }
                    }
                    gc::Clobber::Classes(classes) => Effect::ClobberClasses(classes.clone()),
                };
                self.update(block, loc, effect);
            }
            gc::CmdKind::Call(call) => {
                let callee = match call.callee {
                    gc::Callee::Symbol(symbol) => Callee::Symbol(symbol),
                    gc::Callee::Pointer(pointer) => Callee::Pointer(self.expr(pointer)),
                };
                let args = call.args.iter().map(|&arg| self.expr(arg)).collect();
                let result = call.dst.map(|dst| self.fresh(block, dst, self.yes));
                let (returns, writes, keeps) = (call.returns, call.writes.clone(), call.keeps);
                let call = Call { result, callee, args, returns, writes, keeps };
                self.update(block, loc, Effect::Call(Box::new(call)));
            }
        }
    }

    fn expr(&mut self, expr: gc::Expr) -> Expr {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(expr);
        while let Some(&top) = stack.last() {
            if self.is_translated(top) {
                stack.pop();
                continue;
            }
            let data = &self.source.exprs[top];
            let waiting = stack.len();
            stack.extend(data.operands().into_iter().filter(|&operand| !self.is_translated(operand)));
            if stack.len() == waiting {
                let round = if is_constant(data) { FOREVER } else { self.round };
                self.translated[top] = (round, self.intern(self.node(data)));
                stack.pop();
            }
        }
        self.stack = stack;
        self.translated[expr].1
    }

    fn is_translated(&self, expr: gc::Expr) -> bool {
        let (round, _) = self.translated[expr];
        round == self.round || round == FOREVER
    }

    fn intern(&mut self, data: ExprData) -> Expr {
        *self.interned.entry(data).or_insert_with(|| self.f.exprs.push(data))
    }

    fn node(&self, data: &gc::ExprData) -> ExprData {
        let memory = self.current[self.slots.memory];
        let of = |expr: gc::Expr| self.translated[expr].1;
        match *data {
            gc::ExprData::Const(ty, bits) => ExprData::Const(ty, bits),
            gc::ExprData::Var(var) => ExprData::Var(self.current[var.index()]),
            gc::ExprData::ObjectAddr(object) => ExprData::ObjectAddr(object),
            gc::ExprData::SymbolAddr(symbol) => ExprData::SymbolAddr(symbol),
            gc::ExprData::Unary(op, a) => ExprData::Unary(op, of(a)),
            gc::ExprData::Cast(op, ty, a) => ExprData::Cast(op, ty, of(a)),
            gc::ExprData::Binary(op, a, b) => ExprData::Binary(op, of(a), of(b)),
            gc::ExprData::Ite(a, b, c) => ExprData::Ite(of(a), of(b), of(c)),
            gc::ExprData::Initialised(var) => match self.slots.flags[var] {
                Some(slot) => ExprData::Var(self.current[slot]),
                None => ExprData::Const(BOOL, 1),
            },
            gc::ExprData::Valid(a, b) => ExprData::Valid(memory, of(a), of(b)),
            gc::ExprData::Freeable(a) => ExprData::Freeable(memory, of(a)),
        }
    }
}
