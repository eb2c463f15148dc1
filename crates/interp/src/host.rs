//! The C library functions that programs under test call, executed natively.

use super::memory::{STDERR, STDOUT};
use super::{Machine, Outcome, format};
use gainsay_ir::types::Type;

/// An argument of a call.
#[derive(Clone, Copy)]
pub(super) struct Arg {
    pub(super) bits: u128,
    pub(super) ty: Type,
}

#[derive(Clone, Copy)]
pub(super) enum Host {
    Printf,
    Fprintf,
    Sprintf,
    Snprintf,
    Puts,
    Putchar,
    Fputs,
    Fputc,
    Fflush,
    Strcmp,
    Strncmp,
    Strlen,
    Strcpy,
    Strncpy,
    Strcat,
    Strchr,
    Strrchr,
    Memchr,
    Memcpy,
    Mempcpy,
    Stpcpy,
    Memset,
    Memcmp,
    Malloc,
    Calloc,
    Realloc,
    Free,
    Abs,
    Fabs,
    Exit,
    Abort,
    AssertFail,
    Atoi,
    Getenv,
}

const TABLE: &[(&str, Host)] = &[
    ("printf", Host::Printf),
    ("fprintf", Host::Fprintf),
    ("sprintf", Host::Sprintf),
    ("snprintf", Host::Snprintf),
    ("puts", Host::Puts),
    ("putchar", Host::Putchar),
    ("fputs", Host::Fputs),
    ("fputc", Host::Fputc),
    ("putc", Host::Fputc),
    ("fflush", Host::Fflush),
    ("strcmp", Host::Strcmp),
    ("strncmp", Host::Strncmp),
    ("strlen", Host::Strlen),
    ("strcpy", Host::Strcpy),
    ("strncpy", Host::Strncpy),
    ("strcat", Host::Strcat),
    ("strchr", Host::Strchr),
    ("strrchr", Host::Strrchr),
    ("memchr", Host::Memchr),
    ("mempcpy", Host::Mempcpy),
    ("stpcpy", Host::Stpcpy),
    ("memcpy", Host::Memcpy),
    ("memmove", Host::Memcpy),
    ("memset", Host::Memset),
    ("memcmp", Host::Memcmp),
    ("malloc", Host::Malloc),
    ("calloc", Host::Calloc),
    ("realloc", Host::Realloc),
    ("free", Host::Free),
    ("abs", Host::Abs),
    ("labs", Host::Abs),
    ("llabs", Host::Abs),
    ("fabs", Host::Fabs),
    ("fabsf", Host::Fabs),
    ("exit", Host::Exit),
    ("_exit", Host::Exit),
    ("abort", Host::Abort),
    ("__assert_fail", Host::AssertFail),
    ("atoi", Host::Atoi),
    ("getenv", Host::Getenv),
];

