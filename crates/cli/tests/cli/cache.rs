//! The cache changes the time of a run and nothing else, even if its files are damaged.

use crate::project::{Project, Ran};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

const HEADER: &str = "struct s { int a; struct s *next; };\n";

/// A test that comes too late.
const LATE: &str = "#include \"s.h\"\nint early(int x) {\n  return x + 1;\n}\nint late(struct s *p) {\n  int a = p->a;\n  \
                    if (!p)\n    return 0;\n  return a;\n}\n";

/// A loop with a contradiction that only Horn clauses find, and functions without one.
const LOOPS: &str = "#include \"s.h\"\nunsigned count(void) {\n  unsigned i = 0;\n  while (i != 7)\n    i += 2;\n  \
                     return i;\n}\nint sum(struct s *p) {\n  int n = 0;\n  for (; p; p = p->next)\n    n += p->a;\n  \
                     return n;\n}\n";

fn project() -> Project {
    let project = Project::new(&[("inc/s.h", HEADER), ("late.c", LATE), ("loops.c", LOOPS)]);
    project.write("first/README", b"a directory that is searched first\n");
    project.write_database(&[("late.c", "-Ifirst -Iinc"), ("loops.c", "-Ifirst -Iinc")]);
    project
}

fn run(project: &Project, more: &[&str]) -> Ran {
    project
        .run(&[&["check", "-p", ".", "--format", "json", "--show=all", "--cache-dir", "kept"], more].concat())
}

/// A run without a cache.
fn plain(project: &Project) -> Ran {
    project.run(&["check", "-p", ".", "--format", "json", "--show=all"])
}

/// How many functions were re-analysed, and of how many.
fn counts(ran: &Ran) -> (u64, u64) {
    let line = ran.err.lines().find_map(|line| line.strip_prefix("gainsay: cache: "));
    let line = line.unwrap_or_else(|| panic!("no counts: {}", ran.err));
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The output is that of a run without a cache, and this many functions were re-analysed.
#[track_caller]
fn assert_same(project: &Project, ran: &Ran, reanalysed: u64) {
    let plain = plain(project);
    assert_eq!((ran.code, &ran.out), (plain.code, &plain.out), "{}", ran.err);
    assert_eq!(counts(ran).0, reanalysed, "{}", ran.err);
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push(path),
        }
    }
    found.sort();
    found
}

#[test]
fn cold_and_warm_runs_give_the_same_bytes() {
    let project = project();
    assert_same(&project, &run(&project, &["-j1"]), 4);
    let findings = run(&project, &[]).json()["findings"].as_array().unwrap().clone();
    let analyses: Vec<&Value> = findings.iter().map(|finding| &finding["analyses"][0]).collect();
    assert!(analyses.iter().any(|&a| a == "reach") && analyses.iter().any(|&a| a == "horn"), "{findings:?}");
    for jobs in ["-j1", "-j2"] {
        assert_same(&project, &run(&project, &[jobs]), 0);
    }
    // Other options need other results.
    assert_eq!(counts(&run(&project, &["--loops=off"])), (4, 4));
    assert_same(&project, &run(&project, &[]), 0);
}

#[test]
fn only_an_edited_function_is_reanalysed() {
    let project = project();
    run(&project, &[]);
    // Longer, so all following functions move, and the loop budget grows.
    let longer = LATE.replace("  return x + 1;\n", "  if (x > 7)\n    x++;\n  return x;\n");
    project.write("late.c", longer.as_bytes());
    let ran = run(&project, &[]);
    // The message of `late` names one of its lines, which has moved.
    assert_same(&project, &ran, 2);
    let above = LOOPS.replace("unsigned count", "\n\nunsigned count");
    project.write("loops.c", above.as_bytes());
    assert_same(&project, &run(&project, &[]), 0);
    let edited = above.replace("n += p->a", "n -= p->a");
    project.write("loops.c", edited.as_bytes());
    assert_same(&project, &run(&project, &[]), 1);
    // The results before the edit are still cached.
    project.write("loops.c", above.as_bytes());
    assert_same(&project, &run(&project, &[]), 0);
}

#[test]
fn changed_and_new_headers_are_noticed() {
    let project = project();
    run(&project, &[]);
    project.write("inc/s.h", HEADER.replace("int a;", "long pad; int a;").as_bytes());
    // `early` and `count` do not access the record.
    assert_same(&project, &run(&project, &[]), 2);
    let before = plain(&project).out;
    let more = [HEADER, "int in_first(int x) { return x; }\n"].concat();
    project.write("first/s.h", more.as_bytes());
    let ran = run(&project, &[]);
    assert_same(&project, &ran, counts(&ran).0);
    assert_ne!(before, ran.out);
    assert!(counts(&ran).0 >= 2, "{}", ran.err);
    fs::remove_file(project.path().join("first/s.h")).unwrap();
    assert_eq!(run(&project, &[]).out, before);
}

#[test]
fn damaged_files_are_ignored_and_rewritten() {
    let project = project();
    run(&project, &[]);
    let kept = project.path().join("kept");
    let intact = files(&kept);
    assert_eq!(intact.len(), 1 + 2 * 4, "{intact:?}");
    let damage: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.clear(),
        |bytes| *bytes.last_mut().unwrap() ^= 1,
        |bytes| bytes[20] ^= 0x80,
        |bytes| bytes.extend(b"more"),
    ];
    for (i, damage) in damage.iter().enumerate() {
        for path in intact.iter().filter(|path| !path.ends_with("CACHEDIR.TAG")) {
            let mut bytes = fs::read(path).unwrap();
            damage(&mut bytes);
            fs::write(path, bytes).unwrap();
        }
        assert_same(&project, &run(&project, &[]), 4);
        assert_same(&project, &run(&project, &[]), 0);
        assert_eq!(files(&kept), intact, "damage {i}");
    }
    // A file of another unit is not used for this one.
    let answers: Vec<&PathBuf> = intact.iter().filter(|path| path.extension().unwrap() == "answer").collect();
    fs::copy(answers[0], answers[1]).unwrap();
    assert_same(&project, &run(&project, &[]), 0);
}

