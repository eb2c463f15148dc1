//! Expressions and statements in C, for messages.

mod calls;
mod expressions;

use crate::limits::{QUOTED_DEPTH, QUOTED_LENGTH};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, BinaryOp, VarKind};
use gainsay_ir::passive::{CmdKind, Definition, Effect, Expr, ExprData, Function, Var, VarOf};
use gainsay_ir::types::Type;
use gainsay_vc::Statement;

pub(crate) struct Wording<'a> {
    pub(crate) unit: &'a gc::Unit,
    pub(crate) function: &'a Function,
}

/// A condition as a fact about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    IsNull(String),
    IsNotNull(String),
    /// An equation or relation, as C writes it.
    Holds(String),
    /// No short text for it.
    Unspoken,
    /// The condition as written, with this outcome.
    Goes(&'static str),
}

impl Fact {
    /// "`p` is NULL"
    pub(crate) fn is(&self) -> String {
        match self {
            Fact::IsNull(pointer) => format!("`{pointer}` is NULL"),
            Fact::IsNotNull(pointer) => format!("`{pointer}` is not NULL"),
            Fact::Holds(text) => format!("`{text}` holds"),
            Fact::Unspoken => "the run goes this way".into(),
            Fact::Goes(outcome) => format!("this is {outcome}"),
        }
    }

    /// Refers to what is excluded.
    pub(crate) fn rest(&self) -> &'static str {
        match self {
            Fact::IsNotNull(_) => "anything else",
            _ => "it",
        }
    }

    /// "`p` cannot be NULL"
    pub(crate) fn cannot_be(&self) -> String {
        match self {
            Fact::IsNull(pointer) => format!("`{pointer}` cannot be NULL"),
            Fact::IsNotNull(pointer) => format!("`{pointer}` can only be NULL"),
            Fact::Holds(text) => format!("`{text}` cannot hold"),
            Fact::Unspoken => "no run can go this way".into(),
            Fact::Goes(outcome) => format!("this cannot be {outcome}"),
        }
    }
}

