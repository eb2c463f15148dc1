//! Positions of a function's commands, for the analyses.

use crate::cache::{Hash, hash};
use crate::conditional;
use crate::places::Base;
use gainsay_analysis::source::{Source, Spot};
use gainsay_ir::gc::Loc;
use gainsay_ir::source_map::{SourceMap, SourcePlace, Span, Spans, token_end};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) struct Positions<'a> {
    pub base: &'a Base,
    pub map: &'a SourceMap,
    pub spans: &'a Spans,
    pub texts: &'a Texts,
}

/// Where a function's name stands in its definition, as shown to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    pub file: String,
    pub line: u32,
}

/// The files of a unit as clang read them.
pub(crate) struct Texts {
    contents: BTreeMap<String, Hash>,
    is_steady: Cell<bool>,
    /// The last file that was read: questions come in rows about one.
    last: RefCell<Option<(PathBuf, Rc<[u8]>)>>,
}

impl Texts {
    /// By absolute path.
    pub(crate) fn of_unit(contents: BTreeMap<String, Hash>) -> Texts {
        Texts { contents, is_steady: Cell::new(true), last: RefCell::default() }
    }

    /// Was every file that was asked for still what clang had read?
    pub(crate) fn is_steady(&self) -> bool {
        self.is_steady.get()
    }

    /// `None` if the file cannot be read any more.
    fn read(&self, path: &Path) -> Option<Rc<[u8]>> {
        if let Some((known, text)) = &*self.last.borrow()
            && known == path
        {
            return Some(Rc::clone(text));
        }
        let known = path.to_str().and_then(|path| self.contents.get(path));
        let text = std::fs::read(path).ok();
        if known.is_none() || known != text.as_deref().map(hash).as_ref() {
            self.is_steady.set(false);
        }
        let text: Rc<[u8]> = text?.into();
        self.last.replace(Some((path.to_owned(), Rc::clone(&text))));
        Some(text)
    }
}

impl Positions<'_> {
    fn span(&self, loc: Loc) -> Option<Span> {
        self.spans.get(loc).copied()
    }

    /// Where the function's code in the file begins.
    fn first_line(&self, file: &str) -> Option<u32> {
        let places = self.spans.values().filter_map(|span| self.map.place(span.begin));
        places.filter(|place| place.text.file == file).map(|place| place.text.line).min()
    }

    /// The column behind the token, where the file can still be read.
    fn end_of_token(&self, place: SourcePlace) -> u32 {
        let offset = place.text.offset as usize;
        let length = match self.texts.read(&self.base.unit.join(place.text.file)) {
            Some(text) if offset < text.len() => token_end(&text, offset).saturating_sub(offset).max(1),
            _ => 1,
        };
        place.column + length as u32
    }
}

impl Source for Positions<'_> {
    fn spot(&self, loc: Loc) -> Option<Spot> {
        let (begin, end) = self.map.range(self.span(loc)?)?;
        Some(Spot {
            file: self.base.name(begin.file),
            line: begin.line,
            column: begin.column,
            end_line: end.line.max(begin.line),
            end_column: self.end_of_token(end),
        })
    }

    fn is_in_macro_definition(&self, loc: Loc) -> bool {
        self.span(loc).is_some_and(|span| self.map.is_in_macro_definition(span.at))
    }

    fn is_in_macro(&self, loc: Loc) -> bool {
        self.span(loc).is_some_and(|span| self.map.is_in_macro(span.at))
    }

    fn is_macro_argument(&self, loc: Loc) -> bool {
        let Some(span) = self.span(loc).filter(|span| self.map.is_in_macro(span.begin)) else { return false };
        let Some((begin, end)) = self.map.range(span) else { return false };
        let Some(text) = self.texts.read(&self.base.unit.join(begin.text.file)) else { return false };
        let (begin, end) = (begin.text.offset as usize, end.text.offset as usize);
        let before = text.get(..begin).map(<[u8]>::trim_ascii_end).and_then(<[u8]>::last);
        let after = text.get(token_end(&text, end.min(text.len()))..).map(<[u8]>::trim_ascii_start);
        let after = after.and_then(<[u8]>::first);
        matches!(before, Some(b'(' | b',' | b'!')) && matches!(after, Some(b')' | b','))
    }

    fn takes_macro_value(&self, loc: Loc) -> bool {
        const PLAIN: &[&str] = &["NULL", "true", "false", "TRUE", "FALSE", "EOF"];
        let Some(span) = self.span(loc) else { return false };
        if self.map.is_in_macro_definition(span.end) {
            return !self
                .map
                .macros(span.end)
                .last()
                .is_some_and(|outermost| PLAIN.contains(&outermost.name));
        }
        self.map.macro_names_between(span.begin, span.end).any(|name| !PLAIN.contains(&name))
    }

    fn is_conditional(&self, loc: Loc) -> bool {
        let place = self.span(loc).and_then(|span| self.map.place(span.begin));
        let first = place.and_then(|place| self.first_line(place.text.file));
        let text = place.and_then(|place| self.texts.read(&self.base.unit.join(place.text.file)));
        match (first, place, text) {
            (Some(first), Some(place), Some(text)) => {
                conditional::is_conditional(&text, first, place.text.line)
            }
            _ => false,
        }
    }

    fn is_mentioned_conditionally(&self, name: &str, from: Loc, to: Loc) -> bool {
        let place = |loc| self.map.place(self.span(loc)?.begin);
        let (Some(from), Some(to)) = (place(from), place(to)) else { return false };
        if from.text.file != to.text.file {
            return false;
        }
        let text = self.texts.read(&self.base.unit.join(from.text.file));
        text.is_some_and(|text| conditional::is_mentioned(&text, name, from.text.line, to.text.line))
    }

    fn has_configured_type(&self, name: &str, loc: Loc) -> bool {
        let Some(place) = self.span(loc).and_then(|span| self.map.place(span.begin)) else { return false };
        let Some(text) = self.texts.read(&self.base.unit.join(place.text.file)) else { return false };
        conditional::is_declared_with_own_type(&text[..(place.text.offset as usize).min(text.len())], name)
    }

    fn is_one_token(&self, loc: Loc) -> bool {
        self.span(loc).is_some_and(|span| span.begin == span.end)
    }
}
