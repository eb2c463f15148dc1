//! Pieces of the analysis of a unit, sent ahead of the whole: a unit that runs out of time or memory, or crashes its worker, keeps
//! what was found before. Such a result is marked and goes into no cache: where it ends is decided by the machine.

use crate::analyse::Checked;
use crate::supervise::Answer;
use gainsay_report::coverage::{FunctionReport, UnitReport};
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};

/// What is sent ahead of the answer, for the case that it never comes.
#[derive(Debug, Serialize, Deserialize)]
pub enum Piece {
    /// What is known before any function is analysed: the functions that will be, in this order, and those that were given up.
    Begun { report: UnitReport, problems: Vec<String>, ahead: Vec<FunctionReport> },
    /// The next function was analysed.
    Function { report: FunctionReport, findings: Vec<Finding> },
}

impl Answer for Checked {
    /// What was found before the worker was lost. The function in hand is given up, and so are all that were to follow.
    fn salvage(pieces: &[Vec<u8>], reason: &str) -> Option<Checked> {
        let mut pieces = pieces.iter().map_while(|bytes| postcard::from_bytes(bytes).ok());
        let Some(Piece::Begun { mut report, problems, ahead }) = pieces.next() else { return None };
        let given_up = std::mem::take(&mut report.functions);
        let mut findings = Vec::new();
        for piece in pieces {
            if let Piece::Function { report: function, findings: found } = piece {
                report.functions.push(function);
                findings.extend(found);
            }
        }
        let n_done = report.functions.len();
        for (number, lost) in ahead.into_iter().enumerate().skip(n_done) {
            let is_in_hand = number == n_done;
            let why = if is_in_hand { reason.to_owned() } else { format!("not reached: the unit {reason}") };
            report.functions.push(FunctionReport { given_up: Some(why), ..lost });
        }
        report.functions.extend(given_up);
        report.cut_short = Some(reason.to_owned());
        let functions = n_done as u64;
        Some(Checked { report, findings, problems, functions, anew: functions, ..Checked::default() })
    }
}
