//! What a simulation counted.

use serde::Serialize;

/// Counts of one stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counts {
    /// Loads.
    pub reads: u64,
    /// Ordinary stores.
    pub writes: u64,
    /// Streaming stores.
    pub streams: u64,
    /// Bytes that these ask for.
    pub bytes: u64,
    /// Distinct lines touched: what the copy has to fetch or write at least once.
    pub distinct_lines: u64,
    /// The caches, nearest first.
    pub levels: Vec<LevelCounts>,
    /// The TLBs, nearest first.
    pub tlbs: Vec<LevelCounts>,
    /// Lines that streaming stores sent past the caches.
    pub streamed_lines: u64,
    /// Lines written back to memory.
    pub written_back: u64,
}

/// Counts of one cache or TLB.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelCounts {
    /// `L1d`, `L2 TLB` …
    pub name: &'static str,
    /// Lines (pages) asked for.
    pub lookups: u64,
    /// Lines (pages) that were not there, and had to be fetched.
    pub misses: u64,
    /// Accesses with a line that was not there: an access across two lines counts once, as in
    /// cachegrind.
    pub missed_accesses: u64,
    /// Misses that a fully associative cache of this size would not have had: too few ways for
    /// lines of one set. Hill's definition (1987): the difference of the two counts, or 0.
    pub conflicts: u64,
    /// Sets that hold lines.
    pub sets: usize,
    /// The sets with the most misses, and theirs, the worst first.
    pub worst_sets: Vec<(usize, u64)>,
}

impl Counts {
    /// The counts of a copy `times` as large, all of it as this part.
    pub fn scaled(&self, times: f64) -> Self {
        let scale = |n: u64| (n as f64 * times).round() as u64;
        let level = |level: &LevelCounts| LevelCounts {
            name: level.name,
            lookups: scale(level.lookups),
            misses: scale(level.misses),
            missed_accesses: scale(level.missed_accesses),
            conflicts: scale(level.conflicts),
            sets: level.sets,
            worst_sets: level.worst_sets.iter().map(|&(set, n)| (set, scale(n))).collect(),
        };
        Self {
            reads: scale(self.reads),
            writes: scale(self.writes),
            streams: scale(self.streams),
            bytes: scale(self.bytes),
            distinct_lines: scale(self.distinct_lines),
            levels: self.levels.iter().map(level).collect(),
            tlbs: self.tlbs.iter().map(level).collect(),
            streamed_lines: scale(self.streamed_lines),
            written_back: scale(self.written_back),
        }
    }

    /// Misses of the last level: lines that come from memory.
    pub fn from_memory(&self) -> u64 {
        self.levels.last().map_or(0, |level| level.misses)
    }

    /// The cache of this name.
    pub fn level(&self, name: &str) -> Option<&LevelCounts> {
        self.levels.iter().chain(&self.tlbs).find(|level| level.name == name)
    }
}
