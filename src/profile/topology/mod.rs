//! What the machine is made of, as far as it tells: cores, caches, TLBs, pages, NUMA nodes.
//!
//! Caches and cores come from Linux' sysfs, TLBs from `cpuid`. Nothing is assumed here: what could
//! not be learnt is listed in [`Topology::unknown`].

mod caches;
mod numa;
mod pages;
mod processors;
mod sysfs;
mod tlbs;

use std::path::Path;

use serde::Serialize;

pub(crate) use caches::read as caches;
pub use caches::{Cache, CacheKind};
pub use numa::Node;
pub use pages::Pages;
pub use processors::Processors;
pub use tlbs::{Tlb, TlbKind};

/// A machine. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// Processors by package and core.
    pub processors: Processors,
    /// Caches of the first processor, nearest first.
    pub caches: Vec<Cache>,
    /// TLBs of the processor that asked, nearest first.
    pub tlbs: Vec<Tlb>,
    /// Page sizes and the system's policy on huge pages.
    pub pages: Pages,
    /// NUMA nodes.
    pub nodes: Vec<Node>,
    /// What could not be learnt, a sentence each.
    pub unknown: Vec<String>,
}

impl Topology {
    /// Looks at this machine.
    pub fn detect() -> Self {
        Self::of(Path::new("/sys"), tlbs::of_this_processor())
    }

    /// The topology that a sysfs at `root` describes, beside the TLBs given.
    fn of(root: &Path, tlbs: Vec<Tlb>) -> Self {
        let mut topology = Self {
            processors: processors::read(root),
            caches: caches(root),
            tlbs,
            pages: pages::read(root),
            nodes: numa::read(root),
            unknown: Vec::new(),
        };
        topology.unknown = topology.gaps();
        topology
    }

    /// The data or unified cache of a level.
    pub fn data_cache(&self, level: u32) -> Option<&Cache> {
        self.caches.iter().find(|c| c.level == level && c.kind != CacheKind::Instruction)
    }

    /// The TLB of a level that serves loads of pages of `page` bytes.
    pub fn data_tlb(&self, level: u8, page: usize) -> Option<&Tlb> {
        let serves = |tlb: &&Tlb| tlb.level == level && tlb.serves_loads() && tlb.holds(page);
        self.tlbs.iter().find(serves)
    }

    fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let mut gap = |missing: bool, what: &str| {
            if missing {
                gaps.push(what.to_owned());
            }
        };
        gap(self.processors.cores.is_none(), "cores and packages: sysfs does not list them");
        gap(self.caches.is_empty(), "caches: sysfs does not describe them");
        let vague = self.caches.iter().any(|c| c.ways.is_none() || c.line.is_none());
        gap(vague, "ways or line size of some cache: sysfs leaves them out");
        let inclusive = |c: &Cache| c.level == 1 || c.inclusive.is_some();
        gap(
            !self.caches.iter().all(inclusive),
            "whether caches include the nearer ones: cpuid does not tell",
        );
        gap(self.tlbs.is_empty(), "TLBs: cpuid does not describe them on this processor");
        gap(self.pages.base.is_none(), "the base page: the system does not tell");
        gap(self.pages.policy.is_none(), "huge pages: the kernel has no transparent ones");
        gap(self.nodes.is_empty(), "NUMA nodes: sysfs does not list them");
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_tells_nothing_has_gaps_instead_of_guesses() {
        let nothing = Topology::of(Path::new("/nonexistent"), Vec::new());
        assert_eq!((nothing.caches.len(), nothing.nodes.len()), (0, 0));
        for word in ["cores", "caches", "TLBs", "huge pages", "NUMA"] {
            assert!(nothing.unknown.iter().any(|gap| gap.contains(word)), "{word}");
        }
    }

    #[test]
    fn this_machine_can_be_described() {
        let here = Topology::detect();
        for cache in &here.caches {
            assert!(cache.bytes > 0 && cache.level > 0);
        }
        serde_json::to_string(&here).unwrap();
    }
}
