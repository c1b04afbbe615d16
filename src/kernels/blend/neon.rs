//! NEON: one lane of 16 bytes.

use core::arch::aarch64::*;

use super::Blending;
use crate::kernels::tier::Neon;

impl Blending for Neon<1> {
    type Mask = uint8x16_t;
    const LANE: usize = 16;
    const EXACT: bool = false;

    #[inline(always)]
    unsafe fn mask(bits: u64) -> uint8x16_t {
        let bytes: [u8; 16] = core::array::from_fn(|byte| (bits >> byte & 1) as u8 * 0xff);
        // SAFETY: the caller vouches for the features; the array has 16 bytes.
        unsafe { vld1q_u8(bytes.as_ptr()) }
    }

    #[inline(always)]
    unsafe fn index(index: &[u8; 64]) -> Self::Vector {
        // SAFETY: the caller vouches for the features; the array has 16 bytes and more.
        unsafe { [vld1q_u8(index.as_ptr())] }
    }

    #[inline(always)]
    unsafe fn load_bytes(at: *const u8, _step: isize, _mask: uint8x16_t) -> Self::Vector {
        // SAFETY: the caller vouches for the features and for 16 bytes.
        unsafe { [vld1q_u8(at)] }
    }

    #[inline(always)]
    unsafe fn blend(
        [vector]: Self::Vector,
        at: *const u8,
        _step: isize,
        mask: uint8x16_t,
    ) -> Self::Vector {
        // SAFETY: the caller vouches for the features and for 16 bytes.
        unsafe { [vbslq_u8(mask, vld1q_u8(at), vector)] }
    }

    #[inline(always)]
    unsafe fn permute([vector]: Self::Vector, [index]: Self::Vector) -> Self::Vector {
        // SAFETY: the caller vouches for the features.
        unsafe { [vqtbl1q_u8(vector, index)] }
    }
}