#[test]
fn check_cache_agrees_with_a_right_cache() {
    let project = project();
    run(&project, &[]);
    let checked = run(&project, &["--check-cache"]);
    assert_eq!((checked.code, counts(&checked)), (1, (4, 4)), "{}", checked.err);
    assert_same(&project, &checked, 4);
}

#[cfg(debug_assertions)]
#[test]
fn check_cache_names_the_entry_that_is_wrong() {
    let project = project();
    let args = ["check", "-p", ".", "--cache-dir", "kept"];
    project.command(&args).env("GAINSAY_TEST_FAULT", "lie:late.c").output().unwrap();
    let ran = project.run(&[&args[..], &["--check-cache"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.err);
    let wrong = ran.err.lines().find(|line| line.starts_with("gainsay: the cache is wrong: ")).unwrap();
    assert!(wrong.contains(".functions: late.c: function late: its result differs"), "{wrong}");
    // The entry has been corrected.
    assert_eq!(project.run(&[&args[..], &["--check-cache"]].concat()).code, 1);
}

#[test]
fn runs_at_once_do_not_disturb_each_other() {
    let project = project();
    let args = ["check", "-p", ".", "--format", "json", "--show=all", "-j2", "--cache-dir", "kept"];
    let start = || {
        let mut command = project.command(&args);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let expected = plain(&project).out;
    for _ in 0..3 {
        let both = [start(), start()].map(|child| Ran::of(child.wait_with_output().unwrap()));
        for ran in both {
            assert_eq!(ran.out, expected, "{}", ran.err);
        }
    }
    assert_same(&project, &run(&project, &[]), 0);
}

/// Ten times up to `most`, by splitmix64.
fn random_moments(seed: u64, most: u64) -> [u64; 10] {
    let mut state = seed;
    std::array::from_fn(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % (most + 1)
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "shown if the test fails")]
fn a_killed_run_leaves_a_usable_cache() {
    let project = project();
    let args = ["check", "-p", ".", "--format", "json", "--show=all", "-j2", "--cache-dir", "kept"];
    let started = Instant::now();
    plain(&project);
    let whole = started.elapsed().as_millis() as u64;
    // Different moments each time; the seed is printed if the test fails.
    let seed = match std::env::var("GAINSAY_TEST_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64,
    };
    let moments = random_moments(seed, whole);
    println!("GAINSAY_TEST_SEED={seed}: killed after {moments:?} of {whole} ms");
    for moment in moments {
        let mut command = project.command(&args);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ran = run(&project, &[]);
    assert_same(&project, &ran, counts(&ran).0);
    assert_same(&project, &run(&project, &[]), 0);
}

#[test]
fn least_recently_used_entries_are_evicted() {
    let project = project();
    run(&project, &[]);
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    let kept = project.path().join("kept");
    let foreign = project.write("kept/ab/mine.txt", b"not made by gainsay\n");
    assert!(files(&kept).iter().map(|path| size(path)).sum::<u64>() > 1_000);
    let ran = run(&project, &["--cache-limit=0"]);
    assert_same(&project, &ran, 0);
    assert_eq!(files(&kept), [kept.join("CACHEDIR.TAG"), foreign]);
    assert_same(&project, &run(&project, &[]), 4);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_failure() {
    let project = project();
    project.write("file", b"no directory\n");
    let expected = plain(&project);
    let args = ["check", "-p", ".", "--format", "json", "--show=all", "--cache-dir", "file/below"];
    let ran = project.run(&args);
    assert_eq!((ran.code, &ran.out), (expected.code, &expected.out), "{}", ran.err);
    assert!(ran.err.contains("gainsay: file/below: no cache: "), "{}", ran.err);
}

#[test]
fn nothing_is_left_behind_without_a_cache() {
    let project = project();
    let temporary = project.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let args = ["check", "-p", ".", "-q"];
    let output = project.command(&args).env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(Ran::of(output).code, 1);
    assert_eq!(files(&temporary), [] as [PathBuf; 0]);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

/// A contract is part of the functions that it is assumed or asserted in.
#[test]
fn an_edited_contract_counts() {
    let header = |bound: &str| format!("/*@ requires n {bound}; */\nint need(int n);\n");
    let body = "#include \"need.h\"\nint need(int n) { return n; }\n";
    let caller = "#include \"need.h\"\nint f(int n) {\n  if (n < 0)\n    return need(n);\n  return 0;\n}\nint other(int n) { return n; }\n";
    let project = Project::new(&[("need.h", &header("<= 0")), ("need.c", body), ("caller.c", caller)]);
    project.write_database(&[("need.c", ""), ("caller.c", "")]);
    let first = run(&project, &[]);
    assert_eq!((first.code, counts(&first)), (0, (3, 3)), "{}", first.out);
    project.write("need.h", header(">= 0").as_bytes());
    let second = run(&project, &[]);
    assert_eq!(second.code, 1, "{}", second.out);
    assert_same(&project, &second, 2);
}
