//! Fetches Debian source packages with apt and private package lists.
//!
//! A fresh machine has no `deb-src` lines. They are derived from its `deb` lines, in private apt folders inside the
//! corpus cache: nothing under /etc changes, root is not needed, and the project names no host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Package;
use crate::process;

/// Writes the private source lists and updates them.
pub(crate) fn prepare(corpus: &Path) -> Result<(), String> {
    let private = corpus.join(".apt");
    for folder in ["sources.list.d", "lists/partial", "cache/archives/partial"] {
        let folder = private.join(folder);
        fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    }
    let codename = debian_codename()?;
    let mut found = false;
    for file in apt_source_files() {
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let deb822 = file.extension().is_some_and(|e| e == "sources");
        let sources = if deb822 { from_deb822(&text, &codename) } else { from_lines(&text, &codename) };
        if sources.is_empty() {
            continue;
        }
        found = true;
        let target = private.join("sources.list.d").join(file.file_name().unwrap_or_default());
        fs::write(&target, sources).map_err(|e| format!("cannot write {}: {e}", target.display()))?;
    }
    if !found {
        return Err(format!("/etc/apt has no package source for Debian {codename}; cannot fetch sources"));
    }
    println!("updating the list of source packages (apt, private to {})", private.display());
    process::capture(apt("apt-get", corpus).args(["-qq", "update"])).map(drop)
}

/// Downloads and unpacks one package into `dir`, which is emptied first.
pub(crate) fn unpack(corpus: &Path, package: &Package, dir: &Path) -> Result<(), String> {
    let known = process::capture(apt("apt-cache", corpus).args(["showsrc", "--only-source", package.name]))?;
    let offered: Vec<&str> = known.lines().filter_map(|line| line.strip_prefix("Version: ")).collect();
    let downloads = corpus.join(".sources").join(package.name);
    let mut errors = Vec::new();
    for version in candidates(package.version, &offered) {
        for old in [dir, &downloads] {
            if old.exists() {
                fs::remove_dir_all(old).map_err(|e| format!("cannot remove {}: {e}", old.display()))?;
            }
        }
        match download(corpus, package.name, version, &downloads) {
            Ok(description) => {
                if version != package.version {
                    println!("{:<10} {} is not available, using {version}", package.name, package.version);
                }
                return process::capture(Command::new("dpkg-source").arg("-x").arg(description).arg(dir))
                    .map(drop);
            }
            Err(error) => errors.push(error),
        }
    }
    Err(format!("no version of {} can be fetched: {}", package.name, errors.join("; ")))
}

/// Downloads a binary package that contains the sources as one archive, using the machine's own package lists, and
/// unpacks the archive into `dir`.
pub(crate) fn unpack_binary(
    corpus: &Path,
    binary: &str,
    package: &Package,
    dir: &Path,
) -> Result<(), String> {
    let downloads = corpus.join(".sources").join(package.name);
    for folder in [dir, &downloads] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
        }
        fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    }
    let wanted = format!("{binary}={}", package.version);
    let mut get = Command::new("apt-get");
    get.args(["-qq", "-o", "APT::Sandbox::User=root", "download", &wanted]);
    process::capture(get.current_dir(&downloads))?;
    let line = "dpkg-deb --fsys-tarfile *.deb | tar -xf - --wildcards '*.tar.xz'; \
                tar -C \"$0\" --strip-components=1 -xf \"$(find . -name '*.tar.xz')\"";
    process::capture(Command::new("sh").args(["-ec", line]).arg(dir).current_dir(&downloads)).map(drop)
}

/// Unpacks an earlier download into another folder; downloads again only if it is missing.
pub(crate) fn unpack_again(corpus: &Path, package: &Package, dir: &Path) -> Result<(), String> {
    let Ok(description) = description_in(&corpus.join(".sources").join(package.name)) else {
        fs::create_dir_all(corpus).map_err(|e| format!("cannot create {}: {e}", corpus.display()))?;
        prepare(corpus)?;
        return unpack(corpus, package, dir);
    };
    if dir.exists() {
        fs::remove_dir_all(dir).map_err(|e| format!("cannot remove {}: {e}", dir.display()))?;
    }
    process::capture(Command::new("dpkg-source").arg("-x").arg(description).arg(dir)).map(drop)
}

/// Downloads one version; returns its .dsc file.
fn download(corpus: &Path, name: &str, version: &str, folder: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let mut get = apt("apt-get", corpus);
    get.args(["-qq", "source", "--only-source", "--download-only", &format!("{name}={version}")]);
    process::capture(get.current_dir(folder))?;
    description_in(folder)
}

