//! The first phase: a unit is parsed, lowered and put aside. Only what the rest of the program may know of it comes back.

use crate::cache::files::Files;
use crate::cache::manifest::Manifest;
use crate::cache::{Hash, Store};
use crate::clock::{Clock, Timing};
use crate::supervise::Answer;
use crate::unit_file::{CompileError, UnitFile, texts};
use crate::units::Unit;
use crate::work::{located, lower_guarded, parsed};
use crate::worker_state::WorkerState;
use gainsay_analysis::guard::guard;
use gainsay_frontend::compile_db::clean;
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc::Loc;
use gainsay_program::link::{CallPlace, Interface};
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// What the supervisor keeps of a unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Read {
    pub interface: Interface,
    /// Names the unit file.
    pub file: Hash,
    pub timings: Vec<Timing>,
    /// Where the cache was wrong, if somebody asked.
    pub differences: Vec<String>,
}

impl From<Manifest> for Read {
    fn from(known: Manifest) -> Read {
        Read { interface: known.interface, file: known.unit, timings: Vec::new(), differences: Vec::new() }
    }
}

impl Answer for Read {}

impl Read {
    pub(crate) fn with_timings(mut self, wanted: bool) -> Read {
        if !wanted {
            self.timings.clear();
        }
        self
    }
}

/// How a unit is read.
#[derive(Clone, Copy)]
pub(crate) struct How {
    /// Nothing is put aside.
    pub is_alone: bool,
    pub check_cache: bool,
    /// Somebody infers preconditions.
    pub finds_input_paths: bool,
}

/// Leaves the unit in the store, and in the kit for whoever asks next.
pub(crate) fn read(
    unit: &Unit,
    store: &Store,
    how: How,
    worker_state: &mut WorkerState,
) -> Result<Read, String> {
    worker_state.held = None;
    let mut clock = Clock::new(&unit.file);
    let taken = SystemTime::now();
    let mut ast = parsed(unit)?;
    clock.begin("lower");
    let lowered = lower_guarded(&ast)?;
    let unread = lowered.unread();
    let Lowered { unit: mut lowered, functions, gave_up, gaps, problems, .. } = lowered;
    clock.begin("passes");
    let models = worker_state.models(ast.target)?;
    let bodies = std::mem::take(&mut lowered.functions);
    lowered.functions = guard(|| gainsay_program::prepare::with_models(&mut lowered, bodies, models))
        .map_err(|panic| format!("internal error while applying models: {panic}"))?;
    let given_up: Vec<&str> = unread.iter().map(String::as_str).collect();
    let place = |function: usize, loc: Loc| {
        let span = functions.get(function)?.spans.get(loc)?;
        let (begin, _) = ast.source_map.range(*span)?;
        let file = clean(&unit.directory.join(begin.file)).to_string_lossy().into_owned();
        Some(CallPlace { file, line: begin.line, column: begin.column })
    };
    let interface = || {
        let mut interface = Interface::new(&unit.identity(), &lowered, &lowered.functions, &given_up, &place);
        interface.add_library(&mut lowered, models);
        if how.finds_input_paths {
            interface.find_input_paths(&lowered, &lowered.functions);
        }
        interface
    };
    let mut interface =
        guard(interface).map_err(|panic| format!("internal error while looking at functions: {panic}"))?;
    clock.begin("store");
    let (error, texts) = (CompileError::first_of(&ast), texts(&ast));
    let source_map = std::mem::take(&mut ast.source_map);
    located(&mut interface, unit, &source_map, &functions);
    let unit_file = UnitFile { unit: lowered, functions, gave_up, gaps, problems, source_map, error, texts };
    if how.is_alone {
        let file = Hash::default();
        worker_state.held = Some((file, unit_file));
        return Ok(Read { interface, file, timings: clock.stop(), differences: Vec::new() });
    }
    let (bytes, file) = unit_file.to_bytes()?;
    let mut differences = Vec::new();
    if how.check_cache
        && let Some(known) = Manifest::current(store, unit, &Files::default())
        && known.interface.input_paths.is_some() == how.finds_input_paths
        && (known.unit != file || known.interface != interface)
    {
        let entry = store.path(unit, crate::cache::manifest::EXTENSION);
        differences.push(format!("{}: {}: the unit reads differently now", entry.display(), unit.file));
    }
    UnitFile::write(&bytes, store, unit);
    if store.lasts
        && let Some(manifest) = Manifest::of(&ast, &unit_file.source_map, taken, file, &interface)
    {
        // Without it the unit is read again next time.
        let _ = manifest.write(store, unit);
    }
    drop((ast, bytes));
    worker_state.held = Some((file, unit_file));
    Ok(Read { interface, file, timings: clock.stop(), differences })
}
