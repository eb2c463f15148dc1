//! All units of a run: first every unit is read, then every unit is analysed. In between this process holds no more than
//! the units' interfaces; the units themselves are in the store.

use crate::analyse::Checked;
use crate::cache::answer::{self, Settings};
use crate::cache::evict;
use crate::cache::files::Files;
use crate::cache::manifest::{self, Manifest};
use crate::places::shown;
use crate::read::Read;
use crate::supervise::{Begin, Pool, Spread};
use crate::units::Unit;
use crate::worker::{Job, Order};
use gainsay_program::link::{AllCallers, Interface, Program, mistaken};
use gainsay_program::precondition::{Precondition, ProgramPlace};
use gainsay_program::preconditions::infer;
use gainsay_program::summarize::{Effort, summarize};
use gainsay_program::summary::Summary;
use gainsay_report::acsl::{Annotation, Before};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What came of each unit, in the order of the units (`extent`: what they are of the program); `None` for units that were not finished because `stop` was set.
pub fn run(
    units: &[&Unit],
    order: &Order,
    spread: &Spread,
    extent: Extent,
    stop: &AtomicBool,
) -> (Vec<Option<Result<Checked, String>>>, Linked) {
    let pool = Pool::new(order, spread, stop);
    let mut units: Vec<Unit> = units.iter().map(|&unit| unit.clone()).collect();
    let mut read = read_all(&pool, &units.iter().collect::<Vec<&Unit>>(), order, &|_| true);
    let changed = disown(&mut units, read.iter().map(|read| Some(&read.as_ref()?.as_ref().ok()?.interface)));
    let units: Vec<&Unit> = units.iter().collect();
    if !changed.is_empty() {
        let again = read_all(&pool, &units, order, &|index| changed.contains(&index));
        read.iter_mut()
            .zip(again)
            .filter(|(_, again)| again.is_some())
            .for_each(|(read, again)| *read = again);
    }
    let units = units.as_slice();
    let interfaces = read.iter_mut().map(|read| match read {
        Some(Ok(read)) => Some(std::mem::take(&mut read.interface)),
        _ => None,
    });
    let (beliefs, evidence) = (order.options.beliefs, order.options.evidence.is_some());
    let linked =
        Linked::new(interfaces, LinkOptions { extent, beliefs, evidence, threads: spread.workers() });
    let checked = analyse_all(&pool, units, order, &read, &linked);
    pool.end();
    let checked = read.into_iter().zip(checked).map(|(read, checked)| together(read?, checked)).collect();
    (checked, linked)
}

/// Tells the units which functions are the program's although they have names of the library's; gives the numbers of those
/// that did not know.
pub fn disown<'a>(
    units: &mut [Unit],
    interfaces: impl Iterator<Item = Option<&'a Interface>> + Clone,
) -> BTreeSet<usize> {
    let mut changed = BTreeSet::new();
    for (index, (unit, own)) in units.iter_mut().zip(mistaken(interfaces)).enumerate() {
        if !own.is_empty() {
            unit.own = own;
            changed.insert(index);
        }
    }
    changed
}

