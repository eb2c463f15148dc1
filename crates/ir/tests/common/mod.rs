//! Random well-formed functions, built from a list of choices so that proptest can shrink them.

#![allow(dead_code, unreachable_pub)] // each test file is a crate of its own and uses its part

pub mod naive;

use cranelift_entity::{EntityRef, PrimaryMap};
use gainsay_ir::check::Check;
use gainsay_ir::gc::*;
use gainsay_ir::types::{BOOL, FloatKind, Target, Type};
use proptest::prelude::*;
use smallvec::smallvec;

/// What the functions may be made of.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Blocks without the edges of branches.
    pub blocks: u32,
    pub loops: bool,
    /// Only what the interpreter runs to the same end every time: integers and memory that is there.
    pub runs: bool,
}

/// Decisions of the generator, in order; 0 when they are used up.
pub struct Choices {
    data: Vec<u32>,
    next: usize,
}

impl Choices {
    fn pick(&mut self, n: u32) -> u32 {
        let choice = self.data.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        choice % n.max(1)
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.pick(items.len() as u32) as usize]
    }
}

/// Random units with one function each.
pub fn units(shape: Shape) -> impl Strategy<Value = Unit> {
    proptest::collection::vec(any::<u32>(), 0..600)
        .prop_map(move |data| Generator::new(Choices { data, next: 0 }, shape).unit())
}

const INTS: [Type; 4] = [Type::Int(8), Type::Int(32), Type::Int(64), BOOL];
const ALL: [Type; 8] = [
    Type::Int(8),
    Type::Int(32),
    Type::Int(64),
    BOOL,
    Type::Ptr,
    Type::Int(128),
    Type::Float(FloatKind::F64),
    Type::Float(FloatKind::F80),
];
const NAMES: [&str; 12] =
    ["x", "p", "null", "b1", "zext64", "i32", "s", "u", "a b", "t.1", "\u{e9}\"\n\u{1}", "load"];

struct Generator {
    choices: Choices,
    shape: Shape,
    unit: Unit,
    f: Function,
    loc: u32,
}

impl Generator {
    fn new(choices: Choices, shape: Shape) -> Self {
        let mut symbols = PrimaryMap::new();
        let facts = FunctionFacts { result: Some(Type::Int(32)), ..Default::default() };
        let symbol = symbols.push(SymbolData {
            name: "main".into(),
            linkage: Linkage::External,
            kind: SymbolKind::Function(facts),
        });
        let target = Target { pointer_bits: 64, big_endian: false, null_is_valid: false };
        let unit = Unit {
            target,
            symbols,
            classes: PrimaryMap::new(),
            assembly: Assembly::default(),
            functions: Vec::new(),
        };
        let f = Function {
            symbol,
            params: Vec::new(),
            result: Some(Type::Int(32)),
            vars: PrimaryMap::new(),
            objects: PrimaryMap::new(),
            exprs: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
        };
        Generator { choices, shape, unit, f, loc: 0 }
    }

    fn unit(mut self) -> Unit {
        self.symbols();
        self.locals();
        self.classes();
        self.blocks();
        self.unit.functions.push(self.f);
        self.unit
    }

    fn symbols(&mut self) {
        let facts = FunctionFacts {
            params: vec![Type::Int(32), Type::Ptr],
            result: Some(Type::Int(64)),
            variadic: self.choices.pick(2) == 1,
            returns_nonnull: self.choices.pick(2) == 1,
            nonnull: u64::from(self.choices.pick(4)),
            bools: u64::from(self.choices.pick(2)),
            texts: u64::from(self.choices.pick(4)),
            system: self.choices.pick(2) == 1,
            takes_functions: self.choices.pick(2) == 1,
            takes_opaque: self.choices.pick(2) == 1,
            library: self.choices.pick(2) == 1,
            used: self.choices.pick(2) == 1,
            ..Default::default()
        };
        self.unit.symbols.push(SymbolData {
            name: "call me".into(),
            linkage: Linkage::Weak,
            kind: SymbolKind::Function(facts),
        });
        let bytes: Vec<u8> = (0..8).map(|_| self.choices.pick(256) as u8).collect();
        let other = self.f.symbol;
        let mut parts = vec![(0, InitPart::Bytes(bytes))];
        if !self.shape.runs {
            // Loaded, the address would show how memory is laid out.
            parts.push((8, InitPart::Address(other, -4)));
        }
        let facts = ObjectFacts {
            size: Some(16),
            declared: 0,
            align: 8,
            constant: false,
            held: Held::Anywhere,
            reached: self.choices.pick(2) == 1,
            system: self.choices.pick(2) == 1,
            init: Some(Init { parts }),
        };
        self.unit.symbols.push(SymbolData {
            name: "table".into(),
            linkage: Linkage::Internal,
            kind: SymbolKind::Object(facts),
        });
    }

