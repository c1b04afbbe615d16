//! The x86-64 tiers.

use core::arch::x86_64::*;

use super::{Rows, Tier};

/// Vectors of two lanes, two of them a cache line. Needs AVX2.
pub(crate) struct Avx2;

impl Tier for Avx2 {
    type Vector = __m256i;
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn load(at: *const u8, rows: impl Rows, first: usize, step: usize) -> __m256i {
        // SAFETY: the caller vouches for the features and for 16 bytes at each of the two rows.
        unsafe {
            let row = |lane: usize| at.offset(rows.offset(first + lane * step)).cast::<__m128i>();
            let vector = _mm256_castsi128_si256(_mm_loadu_si128(row(0)));
            _mm256_inserti128_si256::<1>(vector, _mm_loadu_si128(row(1)))
        }
    }

    #[inline(always)]
    unsafe fn load_row(at: *const u8) -> Self::Vector {
        // SAFETY: the caller vouches for the features and for 32 readable bytes.
        unsafe { _mm256_loadu_si256(at.cast()) }
    }

    #[inline(always)]
    fn prefetch(at: *const u8) {
        // SAFETY: every x86-64 CPU has SSE, and a prefetch faults at no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(at: *mut u8, vector: __m256i) {
        // SAFETY: the caller vouches for the features and for 32 writable bytes.
        unsafe { _mm256_storeu_si256(at.cast(), vector) }
    }

    #[inline(always)]
    unsafe fn stream(at: *mut u8, vector: __m256i) {
        // SAFETY: the caller vouches for the features and for 32 writable, aligned bytes.
        unsafe { _mm256_stream_si256(at.cast(), vector) }
    }
}

/// Vectors of four lanes, one cache line each. Needs AVX-512 F.
pub(crate) struct Avx512;

impl Tier for Avx512 {
    type Vector = __m512i;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(at: *const u8, rows: impl Rows, first: usize, step: usize) -> __m512i {
        // SAFETY: the caller vouches for the features and for 16 bytes at each of the four rows.
        unsafe {
            let row = |lane: usize| at.offset(rows.offset(first + lane * step)).cast::<__m128i>();
            let vector = _mm512_castsi128_si512(_mm_loadu_si128(row(0)));
            let vector = _mm512_inserti32x4::<1>(vector, _mm_loadu_si128(row(1)));
            let vector = _mm512_inserti32x4::<2>(vector, _mm_loadu_si128(row(2)));
            _mm512_inserti32x4::<3>(vector, _mm_loadu_si128(row(3)))
        }
    }

    #[inline(always)]
    unsafe fn load_row(at: *const u8) -> Self::Vector {
        // SAFETY: the caller vouches for the features and for 64 readable bytes.
        unsafe { _mm512_loadu_si512(at.cast()) }
    }

    #[inline(always)]
    fn prefetch(at: *const u8) {
        // SAFETY: every x86-64 CPU has SSE, and a prefetch faults at no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(at: *mut u8, vector: __m512i) {
        // SAFETY: the caller vouches for the features and for 64 writable bytes.
        unsafe { _mm512_storeu_si512(at.cast(), vector) }
    }

    #[inline(always)]
    unsafe fn stream(at: *mut u8, vector: __m512i) {
        // SAFETY: the caller vouches for the features and for 64 writable, aligned bytes.
        unsafe { _mm512_stream_si512(at.cast(), vector) }
    }
}
