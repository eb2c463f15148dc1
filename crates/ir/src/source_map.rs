//! From a [`Loc`] back to the source: file, line, column, and the macros it went through.
//!
//! The map keeps clang's own scheme: every byte of every file and of every macro expansion has a number in
//! one 32-bit space (a [`Raw`] position), divided into consecutive entries. Resolution happens here, when a
//! place is shown, so places that are not shown cost nothing.

use crate::gc::Loc;
use cranelift_entity::PrimaryMap;
use serde::{Deserialize, Serialize};

/// A position in clang's numbering; 0 is "nowhere". The top bit marks a position inside a macro expansion.
pub type Raw = u32;

// not a limit: clang's encoding of positions
const MACRO_BIT: u32 = 1 << 31;

/// The extent of one construct: the position to report, where it begins, where its last token begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub at: Raw,
    pub begin: Raw,
    pub end: Raw,
}

/// Spans of one function, by [`Loc`].
pub type Spans = PrimaryMap<Loc, Span>;

/// Positions of one unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SourceMap {
    /// Sorted by `start`; an entry reaches to the start of the next.
    pub entries: Vec<Entry>,
    pub files: Vec<File>,
    /// Byte offsets at which the lines of all files begin; see [`File::lines`].
    pub line_starts: Vec<u32>,
    /// Uses of macros, sorted by the position of the macro's name.
    pub macros: Vec<MacroUse>,
    /// Names that `macros` refers to.
    pub macro_names: Vec<String>,
    /// `#line` directives, sorted by (file, offset).
    pub line_directives: Vec<LineDirective>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// First position of the entry, without the macro bit.
    pub start: u32,
    pub kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryKind {
    /// Index into `files`; one entry per inclusion.
    File(u32),
    Expansion {
        /// Where the tokens are spelled: in a macro definition, in an argument, or in scratch space (`##`).
        spelling: Raw,
        /// First and last position of the macro use that they replace.
        begin: Raw,
        end: Raw,
        /// The tokens were passed as an argument of the macro rather than written in its definition.
        argument: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    pub system: bool,
    pub main: bool,
    /// Holds tokens made by `#` and `##`, not text of the user.
    pub scratch: bool,
    /// Where it was included; 0 for the main file.
    pub included_at: Raw,
    /// First and number of its lines in `line_starts`.
    pub lines: (u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MacroUse {
    /// Position of the macro's name where it is used.
    pub at: Raw,
    /// Index into `macro_names`.
    pub name: u32,
    /// Position of its `#define`; 0 for built-in macros.
    pub definition: Raw,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineDirective {
    pub file: u32,
    /// The lines after this offset are renumbered.
    pub offset: u32,
    pub line: u32,
    /// None where only the number changes.
    pub name: Option<String>,
    /// The directive says that a system header follows.
    pub system: bool,
}

/// A place in a file as people name it, `#line` directives respected; line and column count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace<'a> {
    pub file: &'a str,
    pub line: u32,
    /// In bytes.
    pub column: u32,
    pub in_system_header: bool,
    /// Where the text really is.
    pub text: TextPlace<'a>,
}

/// A place in a file that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace<'a> {
    pub file: &'a str,
    pub line: u32,
    /// Bytes from the start of the file.
    pub offset: u32,
}

/// One macro that a token went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroStep<'a> {
    pub name: &'a str,
    pub function_like: bool,
    /// The token came in as an argument; otherwise it is written in the definition.
    pub argument: bool,
    /// None for built-in macros.
    pub definition: Option<SourcePlace<'a>>,
    /// Where the macro's name is written: in a file, or in the definition of another macro.
    pub used_at: Option<SourcePlace<'a>>,
    /// Defined in a system header.
    pub system: bool,
}

/// Which end of a macro use replaces a position inside its expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Begin,
    End,
}

