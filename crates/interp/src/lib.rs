//! Executes whole programs of guarded commands, to compare lowering with the compiled C program.
//!
//! Functions are flattened once (`code`); calls keep their frames in a vector, so neither deep recursion of
//! the program nor deep expressions use the Rust stack. Non-determinism is resolved: `goto` takes the first
//! target whose leading assume holds, and any value is 0.

mod code;
mod format;
mod host;
mod limits;
mod memory;

use code::{Arg, Code, NOWHERE, Op, Reg};
use cranelift_entity::SecondaryMap;
use gainsay_ir::check::Check;
use gainsay_ir::eval;
use gainsay_ir::gc::{Block, Symbol, SymbolKind, Unit};
use host::Host;
use limits::{MOST_REGISTERS, MOST_STEPS, SMALLEST_FRAME};
use memory::{Extent, Memory};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterpOptions {
    /// Commands to execute before giving up.
    pub steps: u64,
    /// Give up where something unmodelled is executed: `havoc`, `clobber`, a jump to any of several blocks, or
    /// the use of an object whose initial contents are not known.
    pub strict_havoc: bool,
}

impl Default for InterpOptions {
    fn default() -> Self {
        InterpOptions { steps: MOST_STEPS, strict_havoc: true }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The first function returned; 0 if it has no result.
    Returned(i32),
    Exited(i32),
    /// An acceptable end that is not `exit` itself.
    Raised,
    /// The error end, `abort`, or something a machine would trap.
    Aborted(String),
    /// A check does not hold.
    Failed {
        check: Check,
        function: String,
        block: Block,
        index: usize,
    },
    /// An assume is false, or no target of a goto can be taken.
    Stuck {
        function: String,
        block: Block,
        index: usize,
    },
    Unsupported(String),
    OutOfSteps,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub outcome: Outcome,
    pub stdout: Vec<u8>,
    /// The branch edges that the run took at least once: function and block.
    pub taken: Vec<(Symbol, Block)>,
}

/// What a call of a symbol does.
#[derive(Clone, Copy, Default)]
enum Target {
    Code(usize),
    Host(Host),
    #[default]
    Unknown,
}

/// A unit made ready for one run.
pub struct Interp<'a> {
    unit: &'a Unit,
    codes: Vec<Code>,
    targets: SecondaryMap<Symbol, Target>,
    machine: Machine,
    steps: u64,
    /// The branch edges of all functions, and which of them were taken.
    edges: Vec<(Symbol, Block)>,
    taken: Vec<bool>,
}

/// The state that host functions may change.
struct Machine {
    memory: Memory,
    stdout: Vec<u8>,
    pointer_bits: u16,
}

struct Frame {
    code: usize,
    /// Where to go on in this frame after a call.
    pc: usize,
    /// First register.
    base: usize,
    /// First byte of the frame's objects.
    memory: u64,
    /// What the stack and the list of allocas are cut back to.
    stack: u64,
    allocas: usize,
    /// Register of the caller for the result, and its width.
    dst: Reg,
    bits: u8,
}

