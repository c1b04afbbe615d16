//! One set-associative cache, by the numbers of its lines.

use super::set::{Policy, Tree};
use super::shape::Shape;

/// A place that holds no line.
const EMPTY: u64 = u64::MAX;

/// A cache. Lines are numbered: an address divided by the bytes of a line.
#[derive(Clone, Debug)]
pub struct Cache {
    ways: usize,
    sets: Sets,
    policy: Policy,
    /// Line and, in the lowest bit, whether it was written; `ways` for each set. With LRU the one
    /// used last comes first.
    places: Vec<u64>,
    trees: Vec<Tree>,
}

/// How a line finds its set.
#[derive(Clone, Copy, Debug)]
enum Sets {
    /// A power of two: the lowest bits.
    Mask(u64),
    /// Any other number: the remainder.
    Count(u64),
}

/// What a lookup found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The line was there.
    pub hit: bool,
    /// The line that had to go, and whether it had been written.
    pub evicted: Option<(u64, bool)>,
}

impl Cache {
    /// An empty cache.
    ///
    /// # Panics
    /// When the policy cannot keep track of so many ways ([`super::Caches::check`]).
    pub fn new(shape: Shape, policy: Policy) -> Self {
        assert!(policy == Policy::Lru || shape.ways <= Policy::MOST_TREE_WAYS);
        let sets = shape.sets() as u64;
        let trees = if policy == Policy::TreePlru { shape.sets() } else { 0 };
        Self {
            ways: shape.ways,
            sets: if sets.is_power_of_two() { Sets::Mask(sets - 1) } else { Sets::Count(sets) },
            policy,
            places: vec![EMPTY; shape.lines()],
            trees: vec![Tree::default(); trees],
        }
    }

    /// The set that `line` belongs to.
    #[inline]
    pub fn set_of(&self, line: u64) -> usize {
        match self.sets {
            Sets::Mask(mask) => (line & mask) as usize,
            Sets::Count(count) => (line % count) as usize,
        }
    }

    /// Looks for `line`, brings it in where it is missing, and marks it as written with `write`.
    #[inline]
    pub fn access(&mut self, line: u64, write: bool) -> Lookup {
        let set = self.set_of(line);
        let places = &mut self.places[set * self.ways..][..self.ways];
        if places[0] >> 1 == line && self.policy == Policy::Lru {
            places[0] |= u64::from(write);
            return Lookup { hit: true, evicted: None };
        }
        let found = places.iter().position(|&place| place >> 1 == line && place != EMPTY);
        let entry = line << 1 | u64::from(write);
        match (self.policy, found) {
            (Policy::Lru, Some(way)) => {
                let entry = places[way] | u64::from(write);
                places.copy_within(..way, 1);
                places[0] = entry;
                Lookup { hit: true, evicted: None }
            }
            (Policy::Lru, None) => {
                let last = places[self.ways - 1];
                places.copy_within(..self.ways - 1, 1);
                places[0] = entry;
                Lookup { hit: false, evicted: evicted(last) }
            }
            (Policy::TreePlru, Some(way)) => {
                places[way] |= u64::from(write);
                self.trees[set].touch(way, self.ways);
                Lookup { hit: true, evicted: None }
            }
            (Policy::TreePlru, None) => {
                let free = places.iter().position(|&place| place == EMPTY);
                let way = free.unwrap_or_else(|| self.trees[set].victim(self.ways));
                let last = core::mem::replace(&mut places[way], entry);
                self.trees[set].touch(way, self.ways);
                Lookup { hit: false, evicted: evicted(last) }
            }
        }
    }

    /// Marks `line` as written if it is there; says whether it is.
    pub fn write_back(&mut self, line: u64) -> bool {
        let place = self.places_of(line).iter_mut().find(|place| is(**place, line));
        place.map(|place| *place |= 1).is_some()
    }

