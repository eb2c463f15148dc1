//! `cargo xtask demo`: sets up a fresh machine, builds gainsay and runs it on `examples/`.

use crate::{process, setup, workspace};

/// Exit codes of `gainsay check` without and with findings.
const WORKED: [i32; 2] = [0, 1];

pub(crate) fn run() -> Result<(), String> {
    let root = workspace::root();
    setup::for_demo(&root)?;
    println!("building gainsay in release mode");
    let gainsay = workspace::build_gainsay()?;
    let listing =
        std::fs::read_dir(root.join("examples")).map_err(|e| format!("cannot read examples/: {e}"))?;
    let mut names: Vec<String> =
        listing.flatten().map(|entry| format!("examples/{}", entry.file_name().to_string_lossy())).collect();
    names.retain(|name| name.ends_with(".c"));
    names.sort();
    let mut check = workspace::call(&gainsay);
    check.args(["check", "--no-cache"]).args(&names).current_dir(&root);
    println!("\n$ gainsay check {}", names.join(" "));
    let status = check.status().map_err(|e| format!("cannot start gainsay: {e}"))?;
    match status.code() {
        Some(code) if WORKED.contains(&code) => Ok(()),
        _ => Err(format!("`{}` failed ({status})", process::line_of(&check))),
    }
}
