//! Calls: arguments in order, aggregates by address, and functions that do not return or return twice.

use super::function::FunctionCx;
use super::symbols::{function_facts, signature};
use super::types::{function_type, is_void, value_type};
use crate::clang::ast::{AttrKind, CastKind, DeclId, Expr as CExpr, NodeId};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{
    BUILD_ERROR, Call, Callee, Clobber, CmdKind, Expr, ExprData, FunctionFacts, Next, Origin, Outcome,
};
use gainsay_ir::types::{BOOL, Type};

/// Functions declared nonnull that programs call with NULL and a length of 0, as C2y allows.
const MAY_TAKE_NOTHING: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strncpy", "strncmp", "strncat", "qsort", "bsearch",
    "fread", "fwrite",
];

/// Functions that may return more than once.
const RETURNING_TWICE: &[&str] =
    &["setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "savectx", "vfork", "getcontext"];

impl FunctionCx<'_> {
    /// Lower a call; the result is its value, or the address of its aggregate value.
    pub(super) fn call(
        &mut self,
        id: NodeId,
        callee: NodeId,
        function: Option<DeclId>,
        args: &[NodeId],
    ) -> Option<Expr> {
        if let Some(function) = function {
            let name = self.unit.name(function);
            if RETURNING_TWICE.contains(&name) || self.unit.has_attr(function, AttrKind::ReturnsTwice) {
                return self.returning_twice(id, function, args);
            }
            if self.unit.has_attr(function, AttrKind::BuildError) {
                self.build_error(id, args);
                return None;
            }
            if let Some(result) = self.builtin(id, function, args) {
                return result;
            }
        }
        let callee_ty = function_type(self.unit, self.unit.type_of(callee));
        let (callee, mut facts) = match function {
            Some(function) if self.names_function(callee) => {
                let symbol = self.symbols.symbol(self.unit, function);
                (Callee::Symbol(symbol), function_facts(self.unit, function))
            }
            _ => {
                let pointer = self.value(callee);
                let pointer = self.hold(pointer);
                let facts = match callee_ty {
                    Some(ty) => signature(self.unit, ty),
                    None => FunctionFacts { variadic: true, ..Default::default() },
                };
                (Callee::Pointer(pointer), facts)
            }
        };
        // The type through which the function is called may also be noreturn.
        facts.noreturn |= callee_ty.is_some_and(|ty| self.unit.is_noreturn_type(ty));
        let mut values = Vec::with_capacity(args.len() + 1);
        let result_ty = self.unit.type_of(id);
        let hidden = if value_type(self.unit, result_ty).is_none() && !is_void(self.unit, result_ty) {
            let address = self.fresh(result_ty, "result");
            values.push(address);
            Some(address)
        } else {
            None
        };
        for &arg in args {
            let value = self.argument(arg);
            values.push(value);
        }
        self.at(id);
        let before = self.check_preconditions(function, callee, &values);
        let result_ty = value_type(self.unit, result_ty);
        let result = match before.as_ref().and_then(|before| before.writes.as_ref()) {
            Some(writes) if hidden.is_none() && !facts.noreturn => {
                self.call_by_contract(&writes.clone(), &values, result_ty)
            }
            _ => self.finish_call(callee, &facts, values, result_ty),
        };
        if let (Some(before), Some(function)) = (before, function) {
            self.assume_postconditions(function, before, result);
        }
        result.or(hidden)
    }

    /// `__attribute__((error))`: the compiler rejects a program in which it cannot remove the call. No run of a program
    /// that was built gets here, so reaching it is not a mistake of the programmer: the run ends acceptably. Findings
    /// that depend on it are a matter of configuration, so the end is marked.
    fn build_error(&mut self, id: NodeId, args: &[NodeId]) {
        for &arg in args {
            self.effects(arg);
        }
        self.at(id);
        let mark = self.marked(BUILD_ERROR, BOOL);
        let here = self.constant(BOOL, 1);
        self.assign(mark, here);
        self.end(Next::Raise);
    }

    /// setjmp and its like: a first return with 0, or a later one, before which anything that the function does may
    /// have happened to its variables and to memory.
    fn returning_twice(&mut self, id: NodeId, function: DeclId, args: &[NodeId]) -> Option<Expr> {
        for &arg in args {
            self.effects(arg);
        }
        self.at(id);
        self.gap(Gap::ReturnsTwice);
        if !self.unit.is_library(function) {
            // The function may only share the name.
            self.may_raise();
        }
        let ty = value_type(self.unit, self.unit.type_of(id)).unwrap_or(Type::Int(32));
        let result = self.temp(ty);
        let condition = self.new_condition();
        let always = self.constant(BOOL, 1);
        let [first, again, after] = [(); 3].map(|()| self.new_block());
        let first_edge = self.edge(condition, Origin::Model, Outcome::True, always, first);
        let again_edge = self.edge(condition, Origin::Model, Outcome::False, always, again);
        self.end(Next::Goto(smallvec::smallvec![first_edge, again_edge]));
        self.current = Some(first);
        let zero = self.constant(ty, 0);
        self.assign(result, zero);
        self.goto(after);
        self.current = Some(again);
        let (vars, objects): (Vec<_>, Vec<_>) =
            (self.function.vars.keys().collect(), self.function.objects.keys().collect());
        for var in vars {
            self.emit(CmdKind::Havoc(var));
        }
        for object in objects {
            let addr = self.address_of(object);
            let len = self.word(self.function.objects[object].size);
            self.emit(CmdKind::Clobber(Clobber::Range { addr, len }));
        }
        self.emit(CmdKind::Clobber(Clobber::Escaped));
        self.enter_block(after);
        Some(self.read(result))
    }

    /// Is the callee the function's name, rather than a cast of it to another type?
    fn names_function(&self, callee: NodeId) -> bool {
        match self.unit.expr(callee) {
            CExpr::Transparent(inner) => self.names_function(inner),
            CExpr::Cast {
                kind: CastKind::FunctionToPointer | CastKind::BuiltinToPointer, operand, ..
            } => self.names_function(operand),
            CExpr::DeclRef(_) => true,
            _ => false,
        }
    }

    fn argument(&mut self, arg: NodeId) -> Expr {
        let ty = self.unit.type_of(arg);
        if self.is_scalar_type(ty) {
            return self.value(arg);
        }
        if is_void(self.unit, ty) {
            self.effects(arg);
            return self.null();
        }
        let src = self.aggregate(arg);
        if matches!(self.unit.expr(arg), CExpr::Call { .. }) {
            return src;
        }
        let copy = self.fresh(ty, "argument");
        self.copy(copy, src, ty);
        copy
    }

    /// Calls a function that takes pointers, and ignores the result.
    pub(super) fn call_by_name(&mut self, function: DeclId, args: Vec<Expr>) {
        let facts = function_facts(self.unit, function);
        let symbol = self.symbols.symbol(self.unit, function);
        let result = facts.result;
        self.finish_call(Callee::Symbol(symbol), &facts, args, result);
    }

    fn finish_call(
        &mut self,
        callee: Callee,
        facts: &FunctionFacts,
        args: Vec<Expr>,
        result: Option<Type>,
    ) -> Option<Expr> {
        let name = match callee {
            Callee::Symbol(symbol) => self.symbols.data[symbol].name.clone(),
            Callee::Pointer(_) => String::new(),
        };
        let may_take_nothing = MAY_TAKE_NOTHING.contains(&name.as_str());
        for (i, &arg) in args.iter().enumerate().take(64) {
            if facts.nonnull & (1 << i) != 0 && self.ty(arg) == Type::Ptr && !may_take_nothing {
                self.check_nonnull_argument(arg);
            }
        }
        if let Callee::Pointer(pointer) = callee {
            self.check_call(pointer);
        }
        let callee = match callee {
            Callee::Symbol(symbol) if !self.fits(facts, &args, result) => {
                self.gap(Gap::CallMismatch);
                Callee::Pointer(self.push_expr(ExprData::SymbolAddr(symbol), Type::Ptr))
            }
            callee => callee,
        };
        let dst = result.map(|ty| self.temp(ty));
        self.emit(CmdKind::Call(Box::new(Call::unknown(dst, callee, args))));
        if facts.noreturn {
            // The library models decide whether that is an error.
            self.end(Next::Raise);
        }
        dst.map(|dst| self.read(dst))
    }

    /// Do the arguments match the declaration?
    fn fits(&self, facts: &FunctionFacts, args: &[Expr], result: Option<Type>) -> bool {
        let enough =
            if facts.variadic { args.len() >= facts.params.len() } else { args.len() == facts.params.len() };
        enough
            && result == facts.result
            && facts.params.iter().zip(args).all(|(&ty, &arg)| self.ty(arg) == ty)
    }
}
