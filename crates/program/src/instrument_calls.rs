//! Instruments calls with inferred preconditions: an additional path before each call that follows a known path of the callee
//! and ends in the check that fails there (evidence-based analysis, section 5: a path continues in the callee).
//!
//! For `evidence` only. An inferred precondition is no fact, and a run that takes such a path ends there.

use crate::limits::{MAX_CALLEE_CHECKS, MAX_PATHS_PER_CALL};
use crate::precondition::{Input, Precondition, Substitution};
use crate::summary::GlobalName;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use gainsay_ir::gc::{
    Access, Block, BlockData, Branch, Call, Callee, Class, Cmd, CmdKind, Expr, ExprData, Function, Linkage,
    Loc, Next, Origin, Outcome, Symbol, Unit, Var, VarData, VarKind,
};
use smallvec::smallvec;
use std::collections::{BTreeMap, BTreeSet};

pub struct InstrumentedFunction<'a> {
    pub f: Function,
    /// By the block that ends with the check.
    pub callee_checks: BTreeMap<Block, CalleeCheck<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct CalleeCheck<'a> {
    pub callee: Symbol,
    pub expects: &'a Precondition,
}

/// `identity`: of the unit. `expected`: of a function that the unit calls. `splits`: also by the outcomes of the callee's
/// tests that do not matter to it, because they may testify. Blocks stay in an order that goes forward.
pub fn instrument_calls<'a>(
    identity: &str,
    unit: &Unit,
    f: &Function,
    expected: &dyn Fn(Symbol) -> &'a [Precondition],
    splits: bool,
) -> InstrumentedFunction<'a> {
    let symbols = unit.symbols.iter().map(|(symbol, data)| {
        let unit = (data.linkage == Linkage::Internal).then(|| identity.to_owned());
        (GlobalName { unit, name: data.name.clone() }, symbol)
    });
    let is_called = |cmd: &Cmd| {
        matches!(&cmd.kind, CmdKind::Call(call)
        if matches!(call.callee, Callee::Symbol(symbol) if !expected(symbol).is_empty()))
    };
    let mut instrumenter = Instrumenter {
        unit,
        symbols: BTreeMap::new(),
        relevant: BTreeSet::new(),
        conditions: 1 + f.blocks.values().filter_map(|data| Some(data.branch?.condition)).max().unwrap_or(0),
        old: f,
        f: Function { blocks: PrimaryMap::new(), ..f.clone() },
        callee_checks: BTreeMap::new(),
        splits,
    };
    if f.blocks.values().flat_map(|data| &data.cmds).any(is_called) {
        instrumenter.symbols = symbols.collect();
        instrumenter.relevant = relevant_vars(f);
    }
    let mut renamed: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let mut ends: Vec<(Block, Block)> = Vec::new();
    for (block, data) in &f.blocks {
        let mut current = instrumenter.push(data.branch);
        renamed[block] = Some(current);
        for (index, cmd) in data.cmds.iter().enumerate() {
            // What is checked before the call of the same callee belongs to the call.
            let call = data.cmds[index..]
                .iter()
                .find(|cmd| !is_callee_check(cmd))
                .filter(|_| index == 0 || !is_callee_check(&data.cmds[index - 1]));
            if let Some(Cmd { kind: CmdKind::Call(call), loc }) = call
                && let Callee::Symbol(symbol) = call.callee
            {
                current = instrumenter.before_call(current, symbol, call, *loc, expected(symbol));
            }
            instrumenter.f.blocks[current].cmds.push(cmd.clone());
        }
        ends.push((block, current));
    }
    for (old, new) in ends {
        instrumenter.f.blocks[new].next = match &f.blocks[old].next {
            Next::Goto(targets) => Next::Goto(targets.iter().filter_map(|&target| renamed[target]).collect()),
            other => other.clone(),
        };
    }
    InstrumentedFunction { f: instrumenter.f, callee_checks: instrumenter.callee_checks }
}