    fn types(&self) -> &'static [Type] {
        if self.shape.runs { &INTS } else { &ALL }
    }

    fn var_kind(&mut self) -> VarKind {
        let kinds = [
            VarKind::Source,
            VarKind::Temp,
            VarKind::VariableArray,
            VarKind::Universal,
            VarKind::Chosen,
            VarKind::CompilerKnows,
            VarKind::BuildError,
            VarKind::OfText(3),
            VarKind::ReadBool,
            VarKind::ElementIsSet("a[n - 1]".into()),
        ];
        kinds[self.choices.pick(kinds.len() as u32) as usize].clone()
    }

    fn locals(&mut self) {
        for i in 0..6 + self.choices.pick(4) {
            let ty = self.choices.of(self.types());
            let name =
                format!("{}{}", self.choices.of(&NAMES), if i == 0 { String::new() } else { i.to_string() });
            let kind = self.var_kind();
            let var = self.f.vars.push(VarData { name, ty, kind });
            if !self.shape.runs && self.choices.pick(4) == 0 {
                self.f.params.push(var);
            }
        }
        for i in 0..1 + self.choices.pick(2) {
            let name = format!("object{i}");
            self.f.objects.push(LocalObject { name, size: 16, align: 8, written_by_user: i == 0 });
        }
    }

    fn classes(&mut self) {
        let field = |record: &str, name: &str| {
            Some(Field { record: record.to_owned(), name: name.to_owned(), offset: 8 })
        };
        for data in [
            ClassData { ty: None, field: None },
            ClassData { ty: Some(Type::Int(32)), field: None },
            ClassData { ty: Some(Type::Ptr), field: field("s", "next") },
            ClassData { ty: None, field: field("a.b", "any c") },
        ] {
            self.unit.classes.push(data);
        }
    }

    /// Each plain block ends in a plain goto, a branch by two edge blocks, or the end of the function.
    fn blocks(&mut self) {
        let plain = 2 + self.choices.pick(self.shape.blocks);
        let mut data = Vec::new();
        let mut edges = Vec::new();
        for i in 0..plain {
            let mut cmds: Vec<Cmd> = (0..self.choices.pick(5)).map(|_| self.cmd()).collect();
            let (target_a, target_b) = (self.target(i, plain), self.target(i, plain));
            let next = match self.choices.pick(4) {
                _ if i + 1 == plain && !self.shape.loops => self.end(),
                0 if self.shape.loops => self.end(),
                0 => Next::Goto(smallvec![target_a]),
                _ => {
                    let condition = self.expr(BOOL, 3);
                    let first = plain + edges.len() as u32;
                    for (outcome, target) in [(Outcome::True, target_a), (Outcome::False, target_b)] {
                        edges.push(self.edge(i, outcome, condition, target));
                    }
                    Next::Goto(smallvec![Block::from_u32(first), Block::from_u32(first + 1)])
                }
            };
            if i + 1 == plain && self.choices.pick(2) == 0 {
                cmds.push(self.cmd());
            }
            data.push(BlockData { branch: None, cmds, next });
        }
        self.f.blocks = data.into_iter().chain(edges).collect();
    }

    fn target(&mut self, from: u32, plain: u32) -> Block {
        let first = if self.shape.loops { 1 } else { from + 1 };
        Block::from_u32(if first >= plain { plain - 1 } else { first + self.choices.pick(plain - first) })
    }

    fn end(&mut self) -> Next {
        match self.choices.pick(6) {
            0 => Next::Raise,
            1 => Next::Error,
            _ => Next::Return(Some(self.expr(Type::Int(32), 3))),
        }
    }

    fn edge(&mut self, number: u32, outcome: Outcome, condition: Expr, target: Block) -> BlockData {
        let condition = match outcome {
            Outcome::True => condition,
            _ => self.f.exprs.push(ExprData::Unary(UnaryOp::Not, condition)),
        };
        let branch = Branch { condition: number, origin: Origin::If, outcome };
        let mut cmds = vec![self.at(CmdKind::Assume(condition))];
        if self.choices.pick(3) == 0 {
            cmds.push(self.cmd());
        }
        BlockData { branch: Some(branch), cmds, next: Next::Goto(smallvec![target]) }
    }

    fn at(&mut self, kind: CmdKind) -> Cmd {
        self.loc += self.choices.pick(2);
        Cmd { kind, loc: Loc::from_u32(self.loc) }
    }

    fn cmd(&mut self) -> Cmd {
        let var = self.any_var();
        let ty = self.f.vars[var].ty;
        let kind = match self.choices.pick(if self.shape.runs { 10 } else { 20 }) {
            0..=3 => CmdKind::Assign(var, self.expr(ty, 4)),
            4 => CmdKind::Enter(var),
            5 => {
                let condition = self.expr(BOOL, 2);
                let check = self.choices.of(&Check::ALL);
                // Mostly true, so that runs get further.
                let yes = self.constant(BOOL, 1);
                let either = self.f.exprs.push(ExprData::Binary(BinaryOp::Or, condition, yes));
                let often = if self.choices.pick(4) == 0 { condition } else { either };
                CmdKind::Assert(check, often)
            }
            6 | 7 => CmdKind::Load { dst: var, addr: self.place(), access: self.access(ty) },
            8 | 9 => CmdKind::Store { addr: self.place(), value: self.expr(ty, 2), access: self.access(ty) },
            10 => CmdKind::Havoc(var),
            11 => CmdKind::EnterObject(Object::new(0)),
            12 => CmdKind::Copy { dst: self.place(), src: self.place(), len: self.expr(Type::Int(64), 1) },
            13 => CmdKind::Fill {
                dst: self.place(),
                byte: self.expr(Type::Int(8), 1),
                len: self.expr(Type::Int(64), 1),
            },
            14 => CmdKind::Clobber(match self.choices.pick(3) {
                0 => Clobber::Escaped,
                1 => Clobber::Range { addr: self.place(), len: self.expr(Type::Int(64), 1) },
                _ => Clobber::Classes(vec![Class::new(0), Class::new(3)]),
            }),
            15 => CmdKind::Assume(self.expr(BOOL, 2)),
            16 => CmdKind::Free(self.expr(Type::Ptr, 2)),
            17 if ty == Type::Ptr => CmdKind::Allocate {
                dst: var,
                size: self.expr(Type::Int(64), 2),
                unset: self.choices.pick(2) == 0,
            },
            17 => CmdKind::Clobber(Clobber::Errno),
            _ => {
                let args = vec![self.expr(Type::Int(32), 1), self.expr(Type::Ptr, 1)];
                let callee = match self.choices.pick(2) {
                    0 => Callee::Symbol(Symbol::new(1)),
                    _ => Callee::Pointer(self.expr(Type::Ptr, 1)),
                };
                let returns = self.choices.pick(2) == 1;
                let writes = match self.choices.pick(3) {
                    0 => None,
                    1 => Some(Vec::new()),
                    _ => {
                        let bases = [CallBase::Argument(1), CallBase::Anywhere, CallBase::Outside];
                        let first = self.choices.pick(2);
                        let write = |i: u32| CallWrite {
                            base: bases[(first + i) as usize],
                            class: Class::from_u32(i),
                        };
                        Some((0..2).map(write).collect())
                    }
                };
                let keeps = KEEPS_ALL - u64::from(self.choices.pick(4));
                CmdKind::Call(Box::new(Call { dst: None, callee, args, returns, writes, keeps }))
            }
        };
        self.at(kind)
    }

    fn any_var(&mut self) -> Var {
        Var::from_u32(self.choices.pick(self.f.vars.len() as u32))
    }

    fn access(&mut self, ty: Type) -> Access {
        let volatile = !self.shape.runs && self.choices.pick(4) == 0;
        let class = if self.shape.runs { Class::new(0) } else { Class::from_u32(self.choices.pick(4)) };
        Access { ty, class, volatile }
    }

    /// An address inside one of the objects.
    fn place(&mut self) -> Expr {
        let base = match self.choices.pick(2) {
            0 => ExprData::ObjectAddr(Object::from_u32(self.choices.pick(self.f.objects.len() as u32))),
            _ => ExprData::SymbolAddr(Symbol::new(2)),
        };
        let base = self.f.exprs.push(base);
        let bits = u128::from(self.choices.pick(9));
        let offset = self.constant(Type::Int(64), bits);
        self.f.exprs.push(ExprData::Binary(BinaryOp::PtrAdd, base, offset))
    }

    fn constant(&mut self, ty: Type, bits: u128) -> Expr {
        self.f.exprs.push(ExprData::Const(ty, bits))
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        let vars: Vec<Var> = self.f.vars.keys().filter(|&var| self.f.vars[var].ty == ty).collect();
        let data = match self.choices.pick(4) {
            1.. if !vars.is_empty() => ExprData::Var(self.choices.of(&vars)),
            _ if ty == Type::Ptr && self.choices.pick(2) == 0 => ExprData::ObjectAddr(Object::new(0)),
            _ => {
                let raw = self.choices.of(&[0, 1, 2, 7, 8, 31, 127, 128, 0x7fff_ffff, u128::MAX]);
                let width = ty.bits(64);
                ExprData::Const(ty, if width < 128 { raw & ((1 << width) - 1) } else { raw })
            }
        };
        self.f.exprs.push(data)
    }

    fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        if depth == 0 || self.choices.pick(4) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if self.choices.pick(8) == 0 {
            let (condition, yes, no) = (self.expr(BOOL, depth), self.expr(ty, depth), self.expr(ty, depth));
            return self.f.exprs.push(ExprData::Ite(condition, yes, no));
        }
        let data = match ty {
            Type::Int(1) => self.boolean(depth),
            Type::Int(bits) => self.integer(bits, depth),
            Type::Ptr => {
                let (base, offset) = (self.expr(Type::Ptr, depth), self.expr(Type::Int(64), depth));
                ExprData::Binary(BinaryOp::PtrAdd, base, offset)
            }
            Type::Float(_) => match self.choices.pick(2) {
                0 => ExprData::Unary(UnaryOp::FNeg, self.expr(ty, depth)),
                _ => {
                    let op =
                        self.choices.of(&[BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul, BinaryOp::FDiv]);
                    ExprData::Binary(op, self.expr(ty, depth), self.expr(ty, depth))
                }
            },
        };
        self.f.exprs.push(data)
    }

    fn boolean(&mut self, depth: u32) -> ExprData {
        use BinaryOp::*;
        match self.choices.pick(6) {
            0 => ExprData::Unary(UnaryOp::Not, self.expr(BOOL, depth)),
            1 => ExprData::Binary(
                self.choices.of(&[And, Or, Xor]),
                self.expr(BOOL, depth),
                self.expr(BOOL, depth),
            ),
            2 => ExprData::Initialised(self.any_var()),
            3 if !self.shape.runs => match self.choices.pick(2) {
                0 => ExprData::Valid(self.expr(Type::Ptr, depth), self.expr(Type::Int(64), depth)),
                _ => ExprData::Freeable(self.expr(Type::Ptr, depth)),
            },
            4 if !self.shape.runs => {
                let ty = Type::Float(FloatKind::F64);
                ExprData::Binary(
                    self.choices.of(&[FEq, FLt, FLe]),
                    self.expr(ty, depth),
                    self.expr(ty, depth),
                )
            }
            _ => {
                let ty = self.choices.of(&[Type::Int(8), Type::Int(32), Type::Int(64)]);
                let op = self.choices.of(&[Eq, Ne, ULt, ULe, SLt, SLe]);
                ExprData::Binary(op, self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn integer(&mut self, bits: u16, depth: u32) -> ExprData {
        use BinaryOp::*;
        let ty = Type::Int(bits);
        match self.choices.pick(8) {
            0 => ExprData::Unary(self.choices.of(&[UnaryOp::Not, UnaryOp::Neg]), self.expr(ty, depth)),
            1 if bits == 64 && !self.shape.runs => {
                ExprData::Binary(PtrSub, self.expr(Type::Ptr, depth), self.expr(Type::Ptr, depth))
            }
            1 if bits > 8 => {
                let op = self.choices.of(&[CastOp::ZeroExtend, CastOp::SignExtend]);
                ExprData::Cast(op, ty, self.expr(Type::Int(8), depth))
            }
            2 if bits < 64 => ExprData::Cast(CastOp::Truncate, ty, self.expr(Type::Int(64), depth)),
            _ => {
                let ops = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr];
                ExprData::Binary(self.choices.of(&ops), self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }
}
