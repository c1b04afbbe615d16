//! Units of any size, above all of those that no transpose takes, from a few source rows side by side
//! into destination rows.
//!
//! What does not yet fill a line of a destination row waits in a slot of that row (`slot`). A step
//! brings the units of some source rows, as many as make up whole lines, to the slots of all columns,
//! block by block: a block is a line's worth of columns, so that a source line is read once, and
//! copied by code whose extents the compiler knows (`block`). Lines of the next step are asked for
//! meanwhile.
//!
//! Relies on `dp == unit`, `unit <= MAX_UNIT` and `q <= columns(unit)`.

mod block;
mod padded;
mod slot;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::tier::{self, Tier};
use super::transpose::patch::Ahead;
use super::{Cell, Geometry, Kernel, LINE, Stores};
use crate::machine::Isa;
use block::Block;
pub(crate) use slot::Step;
use slot::{Slot, Slots};

/// The largest unit, in bytes.
const MAX_UNIT: usize = LINE;

/// Most columns of a cell, for units of `unit` bytes.
pub(crate) const fn columns(unit: usize) -> usize {
    Slots::BYTES / Step::new(unit).slot()
}

/// Whether units of `size` bytes go through vectors, which pays in the caches as well.
pub(crate) fn is_padded(size: usize) -> bool {
    matches!(size, 3 | 5 | 6 | 7)
}

/// The kernel of tier `isa` for units of `size` bytes, where there is one.
pub(crate) fn kernel(isa: Isa, size: usize, stream: bool) -> Option<Kernel> {
    let kernel = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => match pulp::core_arch::x86::Avx512vbmi::try_new() {
            Some(vbmi) => x86::avx512::kernel((pulp::x86::V4::try_new()?, vbmi), size, stream),
            // Without byte permutes the narrower tier is the faster one.
            None => x86::avx2::kernel(pulp::x86::V3::try_new()?, size, stream),
        },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::avx2::kernel(pulp::x86::V3::try_new()?, size, stream),
        _ => return None,
    };
    let stores = if stream { Stores::Joined } else { Stores::Cached };
    (size <= MAX_UNIT).then_some(Kernel { stores, ..kernel })
}

/// # Safety
/// The obligations of [`CellFn`](super::CellFn), what the module relies on, and the tier's features.
#[inline(always)]
unsafe fn cells<T: Tier, B: Block<T>, const STREAM: bool>(block: B, g: &Geometry, cell: Cell) {
    debug_assert!(g.dp == g.unit as isize && g.unit <= MAX_UNIT && cell.q <= columns(g.unit));
    let unit = block.unit();
    let step = Step::new(unit);
    let dense = g.sq == unit as isize;
    let slots = &mut Slots::new();
    for (turn, first) in (0..cell.p).step_by(step.rows).enumerate() {
        let rows = step.rows.min(cell.p - first);
        let (src_rows, bytes) = (tier::Step(g.sp), cell.q * unit);
        let next = if first + rows < cell.p { (cell.src, first + rows) } else { (cell.next, 0) };
        let mut ahead = Ahead::new(src_rows, bytes, (cell.src, first..first + rows), next);
        for j0 in (0..cell.q).step_by(block.columns()) {
            let columns = block.columns().min(cell.q - j0);
            if dense {
                ahead.ask::<T>(block.columns() * step.lines);
            }
            for j in j0..j0 + columns {
                // SAFETY: column `j` is the cell's, and its slot has seen `turn` steps.
                unsafe { Slot::of(slots, step, g, &cell, j).advance::<T, STREAM>(turn, step) };
            }
            // SAFETY: the units are the cell's. Slots have room for a step, and a line more, behind
            // the line that is kept.
            unsafe {
                let src = cell.src.offset(first as isize * g.sp + j0 as isize * g.sq);
                let to = slots.at(j0, step).add(LINE);
                let beyond = (cell.q - j0 - columns) * unit;
                if dense && rows == step.rows && beyond >= block.beyond() {
                    block.copy(src, g.sp, to);
                } else {
                    block.copy_part((rows, columns), src, g, to);
                }
            }
        }
    }
    // A slot makes room when something comes.
    let before = (cell.p - 1) / step.rows * step.lines * LINE;
    for j in 0..cell.q {
        // SAFETY: the slot holds all of the row that is not yet stored.
        unsafe { Slot::of(slots, step, g, &cell, j).finish::<T, STREAM>(before, cell.p * unit) };
    }
}
