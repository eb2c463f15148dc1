//! A reader of S-expressions for the answers of solvers. Answers come from another program, so they may be malformed.

use super::ReadError;
use crate::limits::MAX_ANSWER_DEPTH;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexpr {
    /// A symbol, number or keyword; bars around a symbol are removed.
    Atom(String),
    /// A string literal, quotes removed.
    Text(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// All expressions of a text, in order.
    pub fn read_all(text: &str) -> Result<Vec<Sexpr>, ReadError> {
        let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (item, length) = match c {
                _ if c.is_whitespace() => (None, c.len_utf8()),
                ';' => (None, rest.find('\n').unwrap_or(rest.len())),
                '(' if open.len() > MAX_ANSWER_DEPTH => {
                    return Err(ReadError::new("too many parentheses", text));
                }
                '(' => {
                    open.push(Vec::new());
                    (None, 1)
                }
                ')' => {
                    let list = open.pop().filter(|_| !open.is_empty());
                    (Some(Sexpr::List(list.ok_or_else(|| unbalanced(text))?)), 1)
                }
                '"' => {
                    let (literal, length) = string_literal(rest).ok_or_else(|| unbalanced(text))?;
                    (Some(Sexpr::Text(literal)), length)
                }
                '|' => {
                    let end = rest[1..].find('|').ok_or_else(|| unbalanced(text))?;
                    (Some(Sexpr::Atom(rest[1..=end].to_owned())), end + 2)
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || "()\";|".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    (Some(Sexpr::Atom(rest[..end].to_owned())), end)
                }
            };
            if let (Some(item), Some(list)) = (item, open.last_mut()) {
                list.push(item);
            }
            rest = &rest[length..];
        }
        match (open.pop(), open.is_empty()) {
            (Some(all), true) => Ok(all),
            _ => Err(unbalanced(text)),
        }
    }

    pub fn as_atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(atom) => Some(atom),
            Sexpr::Text(_) | Sexpr::List(_) => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(list) => Some(list),
            Sexpr::Atom(_) | Sexpr::Text(_) => None,
        }
    }

    /// The message of `(error "message")`.
    pub fn as_error(&self) -> Option<&str> {
        match self.as_list()? {
            [Sexpr::Atom(head), Sexpr::Text(message)] if head == "error" => Some(message),
            _ => None,
        }
    }
}

/// The literal at the beginning of `text` and its length in the text. A doubled quote stands for one.
fn string_literal(text: &str) -> Option<(String, usize)> {
    let mut literal = String::new();
    let mut at = 1;
    loop {
        let end = at + text[at..].find('"')?;
        literal.push_str(&text[at..end]);
        if !text[end + 1..].starts_with('"') {
            return Some((literal, end + 1));
        }
        literal.push('"');
        at = end + 2;
    }
}

fn unbalanced(text: &str) -> ReadError {
    ReadError::new("an S-expression that does not end where it should", text)
}
