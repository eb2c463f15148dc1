//! Forms and places of the result, and the options that decide what is shown.

use crate::project::Project;

fn project() -> Project {
    Project::new(&[
        ("a.c", "int one(int x) { return x; }\n"),
        ("broken.c", "int g(void) { return missing; }\n"),
    ])
}

#[test]
fn sarif_tells_of_what_was_not_analysed() {
    let project = project();
    let ran = project.run(&["check", "--format", "sarif", "a.c", "broken.c", "gone.c"]);
    let run = &ran.json()["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "gainsay");
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().unwrap();
    assert!(root.starts_with("file:///") && root.ends_with('/'), "{root}");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let ids: Vec<&str> = notifications.iter().map(|n| n["descriptor"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["unit-failed", "unit-erroneous", "function-given-up"]);
}

#[test]
fn results_go_into_a_file() {
    let project = project();
    let shown = project.run(&["check", "--format", "json", "a.c"]).out;
    let ran = project.run(&["check", "--format", "json", "-o", "result.json", "a.c"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(project.path().join("result.json")).unwrap(), shown);
    let ran = project.run(&["check", "--output", "no/such/folder", "a.c"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no/such/folder: the result cannot be written"), "{}", ran.err);
}

#[test]
fn unknown_classes_are_refused_and_known_ones_taken() {
    let project = project();
    let ran = project.run(&["check", "--show=macro,nonsense", "a.c"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("nonsense") && ran.err.contains("assertion-only"), "{}", ran.err);
    for show in ["--show=macro,config", "--show=all"] {
        assert_eq!(project.run(&["check", show, "--color=always", "--exit-zero", "a.c"]).code, 0);
    }
}

#[test]
fn a_transcript_that_cannot_be_written_is_refused_at_once() {
    let ran = project().run(&["check", "--transcript", "a.c/folder", "a.c"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot be created"), "{}", ran.err);
}

#[test]
fn rules_and_classes_are_explained() {
    let project = Project::new(&[]);
    for (name, start) in
        [("endless", "# endless\n"), ("macro", "## macro\n"), ("assertion-only", "## assertion-only\n")]
    {
        let ran = project.run(&["explain", name]);
        assert!(ran.code == 0 && ran.out.starts_with(start), "{name}: {}", ran.out);
    }
    let ran = project.run(&["explain", "dead"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no rule 'dead'") && ran.err.contains("fatal-branch"), "{}", ran.err);
}
