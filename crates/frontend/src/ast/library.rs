//! What the unit does not hold: functions of the C library, and code that is not C.

use super::{DeclId, Unit};
use crate::raw::{self, NodeKind, decl_flag};
use std::collections::BTreeSet;

/// Which functions may be taken for those of the C library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// There is none: -ffreestanding, -fno-builtin.
    pub is_absent: bool,
    /// But for these: -fno-builtin-NAME, and those that the program defines in another unit.
    pub without: Vec<String>,
}

impl Library {
    pub(crate) fn of(arguments: &[String]) -> Library {
        let (mut is_freestanding, mut is_not_built_in, mut without) = (false, false, Vec::new());
        for word in arguments {
            match word.as_str() {
                "-ffreestanding" | "-fno-hosted" => is_freestanding = true,
                "-fhosted" | "-fno-freestanding" => is_freestanding = false,
                "-fno-builtin" => is_not_built_in = true,
                "-fbuiltin" => is_not_built_in = false,
                word => without.extend(word.strip_prefix("-fno-builtin-").map(str::to_owned)),
            }
        }
        Library { is_absent: is_freestanding || is_not_built_in, without }
    }
}

impl Unit {
    /// Is it the library's function of that name: declared by a system header, or known to clang with this type, and not
    /// defined by the program?
    pub fn is_library(&self, id: DeclId) -> bool {
        let in_system = |at| self.source_map.place(at).is_some_and(|place| place.in_system_header);
        let (name, flags) = (self.name(id), self.decl(id).flags);
        if self.is_defined(id) && !in_system(self.decl_span(id).at) {
            return false;
        }
        let is_named = flags & decl_flag::SYSTEM != 0 && !self.library.is_absent;
        // clang itself looks at the flags of the command line.
        (is_named || flags & decl_flag::BUILTIN != 0) && !self.library.without.iter().any(|other| other == name)
    }

    /// Texts of assembly outside of functions.
    pub fn assembly(&self) -> impl Iterator<Item = &str> + '_ {
        self.tables.assembly().iter().map(|&text| self.tables.str(text))
    }

    /// The words of assembly inside functions.
    pub fn assembly_words(&self) -> BTreeSet<String> {
        let is_asm = |node: &&raw::Node| node.kind == NodeKind::Asm;
        let texts = self.tables.nodes().iter().filter(is_asm).map(|node| self.tables.str(node.refer));
        let is_other = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '.');
        let words = texts.flat_map(|text| text.split(is_other));
        words.filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned).collect()
    }
}