fn is_callee_check(cmd: &Cmd) -> bool {
    matches!(cmd.kind, CmdKind::Assert(gainsay_ir::check::Check::CalleeFails, _))
}

struct Instrumenter<'u, 'a> {
    unit: &'u Unit,
    symbols: BTreeMap<GlobalName, Symbol>,
    /// Variables that the function tests or sets, and those that depend on them.
    relevant: BTreeSet<Var>,
    /// The next number of a condition.
    conditions: u32,
    old: &'u Function,
    f: Function,
    callee_checks: BTreeMap<Block, CalleeCheck<'a>>,
    splits: bool,
}

impl<'a> Instrumenter<'_, 'a> {
    fn push(&mut self, branch: Option<Branch>) -> Block {
        self.f.blocks.push(BlockData { branch, cmds: Vec::new(), next: Next::Raise })
    }

    /// The block in which the call goes on.
    fn before_call(
        &mut self,
        block: Block,
        callee: Symbol,
        call: &Call,
        loc: Loc,
        expected: &'a [Precondition],
    ) -> Block {
        let mut paths: Vec<Block> = Vec::new();
        for expects in expected {
            if paths.len() < MAX_PATHS_PER_CALL
                && self.callee_checks.len() < MAX_CALLEE_CHECKS
                && self.is_worth_it(expects, call)
            {
                paths.extend(self.callee_path(callee, call, loc, expects, None));
                let tested: &[Input] = if self.splits { &expects.tested } else { &[] };
                for test in tested.iter().flat_map(|test| [test.clone(), test.clone().negated()]) {
                    paths.extend(self.callee_path(callee, call, loc, expects, Some(&test)));
                }
            }
        }
        if paths.is_empty() {
            return block;
        }
        let rest = self.push(None);
        let mut targets = smallvec![rest];
        targets.extend(paths);
        self.f.blocks[block].next = Next::Goto(targets);
        rest
    }

    /// The path into the callee, if it can be expressed in the caller.
    fn callee_path(
        &mut self,
        callee: Symbol,
        call: &Call,
        loc: Loc,
        expects: &'a Precondition,
        also: Option<&Input>,
    ) -> Option<Block> {
        let (mut first, mut last) = (None, None);
        let mut cmds = Vec::new();
        let mut blocks: Vec<(Option<Branch>, Vec<Cmd>)> = Vec::new();
        for test in expects.when.iter().chain(also) {
            let holds = self.expr(test, call, loc, &mut cmds)?;
            blocks.push((None, std::mem::take(&mut cmds)));
            let branch = Branch { condition: self.conditions, origin: Origin::Model, outcome: Outcome::True };
            self.conditions += 1;
            blocks.push((Some(branch), vec![Cmd { kind: CmdKind::Assume(holds), loc }]));
        }
        let holds = self.expr(&expects.fails.clone().negated(), call, loc, &mut cmds)?;
        cmds.push(Cmd { kind: CmdKind::Assert(expects.check, holds), loc });
        blocks.push((None, cmds));
        for (branch, cmds) in blocks {
            let block = self.push(branch);
            self.f.blocks[block].cmds = cmds;
            if let Some(last) = last {
                let last: Block = last;
                self.f.blocks[last].next = Next::Goto(smallvec![block]);
            }
            first.get_or_insert(block);
            last = Some(block);
        }
        self.callee_checks.insert(last?, CalleeCheck { callee, expects });
        first
    }

    fn expr(&mut self, input: &Input, call: &Call, loc: Loc, cmds: &mut Vec<Cmd>) -> Option<Expr> {
        let data = match input {
            Input::Const(ty, value) => ExprData::Const(*ty, *value),
            Input::Param(i, ty) => {
                let arg = *call.args.get(*i as usize)?;
                return (self.f.ty(arg, self.unit.target.pointer_bits) == *ty).then_some(arg);
            }
            Input::Global(name) => ExprData::SymbolAddr(*self.symbols.get(name)?),
            Input::Load { addr, ty, class } => {
                let is_it = |(_, data): &(Class, &gainsay_ir::gc::ClassData)| *data == class;
                let class = self.unit.classes.iter().find(is_it)?.0;
                let addr = self.expr(addr, call, loc, cmds)?;
                let name = format!("k.{}", self.f.vars.len());
                let dst = self.f.vars.push(VarData { name, ty: *ty, kind: VarKind::Temp });
                let access = Access { ty: *ty, class, volatile: false };
                cmds.push(Cmd { kind: CmdKind::Load { dst, addr, access }, loc });
                ExprData::Var(dst)
            }
            Input::Unary(op, a) => ExprData::Unary(*op, self.expr(a, call, loc, cmds)?),
            Input::Cast(op, ty, a) => ExprData::Cast(*op, *ty, self.expr(a, call, loc, cmds)?),
            Input::Binary(op, a, b) => {
                let (a, b) = (self.expr(a, call, loc, cmds)?, self.expr(b, call, loc, cmds)?);
                ExprData::Binary(*op, a, b)
            }
        };
        Some(self.f.exprs.push(data))
    }

    /// False if constants exclude the failure, or if the function neither tests nor sets the value.
    fn is_worth_it(&self, expects: &Precondition, call: &Call) -> bool {
        let args = |i: u32| {
            let arg = *call.args.get(i as usize)?;
            Some(match self.old.exprs[arg] {
                ExprData::Const(ty, value) => Input::Const(ty, value),
                ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_) => {
                    Input::Global(GlobalName { unit: None, name: String::new() })
                }
                _ => Input::Param(i, self.old.ty(arg, self.unit.target.pointer_bits)),
            })
        };
        let at =
            Substitution { args: &args, is_untouched: true, pointer_bits: self.unit.target.pointer_bits };
        let is_false =
            |input: &Input| input.substituted(&at).is_some_and(|input| input.as_bool() == Some(false));
        if is_false(&expects.fails) || expects.when.iter().any(is_false) {
            return false;
        }
        let is_known = |input: &&Input| match input {
            Input::Param(i, _) => call.args.get(*i as usize).is_some_and(|&arg| {
                matches!(self.old.exprs[arg], ExprData::Const(..)) || reads_any(self.old, arg, &self.relevant)
            }),
            _ => true,
        };
        expects.fails.about().iter().any(is_known)
    }
}

