//! Identifies this build of gainsay. Another build may find other things, so builds share no cache entries.

use super::{Hash, Hasher};

/// A hash of the running program, because its version does not change with every build. Most linkers put such a hash
/// into the program; reading the whole program takes longer than checking a small file.
pub(super) fn of_this_program() -> Result<Hash, String> {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let contents = build_id().map_or_else(hash_of_own_file, Ok)?;
    Ok(Hasher::new("program").part(version).part(&contents).finish())
}

fn hash_of_own_file() -> Result<Vec<u8>, String> {
    let mut contents = blake3::Hasher::new();
    std::env::current_exe()
        .and_then(std::fs::File::open)
        .and_then(|file| contents.update_reader(file).map(|_| ()))
        .map_err(|error| format!("gainsay cannot read itself: {error}"))?;
    Ok(contents.finalize().as_bytes().to_vec())
}

/// The linker's hash, if there is one.
#[cfg(target_os = "linux")]
fn build_id() -> Option<Vec<u8>> {
    let mut found: Option<Vec<u8>> = None;
    // SAFETY: the callback is called during the call only, with a pointer to `found` and descriptions of loaded objects.
    unsafe { libc::dl_iterate_phdr(Some(look_at_program), (&raw mut found).cast()) };
    found
}

#[cfg(not(target_os = "linux"))]
fn build_id() -> Option<Vec<u8>> {
    None
}

/// Looks into the notes of the first object, which is the program itself.
#[cfg(target_os = "linux")]
unsafe extern "C" fn look_at_program(
    object: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: `object` describes a loaded object: its table of headers, and notes that are mapped where they say.
    unsafe {
        let object = &*object;
        let headers = std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum));
        let notes = headers.iter().filter(|header| header.p_type == libc::PT_NOTE).find_map(|header| {
            let start = (object.dlpi_addr + header.p_vaddr) as usize as *const u8;
            build_id_in(std::slice::from_raw_parts(start, header.p_memsz as usize))
        });
        *found.cast::<Option<Vec<u8>>>() = notes;
    }
    1 // no other object
}

/// A note is the length of its name, the length of its contents, a kind, the name and the contents, each padded to four
/// bytes.
#[cfg(any(target_os = "linux", test))]
fn build_id_in(mut notes: &[u8]) -> Option<Vec<u8>> {
    // not a limit: kind of an ELF note
    const GNU_BUILD_ID: u32 = 3;
    loop {
        let (lengths, rest) = notes.split_first_chunk::<12>()?;
        let word =
            |at: usize| u32::from_ne_bytes([lengths[at], lengths[at + 1], lengths[at + 2], lengths[at + 3]]);
        let (name_length, length, kind) = (word(0) as usize, word(4) as usize, word(8));
        let (name, rest) = rest.split_at_checked(name_length.next_multiple_of(4))?;
        let contents = rest.get(..length)?;
        if kind == GNU_BUILD_ID && name.starts_with(b"GNU\0") && !contents.is_empty() {
            return Some(contents.to_vec());
        }
        notes = rest.get(length.next_multiple_of(4)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &[u8], kind: u32, contents: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [name.len() as u32, contents.len() as u32, kind] {
            bytes.extend(word.to_ne_bytes());
        }
        for part in [name, contents] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    #[test]
    fn the_build_id_is_found_among_other_notes() {
        let abi = note(b"GNU\0", 1, &[0; 16]);
        let id = note(b"GNU\0", 3, b"twenty bytes of hash");
        assert_eq!(
            build_id_in(&[abi.clone(), id.clone()].concat()).as_deref(),
            Some(&b"twenty bytes of hash"[..])
        );
        assert_eq!(build_id_in(&[note(b"Go\0\0", 3, b"x"), abi].concat()), None);
        assert_eq!(build_id_in(&id[..20]), None);
        assert_eq!(build_id_in(&[]), None);
    }

    #[test]
    fn this_program_has_an_identity() {
        assert_eq!(of_this_program(), of_this_program());
        assert!(of_this_program().is_ok());
        assert_eq!(build_id(), build_id());
    }
}
