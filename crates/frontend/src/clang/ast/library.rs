//! What is outside the unit's C code: functions of the C library, and assembly.

use super::{DeclId, Unit};
use crate::clang::raw::{self, AttrKind, NodeKind, decl_flag};
use std::collections::BTreeSet;

/// Which functions count as those of the C library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// There is no C library: -ffreestanding.
    pub is_absent: bool,
    /// Names that the program defines in another unit.
    pub without: Vec<String>,
}

impl Library {
    pub(crate) fn of(arguments: &[String]) -> Library {
        let mut is_absent = false;
        for word in arguments {
            match word.as_str() {
                "-ffreestanding" | "-fno-hosted" => is_absent = true,
                "-fhosted" | "-fno-freestanding" => is_absent = false,
                _ => {}
            }
        }
        Library { is_absent, without: Vec::new() }
    }
}

impl Unit {
    /// Is it the library function of that name? It is if a system header declares it, or clang knows it with this type,
    /// and the program does not define it.
    pub fn is_library(&self, id: DeclId) -> bool {
        let in_system = |at| self.source_map.place(at).is_some_and(|place| place.in_system_header);
        let (name, flags) = (self.name(id), self.decl(id).flags);
        if self.is_defined(id) && !in_system(self.decl_span(id).at) {
            return false;
        }
        let is_named = flags & decl_flag::SYSTEM != 0 && !self.library.is_absent;
        // With -fno-builtin and -fno-builtin-NAME clang does not know the function. One that a system header declares
        // is the library's nevertheless: programs use these flags to keep calls unchanged (busybox: printf).
        (is_named || flags & decl_flag::BUILTIN != 0)
            && !self.library.without.iter().any(|other| other == name)
    }

    /// The texts of assembly, inside and outside functions.
    fn assembly(&self) -> impl Iterator<Item = &str> + '_ {
        let is_asm = |node: &&raw::Node| node.kind == NodeKind::Asm;
        let inside = self.tables.nodes().iter().filter(is_asm).map(|node| node.refer);
        inside.chain(self.tables.assembly().iter().copied()).map(|text| self.tables.str(text))
    }

    /// May assembly compose names, by macro parameters or from other files?
    pub fn assembly_names_anything(&self) -> bool {
        self.assembly().any(|text| text.contains('\\') || text.contains(".include"))
    }

    /// The words in assembly, among them the symbols that it uses.
    pub fn assembly_words(&self) -> BTreeSet<String> {
        words(self.assembly())
    }

    /// Names that the unit may define other than in C: aliases, and words in assembly outside functions.
    pub fn names_defined_otherwise(&self) -> BTreeSet<String> {
        let aliases = self.decls().filter(|&decl| self.has_attr(decl, AttrKind::Alias));
        let mut names = words(self.tables.assembly().iter().map(|&text| self.tables.str(text)));
        names.extend(aliases.map(|decl| self.name(decl).to_owned()));
        names
    }
}

/// Possible C names in assembly. Compilers decorate C names: with a leading underscore, or, for a static variable, with
/// the function's name or a number, separated by a dot.
fn words<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let is_other = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '.');
    let mut names = BTreeSet::new();
    for word in texts.flat_map(|text| text.split(is_other)) {
        for name in [word].into_iter().chain(word.split('.')) {
            for name in [name, name.strip_prefix('_').unwrap_or_default()] {
                if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    names.insert(name.to_owned());
                }
            }
        }
    }
    names
}
