//! Every rule has a page in docs/rules/, every page a rule, and every noise class a page or a section of docs/noise.md.

use super::repository::{Complaint, Repository, without_tests};

const RULES: &str = "crates/report/src/rules.rs";
const NOISE: &str = "crates/report/src/noise.rs";
const NOISE_PAGE: &str = "docs/noise.md";

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let (Some(rules), Some(noise)) = (repository.text(RULES), repository.text(NOISE)) else {
        return vec![Complaint::in_file(RULES, format!("missing, or {NOISE}"))];
    };
    let rules: Vec<(usize, &str)> = ids(rules).collect();
    let classes: Vec<(usize, &str)> = quoted_after(noise, "=> ").collect();
    let mut complaints = Vec::new();
    for (file, names) in [(RULES, &rules), (NOISE, &classes)] {
        if names.is_empty() {
            complaints.push(Complaint::in_file(file, "no names found; adapt tidy/rules.rs"));
        }
    }
    for &(line, id) in &rules {
        if !repository.has(&format!("docs/rules/{id}.md")) {
            complaints.push(Complaint::at(RULES, line, format!("rule {id} has no page docs/rules/{id}.md")));
        }
    }
    for (page, _) in repository.matching("docs/rules/", ".md") {
        if !rules.iter().any(|(_, id)| page == format!("docs/rules/{id}.md")) {
            complaints.push(Complaint::in_file(page, format!("no rule of this name in {RULES}")));
        }
    }
    let sections = repository.text(NOISE_PAGE).unwrap_or_default();
    for (line, class) in classes {
        let has_section = sections.lines().any(|line| line == format!("## {class}"));
        if !has_section && !repository.has(&format!("docs/noise/{class}.md")) {
            let what = format!(
                "class {class} has neither a section in {NOISE_PAGE} nor a page docs/noise/{class}.md"
            );
            complaints.push(Complaint::at(NOISE, line, what));
        }
    }
    complaints
}

/// The ids in the table of rules, quoted or as a constant of the same file.
fn ids(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(move |(number, line)| {
        let id = line.trim().strip_prefix("id: ")?.strip_suffix(',')?;
        let definition = format!("const {id}: &str = ");
        let quoted = if id.starts_with('"') { id } else { text.split_once(&definition)?.1 };
        quoted.strip_prefix('"')?.split_once('"').map(|(id, _)| (number, id))
    })
}

/// The quoted text after this prefix on each line that has it, with the number of the line.
fn quoted_after<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    without_tests(text).lines().enumerate().filter_map(move |(number, line)| {
        let (_, rest) = line.split_once(prefix)?;
        let (name, _) = rest.strip_prefix('"')?.split_once('"')?;
        Some((number, name))
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    const TABLE: (&str, &str) = (RULES, "Rule {\n    id: \"endless\",\n},");
    const CLASSES: (&str, &str) = (NOISE, "Noise::Macro => \"macro\",\n");
    const PAGE: (&str, &str) = ("docs/rules/endless.md", "# endless\n");
    const SECTION: (&str, &str) = (NOISE_PAGE, "# Noise\n\n## macro\n");

    #[test]
    fn rules_and_classes_with_pages_are_accepted() {
        assert!(complaints(check, &[TABLE, CLASSES, PAGE, SECTION]).is_empty());
        assert!(complaints(check, &[TABLE, CLASSES, PAGE, ("docs/noise/macro.md", "")]).is_empty());
        let constant = (RULES, "pub const ENDLESS: &str = \"endless\";\nRule {\n    id: ENDLESS,\n},");
        assert!(complaints(check, &[constant, CLASSES, PAGE, SECTION]).is_empty());
    }

    #[test]
    fn what_has_no_page_is_found() {
        let no_page = complaints(check, &[TABLE, CLASSES, SECTION]);
        assert_eq!(no_page, ["crates/report/src/rules.rs:2: rule endless has no page docs/rules/endless.md"]);
        assert!(complaints(check, &[TABLE, CLASSES, PAGE])[0].contains("class macro has neither"));
        let stale = ("docs/rules/gone.md", "");
        assert_eq!(complaints(check, &[TABLE, CLASSES, PAGE, SECTION, stale]).len(), 1);
        assert_eq!(complaints(check, &[PAGE, SECTION]).len(), 1);
        assert_eq!(complaints(check, &[(RULES, ""), CLASSES, SECTION]).len(), 1);
    }
}
