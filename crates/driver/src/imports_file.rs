//! What units know of each other, kept in a directory from one command to another: with it the oracles judge a single unit
//! as part of its program.

use crate::cache::{hash, hex};
use crate::units::Unit;
use crate::work;
use gainsay_analysis::guard::guard;
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc;
use gainsay_program::link::UnitImports;
use gainsay_program::models::Models;
use std::path::{Path, PathBuf};

/// Tells units apart, however they are named: numbers of symbols mean the same in units of the same name here.
pub fn name(unit: &Unit, lowered: &gc::Unit) -> String {
    let file = Path::new(&unit.file).file_name().unwrap_or_default();
    let names = lowered.symbols.values().map(|data| data.name.as_str());
    let all = names.fold(file.to_string_lossy().into_owned(), |all, name| all + "\0" + name);
    hex(&hash(all.as_bytes()))
}

pub fn write(directory: &Path, name: &str, known: &UnitImports) -> Result<(), String> {
    let bytes = postcard::to_stdvec(known).map_err(|error| error.to_string())?;
    let path = directory.join(name);
    std::fs::write(&path, bytes).map_err(|error| format!("{}: cannot be written: {error}", path.display()))
}

/// The functions of the unit as part of its program.
pub fn prepared(directory: &Path, unit: &Unit, lowered: &mut Lowered) -> Result<Vec<gc::Function>, String> {
    let path: PathBuf = directory.join(name(unit, &lowered.unit));
    let Ok(bytes) = std::fs::read(&path) else { return work::prepared(lowered) };
    let known: UnitImports =
        postcard::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    guard(|| {
        let bodies = lowered.unit.functions.clone();
        let functions = gainsay_program::prepare::with_models(&mut lowered.unit, bodies, &models);
        gainsay_program::prepare::with_callees(&mut lowered.unit, functions, &known)
    })
    .map_err(|panic| format!("internal error while applying summaries: {panic}"))
}
