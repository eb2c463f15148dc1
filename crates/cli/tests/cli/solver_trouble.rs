//! Solvers that are missing, wrong or broken, and the record of what they were asked.

use crate::project::{Project, Ran, solvers};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const LATE: &str = "int late(int *p) {\n  int n = *p;\n  if (!p)\n    return -1;\n  return n;\n}\n";

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A folder with the real first solver and a second one that does this after telling its version.
fn with_second(project: &Project, text: &str) -> PathBuf {
    let folder = project.path().join("solvers");
    fs::create_dir_all(&folder).unwrap();
    symlink(solvers().join("yices-smt2"), folder.join("yices-smt2")).unwrap();
    let version = "test \"$1\" = --version && { echo 'Z3 version 0 - fake'; exit 0; }";
    script(&folder.join("z3"), &format!("{version}\n{text}"));
    folder
}

/// Says the same to every question.
fn always(answer: &str) -> String {
    let arms = [
        "'(echo'*) echo \"$line\" | cut -d'\"' -f2;;",
        "*get-info*) echo '(:rlimit 1)';;",
        &format!("*check-sat*) echo {answer};;"),
    ];
    format!("while read -r line; do case \"$line\" in {} esac; done", arms.join(" "))
}

fn check(project: &Project, solvers: &Path, options: &[&str]) -> (i32, Value) {
    let args = [&["check", "--format", "json", "late.c"], options].concat();
    let ran = Ran::of(project.command(&args).env("GAINSAY_SOLVERS", solvers).output().unwrap());
    (ran.code, ran.json())
}

#[test]
fn a_second_solver_that_agrees_makes_a_finding() {
    let project = Project::new(&[("late.c", LATE)]);
    let (code, report) = check(&project, &with_second(&project, &always("unsat")), &[]);
    assert_eq!((code, &report["findings"][0]["rule"]), (1, &json!("checked-too-late")));
}

#[test]
fn solvers_that_disagree_are_an_error_of_ours_and_no_finding() {
    let project = Project::new(&[("late.c", LATE)]);
    let folder = with_second(&project, &always("sat"));
    let (code, report) = check(&project, &folder, &[]);
    assert_eq!((code, &report["findings"]), (0, &json!([])));
    let gone = &report["coverage"]["functions_given_up"][0];
    assert_eq!((&gone["function"], &report["coverage"]["given_up"]), (&json!("late"), &json!(1)));
    let reason = gone["reason"].as_str().unwrap();
    assert_eq!(reason, "internal error: the solvers disagree; --transcript DIR shows the question");
    assert_eq!(check(&project, &folder, &["--strict-coverage"]).0, 3);

    let (_, report) = check(&project, &folder, &["--transcript", "record"]);
    let reason = report["coverage"]["functions_given_up"][0]["reason"].as_str().unwrap();
    let file = reason.strip_prefix("internal error: the solvers disagree: ").unwrap();
    assert!(fs::read_to_string(file).unwrap().contains("\n; sat\n"), "{file}");
}

#[test]
fn without_a_second_opinion_nothing_is_reported() {
    for trouble in ["exit 3".into(), "kill -SEGV $$".into(), always("unknown"), always("nonsense")] {
        let project = Project::new(&[("late.c", LATE)]);
        let (code, report) = check(&project, &with_second(&project, &trouble), &[]);
        let coverage = &report["coverage"];
        assert_eq!(
            (code, &report["findings"], &coverage["given_up"]),
            (0, &json!([]), &json!(0)),
            "{trouble}"
        );
        assert_eq!(coverage["edges_undecided"], 1, "{trouble}: {coverage}");
    }
}

#[test]
fn without_a_solver_nothing_is_called_clean() {
    let project = Project::new(&[("late.c", LATE)]);
    // Solvers are looked for in the folders above the program, too.
    let program = project.path().join("gainsay");
    fs::copy(env!("CARGO_BIN_EXE_gainsay"), &program).unwrap();
    let mut command = Command::new(&program);
    command
        .args(["check", "--no-cache", "late.c"])
        .current_dir(project.path())
        .env("PATH", "")
        .env_remove("GAINSAY_SOLVERS");
    let ran = Ran::of(command.output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(
        ran.err.contains("the solver `yices-smt2` is missing") && ran.err.contains("GAINSAY_SOLVERS"),
        "{}",
        ran.err
    );
}

#[test]
fn a_program_that_is_no_solver_is_refused() {
    let project = Project::new(&[("late.c", LATE)]);
    let folder = project.path().join("solvers");
    fs::create_dir_all(&folder).unwrap();
    script(&folder.join("yices-smt2"), "echo hello");
    let ran =
        Ran::of(project.command(&["check", "late.c"]).env("GAINSAY_SOLVERS", &folder).output().unwrap());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("neither Yices nor Z3: `--version` says `hello`"), "{}", ran.err);
}

#[test]
fn the_record_of_a_run_gets_the_same_answers_again() {
    let text = format!("{LATE}int both(int x) {{ if (x > 5 && x < 3) return 1; return 0; }}\n");
    let project = Project::new(&[("late.c", &text)]);
    let (code, report) = check(&project, &solvers(), &["--transcript", "record"]);
    assert_eq!((code, report["findings"].as_array().unwrap().len()), (1, 2));
    let units: Vec<PathBuf> = entries(&project.path().join("record"));
    assert_eq!(units.len(), 1);
    assert!(units[0].file_name().unwrap().to_str().unwrap().starts_with("late.c-"));
    for (solver, arguments) in [("yices-smt2", "--incremental"), ("z3", "-smt2")] {
        let files = entries(&units[0].join(solver));
        assert!(files.len() >= 2, "{solver}: {files:?}");
        for file in files {
            let recorded = fs::read_to_string(&file).unwrap();
            let output = Command::new(solvers().join(solver)).arg(arguments).arg(&file).output().unwrap();
            let replayed = String::from_utf8(output.stdout).unwrap();
            assert!(!verdicts(&recorded, "; ").is_empty(), "{}", file.display());
            assert_eq!(verdicts(&recorded, "; "), verdicts(&replayed, ""), "{}", file.display());
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn verdicts(text: &str, mark: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(mark));
    lines.filter(|line| ["sat", "unsat", "unknown"].contains(line)).map(str::to_owned).collect()
}
