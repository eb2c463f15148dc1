//! The lexer of the toy languages in the twins of `beliefs`, `evidence` and `reach`: words, signs and `//` comments.

pub type Result<T> = std::result::Result<T, String>;

pub struct Token<'a> {
    pub text: &'a str,
    line: usize,
}

/// A text as tokens, and a position in it.
pub struct Tokens<'a> {
    pub all: Vec<Token<'a>>,
    /// The index of the next token.
    pub at: usize,
}

impl<'a> Tokens<'a> {
    /// `signs` lists every sign of the language, a longer one before its prefixes.
    pub fn new(text: &'a str, first_line: usize, signs: &[&str]) -> Result<Tokens<'a>> {
        let mut all = Vec::new();
        for (index, whole) in text.lines().enumerate() {
            let line = index + first_line;
            let mut rest = whole.trim_start();
            while !rest.is_empty() && !rest.starts_with("//") {
                let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let length = match signs.iter().find(|sign| rest.starts_with(**sign)) {
                    Some(sign) => sign.len(),
                    None if word > 0 => word,
                    None => return Err(format!("line {line}: unexpected `{rest}`")),
                };
                all.push(Token { text: &rest[..length], line });
                rest = rest[length..].trim_start();
            }
        }
        Ok(Tokens { all, at: 0 })
    }

    /// The next token; empty at the end.
    pub fn peek(&self) -> &'a str {
        self.all.get(self.at).map_or("", |token| token.text)
    }

    /// Skips the token if it is the next one.
    pub fn eat(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.at += usize::from(is_next);
        is_next
    }

    pub fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.error(&format!("expected `{text}`")) }
    }

    pub fn word(&mut self) -> Result<&'a str> {
        let word = self.peek();
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.at += 1;
            return Ok(word);
        }
        self.error("expected a word")
    }

    pub fn number(&mut self) -> Result<i64> {
        let is_negative = self.eat("-");
        match self.peek().parse::<i64>() {
            Ok(number) => {
                self.at += 1;
                Ok(if is_negative { -number } else { number })
            }
            Err(_) => self.error("expected a number"),
        }
    }

    /// The line of the next token; at the end, of the last one.
    pub fn line(&self) -> usize {
        self.all.get(self.at).or(self.all.last()).map_or(1, |token| token.line)
    }

    pub fn error<T>(&self, what: &str) -> Result<T> {
        Err(format!("line {}: {what}, not `{}`", self.line(), self.peek()))
    }
}
