//! NUMA nodes.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::sysfs;

/// Processors and the memory next to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// The node's number.
    pub id: usize,
    /// Its processors, as the kernel lists them.
    pub processors: Option<String>,
    /// Bytes of its memory.
    pub memory: Option<u64>,
}

/// Reads `devices/system/node` below `root`.
pub(super) fn read(root: &Path) -> Vec<Node> {
    let folder = root.join("devices/system/node");
    let node = |id: usize| {
        let node = folder.join(format!("node{id}"));
        Node {
            id,
            processors: sysfs::line(node.join("cpulist")),
            memory: fs::read_to_string(node.join("meminfo")).ok().and_then(|text| total(&text)),
        }
    };
    sysfs::numbered(&folder, "node").into_iter().map(node).collect()
}

/// Bytes of `Node 0 MemTotal:  65839372 kB`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.contains("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().rev().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn memory_is_read_in_bytes() {
        let text = "Node 0 MemFree: 1 kB\nNode 0 MemTotal:       65839372 kB\n";
        assert_eq!(total("Node 0 Other: 1 kB\n"), None);
        assert_eq!(total(text), Some(65_839_372 * 1024));
    }
}
