//! Which line of a set has to go.

use serde::Serialize;

/// A replacement policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The line that was not used for longest.
    #[default]
    Lru,
    /// A binary tree over the ways whose nodes point away from what was used last, as most
    /// level-1 caches have it.
    TreePlru,
}

impl Policy {
    /// The most ways of a tree: a node each but one, in 64 bits.
    pub const MOST_TREE_WAYS: usize = 64;
}

/// The state of a set's tree. Node 1 is the root, nodes `2n` and `2n + 1` are below node `n`; a set
/// bit sends the search for a victim to the right.
///
/// Where the ways are no power of two, the missing leaves are the last ones, and no search goes
/// there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tree(u64);

impl Tree {
    /// Points every node above `way` away from it.
    pub fn touch(&mut self, way: usize, ways: usize) {
        let leaves = ways.next_power_of_two();
        let mut node = leaves + way;
        while node > 1 {
            let right = node & 1;
            node >>= 1;
            self.0 = self.0 & !(1 << node) | ((1 - right as u64) << node);
        }
    }

    /// The way to replace.
    pub fn victim(&self, ways: usize) -> usize {
        let leaves = ways.next_power_of_two();
        let (mut node, mut below) = (1, leaves);
        while node < leaves {
            below /= 2;
            let right = 2 * node + 1;
            // The first leaf below the right child, if there is such a way.
            let exists = right * below - leaves < ways;
            node = if exists && self.0 >> node & 1 == 1 { right } else { 2 * node };
        }
        node - leaves
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn the_tree_points_away_from_what_was_used() {
        let mut tree = Tree::default();
        for way in 0..4 {
            tree.touch(way, 4);
        }
        // 3 was used last: the left half is due, and of it the one not used last.
        assert_eq!(tree.victim(4), 0);
        tree.touch(0, 4);
        assert_eq!(tree.victim(4), 2);
        tree.touch(2, 4);
        assert_eq!(tree.victim(4), 1);
    }

    #[test]
    fn no_way_is_chosen_that_does_not_exist() {
        for ways in [1, 3, 5, 12, 15, 20, 64] {
            let mut tree = Tree::default();
            let mut seen = vec![0; ways];
            for _ in 0..20 * ways {
                let victim = tree.victim(ways);
                seen[victim] += 1;
                tree.touch(victim, ways);
            }
            assert!(seen.iter().all(|&n| n > 0), "{ways}: {seen:?}");
        }
    }
}
