//! Conditional compilation, found in the text: which lines are inside `#if`.

/// Whether the line is inside an `#if` that begins after the line `from`. Lines count from 1.
pub(crate) fn is_conditional(text: &[u8], from: u32, line: u32) -> bool {
    let lines = text.split(|&byte| byte == b'\n').take(line as usize).skip(from as usize);
    // The `#endif` of an `#if` before `from` does not count.
    lines.fold(0i32, |depth, line| (depth + step(line)).max(0)) > 0
}

/// Whether a line between the two mentions the name inside an `#if` that begins there.
pub(crate) fn is_mentioned(text: &[u8], name: &str, from: u32, to: u32) -> bool {
    let mut depth = 0i32;
    let lines = text.split(|&byte| byte == b'\n').take(to as usize).skip(from as usize);
    for line in lines {
        depth = (depth + step(line)).max(0);
        if depth > 0 && mentions(line, name) {
            return true;
        }
    }
    false
}

/// Whether the last declaration of the name in the text has a type that is not built into C. A declaration is a pair of
/// words with only white space between them.
pub(crate) fn is_declared_with_own_type(text: &[u8], name: &str) -> bool {
    const PLAIN: &[&[u8]] = &[
        b"int",
        b"unsigned",
        b"signed",
        b"long",
        b"short",
        b"char",
        b"size_t",
        b"_Bool",
        b"bool",
        b"return",
        b"else",
    ];
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut start = None;
    for (at, &byte) in text.iter().enumerate() {
        match (is_word(byte), start) {
            (true, None) => start = Some(at),
            (false, Some(begin)) => {
                words.push((begin, at));
                start = None;
            }
            _ => {}
        }
    }
    let of = |&(begin, end): &(usize, usize)| &text[begin..end];
    let declared = words.windows(2).rev().find(|pair| {
        of(&pair[1]) == name.as_bytes() && text[pair[0].1..pair[1].0].iter().all(u8::is_ascii_whitespace)
    });
    declared.is_some_and(|pair| !PLAIN.contains(&of(&pair[0])))
}

/// 1 for `#if`, -1 for `#endif`.
fn step(line: &[u8]) -> i32 {
    let Some((b'#', rest)) = line.trim_ascii_start().split_first() else { return 0 };
    let rest = rest.trim_ascii_start();
    i32::from(rest.starts_with(b"if")) - i32::from(rest.starts_with(b"endif"))
}

fn mentions(line: &[u8], name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    line.split(|&byte| !is_word(byte)).any(|word| word == name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_inside_an_if_are_found() {
        let text = b"int f(void) {\n  int on = 0;\n#ifdef LINUX\n  on = 1;\n#endif\n  if (on)\n    g();\n}\n";
        assert!(is_mentioned(text, "on", 2, 6));
        assert!(!is_mentioned(text, "o", 2, 6));
        assert!(!is_mentioned(text, "on", 6, 7));
        assert!(is_declared_with_own_type(b"void f(rlim_t n) { if (", "n"));
        assert!(!is_declared_with_own_type(b"void f(unsigned n) { if (", "n"));
        assert!(is_conditional(text, 1, 4));
        assert!(!is_conditional(text, 1, 2) && !is_conditional(text, 1, 6) && !is_conditional(text, 3, 4));
    }
}
