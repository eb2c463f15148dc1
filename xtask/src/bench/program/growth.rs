//! Growing sets of packages, small ones first, and the table row of each.

use super::Package;
use super::measure::Measured;

/// The packages that each set adds to the previous one.
const STEPS: &[&[&str]] = &[
    &["zlib"],
    &["gzip", "bc", "jansson", "ncompress"],
    &["tar", "tiff"],
    &["bison", "bash", "openssh"],
    &["sqlite3"],
    &["openssl"],
];

pub(super) const HEAD: &str = "\
| packages | units | functions | wall s | CPU s | CPU ms per function | memory MiB | JSON bytes |
|---|--:|--:|--:|--:|--:|--:|--:|";

/// The last set is all of them.
pub(super) fn sets(packages: &[Package]) -> Vec<Vec<Package>> {
    let mut steps: Vec<usize> = packages.iter().map(|(name, _)| step(name)).collect();
    let place = |package: &&Package| {
        (step(package.0), STEPS.iter().flat_map(|s| s.iter()).position(|n| *n == package.0))
    };
    let mut ordered: Vec<&Package> = packages.iter().collect();
    ordered.sort_by_key(place);
    steps.sort_unstable();
    steps.dedup();
    let until = |last: usize| ordered.iter().filter(|p| step(p.0) <= last).map(|p| (*p).clone()).collect();
    steps.into_iter().map(until).collect()
}

/// Packages that no step names come last.
fn step(name: &str) -> usize {
    STEPS.iter().position(|names| names.contains(&name)).unwrap_or(STEPS.len())
}

/// A row of the table; the set is named by its last package.
pub(super) fn row(packages: &[Package], units: usize, measured: &Measured) -> String {
    let last = packages.last().map_or("none", |(name, _)| name);
    let names = if packages.len() > 1 { format!("{} up to {last}", packages.len()) } else { last.into() };
    let cpu = measured.cpu.as_secs_f64();
    format!(
        "| {names} | {units} | {} | {:.1} | {cpu:.1} | {:.2} | {} | {} |",
        measured.functions,
        measured.seconds(),
        1000.0 * cpu / measured.functions.max(1) as f64,
        measured.together_kib / 1024,
        measured.printed.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::PACKAGES;

    fn named(names: &[&'static str]) -> Vec<Package> {
        names.iter().map(|name| (*name, name.into())).collect()
    }

    #[test]
    fn sets_grow_to_all_selected_packages() {
        let sets = sets(&named(&["openssl", "jansson", "zlib", "gzip"]));
        let names = |set: &Vec<Package>| set.iter().map(|package| package.0).collect::<Vec<_>>();
        assert_eq!(
            sets.iter().map(names).collect::<Vec<_>>(),
            [vec!["zlib"], vec!["zlib", "gzip", "jansson"], vec!["zlib", "gzip", "jansson", "openssl"]]
        );
    }

    #[test]
    fn every_package_of_the_corpus_has_a_step() {
        for package in PACKAGES {
            assert!(step(package.name) < STEPS.len(), "{}", package.name);
        }
    }
}
