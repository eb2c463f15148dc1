//! The units of a compile database as `gainsay print-args` prints them, with flags that clang's driver accepts unchanged.

use serde::{Deserialize, Serialize};

use crate::json;

/// One translation unit.
#[derive(Deserialize, Serialize)]
pub(crate) struct Unit {
    pub(crate) directory: String,
    pub(crate) file: String,
    /// For clang's driver, from the program's name to `-- FILE`.
    pub(crate) arguments: Vec<String>,
}

impl Unit {
    /// The source as the command line names it.
    pub(crate) fn source(&self) -> &str {
        self.arguments.last().unwrap_or(&self.file)
    }

    /// The arguments between the program and the source.
    pub(crate) fn flags(&self) -> &[String] {
        let end = self.arguments.iter().rposition(|word| word == "--");
        self.arguments.get(1..end.unwrap_or(self.arguments.len().saturating_sub(1))).unwrap_or_default()
    }
}

/// Reads the output of `gainsay print-args`: one JSON object per line.
pub(crate) fn read(text: &str) -> Result<Vec<Unit>, String> {
    text.lines().map(|line| json::parse(line).map_err(|e| format!("not a unit: {line}: {e}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_complete_unit() {
        let unit = r#"{"directory":"/d","file":"x/a.c","arguments":["clang","-DX","--","a.c"]}"#;
        let both = read(&format!("{unit}\n{unit}\n")).unwrap();
        assert_eq!((both.len(), both[1].source(), both[1].flags()), (2, "a.c", &["-DX".to_owned()][..]));
        assert!(read(r#"{"file":"a.c"}"#).is_err());
    }
}
