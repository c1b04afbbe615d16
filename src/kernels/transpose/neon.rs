//! NEON: vectors of four lanes, one cache line each, where their registers all fit into the file
//! of 32, and of two where they do not.
//!
//! A destination row gets its whole line, or half of it, at once. Cells that are smaller than such
//! a tile fall to the portable tier, whose vectors are one register.

use core::arch::aarch64::*;

use super::{LaneTranspose, Lanes, Tile, Variant};
use crate::kernels::tier::Neon;

/// The kernel for units of `size` bytes.
pub(super) fn kernel(token: pulp::aarch64::Neon, size: usize, variant: Variant) -> Option<Tile> {
    lines::kernel(token, size, variant).or_else(|| half_lines::kernel(token, size, variant))
}

impl<const LANES: usize> Lanes for Neon<LANES> {
    /// A strip fills whole lines as it is, and in registers.
    const SQUARE: bool = false;

    #[inline(always)]
    unsafe fn transpose_lanes(vectors: [Self::Vector; 4]) -> [Self::Vector; 4] {
        core::array::from_fn(|v| {
            let (first, lane) = (v / LANES * LANES, v % LANES);
            core::array::from_fn(|m| vectors[first + m][lane])
        })
    }
}

impl<const LANES: usize> LaneTranspose<1> for Neon<LANES> {
    #[inline(always)]
    unsafe fn transpose(vectors: [Self::Vector; 1]) -> [Self::Vector; 1] {
        vectors
    }
}

/// Transposes lanes by `$rounds` rounds of interleaving the first half of the vectors with the
/// second, one lane after the other.
macro_rules! interleave {
    ($($n:literal, $rounds:literal, $vector:ty, $low:ident, $high:ident;)*) => {
        $(impl<const LANES: usize> LaneTranspose<$n> for Neon<LANES> {
            #[inline(always)]
            unsafe fn transpose(mut vectors: [Self::Vector; $n]) -> [Self::Vector; $n] {
                for lane in 0..LANES {
                    // SAFETY: registers are valid for every bit pattern.
                    let mut rows: [$vector; $n] = core::array::from_fn(|i| unsafe {
                        core::mem::transmute::<uint8x16_t, $vector>(vectors[i][lane])
                    });
                    for _ in 0..$rounds {
                        let previous = rows;
                        for i in 0..$n / 2 {
                            // SAFETY: the caller vouches for the features.
                            unsafe {
                                rows[2 * i] = $low(previous[i], previous[i + $n / 2]);
                                rows[2 * i + 1] = $high(previous[i], previous[i + $n / 2]);
                            }
                        }
                    }
                    for (vector, row) in vectors.iter_mut().zip(rows) {
                        // SAFETY: as above.
                        vector[lane] = unsafe { core::mem::transmute::<$vector, uint8x16_t>(row) };
                    }
                }
                vectors
            }
        })*
    };
}

interleave! {
    2, 1, uint64x2_t, vzip1q_u64, vzip2q_u64;
    4, 2, uint32x4_t, vzip1q_u32, vzip2q_u32;
    8, 3, uint16x8_t, vzip1q_u16, vzip2q_u16;
    16, 4, uint8x16_t, vzip1q_u8, vzip2q_u8;
}

mod lines {
    use crate::kernels::tier::Neon;
    use crate::kernels::transpose::entries;

    entries! {
        Neon<4>, (token: pulp::aarch64::Neon), [target_feature(enable = "neon")], streams: false,
        4: 4, "transpose_u32_16x4_neon";
        8: 2, "transpose_u64_8x2_neon";
        16: 1, "transpose_u128_4x1_neon";
    }
}

mod half_lines {
    use crate::kernels::tier::Neon;
    use crate::kernels::transpose::entries;

    entries! {
        Neon<2>, (token: pulp::aarch64::Neon), [target_feature(enable = "neon")], streams: false,
        1: 16, "transpose_u8_32x16_neon";
        2: 8, "transpose_u16_16x8_neon";
    }
}
