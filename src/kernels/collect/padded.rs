//! Units of 3, 5, 6 and 7 bytes: padded to 4 or 8 bytes inside the lanes of a vector, transposed there,
//! and closed up again.
//!
//! ```text
//!  units of 3 bytes          loaded    [ aaabbbcccddd… ]        12 bytes of a row for every lane
//!  of one source row         padded    [ aaa-bbb-ccc-ddd- | … ]
//!  sixteen such vectors      transposed as units of 4 bytes     one column, 4 rows in every lane
//!                            closed up [ aaaeeeiiimmm… ]        12 bytes of every lane, stored
//! ```

use super::block::{Block, Singly};
use super::slot::Step;
use crate::kernels::blend::Blending;
use crate::kernels::transpose::{LaneTranspose, square};
use crate::kernels::unit::Fixed;
use crate::kernels::{Geometry, LINE};

/// A tier that loads and stores vectors whose 16-byte lanes lie closer together in memory. Where it
/// permutes a vector as a whole, memory and vector are alike, and the permutation closes up the lanes.
pub(super) trait Closing: Blending {
    /// Loads the lanes, `step` bytes apart.
    ///
    /// # Safety
    /// The tier's features are there; a vector's bytes are readable.
    unsafe fn load_lanes(at: *const u8, step: usize) -> Self::Vector;

    /// Stores the lanes `step` bytes apart, one after the other: what a lane holds beyond that is
    /// overwritten by the next.
    ///
    /// # Safety
    /// The tier's features are there; a vector's bytes are writable.
    unsafe fn store_lanes(at: *mut u8, step: usize, vector: Self::Vector);
}

/// Units of `U` bytes, `N` of which are padded to a lane.
#[derive(Clone, Copy)]
pub(super) struct Padded<const U: usize, const N: usize>;

impl<const U: usize, const N: usize> Padded<U, N> {
    /// Bytes of a lane that are units, and those of a line.
    const FILLED: usize = N * U;
    const LINE_FILLED: usize = 4 * Self::FILLED;

    /// The permutation that pads units: of a vector's worth, or, with its first 16 bytes, of a lane's.
    const PAD: [u8; LINE] = {
        let mut index = [0; LINE];
        let mut at = 0;
        while at < LINE {
            let (unit, byte) = (at / (16 / N), at % (16 / N));
            index[at] = (unit * U + if byte < U { byte } else { 0 }) as u8;
            at += 1;
        }
        index
    };

    /// The permutation that closes them up again.
    const CLOSE: [u8; LINE] = {
        let mut index = [0; LINE];
        let mut at = 0;
        while at < Self::LINE_FILLED {
            index[at] = (at / U * (16 / N) + at % U) as u8;
            at += 1;
        }
        index
    };
}

impl<T: LaneTranspose<N> + Closing, const U: usize, const N: usize> Block<T> for Padded<U, N> {
    #[inline(always)]
    fn unit(self) -> usize {
        U
    }

    #[inline(always)]
    fn columns(self) -> usize {
        4 * N
    }

    #[inline(always)]
    fn beyond(self) -> usize {
        LINE - Self::LINE_FILLED
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, sp: isize, to: *mut u8) {
        let step = Step::new(U);
        let part_bytes = T::LANES * Self::FILLED;
        // SAFETY: the caller vouches for the features.
        let (pad, close) = unsafe { (T::index(&Self::PAD), T::index(&Self::CLOSE)) };
        for i in (0..step.rows).step_by(4 * N) {
            // SAFETY: the caller vouches for a line in each row, which is what the block's columns and
            // the bytes beyond are. Stores follow one another upwards in a slot, and the last reaches
            // beyond its units by less than a line.
            unsafe {
                square::transpose::<T, N>(
                    |row, part| {
                        let from = src.offset((i + row) as isize * sp).add(part * part_bytes);
                        T::permute(T::load_lanes(from, Self::FILLED), pad)
                    },
                    |column, part, vector| {
                        let slot = to.add(column * step.slot() + i * U + part * part_bytes);
                        T::store_lanes(slot, Self::FILLED, T::permute(vector, close));
                    },
                );
            }
        }
    }

    #[inline(always)]
    unsafe fn copy_part(self, extents: (usize, usize), src: *const u8, g: &Geometry, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { Block::<T>::copy_part(Singly(Fixed::<U>), extents, src, g, to) }
    }
}
