//! Expressions and statements in the words of a C programmer.

mod calls;

use crate::limits::{QUOTED_DEPTH, QUOTED_LENGTH};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{self, BinaryOp, CastOp, UnaryOp, VarKind};
use gainsay_ir::passive::{Callee, CmdKind, Definition, Effect, Expr, ExprData, Function, Var, VarOf};
use gainsay_ir::types::{BOOL, Type};
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
    /// Nothing that can be said shortly.
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

    /// What is excluded.
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

    /// What a check has shown once it is passed.
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

    /// Why a test behind the check comes too late.
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

    /// What happens where a check fails.
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

    /// Is it the variable as such?
    pub(crate) fn is_value_of(&self, expr: Expr, var: Var) -> bool {
        self.function.exprs[self.resolved(expr)] == ExprData::Var(var)
    }

    pub(crate) fn text(&self, expr: Expr) -> Option<String> {
        let text = self.render(expr, QUOTED_DEPTH)?.0;
        (text.len() <= QUOTED_LENGTH).then_some(text)
    }

    /// Through temporaries that only hold something else.
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
                // Shadowed names are told apart by a suffix that nobody wrote.
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

    /// The text and whether it needs parentheses as an operand.
    fn render(&self, expr: Expr, depth: u32) -> Option<(String, bool)> {
        let depth = depth.checked_sub(1)?;
        match self.function.exprs[expr] {
            ExprData::Const(Type::Ptr, 0) => Some(("NULL".into(), false)),
            ExprData::Const(ty, bits) => number(ty, bits).map(|text| (text, false)),
            ExprData::Var(var) => match self.variable(var) {
                Some(name) => Some((name, false)),
                None => match self.defined_as(var) {
                    Some(value) => self.render(value, depth),
                    None => self.call_result(var).map(|text| (text, false)),
                },
            },
            ExprData::ObjectAddr(object) => {
                let data = &self.function.objects[object];
                data.written_by_user.then(|| (format!("&{}", data.name), true))
            }
            ExprData::SymbolAddr(symbol) => Some((format!("&{}", self.unit.symbols[symbol].name), true)),
            ExprData::Unary(UnaryOp::Not, a) => Some((format!("!{}", self.operand_text(a, depth)?), true)),
            ExprData::Unary(UnaryOp::Neg | UnaryOp::FNeg, a) => {
                Some((format!("-{}", self.operand_text(a, depth)?), true))
            }
            // Conversions say little; a Boolean made a number is the Boolean.
            ExprData::Cast(
                CastOp::ZeroExtend
                | CastOp::SignExtend
                | CastOp::Truncate
                | CastOp::PtrToInt
                | CastOp::IntToPtr,
                _,
                a,
            ) => self.render(a, depth),
            ExprData::Cast(..) => None,
            // `100 < x` is written `x > 100` by most.
            ExprData::Binary(op, a, b)
                if self.is_number(a) && !self.is_number(b) && mirrored(op).is_some() =>
            {
                let text =
                    format!("{} {} {}", self.side(op, b, depth)?, mirrored(op)?, self.side(op, a, depth)?);
                Some((text, true))
            }
            ExprData::Binary(op, a, b) => {
                // A signed number that is compared as an unsigned one must not be negative either.
                let is_bound = matches!(op, BinaryOp::ULt | BinaryOp::ULe)
                    && matches!(self.function.exprs[a], ExprData::Cast(CastOp::SignExtend, ..));
                let least = if is_bound { "0 <= " } else { "" };
                let (left, right) = (self.side(op, a, depth)?, self.side(op, b, depth)?);
                Some((format!("{least}{left} {} {right}", operator(op)?), true))
            }
            ExprData::Ite(..) | ExprData::Valid(..) | ExprData::Freeable(..) => None,
            ExprData::Load(_, access, addr) => {
                self.place_at(addr, access.class, depth).map(|text| (text, false))
            }
        }
    }

    fn operand_text(&self, expr: Expr, depth: u32) -> Option<String> {
        let (text, is_compound) = self.render(expr, depth)?;
        Some(if is_compound { format!("({text})") } else { text })
    }

    /// An operand; numbers as the operator sees them.
    fn side(&self, op: BinaryOp, expr: Expr, depth: u32) -> Option<String> {
        use BinaryOp::{And, LShr, Or, UDiv, ULe, ULt, URem, Xor};
        match (self.function.exprs[expr], op) {
            (ExprData::Const(Type::Int(1..=64), bits), ULt | ULe | UDiv | URem) => Some(bits.to_string()),
            (ExprData::Const(Type::Int(2..=64), bits), And | Or | Xor | LShr) if bits > 9 => {
                Some(format!("{bits:#x}"))
            }
            _ => self.operand_text(expr, depth),
        }
    }

    fn call_result(&self, var: Var) -> Option<String> {
        let Definition::Fresh(block, index) = self.function.vars[var].definition else { return None };
        let cmd = self.function.blocks[block].cmds.get(index as usize)?;
        match &cmd.kind {
            CmdKind::Update { effect: Effect::Call(call), .. } if call.result == Some(var) => {
                match call.callee {
                    Callee::Symbol(symbol) => Some(format!("{}()", self.unit.symbols[symbol].name)),
                    Callee::Pointer(_) => None,
                }
            }
            _ => None,
        }
    }

    fn place(&self, addr: Expr, class: gc::Class) -> Option<String> {
        self.place_at(addr, class, QUOTED_DEPTH)
    }

    /// The place at an address, as C names it: `x`, `p->f`, `*p`.
    fn place_at(&self, addr: Expr, class: gc::Class, depth: u32) -> Option<String> {
        let field = self.unit.classes[class].field.as_ref();
        let addr = self.resolved(addr);
        match (self.function.exprs[addr], field) {
            (ExprData::ObjectAddr(object), None) => Some(self.function.objects[object].name.clone()),
            (ExprData::SymbolAddr(symbol), None) => Some(self.unit.symbols[symbol].name.clone()),
            (ExprData::ObjectAddr(object), Some(field)) => {
                Some(format!("{}.{}", self.function.objects[object].name, field.name))
            }
            (ExprData::SymbolAddr(symbol), Some(field)) => {
                Some(format!("{}.{}", self.unit.symbols[symbol].name, field.name))
            }
            (ExprData::Binary(BinaryOp::PtrAdd, base, offset), Some(field)) => {
                let at_field =
                    self.function.exprs[offset] == ExprData::Const(self.word(), u128::from(field.offset));
                let base = self.resolved(base);
                match (at_field, self.function.exprs[base]) {
                    (false, _) => None,
                    (true, ExprData::ObjectAddr(object)) => {
                        Some(format!("{}.{}", self.function.objects[object].name, field.name))
                    }
                    (true, ExprData::SymbolAddr(symbol)) => {
                        Some(format!("{}.{}", self.unit.symbols[symbol].name, field.name))
                    }
                    // A member of a member: the outer one has no name here.
                    (true, ExprData::Binary(BinaryOp::PtrAdd, outer, _)) => {
                        Some(format!("{}->...{}", self.operand_text(outer, depth)?, field.name))
                    }
                    (true, _) => Some(format!("{}->{}", self.operand_text(base, depth)?, field.name)),
                }
            }
            (ExprData::Binary(BinaryOp::PtrAdd, base, offset), None) => {
                let array = self.array(base, depth)?;
                let index = self.index(offset, depth)?;
                Some(format!("{array}[{index}]"))
            }
            (_, Some(field)) if field.offset == 0 => {
                Some(format!("{}->{}", self.operand_text(addr, depth)?, field.name))
            }
            (_, Some(_)) => None,
            (_, None) => Some(format!("*{}", self.operand_text(addr, depth)?)),
        }
    }

    /// An array, or a pointer into one.
    fn array(&self, base: Expr, depth: u32) -> Option<String> {
        match self.function.exprs[self.resolved(base)] {
            ExprData::ObjectAddr(object) => Some(self.function.objects[object].name.clone()),
            ExprData::SymbolAddr(symbol) => Some(self.unit.symbols[symbol].name.clone()),
            _ => self.operand_text(base, depth),
        }
    }

    /// The index behind an offset in bytes.
    fn index(&self, offset: Expr, depth: u32) -> Option<String> {
        match self.function.exprs[offset] {
            ExprData::Binary(BinaryOp::Mul, index, size) if self.is_number(size) => {
                self.render(index, depth).map(|(text, _)| text)
            }
            ExprData::Cast(..) => self.render(offset, depth).map(|(text, _)| text),
            _ => None,
        }
    }

    fn is_number(&self, expr: Expr) -> bool {
        matches!(self.function.exprs[expr], ExprData::Const(..))
    }

    fn word(&self) -> Type {
        Type::Int(self.unit.target.pointer_bits)
    }
}

