//! Where the units of one destination lane are found: which loads, which bytes of each, and in
//! which order.
//!
//! A lane of `V` units is wanted, `k` units apart in the source. It is put together by blending
//! loads, so that one permutation at the end suffices; for that no two units may arrive at the same
//! place. Unit `i` is `k*i` units behind the first: modulo `V` (a power of two) these places are all
//! different when `k` is odd. When `2^a` divides `k`, they repeat after `V/2^a` units, and every
//! such *window* of units is loaded one unit earlier than the one before, so that it lands beside
//! it:
//!
//! ```text
//! k = 3, V = 4:  [a . . b] [. . c .] [. d . .]   blend: [a d c b]
//! k = 2, V = 4:  [a . b .]  [. c . d]            blend: [a c b d]   second load one unit early
//! ```

use crate::kernels::blend::Blend;

/// The largest step with a pattern, in units.
pub(super) const MAX_STEP: usize = 16;

/// How to put one lane together.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// For steps forwards. Offsets count from the lane's first byte in the source.
    pub blend: Blend,
    /// The permutation for steps backwards, where the lane's first byte in the source belongs to
    /// its last unit.
    pub reversed: [u8; 64],
}

/// The pattern of lanes of `lane` (16 or 64) bytes for units of `unit` bytes, `k` apart.
pub(super) fn patterns(lane: usize, unit: usize, k: usize) -> &'static Pattern {
    static LANES_16: [[Pattern; MAX_STEP]; 5] = table(16);
    static LANES_64: [[Pattern; MAX_STEP]; 5] = table(64);
    let table = if lane == 64 { &LANES_64 } else { &LANES_16 };
    &table[unit.trailing_zeros() as usize][k - 1]
}

/// Patterns for unit `1 << u` at `[u][k - 1]`.
const fn table(lane: usize) -> [[Pattern; MAX_STEP]; 5] {
    let mut all = [[Pattern { blend: Blend::NONE, reversed: [0; 64] }; MAX_STEP]; 5];
    let mut u = 0;
    while u < 5 {
        let mut k = 1;
        while k <= MAX_STEP {
            all[u][k - 1] = pattern(lane, 1 << u, k);
            k += 1;
        }
        u += 1;
    }
    all
}

const fn pattern(lane: usize, unit: usize, k: usize) -> Pattern {
    let mut p = Blend::NONE;
    let mut reversed = [0; 64];
    let v = lane / unit;
    let two_power = 1 << k.trailing_zeros();
    let windows = if two_power < v { two_power } else { v };
    let mut last = usize::MAX;
    let mut i = 0;
    while i < v {
        let window = i / (v / windows);
        let place = k * i + window;
        let (load, at) = (place / v, place % v * unit);
        if load != last {
            last = load;
            p.offsets[p.loads] = (load * lane) as i16 - (window * unit) as i16;
            p.loads += 1;
        }
        let mut byte = 0;
        while byte < unit {
            p.masks[p.loads - 1] |= 1 << (at + byte);
            p.index[i * unit + byte] = (at + byte) as u8;
            reversed[(v - 1 - i) * unit + byte] = (at + byte) as u8;
            byte += 1;
        }
        i += 1;
    }
    Pattern { blend: p, reversed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_and_permutations_pick_every_kth_unit() {
        for lane in [16, 64] {
            for u in 0..5 {
                for k in 1..=MAX_STEP {
                    let (unit, v) = (1 << u, lane >> u);
                    let Pattern { blend: p, reversed } = patterns(lane, unit, k);
                    assert_eq!(p.loads, k.min(v));
                    let mut blend = vec![None; lane];
                    for load in 0..p.loads {
                        for byte in (0..lane).filter(|byte| p.masks[load] >> byte & 1 == 1) {
                            let from = p.offsets[load] as isize + byte as isize;
                            assert!(blend[byte].replace(from).is_none(), "two bytes in one place");
                        }
                    }
                    for byte in 0..lane {
                        let from = |i: usize| Some((i / unit * unit * k + i % unit) as isize);
                        assert_eq!(blend[p.index[byte] as usize], from(byte));
                        let mirrored = (v - 1 - byte / unit) * unit + byte % unit;
                        assert_eq!(blend[reversed[byte] as usize], from(mirrored));
                    }
                }
            }
        }
    }
}
