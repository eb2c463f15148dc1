//! The read phase for one unit: it is parsed, lowered and put into the store. Only its interface comes back.

use crate::cache::file_system::FileSystem;
use crate::cache::manifest::Manifest;
use crate::cache::{Hash, Store};
use crate::select::Unit;
use crate::unit::clock::{Clock, Timing};
use crate::unit::lower::{locate, lower_ast, parse};
use crate::unit::unit_file::{CompileError, UnitFile, texts};
use crate::worker::pool::JobResult;
use crate::worker::state::WorkerState;
use gainsay_analysis::guard::guard;
use gainsay_frontend::compile_db::clean;
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc::Loc;
use gainsay_program::link::{CallPlace, Interface};
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// What the supervising process keeps of a unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadUnit {
    pub(crate) interface: Interface,
    /// The hash of the unit file.
    pub(crate) file: Hash,
    pub(crate) timings: Vec<Timing>,
    /// Where the cache was wrong, if it was checked.
    pub(crate) differences: Vec<String>,
}

impl From<Manifest> for ReadUnit {
    fn from(manifest: Manifest) -> ReadUnit {
        ReadUnit {
            interface: manifest.interface,
            file: manifest.unit,
            timings: Vec::new(),
            differences: Vec::new(),
        }
    }
}

impl JobResult for ReadUnit {}

impl ReadUnit {
    pub(crate) fn with_timings(mut self, wanted: bool) -> ReadUnit {
        if !wanted {
            self.timings.clear();
        }
        self
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ReadOptions {
    /// The worker that reads the unit also analyses it, so nothing is put into the store.
    pub(crate) is_only_unit: bool,
    pub(crate) check_cache: bool,
    /// Preconditions will be inferred, so the interface needs the paths to failing checks.
    pub(crate) finds_input_paths: bool,
}

/// Leaves the unit in the store and, for the next job, in the worker's state.
pub(crate) fn read(
    unit: &Unit,
    store: &Store,
    options: ReadOptions,
    worker_state: &mut WorkerState,
) -> Result<ReadUnit, String> {
    worker_state.last_unit = None;
    let mut clock = Clock::new(&unit.file);
    let taken = SystemTime::now();
    let mut ast = parse(unit)?;
    clock.begin("lower");
    let lowered = lower_ast(&ast)?;
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
        if options.finds_input_paths {
            interface.find_input_paths(&lowered, &lowered.functions);
        }
        interface
    };
    let mut interface =
        guard(interface).map_err(|panic| format!("internal error while looking at functions: {panic}"))?;
    clock.begin("store");
    let (error, texts) = (CompileError::first_of(&ast), texts(&ast));
    let source_map = std::mem::take(&mut ast.source_map);
    locate(&mut interface, unit, &source_map, &functions);
    let unit_file = UnitFile { unit: lowered, functions, gave_up, gaps, problems, source_map, error, texts };
    if options.is_only_unit {
        let file = Hash::default();
        worker_state.last_unit = Some((file, unit_file));
        return Ok(ReadUnit { interface, file, timings: clock.stop(), differences: Vec::new() });
    }
    let (bytes, file) = unit_file.to_bytes()?;
    let mut differences = Vec::new();
    if options.check_cache
        && let Some(cached) = Manifest::current(store, unit, &FileSystem::default())
        && cached.interface.input_paths.is_some() == options.finds_input_paths
        && (cached.unit != file || cached.interface != interface)
    {
        let entry = store.path(unit, crate::cache::manifest::EXTENSION);
        differences.push(format!("{}: {}: the unit differs from the cached one", entry.display(), unit.file));
    }
    UnitFile::write(&bytes, store, unit);
    if store.lasts
        && let Some(manifest) = Manifest::of(&ast, &unit_file.source_map, taken, file, &interface)
    {
        // Without a manifest the next run reads the unit again.
        let _ = manifest.write(store, unit);
    }
    drop((ast, bytes));
    worker_state.last_unit = Some((file, unit_file));
    Ok(ReadUnit { interface, file, timings: clock.stop(), differences })
}
