//! Which functions may return NULL and which test their arguments for NULL. Suggestions for `beliefs`, not facts.

use super::{Body, Summarizer};
use crate::body_facts::{AbstractValue, Event, PartEnd};
use crate::link::FunctionId;
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

impl Summarizer<'_> {
    /// Grows from the empty set.
    pub(super) fn find_null_returns(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let known = &work.known[id].summary;
            let may = !known.may_return_null
                && !known.result.nonnull
                && work.definitions(id).any(|body| work.returns_null(&body));
            may && !std::mem::replace(&mut work.known[id].summary.may_return_null, true)
        });
    }

    /// Grows from the empty set. A callee whose result is used may test on behalf of its caller:
    /// `if (is_missing(p)) return;`.
    pub(super) fn find_null_tests(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let mut null_tested: BTreeSet<u32> = work.known[id].summary.null_tested.iter().copied().collect();
            let before = null_tested.len();
            for body in work.definitions(id) {
                null_tested.extend(&body.body_facts.null_tested);
                for (call, site) in
                    body.body_facts.calls.iter().enumerate().filter(|(_, site)| site.result.is_some())
                {
                    let callee = work.callee(&body, call as u32);
                    let args =
                        callee.summary.null_tested.iter().filter_map(|&param| site.args.get(param as usize));
                    null_tested.extend(args.filter_map(|arg| body.is_param(arg.value)));
                }
            }
            let changed = null_tested.len() != before;
            work.known[id].summary.null_tested = null_tested.into_iter().collect();
            changed
        });
    }

    fn returns_null(&self, body: &Body) -> bool {
        if body.body_facts.result != Some(Type::Ptr) {
            return false;
        }
        let parts = &body.body_facts.parts;
        parts.iter().any(|part| match &part.end {
            PartEnd::Return(values) => values.iter().any(|&value| self.may_be_null(body, value)),
            _ => false,
        })
    }

    fn may_be_null(&self, body: &Body, value: AbstractValue) -> bool {
        let of = |value: AbstractValue| match value {
            AbstractValue::Const(0) | AbstractValue::Fresh(_) => true,
            AbstractValue::Call(call) => self.callee(body, call).summary.may_return_null,
            _ => false,
        };
        match value {
            AbstractValue::Slot(slot) => {
                body.body_facts.parts.iter().flat_map(|part| &part.events).any(|event| match event {
                    Event::Set(set, values) => *set == slot && values.iter().any(|&value| of(value)),
                    _ => false,
                })
            }
            value => of(value),
        }
    }
}
