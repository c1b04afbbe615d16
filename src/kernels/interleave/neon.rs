//! NEON: two, three or four rows by the stores that make registers alternate, others by blends.

use super::weave::entries;
use crate::kernels::gather::scalars;
use crate::kernels::tier::{Alternating, Neon, Tier};
use crate::kernels::{Cell, CellFn, Geometry, Kernel};

/// The kernel that interleaves `rows` rows of units of `size` bytes.
pub(super) fn kernel(
    token: pulp::aarch64::Neon,
    size: usize,
    rows: usize,
    stream: bool,
) -> Option<Kernel> {
    let kernel = blends::kernel(token, size, rows, stream)?;
    let run: CellFn = match (size, rows) {
        (1, 2) => alternate::<1, 2>,
        (1, 3) => alternate::<1, 3>,
        (1, 4) => alternate::<1, 4>,
        (2, 2) => alternate::<2, 2>,
        (2, 3) => alternate::<2, 3>,
        (2, 4) => alternate::<2, 4>,
        (4, 2) => alternate::<4, 2>,
        (4, 3) => alternate::<4, 3>,
        (4, 4) => alternate::<4, 4>,
        (8, 2) => alternate::<8, 2>,
        (8, 3) => alternate::<8, 3>,
        (8, 4) => alternate::<8, 4>,
        _ => kernel.run,
    };
    Some(Kernel { run, ..kernel })
}

/// Interleaves the `K` rows of one cell.
///
/// # Safety
/// The obligations of [`CellFn`].
#[target_feature(enable = "neon")]
unsafe fn alternate<const UNIT: usize, const K: usize>(g: &Geometry, cell: Cell)
where
    Neon<1>: Alternating<UNIT, K>,
{
    debug_assert!(g.unit == UNIT && g.dp == UNIT as isize && g.sq == g.dp && cell.p == K);
    debug_assert!(cell.q == 1 || g.dq == (K * UNIT) as isize);
    let width = 16 / UNIT;
    if cell.q < width {
        // SAFETY: passed on.
        return unsafe { scalars(g, cell) };
    }
    for j in (0..cell.q).step_by(width) {
        // The last registers are moved back to end with the rows.
        let j = j.min(cell.q - width);
        let row = |r: usize| cell.src.wrapping_offset(r as isize * g.sp).wrapping_add(j * UNIT);
        // SAFETY: units j..j+width are the cell's, in every row.
        unsafe {
            let registers = core::array::from_fn(|r| Neon::<1>::load_row(row(r))[0]);
            Neon::<1>::alternate(cell.dst.add(j * K * UNIT), registers);
        }
    }
}

/// Vectors of 16 bytes.
mod blends {
    use super::entries;
    use crate::kernels::tier::Neon;

    entries! {
        Neon<1>, "neon", pulp::aarch64::Neon, target_feature(enable = "neon"), streams: false
    }
}