fn vars(f: &Function, root: Expr) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(expr) = stack.pop() {
        if let ExprData::Var(var) = f.exprs[expr] {
            found.insert(var);
        }
        stack.extend(f.exprs[expr].operands());
    }
    found
}

fn reads_any(f: &Function, root: Expr, wanted: &BTreeSet<Var>) -> bool {
    !vars(f, root).is_disjoint(wanted)
}

/// Variables that are tested or assigned a constant, and those connected to them by assignments and loads.
fn relevant_vars(f: &Function) -> BTreeSet<Var> {
    let cmds = || f.blocks.values().flat_map(|data| &data.cmds);
    let mut relevant: BTreeSet<Var> = BTreeSet::new();
    for cmd in cmds() {
        match cmd.kind {
            CmdKind::Assume(holds) => relevant.extend(vars(f, holds)),
            CmdKind::Assign(var, value) if matches!(f.exprs[value], ExprData::Const(..)) => {
                relevant.insert(var);
            }
            _ => {}
        }
    }
    loop {
        let before = relevant.len();
        for cmd in cmds() {
            let (CmdKind::Assign(var, from) | CmdKind::Load { dst: var, addr: from, .. }) = cmd.kind else {
                continue;
            };
            let of = vars(f, from);
            if relevant.contains(&var) {
                relevant.extend(of);
            } else if !of.is_disjoint(&relevant) {
                relevant.insert(var);
            }
        }
        if relevant.len() == before {
            return relevant;
        }
    }
}
