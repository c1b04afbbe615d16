//! AVX-512: vectors of four lanes, one cache line each.
//!
//! Needs F (vectors, 32- and 64-bit interleaves) and BW (8- and 16-bit ones); the token proves both.

use core::arch::x86_64::*;

use super::interleave;
use crate::kernels::tier::Avx512;
use crate::kernels::transpose::{LaneTranspose, Lanes, entries};

impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn transpose_lanes([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        // SAFETY: the caller vouches for the features.
        unsafe {
            // Even and odd lanes of pairs of vectors, then the same of the pairs.
            let (even_ab, odd_ab) = (even_lanes(a, b), odd_lanes(a, b));
            let (even_cd, odd_cd) = (even_lanes(c, d), odd_lanes(c, d));
            [
                even_lanes(even_ab, even_cd),
                even_lanes(odd_ab, odd_cd),
                odd_lanes(even_ab, even_cd),
                odd_lanes(odd_ab, odd_cd),
            ]
        }
    }
}

/// Lanes 0 and 2 of `a`, then of `b`.
///
/// # Safety
/// AVX-512 F is there.
#[inline(always)]
unsafe fn even_lanes(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the caller vouches for the feature.
    unsafe { _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b) }
}

/// Lanes 1 and 3 of `a`, then of `b`.
///
/// # Safety
/// AVX-512 F is there.
#[inline(always)]
unsafe fn odd_lanes(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the caller vouches for the feature.
    unsafe { _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b) }
}

impl LaneTranspose<1> for Avx512 {
    #[inline(always)]
    unsafe fn transpose(vectors: [__m512i; 1]) -> [__m512i; 1] {
        vectors
    }
}

interleave!(Avx512, 2, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64, [0]);
interleave!(Avx512, 4, _mm512_unpacklo_epi32, _mm512_unpackhi_epi32, [0 1]);
interleave!(Avx512, 8, _mm512_unpacklo_epi16, _mm512_unpackhi_epi16, [0 1 2 3]);
interleave!(Avx512, 16, _mm512_unpacklo_epi8, _mm512_unpackhi_epi8, [0 1 2 3 4 5 6 7]);

entries! {
    Avx512, (token: pulp::x86::V4), [target_feature(enable = "avx512f,avx512bw")], streams: true,
    1: 16, "transpose_u8_64x16_avx512";
    2: 8, "transpose_u16_32x8_avx512";
    4: 4, "transpose_u32_16x4_avx512";
    8: 2, "transpose_u64_8x2_avx512";
    16: 1, "transpose_u128_4x1_avx512";
}
