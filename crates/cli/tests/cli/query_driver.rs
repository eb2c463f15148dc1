//! Nothing of a project is executed: compilers of a database run only if the user allows them.

use crate::project::{Project, Ran, script};
use serde_json::{Value, json};
use std::path::Path;

/// A cross compiler that prints its include directories and creates the file `started` next to itself.
const ANSWER: &str = "touch \"$(dirname \"$0\")/started\"\necho '#include <...> search starts here:' >&2\n\
                      echo \" $(dirname \"$0\")/cross\" >&2\necho ' /x/lib/gcc/arm-none-eabi/12/include' >&2\n\
                      echo 'End of search list.' >&2";

const NEEDS_HEADER: &str = "#include <only_here.h>\nint f(void) { return HERE; }\n";

fn project(compiler: &str, answer: &str) -> Project {
    let project = Project::new(&[("a.c", NEEDS_HEADER), ("cross/only_here.h", "#define HERE 1\n")]);
    script(&project.path().join(compiler), answer);
    project
}

fn database(project: &Project, command: &str) {
    let entry = json!({"directory": project.path(), "file": "a.c", "command": format!("{command} -c a.c")});
    project.write("compile_commands.json", json!([entry]).to_string().as_bytes());
}

fn has_started(project: &Project) -> bool {
    std::fs::remove_file(project.path().join("started")).is_ok()
}

fn errors(report: &Value) -> &Value {
    &report["coverage"]["units_with_errors"]
}

#[test]
fn a_database_starts_nothing() {
    let here = |name: &str| format!("./{name}");
    for (name, command) in [
        ("cc", "./cc --target=arm-none-eabi".to_owned()),
        ("arm-none-eabi-gcc", here("arm-none-eabi-gcc")),
        ("arm-none-eabi-gcc", "arm-none-eabi-gcc".to_owned()),
        ("arm-none-eabi-gcc", "ccache sub/../arm-none-eabi-gcc".to_owned()),
        ("gcc", here("gcc")),
        ("arm-none-eabi-evil", here("arm-none-eabi-evil")),
    ] {
        let project = project(name, ANSWER);
        database(&project, &command);
        let absolute = project.path().join(name).display().to_string();
        for (path, options) in [
            ("/usr/bin:/bin", &["a.c"][..]),
            (".:/usr/bin:/bin", &["a.c"]),
            (":/usr/bin:/bin", &["-p", "."]),
            // Even if the user allows everything: the path is relative, or found through the current directory.
            (".:/usr/bin:/bin", &["-p", ".", "--query-driver=**"]),
            (".:/usr/bin:/bin", &["-p", ".", "--query-driver", &absolute]),
        ] {
            let args = [&["check"], options].concat();
            let ran = Ran::of(project.command(&args).env("PATH", path).output().unwrap());
            assert!(!has_started(&project), "{command} {options:?} {path}: {}", ran.err);
        }
    }
}

#[test]
fn an_absolute_path_needs_permission_and_the_note_says_how_to_give_it() {
    let project = project("arm-none-eabi-gcc", ANSWER);
    let compiler = project.path().join("arm-none-eabi-gcc").display().to_string();
    database(&project, &compiler);
    let ran = project.run(&["check", "-p", "."]);
    assert!(!has_started(&project));
    let option = format!("--query-driver={compiler}");
    let note = format!(
        "gainsay: the compiler {compiler} was not asked for its include directories; {option} allows"
    );
    assert!(ran.err.contains(&note), "{}", ran.err);
    // The target is known from the name.
    let words = project.run(&["print-args", "-p", "."]).out;
    assert!(words.contains("--target=arm-none-eabi") && !words.contains("-nostdlibinc"), "{words}");

    let any_gcc = format!("--query-driver=/nowhere/*,{}/*-gcc", project.path().display());
    for option in [&option, &any_gcc] {
        let (code, report) = project.check(&["-p", ".", option]);
        assert_eq!((code, errors(&report)), (0, &json!(0)), "{option}: {report}");
        assert!(has_started(&project), "{option}");
    }
    let ran = project.run(&["print-args", "-p", ".", &option]);
    assert!(ran.out.contains("-nostdlibinc") && !ran.out.contains("/x/lib/gcc"), "{}", ran.out);
    assert!(has_started(&project));

    // A glob of another directory, a path that leaves the allowed one, and --no-query-compiler.
    for (command, options) in [
        (compiler.clone(), &["--query-driver=/usr/bin/*"][..]),
        (format!("/usr/bin/../..{compiler}"), &["--query-driver=/usr/bin/**"]),
        (compiler.clone(), &["--no-query-compiler"]),
        (compiler.clone(), &["--no-query-compiler", "--query-driver=**"]),
    ] {
        database(&project, &command);
        let (_, report) = project.check(&[&["-p", "."], options].concat());
        assert_eq!(errors(&report), &json!(1), "{report}");
        assert!(!has_started(&project), "{command} {options:?}");
    }
}

