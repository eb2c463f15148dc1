//! Positions of a function's commands, for the analyses.

use crate::conditional;
use crate::places::Base;
use gainsay_analysis::source::{Source, Spot};
use gainsay_ir::gc::Loc;
use gainsay_ir::source_map::{Place, SourceMap, Span, Spans, token_end};

pub(crate) struct Positions<'a> {
    pub(crate) base: &'a Base,
    pub(crate) map: &'a SourceMap,
    pub(crate) spans: &'a Spans,
}

impl Positions<'_> {
    fn span(&self, loc: Loc) -> Option<Span> {
        self.spans.get(loc).copied()
    }

    /// The column behind the token, where the file can still be read.
    fn end_of_token(&self, place: Place) -> u32 {
        let offset = place.text.offset as usize;
        let length = match std::fs::read(self.base.unit.join(place.text.file)) {
            Ok(text) if offset < text.len() => token_end(&text, offset).saturating_sub(offset).max(1),
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

    fn is_conditional(&self, loc: Loc) -> bool {
        let place = self.span(loc).and_then(|span| self.map.place(span.begin));
        let text = place.and_then(|place| std::fs::read(self.base.unit.join(place.text.file)).ok());
        place.zip(text).is_some_and(|(place, text)| conditional::is_conditional(&text, place.text.line))
    }

    fn is_mentioned_conditionally(&self, name: &str, from: Loc, to: Loc) -> bool {
        let place = |loc| self.map.place(self.span(loc)?.begin);
        let (Some(from), Some(to)) = (place(from), place(to)) else { return false };
        if from.text.file != to.text.file {
            return false;
        }
        match std::fs::read(self.base.unit.join(from.text.file)) {
            Ok(text) => conditional::is_mentioned(&text, name, from.text.line, to.text.line),
            Err(_) => false,
        }
    }

    fn is_one_token(&self, loc: Loc) -> bool {
        self.span(loc).is_some_and(|span| span.begin == span.end)
    }
}
