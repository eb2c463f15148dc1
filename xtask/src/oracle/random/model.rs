//! The parts of a random program: scalar types, lvalues, records, functions.
//!
//! Values are small, so that no signed arithmetic overflows: values of type `int`, `long` or an enumeration are below
//! 256 (see [`Scalar::stored`]); unsigned types wrap.

/// A scalar type, by its conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Int,
    Long,
    Enum,
    Unsigned,
    UnsignedLong,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Bool,
    /// A bit-field of type `int` or `unsigned`.
    Bits {
        width: u32,
        signed: bool,
    },
}

use Scalar::*;

/// The types of globals, fields, locals and parameters.
pub(super) const SCALARS: &[Scalar] = &[
    Int,
    Int,
    Int,
    Int,
    Long,
    Enum,
    Unsigned,
    Unsigned,
    UnsignedLong,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Bool,
];

impl Scalar {
    /// The type's name; `p` is the prefix of the program.
    pub(super) fn name(self, p: &str) -> String {
        match self {
            Int => "int",
            Long => "long",
            Enum => return format!("enum {p}e"),
            Unsigned => "unsigned",
            UnsignedLong => "unsigned long",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Bool => "_Bool",
            Bits { signed: true, .. } => "int",
            Bits { signed: false, .. } => "unsigned",
        }
        .to_owned()
    }

    /// An expression of this type, converted to `int` or `unsigned`.
    pub(super) fn read(self, text: &str) -> Expr {
        let (text, bits, unsigned) = match self {
            Int => (text.to_owned(), 9, false),
            Long => (format!("(int){text}"), 9, false),
            // clang gives enumerations without negative values the type unsigned.
            Enum => (text.to_owned(), 8, true),
            Unsigned => (text.to_owned(), 32, true),
            UnsignedLong => (format!("(unsigned){text}"), 32, true),
            SignedChar | UnsignedChar => (text.to_owned(), 8, false),
            Short | UnsignedShort => (text.to_owned(), 16, false),
            Bool => (text.to_owned(), 1, false),
            Bits { width, .. } => (text.to_owned(), width, false),
        };
        Expr { text, bits, unsigned }
    }

    /// Any expression, reduced to a value that may be stored with this type.
    pub(super) fn stored(self, e: &Expr) -> String {
        match self {
            Int | Long | Enum if e.bits > 6 || e.unsigned => format!("({}) & 15", e.text),
            _ => e.text.clone(),
        }
    }
}

/// A C expression of type `int` or `unsigned` without side effects.
#[derive(Clone)]
pub(super) struct Expr {
    pub(super) text: String,
    /// The magnitude has at most this many bits; an unsigned value may have all.
    pub(super) bits: u32,
    pub(super) unsigned: bool,
}

impl Expr {
    pub(super) fn constant(value: i64) -> Expr {
        Expr { text: value.to_string(), bits: 4, unsigned: false }
    }
}

/// An lvalue.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) scalar: Scalar,
    /// Its address may be taken and its bytes written.
    pub(super) addressable: bool,
    /// Lives as long as the program, so that its address may be stored.
    pub(super) lasts: bool,
    pub(super) writable: bool,
}

/// The signature of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `T f(T a, T b)`
    Values,
    /// `int f(struct s *p, int v)`, the signature of callbacks.
    Record,
    /// `void f(int *p, int v)`
    Set,
    /// `int f(int *p, int *q, int v)`
    Alias,
    /// `int f(int n, struct s *p)`, recursive with a smaller `n`.
    Recursive,
    /// `int f(int n, ...)` with n numbers.
    Variadic,
    /// `int f(int n, ...)` with n pointers to numbers.
    VariadicPointers,
    /// `struct s *f(int k)`, NULL for some `k`.
    Lookup,
    /// `int f(int (*cb)(struct s *, int), struct s *p, int v)`
    Apply,
    /// `int f(struct s s, int v)`
    ByValue,
    /// `struct s f(int v)`
    Whole,
    /// `T f(void)`
    Get,
    /// `void f(T v)`
    Put,
    /// `int f(int v)`, with setjmp.
    Catch,
}

/// A function of the program.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) unit: usize,
    pub(super) is_static: bool,
    /// Calls nothing through pointers, and may therefore be called through one.
    pub(super) is_leaf: bool,
    pub(super) result: Scalar,
    pub(super) params: [Scalar; 2],
    /// The approximate maximum number of statements that a call executes.
    pub(super) cost: u64,
}

/// A field of the program's record.
#[derive(Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// The number of elements, a power of two, if it is an array.
    pub(super) elements: Option<usize>,
}

/// A variable at file scope.
#[derive(Clone)]
pub(super) struct Global {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    pub(super) elements: Option<usize>,
    pub(super) unit: usize,
    pub(super) is_static: bool,
    pub(super) qualifier: &'static str,
    /// Attributes between the name and the initialiser.
    pub(super) attributes: String,
}

/// An object of the program's record type; objects are linked in the order of their numbers.
#[derive(Clone)]
pub(super) struct Object {
    /// A pointer to it: `&p1_r0`, `&p1_t[1]`.
    pub(super) pointer: String,
    pub(super) unit: usize,
    pub(super) is_static: bool,
}
