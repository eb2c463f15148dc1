//! The cache directory is private, and files of others in it neither block a run nor redirect its writes.

use crate::project::{Project, Ran};
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LATE: &str = "int late(int *p) {\n  int n = *p;\n  if (!p)\n    return -1;\n  return n;\n}\n";

/// `check`, with the default cache directory below this home.
fn at_home(project: &Project, home: &Path) -> Command {
    // The option keeps the helper from adding --no-cache.
    let mut command = project.command(&["check", "late.c", "--cache-limit=100"]);
    command.env("HOME", home).env_remove("XDG_CACHE_HOME");
    command
}

fn run(command: &mut Command) -> Ran {
    Ran::of(command.output().unwrap())
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

/// All files below a directory, directories left out.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found.sort();
    found
}

#[test]
fn other_users_can_neither_read_nor_write_the_cache() {
    let project = Project::new(&[("late.c", LATE)]);
    let home = project.path().join("home");
    fs::create_dir(&home).unwrap();
    assert_eq!(run(&mut at_home(&project, &home)).code, 1);
    let cache = home.join(".cache/gainsay/cache");
    let kept = files(&cache);
    assert!(kept.len() > 2, "{kept:?}");
    assert_eq!(mode(&cache), 0o700);
    for file in kept.iter().filter(|file| !file.ends_with("CACHEDIR.TAG")) {
        assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700), "{}", file.display());
    }
    // A directory with wider permissions is restricted.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(run(&mut at_home(&project, &home)).err.contains("cache: 0 of 1 functions"));
    assert_eq!(mode(&cache), 0o700);
}

#[test]
fn a_cache_that_others_can_write_is_refused() {
    let project = Project::new(&[("late.c", LATE)]);
    let home = project.path().join("home");
    fs::create_dir(&home).unwrap();
    let usual = home.join(".cache/gainsay/cache");
    let named = project.path().join("kept");
    for bits in [0o770, 0o707, 0o777, 0o1777] {
        for directory in [&usual, &named] {
            fs::create_dir_all(directory).unwrap();
            fs::set_permissions(directory, fs::Permissions::from_mode(bits)).unwrap();
        }
        let ran = run(&mut at_home(&project, &home));
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.err.contains("no cache: other users can write the directory"), "{}", ran.err);
        let ran = project.run(&["check", "late.c", "--cache-dir", "kept"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("kept: no cache: other users can write the directory"), "{}", ran.err);
        assert_eq!((files(&usual), files(&named)), (vec![], vec![]));
    }
    fs::set_permissions(&named, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(project.run(&["check", "late.c", "--cache-dir", "kept"]).code, 1);
    if std::os::unix::fs::chown(&named, Some(65534), None).is_ok() {
        let ran = project.run(&["check", "late.c", "--cache-dir", "kept"]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("belongs to another user (uid 65534)"), "{}", ran.err);
    }
}

#[test]
fn a_home_that_does_not_exist_is_not_created() {
    let project = Project::new(&[("late.c", LATE)]);
    let home = project.path().join("no/home");
    let ran = run(&mut at_home(&project, &home));
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("no cache: HOME is ") && ran.err.contains("does not exist"), "{}", ran.err);
    assert!(!project.path().join("no").exists());
    // The directory of all caches may be created.
    let ran = run(at_home(&project, &home).env("XDG_CACHE_HOME", project.path().join("xdg")));
    assert!(ran.code == 1 && !ran.err.contains("no cache"), "{}", ran.err);
    assert!(project.path().join("xdg/gainsay/cache/CACHEDIR.TAG").exists());
}

/// A run that must not take longer than a minute.
fn in_time(mut command: Command) -> Ran {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("the run hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ran::of(child.wait_with_output().unwrap())
}

fn fifo(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a valid C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

/// Every entry is replaced by a directory, link, pipe or device in turn: no run blocks, follows a link, or changes its output.
#[test]
fn entries_that_are_not_files_are_replaced() {
    let project = Project::new(&[("late.c", LATE), ("mine.txt", "mine\n")]);
    let mine = project.path().join("mine.txt");
    let check = || project.command(&["check", "late.c", "--format=json", "--cache-dir", "kept"]);
    let expected = in_time(check()).out;
    let kept = files(&project.path().join("kept"));
    let entries: Vec<&PathBuf> = kept.iter().filter(|file| !file.ends_with("CACHEDIR.TAG")).collect();
    assert!(entries.len() >= 3, "{kept:?}");
    type Change<'a> = &'a dyn Fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("fifo", &fifo),
        ("device", &|path| symlink("/dev/zero", path).unwrap()),
        ("link", &|path| symlink(&mine, path).unwrap()),
        ("dangling link", &|path| symlink(project.path().join("made"), path).unwrap()),
    ];
    for (what, change) in changes {
        for entry in &entries {
            fs::remove_file(entry).unwrap();
            change(entry);
        }
        assert_eq!(in_time(check()).out, expected, "{what}");
        for entry in &entries {
            assert!(fs::symlink_metadata(entry).unwrap().is_file(), "{what}: {}", entry.display());
        }
        assert_eq!(fs::read(&mine).unwrap(), b"mine\n");
        assert!(!project.path().join("made").exists(), "{what}");
    }
    // A link to a valid entry elsewhere is not used either.
    let copy = project.path().join("copy");
    fs::copy(entries[0], &copy).unwrap();
    fs::remove_file(entries[0]).unwrap();
    symlink(&copy, entries[0]).unwrap();
    assert_eq!(in_time(check()).out, expected);
    assert!(fs::symlink_metadata(entries[0]).unwrap().is_file());
}

/// Nothing is written or removed through links.
#[test]
fn links_in_the_cache_are_not_followed() {
    let project = Project::new(&[("late.c", LATE), ("elsewhere/keep", "")]);
    let check = || project.command(&["check", "late.c", "--cache-dir", "kept", "--cache-limit=0"]);
    let elsewhere = project.path().join("elsewhere");
    let foreign = project.write(&format!("elsewhere/{}.answer", "a".repeat(62)), &[0; 1000]);
    fs::create_dir(project.path().join("kept")).unwrap();
    fs::set_permissions(project.path().join("kept"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(project.path().join("made"), project.path().join("kept/CACHEDIR.TAG")).unwrap();
    for byte in 0..=255 {
        symlink(&elsewhere, project.path().join(format!("kept/{byte:02x}"))).unwrap();
    }
    let ran = in_time(check());
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_eq!(files(&elsewhere), [foreign, elsewhere.join("keep")]);
    assert!(!project.path().join("made").exists());
}
