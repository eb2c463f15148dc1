//! What a loop may change, and the commands that forget it.

use crate::gc::{
    BinaryOp, Block, Call, CallBase, Callee, Class, ClassData, Clobber, Cmd, CmdKind, Expr, ExprData,
    Function, Held, Linkage, Loc, Object, Symbol, SymbolKind, Unit, Var, is_kept,
};
use crate::types::Type;
use cranelift_entity::EntitySet;
use std::collections::BTreeSet;

/// Objects whose address is used other than to access them directly: a call may know them, at the latest in the next
/// iteration. Passing an address to a call that does not keep it counts as a direct access.
pub(in crate::passes) struct Exposed(BTreeSet<Object>);

impl Exposed {
    pub(in crate::passes) fn new(f: &Function) -> Exposed {
        let mut exposed = BTreeSet::new();
        let mut seen: EntitySet<Expr> = EntitySet::new();
        let mut stack: Vec<Expr> = Vec::new();
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            match &cmd.kind {
                // Conditions give no address away.
                CmdKind::Assume(_) | CmdKind::Assert(..) => {}
                CmdKind::Load { addr, .. } => stack.extend(rest_of_address(f, *addr)),
                CmdKind::Store { addr, value, .. } => {
                    stack.extend(rest_of_address(f, *addr));
                    stack.push(*value);
                }
                CmdKind::Copy { dst, src, .. } => {
                    stack.extend(rest_of_address(f, *dst));
                    stack.extend(rest_of_address(f, *src));
                }
                CmdKind::Fill { dst: addr, .. } | CmdKind::Clobber(Clobber::Range { addr, .. }) => {
                    stack.extend(rest_of_address(f, *addr));
                }
                CmdKind::Call(call) => {
                    if let Callee::Pointer(pointer) = call.callee {
                        stack.push(pointer);
                    }
                    for (i, &arg) in call.args.iter().enumerate() {
                        if is_kept(call.keeps, i) {
                            stack.push(arg);
                        } else {
                            stack.extend(rest_of_address(f, arg));
                        }
                    }
                }
                _ => stack.extend(cmd.exprs()),
            }
            while let Some(expr) = stack.pop() {
                if !seen.insert(expr) {
                    continue;
                }
                if let ExprData::ObjectAddr(object) = f.exprs[expr] {
                    exposed.insert(object);
                }
                stack.extend(f.exprs[expr].operands());
            }
        }
        Exposed(exposed)
    }

    pub(in crate::passes) fn objects(&self) -> impl Iterator<Item = Object> + '_ {
        self.0.iter().copied()
    }
}

/// The object an address is computed from by adding offsets, if it is one.
fn base_object(f: &Function, addr: Expr) -> Option<Object> {
    match f.exprs[base(f, addr)] {
        ExprData::ObjectAddr(object) => Some(object),
        _ => None,
    }
}

/// What an address is computed from by adding offsets.
pub(in crate::passes) fn base(f: &Function, addr: Expr) -> Expr {
    let mut base = addr;
    while let ExprData::Binary(BinaryOp::PtrAdd, pointer, _) = f.exprs[base] {
        base = pointer;
    }
    base
}

/// What an access could give away: nothing where it is a place in an object. Offsets are integers, into
/// which an address gets only by a cast that is looked at like the rest.
fn rest_of_address(f: &Function, addr: Expr) -> Vec<Expr> {
    let mut rest = Vec::new();
    let mut base = addr;
    while let ExprData::Binary(BinaryOp::PtrAdd, pointer, offset) = f.exprs[base] {
        rest.push(offset);
        base = pointer;
    }
    if !matches!(f.exprs[base], ExprData::ObjectAddr(_)) {
        rest.push(base);
    }
    rest
}

#[derive(Default)]
pub(super) struct Effects {
    vars: BTreeSet<Var>,
    classes: BTreeSet<Class>,
    objects: BTreeSet<Object>,
    symbols: BTreeSet<Symbol>,
    /// Calls, and pointers that may point anywhere: all memory that escaped.
    escaped: bool,
    errno: bool,
    /// Something is freed, or may be by a callee.
    pub(super) may_free: bool,
}

