//! The phases of `gainsay verify` that differ from `check`: units are surveyed instead of read, and verified instead of
//! analysed. Nothing is cached.

use crate::link::Linked;
use crate::read::{take_interfaces, with_own_functions};
use crate::select::Unit;
use crate::unit::verify::VerifyOptions;
use crate::worker::Job;
use crate::worker::pool::{Pool, Task};
use gainsay_program::link::Interface;
use gainsay_report::verdict::UnitVerdict;

/// The interface of each unit, with contracts as `verify` reads them.
pub(crate) fn survey_all(pool: &Pool, units: &mut [Unit]) -> Vec<Option<Result<Interface, String>>> {
    let survey = |units: &[Unit], is_wanted: &(dyn Fn(usize) -> bool + Sync)| {
        pool.run(units, &|index| match is_wanted(index) {
            true => Task::Run(Job::Survey(units[index].clone())),
            false => Task::Skip,
        })
    };
    with_own_functions(units, &survey, |interface| interface)
}

/// Takes the interfaces of the units that could be surveyed.
pub(crate) fn interfaces(
    surveyed: &mut [Option<Result<Interface, String>>],
) -> impl Iterator<Item = Option<Interface>> {
    take_interfaces(surveyed, |interface| interface)
}

/// The verdicts of all units that could be surveyed.
pub(crate) fn verify_all(
    pool: &Pool,
    units: &[Unit],
    surveyed: &[Option<Result<Interface, String>>],
    linked: &Linked,
    options: VerifyOptions,
) -> Vec<Option<Result<UnitVerdict, String>>> {
    pool.run(units, &|index| match &surveyed[index] {
        Some(Ok(_)) => {
            Task::Run(Job::Verify { unit: units[index].clone(), facts: linked.facts_for(index), options })
        }
        _ => Task::Skip,
    })
}
