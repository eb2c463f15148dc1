//! The protocol between this process and its workers over pipes: a length, then that many bytes of an encoded value. What a
//! worker sends begins with a byte that distinguishes partial results from the result.

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
    Partial = 0,
    Result = 1,
}

pub(crate) fn send<T: Serialize>(out: impl Write, kind: Kind, value: &T) -> io::Result<()> {
    write(out, &(kind as u8, value))
}

/// The kind of what a worker sent, and the bytes of its value; `None` if the kind is unknown.
pub(crate) fn split_kind(bytes: &[u8]) -> Option<(Kind, &[u8])> {
    // postcard encodes a byte as itself.
    match bytes.split_first()? {
        (0, rest) => Some((Kind::Partial, rest)),
        (1, rest) => Some((Kind::Result, rest)),
        _ => None,
    }
}

/// The bytes of the next value; `None` at the end of the stream, even if it ends within a value.
pub(crate) fn read(input: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    // Grows with what arrives: the length may be wrong.
    input.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

/// The decoded value; `None` if the bytes are not one.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