impl SourceMap {
    /// Where a reader finds the token: an argument where it was written, a token of a macro's definition where the
    /// outermost macro is used.
    pub fn place(&self, raw: Raw) -> Option<SourcePlace<'_>> {
        self.place_in_file(self.leave_macros(raw, Edge::Begin)?)
    }

    /// Where the outermost macro is used, even for arguments.
    pub fn expansion_place(&self, mut raw: Raw) -> Option<SourcePlace<'_>> {
        while let Some((_, Expansion { begin, .. })) = self.expansion(raw) {
            raw = begin;
        }
        self.place_in_file(raw)
    }

    /// Where the token's characters are, perhaps in a macro definition. None for what `#` and `##` made.
    pub fn spelling_place(&self, mut raw: Raw) -> Option<SourcePlace<'_>> {
        while let Some((offset, Expansion { spelling, .. })) = self.expansion(raw) {
            raw = spelling.wrapping_add(offset);
        }
        self.place_in_file(raw)
    }

    /// From the first character of a construct to the first character of its last token; see [`token_end`].
    pub fn range(&self, span: Span) -> Option<(SourcePlace<'_>, SourcePlace<'_>)> {
        let begin = self.place(span.begin)?;
        let end = self.leave_macros(span.end, Edge::End).and_then(|raw| self.place_in_file(raw));
        // Tokens of one construct can come from different files; then only its beginning can be shown.
        let end = end.filter(|end| end.text.file == begin.text.file && end.text.offset >= begin.text.offset);
        Some((begin, end.unwrap_or(begin)))
    }

    /// Was the token written in the definition of a macro, rather than by the macro's user?
    pub fn is_in_macro_definition(&self, mut raw: Raw) -> bool {
        while let Some((offset, expansion)) = self.expansion(raw) {
            if !expansion.argument {
                return true;
            }
            raw = expansion.spelling.wrapping_add(offset);
        }
        false
    }

    /// The macros that are used between two positions of one file.
    pub fn macro_names_between(&self, begin: Raw, end: Raw) -> impl Iterator<Item = &str> {
        let from = self.macros.partition_point(|used| used.at < begin);
        self.macros[from..]
            .iter()
            .take_while(move |used| used.at <= end)
            .map(|used| self.macro_names[used.name as usize].as_str())
    }

    pub fn is_in_macro(&self, raw: Raw) -> bool {
        raw & MACRO_BIT != 0
    }

    /// Every macro that the token went through, innermost first.
    pub fn macros(&self, raw: Raw) -> Vec<MacroStep<'_>> {
        let mut steps = Vec::new();
        self.collect_macros(raw, &mut steps);
        // An argument's own macros lead outwards to the macros around the call as well: those belong last, but only
        // the path through the argument tells how the token came in.
        let mut kept: Vec<(Raw, MacroStep<'_>)> = Vec::new();
        for &(at, step) in steps.iter().rev() {
            match kept.iter_mut().find(|(other, _)| *other == at) {
                Some((_, outer)) => outer.argument = step.argument,
                None => kept.push((at, step)),
            }
        }
        kept.into_iter().rev().map(|(_, step)| step).collect()
    }

    /// Appends (position of the use, step), arguments' own macros before the macros that they are passed to.
    fn collect_macros<'a>(&'a self, mut raw: Raw, steps: &mut Vec<(Raw, MacroStep<'a>)>) {
        let mut argument = false;
        while let Some((offset, expansion)) = self.expansion(raw) {
            if expansion.argument {
                let written = expansion.spelling.wrapping_add(offset);
                self.collect_macros(written, steps);
                argument = true;
            } else if let Some(used) = self.macro_used_at(expansion.begin) {
                steps.push((
                    expansion.begin,
                    MacroStep {
                        name: &self.macro_names[used.name as usize],
                        function_like: expansion.begin != expansion.end,
                        argument,
                        definition: self.place_in_file(used.definition),
                        used_at: self.spelling_place(used.at).or_else(|| self.place(used.at)),
                        system: self
                            .place_in_file(used.definition)
                            .is_some_and(|place| place.in_system_header),
                    },
                ));
                argument = false;
            } else {
                // The result of `#` or `##` belongs to the definition of the macro around it.
                argument = false;
            }
            raw = expansion.begin;
        }
    }

    fn macro_used_at(&self, at: Raw) -> Option<&MacroUse> {
        let index = self.macros.binary_search_by_key(&at, |used| used.at).ok()?;
        Some(&self.macros[index])
    }

    fn leave_macros(&self, mut raw: Raw, edge: Edge) -> Option<Raw> {
        while let Some((offset, expansion)) = self.expansion(raw) {
            raw = match (expansion.argument, edge) {
                (true, _) => expansion.spelling.wrapping_add(offset),
                (false, Edge::Begin) => expansion.begin,
                (false, Edge::End) => expansion.end,
            };
        }
        (raw != 0).then_some(raw)
    }

    /// The expansion that a position lies in, and how far in; None in a file.
    fn expansion(&self, raw: Raw) -> Option<(u32, Expansion)> {
        if raw & MACRO_BIT == 0 {
            return None;
        }
        let entry = self.entry(raw & !MACRO_BIT)?;
        match entry.kind {
            EntryKind::Expansion { spelling, begin, end, argument } => {
                Some(((raw & !MACRO_BIT) - entry.start, Expansion { spelling, begin, end, argument }))
            }
            EntryKind::File(_) => None,
        }
    }

    fn entry(&self, position: u32) -> Option<&Entry> {
        let after = self.entries.partition_point(|entry| entry.start <= position);
        self.entries.get(after.checked_sub(1)?)
    }

    fn place_in_file(&self, raw: Raw) -> Option<SourcePlace<'_>> {
        if raw == 0 || raw & MACRO_BIT != 0 {
            return None;
        }
        let entry = self.entry(raw)?;
        let EntryKind::File(index) = entry.kind else { return None };
        let file = self.files.get(index as usize)?;
        if file.scratch {
            return None;
        }
        let offset = raw - entry.start;
        let (line, column) = self.line_and_column(file, offset);
        let text = TextPlace { file: &file.name, line, offset };
        let mut place = SourcePlace { file: &file.name, line, column, in_system_header: file.system, text };
        let after = self.line_directives.partition_point(|d| (d.file, d.offset) <= (index, offset));
        if let Some(directive) = after.checked_sub(1).map(|i| &self.line_directives[i])
            && directive.file == index
        {
            let (directive_line, _) = self.line_and_column(file, directive.offset);
            place.line = (directive.line + line).saturating_sub(directive_line + 1);
            place.file = directive.name.as_deref().unwrap_or(place.file);
            place.in_system_header = directive.system;
        }
        Some(place)
    }

    fn line_and_column(&self, file: &File, offset: u32) -> (u32, u32) {
        let (first, count) = (file.lines.0 as usize, file.lines.1 as usize);
        let starts = self.line_starts.get(first..first + count).unwrap_or_default();
        let line = starts.partition_point(|&start| start <= offset);
        let start = if line == 0 { 0 } else { starts[line - 1] };
        (line.max(1) as u32, offset - start + 1)
    }
}