impl Effects {
    pub(super) fn of(
        unit: &Unit,
        f: &Function,
        exposed: &Exposed,
        blocks: impl Iterator<Item = Block>,
    ) -> Effects {
        let mut effects = Effects::default();
        for cmd in blocks.flat_map(|block| &f.blocks[block].cmds) {
            effects.vars.extend(cmd.assigned());
            effects.may_free |=
                matches!(cmd.kind, CmdKind::Free(_) | CmdKind::Call(_) | CmdKind::Clobber(Clobber::Escaped));
            match &cmd.kind {
                CmdKind::Store { access, .. } => {
                    effects.classes.insert(access.class);
                }
                CmdKind::Copy { dst: addr, .. }
                | CmdKind::Fill { dst: addr, .. }
                | CmdKind::Clobber(Clobber::Range { addr, .. }) => match base_object(f, *addr) {
                    Some(object) => {
                        effects.objects.insert(object);
                    }
                    // A pointer from elsewhere points to nothing that only this function knows.
                    None => effects.escaped = true,
                },
                CmdKind::EnterObject(object) => {
                    effects.objects.insert(*object);
                }
                CmdKind::Clobber(Clobber::Classes(classes)) => effects.classes.extend(classes),
                CmdKind::Call(call) => effects.call(unit, f, call),
                CmdKind::Alloca { .. }
                | CmdKind::Allocate { .. }
                | CmdKind::Clobber(Clobber::Escaped) => {
                    effects.escaped = true;
                }
                CmdKind::Clobber(Clobber::Errno) => effects.errno = true,
                CmdKind::Assign(..)
                | CmdKind::Havoc(_)
                | CmdKind::Enter(_)
                | CmdKind::Assume(_)
                | CmdKind::Assert(..)
                // A block freed in an iteration before this one may as well be live: that allows more runs.
                | CmdKind::Free(_)
                | CmdKind::Load { .. } => {}
            }
        }
        if effects.escaped {
            effects.objects.extend(&exposed.0);
        }
        effects
    }

    /// As [`Effects::forget`], for variables only.
    pub(super) fn forget_variables(&self, loc: Loc) -> Vec<Cmd> {
        self.vars.iter().map(|&var| Cmd { kind: CmdKind::Havoc(var), loc }).collect()
    }

    fn call(&mut self, unit: &Unit, f: &Function, call: &Call) {
        let Some(writes) = &call.writes else { return self.anything_known(f, call) };
        for write in writes {
            let base = match write.base {
                CallBase::Errno => {
                    self.errno = true;
                    continue;
                }
                CallBase::Anywhere | CallBase::Outside => None,
                CallBase::Symbol(symbol) => Some(ExprData::SymbolAddr(symbol)),
                CallBase::Argument(i) => call.args.get(i as usize).map(|&arg| f.exprs[base(f, arg)]),
            };
            match base {
                Some(ExprData::ObjectAddr(object)) => {
                    self.objects.insert(object);
                }
                Some(ExprData::SymbolAddr(symbol)) if size_of(unit, symbol).is_some() => {
                    self.symbols.insert(symbol);
                }
                _ if unit.classes[write.class] != (ClassData { ty: None, field: None }) => {
                    self.classes.insert(write.class);
                }
                _ => self.anything_known(f, call),
            }
        }
    }

    /// All that escaped, and what the arguments of this call point to.
    fn anything_known(&mut self, f: &Function, call: &Call) {
        self.escaped = true;
        self.objects.extend(call.args.iter().filter_map(|&arg| base_object(f, arg)));
    }

    /// Commands that allow any value for what the loop changes. A variable then counts as initialised,
    /// which is more than is known, and allows more runs.
    pub(super) fn forget(&self, unit: &Unit, f: &mut Function, loc: Loc) -> Vec<Cmd> {
        let mut kinds: Vec<CmdKind> = self.vars.iter().map(|&var| CmdKind::Havoc(var)).collect();
        if self.escaped {
            kinds.push(CmdKind::Clobber(Clobber::Escaped));
        } else if self.errno {
            kinds.push(CmdKind::Clobber(Clobber::Errno));
        }
        if !self.classes.is_empty() {
            kinds.push(CmdKind::Clobber(Clobber::Classes(self.classes.iter().copied().collect())));
        }
        let objects = self.objects.iter();
        let objects = objects.map(|&object| (ExprData::ObjectAddr(object), f.objects[object].size));
        // What is escaped includes them.
        let symbols = self.symbols.iter().filter(|_| !self.escaped);
        let symbols =
            symbols.filter_map(|&symbol| Some((ExprData::SymbolAddr(symbol), size_of(unit, symbol)?)));
        let ranges: Vec<(ExprData, u64)> = objects.chain(symbols).collect();
        for (addr, size) in ranges {
            let size = size.into();
            let addr = f.exprs.push(addr);
            let len = f.exprs.push(ExprData::Const(Type::Int(unit.target.pointer_bits), size));
            kinds.push(CmdKind::Clobber(Clobber::Range { addr, len }));
        }
        kinds.into_iter().map(|kind| Cmd { kind, loc }).collect()
    }
}

/// Of an object that cannot be another one than the unit says.
fn size_of(unit: &Unit, symbol: Symbol) -> Option<u64> {
    let data = &unit.symbols[symbol];
    match &data.kind {
        SymbolKind::Object(facts) if data.linkage != Linkage::Weak && facts.held != Held::Placed => {
            facts.size
        }
        _ => None,
    }
}
