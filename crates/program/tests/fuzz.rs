//! Guarded commands and models from any bytes: an error or a unit that prints and reads back the same.

use gainsay_fuzz::{files, fuzz};
use gainsay_ir::types::Target;
use gainsay_ir::{equal, parse, print, verify};
use gainsay_program::models::Models;

#[test]
fn fuzz_gc_text() {
    let folders = [
        "apply_models",
        "cut_loops",
        "cut_passify",
        "passify",
        "print",
        "prune",
        "run",
        "body_facts",
        "verify",
    ];
    let seeds: Vec<Vec<u8>> =
        folders.iter().flat_map(|folder| files(&format!("tests/gc/{folder}"), "gc")).collect();
    fuzz("gc_text", seeds, |bytes| {
        let Ok(unit) = parse::unit(&String::from_utf8_lossy(bytes)) else { return };
        let again = parse::unit(&print::unit(&unit)).unwrap();
        assert_eq!(unit.functions.len(), again.functions.len());
        for (a, b) in unit.functions.iter().zip(&again.functions) {
            assert!(equal::same(&unit, a, &again, b));
            let _ = verify::verify(&unit, a);
        }
    });
}

#[test]
fn fuzz_models() {
    let target = Target { pointer_bits: 64, big_endian: false, null_is_valid: false };
    fuzz("models", files("models", "gc"), |bytes| {
        let _ = Models::default().add("fuzz.gc", &String::from_utf8_lossy(bytes), target);
    });
}
