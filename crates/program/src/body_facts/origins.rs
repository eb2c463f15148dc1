//! Where the addresses of functions come from and where they go: the constraints of one function for the points-to analysis
//! of the whole program (`link::targets`).
//!
//! Parameters, results, and objects that are accessed by name are distinguished. A function whose address goes elsewhere
//! (stored through a pointer, converted to a number) is *lost*, and a value from there may be any function. Data cannot be
//! called, so addresses of objects are ignored.

use super::{Cell, FunctionOrigin};
use cranelift_entity::SecondaryMap;
use gainsay_ir::gc::{
    BinaryOp, CastOp, Class, Clobber, CmdKind, Expr, ExprData, Function, Next, Symbol, SymbolKind, Unit, Var,
};
use gainsay_ir::table::table;
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

pub(super) struct Origins<'a> {
    unit: &'a Unit,
    f: &'a Function,
    of_var: SecondaryMap<Var, BTreeSet<FunctionOrigin>>,
}

/// What the function does with addresses of functions, without order.
#[derive(Default)]
pub(super) struct Moves {
    pub(super) stored: BTreeSet<(Cell, FunctionOrigin)>,
    pub(super) lost: BTreeSet<FunctionOrigin>,
    pub(super) returned: BTreeSet<FunctionOrigin>,
}

