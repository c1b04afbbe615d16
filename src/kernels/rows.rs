//! Rows that are contiguous on both sides, each one memcpy. The unit is one byte, so that a row
//! may be cut anywhere.
//!
//! Relies on `unit == sp == dp == 1`.

use super::{Cell, Geometry, Kernel};

/// The kernel for rows of any length, in bytes.
pub(crate) fn kernel() -> Kernel {
    Kernel::cached("rows_memcpy", memcpy)
}

unsafe fn memcpy(g: &Geometry, cell: Cell) {
    debug_assert!(g.unit == 1 && g.sp == 1 && g.dp == 1);
    for j in 0..cell.q as isize {
        // SAFETY: the `p` bytes of row `j` are the cell's on both sides.
        unsafe {
            let src = cell.src.offset(j * g.sq);
            src.copy_to_nonoverlapping(cell.dst.offset(j * g.dq), cell.p);
        }
    }
}
