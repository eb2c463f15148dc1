//! Counts how a unit treats pointers that functions return: are they tested for NULL?
//!
//! Insensitive to order and paths, so a single call may be misjudged; counted over a program it shows a convention (semantic
//! inconsistency inference, section 6: results are counted once per function).

use super::hints::NullTests;
use cranelift_entity::EntitySet;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Callee, Class, CmdKind, Expr, ExprData, Function, Symbol, Var};
use gainsay_ir::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// By symbol; and of allocations.
pub(super) fn null_tests<'a>(
    functions: impl Iterator<Item = &'a Function>,
) -> (BTreeMap<u32, NullTests>, NullTests) {
    let (mut results, mut allocations) = (BTreeMap::new(), NullTests::default());
    for f in functions {
        let uses = PointerUses::of(f);
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            match &cmd.kind {
                CmdKind::Call(call) => {
                    if let (Some(dst), Callee::Symbol(symbol)) = (call.dst, call.callee)
                        && f.vars[dst].ty == Type::Ptr
                    {
                        let tested: &mut NullTests = results.entry(symbol_number(symbol)).or_default();
                        tested.add(uses.of_result(dst));
                    }
                }
                CmdKind::Allocate { dst, .. } => allocations.add(uses.of_result(*dst)),
                _ => {}
            }
        }
    }
    results.retain(|_, tested| *tested != NullTests::default());
    (results, allocations)
}

fn symbol_number(symbol: Symbol) -> u32 {
    symbol.as_u32()
}

/// What a function does with its pointer variables.
#[derive(Default)]
struct PointerUses {
    /// Copies, from and to.
    copies: BTreeMap<Var, BTreeSet<Var>>,
    stores: BTreeMap<Var, BTreeSet<Class>>,
    loads: BTreeMap<Class, BTreeSet<Var>>,
    tested: BTreeSet<Var>,
    used: BTreeSet<Var>,
}

impl PointerUses {
    fn of(f: &Function) -> PointerUses {
        let mut uses = PointerUses::default();
        for data in f.blocks.values() {
            for (i, cmd) in data.cmds.iter().enumerate() {
                match &cmd.kind {
                    CmdKind::Assign(to, value) => {
                        if let ExprData::Var(from) = f.exprs[*value] {
                            uses.copies.entry(from).or_default().insert(*to);
                        }
                    }
                    CmdKind::Store { value, access, .. } => {
                        if let ExprData::Var(from) = f.exprs[*value] {
                            uses.stores.entry(from).or_default().insert(access.class);
                        }
                    }
                    CmdKind::Load { dst, access, .. } => {
                        uses.loads.entry(access.class).or_default().insert(*dst);
                    }
                    CmdKind::Assume(condition) if i == 0 && data.branch.is_some() => {
                        uses.tested.extend(compared_with_null(f, *condition));
                    }
                    CmdKind::Assert(Check::Assertion, condition) => {
                        uses.tested.extend(compared_with_null(f, *condition));
                    }
                    CmdKind::Assert(Check::NullDereference | Check::NonnullArgument, condition) => {
                        uses.used.extend(compared_with_null(f, *condition));
                    }
                    _ => {}
                }
            }
        }
        uses
    }

    fn of_result(&self, result: Var) -> NullTests {
        let mut names = EntitySet::new();
        names.insert(result);
        let mut places = BTreeSet::new();
        let mut work = vec![result];
        let mut is_used = false;
        while let Some(name) = work.pop() {
            if self.tested.contains(&name) {
                return NullTests { calls: 1, tested: 1 };
            }
            is_used |= self.used.contains(&name);
            let copies = self.copies.get(&name).into_iter().flatten();
            let stored = self.stores.get(&name).into_iter().flatten();
            let loaded =
                stored.filter(|&&class| places.insert(class)).filter_map(|class| self.loads.get(class));
            work.extend(copies.chain(loaded.flatten()).filter(|&&next| names.insert(next)));
        }
        NullTests { calls: u32::from(is_used), tested: 0 }
    }
}

/// The variable that a condition compares with NULL.
fn compared_with_null(f: &Function, condition: Expr) -> Option<Var> {
    let ExprData::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = f.exprs[condition] else { return None };
    match (f.exprs[a], f.exprs[b]) {
        (ExprData::Var(var), ExprData::Const(Type::Ptr, 0))
        | (ExprData::Const(Type::Ptr, 0), ExprData::Var(var)) => Some(var),
        _ => None,
    }
}
