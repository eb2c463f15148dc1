//! Exit states: the contents of places in memory whenever a function returns (semantic inconsistency inference,
//! section 5.1).

use super::{Body, Summarizer};
use crate::body_facts::{self, ExitValue, PointerSource, may_be_errno};
use crate::link::FunctionId;
use crate::summary::{Base, ExitContents, ExitFact, Write};
use gainsay_ir::types::Type;

impl Summarizer<'_> {
    /// Exit states of callees are not propagated: the body facts contain the stores of this function only.
    pub(super) fn find_exit_state(&mut self, members: &[FunctionId]) {
        for &id in members {
            let facts = self.definitions(id).map(|body| self.exit_facts(&body));
            let both =
                |a: Vec<ExitFact>, b: Vec<ExitFact>| a.into_iter().filter(|fact| b.contains(fact)).collect();
            self.known[id].summary.exit_state = facts.reduce(both).unwrap_or_default();
        }
    }

    fn exit_facts(&self, body: &Body) -> Vec<ExitFact> {
        let unit = &self.program.units[body.definition.unit];
        let mut all = Vec::new();
        for one in &body.body_facts.exit_state {
            let base = match one.source {
                PointerSource::Param(param) => Base::Param(param),
                PointerSource::Symbol(symbol) => match unit.symbols.get(&symbol) {
                    Some(entry) => Base::Global(unit.global_name(entry)),
                    None => continue,
                },
                PointerSource::Local
                | PointerSource::Fresh(_)
                | PointerSource::Call(_)
                | PointerSource::Unknown => continue,
            };
            let Some(class) = unit.classes.get(&one.class) else { continue };
            let at = Write { base, class: class.clone() };
            if !one.calls_since.iter().all(|&call| self.spares(body, call, &at, one.ty)) {
                continue;
            }
            for contents in self.known_of(body, one) {
                all.push(ExitFact { at: at.clone(), offset: one.offset, ty: one.ty, contents });
            }
        }
        all.sort();
        all
    }

    /// Does the call not write the place?
    fn spares(&self, body: &Body, call: u32, at: &Write, ty: Type) -> bool {
        let callee = self.callee(body, call);
        let Some(writes) = &callee.summary.writes else { return false };
        let args = &body.body_facts.calls[call as usize].args;
        let is_own =
            |source: &PointerSource| matches!(source, PointerSource::Local | PointerSource::Fresh(_));
        // A block that is allocated after a `free` may have the address of the freed one.
        let mut freed = args.iter().enumerate().filter(|(i, _)| callee.summary.param(*i).may_be_freed);
        if freed.any(|(_, arg)| !arg.sources.iter().all(is_own)) {
            return false;
        }
        writes.iter().all(|write| match &write.base {
            Base::Errno => !is_errno(at, ty),
            // Memory of the function itself is no place that callers can name.
            Base::Param(param) => args
                .get(*param as usize)
                .is_some_and(|arg| !arg.sources.is_empty() && arg.sources.iter().all(is_own)),
            Base::Global(_) | Base::Anywhere | Base::Outside => false,
        })
    }

    fn known_of(&self, body: &Body, candidate: &body_facts::ExitCandidate) -> Vec<ExitContents> {
        let is_nonnull = |value: &ExitValue| match value {
            ExitValue::Address => true,
            ExitValue::Const(bits) => *bits != 0,
            ExitValue::Param { is_nonnull, .. } => *is_nonnull,
            ExitValue::Call(call) => {
                let callee = self.callee(body, *call);
                callee.has_result && callee.summary.result.nonnull
            }
            ExitValue::Unknown => false,
        };
        let exact = |value: &ExitValue| match *value {
            ExitValue::Const(bits) => Some(ExitContents::Const(bits)),
            ExitValue::Param { param, offset, .. } => Some(ExitContents::Param(param, offset)),
            ExitValue::Call(_) | ExitValue::Address | ExitValue::Unknown => None,
        };
        let only = candidate.values.first().and_then(exact);
        let only = only.filter(|_| candidate.values.iter().all(|value| exact(value) == only));
        let is_constant = matches!(only, Some(ExitContents::Const(_)));
        let not_null = candidate.ty == Type::Ptr && !is_constant && candidate.values.iter().all(is_nonnull);
        only.into_iter().chain(not_null.then_some(ExitContents::NotNull)).collect()
    }
}

fn is_errno(at: &Write, ty: Type) -> bool {
    let is_so_named = match &at.base {
        Base::Global(global) => global.name == "errno",
        _ => true,
    };
    is_so_named && may_be_errno(&at.class, ty)
}
