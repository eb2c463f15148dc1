//! Tests that are made only to say something: `if (p) printf("%s", p->name);`. Whoever reports what there is does not
//! know what there is, as whoever cleans up does not.

use super::{Beliefs, Test};
use crate::explain::is_written_by_user;
use gainsay_ir::gc::SymbolKind;
use gainsay_ir::passive::{Call, Callee, CmdKind, Effect, Next};

/// Is all that happens behind the test a call that is given a text to fill in?
pub(super) fn is_made_to_say(beliefs: &Beliefs, test: &Test) -> bool {
    let function = beliefs.judge.function;
    let below = function.blocks.iter().filter(|(block, _)| beliefs.is_above(test.edge, *block));
    let mut says = false;
    for (_, data) in below {
        if !matches!(data.next, Next::Goto(_)) {
            return false;
        }
        for cmd in &data.cmds {
            match &cmd.kind {
                CmdKind::Define(var, _) if is_written_by_user(function, *var) => return false,
                CmdKind::Update { effect: Effect::Call(call), .. } if is_speech(beliefs, call) => says = true,
                // All that is left of `printf` by its model: the insides of a stream change.
                CmdKind::Update { effect: Effect::ClobberClasses(_), .. } => says = true,
                CmdKind::Update { effect: Effect::ClobberErrno, .. } => {}
                CmdKind::Update { .. } => return false,
                _ => {}
            }
        }
    }
    says
}

/// `printf` and all that is called like it.
fn is_speech(beliefs: &Beliefs, call: &Call) -> bool {
    let Callee::Symbol(symbol) = call.callee else { return false };
    matches!(&beliefs.judge.unit.symbols[symbol].kind, SymbolKind::Function(facts) if facts.variadic)
}
