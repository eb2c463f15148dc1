//! Text for a terminal: each finding with an excerpt of its source, its place underlined and the related places labelled.

use crate::finding::{Finding, Severity};
use crate::limits::{EXCERPT_DISTANCE, LONGEST_LINE};
use crate::render::source::{Read, Source, Sources, token_end};
use crate::visible::{visible, visible_source};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::io::{self, Write};
use std::ops::Range;

/// Writes the findings with excerpts of the sources that `read` gives.
pub fn write(findings: &[Finding], read: &Read, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut sources = Sources::new(read);
    for finding in findings {
        writeln!(out, "{}\n", renderer.render(&report(finding, &mut sources)))?;
    }
    Ok(())
}

/// A place in an excerpt.
#[derive(Clone)]
struct LabelledPlace {
    kind: AnnotationKind,
    file: String,
    line: u32,
    column: u32,
    /// Column after the end, if known and on the same line.
    end: Option<u32>,
    label: Option<String>,
}

fn report(finding: &Finding, sources: &mut Sources) -> Vec<Group<'static>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(visible(&finding.message).into_owned()).id(finding.rule.clone());
    let mut main = Group::with_title(title);
    let mut others = Vec::new();
    for places in excerpts(finding) {
        let first = &places[0];
        let origin = |place: &LabelledPlace| {
            let origin = Origin::path(visible(&place.file).into_owned()).line(place.line as usize);
            origin.char_column(place.column as usize)
        };
        match sources.get(&first.file).and_then(|source| excerpt(&source, &places)) {
            Some(snippet) => main = main.element(snippet.path(visible(&first.file).into_owned())),
            // Without a usable source file, only the positions are shown, each with its label.
            None => {
                for place in places {
                    let origin = origin(&place);
                    match place.label {
                        None => main = main.element(origin),
                        Some(label) => others.push(Level::NOTE.secondary_title(label).element(origin)),
                    }
                }
            }
        }
    }
    others.insert(0, main);
    others
}

/// The places of a finding, grouped by excerpt. The finding's own place is the first of the first excerpt.
fn excerpts(finding: &Finding) -> Vec<Vec<LabelledPlace>> {
    let own = LabelledPlace {
        kind: AnnotationKind::Primary,
        file: finding.file.clone(),
        line: finding.line,
        column: finding.column,
        end: (finding.end_line == finding.line).then_some(finding.end_column),
        label: None,
    };
    let related = finding.related.iter().map(|related| LabelledPlace {
        kind: AnnotationKind::Context,
        file: related.file.clone(),
        line: related.line,
        column: related.column,
        end: None,
        label: Some(visible(&related.message).into_owned()),
    });
    let mut excerpts = vec![vec![own]];
    for place in related {
        let near = |other: &LabelledPlace| {
            other.file == place.file && other.line.abs_diff(place.line) <= EXCERPT_DISTANCE
        };
        match excerpts.iter_mut().find(|places| places.iter().any(near)) {
            Some(places) => places.push(place),
            None => excerpts.push(vec![place]),
        }
    }
    excerpts
}

/// `None` if the source does not have these lines, or a line is too long.
fn excerpt(
    source: &Source,
    places: &[LabelledPlace],
) -> Option<Snippet<'static, annotate_snippets::Annotation<'static>>> {
    let first = places.iter().map(|place| place.line).min()?;
    let last = places.iter().map(|place| place.line).max()?;
    let mut text = String::new();
    let mut annotations = Vec::new();
    for number in first..=last {
        let line = source.line(number).filter(|line| line.len() <= LONGEST_LINE)?;
        let decoded = String::from_utf8_lossy(line);
        let shown = visible_source(&decoded);
        for place in places.iter().filter(|place| place.line == number) {
            let span = span(line, place);
            let offset = |at: usize| {
                let before = String::from_utf8_lossy(&line[..at]);
                text.len() + char_boundary(&shown, visible_source(&before).len())
            };
            let annotation = place.kind.span(offset(span.start)..offset(span.end));
            annotations.push(annotation.label(place.label.clone()));
        }
        text.push_str(&shown);
        text.push('\n');
    }
    Some(Snippet::source(text).line_start(first as usize).annotations(annotations))
}

