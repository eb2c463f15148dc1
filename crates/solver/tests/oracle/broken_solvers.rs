//! Programs that die, hang, talk nonsense or never stop talking: a session survives them all.

use crate::support::{PLENTY, solvers};
use gainsay_solver::dialect::Dialect;
use gainsay_solver::health::Health;
use gainsay_solver::{Answer, Budget, Options, Program, Reason, Session};
use gainsay_term::{Sort, TermPool, Value};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

const SHORT: Budget = Budget { effort: 1000, backstop: Duration::from_millis(400) };

fn fake(directory: &Path, script: &str) -> Program {
    let path = directory.join("solver");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Program { path, dialect: Dialect::Yices, version: "Fake 1".to_owned(), health: Health::default() }
}

/// What a session with the script answers, and how long it takes.
fn ask(script: &str, budget: Budget) -> (Answer, Duration) {
    let directory = tempfile::tempdir().unwrap();
    let mut session = Session::new(&fake(directory.path(), script), &Options::default());
    let mut pool = TermPool::new();
    let p = pool.var("p", Sort::Bool);
    let start = Instant::now();
    (session.check(&pool, &[p], budget), start.elapsed())
}

fn crashed(answer: Answer) -> String {
    match answer {
        Answer::Unknown(Reason::Crashed(how)) => how,
        other => panic!("{other:?}"),
    }
}

/// Echoes what it is told to echo; what else it does is given by the arms of a shell's `case`.
fn echoing(arms: &str) -> String {
    let echo = "'(echo'*) echo \"$line\" | cut -d'\"' -f2;; *get-unsat*) echo '()';;";
    format!("while read -r line; do case \"$line\" in {echo} {arms} esac; done")
}

#[test]
fn a_solver_that_dies_is_named_with_its_last_words() {
    let how = crashed(ask("read -r line; echo 'out of luck' >&2; kill -SEGV $$", PLENTY).0);
    assert!(how.contains("signal: 11") && how.contains("out of luck"), "{how}");
    let how = crashed(ask("exit 3", PLENTY).0);
    assert!(how.contains("exit status: 3"), "{how}");
}

#[test]
fn a_missing_solver_is_an_answer_too() {
    let program = Program {
        path: "/nowhere/solver".into(),
        dialect: Dialect::Z3,
        version: "Fake 1".to_owned(),
        health: Health::default(),
    };
    let mut session = Session::new(&program, &Options::default());
    let how = crashed(session.check(&TermPool::new(), &[], PLENTY));
    assert!(how.contains("cannot be started") && how.contains("/nowhere/solver"), "{how}");
}

#[test]
fn a_solver_that_hangs_is_ended_by_the_backstop() {
    for script in ["exec sleep 1000", "echo '(start: 0'; exec sleep 1000", "echo sat; exec sleep 1000"] {
        let (answer, time) = ask(script, SHORT);
        assert_eq!(answer, Answer::Unknown(Reason::Backstop), "{script}");
        assert!(time < Duration::from_secs(20), "{script}: {time:?}");
    }
}

/// More text than a pipe holds, which is never read.
#[test]
fn a_solver_that_does_not_read_does_not_block_the_writer() {
    let directory = tempfile::tempdir().unwrap();
    let mut session = Session::new(&fake(directory.path(), "exec sleep 1000"), &Options::default());
    let mut pool = TermPool::new();
    for i in 0..20_000 {
        let p = pool.var(&format!("p{i}"), Sort::Bool);
        session.assert(&pool, p);
    }
    assert_eq!(session.check(&pool, &[], SHORT), Answer::Unknown(Reason::Backstop));
}

#[test]
fn nonsense_is_not_an_answer() {
    for nonsense in ["echo '))'", "echo maybe", "echo 'sat unsat'", "printf '\\377\\000\\n'", ":"] {
        let how = crashed(ask(&echoing(&format!("*check-sat*) {nonsense};;")), PLENTY).0);
        assert!(how.contains("makes no sense"), "{nonsense}: {how}");
    }
}

#[test]
fn endless_output_ends() {
    let (answer, time) = ask("exec yes", Budget { backstop: Duration::from_secs(30), ..SHORT });
    assert!(matches!(answer, Answer::Unknown(Reason::Crashed(_) | Reason::Backstop)), "{answer:?}");
    assert!(time < Duration::from_secs(120), "{time:?}");
}

#[test]
fn an_error_message_is_a_rejection_even_if_an_answer_follows() {
    let script = echoing("*check-sat*) echo '(error \"what?\")'; echo sat;;");
    assert_eq!(ask(&script, PLENTY).0, Answer::Unknown(Reason::Rejected("what?".to_owned())));
}

#[test]
fn the_effort_limit_counts_from_the_start_of_the_search() {
    let script = |restart: u32| {
        let lines = format!("echo '(start: 5000 1)'; echo '(restart: {restart} 1)'; echo '(done: 7000 1)'");
        echoing(&format!("*check-sat*) {lines}; echo sat;;"))
    };
    assert_eq!(ask(&script(6000), Budget { effort: 1000, ..PLENTY }).0, Answer::Sat);
    assert_eq!(ask(&script(6001), Budget { effort: 1000, ..PLENTY }).0, Answer::Unknown(Reason::Effort));
}

