//! Solvers that are missing, wrong or broken, and the transcript of their queries.

use crate::project::{Project, Ran, script, solvers};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const LATE: &str = "int late(int *p) {\n  int n = *p;\n  if (!p)\n    return -1;\n  return n;\n}\n";

/// A folder with the real solvers, except one that runs this script after printing its version.
fn with_fake(project: &Project, fake: &str, text: &str) -> PathBuf {
    let folder = project.path().join("solvers");
    fs::create_dir_all(&folder).unwrap();
    for (solver, version) in [("yices-smt2", "Yices 0"), ("z3", "Z3 version 0 - fake")] {
        if solver == fake {
            let version = format!("test \"$1\" = --version && {{ echo '{version}'; exit 0; }}");
            script(&folder.join(solver), &format!("{version}\n{text}"));
        } else {
            symlink(solvers().join(solver), folder.join(solver)).unwrap();
        }
    }
    folder
}

/// A folder with the real first solver and a second one that runs this script after printing its version.
fn with_second(project: &Project, text: &str) -> PathBuf {
    with_fake(project, "z3", text)
}

/// Gives the same answer to every query.
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
fn a_second_solver_that_agrees_confirms_a_finding() {
    let project = Project::new(&[("late.c", LATE)]);
    let (code, report) = check(&project, &with_second(&project, &always("unsat")), &[]);
    assert_eq!((code, &report["findings"][0]["rule"]), (1, &json!("checked-too-late")));
}

#[test]
fn solvers_that_disagree_are_an_internal_error_and_no_finding() {
    let project = Project::new(&[("late.c", LATE)]);
    let folder = with_second(&project, &always("sat"));
    let (code, report) = check(&project, &folder, &[]);
    // There is no other function.
    assert_eq!((code, &report["findings"]), (2, &json!([])));
    let gone = &report["coverage"]["functions_given_up"][0];
    assert_eq!((&gone["function"], &report["coverage"]["given_up"]), (&json!("late"), &json!(1)));
    let reason = gone["reason"].as_str().unwrap();
    assert_eq!(reason, "internal error: the solvers disagree; --transcript DIR shows the question");
    project.write("late.c", format!("{LATE}int other(void) {{ return 1; }}\n").as_bytes());
    assert_eq!(check(&project, &folder, &[]).0, 0);
    assert_eq!(check(&project, &folder, &["--strict-coverage"]).0, 3);

    let (_, report) = check(&project, &folder, &["--transcript", "record"]);
    let reason = report["coverage"]["functions_given_up"][0]["reason"].as_str().unwrap();
    let file = reason.strip_prefix("internal error: the solvers disagree: ").unwrap();
    assert!(fs::read_to_string(file).unwrap().contains("\n; sat\n"), "{file}");
}

#[test]
fn without_a_second_opinion_nothing_is_reported() {
    let project = Project::new(&[("late.c", LATE)]);
    let (code, report) = check(&project, &with_second(&project, &always("unknown")), &["--strict-coverage"]);
    let coverage = &report["coverage"];
    assert_eq!((code, &report["findings"], &coverage["given_up"]), (0, &json!([]), &json!(0)));
    assert_eq!(coverage["edges_undecided"], 1, "{coverage}");
}

/// Scripts that fail on every query, and the message for each.
const TROUBLES: [(&str, &str); 5] = [
    ("exit 3", "exit status: 3"),
    ("kill -SEGV $$", "signal: 11"),
    ("exec sleep 600", "did not answer in time"),
    (
        "while read -r line; do case \"$line\" in '(echo'*) echo \"$line\" | cut -d'\"' -f2;; *) echo '))';; esac; done",
        "makes no sense",
    ),
    (
        "while read -r line; do case \"$line\" in '(echo'*) echo \"$line\" | cut -d'\"' -f2;; *) echo '(error \"what?\")';; esac; done",
        "what?",
    ),
];

#[test]
fn a_solver_that_fails_on_every_question_is_named_and_the_run_has_failed() {
    for solver in ["yices-smt2", "z3"] {
        for (trouble, words) in TROUBLES {
            if trouble.contains("sleep") && cfg!(not(debug_assertions)) {
                continue;
            }
            let project = Project::new(&[("late.c", LATE)]);
            let folder = with_fake(&project, solver, trouble);
            let run = |options: &[&str]| {
                let mut command = project.command(&[&["check", "late.c"], options].concat());
                command.env("GAINSAY_SOLVERS", &folder).env("GAINSAY_TEST_PATIENCE", "1");
                Ran::of(command.output().unwrap())
            };
            for options in [&["--format=json"][..], &["--exit-zero", "--quiet", "--format=json"]] {
                let ran = run(options);
                assert_eq!(ran.code, 2, "{solver}: {trouble}: {}", ran.err);
                let sentence = ran.err.lines().find(|line| line.contains("failed on")).unwrap_or_default();
                let named = format!("gainsay: the solver {} failed on ", folder.join(solver).display());
                assert!(sentence.starts_with(&named) && sentence.contains(words), "{trouble}: {}", ran.err);
                let coverage = &ran.json()["coverage"];
                assert_eq!(
                    coverage["solver_failures"], coverage["failing_solvers"][0]["asked"],
                    "{coverage}"
                );
            }
        }
    }
}

