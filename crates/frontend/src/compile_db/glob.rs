//! Globs of absolute paths as in clangd's `--query-driver`: `*` and `?` match within one path component, `**` across
//! components.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Vec<Token>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Within,
    /// `**`
    Across,
}

impl Glob {
    /// `None` if it cannot match an absolute path.
    pub(super) fn parse(text: &str) -> Option<Glob> {
        let mut tokens = Vec::new();
        for c in text.chars() {
            let token = match c {
                '*' if tokens.last() == Some(&Token::Within) => {
                    tokens.pop();
                    Token::Across
                }
                '*' => Token::Within,
                '?' => Token::One,
                c => Token::Char(c),
            };
            tokens.push(token);
        }
        matches!(tokens.first(), Some(Token::Char('/') | Token::Across)).then_some(Glob(tokens))
    }

    /// Does it match the whole path? Takes time proportional to the product of both lengths, by tracking the set of
    /// possible next tokens.
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut next = vec![false; self.0.len() + 1];
        next[0] = true;
        self.skip_empty(&mut next);
        for c in path.chars() {
            let mut after = vec![false; next.len()];
            for (at, token) in self.0.iter().enumerate().filter(|&(at, _)| next[at]) {
                match token {
                    Token::Char(wanted) => after[at + 1] |= *wanted == c,
                    Token::One => after[at + 1] |= c != '/',
                    Token::Within => after[at] |= c != '/',
                    Token::Across => after[at] = true,
                }
            }
            self.skip_empty(&mut after);
            next = after;
        }
        next[self.0.len()]
    }

    /// Stars match the empty string.
    fn skip_empty(&self, next: &mut [bool]) {
        for (at, token) in self.0.iter().enumerate() {
            if next[at] && matches!(token, Token::Within | Token::Across) {
                next[at + 1] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_component_and_two_do_not() {
        for (glob, path, expected) in [
            ("/usr/bin/arm-none-eabi-gcc", "/usr/bin/arm-none-eabi-gcc", true),
            ("/usr/bin/arm-*", "/usr/bin/arm-none-eabi-gcc", true),
            ("/usr/bin/arm-*", "/usr/bin/arm-x/gcc", false),
            ("/usr/bin/*-gcc", "/usr/bin/arm-none-eabi-gcc-12", false),
            ("/opt/**/*-gcc", "/opt/a/b/arm-none-eabi-gcc", true),
            ("/opt/**", "/opt/", true),
            ("**/arm-gcc", "/home/me/arm-gcc", true),
            ("/usr/bin/gcc-1?", "/usr/bin/gcc-12", true),
            ("/usr/bin?gcc", "/usr/bin/gcc", false),
            ("/usr/bin/gcc", "/usr/bin/gcc/", false),
            ("/a***b", "/axyz/b", true),
        ] {
            assert_eq!(Glob::parse(glob).unwrap().matches(path), expected, "{glob} {path}");
        }
        for glob in ["", "gcc", "*/gcc", "./gcc"] {
            assert_eq!(Glob::parse(glob), None, "{glob}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let glob = Glob::parse(&format!("/{}b", "**a*".repeat(200))).unwrap();
        assert!(!glob.matches(&format!("/{}", "a".repeat(5000))));
    }
}
