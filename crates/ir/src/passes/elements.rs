//! Follows single elements of arrays through loops: `elements` whether they were written, `contents` what they hold.
//!
//! An array has too many elements to follow all of them, and its size is often unknown. A loop that reads unwritten
//! elements does so at one of its ends, so a few elements are chosen in advance (`chosen`) and each gets a variable. A
//! chosen element is followed exactly: a bad choice finds nothing and reports nothing wrong.

mod bounds;
mod chosen;
mod homes;

use crate::check::Check;
use crate::eval;
use crate::gc::{BinaryOp, Cmd, CmdKind, Expr, ExprData, Function, Unit, Var, VarData, VarKind};
use crate::limits::{MOST_ELEMENT_FLAGS, MOST_OBJECT_CELLS};
use crate::passes::places::{Index, Root};
use crate::passes::segments::Cut;
use crate::types::{BOOL, Type};
use chosen::{Chosen, chosen};
use homes::{Home, homes};

/// An element and its variable.
struct Element {
    home: usize,
    chosen: Chosen,
    var: Var,
}

/// With checks that elements of arrays are written before they are read, as far as they are followed; `None` if there is
/// nothing to follow. `cuts` are the heads of the function's loops; blocks keep their numbers.
pub fn elements(unit: &Unit, f: &Function, cuts: &[Cut]) -> Option<Function> {
    let mut homes = homes(unit, f, cuts);
    homes.retain(|home| home.is_unset);
    if homes.is_empty() {
        return None;
    }
    let mut f = f.clone();
    let mut flags = Vec::new();
    for (number, home) in homes.iter().enumerate() {
        for chosen in chosen(unit, &mut f, cuts, home) {
            if !is_evidently_set(&f, home, &chosen) && flags.len() < MOST_ELEMENT_FLAGS {
                let name = unique(&f, format!("{} is set", chosen.name));
                let kind = VarKind::ElementIsSet(chosen.name.clone());
                let var = f.vars.push(VarData { name, ty: BOOL, kind });
                flags.push(Element { home: number, chosen, var });
            }
        }
    }
    if flags.is_empty() {
        return None;
    }
    each_command(&mut f, |f, cmd, out| {
        out.push(cmd.clone());
        for flag in &flags {
            let home = &homes[flag.home];
            let bool = |f: &mut Function, value: u128| f.exprs.push(ExprData::Const(BOOL, value));
            let is_other = cmd.assigned().is_some_and(|var| flag.chosen.vars.contains(&var));
            let kind = match &cmd.kind {
                kind if home.is_born(kind) => CmdKind::Assign(flag.var, bool(f, 0)),
                kind if is_other || home.is_filled(f, kind) => CmdKind::Assign(flag.var, bool(f, 1)),
                CmdKind::Load { addr, .. } => {
                    let Some(index) = home.index(f, *addr) else { continue };
                    let Some(is_it) = is_at(unit, f, &index, &flag.chosen) else { continue };
                    let is_set = f.exprs.push(ExprData::Var(flag.var));
                    let yes = bool(f, 1);
                    let holds = match is_it {
                        Some(is_it) => f.exprs.push(ExprData::Ite(is_it, is_set, yes)),
                        None => is_set,
                    };
                    let check = Cmd { kind: CmdKind::Assert(Check::Uninitialised, holds), loc: cmd.loc };
                    out.insert(out.len() - 1, check);
                    continue;
                }
                CmdKind::Store { addr, .. } => {
                    let Some(index) = home.index(f, *addr) else { continue };
                    let Some(is_it) = is_at(unit, f, &index, &flag.chosen) else { continue };
                    let is_set = f.exprs.push(ExprData::Var(flag.var));
                    let yes = bool(f, 1);
                    let value = match is_it {
                        Some(is_it) => f.exprs.push(ExprData::Ite(is_it, yes, is_set)),
                        None => yes,
                    };
                    CmdKind::Assign(flag.var, value)
                }
                _ => continue,
            };
            out.push(Cmd { kind, loc: cmd.loc });
        }
    });
    Some(f)
}

