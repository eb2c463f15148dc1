//! Larger programs, which are prepared but not compiled.
//!
//! They are configured, their sources are generated and their compiler calls are recorded, but objects stay empty.
//! `cargo xtask corpus` prepares them only by name, and no test needs them.

use super::{BISON, FLEX, Need, PERL, Package, Probe, SSL, ZLIB};

/// A program and the part of it that must be compiled.
pub(crate) struct Program {
    pub(crate) package: Package,
    /// Folders, separated by colons, whose objects the build needs to generate sources.
    pub(super) compiled: &'static str,
    /// The binary package with the patched sources, if the mirrors keep it longer than the source package.
    pub(super) sources_in: Option<&'static str>,
}

const BC: Need = Need { package: "bc", probe: Probe::Command("bc") };
const ELF: Need = Need { package: "libelf-dev", probe: Probe::File("/usr/include/libelf.h") };

/// HOSTCC is a path, not `gcc`, where programs that run during the build are not to be recorded.
pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        package: Package {
            name: "haproxy",
            version: "2.6.12-1+deb12u3",
            needs: &[SSL, ZLIB],
            configure: "true",
            build: "make -j2 TARGET=linux-glibc USE_OPENSSL=1 USE_ZLIB=1 LD=true haproxy",
        },
        compiled: "",
        sources_in: None,
    },
    Program {
        package: Package {
            name: "busybox",
            version: "1:1.35.0-4+deb12u1",
            needs: &[],
            configure: "make HOSTCC=/usr/bin/gcc defconfig",
            build: "make -j2 HOSTCC=/usr/bin/gcc cmd_busybox__=true busybox_unstripped",
        },
        compiled: "",
        sources_in: None,
    },
    Program {
        package: Package {
            name: "u-boot",
            version: "2023.01+dfsg-2+deb12u3",
            needs: &[BISON, FLEX, BC, SSL],
            configure: "make HOSTCC=/usr/bin/gcc sandbox_defconfig",
            build: "make -j2 HOSTCC=/usr/bin/gcc NO_SDL=1 CONFIG_PYLIBFDT= cmd_u-boot__=true u-boot",
        },
        compiled: "",
        sources_in: None,
    },
    Program {
        package: Package {
            name: "postgresql-15",
            version: "15.18-0+deb12u1",
            needs: &[BISON, FLEX, PERL, SSL],
            configure: "./configure --without-readline --without-zlib --with-ssl=openssl",
            // Empty objects have no `main`.
            build: "make='make -j2 LDFLAGS_EX=-nostartfiles'; $make -C src/common; $make -C src/backend",
        },
        compiled: "",
        sources_in: None,
    },
    Program {
        package: Package {
            name: "linux",
            version: "6.1.190-1",
            needs: &[BISON, FLEX, BC, PERL, ELF, SSL],
            configure: "make HOSTCC=/usr/bin/gcc defconfig",
            // `.` builds the objects of all folders; KBUILD_MODULES adds those of modules.
            build: "make -j2 HOSTCC=/usr/bin/gcc objtool=true KBUILD_MODULES=1 .",
        },
        compiled: "arch/x86/entry/vdso:arch/x86/realmode",
        sources_in: Some("linux-source-6.1"),
    },
];

/// Whether this is the name of one of the larger programs.
pub(crate) fn is_program(name: &str) -> bool {
    PROGRAMS.iter().any(|program| program.package.name == name)
}
