//! Converts a recorded compile command, usually of gcc, to arguments for clang's driver.
//!
//! Flags are kept by an allow-list of those that can change the meaning of the source. Everything else is dropped, so
//! no flag of another compiler can make a unit fail.

use super::flags::{self, begins_as_listed, listed};
use super::target::{self, Family};
use super::{CompileCommand, Compilers};

/// The command for clang's driver: the program's name first, `--` and the file last.
pub fn driver_arguments(command: &CompileCommand, compilers: &mut Compilers) -> Vec<String> {
    let (compiler, recorded) = split(&command.arguments);
    let recorded = &short_forms(recorded)[..];
    let named = explicit_target(recorded).or_else(|| target::of_compiler(compiler));
    let family = named.map_or_else(target::host_family, target::family);
    let mut out = vec!["clang".to_owned()];
    out.extend(named.map(|triple| format!("--target={triple}")));
    out.extend(optimisation_macros(recorded));
    keep(recorded, family, &mut out);
    if named.is_some_and(|triple| !target::is_host(triple))
        && !recorded.iter().any(|flag| flag == "-nostdinc")
    {
        let mut options: Vec<String> = Vec::new();
        options.extend(explicit_target(recorded).map(|triple| format!("--target={triple}")));
        let sysroot = sysroot(recorded).map(|dir| command.directory.join(dir));
        options.extend(sysroot.map(|dir| format!("--sysroot={}", dir.display())));
        let found = compilers.include_directories(compiler, options);
        if !found.is_empty() {
            out.push("-nostdlibinc".into());
            out.extend(found.iter().flat_map(|dir| ["-isystem".to_owned(), dir.clone()]));
        }
    }
    out.extend(flags::ALWAYS.iter().map(|&flag| flag.to_owned()));
    out.push("--".into());
    out.push(command.file.to_string_lossy().into_owned());
    out
}

/// Does the command compile C, judging by the compiler, `-x` and the file's extension?
pub(super) fn is_c(command: &CompileCommand) -> bool {
    let (compiler, recorded) = split(&command.arguments);
    let recorded = &short_forms(recorded)[..];
    if target::is_cxx_compiler(compiler) {
        return false;
    }
    if let Some(language) = language(recorded) {
        return matches!(language, "c" | "c-header" | "cpp-output");
    }
    matches!(command.file.extension().and_then(|end| end.to_str()), Some("c" | "h" | "i"))
}

/// Rewrites long forms of flags to their short forms.
fn short_forms(recorded: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(recorded.len());
    let mut rest = recorded.iter();
    while let Some(flag) = rest.next() {
        let (name, value) =
            flag.split_once('=').map_or((flag.as_str(), None), |(name, value)| (name, Some(value)));
        let known = flags::LONG_FORMS.iter().find(|(long, _)| *long == name);
        match (known, name, value) {
            (Some((_, short)), _, Some(value)) => out.extend([(*short).to_owned(), value.to_owned()]),
            (Some((_, short)), _, None) => {
                out.push((*short).to_owned());
                out.extend(rest.next().cloned());
            }
            (None, "--std", Some(value)) => out.push(format!("-std={value}")),
            (None, "--ansi", None) => out.push("-ansi".into()),
            _ => out.push(flag.clone()),
        }
    }
    out
}

/// Splits off the compiler, skipping wrappers and their options.
fn split(arguments: &[String]) -> (&str, &[String]) {
    let is_wrapper = |argument: &str| {
        let name = argument.rsplit('/').next().unwrap_or(argument);
        let assignment = name == argument && argument.contains('=');
        assignment || argument.starts_with('-') || listed(flags::WRAPPERS, name) || name.ends_with("libtool")
    };
    match arguments.iter().position(|argument| !is_wrapper(argument)) {
        Some(at) => (&arguments[at], &arguments[at + 1..]),
        None => ("", &[]),
    }
}

fn keep(recorded: &[String], family: Family, out: &mut Vec<String>) {
    let mut rest = recorded.iter().map(String::as_str);
    while let Some(flag) = rest.next() {
        if listed(flags::KEPT_WITH_ARGUMENT, flag) {
            if let Some(argument) = rest.next() {
                out.extend([flag.to_owned(), argument.to_owned()]);
            }
        } else if flag == "-Xclang" {
            // CMake includes a precompiled header by -Xclang -include -Xclang FILE.
            if rest.next() == Some("-include") && rest.next() == Some("-Xclang") {
                out.extend(rest.next().into_iter().flat_map(|file| ["-include".to_owned(), file.to_owned()]));
            }
        } else if matches!(flag, "-x" | "-target" | "--target" | "--sysroot") {
            let argument = rest.next().unwrap_or_default();
            match flag {
                "-x" => out.extend(kept_language(argument)),
                "--sysroot" => out.push(format!("--sysroot={argument}")),
                _ => {}
            }
        } else if listed(flags::DROPPED_WITH_ARGUMENT, flag) {
            rest.next();
        } else if let Some(list) = flag.strip_prefix("-Wp,") {
            keep(&preprocessor_flags(list), family, out);
        } else if let Some(language) = flag.strip_prefix("-x") {
            out.extend(kept_language(language));
        } else if is_kept(flag, family) {
            out.push(flag.to_owned());
        }
    }
}

