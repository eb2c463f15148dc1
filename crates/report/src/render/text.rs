//! Text for editors and scripts: `file:line:col: severity: message [rule]`, followed by the notes of the finding.

use crate::finding::Finding;
use crate::visible::visible;
use std::io::{self, Write};

pub fn write(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for f in findings {
        let (severity, message, rule) = (f.severity.name(), visible(&f.message), &f.rule);
        writeln!(out, "{}:{}:{}: {severity}: {message} [{rule}]", visible(&f.file), f.line, f.column)?;
        for note in &f.related {
            let (file, message) = (visible(&note.file), visible(&note.message));
            writeln!(out, "{file}:{}:{}: note: {message}", note.line, note.column)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn text(findings: &[Finding]) -> String {
        let mut out = Vec::new();
        write(findings, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_line_for_each_place() {
        insta::assert_snapshot!(text(&[sample::finding(), sample::across_files()]));
    }

    #[test]
    fn hostile_names_stay_on_their_line() {
        let mut finding = sample::finding();
        finding.file = "a\n\x1b[2Jb.c".into();
        finding.related.clear();
        let text = text(&[finding]);
        assert!(text.starts_with("a\\n\\x1b[2Jb.c:") && text.lines().count() == 1, "{text}");
    }
}
