//! Guarded commands in their unstructured form (universal reachability, section 3): a function is
//! a control-flow graph of blocks; a block is a list of commands and an end.
//!
//! Branching is a non-deterministic `goto` whose targets begin with `assume`; a target that is an edge of
//! a branch written in C carries a [`Branch`]. Expressions are pure: every read of memory and
//! every effect is a command, so the order of effects is the order of commands.
//!
//! There are no file positions. A [`Loc`] numbers the places of one function in order of appearance, so equal bodies are
//! equal wherever they stand; the source map resolves it.

use crate::check::Check;
use crate::graph::Graph;
use crate::syntax;
use crate::types::{Target, Type};
use cranelift_entity::{EntitySet, PrimaryMap, entity_impl};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A scalar variable of a function: parameter, local whose address is never taken, or temporary.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Var(u32);
entity_impl!(Var, "v");

/// A local that lives in memory: its address is taken, or it is an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Object(u32);
entity_impl!(Object, "o");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Block(u32);
entity_impl!(Block, "b");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Expr(u32);
entity_impl!(Expr, "e");

/// A global variable, string literal or function of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Symbol(u32);
entity_impl!(Symbol, "s");

/// What kind of place a memory access names, for C's effective-type rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Class(u32);
entity_impl!(Class, "c");

/// A place in the source of one function, numbered in order of appearance; see `source_map`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Loc(u32);
entity_impl!(Loc, "l");

/// One translation unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unit {
    pub target: Target,
    pub symbols: PrimaryMap<Symbol, SymbolData>,
    pub classes: PrimaryMap<Class, ClassData>,
    pub assembly: Assembly,
    /// Functions with a body, in order of definition.
    pub functions: Vec<Function>,
}

impl Unit {
    /// The functions that have a body.
    pub fn defined(&self) -> EntitySet<Symbol> {
        let mut defined = EntitySet::new();
        defined.extend(self.functions.iter().map(|f| f.symbol));
        defined
    }
}

/// Assembly of the unit. Symbols that it names are marked: [`Held::Placed`], [`FunctionFacts::used`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assembly {
    /// It composes names (macros, included files), so it may use any symbol.
    pub names_anything: bool,
    /// The words of assembly, in order: among them the names of symbols that it uses.
    pub words: Vec<String>,
    /// Names that the unit may define without a definition in C, in order: aliases, and words of assembly outside of
    /// functions.
    pub defines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolData {
    /// Unique within the unit; the linker's name for `Linkage::External` and `Linkage::Weak`.
    pub name: String,
    pub linkage: Linkage,
    pub kind: SymbolKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Linkage {
    External,
    /// May be replaced by another definition, and may be NULL where it is only declared.
    Weak,
    Internal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SymbolKind {
    Function(FunctionFacts),
    Object(ObjectFacts),
}

/// What a declaration says of a function: attributes and signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionFacts {
    pub params: Vec<Type>,
    pub result: Option<Type>,
    pub variadic: bool,
    pub noreturn: bool,
    pub returns_nonnull: bool,
    /// The result is fresh memory (`__attribute__((malloc))`).
    pub allocates: bool,
    /// Bit i: parameter i is declared `nonnull`.
    pub nonnull: u64,
    /// Bit i: parameter i is a `_Bool`, which is 0 or 1.
    pub bools: u64,
    /// The result is one.
    pub returns_bool: bool,
    /// Bit i: parameter i is a pointer to characters whose number the type does not tell.
    pub texts: u64,
    /// Declared in a system header.
    pub system: bool,
    /// It is the library's function of that name, unless the program defines it: a system header declares it, or the
    /// compiler knows it as a built-in of this type. Models are about these.
    pub library: bool,
    /// May be called by code that is not C: assembly, or tables that the linker collects (`used`).
    pub used: bool,
    /// A parameter is, or leads to, a pointer to a function.
    pub takes_functions: bool,
    /// A parameter is, or leads to, a pointer to an opaque type.
    pub takes_opaque: bool,
    /// Some unit of the run defines it, so its result is no input. Set by linking.
    pub has_body: bool,
}

/// Which code may hold the address of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Held {
    /// The linker or assembly as well (`section`, `used`). Objects of one section are adjacent, so a pointer to one of
    /// them, or to a symbol that marks the start of the section, reaches all. The extent and contents of the section are
    /// not known.
    Placed,
    /// Pointers anywhere.
    Anywhere,
    /// It is passed to functions that neither keep nor return it: a parameter may point there, a pointer in memory does
    /// not.
    Unretained,
    /// None: only code that names the object accesses it.
    Nowhere,
}

