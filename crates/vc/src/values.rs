//! Values of variables and expressions as terms, and the unknowns among them.

use super::Encoder;
use gainsay_ir::passive::{CmdKind, Definition, Expr, ExprData, Var, VarOf};
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::Term;

/// The round of an expression that consists of constants, addresses, inputs and unknowns only.
// not a limit: marker that equals no round
pub(super) const SETTLED: u32 = u32::MAX;

/// What an unknown without a name in the source stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// Contents of memory at entry.
    Load,
    /// Contents of memory that may have been overwritten.
    Lost,
    /// The result of an operation that is not interpreted.
    Float,
    Bit,
    /// Whether a call ends the run.
    Stop,
    /// Which successor is taken.
    Choice,
    /// Whether a variable is initialised.
    Flag,
    /// The switch of a statement.
    Switch,
    /// Whether bytes can be accessed.
    Valid,
    /// Whether a pointer can be freed.
    Freeable,
}

impl Unknown {
    /// The beginning of the name in formulas.
    fn prefix(self) -> &'static str {
        match self {
            Unknown::Load => "load",
            Unknown::Lost => "lost",
            Unknown::Float => "float",
            Unknown::Bit => "bit",
            Unknown::Stop => "stop",
            Unknown::Choice => "way",
            Unknown::Flag => "flag",
            Unknown::Switch => "on",
            Unknown::Valid => "valid",
            Unknown::Freeable => "freeable",
        }
    }

    /// Does it stand for a value that the function determines and the formulas do not?
    fn is_approximation(self) -> bool {
        matches!(self, Unknown::Lost | Unknown::Float | Unknown::Bit)
    }
}

impl Encoder<'_> {
    pub(super) fn var(&mut self, var: Var) -> Term {
        if let Some(term) = self.vars[var] {
            return term;
        }
        let term = self.unknown_var(var);
        self.vars[var] = Some(term);
        let is_settled = match self.function.vars[var].definition {
            Definition::Entry | Definition::Fresh(..) => true,
            Definition::Phi(_) => false,
            Definition::Command(block, index) => {
                let cmd = &self.function.blocks[block].cmds[index as usize];
                !matches!(cmd.kind, CmdKind::Define(..))
            }
        };
        if is_settled {
            self.settled.insert(var);
        }
        term
    }

    /// An unknown with the name of the variable.
    pub(super) fn unknown_var(&mut self, var: Var) -> Term {
        let data = self.function.vars[var];
        match (data.of, data.definition) {
            (VarOf::Flag(value), _) => self.pool.bool(value),
            (VarOf::Source(source), _) => {
                let source = &self.function.sources[source];
                let name = format!("{}@{}", source.name, data.version);
                let sort = self.sort(source.ty);
                self.pool.var(&name, sort)
            }
            // A variable whose scope was never entered is uninitialised.
            (VarOf::Initialised(_), Definition::Entry) => self.pool.bool(false),
            (VarOf::Initialised(_) | VarOf::Memory, _) => self.unknown(Unknown::Flag, BOOL),
        }
    }

    /// Operands come before their users, so this recurses only through loads.
    pub(super) fn expr(&mut self, expr: Expr) -> Term {
        if let Some(term) = self.known(expr) {
            return term;
        }
        // Loads call this again, with a stack of their own.
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(expr);
        while let Some(&top) = stack.last() {
            let data = self.function.exprs[top];
            let waiting = stack.len();
            data.for_each_operand(|operand| {
                if self.known(operand).is_none() {
                    stack.push(operand);
                }
            });
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            if self.known(top).is_none() {
                let term = self.node(data);
                let round = if self.will_not_change(data) { SETTLED } else { self.round };
                self.exprs[top] = Some((round, term));
            }
        }
        self.stack = stack;
        self.done(expr)
    }

    pub(super) fn known(&self, expr: Expr) -> Option<Term> {
        self.exprs[expr].filter(|&(round, _)| round == self.round || round == SETTLED).map(|(_, term)| term)
    }

    pub(super) fn is_settled(&self, expr: Expr) -> bool {
        self.exprs[expr].is_some_and(|(round, _)| round == SETTLED)
    }

    /// Is the node, whose operands are encoded, the same term on all paths? (If quantifiers are instantiated, rounds are
    /// instances, and their inputs change.)
    pub(super) fn will_not_change(&self, data: ExprData) -> bool {
        if self.route.is_none() {
            return false;
        }
        match data {
            ExprData::Var(var) => self.settled.contains(var),
            ExprData::Load(..) | ExprData::Valid(..) | ExprData::Freeable(..) => false,
            _ => {
                let mut all = true;
                data.for_each_operand(|operand| all &= self.is_settled(operand));
                all
            }
        }
    }

    pub(super) fn done(&self, expr: Expr) -> Term {
        self.known(expr).expect("operands are encoded first")
    }

    pub(super) fn node(&mut self, data: ExprData) -> Term {
        match data {
            ExprData::Const(BOOL, bits) => self.pool.bool(bits != 0),
            ExprData::Const(ty, bits) => {
                let width = u32::from(ty.bits(self.pointer_bits()));
                self.pool.bits(width, bits)
            }
            ExprData::Var(var) => self.var(var),
            ExprData::ObjectAddr(object) => self.object_base(object),
            ExprData::SymbolAddr(symbol) => self.symbol_base(symbol),
            ExprData::Unary(op, a) => {
                let a = self.done(a);
                self.unary(op, a)
            }
            ExprData::Cast(op, to, a) => {
                let a = self.done(a);
                self.cast(op, to, a)
            }
            ExprData::Binary(op, a, b) => {
                let (a, b) = (self.done(a), self.done(b));
                self.binary(op, a, b)
            }
            ExprData::Ite(c, a, b) => {
                let (c, a, b) = (self.done(c), self.done(a), self.done(b));
                self.pool.ite(c, a, b)
            }
            ExprData::Load(memory, access, addr) => {
                let addr = self.done(addr);
                self.load(memory, access, addr)
            }
            ExprData::Valid(memory, pointer, len) if self.options.exact => {
                self.valid_exactly(memory, pointer, len)
            }
            ExprData::Valid(memory, pointer, len) => self.valid(memory, pointer, len),
            ExprData::Freeable(memory, pointer) if self.options.exact => {
                self.freeable_exactly(memory, pointer)
            }
            ExprData::Freeable(memory, pointer) => self.freeable(memory, pointer),
        }
    }

    /// A new unknown.
    pub(super) fn unknown(&mut self, what: Unknown, ty: Type) -> Term {
        self.n_unknowns += 1;
        let name = format!("{}!{}", what.prefix(), self.n_unknowns);
        let sort = self.sort(ty);
        if what.is_approximation() {
            self.pool.approximation(&name, sort)
        } else {
            self.pool.var(&name, sort)
        }
    }
}
