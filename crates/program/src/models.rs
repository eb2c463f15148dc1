//! Models of library functions, read from the text files in `models/`: data, no code per function.
//!
//! A model is either a function of a single block, whose commands replace a call, or a line of attributes (documented in
//! `models/libc.gc`).

mod read;

use gainsay_ir::gc::{Function, FunctionFacts, Unit};
use gainsay_ir::lex::ParseError;
use gainsay_ir::types::{Target, Type};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

const LIBRARY: &[(&str, &str)] = &[
    ("models/libc.gc", include_str!("../../../models/libc.gc")),
    ("models/posix.gc", include_str!("../../../models/posix.gc")),
    ("models/prototypes.gc", include_str!("../../../models/prototypes.gc")),
];

/// Types of static objects that library functions return a pointer to and overwrite in the next call.
pub(crate) const RECORDS: &[&str] =
    &["tm", "passwd", "group", "dirent", "lconv", "hostent", "servent", "protoent", "spwd"];

/// Why the text of a model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    pub file: String,
    pub error: ParseError,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.error)
    }
}

impl std::error::Error for ModelError {}

/// Models of functions by their names in the linker, for one width of pointers.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// One per file, with the functions that bodies are taken from.
    units: Vec<Unit>,
    by_name: BTreeMap<String, Model>,
    /// How functions that have a line are declared.
    prototypes: BTreeMap<String, Prototype>,
}

/// How a function is declared, on whatever system: widths of integers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Prototype {
    params: Vec<Sort>,
    result: Option<Sort>,
}

/// What kind of value a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Int,
    Ptr,
    Float,
}

impl Sort {
    fn of(ty: Type) -> Sort {
        match ty {
            Type::Int(_) => Sort::Int,
            Type::Ptr => Sort::Ptr,
            Type::Float(_) => Sort::Float,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Model {
    Line(Line),
    Body { unit: usize, function: usize, takes_more: bool },
}

/// What a call means.
pub(crate) enum Meaning<'a> {
    Line(Line),
    /// `takes_more`: further arguments change nothing.
    Body {
        unit: &'a Unit,
        function: &'a Function,
        takes_more: bool,
    },
}

/// What one line says of a function. Arguments are bits of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) kind: Kind,
    /// Not NULL.
    pub(crate) nonnull: u64,
    /// Not NULL, and pointing to a byte of a live object.
    pub(crate) live: u64,
    /// Any contents for the memory there.
    pub(crate) writes: u64,
    pub(crate) errno: bool,
    /// The fields of `FILE` may change.
    pub(crate) stdio: bool,
    /// Characters that the library returned a pointer to, or retains, may change.
    pub(crate) chars: bool,
    /// Pointers and sizes that were passed to `open_memstream` may change.
    pub(crate) syncs: bool,
    /// Fields of the library's own objects of these types may change; bits of [`RECORDS`].
    pub(crate) records: u16,
    /// Freed.
    pub(crate) frees: u64,
    /// Retained.
    pub(crate) keeps: u64,
    /// A format of printf: if it says `%n`, or is not known, integers that are pointed to may change.
    pub(crate) format: Option<u8>,
    pub(crate) gives: Gives,
    pub(crate) locking: Option<(Locking, u8)>,
    /// It exits unless this argument is zero.
    pub(crate) exits: Option<u8>,
    /// The text at this argument decides the result, which may be any.
    pub(crate) text: Option<u8>,
}

/// What a call does to the lock that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Locking {
    Locks,
    Unlocks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Returns, and writes nothing but what the line says.
    Reads,
    /// Returns; otherwise like an unknown function.
    Returns,
    /// May do anything, exit included.
    Unknown,
    /// Does not return: an acceptable end.
    Raise,
    /// Does not return: the program reports an error.
    Error,
    /// What a failed `assert()` calls.
    Assertion,
}

/// What is known of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    Anything,
    /// The argument itself.
    Argument(u8),
    /// NULL or a pointer into what the argument points to.
    Within(u8),
    /// NULL or the address of fresh memory.
    Fresh,
    Nonnull,
    /// Not negative.
    Natural,
}

impl Models {
    pub fn knows(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The models in `models/`. Read once for all units of one target.
    pub fn library(target: Target) -> Result<Models, ModelError> {
        let mut models = Models::default();
        for (file, text) in LIBRARY {
            models.add(file, text, target)?;
        }
        Ok(models)
    }

    /// Adds the models of a file; a function that has a model already is an error.
    pub fn add(&mut self, file: &str, text: &str, target: Target) -> Result<(), ModelError> {
        read::read(self, text, target).map_err(|error| ModelError { file: file.to_owned(), error })
    }

    pub fn is_known(&self, name: &str) -> bool {
        self.meaning(name).is_some()
    }

    /// The names of all modelled functions, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Is it the function that the model is about: the library's, and declared like it?
    pub fn is_meant(&self, name: &str, facts: &FunctionFacts) -> bool {
        let name = without_prefix(name);
        let is_alike = |prototype: &Prototype| {
            let mut declared = facts.params.iter().map(|&ty| Sort::of(ty));
            // Without a prototype, and behind `...`, there may be others.
            let fits = prototype.params.iter().all(|sort| match declared.next() {
                Some(declared) => declared == *sort,
                None => facts.variadic,
            });
            fits && declared.next().is_none() && facts.result.map(Sort::of) == prototype.result
        };
        facts.library && self.prototypes.get(name).is_none_or(is_alike)
    }

    /// Functions that have a line and no prototype.
    pub fn without_prototype(&self) -> impl Iterator<Item = &str> {
        let is_one = |(name, model): &(&String, &Model)| {
            matches!(model, Model::Line(_)) && !self.prototypes.contains_key(*name)
        };
        self.by_name.iter().filter(is_one).map(|(name, _)| name.as_str())
    }

    /// What a call of the function does to a lock, and which argument that is.
    pub fn locking(&self, name: &str) -> Option<(Locking, u8)> {
        match self.meaning(name)? {
            Meaning::Line(line) => line.locking,
            Meaning::Body { .. } => None,
        }
    }

    /// What a call of the function of that name means, with or without the prefix of compilers' built-ins.
    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning<'_>> {
        Some(match *self.by_name.get(without_prefix(name))? {
            Model::Line(line) => Meaning::Line(line),
            Model::Body { unit, function, takes_more } => {
                let unit = &self.units[unit];
                Meaning::Body { unit, function: &unit.functions[function], takes_more }
            }
        })
    }
}

/// Built-ins of the compiler mean the functions of the library.
fn without_prefix(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}
