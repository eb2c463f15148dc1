//! Removes phis that choose between equal values or that nothing reads, and numbers the variables that
//! remain in order of appearance.

use crate::passive::*;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

pub(super) fn tidy(mut f: Function) -> Function {
    let same = equal_choices(&f);
    visit_uses(&mut f, |var| *var = same[*var].unwrap_or(*var));
    let used = remove_phis(&mut f, &same);
    renumber(&mut f, &used);
    f
}

/// Phis whose sources are all one variable, mapped to it.
fn equal_choices(f: &Function) -> SecondaryMap<Var, Option<Var>> {
    let mut same: SecondaryMap<Var, Option<Var>> = SecondaryMap::new();
    for data in f.blocks.values() {
        for phi in &data.phis {
            let mut sources = phi.sources.iter().map(|&(_, var)| same[var].unwrap_or(var));
            if let Some(first) = sources.next()
                && sources.all(|var| var == first)
            {
                same[phi.var] = Some(first);
            }
        }
    }
    same
}

/// Drops what is mapped away or not read; gives the variables that remain in use.
fn remove_phis(f: &mut Function, same: &SecondaryMap<Var, Option<Var>>) -> SecondaryMap<Var, bool> {
    let mut used: SecondaryMap<Var, bool> = SecondaryMap::new();
    for &param in &f.params {
        used[param] = true;
    }
    visit_uses(f, |var| used[*var] = true);
    for data in f.blocks.values_mut().rev() {
        data.phis.retain(|phi| same[phi.var].is_none() && used[phi.var]);
        for phi in &mut data.phis {
            for (_, var) in &mut phi.sources {
                *var = same[*var].unwrap_or(*var);
                used[*var] = true;
            }
        }
        for cmd in &data.cmds {
            if let CmdKind::Define(var, _) | CmdKind::Update { after: var, .. } = cmd.kind {
                used[var] = true;
            }
        }
    }
    used
}

/// Every place that reads a variable, except phis, and the results of calls.
fn visit_uses(f: &mut Function, mut visit: impl FnMut(&mut Var)) {
    for data in f.exprs.values_mut() {
        if let Some(var) = data.var_mut() {
            visit(var);
        }
    }
    for data in f.blocks.values_mut() {
        for cmd in &mut data.cmds {
            if let CmdKind::Update { before, effect, .. } = &mut cmd.kind {
                visit(before);
                match effect {
                    Effect::Call(call) => call.result.iter_mut().for_each(&mut visit),
                    Effect::Alloca { pointer, .. } | Effect::Allocate { pointer, .. } => visit(pointer),
                    _ => {}
                }
            }
        }
        if let Next::Return { memory, .. } = &mut data.next {
            visit(memory);
        }
    }
}

/// Entry values first, then by block; versions count from 0.
fn renumber(f: &mut Function, used: &SecondaryMap<Var, bool>) {
    let place = |data: &VarData| match data.definition {
        Definition::Entry => (0, 0),
        Definition::Phi(block) => (block.index(), 0),
        Definition::Command(block, index) | Definition::Fresh(block, index) => {
            (block.index(), 1 + index as usize)
        }
    };
    let mut kept: Vec<Var> = f.vars.keys().filter(|&var| used[var]).collect();
    kept.sort_by_key(|&var| place(&f.vars[var]));
    let mut versions: FxHashMap<VarOf, u32> = FxHashMap::default();
    let mut vars = PrimaryMap::with_capacity(kept.len());
    let mut renamed: SecondaryMap<Var, Var> = SecondaryMap::with_default(Var::new(0));
    for var in kept {
        let mut data = f.vars[var];
        let version = versions.entry(data.of).or_default();
        data.version = *version;
        *version += 1;
        renamed[var] = vars.push(data);
    }
    f.vars = vars;
    visit_uses(f, |var| *var = renamed[*var]);
    for param in &mut f.params {
        *param = renamed[*param];
    }
    for data in f.blocks.values_mut() {
        for phi in &mut data.phis {
            phi.var = renamed[phi.var];
            phi.sources.iter_mut().for_each(|(_, var)| *var = renamed[*var]);
        }
        for cmd in &mut data.cmds {
            if let CmdKind::Define(var, _) | CmdKind::Update { after: var, .. } = &mut cmd.kind {
                *var = renamed[*var];
            }
        }
    }
}
