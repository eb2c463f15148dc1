//! Tables of databases and commands with the arguments that clang's driver receives.

use super::*;
use std::fs;

/// The flags between the program's name and the flags of every unit.
fn kept(command: &str) -> String {
    let arguments = shlex::split(command).unwrap();
    let command = CompileCommand { directory: "/src".into(), file: "a.c".into(), arguments };
    let out = driver_arguments(&command, &mut Compilers::never_ask());
    assert_eq!(out[0], "clang");
    assert_eq!(out[out.len() - 2..], ["--", "a.c"]);
    let end = out.iter().position(|flag| flag == "-D__GAINSAY__=1").unwrap();
    out[1..end].join(" ")
}

#[test]
fn flags_that_change_the_meaning_are_kept_and_others_dropped() {
    let table = [
        ("gcc -c a.c -o a.o", ""),
        ("cc -DA -D B=1 -UC -Iinc -I inc2 -c a.c", "-DA -D B=1 -UC -Iinc -I inc2"),
        (
            "gcc -isystem /x -isystem/y -iquote q -idirafter z",
            "-isystem /x -isystem/y -iquote q -idirafter z",
        ),
        ("gcc -include config.h -imacros m.h", "-include config.h -imacros m.h"),
        ("gcc -std=gnu99 -ansi -pthread -nostdinc -undef", "-std=gnu99 -ansi -pthread -nostdinc -undef"),
        ("gcc -std=c++17 -std=gnu3000", ""),
        ("gcc -g -Wall -Werror -Wno-foo -pipe -fstack-protector-strong -ffoo=bar --param x=1", ""),
        // `__OPTIMIZE__` is defined only if the C library's headers are not used.
        ("gcc -nostdinc -O2 -g", "-D__OPTIMIZE__=1 -nostdinc"),
        ("gcc -U__OPTIMIZE__ -O -nostdinc", "-D__OPTIMIZE__=1 -U__OPTIMIZE__ -nostdinc"),
        ("gcc -nostdinc -O2 -Os", "-D__OPTIMIZE__=1 -D__OPTIMIZE_SIZE__=1 -nostdinc"),
        ("gcc -nostdinc -O3 -O0", "-nostdinc"),
        ("gcc -O2 -g", ""),
        ("gcc -MD -MF a.d -MT -DNOT -MQ -UNOT -o -Inot", ""),
        ("gcc -Wp,-DX=1,-MD,.a.d,-UY -Wa,--noexecstack -Wl,-z,now", "-DX=1 -UY"),
        ("gcc -Xpreprocessor -DX -Xassembler -DY -Xlinker -DZ", "-DX"),
        (
            "gcc -funsigned-char -fshort-enums -fwrapv -fno-strict-aliasing",
            "-funsigned-char -fshort-enums -fwrapv -fno-strict-aliasing",
        ),
        (
            "gcc -fno-builtin-memcpy -fpack-struct=2 -ffreestanding",
            "-fno-builtin-memcpy -fpack-struct=2 -ffreestanding",
        ),
        ("gcc -fplugin=evil.so -specs=evil.specs -specs evil -B evil -wrapper evil,1", ""),
        ("clang -Xclang -load -Xclang evil.so -mllvm -x -D", ""),
        ("clang -Xclang -include-pch -Xclang a.pch -Xclang -include -Xclang pch.h -DX", "-include pch.h -DX"),
        ("gcc -x c -xc -x none -I- b.c", "-xc -xc"),
        ("gcc --sysroot=/s --sysroot /t -isysroot /u", "--sysroot=/s --sysroot=/t -isysroot /u"),
        ("gcc '-DTEXT=\"a b\"'", "-DTEXT=\"a b\""),
        ("gcc -fopenmp -fexec-charset=latin1 -fsanitize=address", "-fopenmp"),
        // gcc's long forms.
        ("gcc --define-macro=A=1 --define-macro B --undefine-macro=C", "-D A=1 -D B -U C"),
        (
            "gcc --include=a.h --include b.h --imacros=c.h --include-directory=d",
            "-include a.h -include b.h -imacros c.h -I d",
        ),
        ("gcc --std=c89 --std=gnu3000 --language=c --ansi", "-std=c89 -xc -ansi"),
        ("gcc -D", ""),
        ("gcc", ""),
        ("", ""),
    ];
    for (command, expected) in table {
        assert_eq!(kept(command), expected, "{command}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn processor_flags_are_kept_where_clang_takes_them() {
    let table = [
        ("gcc -m32 -msse4.2 -mno-avx -mavx2", "-m32 -msse4.2 -mno-avx -mavx2"),
        ("gcc -march=native -mtune=native -march=haswell", "-march=native -march=haswell"),
        (
            "gcc -march=some-future-cpu -mfancy -mavx256-split-unaligned-load -mfpmath=sse -mfloat-abi=hard",
            "",
        ),
        ("gcc -mcmodel=kernel -mno-red-zone -mabi=lp64", ""),
    ];
    for (command, expected) in table {
        assert_eq!(kept(command), expected, "{command}");
    }
}

#[test]
fn cross_compilers_name_their_target() {
    let table = [
        ("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb", "--target=arm-none-eabi -mcpu=cortex-m4 -mthumb"),
        ("/opt/x/bin/aarch64-linux-gnu-gcc-12 -march=armv8-a", "--target=aarch64-linux-gnu -march=armv8-a"),
        (
            "riscv64-unknown-elf-gcc-13.2 -march=rv64gc -mabi=lp64d",
            "--target=riscv64-unknown-elf -march=rv64gc -mabi=lp64d",
        ),
        ("x86_64-w64-mingw32-gcc", "--target=x86_64-w64-mingw32"),
        ("avr-gcc -mmcu=atmega328p", "--target=avr"),
        ("arm-none-eabi-gcc -march=haswell -msse2 -mfpu=fancy", "--target=arm-none-eabi"),
        ("gcc -target mips-linux-gnu -EB", "--target=mips-linux-gnu -EB"),
        ("arm-none-eabi-gcc --target=riscv32-unknown-elf", "--target=riscv32-unknown-elf"),
        ("xtensa-esp32-elf-gcc -mlongcalls", ""),
        ("musl-gcc", ""),
        ("gcc-12", ""),
    ];
    for (command, expected) in table {
        assert_eq!(kept(command), expected, "{command}");
    }
}

#[test]
fn wrappers_are_no_compilers() {
    for wrapper in [
        "ccache gcc",
        "/usr/bin/ccache /usr/bin/gcc",
        "env CC=x LANG=C gcc",
        "LANG=C gcc",
        "distcc ccache gcc-12",
        "/bin/bash ../libtool --tag=CC --mode=compile gcc",
    ] {
        assert_eq!(kept(&format!("{wrapper} -DA")), "-DA", "{wrapper}");
    }
    assert_eq!(kept("ccache arm-none-eabi-gcc -DA"), "--target=arm-none-eabi -DA");
}

fn read_text(text: &str) -> Result<Database, DbError> {
    read(text, Path::new("/base"), Path::new("db.json"))
}

#[test]
fn both_forms_mean_the_same() {
    let list = r#"[{"directory": "/src", "file": "a.c", "arguments": ["gcc", "-DX=a b", "-c", "a.c"]}]"#;
    let text = r#"[{"directory": "/src", "file": "a.c", "command": "gcc '-DX=a b' -c a.c"}]"#;
    let (list, text) = (read_text(list).unwrap(), read_text(text).unwrap());
    assert_eq!(list, text);
    assert_eq!(list.commands[0].arguments, ["gcc", "-DX=a b", "-c", "a.c"]);
    assert_eq!(list.commands[0].path(), Path::new("/src/a.c"));
}

#[test]
fn duplicates_go_and_different_commands_of_a_file_stay() {
    let entry =
        |flag: &str| format!(r#"{{"directory": "sub/..", "file": "a.c", "command": "gcc {flag} a.c"}}"#);
    let db = read_text(&format!("[{}, {}, {}]", entry("-DA"), entry("-DB"), entry("-DA"))).unwrap();
    assert_eq!(db.commands.len(), 2);
    assert_eq!(db.commands[0].directory, Path::new("/base"));
}

#[test]
fn other_languages_are_skipped_and_counted() {
    let entry = |file: &str, command: &str| {
        format!(r#"{{"directory": "/", "file": "{file}", "command": "{command}"}}"#)
    };
    let entries = [
        entry("a.c", "gcc a.c"),
        entry("a.cpp", "gcc a.cpp"),
        entry("a.S", "gcc a.S"),
        entry("b.c", "g++-12 b.c"),
        entry("c.c", "gcc -x c++ c.c"),
        entry("d.txt", "gcc -xc d.txt"),
        entry("e.c", "gcc -o -x e.c"),
    ];
    let db = read_text(&format!("[{}]", entries.join(","))).unwrap();
    let files: Vec<_> = db.commands.iter().map(|command| command.file.to_str().unwrap()).collect();
    assert_eq!(files, ["a.c", "d.txt", "e.c"]);
    assert_eq!(db.not_c, 4);
}

#[test]
fn bad_databases_are_named_with_place_and_advice() {
    let message = |text: &str| read_text(text).unwrap_err().to_string();
    assert!(
        message("[\n  {\"directory\": }\n]")
            .starts_with("db.json:2:17: not valid JSON: expected value; make one")
    );
    assert!(message("{}").contains("JSON array"));
    assert!(message("[]").contains("bear -- make"));
    assert!(message(" \n").contains("bear -- make"));
    assert!(
        message(r#"[{"directory": "/", "file": "a.cc", "command": "g++ a.cc"}]"#).contains("none of the 1")
    );
    assert!(message(&"[".repeat(100_000)).contains("not valid JSON"));
    assert!(load(Path::new("/nonexistent")).unwrap_err().to_string().contains("no compile database here"));
}

#[test]
fn bad_entries_are_listed_and_the_others_used() {
    let db = read_text(
        r#"[7, {"file": "a.c", "command": "gcc"}, {"directory": "/", "command": "gcc"},
            {"directory": "/", "file": "a.c"}, {"directory": "/", "file": "a.c", "command": "gcc 'x"},
            {"directory": "/", "file": "a.c", "arguments": ["gcc", 1]}, {"directory": "/", "file": "a.c", "arguments": []},
            {"directory": "/", "file": "ok.c", "command": "gcc ok.c"}]"#,
    )
    .unwrap();
    assert_eq!(db.commands.len(), 1);
    let problems: Vec<String> = db.malformed.iter().map(|(index, why)| format!("{index} {why}")).collect();
    assert_eq!(
        problems,
        [
            "0 is not a JSON object",
            "1 has no \"directory\"",
            "2 has no \"file\"",
            "3 has neither \"arguments\" nor \"command\"",
            "4 has a \"command\" with an unclosed quote",
            "5 has \"arguments\" that are not all strings",
            "6 has an empty command",
        ]
    );
}

#[test]
fn response_files_nest_and_end() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("outer"), "-DA '-DB=x y' @inner @outer").unwrap();
    fs::write(dir.path().join("inner"), "-DC @outer @inner -DD").unwrap();
    let command = from_flags(Path::new("a.c"), &["@outer".into(), "-DE".into()], dir.path()).unwrap();
    assert_eq!(command.arguments, ["clang", "-DA", "-DB=x y", "-DC", "-DD", "-DE"]);
}

/// Nine small files that expand to 100^8 arguments.
#[test]
fn response_files_have_a_limit_on_all_of_them_together() {
    let dir = tempfile::tempdir().unwrap();
    for level in 0..9 {
        fs::write(dir.path().join(format!("r{level}")), format!("@r{} ", level + 1).repeat(100)).unwrap();
    }
    let flags = |name: &str| from_flags(Path::new("a.c"), &[format!("@{name}")], dir.path());
    assert_eq!(flags("r0").unwrap_err(), "has more than 1000 response files");
    fs::write(dir.path().join("large"), "-DA ".repeat(600_000)).unwrap();
    fs::write(dir.path().join("twice"), "@large @large").unwrap();
    assert_eq!(flags("large").unwrap().arguments.len(), 600_001);
    assert_eq!(flags("twice").unwrap_err(), "has response files of more than 4 MB");
    let entry = |file: &str| serde_json::json!({"directory": dir.path(), "file": file, "arguments": ["cc", if file == "a.c" { "@r0" } else { "-c" }]});
    let json = serde_json::json!([entry("a.c"), entry("b.c")]).to_string();
    let db = read(&json, dir.path(), Path::new("db.json")).unwrap();
    assert_eq!(db.malformed, [(0, "has more than 1000 response files".to_owned())]);
    assert_eq!(db.commands.len(), 1);
}

#[test]
fn response_files_of_a_database_have_a_limit_together() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("r"), "x".repeat(4 << 20)).unwrap();
    let entry = |n: usize| serde_json::json!({"directory": dir.path(), "file": format!("{n}.c"), "arguments": ["cc", "@r"]});
    let json = serde_json::Value::Array((0..18).map(entry).collect()).to_string();
    let db = read(&json, dir.path(), Path::new("db.json")).unwrap();
    assert_eq!((db.commands.len(), db.malformed.len()), (16, 2));
    assert!(db.malformed[0].1.contains("more than 64 MB"), "{:?}", db.malformed);
}