/// It answers the first query and dies on all others.
#[test]
fn a_solver_that_fails_on_some_questions_is_incomplete_coverage() {
    let text = format!("{LATE}int both(int x) {{ if (x > 5 && x < 3) return 1; return 0; }}\n");
    let project = Project::new(&[("late.c", &text)]);
    let answer = "unsat; test -e \"$0.used\" && exit 3; touch \"$0.used\"";
    let folder = with_second(&project, &always(answer));
    let (code, report) = check(&project, &folder, &["--exit-zero"]);
    let coverage = &report["coverage"];
    assert_eq!((code, report["findings"].as_array().map(Vec::len)), (0, Some(1)), "{report}");
    let failing = &coverage["failing_solvers"][0];
    assert_eq!(
        (&failing["asked"], &failing["failed"], &coverage["solver_failures"]),
        (&json!(2), &json!(1), &json!(1))
    );
    fs::remove_file(folder.join("z3.used")).unwrap();
    assert_eq!(check(&project, &folder, &["--exit-zero", "--strict-coverage"]).0, 3);
}

/// Results that depend on a failure are not cached.
#[test]
fn the_next_run_finds_what_a_broken_solver_missed() {
    let project = Project::new(&[("late.c", LATE)]);
    let broken = with_second(&project, "exit 3");
    // The version is the same: other versions share no cache entries.
    let version = format!("test \"$1\" = --version && exec {} --version", solvers().join("z3").display());
    script(&broken.join("z3"), &format!("{version}\nexit 3"));
    let cached = ["--cache-dir", "kept"];
    assert_eq!(check(&project, &broken, &cached).0, 2);
    assert_eq!(check(&project, &solvers(), &cached).0, 1);
    assert_eq!(check(&project, &broken, &cached).0, 1, "nothing had to be asked");
}

#[test]
fn verify_without_a_solver_that_answers_has_failed() {
    let text = "/*@ requires x < 100; ensures \\result > x; */\nint f(int x) { return x + 1; }\n";
    let project = Project::new(&[("late.c", text)]);
    for (solver, code) in [("none", 0), ("yices-smt2", 2), ("z3", 2)] {
        let folder = with_fake(&project, solver, "exit 3");
        let mut command = project.command(&["verify", "late.c"]);
        let ran = Ran::of(command.env("GAINSAY_SOLVERS", &folder).output().unwrap());
        assert_eq!(ran.code, code, "{solver}: {} {}", ran.out, ran.err);
        assert_eq!(ran.out.contains(&format!("{} failed on ", folder.join(solver).display())), code == 2);
        fs::remove_dir_all(folder).unwrap();
    }
}

/// A copy of the program with this environment; the solvers are where the test puts them.
fn alone(project: &Project, path: &str, named: Option<&str>) -> Ran {
    let program = project.path().join("inst/bin/gainsay");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_gainsay"), &program).unwrap();
    }
    let mut command = Command::new(&program);
    command.args(["check", "--no-cache", "late.c"]).current_dir(project.path()).env("PATH", path);
    match named {
        Some(named) => command.env("GAINSAY_SOLVERS", named),
        None => command.env_remove("GAINSAY_SOLVERS"),
    };
    Ran::of(command.output().unwrap())
}

#[test]
fn without_a_solver_nothing_is_called_clean() {
    let project = Project::new(&[("late.c", LATE)]);
    for named in [None, Some("")] {
        let ran = alone(&project, "", named);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(
            ran.err.contains("the solver `yices-smt2` is missing") && ran.err.contains("GAINSAY_SOLVERS"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn solvers_come_from_where_they_were_installed_and_from_nowhere_else() {
    for folder in [".solvers/bin", "inst/.solvers/bin", "inst/bin/.solvers/bin", "inst/bin", "."] {
        let project = Project::new(&[("late.c", LATE)]);
        fs::create_dir_all(project.path().join(folder)).unwrap();
        for solver in ["yices-smt2", "z3"] {
            script(&project.path().join(folder).join(solver), "touch started; echo 'Yices 2'");
        }
        for (path, named) in [("", None), (".", Some("")), (".:.solvers/bin:", None)] {
            let ran = alone(&project, path, named);
            assert_eq!(ran.code, 2, "{folder} {path}: {}", ran.err);
            assert!(ran.err.contains("is missing"), "{folder} {path}: {}", ran.err);
            assert!(!project.path().join("started").exists(), "{folder} {path}");
        }
    }
    let project = Project::new(&[("late.c", LATE)]);
    fs::create_dir_all(project.path().join("inst/libexec")).unwrap();
    symlink(solvers().canonicalize().unwrap(), project.path().join("inst/libexec/gainsay")).unwrap();
    assert_eq!(alone(&project, "", None).code, 1);
    assert_eq!(alone(&project, "", Some("")).code, 1);
}

#[test]
fn a_missing_directory_of_solvers_is_an_error() {
    let project = Project::new(&[("late.c", LATE), ("here/file", "")]);
    // The solvers in the PATH are not the named ones.
    let path = solvers().canonicalize().unwrap();
    assert_eq!(alone(&project, path.to_str().unwrap(), None).code, 1);
    let file = project.path().join("late.c");
    for (named, words) in [
        ("/no/such/directory", "GAINSAY_SOLVERS: /no/such/directory: no such directory"),
        (file.to_str().unwrap(), "no such directory"),
        ("here", "must be an absolute path"),
        (".", "must be an absolute path"),
    ] {
        let ran = alone(&project, path.to_str().unwrap(), Some(named));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{named}");
        assert!(ran.err.contains(words), "{named}: {}", ran.err);
    }
}

#[test]
fn a_program_that_is_not_a_solver_is_refused() {
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
fn a_transcript_gets_the_same_answers_again() {
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
