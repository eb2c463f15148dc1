//! Well-formedness of guarded commands: run between passes in debug builds, and on everything read from
//! text. A violation is a bug in the code that built the function. Linear in the function's size.

use crate::gc::*;
use crate::types::{BOOL, Type};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use std::collections::HashSet;
use std::fmt;

/// One violation. `block` and `index` are missing where it concerns the whole function or block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    pub block: Option<Block>,
    /// Which command of the block.
    pub index: Option<usize>,
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.block, self.index) {
            (Some(block), Some(index)) => write!(f, "{block} command {index}: {}", self.message),
            (Some(block), None) => write!(f, "{block}: {}", self.message),
            _ => write!(f, "{}", self.message),
        }
    }
}

/// All violations, in order of appearance.
pub fn verify(unit: &Unit, f: &Function) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        unit,
        f,
        word: Type::Int(unit.target.pointer_bits),
        types: SecondaryMap::with_capacity(f.exprs.len()),
        errors: Vec::new(),
        block: None,
        index: None,
    };
    verifier.heading();
    verifier.exprs();
    verifier.blocks();
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// What is known of an expression: its type, or nothing after an error in it.
type KnownType = Option<Type>;

struct Verifier<'a> {
    unit: &'a Unit,
    f: &'a Function,
    /// The integer of a pointer's width: offsets, lengths and sizes.
    word: Type,
    types: SecondaryMap<Expr, KnownType>,
    errors: Vec<VerifyError>,
    block: Option<Block>,
    index: Option<usize>,
}