#[test]
fn a_name_is_looked_up_in_absolute_entries_of_path() {
    let project = project("arm-none-eabi-gcc", ANSWER);
    database(&project, "arm-none-eabi-gcc");
    let path = format!(".:{}:/usr/bin:/bin", project.path().display());
    let check = |options: &[&str]| {
        let args = [&["check", "--format=json", "-p", "."], options].concat();
        Ran::of(project.command(&args).env("PATH", &path).output().unwrap())
    };
    assert!(
        check(&[]).err.contains(&format!("--query-driver={}/arm-none-eabi-gcc", project.path().display()))
    );
    assert!(!has_started(&project));
    assert_eq!(errors(&check(&["--query-driver=**/arm-none-eabi-gcc"]).json()), &json!(0));
    assert!(has_started(&project));
}

#[test]
fn a_relative_glob_is_refused() {
    let project = project("arm-none-eabi-gcc", ANSWER);
    for glob in ["arm-none-eabi-gcc", "./arm-none-eabi-gcc", "*", ""] {
        let ran = project.run(&["check", &format!("--query-driver={glob}"), "a.c"]);
        assert_eq!(ran.code, 2, "{glob}");
        assert!(ran.err.contains("must match an absolute path"), "{}", ran.err);
    }
}

#[test]
fn a_compiler_that_does_not_answer_is_not_waited_for() {
    let project = project("arm-none-eabi-gcc", "exec sleep 600");
    database(&project, &project.path().join("arm-none-eabi-gcc").display().to_string());
    let before = std::time::Instant::now();
    project.check(&["-p", ".", "--query-driver=**"]);
    assert!(before.elapsed().as_secs() < 60);
}

/// Gives the file to another user (uid 65534); `false` if that is not possible because the test does not run as root.
fn give_away(path: &Path) -> bool {
    std::os::unix::fs::chown(path, Some(65534), None).is_ok()
}

#[test]
fn a_database_of_another_user_is_used_only_if_it_is_named() {
    let text = "#if WIDTH != 32\n#error no\n#endif\nint f(void) { return 1; }\n";
    let flags = [("sub/a.c", "-DWIDTH=32")];
    for foreign in ["compile_commands.json", "."] {
        let project = Project::new(&[("sub/a.c", text)]);
        project.write_database(&flags);
        assert_eq!(errors(&project.check(&["sub/a.c"]).1), &json!(0));
        if !give_away(&project.path().join(foreign)) {
            return;
        }
        let ran = project.run(&["check", "--format=json", "sub/a.c"]);
        assert_eq!(errors(&ran.json()), &json!(1), "{foreign}: {}", ran.err);
        let advice = format!("(uid 65534); use it with -p {}", project.path().display());
        assert!(ran.err.contains(&advice), "{}", ran.err);
        assert_eq!(errors(&project.check(&["-p", ".", "sub/a.c"]).1), &json!(0), "{foreign}");
    }
    // A link of another user to a database of ours.
    let project = Project::new(&[("sub/a.c", text)]);
    project.write_database(&flags);
    let link = project.path().join("sub/compile_commands.json");
    std::os::unix::fs::symlink(project.path().join("compile_commands.json"), &link).unwrap();
    assert_eq!(errors(&project.check(&["sub/a.c"]).1), &json!(0));
    if std::os::unix::fs::lchown(&link, Some(65534), None).is_ok() {
        assert_eq!(errors(&project.check(&["sub/a.c"]).1), &json!(1));
    }
}
