//! Tests that guard only output: `if (p) printf("%s", p->name);`. Code that prints a state does not suggest
//! which state is expected; neither does cleanup code.

use super::{Beliefs, ZeroTest};
use crate::explain::is_written_by_user;
use gainsay_ir::gc::SymbolKind;
use gainsay_ir::passive::{Call, Callee, CmdKind, Effect, Next};

/// Whether the only effect behind the test is output.
pub(super) fn is_output_only(beliefs: &Beliefs, test: &ZeroTest) -> bool {
    let function = beliefs.judge.function;
    let below = function.blocks.iter().filter(|(block, _)| beliefs.is_above(test.edge, *block));
    let mut prints = false;
    for (_, data) in below {
        if !matches!(data.next, Next::Goto(_)) {
            return false;
        }
        for cmd in &data.cmds {
            match &cmd.kind {
                CmdKind::Define(var, _) if is_written_by_user(function, *var) => return false,
                CmdKind::Update { effect: Effect::Call(call), .. } if is_printf_like(beliefs, call) => {
                    prints = true
                }
                // The model of `printf` only changes the contents of a stream.
                CmdKind::Update { effect: Effect::ClobberClasses(_), .. } => prints = true,
                CmdKind::Update { effect: Effect::ClobberErrno, .. } => {}
                CmdKind::Update { .. } => return false,
                _ => {}
            }
        }
    }
    prints
}

/// A variadic function, as `printf` is.
fn is_printf_like(beliefs: &Beliefs, call: &Call) -> bool {
    let Callee::Symbol(symbol) = call.callee else { return false };
    matches!(&beliefs.judge.unit.symbols[symbol].kind, SymbolKind::Function(facts) if facts.variadic)
}