impl Verifier<'_> {
    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(VerifyError { block: self.block, index: self.index, message: message.into() });
    }

    fn require(&mut self, holds: bool, message: &str) {
        if !holds {
            self.error(message);
        }
    }

    fn heading(&mut self) {
        match self.unit.symbols.get(self.f.symbol).map(|data| &data.kind) {
            Some(SymbolKind::Function(_)) => {}
            _ => self.error("the function's symbol is not a function of the unit"),
        }
        let f = self.f;
        let mut names = HashSet::new();
        for name in f.vars.values().map(|v| &v.name).chain(f.objects.values().map(|o| &o.name)) {
            if !names.insert(name) {
                self.error(format!("the name `{name}` is used twice"));
            }
        }
        for data in f.vars.values() {
            self.require(
                valid_type(data.ty),
                "a variable has an integer type wider than 128 bits or of none",
            );
        }
        let mut params = HashSet::new();
        for param in &f.params {
            self.require(f.vars.is_valid(*param), "a parameter is not a variable of the function");
            self.require(params.insert(param), "a parameter is listed twice");
        }
        self.require(!f.blocks.is_empty(), "the function has no block");
    }

    /// Types all expressions; an error is reported at the first command that uses the expression.
    fn exprs(&mut self) {
        let mut failed: PrimaryMap<Expr, Option<String>> = PrimaryMap::with_capacity(self.f.exprs.len());
        for (expr, data) in &self.f.exprs {
            match self.type_of(expr, data) {
                Ok(known) => {
                    self.types[expr] = known;
                    failed.push(None);
                }
                Err(message) => {
                    failed.push(Some(message));
                }
            }
        }
        if failed.values().all(Option::is_none) {
            return;
        }
        let mut users: Vec<(Expr, Block, Option<usize>)> = Vec::new();
        for (block, data) in &self.f.blocks {
            for (index, cmd) in data.cmds.iter().enumerate() {
                users.extend(cmd.exprs().into_iter().map(|expr| (expr, block, Some(index))));
            }
            if let Next::Return(Some(value)) = data.next {
                users.push((value, block, None));
            }
        }
        let mut seen: SecondaryMap<Expr, bool> = SecondaryMap::new();
        for (root, block, index) in users {
            let mut stack = vec![root];
            while let Some(expr) = stack.pop() {
                if !self.f.exprs.is_valid(expr) || std::mem::replace(&mut seen[expr], true) {
                    continue;
                }
                stack.extend(self.f.exprs[expr].operands());
                if let Some(message) = failed[expr].take() {
                    self.errors.push(VerifyError { block: Some(block), index, message });
                }
            }
        }
        for message in failed.values().flatten() {
            let message = format!("in an expression that nothing uses: {message}");
            self.errors.push(VerifyError { block: None, index: None, message });
        }
    }

    fn type_of(&self, expr: Expr, data: &ExprData) -> Result<KnownType, String> {
        for operand in data.operands() {
            if operand >= expr {
                return Err(format!("the operand {operand} does not come before its user {expr}"));
            }
            if self.types[operand].is_none() {
                return Ok(None);
            }
        }
        let known = |operand: Expr| self.types[operand].unwrap_or(BOOL);
        match *data {
            ExprData::Const(ty, bits) => {
                let width = ty.bits(self.unit.target.pointer_bits);
                ensure(valid_type(ty), "a constant has no valid type")?;
                ensure(width >= 128 || bits >> width == 0, "a constant does not fit its type")?;
                Ok(Some(ty))
            }
            ExprData::Var(var) => match self.f.vars.get(var) {
                Some(data) => Ok(Some(data.ty)),
                None => Err(format!("there is no variable {var}")),
            },
            ExprData::Initialised(var) => {
                ensure(self.f.vars.is_valid(var), "there is no such variable")?;
                Ok(Some(BOOL))
            }
            ExprData::ObjectAddr(object) => {
                ensure(self.f.objects.is_valid(object), "there is no such object")?;
                Ok(Some(Type::Ptr))
            }
            ExprData::SymbolAddr(symbol) => {
                ensure(self.unit.symbols.is_valid(symbol), "there is no such symbol")?;
                Ok(Some(Type::Ptr))
            }
            ExprData::Unary(op, a) => unary(op, known(a)).map(Some),
            ExprData::Cast(op, to, a) => cast(op, known(a), to, self.word).map(Some),
            ExprData::Binary(op, a, b) => binary(op, known(a), known(b), self.word).map(Some),
            ExprData::Ite(condition, yes, no) => {
                ensure(known(condition) == BOOL, "the condition of ite is not a bool")?;
                ensure(known(yes) == known(no), "the two values of ite differ in type")?;
                Ok(Some(known(yes)))
            }
            ExprData::Valid(pointer, len) => {
                ensure(known(pointer) == Type::Ptr, "valid needs a pointer")?;
                ensure(known(len) == self.word, "the length of valid has not the width of a pointer")?;
                Ok(Some(BOOL))
            }
            ExprData::Freeable(pointer) => {
                ensure(known(pointer) == Type::Ptr, "freeable needs a pointer")?;
                Ok(Some(BOOL))
            }
        }
    }

    fn blocks(&mut self) {
        let f = self.f;
        for (block, data) in &f.blocks {
            (self.block, self.index) = (Some(block), None);
            let starts_with_assume = matches!(data.cmds.first().map(|c| &c.kind), Some(CmdKind::Assume(_)));
            let edge_has_assume = data.branch.is_none() || starts_with_assume;
            self.require(edge_has_assume, "an edge of a branch does not start with assume");
            for (index, cmd) in data.cmds.iter().enumerate() {
                self.index = Some(index);
                self.cmd(&cmd.kind);
            }
            self.index = None;
            self.next(&data.next);
        }
    }

    fn next(&mut self, next: &Next) {
        match next {
            Next::Goto(targets) => {
                self.require(!targets.is_empty(), "a goto has no target");
                for &target in targets {
                    if !self.f.blocks.is_valid(target) {
                        self.error(format!("there is no block {target}"));
                    }
                    self.require(target.index() != 0, "a goto leads to the entry block");
                }
            }
            Next::Return(None) => self.require(self.f.result.is_none(), "the returned value is missing"),
            Next::Return(Some(value)) => match self.f.result {
                Some(ty) => self.has_type(*value, ty, "the returned value"),
                None => self.error("a value is returned where there is no result"),
            },
            Next::Raise | Next::Error => {}
        }
    }

    fn cmd(&mut self, cmd: &CmdKind) {
        match cmd {
            CmdKind::Assign(var, value) => {
                if let Some(ty) = self.var(*var) {
                    self.has_type(*value, ty, "the assigned value");
                }
            }
            CmdKind::Havoc(var) | CmdKind::Enter(var) => {
                self.var(*var);
            }
            CmdKind::EnterObject(object) => {
                self.require(self.f.objects.is_valid(*object), "there is no such object");
            }
            CmdKind::Assume(condition) => self.has_type(*condition, BOOL, "the condition of assume"),
            CmdKind::Assert(_, condition) => self.has_type(*condition, BOOL, "the condition of assert"),
            CmdKind::Load { dst, addr, access } => {
                self.class(access.class);
                self.has_type(*addr, Type::Ptr, "the address");
                let dst = self.var(*dst);
                self.require(dst.is_none_or(|ty| ty == access.ty), "the loaded type is not the variable's");
            }
            CmdKind::Store { addr, value, access } => {
                self.class(access.class);
                self.has_type(*addr, Type::Ptr, "the address");
                self.has_type(*value, access.ty, "the stored value");
            }
            CmdKind::Copy { dst, src, len } => {
                self.has_type(*dst, Type::Ptr, "the destination");
                self.has_type(*src, Type::Ptr, "the source");
                self.has_type(*len, self.word, "the length");
            }
            CmdKind::Fill { dst, byte, len } => {
                self.has_type(*dst, Type::Ptr, "the destination");
                let byte = self.expr(*byte);
                let wide = byte.is_none_or(|ty| matches!(ty, Type::Int(bits) if bits >= 8));
                self.require(wide, "the byte of fill is not an integer of at least 8 bits");
                self.has_type(*len, self.word, "the length");
            }
            CmdKind::Alloca { dst, size } => {
                let dst = self.var(*dst);
                self.require(dst.is_none_or(|ty| ty == Type::Ptr), "alloca gives a pointer");
                self.has_type(*size, self.word, "the size");
            }
            CmdKind::Allocate { dst, size, .. } => {
                let dst = self.var(*dst);
                self.require(dst.is_none_or(|ty| ty == Type::Ptr), "allocate gives a pointer");
                self.has_type(*size, self.word, "the size");
            }
            CmdKind::Free(pointer) => self.has_type(*pointer, Type::Ptr, "the freed pointer"),
            CmdKind::Clobber(Clobber::Escaped | Clobber::Errno) => {}
            CmdKind::Clobber(Clobber::Range { addr, len }) => {
                self.has_type(*addr, Type::Ptr, "the address");
                self.has_type(*len, self.word, "the length");
            }
            CmdKind::Clobber(Clobber::Classes(classes)) => {
                self.require(!classes.is_empty(), "clobber names no class");
                for &class in classes {
                    self.class(class);
                }
            }
            CmdKind::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) {
        let dst = call.dst.and_then(|dst| self.var(dst));
        for &arg in &call.args {
            self.expr(arg);
        }
        for write in call.writes.iter().flatten() {
            self.class(write.class);
            match write.base {
                CallBase::Argument(argument) => {
                    self.require(
                        (argument as usize) < call.args.len(),
                        "the call writes through no argument",
                    );
                }
                CallBase::Symbol(symbol) => {
                    let kind = self.unit.symbols.get(symbol).map(|data| &data.kind);
                    let is_object = matches!(kind, Some(SymbolKind::Object(_)));
                    self.require(is_object, "the call writes what is no object of the unit");
                }
                CallBase::Errno | CallBase::Anywhere | CallBase::Outside => {}
            }
        }
        let without_argument = KEEPS_ALL.checked_shl(call.args.len() as u32).unwrap_or(0);
        self.require(call.keeps & without_argument == without_argument, "the call keeps no argument");
        let symbol = match call.callee {
            Callee::Pointer(pointer) => return self.has_type(pointer, Type::Ptr, "the called pointer"),
            Callee::Symbol(symbol) => symbol,
        };
        let unit = self.unit;
        let facts = match unit.symbols.get(symbol).map(|data| &data.kind) {
            Some(SymbolKind::Function(facts)) => facts,
            _ => return self.error("the called symbol is not a function of the unit"),
        };
        // A declaration without parameters may be one without a prototype.
        if !facts.variadic && !facts.params.is_empty() {
            if facts.params.len() == call.args.len() {
                for (&arg, &ty) in call.args.iter().zip(&facts.params) {
                    self.has_type(arg, ty, "an argument");
                }
            } else {
                self.error(format!("{} arguments for {} parameters", call.args.len(), facts.params.len()));
            }
        }
        let fits = call.dst.is_none() || dst.is_none() || dst == facts.result;
        self.require(fits, "the variable has not the type of the call's result");
    }

    fn class(&mut self, class: Class) {
        self.require(self.unit.classes.is_valid(class), "there is no such class");
    }

    fn var(&mut self, var: Var) -> KnownType {
        let ty = self.f.vars.get(var).map(|data| data.ty);
        self.require(ty.is_some(), "there is no such variable");
        ty
    }

    fn expr(&mut self, expr: Expr) -> KnownType {
        self.require(self.f.exprs.is_valid(expr), "there is no such expression");
        self.types.get(expr).copied().flatten()
    }

    fn has_type(&mut self, expr: Expr, expected: Type, what: &str) {
        if let Some(ty) = self.expr(expr)
            && ty != expected
        {
            self.error(format!("{what} is {}, not {}", shown(ty), shown(expected)));
        }
    }
}