impl Wording<'_> {
    pub(crate) fn fact(&self, condition: Expr) -> Fact {
        let condition = self.resolved(condition);
        match self.function.exprs[condition] {
            ExprData::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b)
                if self.is_null(b) || self.is_null(a) =>
            {
                let pointer = if self.is_null(b) { a } else { b };
                match (self.text(pointer), op) {
                    (Some(text), BinaryOp::Eq) => Fact::IsNull(text),
                    (Some(text), _) => Fact::IsNotNull(text),
                    (None, _) => Fact::Unspoken,
                }
            }
            ExprData::Const(..) => Fact::Unspoken,
            _ => self.text(condition).map_or(Fact::Unspoken, Fact::Holds),
        }
    }

    /// What is known after the check.
    pub(crate) fn passed(&self, at: Statement, check: Check, holds: Expr) -> String {
        match (check, self.operand(check, holds)) {
            (Check::NullDereference, Some(text)) => {
                format!("`{text}` is dereferenced here, so it is not NULL")
            }
            (Check::NullCall, Some(text)) => format!("`{text}` is called here, so it is not NULL"),
            (Check::NonnullArgument, Some(text)) => format!("`{text}` must not be NULL here"),
            (Check::DivisionByZero, Some(text)) => format!("`{text}` is a divisor here, so it is not 0"),
            (Check::InvalidFree, Some(text)) => format!("`{text}` is freed here, so it is not freed yet"),
            (Check::CalleeFails, _) => self.callee_passed(at, holds),
            (Check::Bounds | Check::Shift | Check::Precondition, Some(text)) => {
                format!("`{text}` must hold here: {}", check.holds())
            }
            _ => format!("{} here", check.holds()),
        }
    }

    /// Why a test after the check comes too late.
    pub(crate) fn already(&self, at: Statement, check: Check, holds: Expr) -> String {
        match (check, self.operand(check, holds)) {
            (Check::NullDereference, Some(text)) => format!("`{text}` was already dereferenced"),
            (Check::NullCall, Some(text)) => format!("`{text}` was already called"),
            (Check::NonnullArgument, Some(text)) => {
                format!("`{text}` was already passed where NULL is not allowed")
            }
            (Check::DivisionByZero, Some(text)) => format!("`{text}` was already a divisor"),
            (Check::CalleeFails, _) => self.callee_already(at, holds),
            _ => format!("otherwise {}", self.failing(at, check, holds)),
        }
    }

    /// What happens if the check fails.
    pub(crate) fn failing(&self, at: Statement, check: Check, holds: Expr) -> String {
        match (check, self.operand(check, holds)) {
            (Check::NullDereference, Some(text)) => format!("`{text}` is dereferenced although it is NULL"),
            (Check::NullCall, Some(text)) => format!("`{text}` is called although it is NULL"),
            (Check::NonnullArgument, Some(text)) => format!("`{text}` is NULL where it must not be"),
            (Check::DivisionByZero, Some(text)) => format!("division by `{text}`, which is 0"),
            (Check::Uninitialised, Some(text)) => format!("`{text}` is read before it is initialised"),
            (Check::Uninitialised, None) => match self.element(holds) {
                Some(text) => format!("`{text}`, which nothing has assigned, is read"),
                None => check.fails().to_owned(),
            },
            (Check::InvalidFree, Some(text)) => format!("`{text}` is freed although it must not be"),
            (Check::InvalidAccess, Some(text)) => {
                format!("`{text}` points outside its object or to freed memory")
            }
            (Check::Bounds | Check::Shift | Check::Precondition, Some(text)) => {
                format!("{}: `{text}` does not hold", check.fails())
            }
            (Check::CalleeFails, _) => self.callee_failing(at, holds),
            _ => check.fails().to_owned(),
        }
    }

    /// The value that the check is about.
    fn operand(&self, check: Check, holds: Expr) -> Option<String> {
        let holds = self.resolved(holds);
        match (check, self.function.exprs[holds]) {
            (
                Check::NullDereference | Check::NullCall | Check::NonnullArgument | Check::DivisionByZero,
                ExprData::Binary(BinaryOp::Ne, a, _),
            ) => self.text(a),
            (Check::Uninitialised, ExprData::Var(var)) => match self.function.vars[var].of {
                VarOf::Initialised(source) => Some(self.function.sources[source].name.clone()),
                _ => None,
            },
            (Check::InvalidFree, ExprData::Freeable(_, pointer)) => self.text(pointer),
            (Check::InvalidAccess, ExprData::Valid(_, pointer, _)) => self.pointer(pointer),
            (Check::Bounds | Check::Shift | Check::Precondition, _) => self.text(holds),
            _ => None,
        }
    }

    /// The element of an array that a check is about (`ir::passes::elements`).
    pub(crate) fn element(&self, holds: Expr) -> Option<String> {
        let is_set = match self.function.exprs[holds] {
            ExprData::Ite(_, is_set, _) => is_set,
            _ => holds,
        };
        let ExprData::Var(var) = self.function.exprs[is_set] else { return None };
        let VarOf::Source(source) = self.function.vars[var].of else { return None };
        match &self.function.sources[source].kind {
            VarKind::ElementIsSet(element) => Some(element.clone()),
            _ => None,
        }
    }

    /// The pointer that an address was computed from.
    fn pointer(&self, mut address: Expr) -> Option<String> {
        while let ExprData::Binary(BinaryOp::PtrAdd, base, _) = self.function.exprs[self.resolved(address)] {
            address = base;
        }
        self.text(address)
    }

    /// "`x` is set to `0`"
    pub(crate) fn definition(&self, cmd: &CmdKind) -> Option<String> {
        match cmd {
            CmdKind::Define(var, value) => {
                let name = self.variable(*var)?;
                Some(match self.text(*value) {
                    Some(value) => format!("`{name}` is set to `{value}` here"),
                    None => format!("`{name}` is set here"),
                })
            }
            CmdKind::Update { effect: Effect::Store { addr, value, access }, .. } => {
                let place = self.place(*addr, access.class)?;
                Some(match self.text(*value) {
                    Some(value) => format!("`{place}` is set to `{value}` here"),
                    None => format!("`{place}` is set here"),
                })
            }
            CmdKind::Update { effect: Effect::Free { pointer }, .. } => {
                Some(format!("`{}` is freed here", self.text(*pointer)?))
            }
            _ => None,
        }
    }

    /// Is it the variable itself?
    pub(crate) fn is_value_of(&self, expr: Expr, var: Var) -> bool {
        self.function.exprs[self.resolved(expr)] == ExprData::Var(var)
    }

    pub(crate) fn text(&self, expr: Expr) -> Option<String> {
        let text = self.render(expr, QUOTED_DEPTH)?.0;
        (text.len() <= QUOTED_LENGTH).then_some(text)
    }

    /// The expression, looked up through temporaries.
    fn resolved(&self, mut expr: Expr) -> Expr {
        while let ExprData::Var(var) = self.function.exprs[expr] {
            match (self.variable(var), self.defined_as(var)) {
                (None, Some(value)) => expr = value,
                _ => break,
            }
        }
        expr
    }

    fn variable(&self, var: Var) -> Option<String> {
        match self.function.vars[var].of {
            VarOf::Source(source) => {
                let data = &self.function.sources[source];
                // The suffix that tells shadowed names apart is not in the source.
                let plain = data.name.split('.').next().unwrap_or(&data.name);
                data.is_written_by_user().then(|| plain.to_owned())
            }
            _ => None,
        }
    }

    fn defined_as(&self, var: Var) -> Option<Expr> {
        let Definition::Command(block, index) = self.function.vars[var].definition else { return None };
        match self.function.blocks[block].cmds[index as usize].kind {
            CmdKind::Define(_, value) => Some(value),
            _ => None,
        }
    }

    fn is_null(&self, expr: Expr) -> bool {
        matches!(self.function.exprs[self.resolved(expr)], ExprData::Const(Type::Ptr, 0))
    }
}
