//! AVX2: vectors of two lanes, two of them a cache line.

use core::arch::x86_64::*;

use super::interleave;
use crate::kernels::tier::Avx2;
use crate::kernels::transpose::{LaneTranspose, Lanes, entries};

impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn transpose_lanes([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        // SAFETY: the caller vouches for the features.
        unsafe {
            [
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_permute2x128_si256::<0x31>(a, b),
                _mm256_permute2x128_si256::<0x20>(c, d),
                _mm256_permute2x128_si256::<0x31>(c, d),
            ]
        }
    }
}

impl LaneTranspose<1> for Avx2 {
    #[inline(always)]
    unsafe fn transpose(vectors: [__m256i; 1]) -> [__m256i; 1] {
        vectors
    }
}

interleave!(Avx2, 2, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64, [0]);
interleave!(Avx2, 4, _mm256_unpacklo_epi32, _mm256_unpackhi_epi32, [0 1]);
interleave!(Avx2, 8, _mm256_unpacklo_epi16, _mm256_unpackhi_epi16, [0 1 2 3]);
interleave!(Avx2, 16, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8, [0 1 2 3 4 5 6 7]);

entries! {
    Avx2, (token: pulp::x86::V3), [target_feature(enable = "avx2")], streams: true,
    1: 16, "transpose_u8_32x16_avx2";
    2: 8, "transpose_u16_16x8_avx2";
    4: 4, "transpose_u32_8x4_avx2";
    8: 2, "transpose_u64_4x2_avx2";
    16: 1, "transpose_u128_2x1_avx2";
}
