//! A transcript is the whole conversation: given to the solver again, it gets the same answers.

use crate::support::{Formulas, PLENTY, Random, solvers};
use gainsay_solver::process;
use gainsay_solver::{Answer, Options, Session};
use gainsay_term::{Sort, Term, TermPool};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn verdicts(text: &str, mark: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(mark));
    lines.filter(|line| ["sat", "unsat", "unknown"].contains(line)).map(str::to_owned).collect()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_transcript_can_be_replayed() {
    for program in solvers() {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { transcript: Some(directory.path().join("new/folder")), ..Options::default() };
        let mut session = Session::new(&program, &options);
        for seed in 0..4 {
            session.reset();
            let mut random = Random::new(seed);
            let formulas = Formulas::random(&mut random, 50);
            let candidates = formulas.booleans();
            for _ in 0..6 {
                session.assert(&formulas.pool, random.pick(&candidates));
                let assumed: Vec<Term> = (0..2).map(|_| random.pick(&candidates)).collect();
                match session.check(&formulas.pool, &assumed, PLENTY) {
                    Answer::Sat => drop(session.values(&formulas.pool, &candidates).unwrap()),
                    Answer::Unsat => {}
                    Answer::Unknown(reason) => panic!("{reason}"),
                }
            }
            assert!(session.transcript().is_some());
        }
        assert_eq!(session.transcript_failure(), None);
        let files = files(&directory.path().join("new/folder"));
        assert_eq!(files.len(), 4);
        for file in files {
            let recorded = fs::read_to_string(&file).unwrap();
            let mut arguments = program.dialect.arguments_for_file().to_vec();
            arguments.push(file.to_str().unwrap());
            let replayed = process::output(&program.path, &arguments, Duration::from_secs(60)).unwrap();
            // After `sat` there is no core: the only error there may be.
            let errors = replayed.lines().filter(|line| line.contains("error"));
            assert!(errors.into_iter().all(|line| line.contains("nsat assumptions")), "{replayed}");
            assert_eq!(verdicts(&recorded, "; "), verdicts(&replayed, ""));
            assert_eq!(verdicts(&recorded, "; ").len(), 6);
        }
    }
}

#[test]
fn sessions_share_a_directory() {
    let Some(program) = solvers().into_iter().next() else { return };
    let directory = tempfile::tempdir().unwrap();
    let options = Options { transcript: Some(directory.path().to_owned()), ..Options::default() };
    let mut sessions = [Session::new(&program, &options), Session::new(&program, &options)];
    let mut pool = TermPool::new();
    let p = pool.var("p", Sort::Bool);
    for session in &mut sessions {
        assert_eq!(session.check(&pool, &[p], PLENTY), Answer::Sat);
    }
    assert_ne!(sessions[0].transcript(), sessions[1].transcript());
    assert_eq!(files(directory.path()).len(), 2);
}

#[test]
fn a_transcript_that_cannot_be_written_is_admitted_and_changes_no_answer() {
    let Some(program) = solvers().into_iter().next() else { return };
    let options = Options { transcript: Some("/dev/null/folder".into()), ..Options::default() };
    let mut session = Session::new(&program, &options);
    let mut pool = TermPool::new();
    let p = pool.var("p", Sort::Bool);
    assert_eq!(session.check(&pool, &[p], PLENTY), Answer::Sat);
    assert!(session.transcript_failure().is_some_and(|why| why.contains("/dev/null/folder")));
}
