//! Adds the facts of a summary to every call of a summarised function: what it writes and retains, whether it returns, its
//! result, and the arguments with which it does not return.
//!
//! Arguments with which the callee certainly fails become a check before the call. If it may exit instead, the condition is
//! assumed after the call, because a run that ends in the callee may end well. Branches of callees are not analysed
//! (universal reachability, section 3.5).

mod callees;
mod conditions;
mod exit_state;

pub use callees::{CalleeSummaries, UnitNames};

use crate::call_rewriter::CallRewriter;
use crate::summary::{Returns, Summary};
use callees::ResolvedSummary;
use exit_state::ContentsAfterCall;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    BinaryOp, Call, CallBase, CallWrite, Callee, Cmd, CmdKind, Expr, ExprData, Function, KEEPS_ALL, Next,
    SymbolKind, Unit, Var,
};
use gainsay_ir::types::Type;

/// `callees`: of the same unit.
pub fn apply_summaries(unit: &Unit, callees: &CalleeSummaries, f: Function) -> Function {
    let calls = f.blocks.values().flat_map(|data| &data.cmds).filter_map(|cmd| match &cmd.kind {
        CmdKind::Call(call) => Some(call),
        _ => None,
    });
    // Calls have the same numbers as in the body facts.
    let known: Vec<Option<&ResolvedSummary>> =
        calls.enumerate().map(|(number, call)| callees.get(f.symbol, number as u32, call)).collect();
    if known.iter().all(Option::is_none) {
        return f;
    }
    let mut known = known.into_iter();
    let mut applier = Applier { out: CallRewriter::new(unit, f, "k") };
    for block in applier.out.f.blocks.keys() {
        if !applier.out.f.blocks[block].cmds.iter().any(|cmd| matches!(cmd.kind, CmdKind::Call(_))) {
            continue;
        }
        let cmds = std::mem::take(&mut applier.out.f.blocks[block].cmds);
        applier.out.cmds.reserve(cmds.len());
        let mut end = None;
        for cmd in cmds {
            let known = match &cmd.kind {
                CmdKind::Call(_) => known.next().flatten(),
                _ => None,
            };
            match (known, &cmd.kind) {
                _ if end.is_some() => {}
                (Some(known), CmdKind::Call(call)) => {
                    applier.out.loc = cmd.loc;
                    end = applier.call(known, call);
                }
                _ => applier.out.cmds.push(cmd),
            }
        }
        if let Some(end) = end {
            applier.out.f.blocks[block].next = end;
        }
        applier.out.f.blocks[block].cmds = std::mem::take(&mut applier.out.cmds);
    }
    applier.out.f
}

struct Applier<'a> {
    out: CallRewriter<'a>,
}

