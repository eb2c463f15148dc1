//! Source files as renderers need them: lines of bytes in any encoding. A file may be missing or changed since the
//! analysis.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Reads a file as named in findings; `None` if it cannot be read.
pub type Read<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// The files that were asked for, each read once.
pub(crate) struct Sources<'a> {
    read: &'a Read<'a>,
    files: BTreeMap<String, Option<Rc<Source>>>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(read: &'a Read<'a>) -> Self {
        Sources { read, files: BTreeMap::new() }
    }

    pub(crate) fn get(&mut self, file: &str) -> Option<Rc<Source>> {
        if let Some(source) = self.files.get(file) {
            return source.clone();
        }
        let source = (self.read)(file).map(|bytes| Rc::new(Source::new(bytes)));
        self.files.insert(file.to_owned(), source.clone());
        source
    }
}

pub(crate) struct Source {
    pub(crate) bytes: Vec<u8>,
    /// The range of each line, without its end.
    lines: Vec<Range<usize>>,
}

impl Source {
    fn new(bytes: Vec<u8>) -> Source {
        // Lines end in \n, \r\n or \r, as in clang.
        let mut lines = Vec::new();
        let mut start = 0;
        for (i, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                let end = if *byte == b'\n' && i > start && bytes[i - 1] == b'\r' { i - 1 } else { i };
                lines.push(start..end);
                start = i + 1;
            }
        }
        lines.push(start..bytes.len());
        Source { bytes, lines }
    }

    /// A line, counted from 1, without its end.
    pub(crate) fn line(&self, number: u32) -> Option<&[u8]> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.lines.get(index).map(|range| &self.bytes[range.clone()])
    }
}

/// The end of the token at this offset of a line; at least one character.
pub(crate) fn token_end(line: &[u8], start: usize) -> usize {
    let rest = line.get(start..).unwrap_or_default();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    match rest.iter().take_while(|byte| word(byte)).count() {
        0 => start + usize::from(!rest.is_empty()),
        length => start + length,
    }
}

/// Converts a column in bytes to UTF-16 units. Both start at 1; after the end of the line a byte counts as a unit.
pub(crate) fn utf16_column(line: &[u8], column: u32) -> u32 {
    let before = (column.max(1) - 1) as usize;
    let inside = before.min(line.len());
    let units = String::from_utf8_lossy(&line[..inside]).encode_utf16().count();
    u32::try_from(units + (before - inside) + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let source = Source::new(b"a\r\nb\rc\n\nd".to_vec());
        let lines: Vec<&[u8]> = (1..=6).filter_map(|n| source.line(n)).collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"c", b"", b"d"]);
        assert_eq!((source.line(0), source.line(u32::MAX)), (None, None));
    }

    #[test]
    fn columns_of_wide_characters() {
        let line = "é𝄞x".as_bytes();
        assert_eq!([1, 3, 7, 8, 20].map(|column| utf16_column(line, column)), [1, 2, 4, 5, 17]);
        assert_eq!(utf16_column(b"\xff\xffx", 3), 3);
        assert_eq!(utf16_column(b"", 0), 1);
    }

    #[test]
    fn tokens_have_an_end() {
        assert_eq!(token_end(b"x = abc_1;", 4), 9);
        assert_eq!((token_end(b"*p", 0), token_end(b"*p", 2), token_end(b"", 7)), (1, 2, 7));
    }
}
