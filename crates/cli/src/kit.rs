//! What a worker keeps from one unit to the next: solver processes and the models of the library.

use crate::check_options::CheckOptions;
use gainsay_analysis::solver::programs::{FIRST, Places, SECOND};
use gainsay_analysis::solver::{Options, Session};
use gainsay_ir::models::Models;
use gainsay_ir::types::Target;
use std::path::Path;

#[derive(Default)]
pub(crate) struct Kit {
    sessions: Option<Sessions>,
    models: Option<(Target, Models)>,
}

/// Two solvers of different make.
pub(crate) struct Sessions {
    pub(crate) first: Session,
    pub(crate) second: Session,
}

impl Kit {
    /// What the work on one unit needs. With a transcript, every unit has sessions of its own.
    pub(crate) fn of_unit(
        &mut self,
        target: Target,
        options: &CheckOptions,
    ) -> Result<(&mut Sessions, &Models), String> {
        if self.sessions.is_none() || options.transcript.is_some() {
            self.sessions = Some(Sessions::new(options.transcript.as_deref())?);
        }
        if self.models.as_ref().is_none_or(|(known, _)| *known != target) {
            let models = Models::library(target).map_err(|error| format!("internal error: {error}"))?;
            self.models = Some((target, models));
        }
        match (&mut self.sessions, &self.models) {
            (Some(sessions), Some((_, models))) => Ok((sessions, models)),
            _ => Err("internal error: no solver session".into()),
        }
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
}
