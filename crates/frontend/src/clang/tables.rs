//! Owns the tables that the C++ exporter fills. The only foreign calls are here.

use super::raw::{Attr, Comment, Decl, Diag, Entry, File, LineDirective, Macro, Node, Probe, Str, Type};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

/// Why the exporter has no unit; FAIL_* in abi.h.
pub(super) enum Failure {
    Arguments,
    ResourceDir,
    Input,
}

/// Version of the clang headers that gainsay was built with, such as `19.1.7`.
pub fn version() -> &'static str {
    // SAFETY: the exporter returns a string literal.
    unsafe { CStr::from_ptr(gainsay_clang_version()) }.to_str().unwrap_or("unknown")
}

/// Version of the clang library in use, with the distributor's revision.
pub fn full_version() -> &'static str {
    // SAFETY: the exporter returns a string that lives as long as the process.
    unsafe { CStr::from_ptr(gainsay_clang_full_version()) }.to_str().unwrap_or("unknown")
}

/// The exporter's tables of one unit.
pub(super) struct Tables {
    unit: *mut RawUnit,
    view: View,
    /// Strings that are not UTF-8, by id; converted on first use.
    repaired: BTreeMap<u32, OnceLock<String>>,
}

// SAFETY: the tables are immutable after parsing, and `unit` is used only to free them.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

impl Drop for Tables {
    fn drop(&mut self) {
        // SAFETY: created by gainsay_parse and freed only here.
        unsafe { gainsay_free(self.unit) }
    }
}

impl Tables {
    pub(super) fn parse(words: &[CString], directory: &CStr) -> Tables {
        let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let mut view = std::mem::MaybeUninit::uninit();
        // SAFETY: the pointers are valid during the call, and gainsay_view fills the whole view.
        let (unit, view) = unsafe {
            let unit = gainsay_parse(pointers.as_ptr(), pointers.len(), directory.as_ptr());
            gainsay_view(unit, view.as_mut_ptr());
            (unit, view.assume_init())
        };
        let mut tables = Tables { unit, view, repaired: BTreeMap::new() };
        let ids = 0..tables.strs().len() as u32;
        tables.repaired = ids
            .filter(|&id| std::str::from_utf8(tables.bytes_of(id)).is_err())
            .map(|id| (id, OnceLock::new()))
            .collect();
        tables
    }

    /// Why there is no unit.
    pub(super) fn failure(&self) -> Option<Failure> {
        match self.view.failure {
            0 => None,
            1 => Some(Failure::Arguments),
            2 => Some(Failure::ResourceDir),
            _ => Some(Failure::Input),
        }
    }

    pub(super) fn pointer_bits(&self) -> u16 {
        self.view.pointer_bits as u16
    }

    pub(super) fn is_big_endian(&self) -> bool {
        self.view.big_endian != 0
    }

    /// Are there errors outside function bodies?
    pub(super) fn has_errors_outside(&self) -> bool {
        self.view.n_errors_outside != 0
    }

    pub(super) fn str(&self, id: u32) -> &str {
        let bytes = self.bytes_of(id);
        if !self.repaired.is_empty()
            && let Some(text) = self.repaired.get(&id)
        {
            return text.get_or_init(|| String::from_utf8_lossy(bytes).into_owned());
        }
        // SAFETY: all strings were checked in `parse`; those that are not UTF-8 are in `repaired`.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    pub(super) fn bytes_of(&self, id: u32) -> &[u8] {
        let str = self.strs()[id as usize];
        &self.bytes()[str.offset as usize..(str.offset + str.len) as usize]
    }

    pub(super) fn list(&self, first: u32, n: u32) -> &[u32] {
        &self.lists()[first as usize..(first + n) as usize]
    }

    pub(super) fn first_error(&self) -> String {
        let error = self.diags().iter().find(|diag| diag.is_error());
        error.map_or_else(|| "no reason was given".to_owned(), |diag| self.str(diag.text).to_owned())
    }
}

macro_rules! tables {
    ($($name:ident: $ty:ty),* $(,)?) => {
        /// Mirror of GsView.
        #[repr(C)]
        struct View {
            $($name: Slice<$ty>,)*
            pointer_bits: u32,
            big_endian: u32,
            n_errors_outside: u32,
            failure: u32,
        }

        impl Tables {
            $(pub(super) fn $name(&self) -> &[$ty] {
                let slice = &self.view.$name;
                // SAFETY: a vector of the exporter with this length that lives as long as `self`; empty ones may be
                // null.
                if slice.len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(slice.data, slice.len) } }
            })*
        }
    };
}

tables! {
    nodes: Node,
    lists: u32,
    types: Type,
    decls: Decl,
    attrs: Attr,
    entries: Entry,
    files: File,
    lines: u32,
    macros: Macro,
    directives: LineDirective,
    comments: Comment,
    diags: Diag,
    strs: Str,
    bytes: u8,
    functions: u32,
    globals: u32,
    assembly: u32,
    probes: Probe,
}

#[repr(C)]
struct Slice<T> {
    data: *const T,
    len: usize,
}

#[repr(C)]
struct RawUnit {
    opaque: [u8; 0],
}

unsafe extern "C" {
    fn gainsay_parse(argv: *const *const c_char, argc: usize, directory: *const c_char) -> *mut RawUnit;
    fn gainsay_view(unit: *const RawUnit, out: *mut View);
    fn gainsay_free(unit: *mut RawUnit);
    fn gainsay_abi(sizes: *mut u32, n: usize);
    fn gainsay_clang_version() -> *const c_char;
    fn gainsay_clang_full_version() -> *const c_char;
}

/// Were both sides built from the same definition of the tables?
pub(super) fn sizes_agree() -> bool {
    let ours = [
        size_of::<Node>(),
        size_of::<Type>(),
        size_of::<Decl>(),
        size_of::<Attr>(),
        size_of::<Entry>(),
        size_of::<File>(),
        size_of::<Macro>(),
        size_of::<LineDirective>(),
        size_of::<Comment>(),
        size_of::<Diag>(),
        size_of::<Str>(),
        size_of::<View>(),
        size_of::<Probe>(),
    ];
    let mut theirs = [0u32; 13];
    // SAFETY: the exporter writes at most the given number of sizes.
    unsafe { gainsay_abi(theirs.as_mut_ptr(), theirs.len()) };
    ours.iter().zip(theirs).all(|(&ours, theirs)| ours == theirs as usize)
}
