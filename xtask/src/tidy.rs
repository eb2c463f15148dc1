//! `cargo xtask tidy`: checks the rules of this repository that neither the compiler nor clippy checks.
//!
//! A check is a function from the repository's files to complaints, in a file of its own, with tests that show that it
//! fails on bad input.

mod arrows;
mod forbidden_text;
mod length;
mod limits;
mod module_comment;
mod passes;
mod references;
mod repository;
mod rules;
mod wording;

use crate::workspace;
use repository::{Complaint, Repository};

type Check = (&'static str, fn(&Repository) -> Vec<Complaint>);

const CHECKS: &[Check] = &[
    ("arrows between crates", arrows::check),
    ("file length", length::check),
    ("module comments", module_comment::check),
    ("tests of passes", passes::check),
    ("pages of rules and noise classes", rules::check),
    ("limits", limits::check),
    ("references to files", references::check),
    ("wording", wording::check),
    ("forbidden text", forbidden_text::check),
];

/// Prints all complaints; an error if there is one.
pub(crate) fn run() -> Result<(), String> {
    let repository = Repository::read(&workspace::root())?;
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        let complaints = check(&repository);
        for complaint in &complaints {
            println!("{complaint}");
        }
        if !complaints.is_empty() {
            failed.push(format!("{name} ({})", complaints.len()));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not tidy: {}", failed.join(", "))) }
}
