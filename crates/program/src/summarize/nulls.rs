//! What functions say themselves about NULL, for `beliefs`, suggestions and no facts: which may return it, and which ask
//! whether they were given it.

use super::{Body, Work};
use crate::body_facts::{End, Event, Value};
use crate::link::FunctionId;
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

impl Work<'_> {
    /// Grows from nothing.
    pub(super) fn find_null_results(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let known = &work.known[id].summary;
            let may = !known.gives_null
                && !known.result.nonnull
                && work.definitions(id).any(|body| work.returns_null(&body));
            may && !std::mem::replace(&mut work.known[id].summary.gives_null, true)
        });
    }

    /// Grows from nothing. A callee that answers asks for its caller: `if (is_missing(p)) return;`.
    pub(super) fn find_asked(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let mut asked: BTreeSet<u32> = work.known[id].summary.asks.iter().copied().collect();
            let before = asked.len();
            for body in work.definitions(id) {
                asked.extend(&body.body_facts.asked);
                for (call, site) in
                    body.body_facts.calls.iter().enumerate().filter(|(_, site)| site.result.is_some())
                {
                    let callee = work.callee(&body, call as u32);
                    let args = callee.summary.asks.iter().filter_map(|&param| site.args.get(param as usize));
                    asked.extend(args.filter_map(|arg| body.is_param(arg.value)));
                }
            }
            let changed = asked.len() != before;
            work.known[id].summary.asks = asked.into_iter().collect();
            changed
        });
    }

    fn returns_null(&self, body: &Body) -> bool {
        if body.body_facts.result != Some(Type::Ptr) {
            return false;
        }
        let parts = &body.body_facts.parts;
        parts.iter().any(|part| match &part.end {
            End::Return(values) => values.iter().any(|&value| self.may_be_null(body, value)),
            _ => false,
        })
    }

    fn may_be_null(&self, body: &Body, value: Value) -> bool {
        let of = |value: Value| match value {
            Value::Const(0) | Value::Fresh(_) => true,
            Value::Call(call) => self.callee(body, call).summary.gives_null,
            _ => false,
        };
        match value {
            Value::Slot(slot) => {
                body.body_facts.parts.iter().flat_map(|part| &part.events).any(|event| match event {
                    Event::Set(set, values) => *set == slot && values.iter().any(|&value| of(value)),
                    _ => false,
                })
            }
            value => of(value),
        }
    }
}
