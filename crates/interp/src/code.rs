//! Functions flattened for execution: every expression becomes register instructions, computed once.
//!
//! A frame's registers are the variables, one flag per variable whose initialisation is asked for, the
//! constants, and temporaries. A `goto` with several targets tests their leading assumes in place and jumps
//! past the one that holds.

use super::memory::Memory;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use gainsay_ir::check::Check;
use gainsay_ir::gc::*;
use gainsay_ir::types::Type;
use std::collections::HashMap;

/// A register of a frame.
pub(super) type Reg = u32;

/// No register: the result is not wanted.
// not a limit: mark of a result that is not used
pub(super) const NOWHERE: Reg = u32::MAX;

/// Narrow operations work on at most 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Move,
    Not,
    Neg,
    /// From `c` bits to `bits`.
    SignExtend,
    Truncate,
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
    Eq,
    Ne,
    ULt,
    ULe,
    SLt,
    SLe,
    /// Whatever the narrow operations do not do; `c` indexes `types`.
    AnyUnary(UnaryOp),
    AnyBinary(BinaryOp),
    AnyCast(CastOp),
    /// `a` is the condition, `b` and `c` the values.
    Ite,
    /// `c` is the object's number.
    ObjectAddr,
    Valid,
    Freeable,
    /// `c` bytes at `a`.
    Load,
    /// `c` bytes of `b` to `a`.
    Store,
    /// `a`: destination, `b`: source or byte, `c`: length.
    Copy,
    Fill,
    Alloca,
    Allocate,
    Free,
    /// `c` indexes `places`.
    Assume,
    Assert,
    Unsupported,
    /// An edge of a branch is taken; `c` is its number among the unit's edges.
    Edge,
    /// No target of a goto can be taken.
    Stuck,
    /// To `dst`; `c` steps are counted.
    Jump,
    JumpIf,
    /// `a`: symbol or register; `b`: first of `c` arguments in `args`.
    Call,
    CallPointer,
    Return,
    Raise,
    Error,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Instr {
    pub(super) op: Op,
    pub(super) bits: u8,
    pub(super) dst: Reg,
    pub(super) a: Reg,
    pub(super) b: Reg,
    pub(super) c: u32,
}

/// Which command an instruction belongs to.
#[derive(Clone, Debug)]
pub(super) struct PlaceInfo {
    pub(super) block: Block,
    pub(super) index: usize,
    pub(super) check: Option<Check>,
    /// Why the command cannot be executed.
    pub(super) reason: String,
}

#[derive(Clone, Copy)]
pub(super) struct Arg {
    pub(super) reg: Reg,
    pub(super) ty: Type,
}

pub(super) struct Code {
    pub(super) symbol: Symbol,
    pub(super) instrs: Vec<Instr>,
    /// Variables and flags: zero at the start.
    pub(super) zeroed: usize,
    /// Follow the zeroed registers.
    pub(super) constants: Vec<u128>,
    pub(super) registers: usize,
    /// Register, flag (or nowhere) and width.
    pub(super) params: Vec<(Reg, Reg, u16)>,
    pub(super) args: Vec<Arg>,
    pub(super) types: Vec<(Type, Type)>,
    pub(super) places: Vec<PlaceInfo>,
    /// Offset in the frame's memory and size.
    pub(super) objects: Vec<(u64, u64)>,
    pub(super) frame_bytes: u64,
    pub(super) frame_align: u64,
}

/// `strict_havoc`: see `InterpOptions`; `edges` collects the branch edges of all functions.
pub(super) fn compile(
    unit: &Unit,
    f: &Function,
    memory: &Memory,
    strict_havoc: bool,
    edges: &mut Vec<(Symbol, Block)>,
) -> Code {
    let mut flags = SecondaryMap::with_default(NOWHERE);
    let mut zeroed = f.vars.len() as u32;
    let mut constants = Constants::default();
    for data in f.exprs.values() {
        match *data {
            ExprData::Initialised(var) if flags[var] == NOWHERE => {
                flags[var] = zeroed;
                zeroed += 1;
            }
            ExprData::Const(_, bits) => constants.add(bits),
            ExprData::SymbolAddr(symbol) => constants.add(memory.address(symbol).into()),
            _ => {}
        }
    }
    constants.add(0);
    constants.add(1);
    let first_temporary = zeroed + constants.values.len() as u32;
    let mut compiler = Compiler {
        f,
        memory,
        strict_havoc,
        edges,
        pointer_bits: unit.target.pointer_bits,
        expr_types: f.types(unit.target.pointer_bits),
        flags,
        constants,
        zeroed,
        first_temporary,
        next_temporary: first_temporary,
        last_temporary: first_temporary,
        value: SecondaryMap::new(),
        round: 0,
        starts: SecondaryMap::new(),
        code: Vec::new(),
        args: Vec::new(),
        types: Vec::new(),
        places: Vec::new(),
        stack: Vec::new(),
    };
    for (block, data) in &f.blocks {
        compiler.block(block, data);
    }
    compiler.resolve_jumps();
    compiler.finish()
}

