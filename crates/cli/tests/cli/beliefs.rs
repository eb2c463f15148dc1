//! The details of `check --beliefs`: both sides of a contradiction, callers, habits, and findings shared with `reach`.

use crate::project::Project;
use serde_json::Value;

const HEAD: &str = "struct item { int count; };\nint asked(void);\nstruct item *lookup(int key);\n";

/// The findings in a unit of this text, below [`HEAD`].
fn findings(text: &str) -> Vec<Value> {
    let project = Project::new(&[("t.c", &format!("{HEAD}{text}"))]);
    let (_, report) = project.check(&["t.c", "--beliefs"]);
    report["findings"].as_array().unwrap().clone()
}

fn message(text: &str) -> String {
    let findings = findings(text);
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings[0]["message"].as_str().unwrap().to_owned()
}

const TOTAL: &str = "int total(struct item *p) {\n    int n = 0;\n    if (p)\n        n = p->count;\n\
                     if (asked())\n        n += p->count;\n    return n;\n}\n";

#[test]
fn beliefs_are_off_by_default() {
    let project = Project::new(&[("t.c", &format!("{HEAD}{TOTAL}"))]);
    let (_, report) = project.check(&["t.c"]);
    assert_eq!(report["findings"], serde_json::json!([]));
}

#[test]
fn both_places_are_named() {
    let findings = findings(TOTAL);
    let message =
        "`p` is dereferenced here without a test, but at line 6 it is tested for NULL before it is used";
    assert_eq!(findings[0]["message"], message);
    assert_eq!(findings[0]["analyses"], serde_json::json!(["beliefs"]));
    let related = findings[0]["related"].as_array().unwrap();
    assert_eq!(related[0]["message"], "`p` is tested here");
    assert_eq!(related[1]["message"], "`p` is dereferenced here, after the test");
}

#[test]
fn callers_tell_which_side_to_fix() {
    let with_null = message(&format!("{TOTAL}int caller(void) {{ return total(0); }}\n"));
    assert!(with_null.ends_with("; `caller` at line 12 passes NULL: the use needs a test"), "{with_null}");
    let hidden = format!(
        "static {TOTAL}struct item i;\nint a(void) {{ return total(&i); }}\nint b(void) {{ return total(&i); }}\n"
    );
    let without = message(&hidden);
    assert!(without.ends_with("; none of the 2 calls can pass NULL: the test is redundant"), "{without}");
    let unknown = message(&format!("static {TOTAL}int a(struct item *p) {{ return total(p); }}\n"));
    assert!(unknown.ends_with("before it is used"), "{unknown}");
    let open = message(&format!("{TOTAL}struct item i;\nint a(void) {{ return total(&i); }}\n"));
    assert!(open.ends_with("; the only call that is known cannot pass NULL"), "{open}");
}

#[test]
fn callers_in_other_units_are_asked_and_named_by_file_and_line() {
    let total = format!("{HEAD}{TOTAL}");
    let call = |arg: &str, from: &str| {
        format!(
            "struct item {{ int count; }};\nint total(struct item *p);\nstruct item i;\n\nint {from}(void) {{\n    return total({arg});\n}}\n"
        )
    };
    let project = Project::new(&[
        ("t.c", &total),
        ("conn.c", &call("0", "connect")),
        ("d.c", &call("&i", "close_all")),
    ]);
    let (_, report) = project.check(&["t.c", "conn.c", "d.c", "--beliefs"]);
    let finding = &report["findings"][0];
    let message = finding["message"].as_str().unwrap();
    assert!(message.ends_with("; `connect` at conn.c:6 passes NULL: the use needs a test"), "{message}");
    let related = finding["related"].as_array().unwrap();
    let call_place = related.iter().find(|place| place["file"] == "conn.c").unwrap();
    assert_eq!(
        (&call_place["line"], &call_place["message"]),
        (&6.into(), &"`total` is called with NULL here".into())
    );
    let project =
        Project::new(&[("t.c", &total), ("c.c", &call("&i", "connect")), ("d.c", &call("&i", "close_all"))]);
    let (_, report) = project.check(&["t.c", "c.c", "d.c", "--beliefs"]);
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("; none of the 2 calls that are known can pass NULL"), "{message}");
}

#[test]
fn a_callee_that_can_fail_is_named_with_its_chain() {
    let text = "static int inner(struct item *q, int deep) { if (deep) return q->count; return 0; }\n\
                static int outer(struct item *q) { asked(); return inner(q, 1); }\n\
                static int unsure(struct item *q) { asked(); return inner(q, asked()); }\n\
                int total(struct item *p) { int n = 0; if (p) n = p->count; if (asked()) n += outer(p); return n; }\n\
                int never(struct item *p) { int n = 0; if (p) n = p->count; if (asked()) n += unsure(p); return n; }\n";
    let expected = "`p` is passed here without a test to `outer`, and on to `inner`, which can fail";
    assert!(message(text).starts_with(expected), "{}", message(text));
}

#[test]
fn a_finding_that_reach_proves_is_shared() {
    let findings = findings(
        "int f(struct item *p) {\n    int n = 0;\n    if (p)\n        n = p->count;\n    return n + p->count;\n}\n",
    );
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["rule"], "fatal-branch");
    assert_eq!(findings[0]["analyses"], serde_json::json!(["beliefs", "reach"]));
}

#[test]
fn unchecked_calls_are_reported_once_per_callee() {
    let mut text = String::from(
        "struct item items[9];\nstruct item *lookup(int key) { return key < 9 ? &items[key] : 0; }\n",
    );
    for i in 0..20 {
        text.push_str(&format!(
            "int careful{i}(void) {{ struct item *p = lookup({i}); return p ? p->count : 0; }}\n"
        ));
    }
    text.push_str("int careless(void) { return lookup(20)->count; }\nint as_careless(void) { return lookup(21)->count; }\n");
    let findings = findings(&text);
    assert_eq!(findings.len(), 1, "{findings:?}");
    let message = findings[0]["message"].as_str().unwrap();
    assert!(
        message.ends_with("the result of `lookup` can be NULL: it is tested at 20 of 22 calls"),
        "{message}"
    );
    assert_eq!(findings[0]["related"][0]["message"], "likewise in `as_careless`");
}

#[test]
fn the_cache_depends_on_hints_of_the_whole_program() {
    let caller = |argument: &str| {
        format!(
            "struct item {{ int count; }};\nint total(struct item *p);\nint caller(struct item *q) {{ return total({argument}); }}\n"
        )
    };
    let project = Project::new(&[("t.c", &format!("{HEAD}{TOTAL}")), ("u.c", &caller("q"))]);
    let run = || {
        let (_, report) = project.check(&["t.c", "u.c", "--beliefs", "--cache-dir", "kept"]);
        report["findings"][0]["message"].as_str().unwrap().to_owned()
    };
    assert!(run().ends_with("before it is used"));
    project.write("u.c", caller("0").as_bytes());
    assert!(run().ends_with("; `caller` at u.c:3 passes NULL: the use needs a test"));
}
