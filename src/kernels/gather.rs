//! Strided reads into a contiguous destination.
//!
//! Relies on `dp == unit`.

use super::unit::{Unit, by_unit};
use super::{Cell, Geometry, Kernel};

/// The kernel for units of `size` bytes.
pub(crate) fn kernel(size: usize) -> Kernel {
    by_unit!(size, "gather", cells)
}

#[inline(always)]
unsafe fn cells(unit: impl Unit, g: &Geometry, cell: Cell) {
    debug_assert_eq!(g.dp, g.unit as isize);
    for j in 0..cell.q as isize {
        // SAFETY: row `j` of the cell exists on both sides.
        let (mut src, dst) = unsafe { (cell.src.offset(j * g.sq), cell.dst.offset(j * g.dq)) };
        for i in 0..cell.p {
            // SAFETY: unit (i, j) is one of the cell's. The source pointer is advanced with
            // wrapping arithmetic because one step past the row may leave the allocation.
            unsafe { unit.copy(src, dst.add(i * g.unit)) };
            src = src.wrapping_offset(g.sp);
        }
    }
}
