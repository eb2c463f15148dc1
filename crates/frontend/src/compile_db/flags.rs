//! Tables of the flags of gcc and clang that `driver` keeps, drops or translates.

use super::target::Family;

/// Is the word in the list?
pub(super) fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|entry| entry == word)
}

/// Does the word begin with a word of the list?
pub(super) fn begins_as_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|start| word.starts_with(start))
}

/// Flags with an argument, attached or separate.
pub(super) const KEPT_WITH_ARGUMENT: &str = "
    -D -U -I -isystem -iquote -idirafter -include -imacros -isysroot -iprefix -iwithprefixbefore
    -iwithprefix
";

/// Long forms of flags with an argument, which gcc accepts after `=` or separately, and their short forms.
pub(super) const LONG_FORMS: &[(&str, &str)] = &[
    ("--define-macro", "-D"),
    ("--undefine-macro", "-U"),
    ("--include-directory", "-I"),
    ("--include-directory-after", "-idirafter"),
    ("--include", "-include"),
    ("--imacros", "-imacros"),
    ("--language", "-x"),
];

/// Flags whose separate argument must not be read as a flag.
pub(super) const DROPPED_WITH_ARGUMENT: &str = "
    -o -MF -MT -MQ -MJ -Xlinker -Xassembler -Xclang -T -u -z -L -l -A -B -G -aux-info -dumpbase
    -dumpbase-ext -dumpdir -specs --param -wrapper -mllvm -arch -iframework -F -framework
    -include-pch -isystem-after --serialize-diagnostics
";

pub(super) const KEPT: &str = "
    -ansi -pthread -undef -nostdinc -trigraphs -fsigned-char -funsigned-char -fno-signed-char
    -fno-unsigned-char -fshort-enums -fno-short-enums -fshort-wchar -fno-short-wchar -ffreestanding
    -fhosted -fbuiltin -fno-builtin -fgnu89-inline -fno-gnu89-inline -fms-extensions
    -fno-ms-extensions -fpack-struct -fno-pack-struct -fwrapv -fno-wrapv -ftrapv -fstrict-overflow
    -fno-strict-overflow -fstrict-aliasing -fno-strict-aliasing -fdelete-null-pointer-checks
    -fno-delete-null-pointer-checks -fcommon -fno-common -fPIC -fno-PIC -fpic -fno-pic -fPIE
    -fno-PIE -fpie -fno-pie -fdollars-in-identifiers -fno-dollars-in-identifiers -fasm -fno-asm
    -fopenmp -fno-openmp
";

pub(super) const KEPT_BEGINNINGS: &str = "
    -fno-builtin- -fpack-struct= -fmacro-prefix-map=
";

/// Processor flags, each for the families whose clang back end accepts it.
pub(super) const KEPT_FOR: &[(Family, &str)] = &[
    (Family::X86, "-m32 -m64 -mx32 -m16 -mms-bitfields -mno-ms-bitfields"),
    (Family::X86, "-mlong-double-64 -mlong-double-80 -mlong-double-128"),
    (Family::Arm, "-mthumb -marm -mfloat-abi=soft -mfloat-abi=softfp -mfloat-abi=hard"),
    (Family::Arm, "-mbig-endian -mlittle-endian"),
    (Family::Aarch64, "-mbig-endian -mlittle-endian -mgeneral-regs-only"),
    (Family::RiscV32, "-mabi=ilp32 -mabi=ilp32f -mabi=ilp32d"),
    (Family::RiscV64, "-mabi=lp64 -mabi=lp64f -mabi=lp64d"),
    (Family::Mips, "-EL -EB -mabi=32 -mabi=n32 -mabi=64 -msoft-float -mhard-float"),
    (Family::PowerPc, "-m32 -m64 -msoft-float"),
];

