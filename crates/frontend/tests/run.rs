//! Differential test of lowering: programs of tests/c/run behave in the interpreter as compiled by gcc.

use gainsay_frontend::{clang, lower};
use gainsay_interp::{Interp, InterpOptions, Outcome};
use gainsay_ir::verify;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn programs_behave_as_compiled_by_gcc() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/run");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 4, "tests/c/run has lost its programs");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for file in files {
        let program = out.join(file.file_stem().unwrap());
        let built = Command::new("gcc").arg("-w").arg(&file).arg("-o").arg(&program).status().unwrap();
        assert!(built.success(), "gcc rejects {}", file.display());
        let native = Command::new(&program).output().unwrap();
        let (stdout, code) = interpreted(&file);
        assert_eq!(stdout, String::from_utf8_lossy(&native.stdout), "{}", file.display());
        assert_eq!(Some(code), native.status.code(), "{}", file.display());
    }
}

fn interpreted(file: &Path) -> (String, i32) {
    let arguments = ["clang", "-O0", "-w", "-fsyntax-only", "--", file.to_str().unwrap()].map(str::to_owned);
    let ast = clang::parse(&arguments, file.parent().unwrap()).unwrap();
    let lowered = lower::lower(&ast, &lower::Options::default());
    assert!(lowered.gave_up.is_empty(), "{:?}", lowered.gave_up);
    for function in &lowered.unit.functions {
        verify::verify(&lowered.unit, function)
            .unwrap_or_else(|errors| panic!("{}: {}", file.display(), errors[0]));
    }
    let run = Interp::new(&lowered.unit, InterpOptions::default()).run("main", &[]);
    match run.outcome {
        Outcome::Returned(code) | Outcome::Exited(code) => {
            (String::from_utf8(run.stdout).unwrap(), code & 0xff)
        }
        other => panic!("{}: {other:?}", file.display()),
    }
}
