//! 4 KiB pages against huge ones, on memory that is mapped and advised either way.

use std::fs;

use memmap2::{Advice, MmapMut};

use super::points::{Progress, Settings, by_size, curves, extend, measured, moved, to_every_size};
use super::{Curves, Kind};
use crate::bench::BenchError;
use crate::bench::case::Case;
use crate::bench::memory::in_words;
use crate::bench::prepared::Prepared;
use crate::bench::strategy::Strategy;
use crate::machine::Machine;
use crate::profile::simulate::Caches;
use crate::profile::topology::Topology;

/// Bytes of a huge page where the system does not tell.
const HUGE: usize = 2 << 20;
/// Where a large allocation of glibc begins behind a page.
const HEADER: usize = 16;

/// Memory of its own, behind the start of a huge page.
struct Mapped {
    map: MmapMut,
    from: usize,
    len: usize,
}

impl Mapped {
    /// Maps `len` bytes, advised as given, and touches them.
    fn new(len: usize, huge: usize, advice: Advice) -> Result<Self, BenchError> {
        let refused = || BenchError::Allocation { bytes: len };
        // A huge page that holds the last byte must be the mapping's own as well.
        let room = len.checked_add(HEADER).and_then(|len| len.checked_next_multiple_of(huge));
        let room = room.and_then(|room| room.checked_add(huge)).ok_or_else(refused)?;
        let map = MmapMut::map_anon(room).map_err(|_| refused())?;
        // A system without huge pages refuses; what came of the advice is asked for later.
        let _ = map.advise(advice);
        let from = map.as_ptr().addr().next_multiple_of(huge) - map.as_ptr().addr() + HEADER;
        let mut mapped = Self { map, from, len };
        mapped.bytes_mut().fill(1);
        Ok(mapped)
    }

    fn bytes(&self) -> &[u8] {
        &self.map[self.from..][..self.len]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map[self.from..][..self.len]
    }
}

pub(super) fn sweep(
    case: &Case,
    settings: &Settings,
    progress: Progress<'_>,
) -> Result<Curves, BenchError> {
    let topology = Topology::detect();
    let huge = topology.pages.huge.unwrap_or(HUGE);
    let base = in_words(Machine::current().page as u64);
    let kinds =
        [(Advice::NoHugePage, format!("{base} pages")), (Advice::HugePage, "huge pages".into())];
    let strategies = [Strategy::Naive, Strategy::Restride];
    let names = strategies.iter().flat_map(|strategy| {
        kinds.iter().map(move |(_, pages)| format!("{}, {pages}", strategy.name()))
    });
    let mut all = curves(names);
    let mut got = None;
    to_every_size(case, settings, progress, &mut |case| {
        let prepared: Result<Vec<_>, _> =
            strategies.iter().map(|&strategy| Prepared::new(strategy, case, 1)).collect();
        let prepared = prepared?;
        let before = huge_bytes();
        let mut memory = Vec::new();
        for (advice, _) in &kinds {
            let source = Mapped::new(case.source_bytes(), huge, *advice)?;
            memory.push((source, Mapped::new(case.output_bytes, huge, *advice)?));
        }
        got = before.zip(huge_bytes()).map(|(before, after)| after.saturating_sub(before));
        let pairs = prepared.len() * kinds.len();
        let rates = measured(case, pairs, &settings.pace, true, &mut |who, count| {
            let (source, output) = &mut memory[who % kinds.len()];
            let copy = &prepared[who / kinds.len()];
            (0..count).for_each(|_| copy.run_in(source.bytes(), output.bytes_mut()));
            Ok(())
        })?;
        extend(&mut all, moved(case), rates);
        Ok(())
    })?;
    let tlbs = Caches::of(&topology, Machine::current()).tlbs;
    let marks = tlbs.iter().map(|tlb| {
        let reach = tlb.shape.bytes;
        let assumed = if tlb.assumed { " (assumed)" } else { "" };
        (reach as f64, format!("{} {}{assumed}", tlb.name, in_words(reach as u64)))
    });
    let policy = topology.pages.policy.as_deref().unwrap_or("unknown");
    let given = match got {
        Some(0) => {
            format!("the system gave no huge pages (policy `{policy}`): both kinds are the same")
        }
        Some(bytes) => format!(
            "at the largest size the system backed {} with huge pages of {} (policy `{policy}`)",
            in_words(bytes),
            in_words(huge as u64)
        ),
        None => "the system does not tell whether it gave huge pages".into(),
    };
    Ok(Curves {
        kind: Kind::Pages,
        title: format!("{} in pages of {base} and in huge ones, one thread", by_size(case)),
        x: "bytes read and written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks: marks.collect(),
        notes: vec![given, format!("marks: what each TLB reaches with pages of {base}")],
    })
}

/// Bytes of this process in transparent huge pages.
fn huge_bytes() -> Option<u64> {
    let rollup = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
