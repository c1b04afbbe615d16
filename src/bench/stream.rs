//! A dense copy with streaming (non-temporal) stores: the practical ceiling beyond the caches,
//! where an ordinary store first reads the line it will overwrite.

/// Whether this processor's streaming stores are within reach of stable Rust.
pub const fn is_available() -> bool {
    cfg!(target_arch = "x86_64")
}

/// Copies `len` bytes with streaming stores (with ordinary ones where there are none).
///
/// # Safety
/// `len` bytes are readable at `src` and writable at `dst`, and the two do not overlap.
#[cfg(target_arch = "x86_64")]
pub unsafe fn copy(src: *const u8, dst: *mut u8, len: usize) {
    let head = dst.align_offset(64).min(len);
    let body = (len - head) / 64 * 64;
    // SAFETY: head, body and tail together are the `len` bytes; `dst + head` is a multiple of
    // 64, which the bodies need, or the body is empty. AVX-512F was just detected where its
    // body is called, and SSE2 is part of x86-64.
    unsafe {
        src.copy_to_nonoverlapping(dst, head);
        if is_x86_feature_detected!("avx512f") {
            x86::stream_avx512(src.add(head), dst.add(head), body);
        } else {
            x86::stream_sse2(src.add(head), dst.add(head), body);
        }
        let done = head + body;
        src.add(done).copy_to_nonoverlapping(dst.add(done), len - done);
        // Streaming stores are ordered with what follows by nothing else.
        core::arch::x86_64::_mm_sfence();
    }
}

/// Copies `len` bytes.
///
/// # Safety
/// `len` bytes are readable at `src` and writable at `dst`, and the two do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn copy(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: the caller's obligations are the same.
    unsafe { src.copy_to_nonoverlapping(dst, len) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        __m128i, __m512i, _mm_loadu_si128, _mm_stream_si128, _mm512_loadu_si512,
        _mm512_stream_si512,
    };

    /// # Safety
    /// AVX-512F is there; `len` is a multiple of 64; `dst` is aligned to 64 bytes unless `len` is
    /// 0; `len` bytes are readable at `src` and writable at `dst`.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn stream_avx512(src: *const u8, dst: *mut u8, len: usize) {
        for at in (0..len).step_by(64) {
            // SAFETY: 64 bytes from `at` lie within `len`, and `dst + at` is aligned.
            unsafe {
                let line = _mm512_loadu_si512(src.add(at).cast::<__m512i>());
                _mm512_stream_si512(dst.add(at).cast::<__m512i>(), line);
            }
        }
    }

    /// # Safety
    /// As for [`stream_avx512`], without AVX-512F.
    pub unsafe fn stream_sse2(src: *const u8, dst: *mut u8, len: usize) {
        for at in (0..len).step_by(16) {
            // SAFETY: 16 bytes from `at` lie within `len`, and `dst + at` is aligned.
            unsafe {
                let part = _mm_loadu_si128(src.add(at).cast::<__m128i>());
                _mm_stream_si128(dst.add(at).cast::<__m128i>(), part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers::{Buffer, POISON};

    #[test]
    fn any_length_and_phase_is_copied_and_nothing_else() {
        for len in [0, 1, 15, 63, 64, 65, 200, 1000] {
            for phase in [0, 1, 16, 63] {
                let src = Buffer::noise(len, 3).unwrap();
                let dst = Buffer::poisoned(len + phase + 64, 0).unwrap();
                // SAFETY: `dst` holds `phase + len` bytes and more.
                unsafe { super::copy(src.as_ptr(), dst.as_mut_ptr().add(phase), len) };
                let written = dst.bytes();
                assert_eq!(&written[phase..phase + len], src.bytes());
                assert!(written[..phase].iter().all(|&byte| byte == POISON));
                assert!(written[phase + len..].iter().all(|&byte| byte == POISON));
            }
        }
    }
}
