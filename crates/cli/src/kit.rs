//! What a worker keeps from one job to the next: solver processes, the models of the library, and the last unit it read.

use crate::cache::Hash;
use crate::check_options::CheckOptions;
use crate::unit_file::UnitFile;
use gainsay_analysis::solver::programs::{FIRST, Places, SECOND};
use gainsay_analysis::solver::{Options, Session};
use gainsay_ir::models::Models;
use gainsay_ir::types::Target;
use std::path::Path;

#[derive(Default)]
pub(crate) struct Kit {
    sessions: Option<Sessions>,
    models: Option<(Target, Models)>,
    /// The unit that was read last, with the hash of its file.
    pub(crate) held: Option<(Hash, UnitFile)>,
}

/// Two solvers of different make.
pub(crate) struct Sessions {
    pub(crate) first: Session,
    pub(crate) second: Session,
}

impl Kit {
    /// Solvers for one unit. With a transcript, every unit has sessions of its own.
    pub(crate) fn sessions(&mut self, options: &CheckOptions) -> Result<&mut Sessions, String> {
        if self.sessions.is_none() || options.transcript.is_some() {
            self.sessions = Some(Sessions::new(options.transcript.as_deref())?);
        }
        self.sessions.as_mut().ok_or_else(|| "internal error: no solver session".into())
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
        let places = Places::of_this_process();
        let start = |name: &str| {
            let program = places.find(name).map_err(|error| error.to_string())?;
            let options = Options { transcript: transcript.map(|dir| dir.join(name)) };
            Ok::<Session, String>(Session::new(&program, &options))
        };
        Ok(Sessions { first: start(FIRST)?, second: start(SECOND)? })
    }

    /// How often chance decided; see [`Session::mishaps`].
    pub(crate) fn mishaps(&self) -> u64 {
        self.first.mishaps() + self.second.mishaps()
    }
}