#[test]
fn the_nearest_database_is_found_in_the_parents() {
    let dir = tempfile::tempdir().unwrap();
    let sub = dir.path().join("a/b");
    fs::create_dir_all(&sub).unwrap();
    fs::write(dir.path().join("a/compile_commands.json"), "[]").unwrap();
    assert_eq!(nearest(&sub.join("x.c")), Some(dir.path().join("a")));
    assert_eq!(nearest(&sub.join("../../x.c")), nearest(&dir.path().join("x.c")));
}

/// Guarantee of the allow-list: no kept flag makes clang reject a unit.
#[test]
fn clang_takes_every_flag_that_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.c"), "int x;\n").unwrap();
    let prefixed = |start: &str, list: &str| -> Vec<String> {
        list.split_ascii_whitespace().map(|word| format!("{start}{word}")).collect()
    };
    let mut cases: Vec<(&str, String)> = Vec::new();
    let mut add = |compiler, flags: Vec<String>| cases.extend(flags.into_iter().map(|flag| (compiler, flag)));
    let plain = flags::KEPT.split_ascii_whitespace().filter(|&flag| flag != "-fpack-struct");
    add("x86_64-linux-gnu-gcc", plain.map(str::to_owned).collect());
    add("x86_64-linux-gnu-gcc", vec!["-fpack-struct=2".into(), "-fno-builtin-memcpy".into()]);
    add("x86_64-linux-gnu-gcc", prefixed("-std=", flags::STANDARDS));
    add("x86_64-linux-gnu-gcc", prefixed("-march=", flags::X86_64_PROCESSORS));
    add("i686-linux-gnu-gcc", prefixed("-march=", flags::X86_32_PROCESSORS));
    add("x86_64-linux-gnu-gcc", prefixed("-m", flags::X86_SETS));
    add("x86_64-linux-gnu-gcc", prefixed("-mno-", flags::X86_SETS));
    add("arm-none-eabi-gcc", prefixed("-march=", flags::ARM_ARCHITECTURES));
    add("arm-none-eabi-gcc", prefixed("-mcpu=", flags::ARM_PROCESSORS));
    add("arm-none-eabi-gcc", prefixed("-mfpu=", flags::ARM_FPUS));
    add("aarch64-linux-gnu-gcc", prefixed("-march=", flags::AARCH64_ARCHITECTURES));
    add("aarch64-linux-gnu-gcc", prefixed("-mcpu=", flags::AARCH64_PROCESSORS));
    add("riscv64-unknown-elf-gcc", prefixed("-march=", "rv64gc rv64imac rv64i"));
    for &(family, list) in flags::KEPT_FOR {
        let compiler = match family {
            target::Family::X86 => "x86_64-linux-gnu-gcc",
            target::Family::Arm => "arm-none-eabi-gcc",
            target::Family::Aarch64 => "aarch64-linux-gnu-gcc",
            target::Family::RiscV32 => "riscv32-unknown-elf-gcc",
            target::Family::RiscV64 => "riscv64-unknown-elf-gcc",
            target::Family::Mips => "mips-linux-gnu-gcc",
            target::Family::PowerPc => "powerpc64-linux-gnu-gcc",
            target::Family::Other => "s390x-linux-gnu-gcc",
        };
        add(compiler, prefixed("", list));
    }
    for &(processor, _) in target::PROCESSORS {
        let triple = processor.replace("armv*", "armv7a").replace("mipsisa*", "mipsisa32r6");
        cases.push((Box::leak(format!("{triple}-linux-gnu-gcc").into_boxed_str()), String::new()));
    }
    let refusal = |words: &[String]| match crate::clang::parse(words, dir.path()) {
        Err(error) => Some(error.to_string()),
        Ok(unit) => unit.diagnostics().into_iter().find(|it| it.error).map(|it| it.message),
    };
    // clang rejects unknown values, so acceptance below is meaningful.
    for bad in ["-march=bogus", "--target=bogus"] {
        assert!(refusal(&["clang", bad, "--", "a.c"].map(str::to_owned)).is_some(), "{bad}");
    }
    let mut refused = Vec::new();
    for (compiler, flag) in cases {
        let arguments = vec![compiler.to_owned(), flag.clone()];
        let command = CompileCommand { directory: dir.path().to_owned(), file: "a.c".into(), arguments };
        let words = driver_arguments(&command, &mut Compilers::never_ask());
        assert!(flag.is_empty() || words.contains(&flag), "{compiler} {flag} is not kept");
        refused.extend(refusal(&words).map(|error| format!("{compiler} {flag}: {error}")));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
