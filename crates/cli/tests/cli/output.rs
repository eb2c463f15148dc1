//! Output formats and files, and the options that select what is shown.

use crate::project::{Project, Ran};

fn project() -> Project {
    Project::new(&[
        ("a.c", "int one(int x) { return x; }\n"),
        ("broken.c", "int g(void) { return missing; }\n"),
    ])
}

#[test]
fn sarif_lists_what_was_not_analysed() {
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
fn unknown_classes_are_refused_and_known_ones_accepted() {
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
        [("endless", "# endless\n"), ("macro", "# macro\n"), ("assertion-only", "# assertion-only\n")]
    {
        let ran = project.run(&["explain", name]);
        assert!(ran.code == 0 && ran.out.starts_with(start), "{name}: {}", ran.out);
    }
    let ran = project.run(&["explain", "dead"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("no rule or noise class 'dead'") && ran.err.contains("fatal-branch"),
        "{}",
        ran.err
    );
}

/// A device on which every write fails.
fn full() -> std::fs::File {
    std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap()
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let project = Project::new(&[("a.c", "int f(int *p) { int n = *p; if (!p) return 1; return n; }\n")]);
    let verify = "/*@ ensures \\result == 1; */\nint one(void) { return 1; }\n";
    project.write("v.c", verify.as_bytes());
    for args in [
        &["check", "a.c"][..],
        &["check", "--format=json", "a.c"],
        &["check", "--format=sarif", "a.c"],
        &["check", "--exit-zero", "--quiet", "a.c"],
        &["verify", "v.c"],
        &["verify", "--format=json", "v.c"],
        &["dump", "--stage=gc", "a.c"],
        &["summary", "a.c"],
        &["print-args", "a.c"],
        &["explain", "endless"],
        &["--help"],
        &["--version"],
    ] {
        let ran = Ran::of(project.command(args).stdout(full()).output().unwrap());
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("cannot be written: No space left on device"), "{args:?}: {}", ran.err);
    }
    for args in [&["check", "-o", "/dev/full", "a.c"][..], &["verify", "-o", "/dev/full", "v.c"]] {
        let ran = project.run(args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains("/dev/full: the result cannot be written: No space left"), "{}", ran.err);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let project = Project::new(&[("a.c", "int f(int *p) { int n = *p; if (!p) return 1; return n; }\n")]);
    for (args, code) in
        [(&["check", "--quiet", "a.c"][..], 1), (&["explain", "endless"], 0), (&["--help"], 0)]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = Ran::of(project.command(args).stdout(writer).output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (code, ""), "{args:?}");
    }
}
