//! Are two functions the same up to the numbering of expressions, variables, symbols and classes?
//!
//! Both sides are renamed into one numbering, made by first appearance of a name or expression, and then
//! compared; so the cost is linear however expressions are shared.

use crate::gc::*;
use cranelift_entity::EntityRef;
use std::collections::HashMap;
use std::hash::Hash;

/// Compares two well-formed functions, each of its own unit.
pub fn same(unit_a: &Unit, a: &Function, unit_b: &Unit, b: &Function) -> bool {
    let mut names = Names::default();
    let a = Renamed::new(&mut names, unit_a, a);
    let b = Renamed::new(&mut names, unit_b, b);
    a == b
}

#[derive(Default)]
struct Names<'a> {
    symbols: HashMap<&'a str, usize>,
    locals: HashMap<&'a str, usize>,
    classes: HashMap<&'a ClassData, usize>,
    exprs: HashMap<ExprData, usize>,
}

/// The number of a key, a new one if the key is new.
fn number<K: Hash + Eq>(map: &mut HashMap<K, usize>, key: K) -> usize {
    let next = map.len();
    *map.entry(key).or_insert(next)
}

/// A function in the common numbering.
#[derive(PartialEq)]
struct Renamed<'a> {
    symbol: usize,
    result: Option<crate::types::Type>,
    params: Vec<Var>,
    /// Sorted, because the order of declaration says nothing.
    vars: Vec<(usize, &'a VarData)>,
    objects: Vec<(usize, &'a LocalObject)>,
    blocks: Vec<BlockData>,
}

impl<'a> Renamed<'a> {
    fn new(names: &mut Names<'a>, unit: &'a Unit, f: &'a Function) -> Self {
        let mut renamer = Renamer { names, unit, f, exprs: Vec::with_capacity(f.exprs.len()) };
        for data in f.exprs.values() {
            let renamed = renamer.node(data);
            let expr = Expr::new(number(&mut renamer.names.exprs, renamed));
            renamer.exprs.push(expr);
        }
        let mut vars: Vec<_> =
            f.vars.values().map(|data| (number(&mut renamer.names.locals, &*data.name), data)).collect();
        vars.sort_by_key(|var| var.0);
        let mut objects: Vec<_> =
            f.objects.values().map(|data| (number(&mut renamer.names.locals, &*data.name), data)).collect();
        objects.sort_by_key(|object| object.0);
        Renamed {
            symbol: renamer.symbol(f.symbol).index(),
            result: f.result,
            params: f.params.iter().map(|&param| renamer.var(param)).collect(),
            vars,
            objects,
            blocks: f.blocks.values().map(|block| renamer.block(block)).collect(),
        }
    }
}

struct Renamer<'n, 'a> {
    names: &'n mut Names<'a>,
    unit: &'a Unit,
    f: &'a Function,
    /// The new number of every expression so far; operands come before their users.
    exprs: Vec<Expr>,
}

impl Renamer<'_, '_> {
    fn var(&mut self, var: Var) -> Var {
        Var::new(number(&mut self.names.locals, &*self.f.vars[var].name))
    }

    fn object(&mut self, object: Object) -> Object {
        Object::new(number(&mut self.names.locals, &*self.f.objects[object].name))
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        Symbol::new(number(&mut self.names.symbols, &*self.unit.symbols[symbol].name))
    }

    fn class(&mut self, class: Class) -> Class {
        Class::new(number(&mut self.names.classes, &self.unit.classes[class]))
    }

    fn expr(&self, expr: Expr) -> Expr {
        self.exprs[expr.index()]
    }

    fn node(&mut self, data: &ExprData) -> ExprData {
        match *data {
            ExprData::Const(ty, bits) => ExprData::Const(ty, bits),
            ExprData::Var(var) => ExprData::Var(self.var(var)),
            ExprData::ObjectAddr(object) => ExprData::ObjectAddr(self.object(object)),
            ExprData::SymbolAddr(symbol) => ExprData::SymbolAddr(self.symbol(symbol)),
            ExprData::Unary(op, a) => ExprData::Unary(op, self.expr(a)),
            ExprData::Cast(op, ty, a) => ExprData::Cast(op, ty, self.expr(a)),
            ExprData::Binary(op, a, b) => ExprData::Binary(op, self.expr(a), self.expr(b)),
            ExprData::Ite(a, b, c) => ExprData::Ite(self.expr(a), self.expr(b), self.expr(c)),
            ExprData::Initialised(var) => ExprData::Initialised(self.var(var)),
            ExprData::Valid(a, b) => ExprData::Valid(self.expr(a), self.expr(b)),
            ExprData::Freeable(a) => ExprData::Freeable(self.expr(a)),
        }
    }

    fn block(&mut self, block: &BlockData) -> BlockData {
        let cmds = block.cmds.iter().map(|cmd| Cmd { kind: self.cmd(&cmd.kind), loc: cmd.loc }).collect();
        let next = match &block.next {
            Next::Return(Some(value)) => Next::Return(Some(self.expr(*value))),
            next => next.clone(),
        };
        BlockData { branch: block.branch, cmds, next }
    }

    fn cmd(&mut self, cmd: &CmdKind) -> CmdKind {
        match cmd {
            CmdKind::Assign(var, value) => CmdKind::Assign(self.var(*var), self.expr(*value)),
            CmdKind::Havoc(var) => CmdKind::Havoc(self.var(*var)),
            CmdKind::Enter(var) => CmdKind::Enter(self.var(*var)),
            CmdKind::EnterObject(object) => CmdKind::EnterObject(self.object(*object)),
            CmdKind::Assume(condition) => CmdKind::Assume(self.expr(*condition)),
            CmdKind::Assert(check, condition) => CmdKind::Assert(*check, self.expr(*condition)),
            CmdKind::Load { dst, addr, access } => {
                CmdKind::Load { dst: self.var(*dst), addr: self.expr(*addr), access: self.access(access) }
            }
            CmdKind::Store { addr, value, access } => CmdKind::Store {
                addr: self.expr(*addr),
                value: self.expr(*value),
                access: self.access(access),
            },
            CmdKind::Copy { dst, src, len } => {
                CmdKind::Copy { dst: self.expr(*dst), src: self.expr(*src), len: self.expr(*len) }
            }
            CmdKind::Fill { dst, byte, len } => {
                CmdKind::Fill { dst: self.expr(*dst), byte: self.expr(*byte), len: self.expr(*len) }
            }
            CmdKind::Alloca { dst, size } => CmdKind::Alloca { dst: self.var(*dst), size: self.expr(*size) },
            CmdKind::Allocate { dst, size, unset } => {
                CmdKind::Allocate { dst: self.var(*dst), size: self.expr(*size), unset: *unset }
            }
            CmdKind::Free(pointer) => CmdKind::Free(self.expr(*pointer)),
            CmdKind::Clobber(clobber) => CmdKind::Clobber(match clobber {
                Clobber::Escaped => Clobber::Escaped,
                Clobber::Errno => Clobber::Errno,
                Clobber::Range { addr, len } => {
                    Clobber::Range { addr: self.expr(*addr), len: self.expr(*len) }
                }
                Clobber::Classes(classes) => {
                    Clobber::Classes(classes.iter().map(|&class| self.class(class)).collect())
                }
            }),
            CmdKind::Call(call) => CmdKind::Call(Box::new(Call {
                dst: call.dst.map(|dst| self.var(dst)),
                callee: match call.callee {
                    Callee::Symbol(symbol) => Callee::Symbol(self.symbol(symbol)),
                    Callee::Pointer(pointer) => Callee::Pointer(self.expr(pointer)),
                },
                args: call.args.iter().map(|&arg| self.expr(arg)).collect(),
                returns: call.returns,
                writes: call.writes.as_ref().map(|writes| self.writes(writes)),
                keeps: call.keeps,
            })),
        }
    }

    fn writes(&mut self, writes: &[CallWrite]) -> Vec<CallWrite> {
        let mut renamed = |write: &CallWrite| CallWrite {
            base: match write.base {
                CallBase::Symbol(symbol) => CallBase::Symbol(self.symbol(symbol)),
                base @ (CallBase::Argument(_) | CallBase::Errno | CallBase::Anywhere | CallBase::Outside) => {
                    base
                }
            },
            class: self.class(write.class),
        };
        writes.iter().map(&mut renamed).collect()
    }

    fn access(&mut self, access: &Access) -> Access {
        Access { class: self.class(access.class), ..*access }
    }
}
