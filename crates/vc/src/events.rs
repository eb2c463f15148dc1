//! The *events* variant ([`super::Options::checks_are_events`]): a run passes asserts whether they hold or not, and the
//! condition under which it reaches them is recorded (the statement guards of semantic inconsistency inference,
//! section 2.1).

use super::{Encoder, Statement};
use gainsay_ir::passive::{Cmd, CmdKind, Effect};
use gainsay_term::Term;

impl Encoder<'_> {
    /// Records when a run reaches an assert or a call; true if the command needs no further encoding.
    pub(super) fn is_event(&mut self, statement: Statement, cmd: &Cmd, passed: Term) -> bool {
        match &cmd.kind {
            CmdKind::Assert(_, holds) => {
                self.expr(*holds);
                self.events.push((statement, passed));
                true
            }
            CmdKind::Update { effect: Effect::Call(call), .. } => {
                for &arg in &call.args {
                    self.expr(arg);
                }
                self.events.push((statement, passed));
                false
            }
            _ => false,
        }
    }
}
