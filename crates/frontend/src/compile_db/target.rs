//! Derives the target from the name of a compiler: `aarch64-linux-gnu-gcc-12` compiles for `aarch64-linux-gnu`.

use std::path::Path;

/// Processor families with flags of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    X86,
    Arm,
    Aarch64,
    RiscV32,
    RiscV64,
    Mips,
    PowerPc,
    Other,
}

/// Processors that clang knows by the first part of a triple. A trailing `*` matches any suffix.
pub(super) const PROCESSORS: &[(&str, Family)] = &[
    ("x86_64", Family::X86),
    ("i386", Family::X86),
    ("i486", Family::X86),
    ("i586", Family::X86),
    ("i686", Family::X86),
    ("amd64", Family::X86),
    ("aarch64", Family::Aarch64),
    ("aarch64_be", Family::Aarch64),
    ("arm64", Family::Aarch64),
    ("arm", Family::Arm),
    ("armeb", Family::Arm),
    ("armv*", Family::Arm),
    ("thumb", Family::Arm),
    ("riscv32", Family::RiscV32),
    ("riscv64", Family::RiscV64),
    ("mips", Family::Mips),
    ("mipsel", Family::Mips),
    ("mips64", Family::Mips),
    ("mips64el", Family::Mips),
    ("mipsisa*", Family::Mips),
    ("powerpc", Family::PowerPc),
    ("powerpc64", Family::PowerPc),
    ("powerpc64le", Family::PowerPc),
    ("s390x", Family::Other),
    ("sparc", Family::Other),
    ("sparc64", Family::Other),
    ("loongarch64", Family::Other),
    ("m68k", Family::Other),
    ("avr", Family::Other),
    ("msp430", Family::Other),
    ("hexagon", Family::Other),
];

/// The triple in a cross compiler's name, if clang knows it.
pub(super) fn of_compiler(compiler: &str) -> Option<&str> {
    let prefix = cross_prefix(file_name(compiler))?;
    let (processor, rest) = prefix.split_once('-').unwrap_or((prefix, ""));
    let bare = rest.is_empty() && !matches!(processor, "avr" | "msp430");
    (!bare && lookup(processor).is_some()).then_some(prefix)
}

pub(super) fn family(triple: &str) -> Family {
    lookup(triple.split('-').next().unwrap_or(triple)).unwrap_or(Family::Other)
}

/// The family of the host, the target of a compiler without a prefix.
pub(super) fn host_family() -> Family {
    family(if std::env::consts::ARCH == "x86" { "i386" } else { std::env::consts::ARCH })
}

/// Does clang find the system headers of this target by itself?
pub(super) fn is_host(triple: &str) -> bool {
    let linux = ["linux-gnu", "redhat-linux", "suse-linux"].iter().any(|end| triple.ends_with(end));
    linux && triple.split('-').next() == Some(std::env::consts::ARCH)
}

/// Is this a C compiler that prints its include paths as gcc and clang do?
pub(super) fn is_c_compiler(compiler: &str) -> bool {
    let base = without_version(file_name(compiler));
    matches!(base, "gcc" | "cc" | "clang") || cross_prefix(file_name(compiler)).is_some()
}

/// A C++ compiler compiles even a `.c` file as C++.
pub(super) fn is_cxx_compiler(compiler: &str) -> bool {
    let base = without_version(file_name(compiler));
    ["g++", "c++", "clang++"].iter().any(|name| base == *name || base.ends_with(&format!("-{name}")))
}

fn lookup(processor: &str) -> Option<Family> {
    let fits = |name: &str| match name.strip_suffix('*') {
        Some(start) => processor.starts_with(start),
        None => processor == name,
    };
    PROCESSORS.iter().find(|(name, _)| fits(name)).map(|&(_, family)| family)
}

/// `PREFIX` of `PREFIX-gcc`, `PREFIX-gcc-12`, `PREFIX-cc`, `PREFIX-clang`.
fn cross_prefix(name: &str) -> Option<&str> {
    let base = without_version(name);
    ["-gcc", "-cc", "-clang"]
        .iter()
        .find_map(|end| base.strip_suffix(end))
        .filter(|prefix| !prefix.is_empty())
}

fn file_name(compiler: &str) -> &str {
    let name = Path::new(compiler).file_name().and_then(|name| name.to_str()).unwrap_or(compiler);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// `gcc-12.2` becomes `gcc`.
fn without_version(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((base, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => {
            if version.bytes().all(|b| b.is_ascii_digit() || b == b'.') { base } else { name }
        }
        _ => name,
    }
}
