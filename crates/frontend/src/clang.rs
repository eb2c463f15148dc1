//! The door to clang: parses one unit with the C++ exporter and owns the tables that it fills.

use crate::ast::{self, Library};
use crate::raw::{
    Attr, Comment, Decl, Diag, Entry, File, LineDirective, Macro, Node, Probe, Str, Type, file_flag,
};
use gainsay_ir::source_map::{self, EntryKind, MacroUse, SourceMap};
use gainsay_ir::types::Target;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, NulError, c_char};
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

/// Why there is no unit at all. Errors in the source are diagnostics of the unit instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClangError {
    /// The library and this program were built from different descriptions of the tables.
    Mismatch,
    /// clang's own headers were not found.
    NoResourceDir,
    /// clang's driver could make nothing of the arguments; its words.
    Arguments(String),
    /// The file cannot be read; clang's words.
    Input(String),
    /// An argument contains a NUL byte.
    Nul,
}

impl fmt::Display for ClangError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClangError::Mismatch => {
                write!(f, "the C++ exporter does not fit this program: build gainsay anew")
            }
            ClangError::NoResourceDir => write!(
                f,
                "clang's own headers (stddef.h and others) were not found: install libclang-common-{}-dev",
                version().split('.').next().unwrap_or_default()
            ),
            ClangError::Arguments(why) => write!(f, "clang does not understand the compile command: {why}"),
            ClangError::Input(why) => write!(f, "the source cannot be read: {why}"),
            ClangError::Nul => write!(f, "the compile command contains a NUL byte"),
        }
    }
}

impl std::error::Error for ClangError {}

impl From<NulError> for ClangError {
    fn from(_: NulError) -> Self {
        ClangError::Nul
    }
}

/// Version of the clang that is linked, such as `19.1.7`.
pub fn version() -> &'static str {
    // SAFETY: the exporter returns a string literal.
    unsafe { CStr::from_ptr(gainsay_clang_version()) }.to_str().unwrap_or("unknown")
}

/// Version of the library that is in use, with its distributor's revision.
pub fn full_version() -> &'static str {
    // SAFETY: the exporter returns a string that lives as long as the process.
    unsafe { CStr::from_ptr(gainsay_clang_full_version()) }.to_str().unwrap_or("unknown")
}

/// Parses one unit. `arguments` are those of clang's driver, with the program's name first and `-- FILE` last.
///
/// clang recurses as deep as the source nests, so callers should have a large stack.
pub fn parse(arguments: &[String], directory: &Path) -> Result<ast::Unit, ClangError> {
    if !sizes_agree() {
        return Err(ClangError::Mismatch);
    }
    let words: Vec<CString> =
        arguments.iter().map(|word| CString::new(word.as_str())).collect::<Result<_, _>>()?;
    let directory = CString::new(directory.as_os_str().as_encoded_bytes())?;
    let tables = Tables::parse(&words, &directory);
    match tables.view.failure {
        failure::NONE => {}
        failure::RESOURCE_DIR => return Err(ClangError::NoResourceDir),
        failure::ARGUMENTS => return Err(ClangError::Arguments(tables.first_error())),
        _ => return Err(ClangError::Input(tables.first_error())),
    }
    Ok(ast::Unit {
        target: Target {
            pointer_bits: tables.view.pointer_bits as u16,
            big_endian: tables.view.big_endian != 0,
            null_is_valid: is_null_valid(arguments),
        },
        library: Library::of(arguments),
        strict_aliasing: is_aliasing_strict(arguments),
        source_map: source_map(&tables),
        degraded: tables.view.n_errors_outside != 0,
        tables,
    })
}

/// May NULL be the address of an object? Linux (and what builds like it) has nothing at address 0 and uses the flag only to keep
/// compilers from removing tests, so there it means nothing: see docs/soundness.md.
fn is_null_valid(arguments: &[String]) -> bool {
    let is_flag = |word: &&String| word.starts_with("-f") && word.ends_with("delete-null-pointer-checks");
    let is_kernel =
        || arguments.iter().any(|word| word == "-D__KERNEL__" || word.starts_with("-D__KERNEL__="));
    arguments.iter().rev().find(is_flag).is_some_and(|word| word.starts_with("-fno-")) && !is_kernel()
}

