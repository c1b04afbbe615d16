//! NEON, which every aarch64 CPU of a hosted target has.
//!
//! There is no stable intrinsic for a store past the caches, so the tier has none: kernels of it
//! are never asked to stream.

use core::arch::aarch64::*;

use super::{Rows, Tier};

/// Vectors of `LANES` registers, one lane each. Needs NEON.
///
/// A cache line is four lanes. Registers do not depend on each other, so kernels choose the number
/// by how many fit into the register file.
pub(crate) struct Neon<const LANES: usize>;

impl<const LANES: usize> Tier for Neon<LANES> {
    type Vector = [uint8x16_t; LANES];
    const LANES: usize = LANES;

    #[inline(always)]
    unsafe fn load(at: *const u8, rows: impl Rows, first: usize, step: usize) -> Self::Vector {
        let row = |lane: usize| at.wrapping_offset(rows.offset(first + lane * step));
        // SAFETY: the caller vouches for the features and for 16 bytes at each of the rows.
        core::array::from_fn(|lane| unsafe { vld1q_u8(row(lane)) })
    }

    #[inline(always)]
    unsafe fn load_row(at: *const u8) -> Self::Vector {
        // SAFETY: the caller vouches for the features and for 16 readable bytes a lane.
        core::array::from_fn(|lane| unsafe { vld1q_u8(at.add(16 * lane)) })
    }

    #[inline(always)]
    unsafe fn store(at: *mut u8, vector: Self::Vector) {
        for (lane, register) in vector.into_iter().enumerate() {
            // SAFETY: the caller vouches for the features and for 16 writable bytes a lane.
            unsafe { vst1q_u8(at.add(16 * lane), register) };
        }
    }

    /// There is no streaming store.
    #[inline(always)]
    unsafe fn stream(at: *mut u8, vector: Self::Vector) {
        // SAFETY: passed on.
        unsafe { Self::store(at, vector) }
    }
}

/// The loads and stores of `K` registers whose units of `UNIT` bytes alternate in memory: unit `i` of
/// register `r` is unit `i*K + r` there.
pub(crate) trait Alternating<const UNIT: usize, const K: usize> {
    /// Reads `16 * K` bytes.
    ///
    /// # Safety
    /// NEON is there, the bytes are readable.
    unsafe fn take_apart(at: *const u8) -> [uint8x16_t; K];

    /// Writes `16 * K` bytes.
    ///
    /// # Safety
    /// NEON is there, the bytes are writable.
    unsafe fn alternate(at: *mut u8, registers: [uint8x16_t; K]);
}

macro_rules! alternating {
    ($($unit:literal, $k:literal: $load:ident, $store:ident;)*) => {
        $(impl Alternating<$unit, $k> for Neon<1> {
            #[inline(always)]
            unsafe fn take_apart(at: *const u8) -> [uint8x16_t; $k] {
                // SAFETY: passed on; the intrinsic's type is as many registers, of typed lanes,
                // valid for every bit pattern. Its address needs no alignment.
                unsafe { core::mem::transmute($load(at.cast())) }
            }

            #[inline(always)]
            unsafe fn alternate(at: *mut u8, registers: [uint8x16_t; $k]) {
                // SAFETY: as above.
                unsafe { $store(at.cast(), core::mem::transmute(registers)) }
            }
        })*
    };
}

alternating! {
    1, 2: vld2q_u8, vst2q_u8;
    1, 3: vld3q_u8, vst3q_u8;
    1, 4: vld4q_u8, vst4q_u8;
    2, 2: vld2q_u16, vst2q_u16;
    2, 3: vld3q_u16, vst3q_u16;
    2, 4: vld4q_u16, vst4q_u16;
    4, 2: vld2q_u32, vst2q_u32;
    4, 3: vld3q_u32, vst3q_u32;
    4, 4: vld4q_u32, vst4q_u32;
    8, 2: vld2q_u64, vst2q_u64;
    8, 3: vld3q_u64, vst3q_u64;
    8, 4: vld4q_u64, vst4q_u64;
}