    /// Throws `line` out; says whether it was there, and written.
    pub fn remove(&mut self, line: u64) -> Option<bool> {
        let lru = self.policy == Policy::Lru;
        let places = self.places_of(line);
        let way = places.iter().position(|&place| is(place, line))?;
        let written = places[way] & 1 == 1;
        if lru {
            // The places that hold a line stay in order, the empty ones behind them.
            places.copy_within(way + 1.., way);
            places[places.len() - 1] = EMPTY;
        } else {
            places[way] = EMPTY;
        }
        Some(written)
    }

    fn places_of(&mut self, line: u64) -> &mut [u64] {
        let set = self.set_of(line);
        &mut self.places[set * self.ways..][..self.ways]
    }
}

fn is(place: u64, line: u64) -> bool {
    place >> 1 == line && place != EMPTY
}

fn evicted(place: u64) -> Option<(u64, bool)> {
    (place != EMPTY).then_some((place >> 1, place & 1 == 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sets as lists of lines, the one used last at the end.
    struct Lists {
        ways: usize,
        sets: Vec<Vec<(u64, bool)>>,
    }

    impl Lists {
        fn access(&mut self, line: u64, write: bool) -> Lookup {
            let count = self.sets.len() as u64;
            let set = &mut self.sets[(line % count) as usize];
            if let Some(at) = set.iter().position(|&(held, _)| held == line) {
                let (_, written) = set.remove(at);
                set.push((line, written || write));
                return Lookup { hit: true, evicted: None };
            }
            let evicted = (set.len() == self.ways).then(|| set.remove(0));
            set.push((line, write));
            Lookup { hit: false, evicted }
        }

        fn remove(&mut self, line: u64) -> Option<bool> {
            let count = self.sets.len() as u64;
            let set = &mut self.sets[(line % count) as usize];
            let at = set.iter().position(|&(held, _)| held == line)?;
            Some(set.remove(at).1)
        }
    }

    fn cache(ways: usize, sets: usize, policy: Policy) -> Cache {
        Cache::new(Shape::new(64 * ways * sets, ways, 64).unwrap(), policy)
    }

    proptest! {
        #[test]
        fn lru_is_what_lists_of_lines_do(
            ways in 1usize..6,
            sets in 1usize..6,
            steps in prop::collection::vec((0u64..40, any::<bool>(), 0u8..8), 0..300),
        ) {
            let mut cache = cache(ways, sets, Policy::Lru);
            let mut lists = Lists { ways, sets: vec![Vec::new(); sets] };
            for (line, write, what) in steps {
                if what == 0 {
                    prop_assert_eq!(cache.remove(line), lists.remove(line));
                } else {
                    prop_assert_eq!(cache.access(line, write), lists.access(line, write));
                }
            }
        }

        #[test]
        fn a_tree_of_two_ways_is_lru(
            sets in 1usize..6,
            steps in prop::collection::vec((0u64..20, any::<bool>()), 0..200),
        ) {
            let mut tree = cache(2, sets, Policy::TreePlru);
            let mut lru = cache(2, sets, Policy::Lru);
            for (line, write) in steps {
                prop_assert_eq!(tree.access(line, write), lru.access(line, write));
            }
        }
    }

    #[test]
    fn a_tree_forgets_what_lru_would_keep() {
        // Lines 0 to 3 fill the set, then 0 is used: LRU gives up 1, the tree 2.
        let run = |policy| {
            let mut cache = cache(4, 1, policy);
            for line in [0, 1, 2, 3, 0] {
                cache.access(line, false);
            }
            cache.access(4, false).evicted
        };
        assert_eq!(run(Policy::Lru), Some((1, false)));
        assert_eq!(run(Policy::TreePlru), Some((2, false)));
    }

    #[test]
    fn a_written_line_stays_written() {
        let mut cache = cache(1, 1, Policy::Lru);
        cache.access(7, true);
        assert!(cache.access(7, false).hit);
        assert_eq!(cache.access(8, false), Lookup { hit: false, evicted: Some((7, true)) });
        assert!(cache.write_back(8) && !cache.write_back(7));
        assert_eq!((cache.remove(8), cache.remove(8)), (Some(true), None));
    }
}
