//! NEON: two, three or four rows that interleave in the source by the loads that take them apart,
//! other steps by blends.

use super::steps::{self, entries};
use super::{Ask, scalars};
use crate::kernels::tier::{Alternating, Neon, Tier};
use crate::kernels::{Cell, CellFn, Geometry, Kernel};

/// The kernel for what is asked, with the name it deserves.
pub(super) fn kernel(token: pulp::aarch64::Neon, ask: Ask) -> Option<Kernel> {
    let kernel = blends::kernel(token, ask)?;
    let run: CellFn = match (ask.size, ask.units) {
        (1, 2) => apart::<1, 2, 2>,
        (1, 3) => apart::<1, 3, 3>,
        (1, 4) => apart::<1, 4, 4>,
        (2, 2) => apart::<2, 2, 2>,
        (2, 3) => apart::<2, 3, 3>,
        (2, 4) => apart::<2, 4, 4>,
        (4, 2) => apart::<4, 2, 2>,
        (4, 3) => apart::<4, 3, 3>,
        (4, 4) => apart::<4, 4, 4>,
        (8, 2) => apart::<8, 2, 2>,
        (8, 3) => apart::<8, 3, 2>,
        (8, 4) => apart::<8, 4, 2>,
        _ => kernel.run,
    };
    Some(Kernel { run, ..kernel })
}

/// Takes `K` interleaved rows apart where the cell holds them all, so that every byte of a load is
/// wanted. Any other cell of the same step is blended, with `LOADS` loads.
///
/// # Safety
/// The obligations of [`CellFn`].
#[target_feature(enable = "neon")]
unsafe fn apart<const UNIT: usize, const K: usize, const LOADS: usize>(g: &Geometry, cell: Cell)
where
    Neon<1>: Alternating<UNIT, K>,
{
    debug_assert!(g.unit == UNIT && g.dp == UNIT as isize);
    let unit = UNIT as isize;
    if cell.q != K || g.sq != unit || g.sp != K as isize * unit {
        // SAFETY: passed on.
        return unsafe { steps::cell::<Neon<1>, LOADS, false>(g, cell) };
    }
    let width = 16 / UNIT;
    if cell.p < width {
        // SAFETY: passed on.
        return unsafe { scalars(g, cell) };
    }
    for i in (0..cell.p).step_by(width) {
        // The last registers are moved back to end with the rows.
        let i = i.min(cell.p - width);
        // SAFETY: units i..i+width are the cell's, in every row.
        unsafe {
            let registers = Neon::<1>::take_apart(cell.src.add(i * K * UNIT));
            for (r, register) in registers.into_iter().enumerate() {
                let row = cell.dst.offset(r as isize * g.dq);
                Neon::<1>::store(row.add(i * UNIT), [register]);
            }
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
