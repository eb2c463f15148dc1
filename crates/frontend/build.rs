//! Finds LLVM, compiles the C++ exporter against it, and generates the Rust enums from cpp/kinds.def.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUPPORTED: std::ops::RangeInclusive<u32> = 19..=22;

/// clang's static archives in link order: users before their dependencies.
const CLANG_ARCHIVES: [&str; 13] = [
    "Frontend",
    "Driver",
    "Serialization",
    "Parse",
    "Sema",
    "APINotes",
    "Analysis",
    "Edit",
    "ASTMatchers",
    "AST",
    "Lex",
    "Basic",
    "Support",
];

const LLVM_COMPONENTS: [&str; 15] = [
    "option",
    "frontendopenmp",
    "support",
    "core",
    "bitreader",
    "profiledata",
    "mc",
    "mcparser",
    "targetparser",
    "windowsdriver",
    "frontendhlsl",
    "frontendoffloading",
    "irreader",
    "analysis",
    "coverage",
];

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=GAINSAY_LLVM_CONFIG");
    println!("cargo:rerun-if-env-changed=GAINSAY_STATIC");
    write_kinds();
    let Some(llvm) = find_llvm() else {
        println!(
            "cargo::error=gainsay needs the clang libraries, version 19 to 22: `apt install llvm-19-dev libclang-19-dev \
             libclang-cpp19-dev libclang-common-19-dev`, or name another llvm-config in GAINSAY_LLVM_CONFIG."
        );
        return;
    };
    compile(&llvm);
    println!("cargo:rustc-link-search=native={}", llvm.libraries.display());
    if env::var_os("GAINSAY_STATIC").is_some_and(|value| value == "1") {
        link_statically(&llvm);
    } else {
        println!("cargo:rustc-link-lib=dylib=clang-cpp");
        println!("cargo:rustc-link-lib=dylib=LLVM");
    }
}

struct Llvm {
    config: PathBuf,
    headers: String,
    libraries: PathBuf,
}

fn find_llvm() -> Option<Llvm> {
    let mut candidates: Vec<PathBuf> =
        env::var_os("GAINSAY_LLVM_CONFIG").map(PathBuf::from).into_iter().collect();
    for major in SUPPORTED {
        candidates.push(format!("llvm-config-{major}").into());
        candidates.push(format!("/usr/lib/llvm-{major}/bin/llvm-config").into());
    }
    candidates.into_iter().find_map(|config| {
        let major: u32 = ask(&config, &["--version"])?.split('.').next()?.parse().ok()?;
        let headers = ask(&config, &["--includedir"])?;
        let libraries = PathBuf::from(ask(&config, &["--libdir"])?);
        // llvm-config does not imply clang's headers and library, which are separate packages.
        let complete = Path::new(&headers).join("clang/AST/Expr.h").exists()
            && libraries.join("libclang-cpp.so").exists();
        (SUPPORTED.contains(&major) && complete).then_some(Llvm { config, headers, libraries })
    })
}

fn ask(config: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(config).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn compile(llvm: &Llvm) {
    let mut sources: Vec<PathBuf> = fs::read_dir("cpp")
        .expect("the folder cpp is part of the crate")
        .map(|entry| entry.expect("the folder cpp can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    sources.sort();
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .debug(false)
        .files(sources)
        // Stock LLVM is built without RTTI; with RTTI, our subclasses would reference missing type information.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-isystem")
        .flag(&llvm.headers)
        .define("NDEBUG", None) // as distributions build the libraries
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .compile("gainsay_clang");
}

fn link_statically(llvm: &Llvm) {
    for name in CLANG_ARCHIVES {
        println!("cargo:rustc-link-lib=static=clang{name}");
    }
    let mut arguments = vec!["--link-static", "--libs"];
    arguments.extend(LLVM_COMPONENTS);
    for library in ask(&llvm.config, &arguments).unwrap_or_default().split_whitespace() {
        println!("cargo:rustc-link-lib=static={}", library.trim_start_matches("-l"));
    }
    for library in
        ask(&llvm.config, &["--link-static", "--system-libs"]).unwrap_or_default().split_whitespace()
    {
        // Debian names Z3 by its path; only clang's analyzer needs it, which is not linked.
        if let Some(name) = library.strip_prefix("-l").filter(|name| !name.contains('/')) {
            println!("cargo:rustc-link-lib=dylib={name}");
        }
    }
}

/// `NODE(If)` becomes `NodeKind::If`.
fn write_kinds() {
    let definitions = fs::read_to_string("cpp/kinds.def").expect("cpp/kinds.def is part of the crate");
    let code: Vec<&str> = definitions
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = code.join("\n");
    let mut rust = String::new();
    for (list, name) in [
        ("NODE", "NodeKind"),
        ("TYPE", "TypeKind"),
        ("DECL", "DeclKind"),
        ("UNARY", "UnaryOp"),
        ("BINARY", "BinaryOp"),
        ("CAST", "CastKind"),
        ("ATTR", "AttrKind"),
    ] {
        let opening = format!("{list}(");
        let variants: Vec<&str> = code
            .split_whitespace()
            .filter_map(|word| word.strip_prefix(opening.as_str())?.strip_suffix(')'))
            .collect();
        let all: Vec<String> = variants.iter().map(|variant| format!("Self::{variant}")).collect();
        write!(
            rust,
            "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[repr(u16)]\n\
             pub enum {name} {{ {} }}\nimpl {name} {{ pub const ALL: &[Self] = &[{}]; }}\n",
            variants.join(", "),
            all.join(", ")
        )
        .expect("writing to a string");
    }
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(directory.join("kinds.rs"), rust).expect("OUT_DIR can be written");
}
