//! The source positions of a function's commands, as the analyses ask for them.

use crate::cache::{Hash, hash};
use crate::source::conditional;
use crate::source::display_path::DisplayPaths;
use gainsay_analysis::source::{Source, Spot};
use gainsay_ir::gc::Loc;
use gainsay_ir::source_map::{SourceMap, SourcePlace, Span, Spans, token_end};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) struct Positions<'a> {
    pub(crate) paths: &'a DisplayPaths,
    pub(crate) map: &'a SourceMap,
    pub(crate) spans: &'a Spans,
    pub(crate) texts: &'a SourceTexts,
}

/// The position of a function's name in its definition, as it is displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Home {
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// The files of a unit, read again, and whether they are still what clang read.
pub(crate) struct SourceTexts {
    contents: BTreeMap<String, Hash>,
    is_unchanged: Cell<bool>,
    /// The last file that was read: consecutive questions are mostly about one file.
    last: RefCell<Option<(PathBuf, Rc<[u8]>)>>,
}

impl SourceTexts {
    /// `contents`: the hashes of the files by absolute path.
    pub(crate) fn of_unit(contents: BTreeMap<String, Hash>) -> SourceTexts {
        SourceTexts { contents, is_unchanged: Cell::new(true), last: RefCell::default() }
    }

    /// Whether every file that was asked for is what clang read.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.is_unchanged.get()
    }

    /// `None` if the file cannot be read.
    fn read(&self, path: &Path) -> Option<Rc<[u8]>> {
        if let Some((known, text)) = &*self.last.borrow()
            && known == path
        {
            return Some(Rc::clone(text));
        }
        let known = path.to_str().and_then(|path| self.contents.get(path));
        let text = std::fs::read(path).ok();
        if known.is_none() || known != text.as_deref().map(hash).as_ref() {
            self.is_unchanged.set(false);
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

    /// The first line of the function's code in the file.
    fn first_line(&self, file: &str) -> Option<u32> {
        let places = self.spans.values().filter_map(|span| self.map.place(span.begin));
        places.filter(|place| place.text.file == file).map(|place| place.text.line).min()
    }

    /// The column after the token; the next column if the file cannot be read.
    fn end_of_token(&self, place: SourcePlace) -> u32 {
        let offset = place.text.offset as usize;
        let length = match self.texts.read(&self.paths.unit.join(place.text.file)) {
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
            file: self.paths.name(begin.file),
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
        let Some(text) = self.texts.read(&self.paths.unit.join(begin.text.file)) else { return false };
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
        let text = place.and_then(|place| self.texts.read(&self.paths.unit.join(place.text.file)));
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
        let text = self.texts.read(&self.paths.unit.join(from.text.file));
        text.is_some_and(|text| conditional::is_mentioned(&text, name, from.text.line, to.text.line))
    }

    fn has_configured_type(&self, name: &str, loc: Loc) -> bool {
        let Some(place) = self.span(loc).and_then(|span| self.map.place(span.begin)) else { return false };
        let Some(text) = self.texts.read(&self.paths.unit.join(place.text.file)) else { return false };
        conditional::is_declared_with_own_type(&text[..(place.text.offset as usize).min(text.len())], name)
    }

    fn is_one_token(&self, loc: Loc) -> bool {
        self.span(loc).is_some_and(|span| span.begin == span.end)
    }
}
