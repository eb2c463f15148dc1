//! Comments and their parsed clauses.

use super::*;

/// The clauses in Rust notation, problems as `offset?`.
fn read(comment: &str) -> String {
    let Annotation { clauses, problems } = parse(comment);
    let mut texts: Vec<String> =
        clauses.iter().map(|clause| format!("{:?}", clause.kind)).map(short).collect();
    texts.extend(problems.iter().map(|problem| format!("{}: {}", problem.offset, problem.message)));
    texts.join("; ")
}

/// Rust's notation without the parts that never vary.
fn short(text: String) -> String {
    let mut text =
        text.replace("Name(\"", "").replace("\")", "").replace("Compare(", "(").replace("Arith(", "(");
    for word in ["Int(", "Requires(", "Ensures(", "Assert("] {
        text = text.replace(word, &word[..word.len() - 1].chars().take(1).collect::<String>().to_lowercase());
    }
    text.replace(' ', "")
}

#[test]
fn problems_have_a_place_and_say_what_was_expected() {
    for (comment, expected) in [
        ("/*@ requires n > ; */", "17: an expression is expected here"),
        ("/*@ requires n > 0 */", "18: `;` is expected here"),
        ("/*@ requires (n > 0; */", "19: `)` is expected here"),
        ("/*@ requires some thought */", "18: `;` is expected here"),
        ("/*@ requires a <= b >= c; */", "24: a chain of comparisons must go one way"),
        ("/*@ requires f(a); */", "13: `f(...)`: predicates and functions are not supported"),
        ("/*@ loop unroll 3; */", "4: `invariant`, `assigns` or `variant` is expected after `loop`"),
        ("/*@ decreases n; */", "4: `decreases` is not supported"),
        ("/*@ requires \\fresh(p); */", "13: `\\fresh` is not supported"),
        ("/*@ assumes n > 0; */", "4: `assumes` belongs into a behavior"),
        ("//@ assert x == (char *)p;", "22: a cast to an integer type ends here with `)`"),
        (
            "/*@ require n > 0; */",
            "4: `require` begins no clause; `requires`, `ensures`, ... is expected here",
        ),
        ("/*@null@*/", ""),
        ("/*@ out @*/", ""),
        // Splint comments.
        ("/*@checked out@*/", ""),
        ("/*@globals errno, fileSystem@*/", ""),
        ("/*@ globals internalState; @*/", ""),
        ("/*@globals h_errno,\n\tfileSystem @*/", ""),
        ("/*@modifies *s, errno;@*/", ""),
        ("/*@requires maxSet(s1) >= maxRead(s2)@*/", ""),
        ("/*@ requires maxRead(s) >= 0 @*/", ""),
        ("/*@ensures maxRead(s) == 3;@*/", ""),
        ("/*@requires notnull p@*/", ""),
        ("/*@ensures only result@*/", ""),
        ("/*@allocates x->name@*/", ""),
        ("/*@-type -modfilesys@*/", ""),
        ("/*@i2 for now@*/", ""),
        // Malformed ACSL: a blank after `@`, a `;`, or the end on a line of its own tells it from Splint.
        ("/*@ requires n > 0 @*/", "18: `;` is expected here"),
        ("/*@requires n > ;@*/", "16: an expression is expected here"),
        ("/*@requires n\n  @*/", "13: `;` is expected here"),
        ("/*@requires n */", "13: `;` is expected here"),
        ("// gainsay-ignore requires n;", ""),
    ] {
        let read = read(comment);
        assert!(read == expected || comment.contains("char *") && read.contains("cast"), "{comment}: {read}");
    }
    let deep = read(&format!("/*@ requires {}a; */", "!".repeat(100_000)));
    assert!(deep.ends_with("the expression is nested too deeply"), "{deep}");
}

#[test]
fn what_follows_a_problem_is_read() {
    let annotation = parse("/*@ requires ?; requires b; ensures \\result; */");
    assert_eq!((annotation.clauses.len(), annotation.problems.len()), (2, 1));
    assert_eq!(annotation.clauses[0].offset, 16);
}

#[test]
fn clauses_are_read_as_acsl_reads_them() {
    for (comment, same) in [
        ("/*@ requires beg ≤ end; */", "/*@ requires beg <= end; */"),
        ("/*@ requires 0 <= i < n; */", "/*@ requires 0 <= i && i < n; */"),
        ("/*@ requires a ==> b ==> c; */", "/*@ requires a ==> (b ==> c); */"),
        ("/*@ requires a ≠ b ∧ ¬c ∨ d ⇒ e; */", "/*@ requires ((a != b && !c) || d) ==> e; */"),
        ("/*@ requires a + b * -c - 0x10 == 010; */", "/*@ requires ((a + (b * (-c))) - 16) == 8; */"),
        ("/*@ requires p->f[i].g == 'a'; */", "/*@ requires ((((*p).f)[i]).g) == 97; */"),
        ("/*@ requires\n  @   positive: n > 0;\n  @*/", "//@ requires n > 0;"),
        ("/*@ assigns *(p + (0 .. n)); */", "/*@ assigns p[0 .. n]; */"),
        ("/*@ requires ∀ integer i; a; */", "/*@ requires \\forall integer i; a; */"),
        ("//@ requires a \\\n < b;", "//@ requires a < b;"),
        ("/*@ behavior b: assumes n; ensures m; */", "/*@ behavior c: assumes n; ensures m; */"),
    ] {
        let kinds = |text| parse(text).clauses.into_iter().map(|clause| clause.kind).collect::<Vec<_>>();
        assert_eq!(kinds(comment), kinds(same), "{comment}");
        assert!(parse(comment).problems.is_empty(), "{comment}: {}", read(comment));
    }
}

/// A behavior whose condition is unknown must not apply always.
#[test]
fn a_behavior_whose_condition_is_not_understood_says_nothing() {
    let read = read("/*@ behavior a: assumes f(n); ensures n > 0; complete behaviors; */");
    assert!(read.starts_with("eAny([Not(Old(Truth(false))),"), "{read}");
    assert!(read.contains("a behavior that stands before is not understood"), "{read}");
}
