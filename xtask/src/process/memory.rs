//! The memory of a process and its descendants, from /proc.

use std::collections::BTreeMap;
use std::fs;

/// The resident memory of a process and all its descendants, in KiB. Processes that end meanwhile count as 0.
pub(super) fn of_family(root: i32) -> u64 {
    let processes: BTreeMap<i32, (i32, u64)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, read(pid)?))
        })
        .collect();
    let is_family = |&pid: &i32| {
        let parent = |pid: &i32| processes.get(pid).map(|&(parent, _)| parent);
        std::iter::successors(Some(pid), parent).any(|ancestor| ancestor == root)
    };
    processes.keys().filter(|pid| is_family(pid)).map(|pid| processes[pid].1).sum()
}

/// The parent and the resident memory of a process, in KiB.
fn read(pid: i32) -> Option<(i32, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| -> Option<&str> {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)
    };
    Some((field("PPid:")?.parse().ok()?, field("VmRSS:").and_then(|n| n.parse().ok()).unwrap_or_default()))
}
