//! Unit by unit with any step on both sides: the copy of last resort, and the scalar tile.
//!
//! Relies on nothing beyond [`CellFn`](super::CellFn). The planner keeps cells small enough for the
//! level-1 cache when either side jumps from line to line.

use super::unit::{Unit, by_unit};
use super::{Cell, Geometry, Kernel};

/// The kernel for units of `size` bytes.
pub(crate) fn kernel(size: usize) -> Kernel {
    by_unit!(size, "strided", cells)
}

#[inline(always)]
unsafe fn cells(unit: impl Unit, g: &Geometry, cell: Cell) {
    for j in 0..cell.q as isize {
        for i in 0..cell.p as isize {
            // SAFETY: unit (i, j) is one of the cell's, so both addresses are valid for it.
            unsafe {
                unit.copy(
                    cell.src.offset(i * g.sp + j * g.sq),
                    cell.dst.offset(i * g.dp + j * g.dq),
                );
            }
        }
    }
}
