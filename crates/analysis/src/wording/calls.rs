//! What is known of the function that a call calls: with which arguments it fails, and what holds once it has returned.

use super::{Fact, Wording, number};
use crate::calls::{call_before, call_behind, call_with_exit_state};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Symbol};
use gainsay_ir::passive::{Call, Callee, CmdKind, Effect, Expr, ExprData};
use gainsay_vc::Statement;

const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

impl Wording<'_> {
    pub(super) fn callee_passed(&self, at: Statement, holds: Expr) -> String {
        let Some((name, call)) = self.failing_call(at) else { return check(Check::holds) };
        match (self.fact(holds), self.argument(call, holds)) {
            (Fact::IsNotNull(pointer), Some(which)) => {
                format!("`{name}` fails if its {which} argument is NULL, so `{pointer}` is not NULL")
            }
            (Fact::IsNotNull(pointer), None) => {
                format!("`{name}` fails if it is given NULL, so `{pointer}` is not NULL")
            }
            (Fact::Holds(text), _) => format!("`{name}` fails otherwise, so `{text}` holds"),
            _ => format!("`{name}` does not fail here"),
        }
    }

    pub(super) fn callee_already(&self, at: Statement, holds: Expr) -> String {
        let Some((name, _)) = self.failing_call(at) else { return check(Check::holds) };
        match self.fact(holds) {
            Fact::IsNotNull(pointer) => {
                format!("`{pointer}` was already passed to `{name}`, which fails if it is NULL")
            }
            Fact::Holds(text) => format!("`{name}` was already called, which fails unless `{text}`"),
            _ => format!("otherwise `{name}` fails"),
        }
    }

    pub(super) fn callee_failing(&self, at: Statement, holds: Expr) -> String {
        let Some((name, call)) = self.failing_call(at) else { return check(Check::fails) };
        match (self.fact(holds), self.argument(call, holds)) {
            (Fact::IsNotNull(pointer), Some(which)) => {
                format!("`{pointer}` is NULL, and `{name}` fails if its {which} argument is")
            }
            (Fact::IsNotNull(pointer), None) => format!("`{name}` fails because `{pointer}` is NULL"),
            (Fact::Holds(text), _) => format!("`{name}` fails because `{text}` does not hold"),
            _ => format!("`{name}` fails"),
        }
    }

    /// What the call before the assumption makes known; `None` if it is no fact of a call.
    pub(crate) fn call_fact(&self, statement: Statement) -> Option<String> {
        let (name, call) = self.callee(call_before(self.function, statement)?)?;
        let cmd = &self.function.blocks[statement.block].cmds[statement.index as usize];
        let CmdKind::Assume(holds) = cmd.kind else { return None };
        if let Some(text) = self.result_fact(name, call, holds) {
            return Some(text);
        }
        match self.fact(holds) {
            fact @ (Fact::IsNull(_) | Fact::IsNotNull(_)) => {
                Some(format!("`{name}` returns only if {}", fact.is()))
            }
            Fact::Holds(text) => Some(format!("`{name}` returns only if `{text}`")),
            Fact::Unspoken | Fact::Goes(_) => None,
        }
    }

    /// What a callee has left in memory; `None` if it is no fact of a call.
    pub(crate) fn exit_state(&self, store: Statement) -> Option<String> {
        let (name, _) = self.callee(call_with_exit_state(self.function, store)?)?;
        let cmd = &self.function.blocks[store.block].cmds[store.index as usize];
        let CmdKind::Update { effect: Effect::Store { addr, value, access }, .. } = cmd.kind else {
            return None;
        };
        let place = self.place(addr, access.class)?;
        if let ExprData::Binary(BinaryOp::PtrAdd, ..) = self.function.exprs[value] {
            let into = self.pointer(value)?;
            return Some(format!("`{name}` always makes `{place}` point into what `{into}` points to"));
        }
        Some(match self.text(value) {
            Some(value) => format!("`{name}` always sets `{place}` to `{value}`"),
            None => format!("`{name}` always sets `{place}`"),
        })
    }

    fn result_fact(&self, name: &str, call: &Call, holds: Expr) -> Option<String> {
        let result = call.result?;
        let of = |expr: Expr| self.function.exprs[expr];
        let is_result = |expr: Expr| of(expr) == ExprData::Var(result);
        let text = |expr: Expr| match of(expr) {
            ExprData::Const(ty, bits) => number(ty, bits),
            _ => None,
        };
        match of(holds) {
            ExprData::Binary(BinaryOp::Ne, a, b) if is_result(a) && self.is_null(b) => {
                Some(format!("`{name}` never returns NULL"))
            }
            ExprData::Binary(BinaryOp::Eq, a, b) if is_result(a) => {
                Some(format!("`{name}` returns only {}", text(b)?))
            }
            ExprData::Binary(BinaryOp::SLe, a, b) if is_result(b) => {
                Some(format!("`{name}` returns nothing below {}", text(a)?))
            }
            ExprData::Binary(BinaryOp::SLe, a, b) if is_result(a) => {
                Some(format!("`{name}` returns nothing above {}", text(b)?))
            }
            ExprData::Binary(BinaryOp::And, low, high) => match (of(low), of(high)) {
                (ExprData::Binary(BinaryOp::SLe, least, a), ExprData::Binary(BinaryOp::SLe, b, most))
                    if is_result(a) && is_result(b) =>
                {
                    Some(format!("`{name}` returns only values from {} to {}", text(least)?, text(most)?))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The function whose call the check stands before.
    pub(crate) fn symbol_called_at(&self, check: Statement) -> Option<Symbol> {
        match call_behind(self.function, check)?.callee {
            Callee::Symbol(symbol) => Some(symbol),
            Callee::Pointer(_) => None,
        }
    }

    fn callee<'c>(&self, call: &'c Call) -> Option<(&str, &'c Call)> {
        match call.callee {
            Callee::Symbol(symbol) => Some((&self.unit.symbols[symbol].name, call)),
            Callee::Pointer(_) => None,
        }
    }

    fn failing_call(&self, check: Statement) -> Option<(&str, &Call)> {
        self.callee(call_behind(self.function, check)?)
    }

    /// "first", for the argument that is compared with NULL.
    fn argument(&self, call: &Call, holds: Expr) -> Option<&'static str> {
        let ExprData::Binary(_, pointer, _) = self.function.exprs[holds] else { return None };
        let is_same = |&arg: &Expr| {
            self.function.exprs[arg] == self.function.exprs[pointer]
                || self.text(arg).is_some_and(|text| Some(text) == self.text(pointer))
        };
        ORDINALS.get(call.args.iter().position(is_same)?).copied()
    }
}

/// The texts of the check itself.
fn check(text: fn(Check) -> &'static str) -> String {
    text(Check::CalleeFails).to_owned()
}
