//! A cache with its counts, and beside it a fully associative one of the same size: what misses in
//! the one and not in the other lacked ways, not room.

use core::num::NonZeroUsize;

use lru::LruCache;

use super::cache::{Cache, Lookup};
use super::counts::LevelCounts;
use super::set::Policy;
use super::shape::Shape;

/// Sets that are named.
const WORST: usize = 3;

pub(super) struct Counted {
    name: &'static str,
    pub cache: Cache,
    roomy: LruCache<u64, ()>,
    last: u64,
    lookups: u64,
    misses: u64,
    roomy_misses: u64,
    missed_accesses: u64,
    misses_by_set: Vec<u64>,
}

impl Counted {
    pub fn new(name: &'static str, shape: Shape, policy: Policy) -> Self {
        let lines = NonZeroUsize::new(shape.lines()).unwrap_or(NonZeroUsize::MIN);
        Self {
            name,
            cache: Cache::new(shape, policy),

            roomy: LruCache::new(lines),
            last: u64::MAX,
            lookups: 0,
            misses: 0,
            roomy_misses: 0,
            missed_accesses: 0,
            misses_by_set: vec![0; shape.sets()],
        }
    }

    /// [`Cache::access`], counted.
    #[inline]
    pub fn access(&mut self, line: u64, write: bool) -> Lookup {
        self.lookups += 1;
        if line != self.last {
            self.last = line;
            if self.roomy.get(&line).is_none() {
                self.roomy.put(line, ());
                self.roomy_misses += 1;
            }
        }
        let lookup = self.cache.access(line, write);
        if !lookup.hit {
            self.misses += 1;
            self.misses_by_set[self.cache.set_of(line)] += 1;
        }
        lookup
    }

    /// Counts an access some line of which was not there.
    pub fn missed(&mut self) {
        self.missed_accesses += 1;
    }

    /// Throws `line` out; says whether it was there, and written.
    pub fn remove(&mut self, line: u64) -> Option<bool> {
        if line == self.last {
            self.last = u64::MAX;
        }
        self.roomy.pop(&line);
        self.cache.remove(line)
    }

    pub fn counts(&self) -> LevelCounts {
        let mut sets: Vec<(usize, u64)> =
            self.misses_by_set.iter().copied().enumerate().filter(|&(_, n)| n > 0).collect();
        sets.sort_by_key(|&(set, misses)| (core::cmp::Reverse(misses), set));
        sets.truncate(WORST);
        LevelCounts {
            name: self.name,
            lookups: self.lookups,
            misses: self.misses,
            missed_accesses: self.missed_accesses,
            conflicts: self.misses.saturating_sub(self.roomy_misses),
            sets: self.misses_by_set.len(),
            worst_sets: sets,
        }
    }
}
