//! Frame conditions: writes are checked against `assigns` of the function and of the enclosing loops.

use super::Env;
use super::value::{Meaning, Value};
use crate::contract::{Expr as Term, Places};
use crate::lower::Purpose;
use crate::lower::function::FunctionCx;
use crate::lower::place::Place;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Clobber, CmdKind, Expr, ExprData, Object};
use gainsay_ir::source_map::Raw;
use gainsay_ir::types::BOOL;

/// Memory that may be written while the frame is active.
#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct Frame {
    /// First byte, number of bytes.
    pub(super) ranges: Vec<(Expr, Expr)>,
    /// For a loop: local objects that the loop writes, which need not be listed.
    pub(super) objects: Vec<Object>,
    pub(super) of_loop: bool,
}

impl FunctionCx<'_> {
    /// The frame of the function's own `assigns`, in the state at entry.
    pub(super) fn begin_frame(&mut self, at: Raw, env: &mut Env, places: &[Places]) {
        if self.options.purpose == Purpose::Check {
            return;
        }
        match self.ranges(env, places) {
            Ok(ranges) => match self.frames.first_mut() {
                Some(frame) if !frame.of_loop => frame.ranges.extend(ranges),
                _ => self.frames.insert(0, Frame { ranges, ..Frame::default() }),
            },
            Err(message) => {
                self.problem(at, message);
                self.unproved.push((Check::Assigns, self.loc));
            }
        }
    }

    /// The bytes that locations of `assigns` denote, held in temporaries; variables outside memory have none.
    pub(super) fn ranges(&mut self, env: &mut Env, places: &[Places]) -> Meaning<Vec<(Expr, Expr)>> {
        let mut ranges = Vec::new();
        for one in places {
            if let (Term::Deref(inner), Some(range)) = (&one.base, &one.range) {
                let Value::Pointer(pointer, elem) = self.term(env, inner)? else {
                    return Err("`assigns` names something that is no place".into());
                };
                let extent = self.extent(env, pointer, elem, Some(range))?;
                let zero = self.word(0);
                let length = match extent.none {
                    Some(none) => {
                        let ty = self.ty(zero);
                        self.push_expr(ExprData::Ite(none, zero, extent.length), ty)
                    }
                    None => extent.length,
                };
                ranges.push((self.hold(extent.begin), self.hold(length)));
                continue;
            }
            match self.lvalue(env, &one.base)? {
                (Place::Var(_), _) => {}
                (Place::Memory(memory) | Place::Bits { memory, .. }, ty) => {
                    let length = self.size(ty);
                    ranges.push((self.hold(memory.addr), self.hold(length)));
                }
            }
        }
        Ok(ranges)
    }

    /// Checks a command that writes against the active frames.
    pub(in crate::lower) fn check_frames(&mut self, kind: &CmdKind) {
        if self.frames.is_empty() {
            return;
        }
        let (addr, length) = match kind {
            CmdKind::Store { addr, access, .. } => (*addr, self.word(access.ty.bytes(self.pointer_bits()))),
            CmdKind::Copy { dst, len, .. } | CmdKind::Fill { dst, len, .. } => (*dst, *len),
            CmdKind::Clobber(Clobber::Range { addr, len }) => (*addr, *len),
            // The search for counterexamples ends there.
            CmdKind::Call(_) | CmdKind::Clobber(_) if self.options.purpose == Purpose::Refute => return,
            CmdKind::Call(_) | CmdKind::Clobber(Clobber::Escaped | Clobber::Classes(_)) => {
                let never = self.constant(BOOL, 0);
                self.push_cmd(CmdKind::Assert(Check::Assigns, never));
                return;
            }
            _ => return,
        };
        self.check_write(addr, length);
    }

    pub(super) fn check_write(&mut self, addr: Expr, length: Expr) {
        let object = self.object_of(addr);
        for i in 0..self.frames.len() {
            if let Some(object) = object {
                if !self.frames[i].objects.contains(&object) {
                    self.frames[i].objects.push(object);
                }
                continue;
            }
            let mut allowed = self.constant(BOOL, 0);
            for (begin, size) in self.frames[i].ranges.clone() {
                let inside = self.is_inside((addr, length), (begin, size));
                allowed = self.binary(BinaryOp::Or, allowed, inside);
            }
            self.push_cmd(CmdKind::Assert(Check::Assigns, allowed));
        }
    }

    /// Are all bytes of the first range in the second? An empty range is inside any.
    fn is_inside(&mut self, (addr, length): (Expr, Expr), (begin, size): (Expr, Expr)) -> Expr {
        let distance = self.binary(BinaryOp::PtrSub, addr, begin);
        let short = self.binary(BinaryOp::ULe, length, size);
        let room = self.binary(BinaryOp::Sub, size, length);
        let near = self.binary(BinaryOp::ULe, distance, room);
        let inside = self.binary(BinaryOp::And, short, near);
        let zero = self.word(0);
        let nothing = self.binary(BinaryOp::Eq, length, zero);
        self.binary(BinaryOp::Or, nothing, inside)
    }

    /// The local object that an address is certainly in.
    fn object_of(&self, addr: Expr) -> Option<Object> {
        let mut base = addr;
        while let ExprData::Binary(BinaryOp::PtrAdd, pointer, _) = self.function.exprs[base] {
            base = pointer;
        }
        match self.function.exprs[base] {
            ExprData::ObjectAddr(object) => Some(object),
            _ => None,
        }
    }
}
