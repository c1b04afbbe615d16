//! Units of 3, 5, 6 and 7 bytes: padded to 4 or 8 bytes inside the lanes of a vector, transposed there,
//! and closed up again.
//!
//! ```text
//!  units of 3 bytes          loaded   [ aaabbbcccdddx | … ]      16 bytes of a row in every lane
//!  of one source row         padded   [ aaa-bbb-ccc-ddd- | … ]
//!  four such vectors         transposed as units of 4 bytes      one column, 4 rows in every lane
//!                            closed up [ aaaeeeiiimmm… ]          12 bytes of every lane, stored
//! ```

use super::block::{Block, Singly};
use super::slot::Step;
use crate::kernels::blend::Blending;
use crate::kernels::transpose::LaneTranspose;
use crate::kernels::unit::Fixed;
use crate::kernels::{Geometry, LINE, tier};

/// A tier that stores the 16-byte lanes of a vector close together.
pub(super) trait Closing: Blending {
    /// Stores the lanes `step` bytes apart, one after the other: what a lane holds beyond that is
    /// overwritten by the next. Where the tier permutes vectors as a whole, they are already closed up.
    ///
    /// # Safety
    /// The tier's features are there; the bytes are writable, a vector of them behind the first.
    unsafe fn store_lanes(at: *mut u8, step: usize, vector: Self::Vector);
}

/// Units of `U` bytes, `N` of which are padded to a lane.
#[derive(Clone, Copy)]
pub(super) struct Padded<const U: usize, const N: usize>;

impl<const U: usize, const N: usize> Padded<U, N> {
    /// Bytes of a lane that are units.
    const FILLED: usize = N * U;

    /// The permutation of the lanes of a vector that pads units.
    const PAD: [u8; LINE] = {
        let mut index = [0; LINE];
        let mut at = 0;
        while at < LINE {
            let (lane, byte) = (at / 16, at % 16);
            let (unit, within) = (byte / (16 / N), byte % (16 / N));
            let within = if within < U { within } else { 0 };
            index[at] = (lane * 16 + unit * U + within) as u8;
            at += 1;
        }
        index
    };

    /// The permutation that closes them up, for a vector's lanes together and, in its first 16 bytes,
    /// for one alone.
    const CLOSE: [u8; LINE] = {
        let mut index = [0; LINE];
        let mut at = 0;
        while at < 4 * Self::FILLED {
            let (lane, byte) = (at / Self::FILLED, at % Self::FILLED);
            index[at] = (lane * 16 + byte / U * (16 / N) + byte % U) as u8;
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
        LINE / U / N * N
    }

    #[inline(always)]
    fn beyond(self) -> usize {
        16 - Self::FILLED
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, sp: isize, to: *mut u8) {
        let step = Step::new(U);
        // SAFETY: the caller vouches for the features.
        let (pad, close) = unsafe { (T::index(&Self::PAD), T::index(&Self::CLOSE)) };
        for i in (0..step.rows).step_by(T::LANES * N) {
            for j in (0..Block::<T>::columns(self)).step_by(N) {
                // SAFETY: the caller vouches for the rows, from the first of these columns on for
                // N of them and the bytes beyond, 16 in all. Stores follow one another upwards, and
                // what the last of a slot reaches beyond its unit is less than a line.
                unsafe {
                    let load = |k: usize| T::load(src.add(j * U), tier::Step(sp), i + k, N);
                    let mut vectors = [load(0); N];
                    for (k, vector) in vectors.iter_mut().enumerate() {
                        *vector = T::permute(load(k), pad);
                    }
                    for (k, vector) in T::transpose(vectors).into_iter().enumerate() {
                        let slot = to.add((j + k) * step.slot() + i * U);
                        T::store_lanes(slot, Self::FILLED, T::permute(vector, close));
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn copy_part(self, extents: (usize, usize), src: *const u8, g: &Geometry, to: *mut u8) {
        // SAFETY: passed on.
        unsafe { Block::<T>::copy_part(Singly(Fixed::<U>), extents, src, g, to) }
    }
}
