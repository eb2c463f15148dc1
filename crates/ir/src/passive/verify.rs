//! Is a passive function what it says: acyclic, each variable defined once, and on every path before it is
//! used? Written as plainly as possible (sets per block), for tests and debugging, not for speed.

use super::{Block, CmdKind, Definition, Effect, Expr, Function, Next, Var};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};

/// The first violation found.
pub fn verify(f: &Function) -> Result<(), String> {
    let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for (block, data) in &f.blocks {
        for &target in data.next.targets() {
            if !f.blocks.is_valid(target) || target <= block {
                return Err(format!("{block} goes to {target}, which does not come later"));
            }
            if !predecessors[target].contains(&block) {
                predecessors[target].push(block);
            }
        }
        if matches!(&data.next, Next::Goto(targets) if targets.is_empty()) {
            return Err(format!("the goto of {block} has no target"));
        }
    }
    let mut verifier = Verifier { f, defined: EntitySet::new() };
    let mut at_end: PrimaryMap<Block, EntitySet<Var>> = PrimaryMap::new();
    for block in f.blocks.keys() {
        let preds = &predecessors[block];
        if preds.is_empty() && block.index() > 0 {
            return Err(format!("nothing leads to {block}"));
        }
        let mut known = preds.first().map(|&pred| at_end[pred].clone()).unwrap_or_default();
        for &pred in preds.iter().skip(1) {
            for var in f.vars.keys() {
                if !at_end[pred].contains(var) {
                    known.remove(var);
                }
            }
        }
        verifier.block(block, preds, &at_end, &mut known)?;
        at_end.push(known);
    }
    for (var, data) in &f.vars {
        let needs_definition = matches!(data.definition, Definition::Command(..) | Definition::Phi(_));
        if needs_definition != verifier.defined.contains(var) {
            return Err(format!("{var} is {:?} but was found otherwise", data.definition));
        }
    }
    Ok(())
}

struct Verifier<'a> {
    f: &'a Function,
    /// By a command or phi so far.
    defined: EntitySet<Var>,
}

impl Verifier<'_> {
    fn block(
        &mut self,
        block: Block,
        preds: &[Block],
        at_end: &PrimaryMap<Block, EntitySet<Var>>,
        known: &mut EntitySet<Var>,
    ) -> Result<(), String> {
        let data = &self.f.blocks[block];
        for phi in &data.phis {
            let mut blocks: Vec<Block> = phi.sources.iter().map(|source| source.0).collect();
            let mut expected = preds.to_vec();
            blocks.sort();
            expected.sort();
            if blocks != expected {
                return Err(format!("the phi of {} in {block} does not fit its predecessors", phi.var));
            }
            for &(pred, var) in &phi.sources {
                self.readable(var, &at_end[pred], block)?;
                if self.f.vars[var].sort != self.f.vars[phi.var].sort {
                    return Err(format!("the phi of {} in {block} mixes sorts", phi.var));
                }
            }
        }
        for phi in &data.phis {
            self.define(phi.var, Definition::Phi(block), known)?;
        }
        if data.branch.is_some() && !matches!(data.cmds.first().map(|c| &c.kind), Some(CmdKind::Assume(_))) {
            return Err(format!("{block} is an edge of a branch and does not start with assume"));
        }
        for (index, cmd) in data.cmds.iter().enumerate() {
            let definition = Definition::Command(block, index as u32);
            match &cmd.kind {
                CmdKind::Define(var, value) => {
                    self.expr(*value, known, block)?;
                    self.define(*var, definition, known)?;
                }
                CmdKind::Update { after, before, effect } => {
                    self.readable(*before, known, block)?;
                    for expr in effect.exprs() {
                        self.expr(expr, known, block)?;
                    }
                    let fresh = match effect {
                        Effect::Call(call) => call.result,
                        Effect::Alloca { pointer, .. } | Effect::Allocate { pointer, .. } => Some(*pointer),
                        _ => None,
                    };
                    if fresh.is_some_and(|var| !matches!(self.f.vars[var].definition, Definition::Fresh(..)))
                    {
                        return Err(format!("the result of command {index} of {block} is not fresh"));
                    }
                    self.define(*after, definition, known)?;
                }
                CmdKind::Assume(condition) | CmdKind::Assert(_, condition) => {
                    self.expr(*condition, known, block)?;
                }
            }
        }
        if let Next::Return { value, memory } = &data.next {
            self.readable(*memory, known, block)?;
            if let Some(value) = value {
                self.expr(*value, known, block)?;
            }
        }
        Ok(())
    }

    fn define(&mut self, var: Var, how: Definition, known: &mut EntitySet<Var>) -> Result<(), String> {
        if !self.defined.insert(var) {
            return Err(format!("{var} is defined twice"));
        }
        if self.f.vars[var].definition != how {
            return Err(format!("{var} is defined by {how:?}, not {:?}", self.f.vars[var].definition));
        }
        known.insert(var);
        Ok(())
    }

    fn readable(&self, var: Var, known: &EntitySet<Var>, block: Block) -> Result<(), String> {
        let always = matches!(self.f.vars[var].definition, Definition::Entry | Definition::Fresh(..));
        if always || known.contains(var) {
            Ok(())
        } else {
            Err(format!("{block} uses {var} before its definition"))
        }
    }

    fn expr(&self, expr: Expr, known: &EntitySet<Var>, block: Block) -> Result<(), String> {
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            let data = &self.f.exprs[expr];
            if let Some(var) = data.var() {
                self.readable(var, known, block)?;
            }
            stack.extend(data.operands());
        }
        Ok(())
    }
}
