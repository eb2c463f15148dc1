//! Summaries of a program's functions without analysing them, for `gainsay summary` and `gainsay-dev imports`. Units are
//! read in this process, one after the other; only their interfaces are kept.

use crate::link::Extent;
use crate::read::set_own_functions;
use crate::select::{Selection, Unit, Unusable};
use crate::unit::{imports_file, lower};
use crate::worker::pool::every_core;
use gainsay_analysis::guard::guard;
use gainsay_program::link::{Interface, Program};
use gainsay_program::models::Models;
use gainsay_program::summarize::{Effort, summarize};
use gainsay_program::summary::Summary;
use std::path::Path;

/// A program and the summary of each function.
pub struct Summaries {
    pub program: Program,
    pub summaries: Vec<Summary>,
    /// The names of the units' imports files.
    names: Vec<String>,
}

impl Summaries {
    /// `problem` gets a sentence for each unit that cannot be read. `None` if none can.
    pub fn of(selection: &Selection, extent: Extent, problem: &dyn Fn(&str)) -> Option<Summaries> {
        let (mut units, mut read) = (Vec::new(), Vec::new());
        for unit in &selection.units {
            match unit.as_ref().map(|unit| (unit, NamedInterface::of(unit))) {
                Ok((unit, Ok(interface))) => {
                    units.push(unit.clone());
                    read.push(interface);
                }
                Ok((Unit { file, .. }, Err(reason))) => problem(&format!("{file}: {reason}")),
                Err(Unusable { file, reason }) => problem(&format!("{file}: {reason}")),
            }
        }
        for index in set_own_functions(&mut units, read.iter().map(|read| Some(&read.interface))) {
            match NamedInterface::of(&units[index]) {
                Ok(again) => read[index] = again,
                Err(reason) => problem(&format!("{}: {reason}", units[index].file)),
            }
        }
        if read.is_empty() {
            return None;
        }
        let is_complete = read.len() == selection.units.len();
        let (names, interfaces) = read.into_iter().map(|read| (read.name, read.interface)).unzip();
        let program = extent.link(interfaces, is_complete);
        let summaries = summarize(&program, Effort { threads: every_core(), suggestions: true });
        Some(Summaries { program, summaries, names })
    }

    /// Writes the imports of each unit into the directory.
    pub fn write_imports(&self, directory: &Path) -> Result<(), String> {
        for (number, name) in self.names.iter().enumerate() {
            imports_file::write(directory, name, &self.program.imports_of(&self.summaries, number))?;
        }
        Ok(())
    }
}

/// The interface of a unit, and the name of its imports file.
struct NamedInterface {
    name: String,
    interface: Interface,
}

impl NamedInterface {
    fn of(unit: &Unit) -> Result<NamedInterface, String> {
        let (_, mut lowered) = lower::lower(unit)?;
        let models =
            Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
        let of_unit = || {
            let bodies = lowered.unit.functions.clone();
            let functions = gainsay_program::prepare::with_models(&mut lowered.unit, bodies, &models);
            let unread = lowered.unread();
            let given_up: Vec<&str> = unread.iter().map(String::as_str).collect();
            let mut interface =
                Interface::new(&unit.identity(), &lowered.unit, &functions, &given_up, &|_, _| None);
            interface.add_library(&mut lowered.unit, &models);
            interface.find_input_paths(&lowered.unit, &functions);
            interface
        };
        let interface =
            guard(of_unit).map_err(|panic| format!("internal error while looking at functions: {panic}"))?;
        Ok(NamedInterface { name: imports_file::name(unit, &lowered.unit), interface })
    }
}
