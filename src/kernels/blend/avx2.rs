//! AVX2: two lanes of 16 bytes, permuted each for itself, or one lane alone.

use core::arch::x86_64::*;

use super::Blending;
use crate::kernels::tier::{Avx2, Rows, Tier};

/// One lane, for sources in which the lanes of a vector are no fixed step apart.
pub(crate) struct Avx2Lane;

impl Blending for Avx2 {
    type Mask = __m256i;
    const LANE: usize = 16;
    const EXACT: bool = false;

    /// Spreads the 16 bits over the bytes of a lane.
    #[inline(always)]
    unsafe fn mask(bits: u64) -> __m256i {
        // SAFETY: the caller vouches for the features.
        unsafe {
            let spread = _mm256_set_epi64x(0x0101010101010101, 0, 0x0101010101010101, 0);
            let bytes = _mm256_shuffle_epi8(_mm256_set1_epi16(bits as i16), spread);
            let bit = _mm256_set1_epi64x(0x8040201008040201u64 as i64);
            _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
        }
    }

    #[inline(always)]
    unsafe fn index(index: &[u8; 64]) -> __m256i {
        // SAFETY: the caller vouches for the features; the array has 16 bytes and more.
        unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(index.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn load_bytes(at: *const u8, step: isize, _mask: __m256i) -> __m256i {
        // SAFETY: the caller vouches for the features and for 16 bytes at each of the two lanes.
        unsafe {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(at.cast()));
            let high = _mm_loadu_si128(at.wrapping_offset(step).cast());
            _mm256_inserti128_si256::<1>(low, high)
        }
    }

    #[inline(always)]
    unsafe fn blend(vector: __m256i, at: *const u8, step: isize, mask: __m256i) -> __m256i {
        // SAFETY: passed on.
        unsafe { _mm256_blendv_epi8(vector, Self::load_bytes(at, step, mask), mask) }
    }

    #[inline(always)]
    unsafe fn permute(vector: __m256i, index: __m256i) -> __m256i {
        // SAFETY: the caller vouches for the features.
        unsafe { _mm256_shuffle_epi8(vector, index) }
    }
}

impl Tier for Avx2Lane {
    type Vector = __m128i;
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(at: *const u8, rows: impl Rows, first: usize, _step: usize) -> __m128i {
        // SAFETY: the caller vouches for the features and for 16 bytes at the one row.
        unsafe { _mm_loadu_si128(at.offset(rows.offset(first)).cast()) }
    }

    #[inline(always)]
    unsafe fn load_row(at: *const u8) -> __m128i {
        // SAFETY: the caller vouches for the features and for 16 readable bytes.
        unsafe { _mm_loadu_si128(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(at: *mut u8, vector: __m128i) {
        // SAFETY: the caller vouches for the features and for 16 writable bytes.
        unsafe { _mm_storeu_si128(at.cast(), vector) }
    }

    #[inline(always)]
    unsafe fn stream(at: *mut u8, vector: __m128i) {
        // SAFETY: the caller vouches for the features and for 16 writable, aligned bytes.
        unsafe { _mm_stream_si128(at.cast(), vector) }
    }
}

impl Blending for Avx2Lane {
    type Mask = __m128i;
    const LANE: usize = 16;
    const EXACT: bool = false;

    #[inline(always)]
    unsafe fn mask(bits: u64) -> __m128i {
        // SAFETY: passed on.
        unsafe { _mm256_castsi256_si128(Avx2::mask(bits)) }
    }

    #[inline(always)]
    unsafe fn index(index: &[u8; 64]) -> __m128i {
        // SAFETY: passed on.
        unsafe { _mm256_castsi256_si128(Avx2::index(index)) }
    }

    #[inline(always)]
    unsafe fn load_bytes(at: *const u8, _step: isize, _mask: __m128i) -> __m128i {
        // SAFETY: the caller vouches for the features and for 16 bytes.
        unsafe { _mm_loadu_si128(at.cast()) }
    }

    #[inline(always)]
    unsafe fn blend(vector: __m128i, at: *const u8, _step: isize, mask: __m128i) -> __m128i {
        // SAFETY: the caller vouches for the features and for 16 bytes.
        unsafe { _mm_blendv_epi8(vector, _mm_loadu_si128(at.cast()), mask) }
    }

    #[inline(always)]
    unsafe fn permute(vector: __m128i, index: __m128i) -> __m128i {
        // SAFETY: the caller vouches for the features.
        unsafe { _mm_shuffle_epi8(vector, index) }
    }
}