/// The bytes of its line that a place covers; the token at its beginning if the end is not known.
fn span(line: &[u8], place: &LabelledPlace) -> Range<usize> {
    let start = (place.column.max(1) - 1) as usize;
    let start = start.min(line.len());
    let end = place.end.map_or(0, |end| end.max(1) - 1) as usize;
    start..if end > start { end.min(line.len()) } else { token_end(line, start) }
}

fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Related;
    use crate::sample;

    fn shown(findings: &[Finding], read: &Read, color: bool) -> String {
        let mut out = Vec::new();
        write(findings, read, color, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn all_samples(color: bool) -> String {
        shown(&[sample::finding(), sample::across_files()], &sample::read, color)
    }

    #[test]
    fn places_are_shown_in_their_source() {
        insta::assert_snapshot!(all_samples(false));
    }

    #[test]
    fn colors_change_nothing_else() {
        let colored = all_samples(true);
        insta::assert_snapshot!(colored.replace('\x1b', "ESC"));
        let mut plain = String::new();
        for (i, piece) in colored.split("\x1b[").enumerate() {
            plain.push_str(if i == 0 { piece } else { piece.split_once('m').unwrap().1 });
        }
        assert_eq!(plain, all_samples(false));
    }

    #[test]
    fn missing_sources_leave_the_positions() {
        insta::assert_snapshot!(shown(&[sample::finding()], &|_| None, false));
        // A file that became shorter is treated like a missing one.
        assert_eq!(
            shown(&[sample::finding()], &|_| Some(b"short\n".to_vec()), false),
            shown(&[sample::finding()], &|_| None, false)
        );
    }

    #[test]
    fn odd_lines_are_underlined_where_they_should_be() {
        let text = "\tint \u{e9}\u{e9} = *p;\r\n\tif (!p) /* \u{ff}\u{6f22}\u{5b57} */ return;\r\n";
        let finding = Finding { line: 2, column: 6, end_line: 2, end_column: 8, ..sample::finding() };
        let related = Related { line: 1, column: 13, ..finding.related[0].clone() };
        let finding = Finding { related: vec![related], ..finding };
        insta::assert_snapshot!(shown(&[finding], &|_| Some(text.as_bytes().to_vec()), false));
    }

    #[test]
    fn long_lines_are_cut_around_the_place_and_very_long_ones_left_out() {
        for (repeats, excerpt) in [(500, true), (100_000, false)] {
            let long = format!("{}if (!p) return;{}\n", "x; ".repeat(repeats), " y;".repeat(repeats));
            let column = 3 * repeats as u32 + 5;
            let (end_column, related) = (column + 2, Vec::new());
            let finding = Finding { line: 1, column, end_line: 1, end_column, related, ..sample::finding() };
            let text = shown(&[finding], &|_| Some(long.clone().into_bytes()), false);
            assert!(text.len() < 1000 && text.contains(&format!("a.c:1:{column}")), "{text}");
            assert_eq!(text.contains("if (!p)"), excerpt, "{text}");
        }
    }

    #[test]
    fn every_position_is_accepted() {
        let texts: [&[u8]; 5] =
            [b"", b"\xff\xfe\n\x80\x80\x80", "é\né漢\n".as_bytes(), b"\r\r\r", b"a\tb\x1b[2J\n"];
        let numbers = [0, 1, 2, 3, 4, u32::MAX];
        for text in texts {
            for (line, column, end_line, end_column) in numbers.into_iter().flat_map(|a| {
                numbers.into_iter().flat_map(move |b| numbers.into_iter().map(move |c| (a, b, a, c)))
            }) {
                let related =
                    vec![Related { file: "a.c".into(), line: column, column: line, message: "n".into() }];
                let finding = Finding { line, column, end_line, end_column, related, ..sample::finding() };
                let text = shown(&[finding], &|_| Some(text.to_vec()), false);
                assert!(text.starts_with("warning[checked-too-late]: "), "{text}");
            }
        }
    }
}
