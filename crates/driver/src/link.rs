//! The link phase: the interfaces of the units become one program, and each unit gets what it may use of the others.

use crate::source::display_path::display_path;
use gainsay_program::link::{AllCallers, CalleePreconditions, Hints, Interface, Program, UnitImports};
use gainsay_program::precondition::{Precondition, ProgramPlace};
use gainsay_program::preconditions::infer;
use gainsay_program::summarize::{Effort, summarize};
use gainsay_program::summary::Summary;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::Path;

/// How much of the program the units are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Every unit of the build; code outside of it may use the program.
    Build,
    /// The build has more units, which were skipped or not asked for.
    Part,
}

impl Extent {
    /// `is_complete`: all units could be read.
    pub(crate) fn link(self, interfaces: Vec<Interface>, is_complete: bool) -> Program {
        match self {
            Extent::Whole if is_complete => Program::link_whole(interfaces),
            Extent::Build if is_complete => Program::link(interfaces),
            Extent::Whole | Extent::Build | Extent::Part => Program::link_part(interfaces),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct LinkOptions {
    pub(crate) extent: Extent,
    /// Compute what `beliefs` needs.
    pub(crate) beliefs: bool,
    /// Compute what `evidence` needs.
    pub(crate) evidence: bool,
    pub(crate) threads: NonZeroUsize,
}

/// The program after linking.
pub struct Linked {
    program: Program,
    summaries: Vec<Summary>,
    /// The number of each unit in the program.
    numbers: Vec<Option<usize>>,
    /// For `beliefs`.
    callers: Option<AllCallers>,
    /// For `evidence`: the preconditions of each function.
    inferred: Option<Vec<Vec<Precondition>>>,
}

/// An inferred precondition as a clause of a contract.
pub struct RequiredClause {
    /// The function's name in its definition.
    pub home: ProgramPlace,
    pub clause: String,
    /// The calls and the check that make it necessary.
    pub chain: Vec<ProgramPlace>,
}

/// What a unit may use of the others, as it is sent to a worker.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct LinkedFacts {
    pub(crate) imports: UnitImports,
    /// For `beliefs`.
    pub(crate) hints: Option<Hints>,
    /// For `evidence`.
    pub(crate) expected: Option<CalleePreconditions>,
}

impl LinkedFacts {
    pub(crate) fn decode(bytes: &[u8]) -> Result<LinkedFacts, String> {
        postcard::from_bytes(bytes).map_err(|error| format!("internal error: {error}"))
    }
}

/// Links the interfaces, in the order of the units; `None` stands for a unit that could not be read.
pub(crate) fn link(units: impl Iterator<Item = Option<Interface>>, options: LinkOptions) -> Linked {
    let mut interfaces = Vec::new();
    let numbers = units
        .map(|interface| {
            interfaces.push(interface?);
            Some(interfaces.len() - 1)
        })
        .collect::<Vec<Option<usize>>>();
    let is_complete = numbers.iter().all(Option::is_some);
    let program = options.extent.link(interfaces, is_complete);
    let summaries = summarize(&program, Effort { threads: options.threads, suggestions: options.beliefs });
    let callers = options.beliefs.then(|| {
        let mut callers = program.callers();
        let current = std::env::current_dir().unwrap_or_default();
        callers.show_files(&|file| display_path(Path::new(file), &current));
        callers
    });
    let inferred = options.evidence.then(|| {
        let mut inferred = infer(&program, &summaries);
        let places = inferred.iter_mut().flatten().flat_map(|one| &mut one.chain);
        places.for_each(|place| *place = with_display_path(place));
        inferred
    });
    Linked { program, summaries, numbers, callers, inferred }
}

impl Linked {
    /// Whether all of the program was read, so that nothing else uses it.
    pub fn is_whole(&self) -> bool {
        self.program.is_whole()
    }

    /// What functions require of their callers, in ACSL, in the order of the functions' names.
    pub fn required_clauses(&self) -> Vec<RequiredClause> {
        let mut required: Vec<RequiredClause> = Vec::new();
        for (function, inferred) in self.program.functions.iter().zip(self.inferred.iter().flatten()) {
            let [definition] = function.definitions.as_slice() else { continue };
            let homes = &self.program.units[definition.unit].function_places;
            let Some(home) = homes.get(definition.function) else { continue };
            let params = &self.program.body_facts(definition).params;
            for one in inferred {
                let Some(condition) = one.as_acsl(params).filter(|_| home.line != 0) else { continue };
                let home = with_display_path(home);
                let clause = format!("requires {condition}");
                let is_same = |other: &RequiredClause| other.home == home && other.clause == clause;
                if !required.iter().any(is_same) {
                    required.push(RequiredClause { home, clause, chain: one.chain.clone() });
                }
            }
        }
        required
    }

    /// The encoded [`LinkedFacts`] of a unit.
    pub(crate) fn facts_for(&self, unit: usize) -> Vec<u8> {
        let Linked { program, summaries, .. } = self;
        let number = self.numbers[unit];
        let facts = LinkedFacts {
            imports: number.map(|number| program.imports_of(summaries, number)).unwrap_or_default(),
            hints: self.callers.as_ref().map(|callers| {
                number.map(|number| program.hints_for(summaries, callers, number)).unwrap_or_default()
            }),
            expected: self.inferred.as_ref().map(|inferred| {
                number.map(|number| program.callee_preconditions(inferred, number)).unwrap_or_default()
            }),
        };
        postcard::to_stdvec(&facts).unwrap_or_default()
    }
}

fn with_display_path(place: &ProgramPlace) -> ProgramPlace {
    let current = std::env::current_dir().unwrap_or_default();
    let file = match place.file.as_str() {
        "" => String::new(),
        file => display_path(Path::new(file), &current),
    };
    ProgramPlace { file, ..place.clone() }
}