fn number(ty: Type, bits: u128) -> Option<String> {
    match ty {
        BOOL => Some(if bits == 0 { "false" } else { "true" }.into()),
        Type::Int(width) if width <= 64 => {
            let unused = 128 - u32::from(width);
            let value = ((bits << unused) as i128) >> unused;
            // Unsigned values with the top bit set are rare, negative ones are not.
            Some(value.to_string())
        }
        Type::Int(_) | Type::Float(_) => None,
        Type::Ptr => Some(format!("{bits:#x}")),
    }
}

/// The operator with its operands exchanged.
fn mirrored(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::FEq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::ULt | BinaryOp::SLt | BinaryOp::FLt => ">",
        BinaryOp::ULe | BinaryOp::SLe | BinaryOp::FLe => ">=",
        _ => return None,
    })
}

fn operator(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add | BinaryOp::FAdd | BinaryOp::PtrAdd => "+",
        BinaryOp::Sub | BinaryOp::FSub | BinaryOp::PtrSub => "-",
        BinaryOp::Mul | BinaryOp::FMul => "*",
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::FDiv => "/",
        BinaryOp::URem | BinaryOp::SRem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr | BinaryOp::AShr => ">>",
        BinaryOp::Eq | BinaryOp::FEq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::ULt | BinaryOp::SLt | BinaryOp::FLt => "<",
        BinaryOp::ULe | BinaryOp::SLe | BinaryOp::FLe => "<=",
    })
}
