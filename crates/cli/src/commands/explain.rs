//! `gainsay explain RULE`: the rule's page.

use super::{fail, write_out};
use crate::args::ExplainArgs;
use gainsay_report::rules::RULES;
use std::process::ExitCode;

pub(crate) fn run(args: &ExplainArgs) -> ExitCode {
    if let Some(rule) = RULES.iter().find(|rule| rule.id == args.rule) {
        write_out(rule.page.as_bytes());
        return ExitCode::SUCCESS;
    }
    let known: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let known = if known.is_empty() {
        "no analysis is built in yet, so there are no rules".to_owned()
    } else {
        format!("the rules are: {}", known.join(", "))
    };
    fail(&format!("there is no rule '{}'; {known}", args.rule))
}
