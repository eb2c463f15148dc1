//! Mutates bytes: bit flips, boundary numbers, and pieces that are removed, repeated, or taken from other inputs.

use crate::limits;

const EDGES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65536",
    b"2147483647",
    b"-2147483648",
    b"4294967296",
    b"9223372036854775807",
    b"18446744073709551615",
    b"18446744073709551616",
    b"340282366920938463463374607431768211456",
    b"\0",
    b"\n",
    b"\xff",
    b"\xc3\x28",
    b"\xf0\x9f\x92\xa5",
    b"(",
    b")",
    b"\"",
    b"\\",
    b"'",
    b"@",
    b";",
    b"[",
    b"{",
];

/// A stream of inputs, driven by SplitMix64.
pub(crate) struct Mutator(u64);

impl Mutator {
    pub(crate) fn new(seed: u64) -> Mutator {
        Mutator(seed)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    /// A piece of an input, usually a short one.
    fn piece(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.below(4) == 0 { length - start } else { (length - start).min(16) };
        start..start + self.below(most + 1)
    }

    pub(crate) fn mutation(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..1 << self.below(4) {
            let at = self.below(input.len() + 1);
            match self.below(8) {
                0 if at < input.len() => input[at] ^= 1 << self.below(8),
                1 if at < input.len() => input[at] = self.below(256) as u8,
                2 => {
                    let piece = self.piece(input.len());
                    input.drain(piece);
                }
                3 => {
                    let piece = self.piece(input.len());
                    let copy = input[piece].to_vec();
                    let times = if self.below(8) == 0 { self.below(300) } else { 1 };
                    let many = copy.repeat(times.min(limits::INPUT_BYTES / copy.len().max(1)));
                    input.splice(at..at, many);
                }
                4 => {
                    let other = &corpus[self.below(corpus.len())];
                    let piece = self.piece(other.len());
                    input.splice(at..at, other[piece].to_vec());
                }
                5 => {
                    let other = &corpus[self.below(corpus.len())];
                    let (from, to) = (self.piece(other.len()), self.piece(input.len()));
                    input.splice(to, other[from].to_vec());
                }
                6 => input.truncate(at),
                _ => {
                    let edge = EDGES[self.below(EDGES.len())];
                    let until = (at + self.below(edge.len() + 1)).min(input.len());
                    input.splice(at..until, edge.to_vec());
                }
            }
            input.truncate(limits::INPUT_BYTES);
        }
        input
    }
}
