//! Conditional compilation as text: which lines stand below `#if`.

/// Does the line stand below an `#if` that begins behind the line `from`? Lines count from 1.
pub(crate) fn is_conditional(text: &[u8], from: u32, line: u32) -> bool {
    let lines = text.split(|&byte| byte == b'\n').take(line as usize).skip(from as usize);
    // What began before ends without a beginning.
    lines.fold(0i32, |depth, line| (depth + step(line)).max(0)) > 0
}

/// Does a line between the two, and below an `#if` that begins there, mention the name?
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
    fn a_name_below_an_if_counts() {
        let text = b"int f(void) {\n  int on = 0;\n#ifdef LINUX\n  on = 1;\n#endif\n  if (on)\n    g();\n}\n";
        assert!(is_mentioned(text, "on", 2, 6));
        assert!(!is_mentioned(text, "o", 2, 6));
        assert!(!is_mentioned(text, "on", 6, 7));
        assert!(is_conditional(text, 1, 4));
        assert!(!is_conditional(text, 1, 2) && !is_conditional(text, 1, 6) && !is_conditional(text, 3, 4));
    }
}
