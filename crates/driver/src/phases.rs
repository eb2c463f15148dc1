//! The phases of a run, in order.
//!
//! | phase | what happens | where |
//! |---|---|---|
//! | select | the command line and the compile database name the units | this process |
//! | read | each unit is parsed, lowered and stored; its interface comes back | workers |
//! | link | the interfaces become one program with a summary of each function | this process |
//! | analyse | each unit is analysed with what linking found about the functions it calls | workers |
//! | merge | the results of the units become findings and coverage | this process |
//! | render | `gainsay_report::render` writes them as text, JSON or SARIF | this process, called by `cli` |
//!
//! Between the phases this process holds the interfaces of the units only; the units themselves are in the store.
//! Results are kept in the order of the units, so the output does not depend on the number of workers.

use crate::link::{Extent, LinkOptions, Linked, RequiredClause};
use crate::merge::Merged;
use crate::select::{SelectOptions, Selection};
use crate::unit::verify::VerifyOptions;
use crate::worker::WorkerOptions;
use crate::worker::pool::{Pool, PoolOptions};
use crate::{analyse, link, merge, read, verify};
use gainsay_report::verdict::UnitVerdict;
use std::sync::atomic::AtomicBool;

/// What the phases after selection need.
pub struct Run<'a> {
    pub selection: &'a Selection,
    pub extent: Extent,
    pub worker: &'a WorkerOptions,
    pub pool: &'a PoolOptions,
    /// Set when the user interrupts the run: units that are not finished are left out.
    pub stop: &'a AtomicBool,
}

/// The first phase: the units that the options name. An error is a sentence for the user.
pub fn select(options: &SelectOptions) -> Result<Selection, String> {
    crate::select::select(options)
}

/// The other phases of `gainsay check`, up to rendering.
pub fn check(run: &Run) -> (Merged, Linked) {
    let pool = Pool::new(run.worker, run.pool, run.stop);
    let mut units = run.selection.readable();
    let mut read = read::all(&pool, &mut units, run.worker);
    let linked = link::link(read::interfaces(&mut read), link_options(run));
    let analysed = analyse::all(&pool, &units, run.worker, &read, &linked);
    pool.end();
    (merge::merge(run, read, analysed), linked)
}

/// The other phases of `gainsay verify`, up to rendering: units are surveyed instead of read, and verified instead of
/// analysed. Also gives what functions require of their callers, if that was asked for.
pub fn verify(run: &Run, options: VerifyOptions) -> (Vec<UnitVerdict>, Vec<RequiredClause>) {
    let pool = Pool::new(run.worker, run.pool, run.stop);
    let mut units = run.selection.readable();
    let mut surveyed = verify::survey_all(&pool, &mut units);
    let link_options = LinkOptions { evidence: options.fewest_invariants, ..link_options(run) };
    let linked = link::link(verify::interfaces(&mut surveyed), link_options);
    let verified = verify::verify_all(&pool, &units, &surveyed, &linked, options);
    pool.end();
    (merge::merge_verdicts(run.selection, surveyed, verified), linked.required_clauses())
}

fn link_options(run: &Run) -> LinkOptions {
    LinkOptions {
        extent: run.extent,
        beliefs: run.worker.options.beliefs,
        evidence: run.worker.options.evidence.is_some(),
        threads: run.pool.workers(),
    }
}
