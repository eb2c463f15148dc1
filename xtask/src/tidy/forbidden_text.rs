//! Text that must not be in the repository: unfinished code, placeholders of new files, and the host names of package
//! registries.

use super::repository::{self, Complaint, Repository};
use crate::scaffold::PLACEHOLDER;

/// Split, so that this file obeys its own rule.
const UNFINISHED: &str = concat!("todo", "!(");
const REGISTRY_HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
    concat!("registry.", "npmjs"),
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, text) in repository.files() {
        for (number, line) in text.lines().enumerate() {
            // cargo writes the registry into the lock file.
            for host in REGISTRY_HOSTS.iter().filter(|host| name != "Cargo.lock" && line.contains(*host)) {
                complaints.push(Complaint::at(name, number, format!("names the registry host {host}")));
            }
            if line.contains(PLACEHOLDER) {
                complaints.push(Complaint::at(name, number, format!("replace `{PLACEHOLDER}`")));
            }
            if repository::is_source(name) && line.contains(UNFINISHED) {
                complaints.push(Complaint::at(name, number, format!("unfinished: `{UNFINISHED}`")));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    #[test]
    fn unfinished_code_placeholders_and_registry_hosts_are_found() {
        let code = format!("//! Why.\nfn f() {{ {UNFINISHED}) }}\n");
        assert_eq!(complaints(check, &[("crates/ir/src/a.rs", &code)]).len(), 1);
        let host = format!("see {}\n", REGISTRY_HOSTS[0]);
        assert_eq!(complaints(check, &[("README.md", &host)]).len(), 1);
        assert_eq!(complaints(check, &[("docs/a.md", PLACEHOLDER)]).len(), 1);
        assert!(complaints(check, &[("Cargo.lock", &host)]).is_empty());
    }
}