/// It dies at the first question; its successor is told everything again and answers.
#[test]
fn a_session_restarts_its_solver_and_repeats_what_was_asserted() {
    let Some(real) = solvers().into_iter().next() else { return };
    let directory = tempfile::tempdir().unwrap();
    let script =
        format!("test -e \"$0.died\" && exec {} \"$@\"; touch \"$0.died\"; exit 1", real.path.display());
    let mut session = Session::new(&fake(directory.path(), &script), &Options::default());
    let mut pool = TermPool::new();
    let x = pool.var("x", Sort::BitVec(8));
    let seven = pool.bits(8, 7);
    let fixed = pool.eq(x, seven);
    session.assert(&pool, fixed);
    assert_eq!(session.check(&pool, &[], PLENTY), Answer::Sat);
    assert_eq!(session.values(&pool, &[x]), Ok(vec![Value::Bits { width: 8, value: 7 }]));
}

/// The model dies with the process; the next question is answered by a new one.
#[test]
fn a_solver_that_dies_between_answer_and_values_costs_the_values_only() {
    let directory = tempfile::tempdir().unwrap();
    let script = echoing("*check-sat*) echo sat;; *get-value*) exit 1;;");
    let mut session = Session::new(&fake(directory.path(), &script), &Options::default());
    let mut pool = TermPool::new();
    let p = pool.var("p", Sort::Bool);
    assert_eq!(session.check(&pool, &[p], PLENTY), Answer::Sat);
    assert!(matches!(session.values(&pool, &[p]), Err(Reason::Crashed(_))));
    assert!(matches!(session.values(&pool, &[p]), Err(Reason::Rejected(_))));
    assert_eq!(session.check(&pool, &[p], PLENTY), Answer::Sat);
}

/// How many questions were asked, and how many of them the program failed on.
fn counts(session: &Session) -> (u64, u64) {
    let record = session.program().health.record();
    (record.asked, record.failed)
}

/// Questions that are not asked are failures all the same.
#[test]
fn a_solver_that_answers_nothing_is_not_asked_again() {
    let directory = tempfile::tempdir().unwrap();
    let script = "echo started >> \"$0.log\"; exec sleep 1000";
    let mut session = Session::new(&fake(directory.path(), script), &Options::default());
    for n in 1..=20 {
        let answer = session.check(&TermPool::new(), &[], SHORT);
        assert!(matches!(answer, Answer::Unknown(Reason::Backstop | Reason::Crashed(_))), "{answer:?}");
        assert_eq!((counts(&session), session.nondeterministic_events() >= n), ((n, n), true));
    }
    // For the question, and to see whether it answers anything.
    assert_eq!(fs::read_to_string(directory.path().join("solver.log")).unwrap().lines().count(), 2);
    let failure = session.program().health.record().failure.unwrap();
    assert_eq!(failure, "the solver did not answer in time");
}

/// One hard question says nothing about the next.
#[test]
fn a_solver_that_answers_something_is_asked_again() {
    let directory = tempfile::tempdir().unwrap();
    // A declaration of `hard` gets no answer.
    let script = "while read -r line; do case \"$line\" in '(echo'*) echo \"$line\" | cut -d'\"' -f2;; *hard*) exec sleep 1000;;\n\
                  *'(not p)'*) no=un;; *check-sat*) echo \"${no}sat\";; *get-unsat*) echo '()';; esac; done";
    let mut session = Session::new(&fake(directory.path(), script), &Options::default());
    let mut pool = TermPool::new();
    let hard = pool.var("hard", Sort::Bool);
    session.assert(&pool, hard);
    for _ in 0..2 {
        assert_eq!(session.check(&pool, &[], SHORT), Answer::Unknown(Reason::Backstop));
    }
    session.reset();
    assert_eq!(session.check(&TermPool::new(), &[], PLENTY), Answer::Sat);
    assert_eq!(counts(&session), (3, 2));
}

#[test]
fn limits_are_no_failures_and_rejections_are() {
    let directory = tempfile::tempdir().unwrap();
    let limit = echoing("*check-sat*) echo '(start: 0 1)'; echo '(restart: 9999 1)'; echo sat;;");
    for (script, expected) in [
        (limit, (1, 0)),
        (echoing("*check-sat*) echo unknown;; *get-info*) echo '(:reason-unknown incomplete)';;"), (1, 0)),
        (echoing("*check-sat*) echo '(error \"what?\")';;"), (1, 1)),
        (echoing("*check-sat*) echo sat;;"), (1, 0)),
    ] {
        let mut session = Session::new(&fake(directory.path(), &script), &Options::default());
        session.check(&TermPool::new(), &[], Budget { effort: 1000, ..PLENTY });
        assert_eq!(counts(&session), expected, "{script}");
    }
}