/// The macros that an optimising compiler defines and that headers test (Linux's BUILD_BUG). clang does not define them
/// because nothing is optimised here. They are defined only with `-nostdinc`: the C library's headers would replace
/// calls by inline wrappers.
fn optimisation_macros(recorded: &[String]) -> Vec<String> {
    let level = recorded.iter().rev().find_map(|flag| flag.strip_prefix("-O"));
    let macros: &[&str] = match level {
        None | Some("0") => &[],
        _ if !recorded.iter().any(|flag| flag == "-nostdinc") => &[],
        Some("s" | "z") => &["-D__OPTIMIZE__=1", "-D__OPTIMIZE_SIZE__=1"],
        Some(_) => &["-D__OPTIMIZE__=1"],
    };
    macros.iter().map(|&flag| flag.to_owned()).collect()
}

fn is_kept(flag: &str, family: Family) -> bool {
    listed(flags::KEPT, flag)
        || begins_as_listed(flags::KEPT_BEGINNINGS, flag)
        || flag.starts_with("--sysroot=")
        || flag != "-I-" && begins_as_listed(flags::KEPT_WITH_ARGUMENT, flag)
        || flag.strip_prefix("-std=").is_some_and(|standard| listed(flags::STANDARDS, standard))
        || flag.starts_with("-m") && is_kept_machine_flag(flag, family)
        || flags::KEPT_FOR.iter().any(|&(of, list)| of == family && listed(list, flag))
}

fn is_kept_machine_flag(flag: &str, family: Family) -> bool {
    let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
    match (family, name) {
        (Family::X86, "-march") => {
            listed(flags::X86_64_PROCESSORS, value) || listed(flags::X86_32_PROCESSORS, value)
        }
        (Family::Arm, "-march") => listed(flags::ARM_ARCHITECTURES, value),
        (Family::Arm, "-mcpu") => listed(flags::ARM_PROCESSORS, value),
        (Family::Aarch64, "-march") => listed(flags::AARCH64_ARCHITECTURES, value),
        (Family::Aarch64, "-mcpu") => listed(flags::AARCH64_PROCESSORS, value),
        (Family::Arm, "-mfpu") => listed(flags::ARM_FPUS, value),
        (Family::RiscV32 | Family::RiscV64, "-march") => {
            let base = value.strip_prefix(if family == Family::RiscV32 { "rv32" } else { "rv64" });
            base.is_some_and(|sets| !sets.is_empty() && sets.bytes().all(|b| b"imafdcgv".contains(&b)))
        }
        (Family::X86, _) => {
            let set = flag.strip_prefix("-mno-").or_else(|| flag.strip_prefix("-m")).unwrap_or_default();
            let known = begins_as_listed(flags::X86_SETS, set);
            known && value.is_empty() && !set.contains("256-split")
        }
        _ => false,
    }
}

/// The flags of `-Wp,-DX,-MD,file`.
fn preprocessor_flags(list: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut parts = list.split(',');
    while let Some(part) = parts.next() {
        // Passed to the preprocessor directly, these two take a file.
        if matches!(part, "-MD" | "-MMD") {
            parts.next();
        } else {
            out.push(part.to_owned());
        }
    }
    out
}

fn kept_language(language: &str) -> Option<String> {
    match language {
        "c" | "c-header" => Some("-xc".into()),
        "cpp-output" => Some("-xcpp-output".into()),
        _ => None,
    }
}

fn language(recorded: &[String]) -> Option<&str> {
    last_value(recorded, &["-x"], "-x").filter(|&language| language != "none")
}

fn explicit_target(recorded: &[String]) -> Option<&str> {
    last_value(recorded, &["-target", "--target"], "--target=")
}

fn sysroot(recorded: &[String]) -> Option<&str> {
    last_value(recorded, &["--sysroot"], "--sysroot=")
}

/// The last value of a flag that is written as one of `separate` plus the next argument, or attached to `joined`.
fn last_value<'a>(recorded: &'a [String], separate: &[&str], joined: &str) -> Option<&'a str> {
    let mut value = None;
    let mut rest = recorded.iter().map(String::as_str);
    while let Some(flag) = rest.next() {
        if separate.contains(&flag) {
            value = rest.next();
        } else if listed(flags::DROPPED_WITH_ARGUMENT, flag) || listed(flags::KEPT_WITH_ARGUMENT, flag) {
            rest.next();
        } else if let Some(attached) = flag.strip_prefix(joined) {
            value = Some(attached);
        }
    }
    value
}