impl Host {
    pub(super) fn from_name(name: &str) -> Option<Host> {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        TABLE.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The result, 0 where there is none. Missing arguments count as 0.
    pub(super) fn call(self, machine: &mut Machine, args: &[Arg]) -> Result<u128, Outcome> {
        let bits = |index: usize| args.get(index).map_or(0, |arg| arg.bits);
        let address = |index: usize| bits(index) as u64;
        let memory = &mut machine.memory;
        match self {
            Host::Printf => {
                let text = formatted(machine, args, 0)?;
                machine.stdout.extend_from_slice(&text);
                Ok(text.len() as u128)
            }
            Host::Fprintf => {
                let text = formatted(machine, args, 1)?;
                machine.write_to(address(0), &text)
            }
            Host::Sprintf => {
                let text = formatted(machine, args, 1)?;
                machine.put_string(address(0), &text)?;
                Ok(text.len() as u128)
            }
            Host::Snprintf => {
                let text = formatted(machine, args, 2)?;
                if let Some(room) = (address(1) as usize).checked_sub(1) {
                    machine.put_string(address(0), &text[..text.len().min(room)])?;
                }
                Ok(text.len() as u128)
            }
            Host::Puts => {
                let text = machine.string(address(0))?;
                machine.stdout.extend_from_slice(&text);
                machine.stdout.push(b'\n');
                Ok(1)
            }
            Host::Putchar => {
                machine.stdout.push(bits(0) as u8);
                Ok(u128::from(bits(0) as u8))
            }
            Host::Fputs => {
                let text = machine.string(address(0))?;
                machine.write_to(address(1), &text)
            }
            Host::Fputc => {
                machine.write_to(address(1), &[bits(0) as u8])?;
                Ok(u128::from(bits(0) as u8))
            }
            Host::Fflush | Host::Getenv => Ok(0),
            Host::Strcmp => {
                let (a, b) = (machine.string(address(0))?, machine.string(address(1))?);
                Ok(order(&a, &b))
            }
            Host::Strncmp => {
                let (a, b) =
                    (machine.prefix(address(0), address(2))?, machine.prefix(address(1), address(2))?);
                Ok(order(&a, &b))
            }
            Host::Strlen => Ok(machine.string(address(0))?.len() as u128),
            Host::Strcpy => {
                let text = machine.string(address(1))?;
                machine.put_string(address(0), &text)?;
                Ok(bits(0))
            }
            Host::Strncpy => {
                let mut text = machine.prefix(address(1), address(2))?;
                let room = machine.memory.range_mut(address(0), address(2)).ok_or_else(|| bad(address(0)))?;
                text.resize(room.len(), 0);
                room.copy_from_slice(&text);
                Ok(bits(0))
            }
            Host::Strcat => {
                let (len, text) = (machine.string(address(0))?.len(), machine.string(address(1))?);
                machine.put_string(address(0) + len as u64, &text)?;
                Ok(bits(0))
            }
            Host::Strchr => {
                let (text, wanted) = (machine.string(address(0))?, bits(1) as u8);
                let found = text.iter().chain(&[0]).position(|&byte| byte == wanted);
                Ok(found.map_or(0, |at| bits(0) + at as u128))
            }
            Host::Memcpy => {
                memory.copy(address(0), address(1), address(2)).ok_or_else(|| bad(address(0)))?;
                Ok(bits(0))
            }
            Host::Mempcpy => {
                memory.copy(address(0), address(1), address(2)).ok_or_else(|| bad(address(0)))?;
                Ok(u128::from(address(0).wrapping_add(address(2))))
            }
            Host::Stpcpy => {
                let text = machine.string(address(1))?;
                machine.put_string(address(0), &text)?;
                Ok(bits(0) + text.len() as u128)
            }
            Host::Strrchr => {
                let (mut text, wanted) = (machine.string(address(0))?, bits(1) as u8);
                text.push(0);
                let found = text.iter().rposition(|&byte| byte == wanted);
                Ok(found.map_or(0, |at| bits(0) + at as u128))
            }
            Host::Memchr => {
                let bytes = memory.range(address(0), address(2)).ok_or_else(|| bad(address(0)))?;
                let found = bytes.iter().position(|&byte| byte == bits(1) as u8);
                Ok(found.map_or(0, |at| bits(0) + at as u128))
            }
            Host::Fabs => {
                let sign = args.first().map_or(64, |arg| arg.ty.bits(machine.pointer_bits)) - 1;
                Ok(bits(0) & !(1 << sign))
            }
            Host::Memset => {
                memory.fill(address(0), bits(1) as u8, address(2)).ok_or_else(|| bad(address(0)))?;
                Ok(bits(0))
            }
            Host::Memcmp => {
                let a = memory.range(address(0), address(2)).ok_or_else(|| bad(address(0)))?;
                let b = memory.range(address(1), address(2)).ok_or_else(|| bad(address(1)))?;
                Ok(order(a, b))
            }
            Host::Malloc => Ok(memory.allocate(address(0)).unwrap_or(0).into()),
            Host::Calloc => {
                let size = address(0).checked_mul(address(1));
                Ok(size.and_then(|size| memory.allocate(size)).unwrap_or(0).into())
            }
            Host::Realloc => machine.reallocate(address(0), address(1)),
            Host::Free => machine.free(address(0)).map(|()| 0),
            Host::Abs => {
                let width = args.first().map_or(32, |arg| arg.ty.bits(machine.pointer_bits));
                Ok(gainsay_ir::eval::signed(bits(0), width).unsigned_abs())
            }
            Host::Exit => Err(Outcome::Exited(bits(0) as i32)),
            Host::Abort => Err(Outcome::Aborted("abort".to_owned())),
            Host::AssertFail => {
                let text = machine.string(address(0))?;
                Err(Outcome::Aborted(format!("assertion failed: {}", String::from_utf8_lossy(&text))))
            }
            Host::Atoi => Ok(atoi(&machine.string(address(0))?) as u128),
        }
    }
}

fn bad(address: u64) -> Outcome {
    Outcome::Aborted(format!("a library function accesses {address:#x}, which is not mapped"))
}

fn formatted(machine: &Machine, args: &[Arg], format_index: usize) -> Result<Vec<u8>, Outcome> {
    let format = machine.string(args.get(format_index).map_or(0, |arg| arg.bits as u64))?;
    format::format(machine, &format, args.get(format_index + 1..).unwrap_or(&[]))
}

fn order(a: &[u8], b: &[u8]) -> u128 {
    match a.cmp(b) {
        std::cmp::Ordering::Less => u128::MAX,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    }
}

fn atoi(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let value = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0i64, |value, byte| value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0')));
    if negative { value.wrapping_neg() } else { value }
}

impl Machine {
    pub(super) fn string(&self, address: u64) -> Result<Vec<u8>, Outcome> {
        self.memory.c_string(address).map(<[u8]>::to_vec).ok_or_else(|| bad(address))
    }

