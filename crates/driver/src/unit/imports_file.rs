//! The imports of units (what linking found about the functions they call) as files in a directory. `gainsay-dev imports`
//! writes them, and `gainsay-dev edges` reads them to judge a single unit as part of its program.

use crate::cache::{hash, hex};
use crate::select::Unit;
use crate::unit::lower;
use gainsay_analysis::guard::guard;
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc;
use gainsay_program::link::UnitImports;
use gainsay_program::models::Models;
use std::path::{Path, PathBuf};

/// The name of a unit's file. It depends on the names of all symbols, so that symbol numbers in the file mean the same
/// whenever the name is the same.
pub(crate) fn name(unit: &Unit, lowered: &gc::Unit) -> String {
    let file = Path::new(&unit.file).file_name().unwrap_or_default();
    let names = lowered.symbols.values().map(|data| data.name.as_str());
    let all = names.fold(file.to_string_lossy().into_owned(), |all, name| all + "\0" + name);
    hex(&hash(all.as_bytes()))
}

pub(crate) fn write(directory: &Path, name: &str, imports: &UnitImports) -> Result<(), String> {
    let bytes = postcard::to_stdvec(imports).map_err(|error| error.to_string())?;
    let path = directory.join(name);
    std::fs::write(&path, bytes).map_err(|error| format!("{}: cannot be written: {error}", path.display()))
}

/// The functions of the unit as part of its program; without a file, as part of a program of one unit.
pub fn prepare(directory: &Path, unit: &Unit, lowered: &mut Lowered) -> Result<Vec<gc::Function>, String> {
    let path: PathBuf = directory.join(name(unit, &lowered.unit));
    let Ok(bytes) = std::fs::read(&path) else { return lower::prepare(lowered) };
    let imports: UnitImports =
        postcard::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let models = Models::library(lowered.unit.target).map_err(|error| format!("internal error: {error}"))?;
    guard(|| {
        let bodies = lowered.unit.functions.clone();
        let functions = gainsay_program::prepare::with_models(&mut lowered.unit, bodies, &models);
        gainsay_program::prepare::with_callees(&mut lowered.unit, functions, &imports)
    })
    .map_err(|panic| format!("internal error while applying summaries: {panic}"))
}
