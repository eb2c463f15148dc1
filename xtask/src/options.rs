//! Reads the options of one xtask command: `--name VALUE`, `--flag`, and words.

/// The words of a command line that no option has taken yet.
pub(crate) struct Options {
    words: Vec<String>,
}

impl Options {
    pub(crate) fn new(words: &[String]) -> Options {
        Options { words: words.to_vec() }
    }

    /// Whether the flag is there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// The value after an option.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(at) = self.words.iter().position(|word| word == name) else { return Ok(None) };
        if at + 1 == self.words.len() {
            return Err(format!("{name} needs a value"));
        }
        self.words.remove(at);
        Ok(Some(self.words.remove(at)))
    }

    /// The number after an option.
    pub(crate) fn number(&mut self, name: &str, default: u64) -> Result<u64, String> {
        let Some(text) = self.value(name)? else { return Ok(default) };
        text.parse().map_err(|_| format!("{name} needs a number, not `{text}`"))
    }

    /// Everything left, which may hold no options.
    pub(crate) fn words(self) -> Result<Vec<String>, String> {
        match self.words.iter().find(|word| word.starts_with('-')) {
            Some(option) => Err(format!("unknown option `{option}`; see `cargo xtask help`")),
            None => Ok(self.words),
        }
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.words()?.first() {
            Some(word) => Err(format!("unexpected `{word}`; see `cargo xtask help`")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_values_and_words_are_told_apart() {
        let words = ["zlib", "--runs", "3", "--all", "bc"].map(str::to_owned);
        let mut options = Options::new(&words);
        assert!(options.flag("--all") && !options.flag("--all"));
        assert_eq!((options.number("--runs", 1), options.number("-j", 2)), (Ok(3), Ok(2)));
        assert_eq!(options.words().unwrap(), ["zlib", "bc"]);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let options = |words: &[&str]| Options::new(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>());
        assert!(options(&["--runs"]).value("--runs").is_err());
        assert!(options(&["--runs", "many"]).number("--runs", 1).is_err());
        assert!(options(&["--sede", "3"]).words().unwrap_err().contains("--sede"));
        assert!(options(&["extra"]).end().unwrap_err().contains("extra"));
    }
}
