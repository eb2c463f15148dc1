//! What a worker keeps from one job to the next: solver sessions, the models of the library, and the last unit it read.

use crate::cache::Hash;
use crate::check_options::CheckOptions;
use crate::unit::unit_file::UnitFile;
use gainsay_ir::types::Target;
use gainsay_program::models::Models;
use gainsay_report::coverage::SolverUse;
use gainsay_solver::health::Record;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use gainsay_solver::{Options, Program, Session};
use std::path::Path;
use std::time::Duration;

#[derive(Default)]
pub(crate) struct WorkerState {
    /// Or the reason why they could not be started; starting is not tried twice.
    sessions: Option<Result<Sessions, String>>,
    models: Option<(Target, Models)>,
    /// The unit that was read last, with the hash of its file.
    pub(crate) last_unit: Option<(Hash, UnitFile)>,
}

/// Two solvers of different make.
pub(crate) struct Sessions {
    pub(crate) first: Session,
    pub(crate) second: Session,
}

impl WorkerState {
    /// Solvers for one unit. With a transcript, every unit has sessions of its own.
    pub(crate) fn sessions(&mut self, options: &CheckOptions) -> Result<&mut Sessions, String> {
        if self.sessions.is_none() || options.transcript.is_some() {
            if let Some(Err(problem)) = &self.sessions {
                return Err(problem.clone());
            }
            self.sessions = Some(Sessions::new(options.transcript.as_deref()));
        }
        match &mut self.sessions {
            Some(Ok(sessions)) => Ok(sessions),
            Some(Err(problem)) => Err(problem.clone()),
            None => Err("internal error: no solver session".into()),
        }
    }

    pub(crate) fn models(&mut self, target: Target) -> Result<&Models, String> {
        if self.models.as_ref().is_none_or(|(known, _)| *known != target) {
            let models = Models::library(target).map_err(|error| format!("internal error: {error}"))?;
            self.models = Some((target, models));
        }
        self.models.as_ref().map(|(_, models)| models).ok_or_else(|| "internal error: no models".into())
    }
}

impl Sessions {
    pub(crate) fn new(transcript: Option<&Path>) -> Result<Sessions, String> {
        let places = SolverDirectories::of_this_process().map_err(|error| error.to_string())?;
        let start = |name: &str| {
            let program = places.find(name).map_err(|error| error.to_string())?;
            let options = Options { transcript: transcript.map(|dir| dir.join(name)), patience: patience() };
            Ok::<Session, String>(Session::new(&program, &options))
        };
        Ok(Sessions { first: start(FIRST)?, second: start(SECOND)? })
    }

    /// How the solvers served so far.
    pub(crate) fn service(&self) -> [Record; 2] {
        [&self.first, &self.second].map(|session| session.program().health.record())
    }

    /// How the solvers served since `earlier`.
    pub(crate) fn service_since(&self, earlier: &[Record; 2]) -> Vec<SolverUse> {
        let mut all = Vec::new();
        for (session, earlier) in [&self.first, &self.second].into_iter().zip(earlier) {
            let Program { path, health, .. } = session.program();
            let record = health.record().since(earlier);
            all.push(SolverUse {
                solver: path.display().to_string(),
                is_broken: record.is_broken(),
                asked: record.asked,
                failed: record.failed,
                reason: record.failure.unwrap_or_default(),
            });
        }
        all
    }

    /// How often a result depended on time; see [`Session::nondeterministic_events`].
    pub(crate) fn nondeterministic_events(&self) -> u64 {
        self.first.nondeterministic_events() + self.second.nondeterministic_events()
    }
}

/// The longest time to wait for an answer, for tests of solvers that hang.
fn patience() -> Option<Duration> {
    #[cfg(debug_assertions)]
    let patience = crate::worker::fault::patience();
    #[cfg(not(debug_assertions))]
    let patience = None;
    patience
}
