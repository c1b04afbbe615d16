//! Blocks of units that are moved to their slots at once, by code whose extents the compiler knows.

use super::slot::Step;
use crate::kernels::tier::Tier;
use crate::kernels::unit::Unit;
use crate::kernels::{Geometry, LINE};

/// Moves units of a step's rows and a few columns to slots.
pub(super) trait Block<T: Tier>: Copy {
    /// Bytes of a unit.
    fn unit(self) -> usize;

    /// Columns of a block.
    fn columns(self) -> usize;

    /// Bytes behind the last column that [`Block::copy`] reads in every row, at most.
    fn beyond(self) -> usize;

    /// Moves a whole block: unit `(i, j)` from `src + i*sp + j*unit` to byte `i*unit` of slot `j`, where
    /// `to` is that of slot 0.
    ///
    /// # Safety
    /// The tier's features are there; the rows of a step are readable, for the block's columns and
    /// the bytes beyond; slots are writable from there on for a step and a line.
    unsafe fn copy(self, src: *const u8, sp: isize, to: *mut u8);

    /// Moves the first rows and columns of a block, as many as the extents say; columns may have any step.
    ///
    /// # Safety
    /// The units are readable, and the slots writable.
    unsafe fn copy_part(self, extents: (usize, usize), src: *const u8, g: &Geometry, to: *mut u8);
}

/// Unit by unit, in registers that may hold a part of the next.
#[derive(Clone, Copy)]
pub(super) struct Singly<U>(pub U);

impl<T: Tier, U: Unit> Block<T> for Singly<U> {
    #[inline(always)]
    fn unit(self) -> usize {
        self.0.bytes()
    }

    #[inline(always)]
    fn columns(self) -> usize {
        (LINE / self.0.bytes()).max(1)
    }

    #[inline(always)]
    fn beyond(self) -> usize {
        self.0.bytes()
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, sp: isize, to: *mut u8) {
        let unit = self.0.bytes();
        let step = Step::new(unit);
        for i in 0..step.rows {
            for j in 0..Block::<T>::columns(self) {
                // SAFETY: the caller vouches for this unit and the next.
                unsafe {
                    let from = src.offset(i as isize * sp).add(j * unit);
                    self.0.copy_with_next(from, to.add(j * step.slot() + i * unit));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn copy_part(
        self,
        (rows, columns): (usize, usize),
        src: *const u8,
        g: &Geometry,
        to: *mut u8,
    ) {
        let unit = self.0.bytes();
        let slot = Step::new(unit).slot();
        for i in 0..rows {
            for j in 0..columns {
                // SAFETY: the caller vouches for the unit.
                unsafe {
                    let from = src.offset(i as isize * g.sp + j as isize * g.sq);
                    self.0.copy(from, to.add(j * slot + i * unit));
                }
            }
        }
    }
}