impl Applier<'_> {
    /// How the block ends, if the call does not return.
    fn call(&mut self, known: &ResolvedSummary, call: &Call) -> Option<Next> {
        let summary = known.summary;
        let mut call = Call {
            returns: call.returns
                || matches!(summary.returns, Returns::Surely | Returns::Never { in_error: true }),
            writes: known.writes.as_ref().map(|writes| writes_of(writes, call)),
            keeps: call.keeps & keeps(summary, call),
            ..call.clone()
        };
        if let Returns::Never { in_error } = summary.returns {
            self.out.emit(CmdKind::Call(Box::new(call)));
            return Some(if in_error { Next::Error } else { Next::Raise });
        }
        for holds in self.nonnull(summary, &call) {
            self.emit_check(holds);
        }
        let required = self.required(summary, &call);
        if call.returns {
            for &holds in &required {
                self.emit_check(holds);
            }
        }
        let dst = call.dst;
        let same = summary.result.equals.and_then(|i| self.argument_as_result(&call, i));
        if same.is_some() {
            call.dst = None;
        }
        let behind: Vec<Expr> = if call.returns {
            Vec::new()
        } else {
            required.into_iter().map(|holds| self.kept(holds, call.dst)).collect()
        };
        let contents: Vec<ContentsAfterCall> =
            known.exit_state.iter().filter_map(|fact| self.contents_after_call(fact, &call)).collect();
        self.out.emit(CmdKind::Call(Box::new(call)));
        contents.into_iter().for_each(|known| self.emit_contents(known));
        for holds in behind {
            self.out.emit(CmdKind::Assume(holds));
        }
        if let Some(dst) = dst {
            if let Some(same) = same {
                self.out.emit(CmdKind::Assign(dst, same));
            }
            self.result_facts(&summary.result, dst);
        }
        None
    }

    /// Conditions without which the callee fails, and does not exit either.
    fn nonnull(&mut self, summary: &Summary, call: &Call) -> Vec<Expr> {
        let mut required = Vec::new();
        for (facts, &arg) in summary.params.iter().zip(&call.args) {
            if facts.nonnull && self.out.ty(arg) == Type::Ptr && !self.out.is_never_null(arg) {
                let null = self.out.constant(Type::Ptr, 0);
                required.push(self.out.expr(ExprData::Binary(BinaryOp::Ne, arg, null)));
            }
        }
        required
    }

    /// Conditions on the arguments that hold if the callee returns.
    fn required(&mut self, summary: &Summary, call: &Call) -> Vec<Expr> {
        summary.leaves_if.iter().filter_map(|atoms| self.not_all(atoms, call)).collect()
    }

    /// A check that was just made is not made again.
    fn emit_check(&mut self, holds: Expr) {
        let asserted = |cmd: &&Cmd| matches!(cmd.kind, CmdKind::Assert(..));
        let is_same = |cmd: &Cmd| match cmd.kind {
            CmdKind::Assert(_, before) => self.out.is_same(before, holds),
            _ => false,
        };
        if !self.out.cmds.iter().rev().take_while(asserted).any(is_same) {
            self.out.emit(CmdKind::Assert(Check::CalleeFails, holds));
        }
    }

    /// A value for use after the call: copied to a temporary if the call assigns a variable that it reads.
    fn kept(&mut self, value: Expr, dst: Option<Var>) -> Expr {
        if !dst.is_some_and(|dst| self.reads(value, dst)) {
            return value;
        }
        let before = self.out.temp(self.out.ty(value));
        self.out.emit(CmdKind::Assign(before, value));
        self.out.expr(ExprData::Var(before))
    }

    fn reads(&self, root: Expr, var: Var) -> bool {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if self.out.f.exprs[expr] == ExprData::Var(var) {
                return true;
            }
            stack.extend(self.out.f.exprs[expr].operands());
        }
        false
    }

    /// The argument, if the result can be it.
    fn argument_as_result(&self, call: &Call, i: u32) -> Option<Expr> {
        let (dst, &arg) = (call.dst?, call.args.get(i as usize)?);
        (self.is_declared(call, i) && self.out.ty(arg) == self.out.f.vars[dst].ty).then_some(arg)
    }

    /// Without a prototype, an argument may have another type than the parameter.
    fn is_declared(&self, call: &Call, param: u32) -> bool {
        // A call through a pointer has a summary only if the types agree.
        let Callee::Symbol(symbol) = call.callee else { return true };
        match &self.out.unit.symbols[symbol].kind {
            SymbolKind::Function(facts) => (param as usize) < facts.params.len(),
            SymbolKind::Object(_) => false,
        }
    }
}

/// The writes of the callee where the call has the argument; others may be anywhere.
fn writes_of(writes: &[CallWrite], call: &Call) -> Vec<CallWrite> {
    let mut writes = writes.to_vec();
    for write in &mut writes {
        if matches!(write.base, CallBase::Argument(i) if i as usize >= call.args.len()) {
            write.base = CallBase::Anywhere;
        }
    }
    writes
}

fn keeps(summary: &Summary, call: &Call) -> u64 {
    let unretained = summary.params.iter().zip(&call.args).take(64).enumerate();
    unretained.filter(|(_, (facts, _))| !facts.may_escape).fold(KEEPS_ALL, |keeps, (i, _)| keeps & !(1 << i))
}
