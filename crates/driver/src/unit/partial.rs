//! Results of a unit's functions, sent as soon as they are ready. A unit that runs out of time or memory, or crashes its
//! worker, keeps what was found before. Such a result is marked and not cached: where it ends depends on the machine.

use crate::unit::analyse::AnalysedUnit;
use crate::worker::pool::JobResult;
use gainsay_report::coverage::{FunctionReport, UnitReport};
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};

/// A part of the result of a unit, sent before the whole result.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum PartialResult {
    /// What is known before any function is analysed. `ahead`: the functions that will be analysed, in this order.
    /// `report` has those that were given up.
    Begun { report: UnitReport, problems: Vec<String>, ahead: Vec<FunctionReport> },
    /// The next function was analysed.
    Function { report: FunctionReport, findings: Vec<Finding> },
}

impl JobResult for AnalysedUnit {
    /// What was found before the worker was lost. The current function and all that follow count as given up.
    fn from_partial(parts: &[Vec<u8>], reason: &str) -> Option<AnalysedUnit> {
        let mut parts = parts.iter().map_while(|bytes| postcard::from_bytes(bytes).ok());
        let Some(PartialResult::Begun { mut report, problems, ahead }) = parts.next() else { return None };
        let given_up = std::mem::take(&mut report.functions);
        let mut findings = Vec::new();
        for part in parts {
            if let PartialResult::Function { report: function, findings: found } = part {
                report.functions.push(function);
                findings.extend(found);
            }
        }
        let n_done = report.functions.len();
        for (number, lost) in ahead.into_iter().enumerate().skip(n_done) {
            let is_current = number == n_done;
            let why = if is_current { reason.to_owned() } else { format!("not reached: the unit {reason}") };
            report.functions.push(FunctionReport { given_up: Some(why), ..lost });
        }
        report.functions.extend(given_up);
        report.cut_short = Some(reason.to_owned());
        let functions = n_done as u64;
        Some(AnalysedUnit {
            report,
            findings,
            problems,
            functions,
            reanalysed: functions,
            ..AnalysedUnit::default()
        })
    }
}
