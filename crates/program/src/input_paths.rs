//! Input paths: paths from the entry of a function to its checks and calls that its inputs alone decide. Inferred
//! preconditions are made of them (evidence-based analysis, section 5).
//!
//! One forward pass without the back edges of loops. Each block has a few states, each a path with its tests. Two paths that
//! differ only in the outcome of one test are merged: that test does not matter. A path that depends on a value that is no
//! expression over the inputs is dropped.

mod live;
mod state;

use crate::limits::{MAX_BLOCKS, MAX_INPUT_PATHS, MAX_PATH_STATES, MAX_PATHS_PER_END};
use crate::precondition::{Input, InputPath, InputPathEnd, ProgramPlace};
use crate::summary::GlobalName;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    Block, Callee, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Linkage, Loc, Next, Origin, Outcome,
    Symbol, Unit, Var,
};
use gainsay_ir::passes::prune;
use gainsay_ir::passes::segments::heads;
use state::{Guard, PathState, PathTest, PathValue, Unknown};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// `identity`: of the unit, for names with internal linkage. `f` has its models.
pub fn input_paths(identity: &str, unit: &Unit, f: &Function) -> Vec<InputPath> {
    if f.blocks.len() > MAX_BLOCKS {
        return Vec::new();
    }
    let f = prune(f.clone());
    let mut in_loop: BTreeSet<Block> = BTreeSet::new();
    heads(&f).iter().for_each(|cut| in_loop.extend(&cut.members));
    let mut walker = Walker { identity, unit, f: &f, in_loop, paths: Vec::new() };
    let live = live::live(&f);
    let mut arriving: BTreeMap<Block, Vec<PathState>> = BTreeMap::new();
    arriving.insert(Block::from_u32(0), vec![PathState::at_entry(&f)]);
    // Blocks come after their predecessors, except along back edges.
    for block in f.blocks.keys() {
        let Some(states) = arriving.remove(&block) else { continue };
        for mut state in states {
            if !walker.block(block, &mut state) {
                continue;
            }
            for &target in f.blocks[block].next.targets() {
                if target <= block {
                    continue;
                }
                let state = state.going_on(&live[target]);
                state::arrive(arriving.entry(target).or_default(), state, target, MAX_PATH_STATES);
            }
        }
    }
    walker.paths
}

struct Walker<'a> {
    identity: &'a str,
    unit: &'a Unit,
    f: &'a Function,
    /// Blocks that are part of a loop.
    in_loop: BTreeSet<Block>,
    paths: Vec<InputPath>,
}