/// With variables for what pointers in large arrays and in fresh memory hold, as far as they are followed.
pub fn contents(unit: &Unit, mut f: Function, cuts: &[Cut]) -> Function {
    let mut homes = homes(unit, &f, cuts);
    homes.retain(|home| {
        let is_small = home.size.is_some_and(|size| size / home.bytes <= MOST_OBJECT_CELLS);
        let is_object = home.roots.iter().any(|root| matches!(root, Root::Object(_)));
        let cmds = || f.blocks.values().flat_map(|data| &data.cmds);
        home.ty == Type::Ptr && !(is_small && is_object) && cmds().any(|cmd| home.is_filled(&f, &cmd.kind))
    });
    let mut held = Vec::new();
    for (number, home) in homes.iter().enumerate() {
        for chosen in chosen(unit, &mut f, cuts, home) {
            let name = unique(&f, chosen.name.clone());
            let var = f.vars.push(VarData { name, ty: home.ty, kind: VarKind::Source });
            held.push(Element { home: number, chosen, var });
        }
    }
    if held.is_empty() {
        return f;
    }
    each_command(&mut f, |f, cmd, out| {
        out.push(cmd.clone());
        for one in &held {
            let home = &homes[one.home];
            let is_other = cmd.assigned().is_some_and(|var| one.chosen.vars.contains(&var));
            if is_other || home.is_born(&cmd.kind) || home.is_filled(f, &cmd.kind) {
                out.push(Cmd { kind: CmdKind::Havoc(one.var), loc: cmd.loc });
                let value = filled(unit, f, home, one, &cmd.kind);
                out.extend(value.map(|value| Cmd { kind: CmdKind::Assign(one.var, value), loc: cmd.loc }));
                continue;
            }
            let (var, addr, here) = match cmd.kind {
                CmdKind::Load { dst, addr, .. } => (dst, addr, one.var),
                CmdKind::Store { addr, .. } => (one.var, addr, one.var),
                _ => continue,
            };
            let Some(index) = home.index(f, addr) else { continue };
            // The address as it was before the load is gone.
            if cmd.assigned().is_some_and(|dst| depends_on(f, addr, dst)) {
                continue;
            }
            let Some(is_it) = is_at(unit, f, &index, &one.chosen) else { continue };
            let there = match cmd.kind {
                CmdKind::Store { value, .. } => value,
                _ => f.exprs.push(ExprData::Var(here)),
            };
            let otherwise = f.exprs.push(ExprData::Var(var));
            let value = match is_it {
                Some(is_it) => f.exprs.push(ExprData::Ite(is_it, there, otherwise)),
                None => there,
            };
            out.push(Cmd { kind: CmdKind::Assign(var, value), loc: cmd.loc });
        }
    });
    f
}

fn each_command(f: &mut Function, rewrite: impl Fn(&mut Function, &Cmd, &mut Vec<Cmd>)) {
    for block in f.blocks.keys().collect::<Vec<_>>() {
        let cmds = std::mem::take(&mut f.blocks[block].cmds);
        let mut rewritten = Vec::with_capacity(cmds.len());
        for cmd in &cmds {
            rewrite(f, cmd, &mut rewritten);
        }
        f.blocks[block].cmds = rewritten;
    }
}

fn depends_on(f: &Function, expr: Expr, var: Var) -> bool {
    matches!(f.exprs[expr], ExprData::Var(of) if of == var)
        || f.exprs[expr].operands().iter().any(|&operand| depends_on(f, operand, var))
}

fn unique(f: &Function, name: String) -> String {
    let is_taken = |name: &str| {
        f.vars.values().any(|var| var.name == name) || f.objects.values().any(|object| object.name == name)
    };
    match is_taken(&name) {
        true => (2..).map(|n| format!("{name}.v{n}")).find(|name| !is_taken(name)).unwrap_or(name),
        false => name,
    }
}

/// Does the initialiser write it?
fn is_evidently_set(f: &Function, home: &Home, chosen: &Chosen) -> bool {
    home.initialiser(f).iter().any(|cmd| match &cmd.kind {
        CmdKind::Store { addr, .. } => home
            .index(f, *addr)
            .is_some_and(|index| index.terms.is_empty() && Some(index.constant) == chosen.constant),
        kind => home.is_filled(f, kind),
    })
}

/// Is it the element that was chosen? `None` if surely not, `Some(None)` if surely.
fn is_at(unit: &Unit, f: &mut Function, index: &Index, chosen: &Chosen) -> Option<Option<Expr>> {
    if index.terms.is_empty() && chosen.constant.is_some() {
        return (Some(index.constant) == chosen.constant).then_some(None);
    }
    let index = index.expr(unit, f);
    Some(Some(f.exprs.push(ExprData::Binary(BinaryOp::Eq, index, chosen.index))))
}

/// What the element holds after all bytes from the start on were set to one value; it may hold anything before.
fn filled(unit: &Unit, f: &mut Function, home: &Home, one: &Element, kind: &CmdKind) -> Option<Expr> {
    let CmdKind::Fill { dst, byte, len } = *kind else { return None };
    let (Some(0), ExprData::Const(_, byte)) = (home.start(f, dst), f.exprs[byte]) else { return None };
    let word = Type::Int(unit.target.pointer_bits);
    let bits = (0..home.bytes).fold(0u128, |value, _| value << 8 | byte & 0xff);
    let bits = bits & eval::mask(home.ty.bits(unit.target.pointer_bits));
    let value = f.exprs.push(ExprData::Const(home.ty, bits));
    let bytes = f.exprs.push(ExprData::Const(word, u128::from(home.bytes)));
    let count = f.exprs.push(ExprData::Binary(BinaryOp::UDiv, len, bytes));
    let is_inside = f.exprs.push(ExprData::Binary(BinaryOp::ULt, one.chosen.index, count));
    let before = f.exprs.push(ExprData::Var(one.var));
    Some(f.exprs.push(ExprData::Ite(is_inside, value, before)))
}
