//! Pointers that are NULL, or not, whenever a function returns (papers/semantic-inconsistency-inference, section 5.1).

use super::{Body, Work};
use crate::link::FunctionId;
use gainsay_ir::passes::skeleton::{self, Source, Value};
use gainsay_ir::summary::{Base, Left, Write};

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
        for one in &body.skeleton.left {
            let base = match one.source {
                Source::Param(param) => Base::Param(param),
                Source::Symbol(symbol) => match unit.symbols.get(&symbol) {
                    Some(entry) => Base::Global(unit.global_name(entry)),
                    None => continue,
                },
                Source::Local | Source::Fresh(_) | Source::Call(_) | Source::Unknown => continue,
            };
            let (Some(class), Some(is_null)) = (unit.classes.get(&one.class), self.is_null(body, one)) else {
                continue;
            };
            let at = Write { base, class: class.clone() };
            all.push(Left { at, offset: one.offset, is_null });
        }
        all.sort();
        all
    }

    fn is_null(&self, body: &Body, left: &skeleton::Left) -> Option<bool> {
        let stays = left.past.iter().all(|&call| {
            let writes = self.callee(body, call).summary.writes.clone();
            writes.is_some_and(|writes| writes.iter().all(|write| write.base == Base::Errno))
        });
        let is_address = |value: &Value| match value {
            Value::Address => true,
            Value::Call(call) => {
                let callee = self.callee(body, *call);
                callee.has_result && callee.summary.result.nonnull
            }
            _ => false,
        };
        if !stays {
            None
        } else if left.values.iter().all(|value| *value == Value::Const(0)) {
            Some(true)
        } else {
            left.values.iter().all(is_address).then_some(false)
        }
    }
}
