//! Levels behind one another, TLBs beside them.

use std::collections::HashMap;

use super::counts::Counts;
use super::level::Counted;
use super::shape::{Caches, ShapeError, Streaming};
use crate::profile::stream::{Access, Kind, Sink};

/// Caches and TLBs that count what an access stream does to them.
///
/// A line that a level misses is looked for in the next one, and brought into every level that
/// missed it. A line that was written and has to go is written to the next level that holds it, or
/// to memory.
pub struct Simulator {
    levels: Vec<Counted>,
    inclusive: Vec<bool>,
    tlbs: Vec<Counted>,
    streaming: Streaming,
    line_shift: u32,
    page_shift: u32,
    last_page: u64,
    /// Levels that the access under way has missed in.
    missed: [bool; 8],
    /// Lines of each 64-line block that were touched.
    touched: HashMap<u64, u64>,
    last_streamed: u64,
    limit: u64,
    reads: u64,
    writes: u64,
    streams: u64,
    bytes: u64,
    streamed_lines: u64,
    written_back: u64,
}

impl Simulator {
    /// Empty caches and TLBs.
    ///
    /// # Errors
    /// What [`Caches::check`] finds.
    pub fn new(caches: &Caches) -> Result<Self, ShapeError> {
        caches.check()?;
        let shift = |bytes: Option<usize>| bytes.map_or(6, usize::ilog2);
        let levels = caches.levels.iter();
        let tlbs = caches.tlbs.iter();
        Ok(Self {
            line_shift: shift(caches.levels.first().map(|level| level.shape.line)),
            page_shift: shift(caches.tlbs.first().map(|tlb| tlb.shape.line)),
            inclusive: caches.levels.iter().map(|level| level.inclusive).collect(),
            levels: levels.map(|l| Counted::new(l.name, l.shape, caches.policy)).collect(),
            tlbs: tlbs.map(|t| Counted::new(t.name, t.shape, caches.policy)).collect(),
            streaming: caches.streaming,
            last_page: u64::MAX,
            missed: [false; 8],
            touched: HashMap::new(),
            last_streamed: u64::MAX,
            limit: u64::MAX,
            reads: 0,
            writes: 0,
            streams: 0,
            bytes: 0,
            streamed_lines: 0,
            written_back: 0,
        })
    }

    /// The same, full after so many accesses.
    pub fn up_to(self, accesses: u64) -> Self {
        Self { limit: accesses, ..self }
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        Counts {
            reads: self.reads,
            writes: self.writes,
            streams: self.streams,
            bytes: self.bytes,
            distinct_lines: self.touched.values().map(|mask| u64::from(mask.count_ones())).sum(),
            levels: self.levels.iter().map(Counted::counts).collect(),
            tlbs: self.tlbs.iter().map(Counted::counts).collect(),
            streamed_lines: self.streamed_lines,
            written_back: self.written_back,
        }
    }

    /// Translates the page of `line`.
    #[inline]
    fn translate(&mut self, line: u64) {
        let page = line << self.line_shift >> self.page_shift;
        if page == self.last_page {
            return;
        }
        self.last_page = page;
        for tlb in &mut self.tlbs {
            if tlb.access(page, false).hit {
                break;
            }
            tlb.missed();
        }
    }

    /// Reads or writes `line` through the caches.
    #[inline]
    fn through(&mut self, line: u64, write: bool) {
        for at in 0..self.levels.len() {
            let lookup = self.levels[at].access(line, write && at == 0);
            if let Some((victim, written)) = lookup.evicted {
                self.evict(at, victim, written);
            }
            if lookup.hit {
                break;
            }
            if at == 0 {
                self.touch(line);
            }
            self.missed[at.min(7)] = true;
        }
    }

    /// Follows a line that level `at` gave up.
    fn evict(&mut self, at: usize, line: u64, mut written: bool) {
        if self.inclusive[at] {
            for nearer in &mut self.levels[..at] {
                written |= nearer.remove(line) == Some(true);
            }
        }
        if written && !self.levels[at + 1..].iter_mut().any(|next| next.cache.write_back(line)) {
            self.written_back += 1;
        }
    }

    /// Writes `line` past the caches.
    fn past(&mut self, line: u64) {
        if line == self.last_streamed {
            return; // a part of the line that the write buffer still holds
        }
        self.last_streamed = line;
        self.streamed_lines += 1;
        self.touch(line);
        for level in &mut self.levels {
            // What was written before joins the line in the write buffer.
            level.remove(line);
        }
    }

    fn touch(&mut self, line: u64) {
        *self.touched.entry(line >> 6).or_default() |= 1 << (line & 63);
    }
}

impl Sink for Simulator {
    fn access(&mut self, access: Access) {
        let Access { address, bytes, kind } = access;
        match kind {
            Kind::Read => self.reads += 1,
            Kind::Write => self.writes += 1,
            Kind::Stream => self.streams += 1,
        }
        self.bytes += bytes as u64;
        let first = address as u64 >> self.line_shift;
        let last = (address as u64).wrapping_add(bytes as u64 - 1) >> self.line_shift;
        let past = kind == Kind::Stream && self.streaming == Streaming::Bypass;
        for line in first..=last {
            self.translate(line);
            if past {
                self.past(line);
            } else {
                self.through(line, kind != Kind::Read);
            }
        }
        for (level, missed) in self.levels.iter_mut().zip(&mut self.missed) {
            if core::mem::take(missed) {
                level.missed();
            }
        }
    }