impl<'a> Interp<'a> {
    /// The unit must be well formed (see `verify`).
    pub fn new(unit: &'a Unit, options: InterpOptions) -> Interp<'a> {
        let mut targets: SecondaryMap<Symbol, Target> = SecondaryMap::new();
        for (symbol, data) in &unit.symbols {
            if let (SymbolKind::Function(_), Some(host)) = (&data.kind, Host::from_name(&data.name)) {
                targets[symbol] = Target::Host(host);
            }
        }
        for (index, f) in unit.functions.iter().enumerate() {
            targets[f.symbol] = Target::Code(index);
        }
        let memory = Memory::new(unit, |symbol| !matches!(targets[symbol], Target::Unknown));
        let mut edges = Vec::new();
        let compile = |f| code::compile(unit, f, &memory, options.strict_havoc, &mut edges);
        let codes = unit.functions.iter().map(compile).collect();
        let taken = vec![false; edges.len()];
        let machine = Machine { memory, stdout: Vec::new(), pointer_bits: unit.target.pointer_bits };
        Interp { unit, codes, targets, machine, steps: options.steps, edges, taken }
    }

    /// Calls a function of the unit with integer or pointer arguments; missing ones are 0.
    pub fn run(mut self, function: &str, args: &[u128]) -> Run {
        let start = self.codes.iter().position(|code| self.unit.symbols[code.symbol].name == function);
        let outcome = match start {
            Some(start) => self.execute(start, args),
            None => Outcome::Unsupported(format!("there is no function `{function}`")),
        };
        let taken = self.edges.into_iter().zip(self.taken).filter_map(|(edge, taken)| taken.then_some(edge));
        Run { outcome, stdout: self.machine.stdout, taken: taken.collect() }
    }

    fn execute(&mut self, start: usize, args: &[u128]) -> Outcome {
        let mut state = CallStack { regs: Vec::new(), frames: Vec::new(), allocas: Vec::new() };
        if let Err(outcome) = state.enter(&self.codes, &mut self.machine.memory, start, NOWHERE, 1) {
            return outcome;
        }
        for (&(reg, flag, bits), &arg) in self.codes[start].params.iter().zip(args) {
            state.set_param(0, reg, flag, arg & eval::mask(bits));
        }
        match self.run_frames(&mut state) {
            Ok(value) => Outcome::Returned(value as i32),
            Err(outcome) => outcome,
        }
    }

    /// The result of the outermost function, or how else the run ended.
    fn run_frames(&mut self, state: &mut CallStack) -> Result<u128, Outcome> {
        let pointer_bits = self.unit.target.pointer_bits;
        let mut host_args = Vec::new();
        let mut code = &self.codes[state.frames[0].code];
        let (mut pc, mut base) = (0, 0);
        let mut steps = self.steps;
        macro_rules! reg {
            ($r:expr) => {
                state.regs[base + $r as usize]
            };
        }
        macro_rules! narrow {
            ($r:expr) => {
                state.regs[base + $r as usize] as u64
            };
        }
        macro_rules! signed {
            ($r:expr, $bits:expr) => {{
                let unused = 64 - u32::from($bits);
                ((state.regs[base + $r as usize] as u64) << unused) as i64 >> unused
            }};
        }
        macro_rules! set {
            ($i:expr, $value:expr) => {{
                let value: u64 = $value;
                state.regs[base + $i.dst as usize] =
                    u128::from(value & (u64::MAX >> (64 - u32::from($i.bits))));
            }};
        }
        macro_rules! set_bool {
            ($i:expr, $value:expr) => {
                state.regs[base + $i.dst as usize] = u128::from($value)
            };
        }
        loop {
            let i = code.instrs[pc];
            pc += 1;
            match i.op {
                Op::Move => reg!(i.dst) = reg!(i.a),
                Op::Edge => self.taken[i.c as usize] = true,
                Op::Not => set!(i, !narrow!(i.a)),
                Op::Neg => set!(i, narrow!(i.a).wrapping_neg()),
                Op::SignExtend => set!(i, signed!(i.a, i.c as u8) as u64),
                Op::Truncate => set!(i, narrow!(i.a)),
                Op::Add => set!(i, narrow!(i.a).wrapping_add(narrow!(i.b))),
                Op::Sub => set!(i, narrow!(i.a).wrapping_sub(narrow!(i.b))),
                Op::Mul => set!(i, narrow!(i.a).wrapping_mul(narrow!(i.b))),
                Op::UDiv => set!(i, narrow!(i.a).checked_div(narrow!(i.b)).unwrap_or(0)),
                Op::URem => set!(i, narrow!(i.a).checked_rem(narrow!(i.b)).unwrap_or(0)),
                Op::SDiv => {
                    let (a, b) = (signed!(i.a, i.bits), signed!(i.b, i.bits));
                    set!(i, if b == 0 { 0 } else { a.wrapping_div(b) as u64 });
                }
                Op::SRem => {
                    let (a, b) = (signed!(i.a, i.bits), signed!(i.b, i.bits));
                    set!(i, if b == 0 { 0 } else { a.wrapping_rem(b) as u64 });
                }
                Op::And => reg!(i.dst) = reg!(i.a) & reg!(i.b),
                Op::Or => reg!(i.dst) = reg!(i.a) | reg!(i.b),
                Op::Xor => reg!(i.dst) = reg!(i.a) ^ reg!(i.b),
                Op::Shl => {
                    let by = narrow!(i.b);
                    set!(i, if by < i.bits.into() { narrow!(i.a) << by } else { 0 });
                }
                Op::LShr => {
                    let by = narrow!(i.b);
                    set!(i, if by < i.bits.into() { narrow!(i.a) >> by } else { 0 });
                }
                Op::AShr => {
                    let by = narrow!(i.b);
                    set!(i, if by < i.bits.into() { (signed!(i.a, i.bits) >> by) as u64 } else { 0 });
                }
                Op::Eq => set_bool!(i, narrow!(i.a) == narrow!(i.b)),
                Op::Ne => set_bool!(i, narrow!(i.a) != narrow!(i.b)),
                Op::ULt => set_bool!(i, narrow!(i.a) < narrow!(i.b)),
                Op::ULe => set_bool!(i, narrow!(i.a) <= narrow!(i.b)),
                Op::SLt => set_bool!(i, signed!(i.a, i.bits) < signed!(i.b, i.bits)),
                Op::SLe => set_bool!(i, signed!(i.a, i.bits) <= signed!(i.b, i.bits)),
                Op::AnyUnary(op) => {
                    let (ty, _) = code.types[i.c as usize];
                    let value = eval::unary(op, ty, reg!(i.a), pointer_bits);
                    reg!(i.dst) = value.ok_or_else(wide_float)?;
                }
                Op::AnyBinary(op) => {
                    let (ty, _) = code.types[i.c as usize];
                    let value = eval::binary(op, ty, reg!(i.a), reg!(i.b), pointer_bits);
                    reg!(i.dst) = value.ok_or_else(wide_float)?;
                }
                Op::AnyCast(op) => {
                    let (from, to) = code.types[i.c as usize];
                    let value = eval::cast(op, from, to, reg!(i.a), pointer_bits);
                    reg!(i.dst) = value.ok_or_else(wide_float)?;
                }
                Op::Ite => reg!(i.dst) = if reg!(i.a) != 0 { reg!(i.b) } else { reg!(i.c) },
                Op::ObjectAddr => {
                    let frame = &state.frames[state.frames.len() - 1];
                    reg!(i.dst) = u128::from(frame.memory + code.objects[i.c as usize].0);
                }
                Op::Valid => {
                    let (address, len) = (narrow!(i.a), narrow!(i.b));
                    let object = state.object_at(&self.codes, &self.machine.memory, address);
                    set_bool!(i, len == 0 || object.is_some_and(|object| object.contains(address, len)));
                }
                Op::Freeable => {
                    let address = narrow!(i.a);
                    set_bool!(i, address == 0 || self.machine.memory.heap_block(address).is_some());
                }
                Op::Load => {
                    let address = narrow!(i.a);
                    match self.machine.memory.load(address, i.c.into()) {
                        Some(value) => reg!(i.dst) = value & (u128::MAX >> (128 - u32::from(i.bits))),
                        None => return Err(bad_access("read", address, i.c.into())),
                    }
                }
                Op::Store => {
                    let (address, value) = (narrow!(i.a), reg!(i.b));
                    if self.machine.memory.store(address, i.c.into(), value).is_none() {
                        return Err(bad_access("written", address, i.c.into()));
                    }
                }
                Op::Copy => {
                    let (dst, src, len) = (narrow!(i.a), narrow!(i.b), narrow!(i.c));
                    if self.machine.memory.copy(dst, src, len).is_none() {
                        return Err(bad_access("copied", dst, len));
                    }
                }
                Op::Fill => {
                    let (dst, byte, len) = (narrow!(i.a), narrow!(i.b), narrow!(i.c));
                    if self.machine.memory.fill(dst, byte as u8, len).is_none() {
                        return Err(bad_access("filled", dst, len));
                    }
                }
                Op::Alloca => {
                    let size = narrow!(i.a);
                    // A gap, so that one past the end of an object is no other object.
                    let Some(start) = self.machine.memory.push_stack(size.saturating_add(1), 16) else {
                        return Err(full_of_allocas());
                    };
                    state.allocas.push(Extent { start, size });
                    reg!(i.dst) = start.into();
                }
                Op::Allocate => reg!(i.dst) = self.machine.memory.allocate(narrow!(i.a)).unwrap_or(0).into(),
                Op::Free => self.machine.free(narrow!(i.a))?,
                Op::Assume => {
                    if reg!(i.a) == 0 {
                        return Err(self.stuck(code, i.c));
                    }
                }
                Op::Assert => {
                    if reg!(i.a) == 0 {
                        return Err(self.failed(code, i.c));
                    }
                }
                Op::Unsupported => {
                    return Err(Outcome::Unsupported(self.describe(code, i.c)));
                }
                Op::Stuck => return Err(self.stuck(code, i.c)),
                Op::Jump => {
                    pc = i.dst as usize;
                    steps = steps.checked_sub(i.c.into()).ok_or(Outcome::OutOfSteps)?;
                }
                Op::JumpIf => {
                    if reg!(i.a) != 0 {
                        pc = i.dst as usize;
                        steps = steps.checked_sub(i.c.into()).ok_or(Outcome::OutOfSteps)?;
                    }
                }
                Op::Call | Op::CallPointer => {
                    let symbol = match i.op {
                        Op::Call => Symbol::from_u32(i.a),
                        _ => self.function_at(narrow!(i.a))?,
                    };
                    let args = &code.args[i.b as usize..(i.b + i.c) as usize];
                    match self.targets[symbol] {
                        Target::Code(callee) => {
                            let last = state.frames.len() - 1;
                            state.frames[last].pc = pc;
                            state.enter(&self.codes, &mut self.machine.memory, callee, i.dst, i.bits)?;
                            let caller = base;
                            let frame = &state.frames[last + 1];
                            (code, pc, base) = (&self.codes[callee], 0, frame.base);
                            for (&(reg, flag, bits), arg) in code.params.iter().zip(args) {
                                let value = state.regs[caller + arg.reg as usize] & eval::mask(bits);
                                state.set_param(base, reg, flag, value);
                            }
                        }
                        Target::Host(host) => {
                            host_args.clear();
                            host_args.extend(
                                args.iter().map(|&Arg { reg, ty }| host::Arg { bits: reg!(reg), ty }),
                            );
                            let value = host.call(&mut self.machine, &host_args)?;
                            if i.dst != NOWHERE {
                                reg!(i.dst) = value & eval::mask(i.bits.into());
                            }
                        }
                        Target::Unknown => {
                            let name = &self.unit.symbols[symbol].name;
                            return Err(Outcome::Unsupported(format!("`{name}` is called but has no body")));
                        }
                    }
                }
                Op::Return => {
                    let value = if i.a == NOWHERE { 0 } else { reg!(i.a) };
                    let Some(frame) = state.frames.pop() else { return Ok(value) };
                    self.machine.memory.stack = frame.stack;
                    state.allocas.truncate(frame.allocas);
                    let Some(caller) = state.frames.last() else { return Ok(value) };
                    (code, pc, base) = (&self.codes[caller.code], caller.pc, caller.base);
                    if frame.dst != NOWHERE {
                        reg!(frame.dst) = value & eval::mask(frame.bits.into());
                    }
                }
                Op::Raise => return Err(Outcome::Raised),
                Op::Error => {
                    return Err(Outcome::Aborted(format!("error end in {}", self.describe(code, i.c))));
                }
            }
        }
    }

    fn function_at(&self, address: u64) -> Result<Symbol, Outcome> {
        let found = self.machine.memory.function_at(address).filter(|&symbol| {
            matches!(self.unit.symbols.get(symbol).map(|data| &data.kind), Some(SymbolKind::Function(_)))
        });
        found.ok_or_else(|| Outcome::Aborted(format!("call of {address:#x}, which is no function")))
    }

    fn function_name(&self, code: &Code) -> String {
        self.unit.symbols[code.symbol].name.clone()
    }

    fn describe(&self, code: &Code, place: u32) -> String {
        let place = &code.places[place as usize];
        let space = if place.reason.is_empty() { "" } else { " in " };
        format!("{}{space}`{}` {}", place.reason, self.function_name(code), place.block)
    }

    fn stuck(&self, code: &Code, place: u32) -> Outcome {
        let place = &code.places[place as usize];
        Outcome::Stuck { function: self.function_name(code), block: place.block, index: place.index }
    }

    fn failed(&self, code: &Code, place: u32) -> Outcome {
        let info = &code.places[place as usize];
        match info.check {
            Some(check) => {
                let function = self.function_name(code);
                Outcome::Failed { check, function, block: info.block, index: info.index }
            }
            None => self.stuck(code, place),
        }
    }
}

struct CallStack {
    regs: Vec<u128>,
    /// The last is being executed.
    frames: Vec<Frame>,
    /// Sorted by address, like the frames.
    allocas: Vec<Extent>,
}

impl CallStack {
    /// Pushes a frame whose variables are 0.
    fn enter(
        &mut self,
        codes: &[Code],
        memory: &mut Memory,
        callee: usize,
        dst: Reg,
        bits: u8,
    ) -> Result<(), Outcome> {
        let code = &codes[callee];
        let base = self.frames.last().map_or(0, |frame| frame.base + codes[frame.code].registers);
        let end = base + code.registers;
        if end > MOST_REGISTERS {
            return Err(stack_overflow());
        }
        if self.regs.len() < end {
            self.regs.resize(end.next_power_of_two(), 0);
        }
        let (zeroed, rest) = self.regs[base..end].split_at_mut(code.zeroed);
        zeroed.fill(0);
        rest[..code.constants.len()].copy_from_slice(&code.constants);
        let stack = memory.stack;
        let size = code.frame_bytes.max(SMALLEST_FRAME);
        let start = memory.push_stack(size, code.frame_align).ok_or_else(stack_overflow)?;
        let allocas = self.allocas.len();
        self.frames.push(Frame { code: callee, pc: 0, base, memory: start, stack, allocas, dst, bits });
        Ok(())
    }

