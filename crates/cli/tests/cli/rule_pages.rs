//! The examples on the pages of rules and noise classes are true: `gainsay check` reports the lines marked `//~ rule-id`,
//! and no others. On the page of a noise class no line is reported, and findings of the class are hidden.

use crate::project::Project;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn examples_are_reported_as_marked() {
    let mut wrong = Vec::new();
    for page in rules().into_iter().chain(noise_classes()) {
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
fn every_rule_has_examples_of_both_kinds() {
    let pages = rules();
    assert!(pages.len() >= 6, "{pages:?}");
    for page in pages {
        let id = stem(&page);
        let marks: Vec<BTreeSet<_>> = page_examples(&page).iter().map(|example| marked(example)).collect();
        assert!(marks.iter().any(BTreeSet::is_empty), "{id}: no example that is not reported");
        assert!(marks.iter().flatten().all(|(_, rule)| *rule == id), "{id}: marks of other rules");
        assert!(marks.iter().any(|marks| !marks.is_empty()), "{id}: no example that is reported");
    }
}

#[test]
fn every_noise_class_has_an_example_that_is_hidden() {
    let pages = noise_classes();
    assert!(pages.len() >= 7, "{pages:?}");
    for page in pages {
        let class = stem(&page);
        let examples = page_examples(&page);
        assert!(examples.iter().all(|example| marked(example).is_empty()), "{class}: a line is marked");
        let hides = |example: &String| {
            let (_, report) = Project::new(&[("t.c", example)]).check(&["t.c"]);
            report["coverage"]["hidden"][&class].as_u64().is_some_and(|n| n > 0)
        };
        assert!(examples.iter().any(hides), "{class}: no example has a hidden finding of the class");
    }
}

fn rules() -> Vec<PathBuf> {
    pages("docs/rules")
}

fn noise_classes() -> Vec<PathBuf> {
    pages("docs/noise").into_iter().filter(|page| stem(page) != "README").collect()
}

fn pages(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root.join(folder)).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    pages
}

fn stem(page: &Path) -> String {
    page.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn page_examples(page: &Path) -> Vec<String> {
    examples(&fs::read_to_string(page).unwrap()).into_iter().map(|(_, example)| example).collect()
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
