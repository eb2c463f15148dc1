//! The second opinion: another solver is asked about the statements of a core alone.

use crate::context::{Cx, Stage};
use crate::explain::{Core, Subject, options_of_core, premises};
use crate::limits::CONFIRMATION;
use gainsay_solver::{Confirmation, confirm_unsat};
use gainsay_vc::encode_with;

/// Does the second solver confirm that the core contradicts the subject? An error means that it disagrees.
pub(crate) fn is_confirmed(cx: &mut Cx, subject: Subject, core: &Core) -> Result<bool, String> {
    cx.begin(Stage::Confirm);
    let judge = cx.judge;
    let mut vc = encode_with(judge.unit, judge.function, &options_of_core(judge.function, subject, core));
    let mut terms = premises(&mut vc, subject);
    if core.needs_end {
        terms.push(vc.ended);
    }
    match confirm_unsat(cx.tools.second, &vc.pool, &terms, CONFIRMATION) {
        Confirmation::Confirmed => Ok(true),
        Confirmation::Unknown(_) => Ok(false),
        Confirmation::Refuted => {
            let transcript = cx.tools.second.transcript().map(|path| format!(": {}", path.display()));
            let hint = transcript.unwrap_or_else(|| "; --transcript DIR shows the question".into());
            Err(format!("internal error: the solvers disagree{hint}"))
        }
    }
}