#[derive(Default)]
struct Constants {
    values: Vec<u128>,
    index: HashMap<u128, u32>,
}

impl Constants {
    fn add(&mut self, bits: u128) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.index.entry(bits) {
            entry.insert(self.values.len() as u32);
            self.values.push(bits);
        }
    }
}

/// Where a block's code begins, and where it continues after its leading assume.
#[derive(Clone, Copy, Default)]
struct Start {
    first: u32,
    behind_assume: u32,
}

struct Compiler<'a> {
    f: &'a Function,
    memory: &'a Memory,
    strict_havoc: bool,
    edges: &'a mut Vec<(Symbol, Block)>,
    pointer_bits: u16,
    expr_types: PrimaryMap<Expr, Type>,
    flags: SecondaryMap<Var, Reg>,
    constants: Constants,
    zeroed: u32,
    first_temporary: Reg,
    next_temporary: Reg,
    last_temporary: Reg,
    /// Register of an expression and the round (command) it was computed in.
    value: SecondaryMap<Expr, (u32, Reg)>,
    round: u32,
    starts: SecondaryMap<Block, Start>,
    code: Vec<Instr>,
    args: Vec<Arg>,
    types: Vec<(Type, Type)>,
    places: Vec<PlaceInfo>,
    /// Expressions still to be computed; true when their operands are.
    stack: Vec<(Expr, bool)>,
}

