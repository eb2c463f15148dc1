//! The units of a compile database as `gainsay print-args` tells them: flags that clang's driver takes as they are.

use crate::json::{self, Json};

/// One translation unit.
pub(crate) struct Unit {
    pub(crate) directory: String,
    pub(crate) file: String,
    /// For clang's driver, beginning with the program's name and ending in `-- FILE`.
    pub(crate) arguments: Vec<String>,
}

impl Unit {
    /// The source as the command line names it.
    pub(crate) fn source(&self) -> &str {
        self.arguments.last().unwrap_or(&self.file)
    }

    /// What stands between the program and the source.
    pub(crate) fn flags(&self) -> &[String] {
        let end = self.arguments.iter().rposition(|word| word == "--");
        self.arguments.get(1..end.unwrap_or(self.arguments.len().saturating_sub(1))).unwrap_or_default()
    }
}

/// The output of `gainsay print-args`: one JSON object per line.
pub(crate) fn read(text: &str) -> Result<Vec<Unit>, String> {
    let unit = |value: &Json| {
        let text = |name: &str| value.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Unit {
            directory: text("directory")?,
            file: text("file")?,
            arguments: value.get("arguments")?.strings(),
        })
    };
    text.lines().map(|line| unit(&json::parse(line)?).ok_or_else(|| format!("not a unit: {line}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_one_per_line_and_complete() {
        let unit = r#"{"directory":"/d","file":"x/a.c","arguments":["clang","-DX","--","a.c"]}"#;
        let both = read(&format!("{unit}\n{unit}\n")).unwrap();
        assert_eq!((both.len(), both[1].source(), both[1].flags()), (2, "a.c", &["-DX".to_owned()][..]));
        assert!(read(r#"{"file":"a.c"}"#).is_err());
    }
}
