//! Replaces "has this variable been assigned?" ([`ExprData::Initialised`]) by Boolean variables, so that `segments` can
//! carry it from piece to piece.

use crate::gc::{Cmd, CmdKind, ExprData, Function, Loc, Var, VarData, VarKind};
use crate::types::BOOL;
use cranelift_entity::{EntityRef, SecondaryMap};

/// The function without [`ExprData::Initialised`], and the commands that give the new variables their first values. They
/// belong before the first block, to which loops may lead back.
pub fn explicit_flags(mut f: Function) -> (Function, Vec<Cmd>) {
    let mut flags: SecondaryMap<Var, Option<Var>> = SecondaryMap::new();
    let mut first = Vec::new();
    for expr in f.exprs.keys().collect::<Vec<_>>() {
        let ExprData::Initialised(var) = f.exprs[expr] else { continue };
        let flag = *flags[var].get_or_insert_with(|| {
            let name = format!("{} is set", f.vars[var].name);
            f.vars.push(VarData { name, ty: BOOL, kind: VarKind::Temp })
        });
        f.exprs[expr] = ExprData::Var(flag);
    }
    let no = f.exprs.push(ExprData::Const(BOOL, 0));
    let yes = f.exprs.push(ExprData::Const(BOOL, 1));
    for var in f.vars.keys() {
        if let Some(flag) = flags[var] {
            let value = if f.params.contains(&var) { yes } else { no };
            first.push(Cmd { kind: CmdKind::Assign(flag, value), loc: Loc::new(0) });
        }
    }
    for data in f.blocks.values_mut() {
        let cmds = std::mem::take(&mut data.cmds);
        for cmd in cmds {
            let flag = cmd.assigned().and_then(|var| flags[var]);
            let value = if matches!(cmd.kind, CmdKind::Enter(_)) { no } else { yes };
            let loc = cmd.loc;
            data.cmds.push(cmd);
            data.cmds.extend(flag.map(|flag| Cmd { kind: CmdKind::Assign(flag, value), loc }));
        }
    }
    (f, first)
}
