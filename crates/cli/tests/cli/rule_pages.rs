//! The examples on the pages of the rules are true: `gainsay check` reports the lines marked `//~ rule-id`, and no
//! others. The examples on the page about noise show nothing.

use crate::project::Project;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn examples_are_reported_as_marked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wrong = Vec::new();
    for page in pages(&root) {
        let text = fs::read_to_string(&page).unwrap();
        for (first_line, example) in examples(&text) {
            let project = Project::new(&[("t.c", &example)]);
            // Analyses that are off by default are named on the pages of their rules, and change nothing on others.
            let named = ["--beliefs", "--evidence=default"].into_iter();
            let named = named.filter(|option| text.contains(&format!("check {option}")));
            let (_, report) = project.check(&["t.c"].into_iter().chain(named).collect::<Vec<_>>());
            let at = format!("{}:{first_line}", page.display());
            assert_eq!(report["coverage"]["erroneous_units"], serde_json::json!([]), "{at}");
            let of_finding = |finding: &serde_json::Value| {
                (finding["line"].as_u64().unwrap() as usize, finding["rule"].as_str().unwrap().to_owned())
            };
            let reported: BTreeSet<_> =
                report["findings"].as_array().unwrap().iter().map(of_finding).collect();
            if reported != marked(&example) {
                wrong.push(format!("{at}: marked {:?}, reported {reported:?}", marked(&example)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_has_examples_of_both_kinds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages(&root);
    assert!(pages.len() >= 6, "{pages:?}");
    for page in pages {
        let id = page.file_stem().unwrap().to_str().unwrap().to_owned();
        let examples = examples(&fs::read_to_string(&page).unwrap());
        let marks: Vec<BTreeSet<_>> = examples.iter().map(|(_, example)| marked(example)).collect();
        assert!(marks.iter().any(BTreeSet::is_empty), "{id}: no example that is not reported");
        if id == "noise" {
            assert!(marks.iter().all(BTreeSet::is_empty), "{id}");
        } else {
            assert!(marks.iter().flatten().all(|(_, rule)| *rule == id), "{id}: marks of other rules");
            assert!(marks.iter().any(|marks| !marks.is_empty()), "{id}: no example that is reported");
        }
    }
}

fn pages(root: &Path) -> Vec<PathBuf> {
    let rules = fs::read_dir(root.join("docs/rules")).unwrap();
    let mut pages: Vec<PathBuf> = rules.map(|page| page.unwrap().path()).collect();
    pages.push(root.join("docs/noise.md"));
    pages.sort();
    pages
}

/// The blocks of C on a page, each with the line it begins on.
fn examples(page: &str) -> Vec<(usize, String)> {
    let mut examples: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (i, line) in page.lines().enumerate() {
        match (inside, line) {
            (false, "```c") => {
                inside = true;
                examples.push((i + 2, String::new()));
            }
            (true, "```") => inside = false,
            (true, line) => {
                if let Some((_, example)) = examples.last_mut() {
                    example.push_str(line);
                    example.push('\n');
                }
            }
            (false, _) => {}
        }
    }
    examples
}

fn marked(example: &str) -> BTreeSet<(usize, String)> {
    let of_line = |(i, line): (usize, &str)| {
        let (_, rule) = line.split_once("//~")?;
        Some((i + 1, rule.trim().to_owned()))
    };
    example.lines().enumerate().filter_map(of_line).collect()
}
