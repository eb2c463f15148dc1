//! Built-in functions of gcc and clang.

use super::bits;
use super::function::FunctionCx;
use super::types::{is_void, pointee, value_type};
use crate::clang::ast::{DeclId, Expr as CExpr, NodeId};
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, COMPILER_KNOWS, Call, Callee, Clobber, CmdKind, Expr, Next};
use gainsay_ir::types::{BOOL, Type};

/// Built-ins that are equivalent to the library function without the prefix.
const LIBRARY: &[&str] = &[
    "abort",
    "abs",
    "bcmp",
    "bcopy",
    "bzero",
    "calloc",
    "exit",
    "fabs",
    "fprintf",
    "fputs",
    "free",
    "labs",
    "llabs",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "printf",
    "putchar",
    "puts",
    "realloc",
    "snprintf",
    "sprintf",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strcspn",
    "strdup",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
];

impl FunctionCx<'_> {
    /// `None` if it is not a built-in and has to be called; `Some(result)` once it is lowered.
    pub(super) fn builtin(&mut self, id: NodeId, function: DeclId, args: &[NodeId]) -> Option<Option<Expr>> {
        let name = self.unit.name(function);
        let Some(short) = name.strip_prefix("__builtin_").or_else(|| self.plain_builtin(function)) else {
            // A fence has no effect here: shared objects are read as volatile.
            if matches!(name, "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence") {
                return Some(None);
            }
            return name.starts_with("__sync_").then(|| self.unknown_builtin(id, args, Gap::Atomic));
        };
        if let (Some(what), [value]) = (bits::counter(short), args) {
            return Some(Some(self.count_bits(id, what, *value)));
        }
        if let (Some(op), [a, b, result]) = (overflow_operation(short), args) {
            return Some(self.overflowing(id, op, *a, *b, *result));
        }
        Some(match (short, args) {
            ("expect" | "expect_with_probability" | "assume_aligned" | "launder", [value, rest @ ..]) => {
                let value = self.value(*value);
                for &arg in rest {
                    self.effects(arg);
                }
                Some(value)
            }
            ("unreachable", _) => {
                self.at(id);
                self.unreachable(Check::Unreachable);
                None
            }
            ("trap" | "debugtrap" | "verbose_trap", _) => {
                self.at(id);
                self.end(Next::Error);
                None
            }
            ("assume" | "prefetch" | "va_end" | "ms_va_end" | "__clear_cache", _) => {
                // `assume` does not evaluate its operand; the others have no effect that is modelled.
                if short != "assume" {
                    for &arg in args {
                        self.effects(arg);
                    }
                }
                None
            }
            // 1 if the optimiser happens to know the value. Values that clang knows are constants already.
            ("constant_p", [_]) => Some(self.compiler_knows(id)),
            ("object_size" | "dynamic_object_size", [_, ..]) => Some(self.unknown_of(id)),
            ("alloca" | "alloca_with_align" | "alloca_uninitialized", [size, ..]) => {
                let signed = self.unit.is_signed(self.unit.type_of(*size));
                let size = self.value(*size);
                let size = self.resize(size, signed, self.pointer_bits());
                self.at(id);
                let dst = self.temp(Type::Ptr);
                self.emit(CmdKind::Alloca { dst, size });
                Some(self.read(dst))
            }
            ("va_start" | "c23_va_start" | "ms_va_start", [list, ..]) => {
                self.at(id);
                self.advance_va_list(*list);
                None
            }
            ("va_copy" | "ms_va_copy", [list, source]) => {
                self.effects(*source);
                self.at(id);
                self.advance_va_list(*list);
                None
            }
            ("bswap16" | "bswap32" | "bswap64", [value]) => Some(self.byte_swap(*value)),
            _ if LIBRARY.contains(&short) || fortified(short).is_some_and(|name| LIBRARY.contains(&name)) => {
                return None;
            }
            _ => self.unknown_builtin(id, args, Gap::Builtin),
        })
    }

    /// Built-ins without the prefix, unless the program defines a function of that name.
    fn plain_builtin(&self, function: DeclId) -> Option<&'static str> {
        (self.unit.name(function) == "alloca" && self.unit.is_library(function)).then_some("alloca")
    }

    /// A built-in that is not modelled: any result, any effect through its pointers.
    pub(super) fn unknown_builtin(&mut self, id: NodeId, args: &[NodeId], gap: Gap) -> Option<Expr> {
        // An argument that is not converted to a value is passed as an object, which may be written.
        let (objects, values): (Vec<NodeId>, Vec<NodeId>) = args
            .iter()
            .partition(|&&arg| self.unit.is_lvalue(arg) && self.is_scalar_type(self.unit.type_of(arg)));
        let known: Vec<Expr> = values.iter().filter_map(|&arg| self.value_or_address(arg)).collect();
        for object in objects {
            let place = self.place(object);
            self.havoc_place(&place);
        }
        self.at(id);
        self.gap(gap);
        if known.iter().any(|&value| self.ty(value) == Type::Ptr) {
            self.anything_may_happen(known);
        }
        let ty = self.unit.type_of(id);
        match value_type(self.unit, ty) {
            Some(ty) => Some(self.unknown(ty)),
            None if is_void(self.unit, ty) => None,
            None => Some(self.fresh(ty, "builtin")),
        }
    }

    /// The effects of an unknown function that receives these values.
    pub(super) fn anything_may_happen(&mut self, known: Vec<Expr>) {
        let args: Vec<Expr> = known.into_iter().filter(|&value| self.ty(value) == Type::Ptr).collect();
        if args.is_empty() {
            self.emit(CmdKind::Clobber(Clobber::Escaped));
            return;
        }
        let callee = Callee::Pointer(self.unknown(Type::Ptr));
        self.emit(CmdKind::Call(Box::new(Call::unknown(None, callee, args))));
    }

    /// The value of a scalar, the address of an aggregate, nothing for void.
    pub(super) fn value_or_address(&mut self, id: NodeId) -> Option<Expr> {
        let ty = self.unit.type_of(id);
        if self.is_scalar_type(ty) {
            Some(self.value(id))
        } else if is_void(self.unit, ty) {
            self.effects(id);
            None
        } else {
            Some(self.aggregate(id))
        }
    }

    /// The list advances; its position is not modelled.
    pub(super) fn advance_va_list(&mut self, list: NodeId) {
        self.gap(Gap::VaArg);
        match self.unit.expr(list) {
            CExpr::Transparent(inner) => self.advance_va_list(inner),
            CExpr::Cast { operand, .. } if self.unit.is_lvalue(operand) => self.forget_va_list(operand),
            _ if self.unit.is_lvalue(list) => self.forget_va_list(list),
            _ => {
                self.effects(list);
                self.emit(CmdKind::Clobber(Clobber::Escaped));
            }
        }
    }

    /// If `va_list` is an array type, a parameter is a pointer to the caller's list. On other targets the list itself
    /// may be a pointer to the arguments.
    fn forget_va_list(&mut self, list: NodeId) {
        let place = self.place(list);
        let target = pointee(self.unit, self.unit.type_of(list));
        let is_of_caller =
            target.is_some_and(|target| !self.is_scalar_type(target) && !is_void(self.unit, target));
        if is_of_caller {
            let addr = self.load(&place);
            let len = self.unknown(Type::Int(self.pointer_bits()));
            self.emit(CmdKind::Clobber(Clobber::Range { addr, len }));
        } else {
            self.havoc_place(&place);
        }
    }

    fn compiler_knows(&mut self, id: NodeId) -> Expr {
        let knows = self.marked(COMPILER_KNOWS, BOOL);
        self.emit(CmdKind::Havoc(knows));
        let truth = self.read(knows);
        let ty = value_type(self.unit, self.unit.type_of(id)).unwrap_or(Type::Int(32));
        self.truth_to(truth, ty)
    }

    fn unknown_of(&mut self, id: NodeId) -> Expr {
        let ty = value_type(self.unit, self.unit.type_of(id)).unwrap_or(Type::Int(32));
        self.unknown(ty)
    }

    fn byte_swap(&mut self, value: NodeId) -> Expr {
        let value = self.value(value);
        let value = self.hold(value);
        let Type::Int(bits) = self.ty(value) else { return value };
        let mut swapped = self.int(bits, 0);
        for byte in 0..bits / 8 {
            let down = self.int(bits, u128::from(byte * 8));
            let up = self.int(bits, u128::from(bits - 8 - byte * 8));
            let low = self.int(bits, 0xff);
            let part = self.binary(BinaryOp::LShr, value, down);
            let part = self.binary(BinaryOp::And, part, low);
            let part = self.binary(BinaryOp::Shl, part, up);
            swapped = self.binary(BinaryOp::Or, swapped, part);
        }
        swapped
    }

    /// `__builtin_add_overflow(a, b, &r)`, computed in a width that holds every result.
    fn overflowing(
        &mut self,
        id: NodeId,
        op: BinaryOp,
        a: NodeId,
        b: NodeId,
        result: NodeId,
    ) -> Option<Expr> {
        let target = pointee(self.unit, self.unit.type_of(result))?;
        let width = |cx: &Self, ty| match value_type(cx.unit, ty) {
            Some(Type::Int(bits)) => bits,
            _ => 0,
        };
        let (a_ty, b_ty) = (self.unit.type_of(a), self.unit.type_of(b));
        let widest = width(self, a_ty).max(width(self, b_ty)).max(width(self, target));
        // Twice the width holds every product, even of mixed signs: one factor is then below half the range.
        let exact_bits = if op == BinaryOp::Mul { widest * 2 } else { widest + 2 };
        if exact_bits > super::types::MAX_BITS {
            return self.unknown_builtin(id, &[a, b, result], Gap::Builtin);
        }
        let left = self.value(a);
        let right = self.value(b);
        let pointer = self.value(result);
        self.at(id);
        let left = self.resize(left, self.unit.is_signed(a_ty), exact_bits);
        let right = self.resize(right, self.unit.is_signed(b_ty), exact_bits);
        let exact = self.binary(op, left, right);
        let exact = self.hold(exact);
        let narrow = self.resize(exact, false, width(self, target));
        let memory = self.memory(pointer, target);
        let memory = super::place::Memory { pointer: Some(pointer), ..memory };
        self.store(&super::place::Place::Memory(memory), narrow);
        let back = self.resize(narrow, self.unit.is_signed(target), exact_bits);
        let lost = self.binary(BinaryOp::Ne, exact, back);
        Some(self.truth_as_int(lost, 8))
    }
}

/// The function that `__builtin___memcpy_chk` and the like are checked versions of.
fn fortified(name: &str) -> Option<&str> {
    name.strip_prefix("__")?.strip_suffix("_chk")
}

/// The operation of `add_overflow`, `smull_overflow`, ...
fn overflow_operation(name: &str) -> Option<BinaryOp> {
    let operation = name.strip_suffix("_overflow")?.trim_end_matches('l');
    // Trimming the `l` of `long` also trims that of `mul`.
    Some(match operation {
        "add" | "sadd" | "uadd" => BinaryOp::Add,
        "sub" | "ssub" | "usub" => BinaryOp::Sub,
        "mu" | "smu" | "umu" => BinaryOp::Mul,
        _ => return None,
    })
}
