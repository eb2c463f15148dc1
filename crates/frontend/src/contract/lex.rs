//! Tokens of an annotation. ACSL's `@` is white space; Unicode operators are read as their ASCII forms.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// An identifier or keyword, including those like `\null`.
    Word(&'a str),
    Number(u64),
    Mark(&'static str),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// Unit: bytes.
    pub(super) offset: usize,
}

/// A mark that is a prefix of another one comes after it.
const MARKS: &[(&str, &str)] = &[
    ("<==>", "<==>"),
    ("==>", "==>"),
    ("⇒", "==>"),
    ("<=", "<="),
    ("≤", "<="),
    (">=", ">="),
    ("≥", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("≠", "!="),
    ("&&", "&&"),
    ("∧", "&&"),
    ("||", "||"),
    ("∨", "||"),
    ("<<", "<<"),
    (">>", ">>"),
    ("..", ".."),
    ("->", "->"),
    ("∀", "\\forall"),
    ("∃", "\\exists"),
    ("¬", "!"),
    ("!", "!"),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("(", "("),
    (")", ")"),
    (",", ","),
    (":", ":"),
    (";", ";"),
    ("[", "["),
    ("]", "]"),
    (".", "."),
    ("&", "&"),
    ("|", "|"),
    ("^", "^"),
    ("~", "~"),
    ("?", "?"),
    ("{", "{"),
    ("}", "}"),
];

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '@');
        // A comment inside the annotation.
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        let offset = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return tokens };
        let (kind, length) = if let Some((mark, meaning)) = MARKS.iter().find(|(m, _)| rest.starts_with(m)) {
            (Kind::Mark(meaning), mark.len())
        } else if let Some((value, length)) = character(rest) {
            (Kind::Number(value), length)
        } else if first == '\\' || first == '_' || first.is_ascii_alphanumeric() {
            let word = &rest[..1 + word_length(&rest[1..])];
            // A line continuation in a `//@` comment.
            match word {
                "\\" if rest[1..].starts_with(['\n', '\r']) => {
                    rest = &rest[1..];
                    continue;
                }
                _ if first.is_ascii_digit() => (number(word).map_or(Kind::Unknown, Kind::Number), word.len()),
                _ => (Kind::Word(word), word.len()),
            }
        } else {
            (Kind::Unknown, first.len_utf8())
        };
        tokens.push(Token { kind, offset });
        rest = &rest[length..];
    }
}

/// A character constant: its value as an `int`, and its length.
fn character(text: &str) -> Option<(u64, usize)> {
    let inside = text.strip_prefix('\'')?;
    let (value, length) = match inside.strip_prefix('\\') {
        Some(escaped) => {
            let value = match escaped.chars().next()? {
                'n' => 10,
                't' => 9,
                'r' => 13,
                '0' => 0,
                c @ ('\\' | '\'' | '"') => c.into(),
                _ => return None,
            };
            (value, 2)
        }
        None => (inside.chars().next().filter(|c| c.is_ascii_graphic() || *c == ' ')?.into(), 1),
    };
    inside[length..].starts_with('\'').then_some((value, length + 2))
}

fn word_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// An integer constant of C.
fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(&digits[1..], 8).ok(),
        None => digits.parse().ok(),
    }
}
