//! AVX-512: vectors of four lanes, one cache line each.
//!
//! Needs F (vectors, 32- and 64-bit interleaves) and BW (8- and 16-bit ones); the token proves both.

use core::arch::x86_64::*;

use super::interleave;
use crate::kernels::tier::Avx512;
use crate::kernels::transpose::{LaneTranspose, entries};

impl LaneTranspose<1> for Avx512 {
    #[inline(always)]
    unsafe fn transpose(vectors: [__m512i; 1]) -> [__m512i; 1] {
        vectors
    }
}

interleave! {
    Avx512, 2, 1, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64;
    Avx512, 4, 2, _mm512_unpacklo_epi32, _mm512_unpackhi_epi32;
    Avx512, 8, 3, _mm512_unpacklo_epi16, _mm512_unpackhi_epi16;
    Avx512, 16, 4, _mm512_unpacklo_epi8, _mm512_unpackhi_epi8;
}

entries! {
    Avx512, (token: pulp::x86::V4), [target_feature(enable = "avx512f,avx512bw")], streams: true,
    1: 16, "transpose_u8_64x16_avx512";
    2: 8, "transpose_u16_32x8_avx512";
    4: 4, "transpose_u32_16x4_avx512";
    8: 2, "transpose_u64_8x2_avx512";
    16: 1, "transpose_u128_4x1_avx512";
}