/// The .dsc file of a folder.
fn description_in(folder: &Path) -> Result<PathBuf, String> {
    fs::read_dir(folder)
        .map_err(|e| format!("cannot read {}: {e}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|e| e == "dsc"))
        .ok_or_else(|| format!("apt left no .dsc file in {}", folder.display()))
}

/// The versions to try: the pinned one, other Debian revisions of it, then all others; newest first.
///
/// A listed version may be missing on the mirror, so one candidate is not enough.
fn candidates<'a>(pinned: &'a str, offered: &[&'a str]) -> Vec<&'a str> {
    let upstream = |version: &'a str| version.rsplit_once('-').map_or(version, |(upstream, _)| upstream);
    let mut versions: Vec<&str> = offered.to_vec();
    versions.sort_by_key(|version| {
        let same = (*version == pinned, upstream(version) == upstream(pinned));
        std::cmp::Reverse((same, version.len(), *version))
    });
    versions.dedup();
    versions
}

fn apt(program: &str, corpus: &Path) -> Command {
    let private = corpus.join(".apt");
    let option = |name: &str, value: &Path| format!("{name}={}", value.display());
    let mut command = Command::new(program);
    command.args(["-o", "Dir::Etc::sourcelist=/dev/null", "-o", "APT::Sandbox::User=root"]);
    command.args(["-o", &option("Dir::Etc::sourceparts", &private.join("sources.list.d"))]);
    command.args(["-o", &option("Dir::State::lists", &private.join("lists"))]);
    command.args(["-o", &option("Dir::Cache", &private.join("cache"))]);
    command.env("LC_ALL", "C");
    command
}

fn debian_codename() -> Result<String, String> {
    let text =
        fs::read_to_string("/etc/os-release").map_err(|e| format!("cannot read /etc/os-release: {e}"))?;
    let codename = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    codename
        .map(|name| name.trim_matches('"').to_owned())
        .ok_or("/etc/os-release has no VERSION_CODENAME".into())
}

fn apt_source_files() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    let parts =
        fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    files.extend(parts.filter(|path| path.extension().is_some_and(|e| e == "list" || e == "sources")));
    files.retain(|file| file.is_file());
    files.sort();
    files
}

/// Whether this suite belongs to the system's own release and not to a third party.
fn is_own_suite(suite: &str, codename: &str) -> bool {
    suite == codename || suite.strip_prefix(codename).is_some_and(|rest| rest.starts_with(['-', '/']))
}

/// `deb ...` lines as `deb-src ...` lines.
fn from_lines(text: &str, codename: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("deb ") else { continue };
        // An option block may contain blanks: `[ arch=amd64 signed-by=... ]`.
        let after_options = rest.split_once(']').map_or(rest, |(_, after)| after);
        let suite = after_options.split_whitespace().nth(1).unwrap_or_default();
        if is_own_suite(suite, codename) {
            out += &format!("deb-src {}\n", rest.trim());
        }
    }
    out
}

/// The stanzas of a .sources file for the system's release, for sources instead of binaries.
fn from_deb822(text: &str, codename: &str) -> String {
    let mut out = String::new();
    for stanza in text.split("\n\n") {
        let field = |name: &str| stanza.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let own = field("Suites:")
            .is_some_and(|suites| suites.split_whitespace().all(|s| is_own_suite(s, codename)));
        let binaries = field("Types:").is_some_and(|types| types.split_whitespace().any(|t| t == "deb"));
        if !own || !binaries || field("Enabled:") == Some("no") {
            continue;
        }
        for line in stanza.lines().filter(|line| !line.starts_with('#')) {
            out += if line.starts_with("Types:") { "Types: deb-src" } else { line };
            out += "\n";
        }
        out += "\n";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_lines_are_derived_only_for_the_systems_own_release() {
        let text = "# deb http://old.example x main\ndeb [ signed-by=/k.gpg ] http://mirror.example bookworm main\n\
                    deb http://mirror.example bookworm-updates main\ndeb http://other.example sdk-bookworm main\n";
        let expected = "deb-src [ signed-by=/k.gpg ] http://mirror.example bookworm main\n\
                        deb-src http://mirror.example bookworm-updates main\n";
        assert_eq!(from_lines(text, "bookworm"), expected);
    }

    #[test]
    fn stanzas_are_derived_only_for_the_systems_own_release() {
        let text = "Types: deb\n# note\nURIs: http://mirror.example/d\nSuites: bookworm bookworm-updates\nComponents: main\n\n\
                    Types: deb\nURIs: http://other.example\nSuites: nodistro\nComponents: main\n";
        let expected = "Types: deb-src\nURIs: http://mirror.example/d\nSuites: bookworm bookworm-updates\nComponents: main\n\n";
        assert_eq!(from_deb822(text, "bookworm"), expected);
    }

    #[test]
    fn without_the_pinned_version_other_revisions_of_it_come_first() {
        let offered = ["1:9.3p1-1", "1:9.2p1-2+deb12u9", "1:9.2p1-2+deb12u10", "1:9.2p1-2+deb12u9"];
        let (u9, u10) = ("1:9.2p1-2+deb12u9", "1:9.2p1-2+deb12u10");
        assert_eq!(candidates(u9, &offered), [u9, u10, "1:9.3p1-1"]);
        assert_eq!(candidates("1:9.2p1-2+deb12u7", &offered), [u10, u9, "1:9.3p1-1"]);
    }
}
