//! Models that are one line of attributes.

use super::Applier;
use crate::models::{Gives, Kind, Line};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    BinaryOp, Call, CallBase, CallWrite, Callee, Class, Clobber, CmdKind, Expr, ExprData, InitPart, Next,
    SymbolKind, Var, VarKind,
};
use gainsay_ir::types::{BOOL, Type};

impl Applier<'_> {
    /// How the block ends, if the call does not return.
    pub(super) fn line(&mut self, line: &Line, call: &Call) -> Option<Next> {
        for (i, &arg) in call.args.iter().enumerate().take(64) {
            self.argument(line, i, arg);
        }
        if let (Some(text), Some(dst)) = (line.text, call.dst) {
            self.mark_of_text(dst, text);
        }
        match line.kind {
            Kind::Reads if line.exits.is_some() => {
                let effects = self.keeping(line, call);
                self.call(&effects, false);
                return self.exits(line, call);
            }
            Kind::Reads if line.keeps == 0 => {
                self.effects(line, call);
                if let Some(dst) = call.dst {
                    self.result(line.gives, dst, call);
                }
            }
            Kind::Reads => {
                let effects = self.keeping(line, call);
                self.call(&effects, true);
                if let Some(dst) = call.dst {
                    self.fact(line.gives, dst);
                }
            }
            Kind::Returns | Kind::Unknown => {
                self.call(call, line.kind != Kind::Unknown);
                if let Some(dst) = call.dst {
                    self.fact(line.gives, dst);
                }
            }
            // The run ends here, so what they write does not matter.
            Kind::Raise => {
                self.call(&doing(call, Vec::new(), 0), false);
                return Some(Next::Raise);
            }
            Kind::Error => {
                self.call(&doing(call, Vec::new(), 0), true);
                return Some(Next::Error);
            }
            // Programs define functions of these names that return.
            Kind::Assertion if !self.is_noreturn(call) => self.call(call, false),
            Kind::Assertion => {
                let never = self.out.constant(BOOL, 0);
                self.assert(Check::Assertion, never);
                return Some(Next::Error);
            }
        }
        None
    }

    /// See [`VarKind::OfText`].
    fn mark_of_text(&mut self, dst: Var, text: u8) {
        let kind = &mut self.out.f.vars[dst].kind;
        if *kind == VarKind::Temp {
            *kind = VarKind::OfText(u32::from(text));
        }
    }

    /// If the call returns, the status was zero.
    fn exits(&mut self, line: &Line, call: &Call) -> Option<Next> {
        let &status = call.args.get(usize::from(line.exits?))?;
        let (ty @ Type::Int(_), data) = (self.out.ty(status), self.out.f.exprs[status]) else { return None };
        match data {
            ExprData::Const(_, 0) => None,
            ExprData::Const(..) => Some(Next::Raise),
            _ => {
                let zero = self.out.constant(ty, 0);
                let holds = self.binary(BinaryOp::Eq, status, zero);
                self.out.emit(CmdKind::Assume(holds));
                None
            }
        }
    }

    fn is_noreturn(&self, call: &Call) -> bool {
        match call.callee {
            Callee::Symbol(symbol) => match &self.out.unit.symbols[symbol].kind {
                SymbolKind::Function(facts) => facts.noreturn,
                SymbolKind::Object(_) => false,
            },
            Callee::Pointer(_) => false,
        }
    }

    fn argument(&mut self, line: &Line, i: usize, arg: Expr) {
        let (is_live, is_nonnull) = (line.live >> i & 1 == 1, line.nonnull >> i & 1 == 1);
        if self.out.ty(arg) != Type::Ptr || !(is_live || is_nonnull) {
            return;
        }
        let null = self.out.constant(Type::Ptr, 0);
        let nonnull = self.binary(BinaryOp::Ne, arg, null);
        self.assert(Check::NonnullArgument, nonnull);
        if is_live && !self.out.is_never_null(arg) {
            let one = self.out.constant(self.word(), 1);
            let valid = self.out.expr(ExprData::Valid(arg, one));
            self.assert(Check::InvalidAccess, valid);
        }
    }

    fn effects(&mut self, line: &Line, call: &Call) {
        let written = line.writes | self.printed(line, call);
        for (i, &addr) in call.args.iter().enumerate().take(64) {
            if written >> i & 1 == 1 && self.out.ty(addr) == Type::Ptr {
                let len = self.unknown(self.word());
                self.out.emit(CmdKind::Clobber(Clobber::Range { addr, len }));
            }
        }
        if line.errno {
            self.out.emit(CmdKind::Clobber(Clobber::Errno));
        }
        let classes = self.classes_written(line, call);
        if !classes.is_empty() {
            self.out.emit(CmdKind::Clobber(Clobber::Classes(classes)));
        }
        for (i, &pointer) in call.args.iter().enumerate().take(64) {
            if line.frees >> i & 1 == 1 && self.out.ty(pointer) == Type::Ptr {
                self.out.emit(CmdKind::Free(pointer));
            }
        }
    }

    /// The call of a function that keeps something, with all that it writes.
    fn keeping(&self, line: &Line, call: &Call) -> Call {
        let (anything, int) = (self.classes.anything, self.classes.int);
        let is_written = |i: &u32| line.writes >> i & 1 == 1;
        let args = (0..call.args.len().min(64) as u32).filter(is_written);
        let mut writes: Vec<CallWrite> =
            args.map(|i| CallWrite { base: CallBase::Argument(i), class: anything }).collect();
        let classes = self.classes_written(line, call).into_iter();
        writes.extend(classes.map(|class| CallWrite { base: CallBase::Anywhere, class }));
        writes.extend(line.errno.then_some(CallWrite { base: CallBase::Errno, class: int }));
        writes.sort();
        doing(call, writes, line.keeps)
    }

    /// What is written wherever it is.
    fn classes_written(&self, line: &Line, call: &Call) -> Vec<Class> {
        let known = self.classes;
        let mut classes = Vec::new();
        if line.stdio {
            classes.extend(&known.streams);
        }
        if line.chars {
            classes.push(known.char);
        }
        if line.syncs {
            classes.extend([known.pointer, known.word]);
        }
        let records = known.records.iter().enumerate();
        classes.extend(records.filter(|(i, _)| line.records >> i & 1 == 1).map(|(_, &class)| class));
        if self.may_write_through_format(line, call) {
            classes.extend(&known.integers);
        }
        classes.sort();
        classes.dedup();
        classes
    }

    fn result(&mut self, gives: Gives, dst: Var, call: &Call) {
        let ty = self.out.f.vars[dst].ty;
        let pointer = |i: u8| {
            call.args
                .get(usize::from(i))
                .copied()
                .filter(|&arg| ty == Type::Ptr && self.out.ty(arg) == Type::Ptr)
        };
        match gives {
            Gives::Argument(i) if pointer(i).is_some() => {
                self.out.emit(CmdKind::Assign(dst, call.args[usize::from(i)]));
            }
            // Built from the argument, so that escape analysis finds it.
            Gives::Within(i) if pointer(i).is_some() => {
                let (is_null, offset) = (self.unknown(BOOL), self.unknown(self.word()));
                let inside =
                    self.out.expr(ExprData::Binary(BinaryOp::PtrAdd, call.args[usize::from(i)], offset));
                let null = self.out.constant(Type::Ptr, 0);
                let value = self.out.expr(ExprData::Ite(is_null, null, inside));
                self.out.emit(CmdKind::Assign(dst, value));
            }
            Gives::Fresh if ty == Type::Ptr => {
                let size = self.unknown(self.word());
                let one = self.out.constant(self.word(), 1);
                let some = self.out.expr(ExprData::Binary(BinaryOp::ULe, one, size));
                self.out.emit(CmdKind::Assume(some));
                self.out.emit(CmdKind::Allocate { dst, size, unset: false });
            }
            _ => {
                self.out.emit(CmdKind::Havoc(dst));
                self.fact(gives, dst);
            }
        }
    }

    /// What is known of the result once it is there.
    fn fact(&mut self, gives: Gives, dst: Var) {
        let ty = self.out.f.vars[dst].ty;
        let op = match (gives, ty) {
            (Gives::Nonnull, Type::Ptr) => BinaryOp::Ne,
            (Gives::Natural, Type::Int(_)) => BinaryOp::SLe,
            _ => return,
        };
        let zero = self.out.constant(ty, 0);
        let value = self.out.expr(ExprData::Var(dst));
        let holds = self.out.expr(match op {
            BinaryOp::Ne => ExprData::Binary(op, value, zero),
            _ => ExprData::Binary(op, zero, value),
        });
        self.out.emit(CmdKind::Assume(holds));
    }

    /// The arguments that `%n` may write to.
    fn printed(&self, line: &Line, call: &Call) -> u64 {
        match line.format {
            Some(format) if self.may_write_through_format(line, call) => {
                u64::MAX.checked_shl(u32::from(format) + 1).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// A pointer is printed by a format that is not known, or that says `%n`.
    fn may_write_through_format(&self, line: &Line, call: &Call) -> bool {
        let Some(index) = line.format.map(usize::from) else { return false };
        let printed = call.args.get(index + 1..).unwrap_or(&[]);
        printed.iter().any(|&arg| self.out.ty(arg) == Type::Ptr)
            && call.args.get(index).and_then(|&format| self.literal(format)).is_none_or(writes_a_count)
    }

    /// The bytes of a constant string.
    fn literal(&self, expr: Expr) -> Option<&[u8]> {
        let ExprData::SymbolAddr(symbol) = self.out.f.exprs[expr] else { return None };
        let SymbolKind::Object(facts) = &self.out.unit.symbols[symbol].kind else { return None };
        match facts.init.as_ref().filter(|_| facts.constant)?.parts.as_slice() {
            [] => Some(&[]),
            [(0, InitPart::Bytes(bytes))] => Some(bytes),
            _ => None,
        }
    }
}

/// The call of a function of which all is known that it writes and keeps.
fn doing(call: &Call, writes: Vec<CallWrite>, keeps: u64) -> Call {
    let given = 1u64.checked_shl(call.args.len() as u32).unwrap_or(0).wrapping_sub(1);
    Call { writes: Some(writes), keeps: keeps | !given, ..call.clone() }
}

/// Is there a `%n`, with whatever stands between?
fn writes_a_count(format: &[u8]) -> bool {
    format.split(|&byte| byte == b'%').skip(1).any(|conversion| {
        let mut rest = conversion.iter().filter(|byte| !b"hlLqjzt".contains(byte));
        rest.find(|byte| byte.is_ascii_alphabetic()) == Some(&b'n')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_in_formats() {
        assert!(writes_a_count(b"%d%n"));
        assert!(writes_a_count(b"%-5lln"));
        assert!(!writes_a_count(b"100%s none\n"));
        assert!(!writes_a_count(b"%lu of n"));
    }
}