impl<'a> Origins<'a> {
    /// Calls are numbered in the order of the blocks.
    pub(super) fn new(unit: &'a Unit, f: &'a Function) -> Origins<'a> {
        let mut origins = Origins { unit, f, of_var: table(f.vars.len()) };
        let mut copies: SecondaryMap<Var, Vec<Var>> = table(f.vars.len());
        for (i, &param) in f.params.iter().enumerate() {
            if f.vars[param].ty == Type::Ptr {
                origins.of_var[param].insert(FunctionOrigin::Param(i as u32));
            }
        }
        let mut calls = 0;
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            let is_pointer = cmd.assigned().is_some_and(|var| f.vars[var].ty == Type::Ptr);
            match &cmd.kind {
                CmdKind::Assign(var, value) if is_pointer => {
                    let (direct, vars) = origins.leaves(*value);
                    origins.of_var[*var].extend(direct);
                    vars.into_iter().for_each(|from| copies[from].push(*var));
                }
                CmdKind::Havoc(var) if is_pointer => {
                    origins.of_var[*var].insert(FunctionOrigin::Anything);
                }
                CmdKind::Load { dst, addr, access } if is_pointer => {
                    let cell = origins.named(*addr);
                    origins.of_var[*dst].extend(cell.map(FunctionOrigin::Cell));
                    if cell.is_none() || access.volatile {
                        origins.of_var[*dst].insert(FunctionOrigin::Anything);
                    }
                }
                CmdKind::Call(call) => {
                    if let Some(dst) = call.dst.filter(|_| is_pointer) {
                        origins.of_var[dst].insert(FunctionOrigin::Call(calls));
                    }
                    calls += 1;
                }
                _ => {}
            }
        }
        let mut work: Vec<Var> = f.vars.keys().filter(|&var| !origins.of_var[var].is_empty()).collect();
        while let Some(from) = work.pop() {
            let found = origins.of_var[from].clone();
            for &to in &copies[from] {
                let before = origins.of_var[to].len();
                origins.of_var[to].extend(&found);
                if origins.of_var[to].len() > before {
                    work.push(to);
                }
            }
        }
        origins
    }

    /// Which functions the value may be the address of.
    pub(super) fn of(&self, expr: Expr) -> Vec<FunctionOrigin> {
        if self.f.ty(expr, self.unit.target.pointer_bits) != Type::Ptr {
            return Vec::new();
        }
        let (mut found, vars) = self.leaves(expr);
        for var in vars {
            found.extend(&self.of_var[var]);
        }
        found.into_iter().collect()
    }

    pub(super) fn moves(&self) -> Moves {
        let mut moves = Moves::default();
        for data in self.f.blocks.values() {
            data.cmds.iter().for_each(|cmd| self.command(&cmd.kind, &mut moves));
            if let Next::Return(Some(value)) = data.next {
                moves.returned.extend(self.of(value));
            }
        }
        for data in self.f.exprs.values() {
            // A number may go anywhere, and become a pointer again.
            if let ExprData::Cast(CastOp::PtrToInt, _, pointer) = *data {
                moves.lost.extend(self.of(pointer));
            }
        }
        moves
    }

    fn command(&self, kind: &CmdKind, moves: &mut Moves) {
        let somewhere = |addr: Expr| self.named(addr).map(|cell| Cell { offset: None, ..cell });
        let anything = |addr: Expr| somewhere(addr).map(|cell| (cell, FunctionOrigin::Anything));
        match kind {
            CmdKind::Store { addr, value, access } => match self.named(*addr) {
                Some(cell) if access.ty == Type::Ptr => {
                    moves.stored.extend(self.of(*value).into_iter().map(|origin| (cell, origin)));
                }
                // The access may cover part of a word, or several.
                Some(_) if self.is_any(access.class) => moves.stored.extend(anything(*addr)),
                // A place that is accessed with another type holds no pointer (C11 6.5p7).
                Some(_) => {}
                None => moves.lost.extend(self.of(*value)),
            },
            CmdKind::Load { addr, access, .. } if access.ty != Type::Ptr && self.is_any(access.class) => {
                moves.lost.extend(somewhere(*addr).map(FunctionOrigin::Cell));
            }
            CmdKind::Copy { dst, src, .. } => {
                moves.stored.extend(anything(*dst));
                moves.lost.extend(somewhere(*src).map(FunctionOrigin::Cell));
            }
            CmdKind::Clobber(Clobber::Range { addr, .. }) => moves.stored.extend(anything(*addr)),
            // Assembly may do anything with what the function knows.
            CmdKind::Clobber(Clobber::Escaped) => {
                moves.lost.extend(self.of_var.values().flatten());
                let functions = self.f.exprs.values().filter_map(|data| match *data {
                    ExprData::SymbolAddr(symbol) => self.function(symbol),
                    _ => None,
                });
                moves.lost.extend(functions);
            }
            _ => {}
        }
    }

    /// The place that an address names.
    fn named(&self, addr: Expr) -> Option<Cell> {
        let mut base = addr;
        let mut offset = Some(0u64);
        while let ExprData::Binary(BinaryOp::PtrAdd, pointer, plus) = self.f.exprs[base] {
            offset = match self.f.exprs[plus] {
                ExprData::Const(_, plus) => offset.map(|offset| offset.wrapping_add(plus as u64)),
                _ => None,
            };
            base = pointer;
        }
        match self.f.exprs[base] {
            ExprData::SymbolAddr(symbol) => Some(Cell { object: symbol.as_u32(), offset }),
            _ => None,
        }
    }

    fn is_any(&self, class: Class) -> bool {
        self.unit.classes[class].ty.is_none()
    }

    fn function(&self, symbol: Symbol) -> Option<FunctionOrigin> {
        let kind = &self.unit.symbols[symbol].kind;
        matches!(kind, SymbolKind::Function(_)).then(|| FunctionOrigin::Function(symbol.as_u32()))
    }

    /// What the value of a pointer is made of.
    fn leaves(&self, expr: Expr) -> (BTreeSet<FunctionOrigin>, Vec<Var>) {
        let (mut found, mut vars) = (BTreeSet::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match self.f.exprs[expr] {
                ExprData::Var(var) => vars.push(var),
                ExprData::SymbolAddr(symbol) => found.extend(self.function(symbol)),
                ExprData::Const(_, 0) | ExprData::ObjectAddr(_) => {}
                ExprData::Ite(_, yes, no) => stack.extend([yes, no]),
                ExprData::Binary(BinaryOp::PtrAdd, pointer, _) => stack.push(pointer),
                _ => {
                    found.insert(FunctionOrigin::Anything);
                }
            }
        }
        (found, vars)
    }
}