fn read_all(
    pool: &Pool,
    units: &[&Unit],
    order: &Order,
    is_meant: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<Option<Result<Read, String>>> {
    let files = Files::default();
    let may_know = order.store.lasts && !order.check_cache;
    pool.run(units, &|index| {
        let unit = units[index];
        if !is_meant(index) {
            return Begin::Skip;
        }
        let suffices =
            |known: &Manifest| order.options.evidence.is_none() || known.interface.input_paths.is_some();
        let known = may_know.then(|| Manifest::current(&order.store, unit, &files)).flatten();
        match known.filter(suffices) {
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

/// What the units are of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// All that its build knows; others may use it.
    Build,
    /// The build has more units, which were skipped or not asked for.
    Part,
}

impl Extent {
    /// `is_complete`: all units could be read.
    pub fn link(self, interfaces: Vec<Interface>, is_complete: bool) -> Program {
        match self {
            Extent::Whole if is_complete => Program::link_whole(interfaces),
            Extent::Build if is_complete => Program::link(interfaces),
            Extent::Whole | Extent::Build | Extent::Part => Program::link_part(interfaces),
        }
    }
}

/// What is wanted of the program.
#[derive(Clone, Copy)]
pub struct LinkOptions {
    pub extent: Extent,
    pub beliefs: bool,
    pub evidence: bool,
    pub threads: NonZeroUsize,
}

/// What is known of the whole program between the phases.
pub struct Linked {
    program: Program,
    summaries: Vec<Summary>,
    /// The number of each unit in the program.
    numbers: Vec<Option<usize>>,
    /// If beliefs are wanted.
    callers: Option<AllCallers>,
    /// Of each function, if evidence is wanted.
    inferred: Option<Vec<Vec<Precondition>>>,
}

/// An inferred precondition as a clause of a contract.
pub struct Required {
    /// The function's name in its definition.
    pub home: ProgramPlace,
    pub clause: String,
    /// The calls and the check that it is there for.
    pub chain: Vec<ProgramPlace>,
}

/// One annotation for each function.
pub fn annotations<'a>(required: impl Iterator<Item = &'a Required>) -> Vec<Annotation> {
    let mut annotations: Vec<Annotation> = Vec::new();
    for one in required {
        let home = &one.home;
        match annotations.iter_mut().find(|known| (&known.file, known.line) == (&home.file, home.line)) {
            Some(known) => known.clauses.push(one.clause.clone()),
            None => annotations.push(Annotation {
                file: home.file.clone(),
                line: home.line,
                column: home.column,
                clauses: vec![one.clause.clone()],
                before: Before::Declaration,
            }),
        }
    }
    annotations
}

impl Linked {
    /// From the interfaces of the units that could be read.
    pub fn new(units: impl Iterator<Item = Option<Interface>>, options: LinkOptions) -> Linked {
        let mut interfaces = Vec::new();
        let numbers = units
            .map(|interface| {
                interfaces.push(interface?);
                Some(interfaces.len() - 1)
            })
            .collect::<Vec<Option<usize>>>();
        let is_complete = numbers.iter().all(Option::is_some);
        let program = options.extent.link(interfaces, is_complete);
        let summaries =
            summarize(&program, Effort { threads: options.threads, suggestions: options.beliefs });
        let callers = options.beliefs.then(|| {
            let mut callers = program.callers();
            let current = std::env::current_dir().unwrap_or_default();
            callers.show_files(&|file| shown(Path::new(file), &current));
            callers
        });
        let inferred = options.evidence.then(|| {
            let mut inferred = infer(&program, &summaries);
            let places = inferred.iter_mut().flatten().flat_map(|one| &mut one.chain);
            places.for_each(|place| *place = readable(place));
            inferred
        });
        Linked { program, summaries, numbers, callers, inferred }
    }

    /// Was all of the program read?
    pub fn is_whole(&self) -> bool {
        self.program.is_whole()
    }

    /// What functions expect of their callers, in ACSL, in order of the functions' names.
    pub fn required(&self) -> Vec<Required> {
        let mut required: Vec<Required> = Vec::new();
        for (function, inferred) in self.program.functions.iter().zip(self.inferred.iter().flatten()) {
            let [definition] = function.definitions.as_slice() else { continue };
            let homes = &self.program.units[definition.unit].function_places;
            let Some(home) = homes.get(definition.function) else { continue };
            let params = &self.program.body_facts(definition).params;
            for one in inferred {
                let Some(holds) = one.as_acsl(params).filter(|_| home.line != 0) else { continue };
                let home = readable(home);
                let clause = format!("requires {holds}");
                let is_known = |other: &Required| other.home == home && other.clause == clause;
                if !required.iter().any(is_known) {
                    required.push(Required { home, clause, chain: one.chain.clone() });
                }
            }
        }
        required
    }

    /// What a unit may know of the others, as it is sent to whoever analyses it.
    pub fn known_to(&self, unit: usize) -> Vec<u8> {
        let number = self.numbers[unit];
        let known = number.map(|number| self.program.imports_of(&self.summaries, number)).unwrap_or_default();
        let hints = self.callers.as_ref().map(|callers| {
            let hints = number.map(|number| self.program.hints_for(&self.summaries, callers, number));
            hints.unwrap_or_default()
        });
        let expected = self.inferred.as_ref().map(|inferred| {
            number.map(|number| self.program.callee_preconditions(inferred, number)).unwrap_or_default()
        });
        postcard::to_stdvec(&(known, hints, expected)).unwrap_or_default()
    }
}

/// With the file as people name it.
fn readable(place: &ProgramPlace) -> ProgramPlace {
    let current = std::env::current_dir().unwrap_or_default();
    let file = match place.file.as_str() {
        "" => String::new(),
        file => shown(Path::new(file), &current),
    };
    ProgramPlace { file, ..place.clone() }
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
        let known = settings.as_ref().and_then(|settings| {
            answer::read(&order.store, unit, settings, read.file, &summaries, order.options.explains_macros())
        });
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