impl Walker<'_> {
    /// Does the run go on from its end?
    fn block(&mut self, block: Block, state: &mut PathState) -> bool {
        let data = &self.f.blocks[block];
        for (index, cmd) in data.cmds.iter().enumerate() {
            let at = (block.as_u32(), index as u32);
            if !self.command(block, at, cmd, state) {
                return false;
            }
        }
        match data.next {
            Next::Goto(_) => true,
            Next::Error => {
                if let Some(last) = data.cmds.last() {
                    self.aborts(Check::Assertion, last.loc, state);
                }
                false
            }
            Next::Return(_) | Next::Raise => false,
        }
    }

    fn command(&mut self, block: Block, at: (u32, u32), cmd: &Cmd, state: &mut PathState) -> bool {
        let unknown = PathValue::Unknown(Unknown::Command(at.0, at.1));
        match &cmd.kind {
            CmdKind::Assign(var, value) => {
                let value =
                    self.value(*value, state).map_or(unknown, |value| PathValue::Known(Rc::new(value)));
                state.values.insert(*var, value);
            }
            CmdKind::Havoc(var) | CmdKind::Enter(var) => {
                state.values.insert(*var, unknown);
            }
            CmdKind::Alloca { dst, .. } | CmdKind::Allocate { dst, .. } => {
                state.values.insert(*dst, unknown);
            }
            CmdKind::Load { dst, addr, access } => {
                let class = &self.unit.classes[access.class];
                let addr = self
                    .value(*addr, state)
                    .filter(|_| !access.volatile && state.keeps(self.unit, access.class));
                let value = match addr {
                    Some(addr) => Input::Load { addr: Box::new(addr), ty: access.ty, class: class.clone() },
                    None => {
                        let unknown = Unknown::Memory(access.class.as_u32());
                        state.values.insert(*dst, PathValue::Unknown(unknown));
                        return true;
                    }
                };
                state
                    .values
                    .insert(*dst, if value.is_small() { PathValue::Known(Rc::new(value)) } else { unknown });
            }
            CmdKind::Store { addr, access, .. } => {
                if !self.is_local(*addr) {
                    state.write(access.class);
                }
            }
            CmdKind::Copy { dst, .. } | CmdKind::Fill { dst, .. } => {
                if !self.is_local(*dst) {
                    state.written = None;
                }
            }
            CmdKind::Clobber(clobber) => match clobber {
                Clobber::Range { addr, .. } if self.is_local(*addr) => {}
                Clobber::Classes(classes) => classes.iter().for_each(|&class| state.write(class)),
                Clobber::Errno => {}
                Clobber::Escaped | Clobber::Range { .. } => state.written = None,
            },
            CmdKind::EnterObject(_) | CmdKind::Free(_) => {}
            CmdKind::Call(_) => self.call(cmd, unknown, state),
            CmdKind::Assume(holds) => return self.assume(block, *holds, state),
            CmdKind::Assert(check, holds) => return self.check(*check, *holds, cmd.loc, state),
        }
        true
    }

    fn call(&mut self, cmd: &Cmd, unknown: PathValue, state: &mut PathState) {
        let CmdKind::Call(call) = &cmd.kind else { return };
        if let Callee::Symbol(symbol) = call.callee {
            let args = call
                .args
                .iter()
                .map(|&arg| (self.f.ty(arg, self.unit.target.pointer_bits), self.value(arg, state)));
            let end = InputPathEnd::Calls {
                callee: self.name(symbol),
                args: args.collect(),
                is_untouched: state.written.as_ref().is_some_and(BTreeSet::is_empty),
            };
            self.add_path(end, cmd.loc, state);
        }
        if !call.returns {
            let name = match call.callee {
                Callee::Symbol(symbol) => self.name(symbol),
                Callee::Pointer(_) => GlobalName { unit: None, name: String::new() },
            };
            if !state.may_not_return.contains(&name) {
                state.may_not_return.push(name);
                state.may_not_return.sort();
            }
        }
        match &call.writes {
            Some(writes) => writes.iter().for_each(|write| state.write(write.class)),
            None => state.written = None,
        }
        if let Some(dst) = call.dst {
            state.values.insert(dst, unknown);
        }
    }

    fn assume(&self, block: Block, holds: Expr, state: &mut PathState) -> bool {
        let branch = self.f.blocks[block].branch;
        match self.value(holds, state) {
            Some(input) => match input.as_bool() {
                Some(holds) => holds,
                None => {
                    let is_meant = branch.is_some_and(|branch| {
                        let origin = branch.origin;
                        !matches!(origin, Origin::LoopEntry | Origin::LoopAgain | Origin::Model)
                    });
                    let testifies = is_meant && !self.in_loop.contains(&block);
                    state.assume(
                        Guard { test: PathTest::Known(Rc::new(input)), testifies },
                        self.unit.target.pointer_bits,
                    )
                }
            },
            None => {
                let outcome = branch.map(|branch| (branch.condition, branch.outcome));
                let (condition, is_true) = match outcome {
                    Some((condition, Outcome::True)) => (condition, true),
                    Some((condition, Outcome::False)) => (condition, false),
                    // Never the other side of anything.
                    _ => (u32::MAX - block.as_u32(), true),
                };
                let (unknowns, is_mixed) = self.unknowns(holds, state);
                let test = PathTest::Other { condition, is_true, unknowns, is_mixed };
                state.guards.push(Guard { test, testifies: false });
                true
            }
        }
    }

    fn check(&mut self, check: Check, holds: Expr, loc: Loc, state: &mut PathState) -> bool {
        let Some(holds) = self.value(holds, state) else { return true };
        match holds.as_bool() {
            Some(true) => return true,
            Some(false) => {
                if matches!(check, Check::Assertion | Check::Unreachable) {
                    self.aborts(check, loc, state);
                }
                return false;
            }
            None => {}
        }
        let bits = self.unit.target.pointer_bits;
        if state.knows(&holds, bits) {
            return true;
        }
        let fails = holds.clone().negated();
        self.add_path(InputPathEnd::Fails { check, fails }, loc, state);
        if state.knows(&holds.clone().negated(), bits) {
            return false;
        }
        state.passed_checks.push(Rc::new(holds));
        true
    }

    /// A test followed by an abort asserts that the test fails (section 4.1).
    fn aborts(&mut self, check: Check, loc: Loc, state: &PathState) {
        let mut state = state.clone();
        if let Some(Guard { test: PathTest::Known(fails), .. }) = state.guards.pop() {
            self.add_path(InputPathEnd::Fails { check, fails: Input::clone(&fails) }, loc, &state);
        }
    }

    /// Records a path that ends here, if its inputs alone decide it.
    fn add_path(&mut self, end: InputPathEnd, loc: Loc, state: &PathState) {
        let Some(when) = state.conditions() else { return };
        if let InputPathEnd::Fails { fails, .. } = &end {
            let bits = self.unit.target.pointer_bits;
            // The function itself testifies that the input is legal, so the failure is its own.
            let testifies = |guard: &Guard| {
                guard.testifies && matches!(&guard.test, PathTest::Known(test) if test.implies(fails, bits))
            };
            if fails.about().is_empty() || state.guards.iter().any(testifies) {
                return;
            }
        }
        let same = |path: &&InputPath| path.loc == loc && is_same_end(&path.end, &end);
        let known: Vec<&InputPath> = self.paths.iter().filter(same).collect();
        let is_covered =
            |path: &&InputPath| path.end == end && path.when.iter().all(|test| when.contains(test));
        if known.len() >= MAX_PATHS_PER_END
            || self.paths.len() >= MAX_INPUT_PATHS
            || known.iter().any(is_covered)
        {
            return;
        }
        let function = self.unit.symbols[self.f.symbol].name.clone();
        let place = ProgramPlace { function, ..ProgramPlace::default() };
        let tested = state.tested.iter().map(|test| Input::clone(test)).collect();
        let may_not_return = state.may_not_return.clone();
        self.paths.push(InputPath { when, tested, may_not_return, end, loc, place });
    }

    /// The value as an expression over the inputs.
    fn value(&self, root: Expr, state: &PathState) -> Option<Input> {
        let bits = self.unit.target.pointer_bits;
        let value = match self.f.exprs[root] {
            ExprData::Const(ty, value) => Input::Const(ty, value),
            ExprData::Var(var) => match state.values.get(&var)? {
                PathValue::Known(input) => Input::clone(input),
                PathValue::Unknown(_) => return None,
            },
            ExprData::SymbolAddr(symbol) if self.unit.symbols[symbol].linkage != Linkage::Weak => {
                Input::Global(self.name(symbol))
            }
            ExprData::Unary(op, a) => Input::unary(op, self.value(a, state)?, bits),
            ExprData::Cast(op, ty, a) => Input::cast(op, ty, self.value(a, state)?, bits),
            ExprData::Binary(op, a, b) => {
                Input::binary(op, self.value(a, state)?, self.value(b, state)?, bits)
            }
            _ => return None,
        };
        Some(value).filter(Input::is_small)
    }

    /// What the condition depends on that is no input, and whether it depends on inputs as well.
    fn unknowns(&self, root: Expr, state: &PathState) -> (BTreeSet<Unknown>, bool) {
        let (mut unknowns, mut is_mixed) = (BTreeSet::new(), false);
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            match &self.f.exprs[expr] {
                ExprData::Var(var) => match state.values.get(var) {
                    Some(PathValue::Unknown(unknown)) => {
                        unknowns.insert(*unknown);
                    }
                    Some(PathValue::Known(input)) => is_mixed |= !input.about().is_empty(),
                    None => is_mixed = true,
                },
                ExprData::Initialised(_) | ExprData::Valid(..) | ExprData::Freeable(_) => is_mixed = true,
                other => stack.extend(other.operands()),
            }
        }
        (unknowns, is_mixed)
    }

    fn name(&self, symbol: Symbol) -> GlobalName {
        let data = &self.unit.symbols[symbol];
        let unit = (data.linkage == Linkage::Internal).then(|| self.identity.to_owned());
        GlobalName { unit, name: data.name.clone() }
    }

    /// A place in an object of the function's own.
    fn is_local(&self, mut addr: Expr) -> bool {
        while let ExprData::Binary(gainsay_ir::gc::BinaryOp::PtrAdd, base, _) = self.f.exprs[addr] {
            addr = base;
        }
        matches!(self.f.exprs[addr], ExprData::ObjectAddr(_))
    }
}

fn is_same_end(a: &InputPathEnd, b: &InputPathEnd) -> bool {
    match (a, b) {
        (InputPathEnd::Fails { check: a, .. }, InputPathEnd::Fails { check: b, .. }) => a == b,
        (InputPathEnd::Calls { .. }, InputPathEnd::Calls { .. }) => true,
        _ => false,
    }
}

type Values = BTreeMap<Var, PathValue>;