impl Compiler<'_> {
    fn finish(self) -> Code {
        let f = self.f;
        let mut objects = Vec::new();
        let (mut frame_bytes, mut frame_align) = (0u64, 16);
        for data in f.objects.values() {
            let offset = frame_bytes.next_multiple_of(data.align.max(1));
            objects.push((offset, data.size));
            // A gap, so that one past the end of an object is no other object.
            frame_bytes = offset.saturating_add(data.size).saturating_add(1);
            frame_align = frame_align.max(data.align);
        }
        let params = f
            .params
            .iter()
            .map(|&param| (param.as_u32(), self.flags[param], f.vars[param].ty.bits(self.pointer_bits)));
        Code {
            symbol: f.symbol,
            params: params.collect(),
            instrs: self.code,
            zeroed: self.zeroed as usize,
            constants: self.constants.values,
            registers: self.last_temporary as usize,
            args: self.args,
            types: self.types,
            places: self.places,
            objects,
            frame_bytes,
            frame_align,
        }
    }

    fn bits(&self, ty: Type) -> u8 {
        ty.bits(self.pointer_bits) as u8
    }

    fn ty(&self, expr: Expr) -> Type {
        self.expr_types[expr]
    }

    fn emit(&mut self, op: Op, bits: u8, dst: Reg, a: Reg, b: Reg, c: u32) {
        self.code.push(Instr { op, bits, dst, a, b, c });
    }

    fn constant(&self, bits: u128) -> Reg {
        self.zeroed + self.constants.index[&bits]
    }

    fn place(&mut self, block: Block, index: usize, check: Option<Check>, reason: &str) -> u32 {
        self.places.push(PlaceInfo { block, index, check, reason: reason.to_owned() });
        self.places.len() as u32 - 1
    }

    fn unsupported(&mut self, block: Block, index: usize, reason: &str) {
        let place = self.place(block, index, None, reason);
        self.emit(Op::Unsupported, 0, 0, 0, 0, place);
    }

    /// The name of an object with unknown contents whose address the command takes.
    fn unknown_object(&self, cmd: &Cmd) -> Option<&str> {
        let mut todo: Vec<Expr> = cmd.exprs().into_iter().collect();
        while let Some(expr) = todo.pop() {
            match self.f.exprs[expr] {
                ExprData::SymbolAddr(symbol) => {
                    if let Some(name) = self.memory.unknown.get(&symbol) {
                        return Some(name);
                    }
                }
                ref data => todo.extend(data.operands()),
            }
        }
        None
    }

    fn block(&mut self, block: Block, data: &BlockData) {
        let first = self.code.len() as u32;
        self.starts[block] = Start { first, behind_assume: first };
        for (index, cmd) in data.cmds.iter().enumerate() {
            self.new_round();
            if self.strict_havoc
                && let Some(name) = self.unknown_object(cmd)
            {
                let reason = format!("the initial contents of `{name}`");
                self.unsupported(block, index, &reason);
            }
            self.cmd(block, index, &cmd.kind);
            if index == 0 && matches!(cmd.kind, CmdKind::Assume(_)) {
                self.starts[block].behind_assume = self.code.len() as u32;
                if data.branch.is_some() {
                    self.emit(Op::Edge, 0, 0, 0, 0, (self.edges.len()) as u32);
                    self.edges.push((self.f.symbol, block));
                }
            }
        }
        self.new_round();
        let steps = data.cmds.len() as u32 + 1;
        match &data.next {
            Next::Goto(targets) => self.goto(block, data.cmds.len(), targets, steps),
            Next::Return(value) => {
                let value = value.map_or(NOWHERE, |value| self.expr(value));
                self.emit(Op::Return, 0, 0, value, 0, 0);
            }
            Next::Raise => self.emit(Op::Raise, 0, 0, 0, 0, 0),
            Next::Error => {
                let place = self.place(block, data.cmds.len(), None, "");
                self.emit(Op::Error, 0, 0, 0, 0, place);
            }
        }
    }

    /// Jumps hold the number of the block, twice, plus one where the leading assume was tested already,
    /// until all blocks have their place.
    fn goto(&mut self, block: Block, index: usize, targets: &[Block], steps: u32) {
        if let &[target] = targets {
            return self.emit(Op::Jump, 0, target.as_u32() * 2, 0, 0, steps);
        }
        for &target in targets {
            match self.f.blocks[target].cmds.first().map(|cmd| &cmd.kind) {
                Some(&CmdKind::Assume(condition)) => {
                    let condition = self.expr(condition);
                    self.emit(Op::JumpIf, 0, target.as_u32() * 2 + 1, condition, 0, steps);
                }
                // The choice is not determined.
                _ if self.strict_havoc => {
                    return self.unsupported(block, index, "a jump to any of several blocks");
                }
                _ => return self.emit(Op::Jump, 0, target.as_u32() * 2, 0, 0, steps),
            }
        }
        let place = self.place(block, index, None, "");
        self.emit(Op::Stuck, 0, 0, 0, 0, place);
    }

    fn resolve_jumps(&mut self) {
        for instr in &mut self.code {
            if let Op::Jump | Op::JumpIf = instr.op {
                let start = self.starts[Block::from_u32(instr.dst / 2)];
                instr.dst = if instr.dst % 2 == 1 { start.behind_assume } else { start.first };
            }
        }
    }

    fn new_round(&mut self) {
        self.round += 1;
        self.next_temporary = self.first_temporary;
    }

    fn cmd(&mut self, block: Block, index: usize, cmd: &CmdKind) {
        match cmd {
            CmdKind::Assign(var, value) => {
                self.expr_into(*value, var.as_u32());
                self.assigned(*var);
            }
            CmdKind::Havoc(_) if self.strict_havoc => self.unsupported(block, index, "havoc"),
            CmdKind::Clobber(Clobber::Escaped) if self.strict_havoc => {
                self.unsupported(block, index, "clobber escaped");
            }
            CmdKind::Clobber(Clobber::Errno) if self.strict_havoc => {
                self.unsupported(block, index, "clobber errno");
            }
            CmdKind::Clobber(Clobber::Range { .. }) if self.strict_havoc => {
                self.unsupported(block, index, "clobber range");
            }
            CmdKind::Havoc(var) => {
                let zero = self.constant(0);
                self.emit(Op::Move, 0, var.as_u32(), zero, 0, 0);
                self.assigned(*var);
            }
            CmdKind::Enter(var) => {
                let (zero, flag) = (self.constant(0), self.flags[*var]);
                self.emit(Op::Move, 0, var.as_u32(), zero, 0, 0);
                if flag != NOWHERE {
                    self.emit(Op::Move, 0, flag, zero, 0, 0);
                }
            }
            CmdKind::EnterObject(_) | CmdKind::Clobber(_) => {}
            CmdKind::Assume(condition) => {
                let condition = self.expr(*condition);
                let place = self.place(block, index, None, "");
                self.emit(Op::Assume, 0, 0, condition, 0, place);
            }
            CmdKind::Assert(check, condition) => {
                let condition = self.expr(*condition);
                let place = self.place(block, index, Some(*check), "");
                self.emit(Op::Assert, 0, 0, condition, 0, place);
            }
            CmdKind::Load { dst, addr, access } => {
                let addr = self.expr(*addr);
                let bytes = access.ty.bytes(self.pointer_bits) as u32;
                self.emit(Op::Load, self.bits(access.ty), dst.as_u32(), addr, 0, bytes);
                self.assigned(*dst);
            }
            CmdKind::Store { addr, value, access } => {
                let (addr, value) = (self.expr(*addr), self.expr(*value));
                let bytes = access.ty.bytes(self.pointer_bits) as u32;
                self.emit(Op::Store, 0, 0, addr, value, bytes);
            }
            CmdKind::Copy { dst, src, len } => {
                let (dst, src, len) = (self.expr(*dst), self.expr(*src), self.expr(*len));
                self.emit(Op::Copy, 0, 0, dst, src, len);
            }
            CmdKind::Fill { dst, byte, len } => {
                let (dst, byte, len) = (self.expr(*dst), self.expr(*byte), self.expr(*len));
                self.emit(Op::Fill, 0, 0, dst, byte, len);
            }
            CmdKind::Alloca { dst, size } => {
                let size = self.expr(*size);
                self.emit(Op::Alloca, 0, dst.as_u32(), size, 0, 0);
                self.assigned(*dst);
            }
            CmdKind::Allocate { dst, size, .. } => {
                let size = self.expr(*size);
                self.emit(Op::Allocate, 0, dst.as_u32(), size, 0, 0);
                self.assigned(*dst);
            }
            CmdKind::Free(pointer) => {
                let pointer = self.expr(*pointer);
                self.emit(Op::Free, 0, 0, pointer, 0, 0);
            }
            CmdKind::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) {
        let pointer = match call.callee {
            Callee::Pointer(pointer) => Some(self.expr(pointer)),
            Callee::Symbol(_) => None,
        };
        let args: Vec<Arg> =
            call.args.iter().map(|&arg| Arg { reg: self.expr(arg), ty: self.ty(arg) }).collect();
        let first = self.args.len() as u32;
        self.args.extend_from_slice(&args);
        let (dst, bits) = match call.dst {
            Some(dst) => (dst.as_u32(), self.bits(self.f.vars[dst].ty)),
            None => (NOWHERE, 1),
        };
        match (call.callee, pointer) {
            (Callee::Symbol(symbol), _) => {
                self.emit(Op::Call, bits, dst, symbol.as_u32(), first, args.len() as u32);
            }
            (_, pointer) => {
                let pointer = pointer.unwrap_or(NOWHERE);
                self.emit(Op::CallPointer, bits, dst, pointer, first, args.len() as u32);
            }
        }
        if let Some(dst) = call.dst {
            self.assigned(dst);
        }
    }

    fn assigned(&mut self, var: Var) {
        let (one, flag) = (self.constant(1), self.flags[var]);
        if flag != NOWHERE {
            self.emit(Op::Move, 0, flag, one, 0, 0);
        }
    }

    /// Computes the expression straight into a variable.
    fn expr_into(&mut self, expr: Expr, dst: Reg) {
        let value = self.expr(expr);
        // A temporary was just computed by the last instruction, and nothing else reads it.
        match self.code.last_mut() {
            Some(last) if value >= self.first_temporary => last.dst = dst,
            _ => self.emit(Op::Move, 0, dst, value, 0, 0),
        }
    }

    /// The register that holds the expression's value.
    fn expr(&mut self, expr: Expr) -> Reg {
        self.stack.push((expr, false));
        while let Some((expr, ready)) = self.stack.pop() {
            if self.leaf(expr).is_some() {
                continue;
            }
            if ready {
                let dst = self.next_temporary;
                self.next_temporary += 1;
                self.last_temporary = self.last_temporary.max(self.next_temporary);
                self.node(expr, dst);
                self.value[expr] = (self.round, dst);
            } else {
                self.stack.push((expr, true));
                self.stack.extend(self.f.exprs[expr].operands().into_iter().map(|operand| (operand, false)));
            }
        }
        self.reg(expr)
    }

    /// The register of an expression that is computed already or needs no computing.
    fn leaf(&self, expr: Expr) -> Option<Reg> {
        match self.f.exprs[expr] {
            ExprData::Var(var) => Some(var.as_u32()),
            ExprData::Const(_, bits) => Some(self.constant(bits)),
            ExprData::SymbolAddr(symbol) => Some(self.constant(self.memory.address(symbol).into())),
            ExprData::Initialised(var) => Some(self.flags[var]),
            _ => Some(self.value[expr]).filter(|value| value.0 == self.round).map(|value| value.1),
        }
    }

    fn reg(&self, expr: Expr) -> Reg {
        self.leaf(expr).unwrap_or(NOWHERE)
    }

    fn node(&mut self, expr: Expr, dst: Reg) {
        match self.f.exprs[expr] {
            ExprData::Unary(op, a) => self.unary(op, self.ty(a), dst, self.reg(a)),
            ExprData::Cast(op, to, a) => self.cast(op, self.ty(a), to, dst, self.reg(a)),
            ExprData::Binary(op, a, b) => self.binary(op, self.ty(a), dst, self.reg(a), self.reg(b)),
            ExprData::Ite(condition, yes, no) => {
                self.emit(Op::Ite, 0, dst, self.reg(condition), self.reg(yes), self.reg(no));
            }
            ExprData::ObjectAddr(object) => self.emit(Op::ObjectAddr, 0, dst, 0, 0, object.as_u32()),
            ExprData::Valid(pointer, len) => {
                self.emit(Op::Valid, 0, dst, self.reg(pointer), self.reg(len), 0);
            }
            ExprData::Freeable(pointer) => self.emit(Op::Freeable, 0, dst, self.reg(pointer), 0, 0),
            ExprData::Const(..) | ExprData::Var(_) | ExprData::SymbolAddr(_) | ExprData::Initialised(_) => {}
        }
    }

    fn type_pair(&mut self, a: Type, b: Type) -> u32 {
        self.types.push((a, b));
        self.types.len() as u32 - 1
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, dst: Reg, a: Reg) {
        let bits = self.bits(ty);
        match op {
            UnaryOp::Not if bits <= 64 => self.emit(Op::Not, bits, dst, a, 0, 0),
            UnaryOp::Neg if bits <= 64 => self.emit(Op::Neg, bits, dst, a, 0, 0),
            _ => {
                let types = self.type_pair(ty, ty);
                self.emit(Op::AnyUnary(op), bits, dst, a, 0, types);
            }
        }
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, dst: Reg, a: Reg) {
        let (from_bits, bits) = (self.bits(from), self.bits(to));
        match op {
            CastOp::ZeroExtend => self.emit(Op::Move, 0, dst, a, 0, 0),
            CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr if bits <= 64 => {
                self.emit(Op::Truncate, bits, dst, a, 0, 0);
            }
            CastOp::SignExtend if bits <= 64 => self.emit(Op::SignExtend, bits, dst, a, 0, from_bits.into()),
            _ => {
                let types = self.type_pair(from, to);
                self.emit(Op::AnyCast(op), bits, dst, a, 0, types);
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, dst: Reg, a: Reg, b: Reg) {
        let bits = self.bits(ty);
        let narrow = match op {
            BinaryOp::Add | BinaryOp::PtrAdd => Op::Add,
            BinaryOp::Sub | BinaryOp::PtrSub => Op::Sub,
            BinaryOp::Mul => Op::Mul,
            BinaryOp::UDiv => Op::UDiv,
            BinaryOp::SDiv => Op::SDiv,
            BinaryOp::URem => Op::URem,
            BinaryOp::SRem => Op::SRem,
            BinaryOp::And => Op::And,
            BinaryOp::Or => Op::Or,
            BinaryOp::Xor => Op::Xor,
            BinaryOp::Shl => Op::Shl,
            BinaryOp::LShr => Op::LShr,
            BinaryOp::AShr => Op::AShr,
            BinaryOp::Eq => Op::Eq,
            BinaryOp::Ne => Op::Ne,
            BinaryOp::ULt => Op::ULt,
            BinaryOp::ULe => Op::ULe,
            BinaryOp::SLt => Op::SLt,
            BinaryOp::SLe => Op::SLe,
            BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FDiv
            | BinaryOp::FEq
            | BinaryOp::FLt
            | BinaryOp::FLe => Op::AnyBinary(op),
        };
        if bits <= 64 && !matches!(narrow, Op::AnyBinary(_)) {
            self.emit(narrow, bits, dst, a, b, 0);
        } else {
            let types = self.type_pair(ty, ty);
            self.emit(Op::AnyBinary(op), bits, dst, a, b, types);
        }
    }
}
