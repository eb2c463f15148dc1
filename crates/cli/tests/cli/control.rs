//! Untrusted text reaches a terminal escaped, never as a control sequence.

use crate::project::{Project, Ran};
use serde_json::json;

/// A name that clears the screen, rings the bell, begins a new line and reverses the writing direction.
const HOSTILE: &str = "a\x1b[2J\x07\ngainsay: 0 findings\u{9b}31m\u{202e}.c";
const SHOWN: &str = "a\\x1b[2J\\x07\\ngainsay: 0 findings\\u{9b}31m\\u{202e}.c";

const LATE: &str = "int late(int *p) {\n  int n = *p;\n  if (!p) /* \x1b]0;x\x07 \u{9b}2J \u{202e} */\n    return -1;\n  return n;\n}\n";

fn is_obeyed(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(&c)
}

/// Neither stream has control characters.
#[track_caller]
fn assert_harmless(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(is_obeyed), "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("gainsay: 0 findings\u{9b}")), "{text:?}");
    }
}

#[test]
fn names_of_files() {
    let project = Project::new(&[(HOSTILE, LATE), ("good.c", "int g(void) { return 1; }\n")]);
    for options in [&[][..], &["--color=never"], &["--format=json"], &["--format=sarif"]] {
        let ran = project.run(&[&["check"], options, &[HOSTILE, "good.c"]].concat());
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert_harmless(&ran);
    }
    let ran = project.run(&["check", HOSTILE]);
    assert!(ran.out.starts_with(&format!("{SHOWN}:3:")), "{}", ran.out);
    // Missing, not in the database, and given up.
    let ran = project.run(&["check", "good.c", &HOSTILE.replace(".c", ".missing.c")]);
    assert_eq!(ran.code, 2);
    assert_harmless(&ran);
    project.write_database(&[("good.c", "")]);
    let ran = project.run(&["check", "-p", ".", HOSTILE]);
    assert!(ran.err.contains(&format!("{SHOWN}: not in the compile database")), "{}", ran.err);
    assert_harmless(&ran);
    for args in [&["dump", "--stage=ast", HOSTILE][..], &["summary", HOSTILE], &["verify", "--all", HOSTILE]]
    {
        assert_harmless(&project.run(args));
    }
}

#[test]
fn names_from_line_directives() {
    let name = HOSTILE.replace('\n', "");
    let text = format!("# 7 \"{name}\"\n{LATE}int broken(void) {{ return missing; }}\n#error \x1b[2J\n");
    let project = Project::new(&[("a.c", &text)]);
    for options in [&[][..], &["--format=json"], &["--format=sarif"]] {
        let ran = project.run(&[&["check"], options, &["a.c"]].concat());
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert_harmless(&ran);
    }
    assert!(project.run(&["check", "a.c"]).err.contains("does not compile"), "the errors are shown");
}

#[test]
fn databases() {
    let project = Project::new(&[("good.c", "int g(void) { return 1; }\n")]);
    let entries = json!([
        {"directory": project.path(), "file": "good.c", "command": "gcc -c good.c"},
        {"directory": project.path(), "file": HOSTILE, "command": "gcc -c x.c"},
        {"directory": project.path(), "file": "good.c", "command": "./a\u{1b}[2J-none-eabi-gcc --target=arm-none-eabi -c good.c"},
    ]);
    project.write("compile_commands.json", entries.to_string().as_bytes());
    let ran = project.run(&["check", "-p", "."]);
    assert!(ran.err.contains(SHOWN) && ran.err.contains("./a\\x1b[2J-none-eabi-gcc"), "{}", ran.err);
    assert_harmless(&ran);
    let hostile = project.path().join(HOSTILE);
    std::fs::create_dir(&hostile).unwrap();
    for text in ["[", "[{}]", "{}"] {
        std::fs::write(hostile.join("compile_commands.json"), text).unwrap();
        let ran = project.run(&["check", "-p", HOSTILE]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(SHOWN), "{}", ran.err);
        assert_harmless(&ran);
    }
}

/// With colored source excerpts: apart from the colors there are no control characters.
#[test]
fn excerpts_of_the_source() {
    let project = Project::new(&[(HOSTILE, LATE)]);
    let ran = project.run(&["check", "--color=always", HOSTILE]);
    assert!(ran.out.contains("if (!p)"), "{}", ran.out);
    let mut plain = String::new();
    for (i, piece) in ran.out.split("\x1b[").enumerate() {
        let color =
            piece.split_once('m').filter(|(color, _)| color.bytes().all(|b| b.is_ascii_digit() || b == b';'));
        match color {
            Some((_, rest)) if i != 0 => plain.push_str(rest),
            _ => plain.push_str(piece),
        }
    }
    assert!(!plain.contains(is_obeyed), "{plain:?}");
    assert!(plain.contains("\\x1b]0;x\\x07 \\u{9b}2J \\u{202e}"), "{plain}");
}