/// What a definition says of a global object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectFacts {
    /// `None` where no definition is seen.
    pub size: Option<u64>,
    /// Where no definition is seen: the bytes that the declaration gives the object. The symbol may come from the linker,
    /// so accesses beyond them may touch any memory (`extern char __start_x[];`).
    pub declared: u64,
    pub align: u64,
    /// Declared const and not volatile: always holds `init` if `init` is known.
    pub constant: bool,
    pub held: Held,
    /// Written by functions that code outside the program can call: see [`CallBase::Outside`].
    pub reached: bool,
    /// Declared in a system header.
    pub system: bool,
    /// Initial contents; `None` for a mere declaration or an initialiser that is not understood.
    pub init: Option<Init>,
}

/// Initial contents of an object: all bytes zero but for `parts`, ordered by offset and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Init {
    pub parts: Vec<(u64, InitPart)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InitPart {
    Bytes(Vec<u8>),
    /// A pointer to `symbol` plus a number of bytes.
    Address(Symbol, i64),
}

/// Accesses of different classes cannot touch the same byte under C's effective-type rules, unless one of
/// them is of class "anything" (`ty` is `None`: char, union members, `may_alias`, -fno-strict-aliasing).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClassData {
    pub ty: Option<Type>,
    /// Where the access is written as a member access. Fields of one `ty` are apart if their offsets differ, or
    /// if they are of one record; a field and a plain access of the same `ty` may meet.
    pub field: Option<Field>,
}

impl ClassData {
    /// Can accesses of the two classes not touch the same byte (C11 6.5p7)?
    pub fn is_apart(&self, other: &ClassData) -> bool {
        match (self.ty, other.ty) {
            (Some(a), Some(b)) if a != b => true,
            (Some(_), Some(_)) => match (&self.field, &other.field) {
                (Some(a), Some(b)) => a.offset != b.offset || a.record == b.record && a.name != b.name,
                _ => false,
            },
            _ => match (&self.field, &other.field) {
                (Some(a), Some(b)) => (a.name == ANY_FIELD || b.name == ANY_FIELD) && a.record != b.record,
                _ => false,
            },
        }
    }

    /// Are all accesses of the other class accesses of this one?
    pub fn covers(&self, other: &ClassData) -> bool {
        self == other || self.field.is_none() && (self.ty.is_none() || self.ty == other.ty)
    }

    /// Any field of the library's own records of that name.
    pub fn whole_record(record: &str) -> ClassData {
        let field = Field { record: record.to_owned(), name: ANY_FIELD.to_owned(), offset: 0 };
        ClassData { ty: None, field: Some(field) }
    }

    /// Accesses of the type, as a field or not.
    pub fn of_type(ty: Type) -> ClassData {
        ClassData { ty: Some(ty), field: None }
    }
}

/// The name of no field: see [`ClassData::whole_record`].
const ANY_FIELD: &str = "*";

/// A field of a record type. Records that begin alike are often accessed through one another (`sockaddr`), so
/// fields of different records at one offset may be the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Field {
    pub record: String,
    pub name: String,
    /// In bytes.
    pub offset: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    pub symbol: Symbol,
    pub params: Vec<Var>,
    pub result: Option<Type>,
    pub vars: PrimaryMap<Var, VarData>,
    pub objects: PrimaryMap<Object, LocalObject>,
    pub exprs: PrimaryMap<Expr, ExprData>,
    /// The first block is the entry.
    pub blocks: PrimaryMap<Block, BlockData>,
}

impl Function {
    pub fn successors(&self) -> Graph<Block> {
        self.blocks.values().map(|data| data.next.targets().iter().copied().collect()).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VarData {
    /// Unique among the function's variables and objects.
    pub name: String,
    pub ty: Type,
    pub kind: VarKind,
}

/// What a variable stands for. Code that ignores the kind treats the variable as one with some value, which allows more
/// runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VarKind {
    /// A variable of the source, or an element or member of one.
    Source,
    /// A temporary with no further meaning.
    Temp,
    /// The address of an array of variable length, which bears the name of the array.
    VariableArray,
    /// All values at once: an `assume` on it holds for every value, an `assert` on it fails only if it fails for every
    /// value.
    Universal,
    /// A value that an annotation asks for (`\exists`), as opposed to one that is unknown because it is not modelled.
    Chosen,
    /// 1 where the compiler knows a value (`__builtin_constant_p`). Optimisation decides, so it may be either, and what
    /// depends on it is configuration.
    CompilerKnows,
    /// Assigned, and never read, at a call that the compiler refuses to build (`__attribute__((error))`). The run ends
    /// there; what that excludes is configuration.
    BuildError,
    /// What a library function computes from the text at its argument of this number: every value that is assumed of it is
    /// that of some text.
    OfText(u32),
    /// Read from a `_Bool`. Memory may hold anything, but a run without an error reads 0 or 1.
    ReadBool,
    /// Has the element of this name been written (`passes::elements`)?
    ElementIsSet(String),
}

impl VarData {
    pub fn is_written_by_user(&self) -> bool {
        self.kind == VarKind::Source
    }

