//! AVX-512: one lane of 64 bytes, a cache line.
//!
//! Needs F, BW (masks of bytes) and VBMI (permutations of bytes); the two tokens prove them.

use core::arch::x86_64::*;

use super::Blending;
use crate::kernels::tier::Avx512;

impl Blending for Avx512 {
    type Mask = __mmask64;
    const LANE: usize = 64;
    const EXACT: bool = true;

    #[inline(always)]
    unsafe fn mask(bits: u64) -> __mmask64 {
        bits
    }

    #[inline(always)]
    unsafe fn index(index: &[u8; 64]) -> __m512i {
        // SAFETY: the caller vouches for the features.
        unsafe { _mm512_loadu_si512(index.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn load_bytes(at: *const u8, _step: isize, mask: __mmask64) -> __m512i {
        // SAFETY: the caller vouches for the features and for the bytes of the mask.
        unsafe { _mm512_maskz_loadu_epi8(mask, at.cast()) }
    }

    #[inline(always)]
    unsafe fn blend(vector: __m512i, at: *const u8, _step: isize, mask: __mmask64) -> __m512i {
        // SAFETY: the caller vouches for the features and for the bytes of the mask.
        unsafe { _mm512_mask_loadu_epi8(vector, mask, at.cast()) }
    }

    #[inline(always)]
    unsafe fn permute(vector: __m512i, index: __m512i) -> __m512i {
        // SAFETY: the caller vouches for the features.
        unsafe { _mm512_permutexvar_epi8(index, vector) }
    }
}
