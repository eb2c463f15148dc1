//! Measures where the time of one unit goes.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// Time spent in one stage of one function; without a function, of the unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    pub file: String,
    pub function: String,
    pub stage: String,
    pub nanos: u64,
}

pub(crate) struct Clock {
    file: String,
    /// The current function; empty for the unit as a whole.
    pub(crate) function: String,
    stage: (String, &'static str),
    since: Instant,
    spent: BTreeMap<(String, &'static str), u64>,
}

impl Clock {
    /// Starts with the stage `parse`.
    pub(crate) fn new(file: &str) -> Clock {
        Clock {
            file: file.to_owned(),
            function: String::new(),
            stage: (String::new(), "parse"),
            since: Instant::now(),
            spent: BTreeMap::new(),
        }
    }

    /// Ends the current stage and begins another.
    pub(crate) fn begin(&mut self, stage: &'static str) {
        let now = Instant::now();
        let spent = now.duration_since(self.since).as_nanos() as u64;
        let ended = std::mem::replace(&mut self.stage, (self.function.clone(), stage));
        *self.spent.entry(ended).or_default() += spent;
        self.since = now;
    }

    pub(crate) fn stop(mut self) -> Vec<Timing> {
        self.begin("");
        let file = self.file;
        let timing = |((function, stage), nanos): ((String, &'static str), u64)| Timing {
            file: file.clone(),
            function,
            stage: stage.to_owned(),
            nanos,
        };
        self.spent.into_iter().map(timing).collect()
    }
}
