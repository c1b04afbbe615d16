//! Strided reads into a contiguous destination.
//!
//! Relies on `dp == unit`.
//!
//! Small steps, forwards or backwards, have vector kernels ([`steps`]); they serve reversed rows
//! (a step of -1), every k-th element, and the rows of a deinterleave alike. Any other step goes
//! unit by unit.

#[cfg(target_arch = "aarch64")]
mod neon;
mod pattern;
mod steps;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::unit::{Fixed, Unit, by_unit};
use super::{Cell, Geometry, Kernel};
use crate::machine::Isa;

/// The kernel for units of `size` bytes and any step.
pub(crate) fn kernel(size: usize) -> Kernel {
    by_unit!(size, "gather", cells)
}

/// The vector kernel of tier `isa` for units of `size` bytes that lie `step` bytes apart in the
/// source, where there is one.
pub(crate) fn steps(isa: Isa, size: usize, step: isize, stream: bool) -> Option<Kernel> {
    let units = step.unsigned_abs().checked_div(size)?;
    let fits = step.unsigned_abs().is_multiple_of(size)
        && (1..=pattern::MAX_STEP).contains(&units)
        && step != size as isize;
    if !fits {
        return None;
    }
    let ask = Ask { size, units, reverse: step == -(size as isize), stream };
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => match pulp::core_arch::x86::Avx512vbmi::try_new() {
            Some(vbmi) => x86::avx512::kernel((pulp::x86::V4::try_new()?, vbmi), ask),
            // Without byte permutes the narrower tier is the faster one.
            None => x86::avx2::kernel(pulp::x86::V3::try_new()?, ask),
        },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::avx2::kernel(pulp::x86::V3::try_new()?, ask),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => neon::kernel(pulp::aarch64::Neon::try_new()?, ask),
        _ => None,
    }
}

/// What is asked of a tier.
#[derive(Clone, Copy)]
struct Ask {
    /// Bytes of a unit.
    size: usize,
    /// Source units from one destination unit to the next.
    units: usize,
    /// The step is -1, for which there are names of their own.
    reverse: bool,
    stream: bool,
}

/// Gathers the cell unit by unit; the unit is 1, 2, 4, 8 or 16 bytes.
///
/// # Safety
/// The obligations of [`CellFn`](super::CellFn).
#[inline(always)]
pub(super) unsafe fn scalars(g: &Geometry, cell: Cell) {
    // SAFETY: passed on.
    unsafe {
        match g.unit {
            1 => cells(Fixed::<1>, g, cell),
            2 => cells(Fixed::<2>, g, cell),
            4 => cells(Fixed::<4>, g, cell),
            8 => cells(Fixed::<8>, g, cell),
            _ => cells(Fixed::<16>, g, cell),
        }
    }
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