/// From the arguments, since clang's driver itself relaxes aliasing where nothing is optimised.
fn is_aliasing_strict(arguments: &[String]) -> bool {
    let last =
        arguments.iter().rev().find(|word| word.ends_with("strict-aliasing") && word.starts_with("-f"));
    last.is_none_or(|word| word != "-fno-strict-aliasing")
}

fn source_map(tables: &Tables) -> SourceMap {
    let mut names: BTreeMap<u32, u32> = BTreeMap::new();
    let mut macro_names = Vec::new();
    let mut macros = Vec::with_capacity(tables.macros().len());
    for used in tables.macros() {
        let name = *names.entry(used.name).or_insert_with(|| {
            macro_names.push(tables.str(used.name).to_owned());
            macro_names.len() as u32 - 1
        });
        macros.push(MacroUse { at: used.at, name, definition: used.definition });
    }
    SourceMap {
        entries: tables.entries().iter().map(entry).collect(),
        files: tables.files().iter().map(|file| source_file(tables, file)).collect(),
        line_starts: tables.lines().to_vec(),
        macros,
        macro_names,
        line_directives: tables
            .directives()
            .iter()
            .map(|directive| line_directive(tables, directive))
            .collect(),
    }
}

fn entry(entry: &Entry) -> source_map::Entry {
    let kind = if entry.file != u32::MAX {
        EntryKind::File(entry.file)
    } else {
        let argument = entry.argument != 0;
        EntryKind::Expansion { spelling: entry.spelling, begin: entry.begin, end: entry.end, argument }
    };
    source_map::Entry { start: entry.start, kind }
}

fn source_file(tables: &Tables, file: &File) -> source_map::File {
    source_map::File {
        name: tables.str(file.name).to_owned(),
        system: file.flags & file_flag::SYSTEM != 0,
        main: file.flags & file_flag::MAIN != 0,
        scratch: file.flags & file_flag::SCRATCH != 0,
        included_at: file.included_at,
        lines: (file.lines, file.n_lines),
    }
}

fn line_directive(tables: &Tables, directive: &LineDirective) -> source_map::LineDirective {
    source_map::LineDirective {
        file: directive.file,
        offset: directive.offset,
        line: directive.line,
        name: (directive.name != 0).then(|| tables.str(directive.name).to_owned()),
        system: directive.system != 0,
    }
}

/// The exporter's tables of one unit.
pub struct Tables {
    unit: *mut RawUnit,
    view: View,
    /// Strings that are not UTF-8, by id, made readable when asked for.
    repaired: BTreeMap<u32, OnceLock<String>>,
}

// SAFETY: the tables are immutable once parsed, and `unit` is used only to free them.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

impl Drop for Tables {
    fn drop(&mut self) {
        // SAFETY: made by gainsay_parse and freed only here.
        unsafe { gainsay_free(self.unit) }
    }
}

impl Tables {
    fn parse(words: &[CString], directory: &CStr) -> Tables {
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

    pub(crate) fn str(&self, id: u32) -> &str {
        let bytes = self.bytes_of(id);
        if !self.repaired.is_empty()
            && let Some(text) = self.repaired.get(&id)
        {
            return text.get_or_init(|| String::from_utf8_lossy(bytes).into_owned());
        }
        // SAFETY: all strings were checked when the tables were made; those that are not UTF-8 are in `repaired`.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    pub(crate) fn bytes_of(&self, id: u32) -> &[u8] {
        let str = self.strs()[id as usize];
        &self.bytes()[str.offset as usize..(str.offset + str.len) as usize]
    }

    pub(crate) fn list(&self, first: u32, n: u32) -> &[u32] {
        &self.lists()[first as usize..(first + n) as usize]
    }

    fn first_error(&self) -> String {
        let error = self.diags().iter().find(|diag| diag.level >= 3);
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
            $(pub(crate) fn $name(&self) -> &[$ty] {
                let slice = &self.view.$name;
                // SAFETY: a vector of the exporter, of this length, alive as long as `self`; empty ones may be null.
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

/// As FAIL_* in abi.h.
mod failure {
    pub(super) const NONE: u32 = 0;
    pub(super) const ARGUMENTS: u32 = 1;
    pub(super) const RESOURCE_DIR: u32 = 2;
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

fn sizes_agree() -> bool {
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
    // SAFETY: the exporter writes at most as many numbers as it is told.
    unsafe { gainsay_abi(theirs.as_mut_ptr(), theirs.len()) };
    ours.iter().zip(theirs).all(|(&ours, theirs)| ours == theirs as usize)
}