    fn set_param(&mut self, base: usize, reg: Reg, flag: Reg, value: u128) {
        self.regs[base + reg as usize] = value;
        if flag != NOWHERE {
            self.regs[base + flag as usize] = 1;
        }
    }

    /// The live object that the address lies in, or begins just before it.
    fn object_at(&self, codes: &[Code], memory: &Memory, address: u64) -> Option<Extent> {
        let in_frame = || {
            let frame = self.frames.partition_point(|frame| frame.memory <= address).checked_sub(1)?;
            let frame = &self.frames[frame];
            let objects = &codes[frame.code].objects;
            let object =
                objects.partition_point(|object| frame.memory + object.0 <= address).checked_sub(1)?;
            let (offset, size) = objects[object];
            Some(Extent { start: frame.memory + offset, size }).filter(|object| object.contains(address, 0))
        };
        let in_alloca = || {
            let alloca = self.allocas.partition_point(|extent| extent.start <= address).checked_sub(1)?;
            Some(self.allocas[alloca]).filter(|object| object.contains(address, 0))
        };
        in_frame().or_else(in_alloca).or_else(|| memory.object_before(address))
    }
}

fn wide_float() -> Outcome {
    Outcome::Unsupported("arithmetic on a float format other than binary32 and binary64".to_owned())
}

fn stack_overflow() -> Outcome {
    Outcome::Aborted("stack overflow".to_owned())
}

/// Not the program's fault: the commands do not tell when the scope of a variable-length array ends.
fn full_of_allocas() -> Outcome {
    Outcome::Unsupported("more alloca than the stack holds".to_owned())
}

fn bad_access(what: &str, address: u64, len: u64) -> Outcome {
    Outcome::Aborted(format!("{len} bytes are {what} at {address:#x}, which is not mapped"))
}
