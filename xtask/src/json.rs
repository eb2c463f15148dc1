//! A small JSON reader and writer: compile databases and the output of `gainsay --format json` pass through xtask,
//! which has no dependencies.

use std::fmt::Write;

/// A JSON value; objects keep the order of their members.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn text(value: impl Into<String>) -> Json {
        Json::Text(value.into())
    }

    /// A member of an object; `None` for anything else.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn as_array(&self) -> Option<&[Json]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    /// The strings of an array of strings.
    pub(crate) fn strings(&self) -> Vec<String> {
        let items = self.as_array().unwrap_or_default();
        items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
    }

    /// One line of text.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "{number}");
            }
            Json::Text(text) => write_text(text, out),
            Json::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    write_text(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Reads one JSON value; the error names the byte where reading stopped.
pub(crate) fn parse(text: &str) -> Result<Json, String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    let value = reader.value()?;
    reader.skip_blanks();
    if reader.at == reader.bytes.len() { Ok(value) } else { Err(reader.wrong("the end of the text")) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, wanted: &str) -> String {
        format!("malformed JSON at byte {}: expected {wanted}", self.at)
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let here = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += if here { word.len() } else { 0 };
        here
    }

    fn value(&mut self) -> Result<Json, String> {
        self.skip_blanks();
        match self.bytes.get(self.at) {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.take("true") => Ok(Json::Bool(true)),
            _ if self.take("false") => Ok(Json::Bool(false)),
            _ if self.take("null") => Ok(Json::Null),
            _ => Err(self.wrong("a value")),
        }
    }

    fn object(&mut self) -> Result<Json, String> {
        let mut members = Vec::new();
        self.at += 1;
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_blanks();
            let key = self.string()?;
            if !self.take(":") {
                return Err(self.wrong("`:`"));
            }
            members.push((key, self.value()?));
            if self.take("}") {
                return Ok(Json::Object(members));
            }
            if !self.take(",") {
                return Err(self.wrong("`,` or `}`"));
            }
        }
    }

    fn array(&mut self) -> Result<Json, String> {
        let mut items = Vec::new();
        self.at += 1;
        if self.take("]") {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.take("]") {
                return Ok(Json::Array(items));
            }
            if !self.take(",") {
                return Err(self.wrong("`,` or `]`"));
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| b"+-.eE0123456789".contains(b)) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        text.parse().map(Json::Number).map_err(|_| self.wrong("a number"))
    }

    fn string(&mut self) -> Result<String, String> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(self.wrong("a string"));
        }
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong("the end of the string"))?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(out).map_err(|_| self.wrong("UTF-8 text")),
                b'\\' => {
                    let c = self.escape()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                byte => out.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong("an escape"))?;
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => byte as char,
            b'u' => {
                let high = self.hex4()?;
                let pair = (0xd800..0xdc00).contains(&high) && self.bytes[self.at..].starts_with(b"\\u");
                if pair {
                    self.at += 2;
                    let low = self.hex4()?;
                    let code = 0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                } else {
                    char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
            }
            _ => return Err(self.wrong("a known escape")),
        })
    }

    fn hex4(&mut self) -> Result<u32, String> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|d| std::str::from_utf8(d).ok());
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_back() {
        let text = r#"{"a":[1,-2.5,true,null],"quote\" back\\ tab\u0009 é":{},"e":[]}"#;
        let value = parse(text).unwrap();
        assert_eq!(value.print(), text);
        assert_eq!(parse(&value.print()).unwrap(), value);
        assert_eq!(parse(r#""\ud83d\ude00\n""#).unwrap(), Json::text("😀\n"));
    }

    #[test]
    fn malformed_text_is_an_error_with_its_place() {
        for text in ["", "{", "[1,", "{\"a\" 1}", "\"\\u12", "nul", "1 2", "\"\\x\"", "-"] {
            assert!(parse(text).unwrap_err().contains("at byte"), "{text}");
        }
    }
}
