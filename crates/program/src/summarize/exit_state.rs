//! What is in places of memory whenever a function returns (papers/semantic-inconsistency-inference, section 5.1).

use super::{Body, Work};
use crate::body_facts::{self, LeftValue, Source, may_be_errno};
use crate::link::FunctionId;
use crate::summary::{Base, Left, LeftIs, Write};
use gainsay_ir::types::Type;

impl Work<'_> {
    /// What the callees leave is not passed on: skeletons tell it.
    pub(super) fn find_left(&mut self, members: &[FunctionId]) {
        for &id in members {
            let left = self.definitions(id).map(|body| self.left(&body));
            let both = |a: Vec<Left>, b: Vec<Left>| a.into_iter().filter(|left| b.contains(left)).collect();
            self.known[id].summary.left = left.reduce(both).unwrap_or_default();
        }
    }

    fn left(&self, body: &Body) -> Vec<Left> {
        let unit = &self.program.units[body.definition.unit];
        let mut all = Vec::new();
        for one in &body.body_facts.left {
            let base = match one.source {
                Source::Param(param) => Base::Param(param),
                Source::Symbol(symbol) => match unit.symbols.get(&symbol) {
                    Some(entry) => Base::Global(unit.global_name(entry)),
                    None => continue,
                },
                Source::Local | Source::Fresh(_) | Source::Call(_) | Source::Unknown => continue,
            };
            let Some(class) = unit.classes.get(&one.class) else { continue };
            let at = Write { base, class: class.clone() };
            if !one.past.iter().all(|&call| self.spares(body, call, &at, one.ty)) {
                continue;
            }
            for is in self.known_of(body, one) {
                all.push(Left { at: at.clone(), offset: one.offset, ty: one.ty, is });
            }
        }
        all.sort();
        all
    }

    /// Does the call leave the place alone?
    fn spares(&self, body: &Body, call: u32, at: &Write, ty: Type) -> bool {
        let callee = self.callee(body, call);
        let Some(writes) = &callee.summary.writes else { return false };
        let args = &body.body_facts.calls[call as usize].args;
        let is_own = |source: &Source| matches!(source, Source::Local | Source::Fresh(_));
        // What comes after a block that was freed may be taken for it.
        let mut freed = args.iter().enumerate().filter(|(i, _)| callee.summary.param(*i).may_be_freed);
        if freed.any(|(_, arg)| !arg.sources.iter().all(is_own)) {
            return false;
        }
        writes.iter().all(|write| match &write.base {
            Base::Errno => !is_errno(at, ty),
            // The function's own memory is no place that callers know.
            Base::Param(param) => args
                .get(*param as usize)
                .is_some_and(|arg| !arg.sources.is_empty() && arg.sources.iter().all(is_own)),
            Base::Global(_) | Base::Anywhere | Base::Outside => false,
        })
    }

    fn known_of(&self, body: &Body, left: &body_facts::Left) -> Vec<LeftIs> {
        let is_nonnull = |value: &LeftValue| match value {
            LeftValue::Address => true,
            LeftValue::Const(bits) => *bits != 0,
            LeftValue::Param { is_nonnull, .. } => *is_nonnull,
            LeftValue::Call(call) => {
                let callee = self.callee(body, *call);
                callee.has_result && callee.summary.result.nonnull
            }
            LeftValue::Unknown => false,
        };
        let exact = |value: &LeftValue| match *value {
            LeftValue::Const(bits) => Some(LeftIs::Const(bits)),
            LeftValue::Param { param, offset, .. } => Some(LeftIs::Param(param, offset)),
            LeftValue::Call(_) | LeftValue::Address | LeftValue::Unknown => None,
        };
        let only = left.values.first().and_then(exact);
        let only = only.filter(|_| left.values.iter().all(|value| exact(value) == only));
        let is_constant = matches!(only, Some(LeftIs::Const(_)));
        let not_null = left.ty == Type::Ptr && !is_constant && left.values.iter().all(is_nonnull);
        only.into_iter().chain(not_null.then_some(LeftIs::NotNull)).collect()
    }
}

fn is_errno(at: &Write, ty: Type) -> bool {
    let is_so_named = match &at.base {
        Base::Global(global) => global.name == "errno",
        _ => true,
    };
    is_so_named && may_be_errno(&at.class, ty)
}
