//! The output obeys the official schema, says what services look for, and stays as it is.

use super::*;
use crate::coverage::{GivenUp, UnitNote};
use crate::finding::Related;
use crate::sample;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn ledger() -> Coverage {
    Coverage {
        units: 3,
        units_failed: 1,
        edges_undecided: 2,
        failed_units: vec![UnitNote { file: "sub dir/b.c".into(), reason: "no such file".into() }],
        erroneous_units: vec![UnitNote { file: "a.c".into(), reason: "a.c:1:1: expected `;`".into() }],
        functions_given_up: vec![GivenUp {
            file: "a.c".into(),
            line: 0,
            function: "odd".into(),
            reason: "computed goto".into(),
        }],
        functions: 2,
        given_up: 1,
        ..Coverage::default()
    }
}

fn sarif(findings: &[Finding], coverage: &Coverage, read: &Read) -> String {
    let about = About { version: "0.1.0", directory: "/home/a b", coverage };
    let mut out = Vec::new();
    write(&about, findings, read, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Findings at every kind of odd place.
fn odd_findings() -> Vec<Finding> {
    let odd = |file: &str, line, column, end_line, end_column| Finding {
        file: file.into(),
        line,
        column,
        end_line,
        end_column,
        rule: "unknown-rule".into(),
        related: vec![Related { file: file.into(), line: 0, column: 0, message: "a[i] \\ b".into() }],
        ..sample::finding()
    };
    let mut findings =
        vec![odd("<built-in>", 0, 0, 0, 0), odd("ä%#?.c", 7, 7, 6, 1), odd("a.c", 5, 900, 5, 901)];
    findings.push(Finding { related: Vec::new(), severity: Severity::Note, ..odd("/x/y.c", 1, 1, 1, 2) });
    findings
}

#[test]
fn the_form_is_stable() {
    let text = sarif(&[sample::finding(), sample::across_files()], &ledger(), &sample::read);
    let mut json: Value = serde_json::from_str(&text).unwrap();
    // The pages have their own tests.
    for rule in json["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
        let page = rule["help"]["text"].take();
        assert_eq!(rule["help"]["markdown"].take(), page);
        assert!(page.as_str().unwrap().starts_with("# "));
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn the_version_comes_first() {
    let text = sarif(&[], &Coverage::default(), &|_| None);
    assert!(text.starts_with("{\n  \"$schema\": \"https://"), "{text}");
    assert!(text.lines().nth(2).unwrap().contains("\"version\": \"2.1.0\""), "{text}");
}

#[test]
fn the_official_schema_accepts_it() {
    let mut schema: Value = serde_json::from_slice(&std::fs::read(schema_path()).unwrap()).unwrap();
    assert!(schema["$id"].as_str().unwrap().contains("oasis-tcs/sarif-spec"));
    // A pattern that only JavaScript's regular expressions accept, of a field that is not written here.
    for place in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][place]["properties"]["language"];
        assert!(language.as_object_mut().unwrap().remove("pattern").is_some());
    }
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let mut findings = odd_findings();
    findings.extend([sample::finding(), sample::across_files()]);
    let partial = Coverage { partial: true, ..ledger() };
    for text in [
        sarif(&[], &Coverage::default(), &sample::read),
        sarif(&findings, &ledger(), &sample::read),
        sarif(&findings, &partial, &|_| None),
    ] {
        let json: Value = serde_json::from_str(&text).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
        // An independent reader understands it, too.
        serde_json::from_str::<serde_sarif::sarif::Sarif>(&text).unwrap();
    }
    let mut broken: Value = serde_json::from_str(&sarif(&findings, &ledger(), &sample::read)).unwrap();
    broken["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0.into();
    assert!(!validator.is_valid(&broken));
}

/// The schema of OASIS, which the sources of the crate serde-sarif hold.
fn schema_path() -> PathBuf {
    let host = run(Command::new("rustc").args(["--print", "host-tuple"]));
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    // Packages for other systems were not downloaded to build this test.
    let metadata = run(Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--offline",
            "--filter-platform",
            host.trim(),
            "--manifest-path",
        ])
        .arg(manifest));
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src/schema.json")
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn messages_link_to_their_places() {
    let json: Value = serde_json::from_str(&sarif(&odd_findings(), &ledger(), &|_| None)).unwrap();
    let result = &json["runs"][0]["results"][0];
    let message = result["message"]["text"].as_str().unwrap();
    assert!(message.ends_with("before. See: [a\\[i\\] \\\\ b](1)."), "{message}");
    assert_eq!(result["relatedLocations"][0]["id"], 1);
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1]["location"]["physicalLocation"], result["locations"][0]["physicalLocation"]);
}

#[test]
fn columns_count_characters_and_regions_are_never_empty() {
    let source = |_: &str| Some("/* \u{e9}\u{1d11e} */ if (!p) return;\n".as_bytes().to_vec());
    let finding = Finding { line: 1, column: 18, end_line: 1, end_column: 20, ..sample::finding() };
    let json: Value = serde_json::from_str(&sarif(&[finding], &ledger(), &source)).unwrap();
    let region = &json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&15.into(), &17.into()));
    for result in json["runs"][0]["results"].as_array().unwrap() {
        let region = &result["relatedLocations"][0]["physicalLocation"]["region"];
        assert!(region["endColumn"].as_u64() > region["startColumn"].as_u64());
    }
}
