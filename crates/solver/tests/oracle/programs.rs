//! Finding solver programs.

use crate::support::solvers;
use gainsay_solver::dialect::Dialect;
use gainsay_solver::{Program, ProgramError, SolverDirectories};
use std::path::Path;

#[test]
fn the_real_solvers_say_who_they_are() {
    let programs = solvers();
    let dialects: Vec<Dialect> = programs.iter().map(|program| program.dialect).collect();
    assert!(programs.is_empty() || dialects == [Dialect::Yices, Dialect::Z3]);
    assert!(programs.iter().all(|program| program.version.contains(|c: char| c.is_ascii_digit())));
}

#[test]
fn a_missing_solver_is_reported_with_what_to_do() {
    let error = SolverDirectories::default().find("yices-smt2").unwrap_err().to_string();
    for part in ["yices-smt2", "cargo xtask demo", "GAINSAY_SOLVERS"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn another_program_is_not_taken_for_a_solver() {
    let error = Program::at(Path::new("/bin/echo")).unwrap_err();
    assert!(matches!(error, ProgramError::Unrecognised { .. }), "{error}");
    let error = Program::at(Path::new("/nowhere/z3")).unwrap_err();
    assert!(matches!(error, ProgramError::Broken { .. }), "{error}");
}

#[test]
fn earlier_directories_win() {
    let Some(real) = solvers().into_iter().next() else { return };
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().join("yices-smt2");
    std::os::unix::fs::symlink(&real.path, &here).unwrap();
    let other = real.path.parent().unwrap().to_owned();
    let places =
        SolverDirectories { directories: vec!["/nowhere".into(), directory.path().to_owned(), other] };
    assert_eq!(places.find("yices-smt2").unwrap().path, here);
}
