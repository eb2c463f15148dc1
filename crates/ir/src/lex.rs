//! A cursor over the text form: names, numbers, quoted strings and signs, with places for messages.
//!
//! It is asked for what may stand at a place instead of cutting the text into tokens beforehand: `-p` is a
//! negated variable before an operand and a pointer difference after one.

use crate::gc::BinaryOp;
use crate::syntax::{self, BINARY_OPS};
use std::borrow::Cow;
use std::fmt;

/// Why a text is not guarded commands. Line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

pub type Result<T> = std::result::Result<T, ParseError>;

pub struct Cursor<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Cursor { text, pos: 0 }
    }

    pub fn position(&self) -> usize {
        self.pos
    }

    pub fn go_to(&mut self, position: usize) {
        self.pos = position;
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_at(self.pos, message)
    }

    /// An error at the position, or at what follows the blanks there.
    pub fn error_at<T>(&self, position: usize, message: impl Into<String>) -> Result<T> {
        let blanks = self.text.as_bytes()[position..].iter().take_while(|&&b| b == b' ').count();
        let before = &self.text[..position + blanks];
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Err(ParseError { line, column, message: message.into() })
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// The next byte after blanks of the same line.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r') = self.rest().first() {
            self.pos += 1;
        }
        self.rest().first().copied()
    }

    /// Goes over line ends and comments too.
    pub fn skip_lines(&mut self) {
        loop {
            match self.peek() {
                Some(b'\n') => self.pos += 1,
                Some(b';') => self.skip_rest_of_line(),
                _ => return,
            }
        }
    }

    /// Goes to the end of the line, not over it.
    pub fn skip_rest_of_line(&mut self) {
        self.pos += self.rest().iter().position(|&b| b == b'\n').unwrap_or(self.rest().len());
    }

    pub fn at_line_end(&mut self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b';'))
    }

    pub fn at_end(&mut self) -> bool {
        self.skip_lines();
        self.rest().is_empty()
    }

    pub fn line_end(&mut self) -> Result<()> {
        if !self.at_line_end() {
            return self.error("the line should end here");
        }
        self.skip_lines();
        Ok(())
    }

    pub fn eat(&mut self, sign: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(sign.as_bytes());
        if found {
            self.pos += sign.len();
        }
        found
    }

    pub fn expect(&mut self, sign: &str) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { self.error(format!("expected `{sign}`")) }
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let len = self.rest().iter().position(|&b| !keep(b)).unwrap_or(self.rest().len());
        let taken = &self.text[self.pos..self.pos + len];
        self.pos += len;
        taken
    }

    /// An unquoted name or keyword; `None` and no move if there is none.
    pub fn word(&mut self) -> Option<&'a str> {
        self.peek().filter(|&b| syntax::starts_name(b))?;
        Some(self.take_while(syntax::continues_name))
    }

    /// The next word, without moving.
    pub fn peek_word(&mut self) -> Option<&'a str> {
        let start = self.pos;
        let word = self.word();
        self.pos = start;
        word
    }

    /// Goes over the word if it comes next.
    pub fn eat_word(&mut self, expected: &str) -> bool {
        let start = self.pos;
        let found = self.word() == Some(expected);
        if !found {
            self.pos = start;
        }
        found
    }

    pub fn expect_word(&mut self, expected: &str) -> Result<()> {
        if self.eat_word(expected) { Ok(()) } else { self.error(format!("expected `{expected}`")) }
    }

    /// A word that may hold dashes: `else-if`, `null-call`.
    pub fn dashed_word(&mut self) -> &'a str {
        self.peek();
        self.take_while(|b| b.is_ascii_alphanumeric() || b == b'-')
    }

    /// A name, quoted or not.
    pub fn name(&mut self) -> Result<Cow<'a, str>> {
        if let Some(word) = self.word() {
            return Ok(word.into());
        }
        self.quoted_name()
    }

    /// Half of a `record.field`: no dots unless quoted.
    pub fn part_name(&mut self) -> Result<Cow<'a, str>> {
        if self.peek().is_some_and(syntax::starts_name) {
            return Ok(self.take_while(|b| syntax::continues_name(b) && b != b'.').into());
        }
        self.quoted_name()
    }

    fn quoted_name(&mut self) -> Result<Cow<'a, str>> {
        let start = self.pos;
        match self.peek() {
            Some(b'"') => match String::from_utf8(self.quoted()?) {
                Ok(name) => Ok(name.into()),
                Err(_) => self.error_at(start, "a name must be UTF-8"),
            },
            _ => self.error("expected a name"),
        }
    }

    /// The bytes of a quoted string.
    pub fn quoted(&mut self) -> Result<Vec<u8>> {
        self.expect("\"")?;
        let mut bytes = Vec::new();
        loop {
            let Some(&byte) = self.rest().first() else { return self.error("the string is not closed") };
            match byte {
                b'"' => {
                    self.pos += 1;
                    return Ok(bytes);
                }
                b'\n' => return self.error("the string is not closed"),
                b'\\' => bytes.push(self.escape()?),
                _ => {
                    bytes.push(byte);
                    self.pos += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u8> {
        let (byte, len) = match self.rest() {
            [_, b'n', ..] => (b'\n', 2),
            [_, c @ (b'"' | b'\\'), ..] => (*c, 2),
            [_, b'x', high, low, ..] => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, 4),
                _ => return self.error("`\\x` needs two hexadecimal digits"),
            },
            _ => return self.error("unknown escape; known are \\n \\\" \\\\ and \\x with two digits"),
        };
        self.pos += len;
        Ok(byte)
    }

    pub fn number<T: TryFrom<u128>>(&mut self) -> Result<T> {
        let start = self.pos;
        self.peek();
        let digits = self.take_while(|b| b.is_ascii_digit());
        if digits.is_empty() {
            return self.error("expected a number");
        }
        match digits.parse::<u128>().ok().and_then(|number| T::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => self.error_at(start, "the number is too large"),
        }
    }

    /// The digits of a hexadecimal number after `0x`. Its type's `f` would be a digit too, so exactly as
    /// many are taken as stand before the last `f`.
    pub fn hex_before_suffix(&mut self) -> Result<u128> {
        let start = self.pos;
        let digits = self.take_while(|b| b.is_ascii_hexdigit());
        let Some(suffix) = digits.rfind('f') else { return self.error("expected `f` and a width") };
        self.pos = start + suffix;
        match u128::from_str_radix(&digits[..suffix], 16) {
            Ok(bits) => Ok(bits),
            Err(_) => self.error_at(start, "expected at most 32 hexadecimal digits"),
        }
    }

    /// An infix operator, if one comes next.
    pub fn infix(&mut self) -> Option<BinaryOp> {
        self.peek();
        let rest = self.rest();
        let fits = |sign: &str| {
            let ends_in_letter = sign.ends_with(|c: char| c.is_ascii_alphabetic());
            rest.starts_with(sign.as_bytes())
                && !(ends_in_letter && rest.get(sign.len()).is_some_and(|&b| syntax::continues_name(b)))
        };
        let (sign, op) = BINARY_OPS.iter().find(|(sign, _)| fits(sign))?;
        self.pos += sign.len();
        Some(*op)
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}
