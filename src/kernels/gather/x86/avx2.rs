//! AVX2: two lanes of 16 bytes, permuted each for itself, two vectors a cache line.

use core::arch::x86_64::*;

use crate::kernels::gather::pattern::{MAX_STEP, Pattern, patterns};
use crate::kernels::gather::steps::{Tier, entries};

struct Avx2;

static PATTERNS: [[Pattern; MAX_STEP]; 5] = patterns(16);

impl Tier for Avx2 {
    type Vector = __m256i;
    type Mask = __m256i;
    const LANE: usize = 16;
    const LANES: usize = 2;
    const EXACT: bool = false;
    const PATTERNS: &'static [[Pattern; MAX_STEP]; 5] = &PATTERNS;

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
    unsafe fn load(at: *const u8, step: isize, _mask: __m256i) -> __m256i {
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
        unsafe { _mm256_blendv_epi8(vector, Self::load(at, step, mask), mask) }
    }

    #[inline(always)]
    unsafe fn permute(vector: __m256i, index: __m256i) -> __m256i {
        // SAFETY: the caller vouches for the features.
        unsafe { _mm256_shuffle_epi8(vector, index) }
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

entries! { Avx2, "avx2", pulp::x86::V3, target_feature(enable = "avx2") }
