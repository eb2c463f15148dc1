//! Makes untrusted text safe for a terminal: file names, messages and source come from the analysed program. Control
//! characters, and characters that make one line look like two or like another, are escaped: `\x1b`, `\n`, `\u{202e}`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Escapes a line of text.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, is_control)
}

/// Escapes a text; line ends and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_control(c) && !matches!(c, '\n' | '\t'))
}

/// Escapes a line of source; tabs stay.
pub(crate) fn visible_source(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_control(c) && c != '\t')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !is_escaped(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii() => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(out)
}

/// Control characters, separators of lines, and marks that change the direction of writing.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Indented JSON in which all of these characters are escaped; JSON itself requires it of the first 32 only.
pub(crate) fn visible_json(value: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Escaping::default());
    value.serialize(&mut serializer)?;
    writeln!(out)
}

#[derive(Default)]
struct Escaping {
    pretty: serde_json::ser::PrettyFormatter<'static>,
}

impl serde_json::ser::Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_control) {
            let (before, from) = rest.split_at(at);
            out.write_all(before.as_bytes())?;
            let mut chars = from.chars();
            if let Some(c) = chars.next() {
                // All of them are in the first plane.
                write!(out, "\\u{:04x}", u32::from(c))?;
            }
            rest = chars.as_str();
        }
        out.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_the_rest_stays() {
        assert_eq!(visible("a\x1b[2J\n\tb\u{9b}\u{202e}\x7f"), "a\\x1b[2J\\n\\tb\\u{9b}\\u{202e}\\x7f");
        assert_eq!(visible_lines("a\n\tb\r\x07"), "a\n\tb\\r\\x07");
        assert_eq!(visible_source("a\tb\x0c"), "a\tb\\x0c");
        for plain in ["", "src/é漢字.c: x < 3 && p[1] == '\\n'"] {
            assert!(matches!(visible(plain), Cow::Borrowed(text) if text == plain));
        }
    }

    #[test]
    fn json_means_the_same_and_shows_nothing_raw() {
        let value = serde_json::json!({"a\u{9b}": ["x\x7f\u{2028}é\x1b\"", [], {}], "b": {"c": null}});
        let mut out = Vec::new();
        visible_json(&value, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains(|c: char| is_control(c) && c != '\n'), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let plain = serde_json::json!({"a": ["é", {"b": 1.5}], "c": [], "d": {}});
        let mut out = Vec::new();
        visible_json(&plain, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string_pretty(&plain).unwrap() + "\n");
    }
}