    fn is_full(&self) -> bool {
        self.reads + self.writes + self.streams >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, Policy, Shape, Tlb};
    use super::*;

    const READ: Kind = Kind::Read;
    const WRITE: Kind = Kind::Write;

    /// Caches of the given lines and ways, and one TLB of two pages.
    fn caches(levels: &[(usize, usize)]) -> Caches {
        let names = ["L1d", "L2", "L3"];
        let level = |(&(lines, ways), name): (&(usize, usize), &'static str)| Level {
            name,
            shape: Shape::new(64 * lines, ways, 64).unwrap(),
            inclusive: false,
            assumed: false,
        };
        let tlb =
            Tlb { name: "L1 dTLB", shape: Shape::new(8192, 2, 4096).unwrap(), assumed: false };
        Caches {
            levels: levels.iter().zip(names).map(level).collect(),
            tlbs: vec![tlb],
            policy: Policy::Lru,
            streaming: Streaming::Bypass,
        }
    }

    fn run(caches: &Caches, accesses: &[(usize, usize, Kind)]) -> Counts {
        let mut simulator = Simulator::new(caches).unwrap();
        for &(address, bytes, kind) in accesses {
            simulator.access(Access { address, bytes, kind });
        }
        simulator.counts()
    }

    #[test]
    fn a_walk_misses_once_a_line() {
        let walk: Vec<_> = (0..256).map(|i| (4 * i, 4, READ)).collect();
        let counts = run(&caches(&[(8, 2), (16, 2)]), &walk);
        assert_eq!((counts.reads, counts.levels[0].lookups), (256, 256));
        assert_eq!((counts.levels[0].misses, counts.levels[1].misses), (16, 16));
        assert_eq!((counts.distinct_lines, counts.levels[0].conflicts), (16, 0));
    }

    #[test]
    fn lines_of_one_set_conflict_where_the_cache_has_room() {
        // Three lines in the same of four sets of two ways, in turn: every access misses, though
        // eight lines would fit.
        let turns: Vec<_> = (0..30).map(|i| (256 * (i % 3), 4, READ)).collect();
        let counts = run(&caches(&[(8, 2)]), &turns);
        assert_eq!((counts.levels[0].misses, counts.levels[0].conflicts), (30, 27));
        assert_eq!(counts.levels[0].worst_sets, [(0, 30)]);
    }

    #[test]
    fn an_access_across_two_lines_misses_once_and_fetches_two() {
        let counts = run(&caches(&[(8, 2)]), &[(60, 8, READ), (0, 4, READ), (64, 4, READ)]);
        assert_eq!((counts.levels[0].misses, counts.levels[0].missed_accesses), (2, 1));
    }

    #[test]
    fn written_lines_go_back_to_the_next_level_and_from_there_to_memory() {
        // One line a level: 0 is written, 1 throws it out of both.
        let counts = run(&caches(&[(1, 1), (1, 1)]), &[(0, 4, WRITE), (64, 4, READ)]);
        assert_eq!(counts.written_back, 1);
        // The second level still holds it.
        let counts = run(&caches(&[(1, 1), (4, 4)]), &[(0, 4, WRITE), (64, 4, READ)]);
        assert_eq!(counts.written_back, 0);
    }

    #[test]
    fn what_an_inclusive_level_loses_the_nearer_ones_lose() {
        let mut caches = caches(&[(4, 4), (2, 2)]);
        // Line 0 stays the most recent in L1, where its reads hit, but not in L2.
        let accesses = [0, 64, 0, 128, 0].map(|address| (address, 4, READ));
        assert_eq!(run(&caches, &accesses).levels[0].misses, 3);
        caches.levels[1].inclusive = true;
        assert_eq!(run(&caches, &accesses).levels[0].misses, 4);
    }

    #[test]
    fn streaming_stores_pass_by_and_throw_out() {
        let stream: Vec<_> = (0..4).map(|i| (32 * i, 32, Kind::Stream)).collect();
        let accesses = [&[(0, 4, READ)], &stream[..], &[(0, 4, READ)]].concat();
        let mut caches = caches(&[(8, 2)]);
        let counts = run(&caches, &accesses);
        assert_eq!((counts.streamed_lines, counts.levels[0].misses), (2, 2));
        caches.streaming = Streaming::AsStores;
        let counts = run(&caches, &accesses);
        assert_eq!((counts.streamed_lines, counts.levels[0].misses), (0, 2));
        assert_eq!(counts.levels[0].lookups, 6);
    }

    #[test]
    fn pages_are_translated_once_while_the_tlb_holds_them() {
        let pages = [0, 1, 0, 1, 2, 0].map(|page| (4096 * page, 4, READ));
        assert_eq!(run(&caches(&[(8, 2)]), &pages).tlbs[0].misses, 4);
    }

    #[test]
    fn it_is_full_after_so_many_accesses() {
        let mut simulator = Simulator::new(&caches(&[(8, 2)])).unwrap().up_to(2);
        for full in [false, true] {
            simulator.access(Access { address: 0, bytes: 4, kind: READ });
            assert_eq!(simulator.is_full(), full);
        }
    }
}
