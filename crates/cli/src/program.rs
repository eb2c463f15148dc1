//! All units of a run: first every unit is read, then every unit is analysed. In between this process holds no more than
//! the units' interfaces; the units themselves are in the store.

use crate::analyse::Checked;
use crate::args::Spread;
use crate::cache::answer::{self, Settings};
use crate::cache::evict;
use crate::cache::files::Files;
use crate::cache::manifest::{self, Manifest};
use crate::read::Read;
use crate::supervise::{Begin, Pool};
use crate::units::Unit;
use crate::worker::{Job, Order};
use gainsay_analysis::link::{AllCallers, Interface, Program};
use gainsay_analysis::summarize::summarize;
use gainsay_ir::summary::Summary;
use std::sync::atomic::AtomicBool;

/// What came of each unit, in the order of the units; `None` for units that were not finished because `stop` was set.
pub(crate) fn run(
    units: &[&Unit],
    order: &Order,
    spread: &Spread,
    stop: &AtomicBool,
) -> Vec<Option<Result<Checked, String>>> {
    let pool = Pool::new(order, spread, stop);
    let mut read = read_all(&pool, units, order);
    let interfaces = read.iter_mut().map(|read| match read {
        Some(Ok(read)) => Some(std::mem::take(&mut read.interface)),
        _ => None,
    });
    let linked = Linked::new(interfaces, order.options.beliefs);
    let checked = analyse_all(&pool, units, order, &read, &linked);
    pool.end();
    read.into_iter().zip(checked).map(|(read, checked)| together(read?, checked)).collect()
}

fn read_all(pool: &Pool, units: &[&Unit], order: &Order) -> Vec<Option<Result<Read, String>>> {
    let files = Files::default();
    let may_know = order.store.lasts && !order.check_cache;
    pool.run(units, &|index| {
        let unit = units[index];
        match may_know.then(|| Manifest::current(&order.store, unit, &files)).flatten() {
            Some(known) => {
                evict::touch(&order.store.path(unit, manifest::EXTENSION));
                Begin::Known(known.into())
            }
            None => {
                Begin::Ask(Job::Read { unit: unit.clone(), is_alone: units.len() == 1 && !order.store.lasts })
            }
        }
    })
}

/// What is known of the whole program between the phases.
pub(crate) struct Linked {
    program: Program,
    summaries: Vec<Summary>,
    /// The number of each unit in the program.
    numbers: Vec<Option<usize>>,
    /// If beliefs are wanted.
    callers: Option<AllCallers>,
}

impl Linked {
    /// From the interfaces of the units that could be read.
    pub(crate) fn new(units: impl Iterator<Item = Option<Interface>>, beliefs: bool) -> Linked {
        let mut interfaces = Vec::new();
        let numbers = units
            .map(|interface| {
                interfaces.push(interface?);
                Some(interfaces.len() - 1)
            })
            .collect();
        let program = Program::link(interfaces);
        let summaries = summarize(&program);
        let callers = beliefs.then(|| program.callers());
        Linked { program, summaries, numbers, callers }
    }

    /// What a unit may know of the others, as it is sent to whoever analyses it.
    pub(crate) fn known_to(&self, unit: usize) -> Vec<u8> {
        let number = self.numbers[unit];
        let known = number.map(|number| self.program.known_to(&self.summaries, number)).unwrap_or_default();
        let hints = self.callers.as_ref().map(|callers| {
            let hints = number.map(|number| self.program.hints_for(&self.summaries, callers, number));
            hints.unwrap_or_default()
        });
        postcard::to_stdvec(&(known, hints)).unwrap_or_default()
    }
}

fn analyse_all(
    pool: &Pool,
    units: &[&Unit],
    order: &Order,
    read: &[Option<Result<Read, String>>],
    linked: &Linked,
) -> Vec<Option<Result<Checked, String>>> {
    // A transcript is of all questions, so nothing may be known.
    let may_know = order.store.lasts && !order.check_cache && order.options.transcript.is_none();
    let settings = may_know.then(|| Settings::of_this_process(&order.options)).flatten();
    pool.run(units, &|index| {
        let Some(Ok(read)) = &read[index] else { return Begin::Skip };
        let (unit, summaries) = (units[index], linked.known_to(index));
        let known = settings
            .as_ref()
            .and_then(|settings| answer::read(&order.store, unit, settings, read.file, &summaries));
        match known {
            Some(known) => Begin::Known(known),
            None => Begin::Ask(Job::Analyse { unit: unit.clone(), file: read.file, summaries }),
        }
    })
}

/// What both phases say of a unit.
fn together(
    read: Result<Read, String>,
    checked: Option<Result<Checked, String>>,
) -> Option<Result<Checked, String>> {
    match (read, checked) {
        (Err(reason), _) => Some(Err(reason)),
        (Ok(mut read), Some(Ok(mut checked))) => {
            read.timings.append(&mut checked.timings);
            read.differences.append(&mut checked.differences);
            Some(Ok(Checked { timings: read.timings, differences: read.differences, ..checked }))
        }
        (Ok(_), checked) => checked,
    }
}
