//! What gainsay reads back from disk and from its workers, from any bytes: unit files, cache entries, frames.

use crate::analyse::Checked;
use crate::cache::manifest::Manifest;
use crate::cache::{Hash, Store};
use crate::frame;
use crate::read::{How, Read, read};
use crate::unit_file::UnitFile;
use crate::units::Unit;
use crate::worker_state::WorkerState;
use gainsay_fuzz::fuzz;
use gainsay_program::link::UnitImports;
use std::fs;
use std::path::Path;

/// What reading a unit leaves in a store, without the seals: the unit file and the manifest.
fn bodies(folder: &Path) -> (Store, Vec<Vec<u8>>) {
    let source = folder.join("a.c");
    let text = "#include <string.h>\nstruct s { int a; struct s *n; };\nstatic int g = 3;\n\
                int f(struct s *p, int k) { for (int i = 0; i < k; i++) if (p->a == g) p = p->n; return strlen(\"ab\") == 2; }\n";
    fs::write(&source, text).unwrap();
    let file = source.to_str().unwrap().to_owned();
    let arguments = ["clang", "-fsyntax-only", file.as_str()].map(str::to_owned).to_vec();
    let unit = Unit { directory: folder.to_owned(), file, arguments, own: Vec::new() };
    let store = Store { directory: folder.join("store"), identity: Hash::default(), lasts: true };
    let how = How { is_alone: false, check_cache: false, finds_input_paths: true };
    read(&unit, &store, how, &mut WorkerState::default()).unwrap();
    let kept = ["unit", "manifest"].map(|kind| store.read(&store.path(&unit, kind)).unwrap());
    (store, kept.to_vec())
}

#[test]
fn fuzz_unit_file() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bodies) = bodies(folder.path());
    fuzz("unit_file", bodies, |bytes| {
        let _ = postcard::from_bytes::<UnitFile>(bytes);
        let _ = postcard::from_bytes::<Manifest>(bytes);
        let _ = postcard::from_bytes::<(Hash, Hash, Hash, Checked)>(bytes);
        let _ = postcard::from_bytes::<UnitImports>(bytes);
    });
}

/// What is not exactly what was written is not read.
#[test]
fn fuzz_cache_entry() {
    let folder = tempfile::tempdir().unwrap();
    let (store, bodies) = bodies(folder.path());
    let path = folder.path().join("entry");
    let mut seeds = Vec::new();
    for body in [&bodies[0][..200], b"", b"some text"] {
        store.write(&path, body).unwrap();
        seeds.push(fs::read(&path).unwrap());
    }
    fuzz("cache_entry", seeds.clone(), |bytes| {
        fs::write(&path, bytes).unwrap();
        assert_eq!(store.read(&path).is_some(), seeds.iter().any(|seed| seed == bytes));
    });
}

#[test]
fn fuzz_frame() {
    let mut seed = Vec::new();
    frame::write(&mut seed, &(1u64, "text".to_owned(), vec![1u8, 2, 3])).unwrap();
    fuzz("frame", vec![seed.repeat(3), b"\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()], |bytes| {
        let mut rest = bytes;
        while let Some(body) = frame::read(&mut rest) {
            let _ = frame::value::<Read>(&body);
            let _ = frame::value::<(u64, String, Vec<u8>)>(&body);
        }
    });
}