    /// The argument whose text decides the value.
    pub fn text_argument(&self) -> Option<usize> {
        match self.kind {
            VarKind::OfText(argument) => Some(argument as usize),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalObject {
    /// Unique among the function's variables and objects.
    pub name: String,
    pub size: u64,
    pub align: u64,
    pub written_by_user: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockData {
    /// Set where this block is one edge of a branch; its first command is then the edge's `assume`.
    pub branch: Option<Branch>,
    pub cmds: Vec<Cmd>,
    pub next: Next,
}

/// One outcome of one condition or switch of the source.
///
/// Contract: the `assume`s of the outcomes of one condition exclude each other for all values (those of
/// [`Origin::Model`] need not). The encoder follows such a choice by its guards alone; if two of them could hold at once,
/// a later join would take the value of one path and lose the runs of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Branch {
    /// Which condition of the function; its outcomes share the number.
    pub condition: u32,
    pub origin: Origin,
    pub outcome: Outcome,
}

/// Where a condition came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    If,
    /// The `if` of an `else if`.
    ElseIf,
    /// Test before an iteration of `while` or `for`.
    LoopEntry,
    /// Test after an iteration: `do ... while`, and later copies of an unrolled `LoopEntry`.
    LoopAgain,
    Switch,
    /// An operand of `&&`, except that the last operand of a whole condition has the condition's own origin.
    And,
    /// Likewise of `||`.
    Or,
    /// `?:`, with or without its middle operand.
    Conditional,
    /// `assumes` of a contract: does the behavior apply?
    Behavior,
    /// A choice inside a library model or built-in, not a branch of the source.
    Model,
}

/// Of the condition as written: `if (!p)` is true where `p` is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    True,
    False,
    /// A `case` label.
    Case,
    /// A written `default`.
    Default,
    /// No label matches and there is no `default`.
    MissingDefault,
    /// The same where the labels are all values that an enum has.
    Exhausted,
}

impl Origin {
    /// As in the text form.
    pub fn name(self) -> &'static str {
        syntax::name_of(syntax::ORIGINS, self)
    }
}

impl Outcome {
    /// No label matches and there is no `default`.
    pub fn is_without_label(self) -> bool {
        matches!(self, Outcome::MissingDefault | Outcome::Exhausted)
    }