    /// The string without what lies beyond `len` bytes.
    pub(super) fn prefix(&self, address: u64, len: u64) -> Result<Vec<u8>, Outcome> {
        if let Some(bytes) = self.memory.range(address, len) {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            return Ok(bytes[..end].to_vec());
        }
        self.string(address)
    }

    fn put_string(&mut self, address: u64, text: &[u8]) -> Result<(), Outcome> {
        let room = self.memory.range_mut(address, text.len() as u64 + 1).ok_or_else(|| bad(address))?;
        room[..text.len()].copy_from_slice(text);
        room[text.len()] = 0;
        Ok(())
    }

    fn write_to(&mut self, stream: u64, text: &[u8]) -> Result<u128, Outcome> {
        match stream {
            STDOUT => self.stdout.extend_from_slice(text),
            STDERR => {}
            _ => {
                return Err(Outcome::Unsupported(
                    "writing to a stream other than stdout and stderr".to_owned(),
                ));
            }
        }
        Ok(text.len() as u128)
    }

    /// Ends the life of a block; NULL is none.
    pub(super) fn free(&mut self, block: u64) -> Result<(), Outcome> {
        if block == 0 || self.memory.free(block).is_some() {
            return Ok(());
        }
        Err(Outcome::Aborted(format!("free of {block:#x}, which is no live heap block")))
    }

    fn reallocate(&mut self, old: u64, size: u64) -> Result<u128, Outcome> {
        if old == 0 {
            return Ok(self.memory.allocate(size).unwrap_or(0).into());
        }
        let Some(block) = self.memory.heap_block(old) else {
            return Err(Outcome::Aborted(format!("realloc of {old:#x}, which is no live heap block")));
        };
        let Some(new) = self.memory.allocate(size) else { return Ok(0) };
        self.memory.copy(new, old, block.size.min(size)).ok_or_else(|| bad(old))?;
        self.memory.free(old);
        Ok(new.into())
    }
}