/// x86 instruction sets that both compilers name alike, without `-m` or `-mno-`. Entries match as prefixes, so `sse4`
/// covers `sse4.1`.
pub(super) const X86_SETS: &str = "
    mmx sse avx fma aes pclmul bmi popcnt sha lzcnt f16c rdrnd cx16 movbe crc32 adx gfni vaes
    vpclmulqdq fsgsbase
";

/// Processors that both compilers name alike; clang rejects unknown names.
pub(super) const X86_64_PROCESSORS: &str = "
    native x86-64 x86-64-v2 x86-64-v3 x86-64-v4 nocona core2 nehalem westmere sandybridge ivybridge
    haswell broadwell skylake skylake-avx512 cascadelake cooperlake icelake-client icelake-server
    tigerlake alderlake sapphirerapids bonnell atom silvermont goldmont tremont k8 opteron athlon64
    amdfam10 barcelona btver1 btver2 bdver1 bdver2 bdver3 bdver4 znver1 znver2 znver3 znver4
";

/// 32-bit only.
pub(super) const X86_32_PROCESSORS: &str = "
    i386 i486 i586 i686 pentium pentium-mmx pentiumpro pentium2 pentium3 pentium4 pentium-m prescott
    geode
";

pub(super) const ARM_PROCESSORS: &str = "
    cortex-m0 cortex-m0plus cortex-m1 cortex-m3 cortex-m4 cortex-m7 cortex-m23 cortex-m33 cortex-r4
    cortex-r5 cortex-r7 cortex-a5 cortex-a7 cortex-a8 cortex-a9 cortex-a15 cortex-a53 cortex-a55
    cortex-a57 cortex-a72 cortex-a73 cortex-a76 arm7tdmi arm926ej-s
";

pub(super) const AARCH64_PROCESSORS: &str = "
    cortex-a53 cortex-a55 cortex-a57 cortex-a72 cortex-a73 cortex-a76 neoverse-n1 neoverse-v1
";

pub(super) const ARM_FPUS: &str = "
    vfp vfpv2 vfpv3 vfpv3-d16 vfpv4 vfpv4-d16 neon neon-vfpv3 neon-vfpv4 fpv4-sp-d16 fpv5-sp-d16
    fpv5-d16 fp-armv8 neon-fp-armv8 crypto-neon-fp-armv8
";

pub(super) const ARM_ARCHITECTURES: &str = "
    armv4t armv5t armv5te armv6 armv6k armv6t2 armv6-m armv6s-m armv7 armv7-a armv7-r armv7-m
    armv7e-m armv8-a armv8.1-a armv8.2-a armv8.3-a armv8.4-a armv8.5-a armv8-m.base armv8-m.main
    armv8.1-m.main armv9-a
";

pub(super) const AARCH64_ARCHITECTURES: &str = "
    armv8-a armv8.1-a armv8.2-a armv8.3-a armv8.4-a armv8.5-a armv9-a
";

pub(super) const STANDARDS: &str = "
    c89 c90 iso9899:1990 iso9899:199409 gnu89 gnu90 c99 c9x iso9899:1999 gnu99 gnu9x c11 c1x
    iso9899:2011 gnu11 gnu1x c17 c18 iso9899:2017 iso9899:2018 gnu17 gnu18 c23 c2x
    gnu23 gnu2x c2y gnu2y
";

/// Programs that run the compiler passed to them.
pub(super) const WRAPPERS: &str = "
    ccache sccache distcc icecc gomacc env nice time sh bash dash cccl pump
";

/// Flags appended to those of every unit.
pub(super) const ALWAYS: &[&str] = &[
    "-D__GAINSAY__=1",
    // The inline wrappers of _FORTIFY_SOURCE and of optimising builds would hide the calls in the source.
    "-U_FORTIFY_SOURCE",
    "-O0",
    "-w",
    "-ferror-limit=0",
    "-fbracket-depth=4096",
    // gcc accepts these constructs, often silently; since clang 16 they are errors.
    "-Wno-error",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-mismatch",
    "-fsyntax-only",
];