    /// As in the text form.
    pub fn name(self) -> &'static str {
        syntax::name_of(syntax::OUTCOMES, self)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cmd {
    pub kind: CmdKind,
    pub loc: Loc,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CmdKind {
    Assign(Var, Expr),
    /// Any value of the type. Counts as an assignment.
    Havoc(Var),
    /// The variable's lifetime begins: any value, and not initialised (see [`ExprData::Initialised`]).
    Enter(Var),
    /// The object's lifetime begins: any contents.
    EnterObject(Object),
    /// Runs on which the condition is false do not exist.
    Assume(Expr),
    /// Runs on which the condition is false end here in error.
    Assert(Check, Expr),
    Load {
        dst: Var,
        addr: Expr,
        access: Access,
    },
    Store {
        addr: Expr,
        value: Expr,
        access: Access,
    },
    /// Move `len` bytes; source and destination may overlap.
    Copy {
        dst: Expr,
        src: Expr,
        len: Expr,
    },
    /// Set `len` bytes to the low 8 bits of `byte`.
    Fill {
        dst: Expr,
        byte: Expr,
        len: Expr,
    },
    /// `dst` becomes the address of `size` fresh bytes that live until the function ends (VLA, alloca).
    Alloca {
        dst: Var,
        size: Expr,
    },
    /// `dst` becomes NULL or the address of `size` fresh bytes of the heap, with any contents. Library models only.
    Allocate {
        dst: Var,
        size: Expr,
        /// The bytes are not initialised. Otherwise they may be initialised with unknown contents.
        unset: bool,
    },
    /// The block of the heap that starts at the pointer is gone; NULL does nothing. Library models only.
    Free(Expr),
    /// Any contents for the memory named.
    Clobber(Clobber),
    Call(Box<Call>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Type of the value; with `class`, what the access may touch.
    pub ty: Type,
    pub class: Class,
    /// Reads give a fresh value each time; writes are observed by others.
    pub volatile: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clobber {
    /// All memory that something outside the function could know: what an unknown call may write.
    Escaped,
    Range {
        addr: Expr,
        len: Expr,
    },
    /// Every place of one of these classes (what a cut loop writes).
    Classes(Vec<Class>),
    /// `errno`, wherever it is: some `int` that is no object of the unit but one of that name.
    Errno,
}

impl Clobber {
    /// No byte at NULL, which changes nothing. As the first command of a loop head it says that the `clobber` commands
    /// after it name all memory that the loop changes.
    pub fn is_frame(&self, f: &Function) -> bool {
        let is_zero = |expr: Expr| matches!(f.exprs[expr], ExprData::Const(_, 0));
        matches!(*self, Clobber::Range { addr, len } if is_zero(addr) && is_zero(len))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub dst: Option<Var>,
    pub callee: Callee,
    /// Aggregates are passed by the address of a temporary copy; an aggregate result is written through a
    /// hidden first argument.
    pub args: Vec<Expr>,
    /// The callee returns unless it fails: it does not exit or longjmp.
    pub returns: bool,
    /// All memory visible to the caller that the callee may write; `None`: anything that escaped, and what the arguments
    /// point to.
    pub writes: Option<Vec<CallWrite>>,
    /// Bit i: the callee may keep the address in argument i, or return it. Bits without an argument are set, and
    /// arguments without a bit are kept: nothing is known where all are set.
    pub keeps: u64,
}

/// [`Call::keeps`] where nothing is known.
// not a limit: a set of arguments
pub const KEEPS_ALL: u64 = u64::MAX;

impl Call {
    /// A call of which nothing is known.
    pub fn unknown(dst: Option<Var>, callee: Callee, args: Vec<Expr>) -> Call {
        Call { dst, callee, args, returns: false, writes: None, keeps: KEEPS_ALL }
    }

    /// May it write all that escaped?
    pub fn may_write_anything(&self) -> bool {
        writes_anything(self.writes.as_deref())
    }
}

/// May a call that writes this write all that escaped?
pub fn writes_anything(writes: Option<&[CallWrite]>) -> bool {
    writes.is_none_or(|writes| writes.iter().any(|write| write.base == CallBase::Outside))
}

/// Is the address in the argument of this number kept, by [`Call::keeps`]?
pub fn is_kept(keeps: u64, argument: usize) -> bool {
    argument >= 64 || keeps >> argument & 1 == 1
}

/// Places that a call may write: those of the class, there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallWrite {
    pub base: CallBase,
    pub class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CallBase {
    /// Inside the object that the argument points into.
    Argument(u32),
    /// Inside the object of that name.
    Symbol(Symbol),
    /// `errno`, wherever it is; see [`Clobber::Errno`].
    Errno,
    /// Wherever a pointer that is found in memory may point.
    Anywhere,
    /// All that code outside the program may change, directly or by calling back: what escaped, except objects that are
    /// [`Held::Nowhere`] and not [`ObjectFacts::reached`].
    Outside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    Symbol(Symbol),
    Pointer(Expr),
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Next {
    /// Any of the targets whose leading `assume` holds. Never empty.
    Goto(SmallVec<[Block; 2]>),
    Return(Option<Expr>),
    /// An acceptable end other than return: exit, longjmp.
    Raise,
    /// The error itself: abort, a failed assertion.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExprData {
    /// Bits of an integer, pointer (0 is NULL) or float.
    Const(Type, u128),
    Var(Var),
    ObjectAddr(Object),
    SymbolAddr(Symbol),
    Unary(UnaryOp, Expr),
    Cast(CastOp, Type, Expr),
    Binary(BinaryOp, Expr, Expr),
    /// Condition, value if true, value if false.
    Ite(Expr, Expr, Expr),
    /// Has the variable been assigned since it was last entered?
    Initialised(Var),
    /// Do all of the `len` (second) bytes at the pointer (first) lie in one live object?
    Valid(Expr, Expr),
    /// May the pointer be passed to `free`: NULL or the start of a live heap block?
    Freeable(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Bitwise complement; negation for Booleans.
    Not,
    Neg,
    FNeg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CastOp {
    ZeroExtend,
    SignExtend,
    Truncate,
    PtrToInt,
    IntToPtr,
    FloatToSigned,
    FloatToUnsigned,
    SignedToFloat,
    UnsignedToFloat,
    FloatToFloat,
}

/// Operands have one type, except `PtrAdd` (pointer, integer of its width). Comparisons give Booleans.
/// Integer arithmetic wraps; division by zero and shifts past the width give any value (they are asserted
/// against where C forbids them).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    /// Equality of integers or pointers.
    Eq,
    Ne,
    /// Unsigned order; also of pointers.
    ULt,
    ULe,
    SLt,
    SLe,
    /// Pointer plus bytes.
    PtrAdd,
    /// Distance in bytes, an integer of the pointer's width.
    PtrSub,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FEq,
    FLt,
    FLe,
}

impl BinaryOp {
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | ULt | ULe | SLt | SLe | FEq | FLt | FLe)
    }
}
