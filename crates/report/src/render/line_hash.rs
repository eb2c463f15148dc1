//! The hash by which GitHub's code scanning recognises an alert after an edit (`primaryLocationLineHash`): a polynomial of
//! the first hundred UTF-16 units from the start of the line, without blanks. It is computed as in GitHub's upload action,
//! which warns if a tool disagrees.

use std::collections::BTreeMap;

// not a limit: constants of GitHub's algorithm
const WINDOW: usize = 100;
const BASE: u64 = 37;
const END_OF_FILE: u16 = 0xffff;

/// For each line of a file, `HASH:n` for the n-th line with that hash.
pub(crate) fn line_hashes(text: &[u8]) -> Vec<String> {
    let (units, starts) = without_blanks(&String::from_utf8_lossy(text));
    // prefix[i] is the polynomial of the first i units; that of a window is a difference of two.
    let mut prefix = vec![0_u64];
    let padded = units.iter().copied().chain(std::iter::repeat_n(0, WINDOW));
    prefix.extend(padded.scan(0_u64, |sum, unit| {
        *sum = sum.wrapping_mul(BASE).wrapping_add(unit.into());
        Some(*sum)
    }));
    let shift = (0..WINDOW).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let of_line = |start: usize| {
        let hash = prefix[start + WINDOW].wrapping_sub(prefix[start].wrapping_mul(shift));
        let count = seen.entry(hash).or_default();
        *count += 1;
        format!("{hash:x}:{count}")
    };
    starts.into_iter().map(of_line).collect()
}

/// The units that count, with one `\n` for each end of line, and where each line starts among them.
fn without_blanks(text: &str) -> (Vec<u16>, Vec<usize>) {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut starts = vec![0];
    let mut after_return = false;
    for unit in text.encode_utf16() {
        let second_half = after_return && unit == u16::from(b'\n');
        after_return = unit == u16::from(b'\r');
        if unit == u16::from(b' ') || unit == u16::from(b'\t') || second_half {
            continue;
        }
        if unit == u16::from(b'\n') || after_return {
            units.push(b'\n'.into());
            starts.push(units.len());
        } else {
            units.push(unit);
        }
    }
    units.push(END_OF_FILE);
    (units, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_are_reproduced() {
        // Inputs and hashes from the tests of GitHub's action.
        assert_eq!(line_hashes(b""), ["c129715d7a2bc9a3:1"]);
        let hashes = ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"];
        assert_eq!(line_hashes(b" a\nb\n  \t\tc\n d"), hashes);
        let hashes = [
            "e9496ae3ebfced30:1",
            "fb7c023a8b9ccb3f:1",
            "ce8ba1a563dcdaca:1",
            "e20e36e16fcb0cc8:1",
            "b3edc88f2938467e:1",
            "c8e28b0b4002a3a0:1",
            "c129715d7a2bc9a3:1",
        ];
        assert_eq!(line_hashes(b" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n"), hashes);
        assert_eq!(line_hashes(b" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n"), hashes);
        let repeated = line_hashes(&b"Lorem ipsum dolor sit amet.\n".repeat(10));
        assert_eq!(repeated[5..8], ["a7f2ff13bc495cf2:6", "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1"]);
    }

    #[test]
    fn bytes_that_are_not_text_are_accepted() {
        assert_eq!(line_hashes(b"\xff\xfe\0\n\x80").len(), 2);
    }
}
