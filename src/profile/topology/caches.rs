//! The first processor's caches.

use std::path::Path;

use serde::Serialize;

use super::sysfs;

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// One cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Its size.
    pub bytes: usize,
    /// Lines that a set holds.
    pub ways: Option<usize>,
    /// Bytes of a line.
    pub line: Option<usize>,
    /// Sets.
    pub sets: Option<usize>,
    /// Processors that share it, as the kernel lists them.
    pub shared_by: Option<String>,
    /// Whether it holds all that the nearer caches hold, as `cpuid` tells.
    pub inclusive: Option<bool>,
}

/// Reads the caches of processor 0 from a sysfs at `root`, nearest first.
pub(crate) fn read(root: &Path) -> Vec<Cache> {
    let folder = root.join("devices/system/cpu/cpu0/cache");
    let read = |index: usize| {
        let cache = folder.join(format!("index{index}"));
        let kind = match sysfs::line(cache.join("type"))?.as_str() {
            "Data" => CacheKind::Data,
            "Instruction" => CacheKind::Instruction,
            _ => CacheKind::Unified,
        };
        let level = sysfs::number(cache.join("level"))?;
        Some(Cache {
            level,
            kind,
            bytes: sysfs::size(&sysfs::line(cache.join("size"))?)?,
            ways: sysfs::number(cache.join("ways_of_associativity")).filter(|&ways| ways > 0),
            line: sysfs::number(cache.join("coherency_line_size")),
            sets: sysfs::number(cache.join("number_of_sets")),
            shared_by: sysfs::line(cache.join("shared_cpu_list")),
            inclusive: inclusive(level, kind),
        })
    };
    let mut caches: Vec<Cache> =
        sysfs::numbered(&folder, "index").into_iter().filter_map(read).collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}

/// Whether the cache holds all that the nearer ones hold: `cpuid` leaf 4, on AMD 0x8000_001D.
#[cfg(target_arch = "x86_64")]
fn inclusive(level: u32, kind: CacheKind) -> Option<bool> {
    use raw_cpuid::{CacheType, CpuId};
    let same = |of: CacheType| {
        matches!(
            (of, kind),
            (CacheType::Data, CacheKind::Data)
                | (CacheType::Instruction, CacheKind::Instruction)
                | (CacheType::Unified, CacheKind::Unified)
        )
    };
    let caches = CpuId::new().get_cache_parameters()?;
    let mut caches = caches.filter(|c| u32::from(c.level()) == level && same(c.cache_type()));
    caches.next().map(|cache| cache.is_inclusive())
}

#[cfg(not(target_arch = "x86_64"))]
fn inclusive(_level: u32, _kind: CacheKind) -> Option<bool> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn caches_are_read_from_a_sysfs_folder() {
        let root = tempfile::tempdir().unwrap();
        let cache = root.path().join("devices/system/cpu/cpu0/cache");
        for (index, values) in [
            ["2", "Unified", "2048K", "16", "64", "2048", "0-3"],
            ["1", "Data", "48K", "12", "64", "64", "0"],
        ]
        .iter()
        .enumerate()
        {
            let folder = cache.join(format!("index{index}"));
            fs::create_dir_all(&folder).unwrap();
            let files = [
                "level",
                "type",
                "size",
                "ways_of_associativity",
                "coherency_line_size",
                "number_of_sets",
                "shared_cpu_list",
            ];
            for (file, value) in files.iter().zip(values) {
                fs::write(folder.join(file), format!("{value}\n")).unwrap();
            }
        }
        let caches = read(root.path());
        assert_eq!((caches[0].level, caches[0].kind), (1, CacheKind::Data));
        assert_eq!((caches[0].bytes, caches[0].ways), (48 << 10, Some(12)));
        assert_eq!((caches[1].bytes, caches[1].sets), (2 << 20, Some(2048)));
        assert_eq!(caches[1].shared_by.as_deref(), Some("0-3"));
    }
}
