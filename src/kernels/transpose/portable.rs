//! The portable tier, through `wide`.

use wide::{u8x16, u16x8, u32x4, u64x2};

use super::super::tier::Portable;
use super::{LaneTranspose, Lanes, entries};

type Bytes16 = [u8; 16];

impl Lanes for Portable {
    /// Vectors of one lane are their own transpose.
    #[inline(always)]
    unsafe fn transpose_lanes(vectors: [Bytes16; 4]) -> [Bytes16; 4] {
        vectors
    }
}

impl LaneTranspose<1> for Portable {
    #[inline(always)]
    unsafe fn transpose(vectors: [Bytes16; 1]) -> [Bytes16; 1] {
        vectors
    }
}

macro_rules! through {
    ($n:literal, $vector:ty, $transpose:expr) => {
        impl LaneTranspose<$n> for Portable {
            #[inline(always)]
            unsafe fn transpose(vectors: [Bytes16; $n]) -> [Bytes16; $n] {
                // SAFETY: arrays of equally many 16-byte values, valid for every bit pattern.
                unsafe {
                    let typed: [$vector; $n] = core::mem::transmute(vectors);
                    core::mem::transmute::<[$vector; $n], [Bytes16; $n]>($transpose(typed))
                }
            }
        }
    };
}

through!(2, u64x2, u64x2::transpose);
through!(4, u32x4, u32x4::transpose);
through!(8, u16x8, u16x8::transpose);
through!(16, u8x16, transpose_bytes);

/// `wide` has no fast 16 × 16 byte transpose; four rounds of interleaving are one.
#[inline(always)]
fn transpose_bytes(mut rows: [u8x16; 16]) -> [u8x16; 16] {
    for _ in 0..4 {
        let previous = rows;
        for i in 0..8 {
            rows[2 * i] = u8x16::unpack_low(previous[i], previous[i + 8]);
            rows[2 * i + 1] = u8x16::unpack_high(previous[i], previous[i + 8]);
        }
    }
    rows
}

entries! {
    Portable, (), [], streams: false,
    1: 16, "transpose_u8_16x16_portable";
    2: 8, "transpose_u16_8x8_portable";
    4: 4, "transpose_u32_4x4_portable";
    8: 2, "transpose_u64_2x2_portable";
    16: 1, "transpose_u128_1x1_portable";
}
