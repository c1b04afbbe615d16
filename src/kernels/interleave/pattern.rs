//! Which units of each row make up one vector of the destination, and in which order.
//!
//! A vector of `V` units begins with any unit of any row. Counted from that row, row `r` gives it
//! every unit `r, r + k, r + 2k, …`: some that are contiguous in the source. They are loaded side by
//! side, row behind row, and one permutation makes them alternate. The pattern is the same wherever
//! the vector begins; only which row is the first changes.
//!
//! ```text
//! k = 3, V = 8:   blend [a0 a1 a2 b0 b1 b2 c0 c1]  →  [a0 b0 c0 a1 b1 c1 a2 b2]
//! ```

use super::MAX_ROWS;
use crate::kernels::blend::Blend;

/// The pattern of vectors of `lane` (16 or 64) bytes for `k` rows of units of `unit` bytes. Offsets
/// are bytes from the first unit that the row gives.
pub(super) fn pattern(lane: usize, unit: usize, k: usize) -> &'static Blend {
    static LANES_16: [[Blend; MAX_ROWS]; 5] = table(16);
    static LANES_64: [[Blend; MAX_ROWS]; 5] = table(64);
    let table = if lane == 64 { &LANES_64 } else { &LANES_16 };
    &table[unit.trailing_zeros() as usize][k - 1]
}

/// Patterns for unit `1 << u` at `[u][k - 1]`.
const fn table(lane: usize) -> [[Blend; MAX_ROWS]; 5] {
    let mut all = [[Blend::NONE; MAX_ROWS]; 5];
    let mut u = 0;
    while u < 5 {
        let mut k = 1;
        while k <= MAX_ROWS {
            all[u][k - 1] = blend(lane, 1 << u, k);
            k += 1;
        }
        u += 1;
    }
    all
}

const fn blend(lane: usize, unit: usize, k: usize) -> Blend {
    let v = lane / unit;
    let mut blend = Blend::NONE;
    let mut slot = 0;
    while blend.loads < k && blend.loads < v {
        let row = blend.loads;
        blend.offsets[row] = -((slot * unit) as i16);
        let mut i = row;
        while i < v {
            let mut byte = 0;
            while byte < unit {
                blend.masks[row] |= 1 << (slot * unit + byte);
                blend.index[i * unit + byte] = (slot * unit + byte) as u8;
                byte += 1;
            }
            slot += 1;
            i += k;
        }
        blend.loads += 1;
    }
    blend
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_and_permutations_make_rows_alternate() {
        for lane in [16, 64] {
            for u in 0..5 {
                for k in 1..=MAX_ROWS {
                    let unit = 1 << u;
                    let blend = pattern(lane, unit, k);
                    let mut bytes = vec![None; lane];
                    for row in 0..blend.loads {
                        for at in (0..lane).filter(|at| blend.masks[row] >> at & 1 == 1) {
                            let from = at as isize + blend.offsets[row] as isize;
                            assert!(bytes[at].replace((row, from)).is_none(), "one place twice");
                        }
                    }
                    for byte in 0..lane {
                        let (i, within) = (byte / unit, byte % unit);
                        let wanted = Some((i % k, (i / k * unit + within) as isize));
                        assert_eq!(bytes[blend.index[byte] as usize], wanted);
                    }
                }
            }
        }
    }
}
