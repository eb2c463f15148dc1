//! Parses one unit with clang, through the C++ exporter in `cpp/`, which contains no semantics.
//!
//! The exporter fills flat tables (`tables`, mirrored by `raw`); [`ast`] is the typed view over them that the rest of the
//! crate reads. [`dump`] prints it, [`probes`] lists the files that clang looked for.

pub mod ast;
pub mod dump;
pub mod probes;
mod raw;
mod tables;

use ast::Library;
use gainsay_ir::source_map::{self, EntryKind, MacroUse, SourceMap};
use gainsay_ir::types::Target;
use std::collections::BTreeMap;
use std::ffi::{CString, NulError};
use std::fmt;
use std::path::Path;
use tables::{Failure, Tables};
pub use tables::{full_version, version};

/// Why there is no unit. Errors in the source are diagnostics of the unit instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClangError {
    /// The exporter and this program were built from different definitions of the tables.
    Mismatch,
    /// clang's own headers were not found.
    NoResourceDir,
    /// clang's driver rejects the arguments; its message.
    Arguments(String),
    /// The file cannot be read; clang's message.
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

/// Parses one unit. `arguments` are those of clang's driver: the program's name first, `-- FILE` last.
///
/// clang's recursion follows the nesting of the source, so callers need a large stack.
pub fn parse(arguments: &[String], directory: &Path) -> Result<ast::Unit, ClangError> {
    if !tables::sizes_agree() {
        return Err(ClangError::Mismatch);
    }
    let words: Vec<CString> =
        arguments.iter().map(|word| CString::new(word.as_str())).collect::<Result<_, _>>()?;
    let directory = CString::new(directory.as_os_str().as_encoded_bytes())?;
    let tables = Tables::parse(&words, &directory);
    match tables.failure() {
        None => {}
        Some(Failure::Arguments) => return Err(ClangError::Arguments(tables.first_error())),
        Some(Failure::ResourceDir) => return Err(ClangError::NoResourceDir),
        Some(Failure::Input) => return Err(ClangError::Input(tables.first_error())),
    }
    Ok(ast::Unit {
        target: Target {
            pointer_bits: tables.pointer_bits(),
            big_endian: tables.is_big_endian(),
            null_is_valid: is_null_valid(arguments),
        },
        library: Library::of(arguments),
        strict_aliasing: is_aliasing_strict(arguments),
        source_map: source_map(&tables),
        degraded: tables.has_errors_outside(),
        tables,
    })
}

/// May NULL be the address of an object? Linux, and code built like it, uses the flag only to keep compilers from
/// removing tests and has no object at address 0, so it is ignored there (docs/soundness.md).
fn is_null_valid(arguments: &[String]) -> bool {
    let is_flag = |word: &&String| word.starts_with("-f") && word.ends_with("delete-null-pointer-checks");
    let is_kernel =
        || arguments.iter().any(|word| word == "-D__KERNEL__" || word.starts_with("-D__KERNEL__="));
    arguments.iter().rev().find(is_flag).is_some_and(|word| word.starts_with("-fno-")) && !is_kernel()
}

/// Read from the arguments, because clang's driver relaxes aliasing without optimisation.
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

fn entry(entry: &raw::Entry) -> source_map::Entry {
    let kind = if entry.file != u32::MAX {
        EntryKind::File(entry.file)
    } else {
        let argument = entry.argument != 0;
        EntryKind::Expansion { spelling: entry.spelling, begin: entry.begin, end: entry.end, argument }
    };
    source_map::Entry { start: entry.start, kind }
}

fn source_file(tables: &Tables, file: &raw::File) -> source_map::File {
    source_map::File {
        name: tables.str(file.name).to_owned(),
        system: file.flags & raw::file_flag::SYSTEM != 0,
        main: file.flags & raw::file_flag::MAIN != 0,
        scratch: file.flags & raw::file_flag::SCRATCH != 0,
        included_at: file.included_at,
        lines: (file.lines, file.n_lines),
    }
}

fn line_directive(tables: &Tables, directive: &raw::LineDirective) -> source_map::LineDirective {
    source_map::LineDirective {
        file: directive.file,
        offset: directive.offset,
        line: directive.line,
        name: (directive.name != 0).then(|| tables.str(directive.name).to_owned()),
        system: directive.system != 0,
    }
}
