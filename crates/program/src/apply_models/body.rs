//! Models that are a function of one block: its commands, with the call's arguments for the parameters.

use super::Applier;
use cranelift_entity::{EntityRef, SecondaryMap};
use gainsay_ir::gc::{Block, Call, Clobber, CmdKind, Expr, ExprData, Function, Next, Unit, Var};

/// What the parts of a model are in the caller.
struct Renamed {
    /// Only variables that are no parameters.
    vars: SecondaryMap<Var, Option<Var>>,
    exprs: SecondaryMap<Expr, Option<Expr>>,
}

impl Renamed {
    fn var(&self, var: Var) -> Var {
        self.vars[var].expect("a model assigns no parameter")
    }

    fn expr(&self, expr: Expr) -> Expr {
        self.exprs[expr].expect("operands come before their users")
    }
}

impl Applier<'_> {
    pub(super) fn body(&mut self, unit: &Unit, model: &Function, takes_more: bool, call: &Call) {
        if !self.fits(unit, model, takes_more, call) {
            self.call(call, call.returns);
            return;
        }
        let mut renamed = Renamed { vars: SecondaryMap::new(), exprs: SecondaryMap::new() };
        for (var, data) in model.vars.iter().filter(|(var, _)| !model.params.contains(var)) {
            renamed.vars[var] = Some(self.out.temp(data.ty));
        }
        for (expr, &data) in &model.exprs {
            renamed.exprs[expr] = Some(self.node(model, &renamed, data, call));
        }
        let block = &model.blocks[Block::new(0)];
        for cmd in &block.cmds {
            self.command(&renamed, &cmd.kind, call);
        }
        if let (Some(dst), Next::Return(Some(value))) = (call.dst, &block.next) {
            self.out.emit(CmdKind::Assign(dst, renamed.expr(*value)));
        }
    }

    fn fits(&self, unit: &Unit, model: &Function, takes_more: bool, call: &Call) -> bool {
        let enough = if takes_more {
            call.args.len() >= model.params.len()
        } else {
            call.args.len() == model.params.len()
        };
        let same_type = |(&param, &arg): (&Var, &Expr)| model.vars[param].ty == self.out.ty(arg);
        unit.target.pointer_bits == self.out.unit.target.pointer_bits
            && enough
            && model.params.iter().zip(&call.args).all(same_type)
            && call.dst.is_none_or(|dst| Some(self.out.f.vars[dst].ty) == model.result)
    }

    fn node(&mut self, model: &Function, renamed: &Renamed, data: ExprData, call: &Call) -> Expr {
        let of = |expr| renamed.expr(expr);
        let data = match data {
            ExprData::Var(var) => match model.params.iter().position(|&param| param == var) {
                Some(i) => return call.args[i],
                None => ExprData::Var(renamed.var(var)),
            },
            ExprData::Binary(op, a, b) => return self.binary(op, of(a), of(b)),
            ExprData::Unary(op, a) => ExprData::Unary(op, of(a)),
            ExprData::Cast(op, ty, a) => ExprData::Cast(op, ty, of(a)),
            ExprData::Ite(a, b, c) => ExprData::Ite(of(a), of(b), of(c)),
            ExprData::Valid(a, b) => ExprData::Valid(of(a), of(b)),
            ExprData::Freeable(a) => ExprData::Freeable(of(a)),
            ExprData::Const(..)
            | ExprData::Initialised(_)
            | ExprData::ObjectAddr(_)
            | ExprData::SymbolAddr(_) => data,
        };
        self.out.expr(data)
    }

    fn command(&mut self, renamed: &Renamed, cmd: &CmdKind, call: &Call) {
        let (var, of) = (|var| renamed.var(var), |expr| renamed.expr(expr));
        let kind = match cmd {
            CmdKind::Assert(check, holds) => return self.assert(*check, of(*holds)),
            CmdKind::Call(inner) => {
                let dst = inner.dst.map(var);
                return self.call(&Call { dst, ..call.clone() }, inner.returns);
            }
            CmdKind::Assign(dst, value) => CmdKind::Assign(var(*dst), of(*value)),
            CmdKind::Havoc(dst) => CmdKind::Havoc(var(*dst)),
            CmdKind::Enter(dst) => CmdKind::Enter(var(*dst)),
            CmdKind::Assume(holds) => CmdKind::Assume(of(*holds)),
            CmdKind::Copy { dst, src, len } => CmdKind::Copy { dst: of(*dst), src: of(*src), len: of(*len) },
            CmdKind::Fill { dst, byte, len } => {
                CmdKind::Fill { dst: of(*dst), byte: of(*byte), len: of(*len) }
            }
            CmdKind::Alloca { dst, size } => CmdKind::Alloca { dst: var(*dst), size: of(*size) },
            CmdKind::Allocate { dst, size, unset } => {
                CmdKind::Allocate { dst: var(*dst), size: of(*size), unset: *unset }
            }
            CmdKind::Free(pointer) => CmdKind::Free(of(*pointer)),
            CmdKind::Clobber(Clobber::Range { addr, len }) => {
                CmdKind::Clobber(Clobber::Range { addr: of(*addr), len: of(*len) })
            }
            CmdKind::Clobber(Clobber::Escaped) => CmdKind::Clobber(Clobber::Escaped),
            CmdKind::Clobber(Clobber::Errno) => CmdKind::Clobber(Clobber::Errno),
            // The reader of models lets none of these through.
            CmdKind::Clobber(Clobber::Classes(_))
            | CmdKind::Load { .. }
            | CmdKind::Store { .. }
            | CmdKind::EnterObject(_) => return,
        };
        self.out.emit(kind);
    }
}