fn shown(ty: Type) -> String {
    let mut name = String::new();
    crate::text::type_name(&mut name, ty);
    name
}

fn valid_type(ty: Type) -> bool {
    match ty {
        Type::Int(bits) => (1..=128).contains(&bits),
        Type::Ptr | Type::Float(_) => true,
    }
}

fn ensure(holds: bool, message: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message.to_owned()) }
}

fn unary(op: UnaryOp, ty: Type) -> Result<Type, String> {
    let fits = match op {
        UnaryOp::Not | UnaryOp::Neg => ty.is_int(),
        UnaryOp::FNeg => matches!(ty, Type::Float(_)),
    };
    ensure(fits, &format!("{op:?} of {}", shown(ty)))?;
    Ok(ty)
}

fn cast(op: CastOp, from: Type, to: Type, word: Type) -> Result<Type, String> {
    use Type::{Float, Int, Ptr};
    let fits = match (op, from, to) {
        (CastOp::ZeroExtend | CastOp::SignExtend, Int(from), Int(to)) => from < to,
        (CastOp::Truncate, Int(from), Int(to)) => from > to,
        (CastOp::PtrToInt, Ptr, to) => to == word,
        (CastOp::IntToPtr, from, Ptr) => from == word,
        (CastOp::FloatToSigned | CastOp::FloatToUnsigned, Float(_), Int(_)) => true,
        (CastOp::SignedToFloat | CastOp::UnsignedToFloat, Int(_), Float(_)) => true,
        (CastOp::FloatToFloat, Float(from), Float(to)) => from != to,
        _ => false,
    };
    ensure(fits && valid_type(to), &format!("{op:?} from {} to {}", shown(from), shown(to)))?;
    Ok(to)
}

fn binary(op: BinaryOp, a: Type, b: Type, word: Type) -> Result<Type, String> {
    use BinaryOp::*;
    let is_float = matches!(a, Type::Float(_));
    let fits = match op {
        Add | Sub | Mul | UDiv | SDiv | URem | SRem | And | Or | Xor | Shl | LShr | AShr | SLt | SLe => {
            a == b && a.is_int()
        }
        Eq | Ne | ULt | ULe => a == b && !is_float,
        PtrAdd => a == Type::Ptr && b == word,
        PtrSub => a == Type::Ptr && b == Type::Ptr,
        FAdd | FSub | FMul | FDiv | FEq | FLt | FLe => a == b && is_float,
    };
    ensure(fits, &format!("{op:?} of {} and {}", shown(a), shown(b)))?;
    Ok(match op {
        PtrSub => word,
        _ if op.is_comparison() => BOOL,
        _ => a,
    })
}
