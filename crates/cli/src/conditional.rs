//! Conditional compilation as text: which lines stand below `#if`.

/// How far above a line its `#if` is looked for.
const NEAR: usize = 200;

/// Does the line `from` stand below an `#if`, or does a line below one, between the two, mention the name? Lines count
/// from 1.
pub(crate) fn is_conditional(text: &[u8], name: &str, from: u32, to: u32) -> bool {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let (from, to) = (from as usize, (to as usize).min(lines.len()));
    let mut depth = 0i32;
    for line in &lines[from.saturating_sub(NEAR).min(lines.len())..from.min(lines.len())] {
        // What began before we looked ends without a beginning.
        depth = (depth + step(line)).max(0);
    }
    if depth > 0 {
        return true;
    }
    for line in lines.get(from..to).unwrap_or_default() {
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
        assert!(is_conditional(text, "on", 2, 6));
        assert!(!is_conditional(text, "o", 2, 6));
        assert!(is_conditional(text, "x", 4, 6));
        assert!(!is_conditional(text, "on", 6, 7));
    }
}
