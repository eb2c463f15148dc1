//! How this process and its workers speak over pipes: a length, then that many bytes of a value. What a worker sends begins with
//! a byte that tells pieces of an answer from the answer.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};

pub(crate) fn write<T: Serialize>(mut out: impl Write, value: &T) -> io::Result<()> {
    let bytes = postcard::to_stdvec(value).map_err(io::Error::other)?;
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(&bytes)?;
    out.flush()
}

/// What a worker sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Piece = 0,
    Answer = 1,
}

pub(crate) fn send<T: Serialize>(out: impl Write, kind: Kind, value: &T) -> io::Result<()> {
    write(out, &(kind as u8, value))
}

/// The kind of what a worker sent, and the bytes of its value; `None` if they make no sense.
pub(crate) fn sent(bytes: &[u8]) -> Option<(Kind, &[u8])> {
    // A byte is itself in postcard.
    match bytes.split_first()? {
        (0, rest) => Some((Kind::Piece, rest)),
        (1, rest) => Some((Kind::Answer, rest)),
        _ => None,
    }
}

/// The bytes of the next value; `None` at the end of the stream, even if it ends within a value.
pub(crate) fn read(input: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    // Grows with what comes: the length may be nonsense.
    input.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

/// What the bytes say; `None` if they make no sense.
pub(crate) fn value<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
