//! `gainsay explain NAME`: the page of a rule or noise class.

use crate::args::ExplainArgs;
use crate::console::{fail, show};
use gainsay_report::noise::Noise;
use gainsay_report::rules::{RULES, rule};
use std::process::ExitCode;

pub(crate) fn run(args: &ExplainArgs) -> ExitCode {
    let noise = || Noise::from_name(&args.name).map(Noise::page);
    if let Some(text) = rule(&args.name).map(|rule| rule.page).or_else(noise) {
        return show(text);
    }
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let classes: Vec<&str> = Noise::ALL.into_iter().map(Noise::name).collect();
    let (rules, classes) = (rules.join(", "), classes.join(", "));
    fail(&format!("no rule or noise class '{}'; rules: {rules}; noise classes: {classes}", args.name))
}
