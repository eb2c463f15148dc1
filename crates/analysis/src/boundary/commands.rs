//! Commands and expressions of an exact run.

use super::inputs::{InputKey, Site};
use super::machine::{Alternative, End, Frame, Machine, possible_bool};
use super::memory::{Havoc, RegionOrigin};
use super::value::{self, ExactValue, sort_of};
use crate::limits::NESTED_OPERANDS;
use gainsay_ir::gc::{self, BinaryOp, Block, Cmd, CmdKind, Expr, ExprData, Object, VarKind};
use gainsay_ir::types::Type;

impl Machine<'_> {
    pub(super) fn command(&mut self, frame: &mut Frame, site: Site, cmd: &Cmd) -> Result<(), End> {
        match &cmd.kind {
            CmdKind::Assign(var, value) => {
                let value = self.expr(frame, *value)?;
                frame.set(*var, value);
            }
            CmdKind::Havoc(var) => {
                let value = self.of_text_before(frame, site, *var)?;
                frame.set(*var, value);
            }
            CmdKind::Enter(var) => {
                frame.set(*var, ExactValue::DOUBTFUL);
                frame.initialised[*var] = false;
            }
            CmdKind::EnterObject(object) => {
                let region = self.object(frame, *object)?;
                self.memory.clear(region);
            }
            CmdKind::Assume(holds) => {
                let holds = self.expr(frame, *holds)?;
                // An assumption about something in doubt holds of its real value.
                if !holds.doubtful && !self.require(site.block, holds) {
                    return Err(End::Over);
                }
            }
            CmdKind::Assert(_, holds) => {
                let holds = self.expr(frame, *holds)?;
                if !holds.doubtful && !self.require(site.block, holds) {
                    return Err(End::Over);
                }
            }
            CmdKind::Load { dst, addr, access } => {
                let addr = self.expr(frame, *addr)?;
                let value = if access.volatile {
                    let key = InputKey::Result(site, self.visit(site));
                    self.input(key, access.ty, None)
                } else {
                    self.load(addr, access.ty)?
                };
                if frame.f.vars[*dst].kind == VarKind::ReadBool {
                    possible_bool(value)?;
                }
                frame.set(*dst, value);
            }
            CmdKind::Store { addr, value, access } => {
                let (addr, value) = (self.expr(frame, *addr)?, self.expr(frame, *value)?);
                self.store(addr, value, access.ty)?;
            }
            CmdKind::Copy { dst, src, len } => {
                let (dst, src) = (self.expr(frame, *dst)?, self.expr(frame, *src)?);
                let len = self.expr(frame, *len)?;
                self.copy(dst, src, len)?;
            }
            CmdKind::Fill { dst, byte, len } => {
                let (dst, byte) = (self.expr(frame, *dst)?, self.expr(frame, *byte)?);
                let len = self.expr(frame, *len)?;
                self.fill(dst, byte, len)?;
            }
            CmdKind::Alloca { dst, size } => {
                let size = self.expr(frame, *size)?;
                let value = self.allocate(size)?;
                frame.set(*dst, value);
            }
            CmdKind::Allocate { dst, size, .. } => {
                let size = self.expr(frame, *size)?;
                let value = if size.doubtful { ExactValue::DOUBTFUL } else { self.allocate(size)? };
                frame.set(*dst, value);
            }
            CmdKind::Free(pointer) => {
                let pointer = self.expr(frame, *pointer)?;
                self.free(pointer);
            }
            CmdKind::Clobber(clobber) => self.clobber(frame, clobber)?,
            CmdKind::Call(call) => self.call(frame, site, call)?,
        }
        Ok(())
    }

    /// Does it hold? If not, records a fork for inputs with which it does.
    fn require(&mut self, block: Block, holds: ExactValue) -> bool {
        if !holds.is_true() {
            if let Some(term) = holds.term {
                let n_conditions = self.run.conditions.len();
                self.fork(block, block, Alternative::Holds(term), n_conditions);
            }
            return false;
        }
        self.hold(holds);
        true
    }

    pub(super) fn object(&mut self, frame: &mut Frame, object: Object) -> Result<u32, End> {
        if let Some(region) = frame.objects[object] {
            return Ok(region);
        }
        let size = frame.f.objects[object].size;
        let region = self.memory.add(RegionOrigin::Local(object), size).ok_or(End::Doubtful)?;
        frame.objects[object] = Some(region);
        Ok(region)
    }

    pub(super) fn expr(&mut self, frame: &mut Frame, expr: Expr) -> Result<ExactValue, End> {
        self.nested(frame, expr, 0)
    }

    fn nested(&mut self, frame: &mut Frame, expr: Expr, depth: u32) -> Result<ExactValue, End> {
        if depth > NESTED_OPERANDS {
            return Err(End::Doubtful);
        }
        let pointer_bits = self.pointer_bits();
        Ok(match frame.f.exprs[expr] {
            ExprData::Const(_, bits) => ExactValue::known(bits),
            ExprData::Var(var) => frame.vars[var],
            ExprData::Initialised(var) => ExactValue::boolean(frame.initialised[var]),
            ExprData::ObjectAddr(object) => {
                let region = self.object(frame, object)?;
                ExactValue::known(self.memory.start(region).into())
            }
            ExprData::SymbolAddr(symbol) => ExactValue::known(self.symbol(symbol)?.into()),
            ExprData::Unary(op, a) => {
                let value = self.nested(frame, a, depth + 1)?;
                value::unary(self.pool, op, frame.types[a], value, pointer_bits)
            }
            ExprData::Cast(op, to, a) => {
                let value = self.nested(frame, a, depth + 1)?;
                let mut cast = value::cast(self.pool, op, (frame.types[a], to), value, pointer_bits);
                if op == gc::CastOp::PtrToInt {
                    self.memory.escapes(value.bits as u64);
                    // The compiler decides about addresses.
                    cast.doubtful |= self.memory.is_own(value.bits as u64);
                }
                cast
            }
            ExprData::Binary(op, a, b) => {
                let (left, right) = (self.nested(frame, a, depth + 1)?, self.nested(frame, b, depth + 1)?);
                let mut value = value::binary(self.pool, op, frame.types[a], left, right, pointer_bits);
                let is_order = matches!(op, BinaryOp::ULt | BinaryOp::ULe | BinaryOp::PtrSub);
                if is_order && frame.types[a] == Type::Ptr {
                    let (left, right) = (left.bits as u64, right.bits as u64);
                    value.doubtful |= !self.memory.are_in_one_region(left, right);
                }
                value
            }
            ExprData::Ite(c, a, b) => {
                let condition = self.nested(frame, c, depth + 1)?;
                let (yes, no) = (self.nested(frame, a, depth + 1)?, self.nested(frame, b, depth + 1)?);
                value::ite(self.pool, condition, yes, no, sort_of(frame.types[a], pointer_bits))
            }
            ExprData::Valid(pointer, len) => {
                let (pointer, len) =
                    (self.nested(frame, pointer, depth + 1)?, self.nested(frame, len, depth + 1)?);
                self.is_valid(pointer, len)
            }
            ExprData::Freeable(pointer) => {
                let pointer = self.nested(frame, pointer, depth + 1)?;
                self.is_freeable(pointer)
            }
        })
    }

    /// Something that is not executed may have written memory.
    fn clobber(&mut self, frame: &mut Frame, clobber: &gc::Clobber) -> Result<(), End> {
        match clobber {
            gc::Clobber::Range { addr, .. } => {
                let addr = self.expr(frame, *addr)?;
                if addr.doubtful {
                    self.memory.havoc_all();
                } else {
                    self.memory.havoc_at(addr.bits as u64, Havoc::Doubtful);
                }
            }
            gc::Clobber::Escaped | gc::Clobber::Classes(_) => self.memory.havoc_escaped(Havoc::Doubtful),
            gc::Clobber::Errno => {
                let is_errno = |data: &gc::SymbolData| data.name == "errno";
                let errno =
                    self.unit.symbols.iter().find(|(_, data)| is_errno(data)).map(|(symbol, _)| symbol);
                if let Some(errno) = errno {
                    let address = self.symbol(errno)?;
                    self.memory.havoc_at(address, Havoc::Doubtful);
                }
            }
        }
        Ok(())
    }
}