/// An [`EntryKind::Expansion`] taken apart.
#[derive(Clone, Copy)]
struct Expansion {
    spelling: Raw,
    begin: Raw,
    end: Raw,
    argument: bool,
}

/// End of the C token that begins at `offset`, both in bytes of `text`.
pub fn token_end(text: &[u8], offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    let length = match rest {
        [] => 0,
        [b'"', ..] | [b'\'', ..] => quoted_length(rest),
        [b'L' | b'u' | b'U', b'"' | b'\'', ..] => 1 + quoted_length(&rest[1..]),
        [b'u', b'8', b'"' | b'\'', ..] => 2 + quoted_length(&rest[2..]),
        [first, ..] if first.is_ascii_digit() => number_length(rest),
        [b'.', second, ..] if second.is_ascii_digit() => number_length(rest),
        [first, ..] if word(first) => rest.iter().take_while(|byte| word(byte)).count(),
        _ => PUNCTUATORS.iter().find(|p| rest.starts_with(p.as_bytes())).map_or(1, |p| p.len()),
    };
    (offset + length).min(text.len())
}

/// Longer than one character, longest first.
const PUNCTUATORS: [&str; 22] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "^=", "|=",
];

fn quoted_length(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != text[0] && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// A preprocessing number: `0x1p-3f`, `1e+5`, `10ull`.
fn number_length(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        let signed = matches!(text[at], b'+' | b'-') && matches!(text[at - 1], b'e' | b'E' | b'p' | b'P');
        if !signed && !text[at].is_ascii_alphanumeric() && !matches!(text[at], b'.' | b'_') {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::token_end;

    #[test]
    fn tokens_end_where_c_says() {
        for (text, token) in [
            ("counter+1", "counter"),
            ("0x1p-3f;", "0x1p-3f"),
            ("1+2", "1"),
            ("0xfe+1", "0xfe+1"), // one preprocessing number, as the standard has it
            (".5f)", ".5f"),
            ("\"a\\\"b\" x", "\"a\\\"b\""),
            ("L'\\''+1", "L'\\''"),
            ("u8\"x\")", "u8\"x\""),
            ("u8x)", "u8x"),
            (">>=1", ">>="),
            ("->x", "->"),
            ("...", "..."),
            (")", ")"),
            ("\"unterminated", "\"unterminated"),
            ("\"ends in a backslash\\", "\"ends in a backslash\\"),
            ("", ""),
        ] {
            assert_eq!(&text[..token_end(text.as_bytes(), 0)], token, "{text}");
        }
        assert_eq!(token_end(b"abc", 7), 3);
    }
}
