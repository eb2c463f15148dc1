//! Records what an analysis asks about the source, and the replies. Equal replies lead to equal findings, so a result
//! depends only on these and the function's text.

use crate::source::positions::Home;
use gainsay_analysis::source::{Source, Spot};
use gainsay_ir::gc::Loc;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Question {
    Spot(Loc),
    IsInMacroDefinition(Loc),
    IsInMacro(Loc),
    IsMacroArgument(Loc),
    TakesMacroValue(Loc),
    IsConditional(Loc),
    IsMentionedConditionally(String, Loc, Loc),
    HasConfiguredType(String, Loc),
    IsOneToken(Loc),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Yes(bool),
    Nowhere,
    /// In the function's own file; lines are relative to the function's.
    Near {
        line: i64,
        column: u32,
        end_line: i64,
        end_column: u32,
    },
    Far {
        file: String,
        line: u32,
        column: u32,
        end_line: u32,
        end_column: u32,
    },
}

pub(crate) type Trace = BTreeMap<Question, Reply>;

/// Whether all questions get the same replies again.
pub(super) fn repeats(source: &dyn Source, home: &Home, trace: &Trace) -> bool {
    trace.iter().all(|(question, reply)| ask(source, home, question) == *reply)
}

fn ask(source: &dyn Source, home: &Home, question: &Question) -> Reply {
    match question {
        Question::Spot(loc) => relative(home, source.spot(*loc).as_ref()),
        Question::IsInMacroDefinition(loc) => Reply::Yes(source.is_in_macro_definition(*loc)),
        Question::IsInMacro(loc) => Reply::Yes(source.is_in_macro(*loc)),
        Question::IsMacroArgument(loc) => Reply::Yes(source.is_macro_argument(*loc)),
        Question::TakesMacroValue(loc) => Reply::Yes(source.takes_macro_value(*loc)),
        Question::IsConditional(loc) => Reply::Yes(source.is_conditional(*loc)),
        Question::IsMentionedConditionally(name, from, to) => {
            Reply::Yes(source.is_mentioned_conditionally(name, *from, *to))
        }
        Question::HasConfiguredType(name, loc) => Reply::Yes(source.has_configured_type(name, *loc)),
        Question::IsOneToken(loc) => Reply::Yes(source.is_one_token(*loc)),
    }
}

fn relative(home: &Home, spot: Option<&Spot>) -> Reply {
    let Some(Spot { file, line, column, end_line, end_column }) = spot.cloned() else {
        return Reply::Nowhere;
    };
    if file != home.file {
        return Reply::Far { file, line, column, end_line, end_column };
    }
    let from_home = |line: u32| i64::from(line) - i64::from(home.line);
    Reply::Near { line: from_home(line), column, end_line: from_home(end_line), end_column }
}

/// Passes questions on and records them with their replies.
pub(super) struct Recorder<'a> {
    source: &'a dyn Source,
    home: &'a Home,
    trace: RefCell<Trace>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(source: &'a dyn Source, home: &'a Home) -> Recorder<'a> {
        Recorder { source, home, trace: RefCell::default() }
    }

    pub(super) fn into_trace(self) -> Trace {
        self.trace.into_inner()
    }

    fn is(&self, question: Question) -> bool {
        let reply = ask(self.source, self.home, &question);
        let yes = reply == Reply::Yes(true);
        self.trace.borrow_mut().insert(question, reply);
        yes
    }
}

impl Source for Recorder<'_> {
    fn spot(&self, loc: Loc) -> Option<Spot> {
        let spot = self.source.spot(loc);
        self.trace.borrow_mut().insert(Question::Spot(loc), relative(self.home, spot.as_ref()));
        spot
    }

    fn is_in_macro_definition(&self, loc: Loc) -> bool {
        self.is(Question::IsInMacroDefinition(loc))
    }

    fn is_in_macro(&self, loc: Loc) -> bool {
        self.is(Question::IsInMacro(loc))
    }

    fn is_macro_argument(&self, loc: Loc) -> bool {
        self.is(Question::IsMacroArgument(loc))
    }

    fn takes_macro_value(&self, loc: Loc) -> bool {
        self.is(Question::TakesMacroValue(loc))
    }

    fn is_conditional(&self, loc: Loc) -> bool {
        self.is(Question::IsConditional(loc))
    }

    fn is_mentioned_conditionally(&self, name: &str, from: Loc, to: Loc) -> bool {
        self.is(Question::IsMentionedConditionally(name.to_owned(), from, to))
    }

    fn has_configured_type(&self, name: &str, loc: Loc) -> bool {
        self.is(Question::HasConfiguredType(name.to_owned(), loc))
    }

    fn is_one_token(&self, loc: Loc) -> bool {
        self.is(Question::IsOneToken(loc))
    }
}
