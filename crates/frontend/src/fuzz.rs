//! Fuzzes the parsers of the front end: compile databases, response files, annotations.

use crate::compile_db::{Compilers, driver_arguments, load};
use crate::contract;
use gainsay_fuzz::{files, fuzz};
use std::fs;

#[test]
fn fuzz_compile_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("compile_commands.json");
    let seeds = [
        r#"[{"directory": "/b", "file": "a.c", "arguments": ["gcc", "-c", "-Iinc", "-DX=\"1 2\"", "-o", "a.o", "a.c"]}]"#,
        r#"[{"directory": ".", "file": "../x/b.c", "command": "arm-linux-gnueabi-gcc -march=armv7-a -mthumb 'a b.c' -O2"},
            {"directory": "/", "file": "c.cc", "command": "g++ c.cc"}, {"file": "d.c"}]"#,
        r#"[{"directory": "/", "file": "e.c", "command": "ccache clang --target=x86_64 -x c -std=gnu11 -isystem /i -include h e.c @rsp"}]"#,
        "[]",
    ];
    fuzz("compile_database", seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(), |bytes| {
        fs::write(&path, bytes).unwrap();
        let Ok(database) = load(folder.path()) else { return };
        // A fuzzer must not start programs by generated names.
        let mut compilers = Compilers::never_ask();
        for command in &database.commands {
            let _ = (command.path(), driver_arguments(command, &mut compilers));
        }
    });
}

#[test]
fn fuzz_response_file() {
    let folder = tempfile::tempdir().unwrap();
    let seeds =
        ["-c @b -O2 'x y' \"z\\\"\"", "@a @b @c @d", "@b @b @b @b @b @b @b @b -DX", "-I inc\n-D'A B'\n"];
    let names = ["a", "b", "c"];
    let database = r#"[{"directory": ".", "file": "x.c", "command": "gcc @a @b x.c"}]"#;
    fs::write(folder.path().join("compile_commands.json"), database).unwrap();
    fuzz("response_file", seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(), |bytes| {
        // Parts of the input become files that name each other.
        for (part, name) in bytes.chunks(bytes.len().div_ceil(names.len()).max(1)).zip(names) {
            fs::write(folder.path().join(name), part).unwrap();
        }
        let _ = load(folder.path());
    });
}

#[test]
fn fuzz_acsl() {
    let sources = [files("tests/c/contracts", "c"), files("tests/c/reach", "c")].concat();
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for source in &sources {
        let text = String::from_utf8_lossy(source);
        let blocks = text.split("/*@").skip(1).filter_map(|rest| rest.split_once("*/"));
        seeds.extend(blocks.map(|(block, _)| format!("/*@{block}*/").into_bytes()));
    }
    assert!(seeds.len() > 10, "{} annotations", seeds.len());
    fuzz("acsl", seeds, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let annotation = contract::parse(&text);
        for problem in &annotation.problems {
            assert!(problem.offset as usize <= text.len(), "{problem:?}");
        }
    });
}
