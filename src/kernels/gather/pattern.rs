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

/// The largest step with a pattern, in units.
pub(super) const MAX_STEP: usize = 16;

/// How to put one lane together. Offsets are bytes from the lane's first byte in the source.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// Loads that bear a unit.
    pub loads: usize,
    pub offsets: [i16; 16],
    /// Bytes wanted of each load, the lowest bit for the lowest byte.
    pub masks: [u64; 16],
    /// Byte of the blend that becomes each byte of the lane, for steps forwards…
    pub index: [u8; 64],
    /// … and backwards, where the lane's first byte in the source belongs to its last unit.
    pub reversed: [u8; 64],
}

/// Patterns of lanes of `lane` bytes, for unit `1 << u` at `[u][k - 1]`.
pub(super) const fn patterns(lane: usize) -> [[Pattern; MAX_STEP]; 5] {
    let none =
        Pattern { loads: 0, offsets: [0; 16], masks: [0; 16], index: [0; 64], reversed: [0; 64] };
    let mut all = [[none; MAX_STEP]; 5];
    let mut u = 0;
    while u < 5 {
        let mut k = 1;
        while k <= MAX_STEP {
            all[u][k - 1] = pattern(lane, 1 << u, k, none);
            k += 1;
        }
        u += 1;
    }
    all
}

const fn pattern(lane: usize, unit: usize, k: usize, mut p: Pattern) -> Pattern {
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
            p.reversed[(v - 1 - i) * unit + byte] = (at + byte) as u8;
            byte += 1;
        }
        i += 1;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_and_permutations_pick_every_kth_unit() {
        for lane in [16, 64] {
            let all = patterns(lane);
            for (u, patterns) in all.iter().enumerate() {
                for (p, k) in patterns.iter().zip(1..) {
                    let (unit, v) = (1 << u, lane >> u);
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
                        assert_eq!(blend[p.reversed[byte] as usize], from(mirrored));
                    }
                }
            }
        }
    }
}
