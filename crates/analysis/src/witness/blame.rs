//! Which choices are to blame where a way does not go on? Those that decided a condition it is at odds with, and those
//! that decided where a value came from. Turning back to them, past all others, is conflict-directed backjumping
//! (Prosser: "Hybrid algorithms for the constraint satisfaction problem", 1993).

use super::{Path, Search};
use crate::limits::CULPRIT_VARIABLES;
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, CmdKind, Definition, Expr, ExprData, Var, VarOf};
use gainsay_term::Term;
use smallvec::SmallVec;

/// Numbers of choices of a path, ascending.
pub(super) type Culprits = SmallVec<[u32; 8]>;

impl Search<'_> {
    /// The choices that the condition of the last block was refused for; `None` if that is not clear.
    pub(super) fn culprits(&self, path: &Path, refused: Term, condition: Expr) -> Option<Culprits> {
        let mut culprits: Culprits = path.last_choice(path.blocks.len() - 1).into_iter().collect();
        if self.walk.pool().as_bool(refused).is_none() {
            let at = |&number: &u32| {
                let position = path.n_conditions.partition_point(|&before| before <= number as usize) - 1;
                path.last_choice(position)
            };
            culprits.extend(self.guess.in_the_way().iter().filter_map(at));
        }
        self.add_deciders(path, condition, self.walk.pool().as_bool(refused).is_some(), &mut culprits)?;
        culprits.sort_unstable();
        culprits.dedup();
        Some(culprits)
    }

    /// The choices that decided which value a variable has at a join.
    fn add_deciders(
        &self,
        path: &Path,
        condition: Expr,
        needs_memory: bool,
        culprits: &mut Culprits,
    ) -> Option<()> {
        let function = self.function;
        let mut seen: EntitySet<Var> = EntitySet::new();
        let mut n_seen = 0;
        let mut exprs: SmallVec<[Expr; 16]> = [condition].into_iter().collect();
        while let Some(expr) = exprs.pop() {
            let data = function.exprs[expr];
            exprs.extend(data.operands());
            let mut var = match data {
                ExprData::Load(..) if needs_memory => return None,
                ExprData::Var(var) if function.vars[var].of != VarOf::Memory => Some(var),
                _ => None,
            };
            while let Some(known) = var.take() {
                if !seen.insert(known) {
                    break;
                }
                n_seen += 1;
                if n_seen > CULPRIT_VARIABLES {
                    return None;
                }
                match function.vars[known].definition {
                    Definition::Entry | Definition::Fresh(..) => {}
                    Definition::Command(block, index) => {
                        if let CmdKind::Define(_, value) = function.blocks[block].cmds[index as usize].kind {
                            exprs.push(value);
                        }
                    }
                    Definition::Phi(block) => {
                        let at = self.position(path, block)?;
                        let before = path.blocks[at.checked_sub(1)?];
                        let from = self.dominators[block].and_then(|above| self.position(path, above))?;
                        culprits.extend(path.choices_within(from, at));
                        let phi = function.blocks[block].phis.iter().find(|phi| phi.var == known)?;
                        var = phi.sources.iter().find(|(pred, _)| *pred == before).map(|&(_, source)| source);
                    }
                }
            }
        }
        Some(())
    }

    pub(super) fn position(&self, path: &Path, block: Block) -> Option<usize> {
        let position = self.positions[block] as usize;
        (path.blocks.get(position) == Some(&block)).then_some(position)
    }
}

impl Path {
    /// The choice that led to the block at this position.
    fn last_choice(&self, position: usize) -> Option<u32> {
        self.choices.partition_point(|choice| choice.length <= position).checked_sub(1).map(|n| n as u32)
    }

    /// The choices made behind one position and up to the other.
    fn choices_within(&self, from: usize, to: usize) -> std::ops::Range<u32> {
        let number = |position| self.choices.partition_point(|choice| choice.length <= position) as u32;
        number(from)..number(to)
    }
}
