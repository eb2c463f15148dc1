//! `cargo xtask new-rule NAME`: a row in the table of rules, its page with runnable examples, a test program, and a line
//! in the changelog.

use std::path::Path;

use super::{Changes, PLACEHOLDER, is_name};
use crate::workspace;

const TABLE: &str = "crates/report/src/rules.rs";
const CHANGELOG: &str = "CHANGELOG.md";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Name of the rule, as users see it: lower-case words joined by hyphens
    name: String,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    create(&workspace::root(), &options.name)?;
    println!("\nNext: replace every `{PLACEHOLDER}`, and report the rule in crates/analysis.");
    println!(
        "`cargo test -p gainsay` fails until the marked lines are reported; `cargo xtask tidy` finds placeholders."
    );
    Ok(())
}

fn create(root: &Path, name: &str) -> Result<(), String> {
    if !is_name(name, '-') {
        return Err(format!("`{name}` is not a name of lower-case words joined by hyphens"));
    }
    let mut changes = Changes { files: Vec::new() };
    changes.create(root, format!("docs/rules/{name}.md"), page(name))?;
    changes.create(root, format!("tests/c/reach/{}.c", name.replace('-', "_")), program(name))?;
    changes.edit(root, TABLE, |text| with_row(text, name))?;
    changes.edit(root, CHANGELOG, |text| with_line(text, name))?;
    changes.write(root)
}

fn page(name: &str) -> String {
    format!(
        "# {name}

{PLACEHOLDER}: what the code does, and why that is a contradiction.

```c
int example(int value) {{
    if (value > 0) //~ {name}
        return 1;
    return 0;
}}
```

{PLACEHOLDER}: why the marked line is reported, and what to do about it.

## Not reported

{PLACEHOLDER}: similar code that is correct.

```c
int similar(int value) {{
    if (value > 0)
        return 1;
    return 0;
}}
```
"
    )
}

fn program(name: &str) -> String {
    format!(
        "// {name}: {PLACEHOLDER}: what is reported.

int example_bad(int value) {{
  if (value > 0) //~ {name}
    return 1;
  return 0;
}}

int similar_ok(int value) {{
  if (value > 0)
    return 1;
  return 0;
}}
"
    )
}

/// The table is sorted by id.
fn with_row(text: &str, name: &str) -> Option<String> {
    const START: &str = "    Rule {\n";
    let row = format!(
        "{START}        id: \"{name}\",
        severity: Severity::Warning,
        title: \"{PLACEHOLDER}: a few words\",
        description: \"{PLACEHOLDER}: one sentence.\",
        cwe: &[],
        precision: PROVED,
        page: include_str!(\"../../../docs/rules/{name}.md\"),
    }},
"
    );
    let rows: Vec<usize> = text.match_indices(START).map(|(at, _)| at).collect();
    let page_of =
        |at: usize| text[at..].split_once("docs/rules/").and_then(|(_, rest)| rest.split_once(".md"));
    let greater = rows.iter().copied().find(|&at| page_of(at).is_some_and(|(id, _)| id > name));
    let end = || rows.last().and_then(|&last| text[last..].find("];\n").map(|at| last + at));
    let at = greater.or_else(end)?;
    Some(format!("{}{row}{}", &text[..at], &text[at..]))
}

/// The first line of the unreleased additions.
fn with_line(text: &str, name: &str) -> Option<String> {
    const ADDED: &str = "### Added\n";
    let unreleased = text.find("## Unreleased\n")?;
    let end = text[unreleased + 1..].find("\n## ").map_or(text.len(), |at| unreleased + 1 + at);
    let line = format!("- Rule `{name}`: {PLACEHOLDER}: what is reported.\n");
    match text[unreleased..end].find(ADDED) {
        Some(at) => {
            let at = unreleased + at + ADDED.len();
            Some(format!("{}{line}{}", &text[..at], &text[at..]))
        }
        None => {
            let at = unreleased + "## Unreleased\n".len();
            Some(format!("{}\n{ADDED}{line}{}", &text[..at], &text[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Copy;
    use super::*;

    #[test]
    fn a_rule_gets_a_row_a_page_a_test_and_a_line() {
        let copy = Copy::new("new-rule", &[TABLE, CHANGELOG]);
        for name in ["aaa-first", "fatal-example", "zzz-last"] {
            create(&copy.0, name).unwrap();
            let page = copy.text(&format!("docs/rules/{name}.md"));
            assert!(page.starts_with(&format!("# {name}\n")) && page.contains(&format!("//~ {name}\n")));
            assert!(
                copy.text(&format!("tests/c/reach/{}.c", name.replace('-', "_")))
                    .contains("int example_bad(")
            );
            assert!(copy.text(CHANGELOG).contains(&format!("### Added\n- Rule `{name}`: ")));
        }
        let table = copy.text(TABLE);
        let pages: Vec<&str> = table
            .split("docs/rules/")
            .skip(2)
            .filter_map(|rest| rest.split_once(".md"))
            .map(|(id, _)| id)
            .collect();
        assert!(
            pages.is_sorted()
                && ["aaa-first", "fatal-example", "zzz-last"].iter().all(|id| pages.contains(id))
        );
    }

    #[test]
    fn an_existing_rule_and_a_bad_name_change_nothing() {
        let copy = Copy::new("new-rule-again", &[TABLE, CHANGELOG, "docs/rules/endless.md"]);
        let before = copy.text(TABLE);
        assert!(create(&copy.0, "endless").is_err_and(|e| e.contains("exists")));
        assert!(create(&copy.0, "Bad Name").is_err());
        assert_eq!(copy.text(TABLE), before);
    }

    #[test]
    fn the_changelog_gets_a_section_if_there_is_none() {
        let text = with_line("# Changelog\n\n## Unreleased\n\n## 0.1\n\n### Added\n- Old.\n", "new").unwrap();
        assert!(text.contains("## Unreleased\n\n### Added\n- Rule `new`: "));
    }
}
