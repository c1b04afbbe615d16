//! Unit by unit, for units that no vector kernel takes, into destination rows that stream.
//!
//! As in `transpose::joined`, what does not yet fill a line of a destination row waits in a slot
//! of that row; here a step adds any number of bytes to it, and flushes the lines that are full.
//! Steps take few source rows and walk along all of them for as many columns as there are slots,
//! which is what the prefetcher of the level-2 cache follows.
//!
//! Relies on `dp == unit`, `unit <= LINE` and `q <= COLUMNS`.

use core::mem::MaybeUninit;

use super::tier::{Tier, stream_line};
use super::unit::Unit;
#[cfg(target_arch = "x86_64")]
use super::unit::by_unit;
use super::{Cell, Geometry, Kernel, LINE};
use crate::machine::Isa;

/// Most columns of a cell. Their slots stay in the level-2 cache.
pub(crate) const COLUMNS: usize = 512;

/// Bytes that a step adds to a slot, at most, unless a single unit is larger.
const STEP_BYTES: usize = 128;
/// Source rows of a step, at most: as many streams as a prefetcher follows.
const STEP_ROWS: usize = 32;
/// A slot: an incomplete line, a step, and a line of slack, so that the rest can be moved whole.
const SLOT: usize = LINE + STEP_BYTES + LINE;

#[repr(align(64))]
struct Slots(MaybeUninit<[[u8; SLOT]; COLUMNS]>);

/// The streaming kernel of tier `isa` for units of `size` bytes, where there is one.
pub(crate) fn kernel(isa: Isa, size: usize) -> Option<Kernel> {
    let kernel = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if pulp::x86::V4::is_available() => x86::avx512(size),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if pulp::x86::V3::is_available() => x86::avx2(size),
        _ => return None,
    };
    (size <= LINE).then_some(Kernel { streams: true, ..kernel })
}

/// # Safety
/// The obligations of [`CellFn`](super::CellFn), what the module relies on, and the tier's features.
#[inline(always)]
unsafe fn cells<T: Tier>(unit: impl Unit, g: &Geometry, cell: Cell) {
    debug_assert!(g.dp == g.unit as isize && g.unit <= LINE && cell.q <= COLUMNS);
    let mut slots = Slots(MaybeUninit::uninit());
    let slots = slots.0.as_mut_ptr().cast::<u8>();
    let dense = g.sq == g.unit as isize;
    let rows = (STEP_BYTES / g.unit).clamp(1, STEP_ROWS);
    let mut i = 0;
    while i < cell.p {
        let count = rows.min(cell.p - i);
        for j in 0..cell.q {
            // SAFETY: column `j` is the cell's and has a slot. Before the line in which row `i`
            // begins, everything is stored; the slot holds that line's bytes up to row `i`, those
            // of earlier rows of this column, and has room for `count + 1` units more.
            unsafe {
                let src = cell.src.offset(i as isize * g.sp + j as isize * g.sq);
                let dst = cell.dst.offset(j as isize * g.dq).add(i * g.unit);
                let slot = slots.add(j * SLOT);
                let start = dst.addr() % LINE;
                let from = |k: usize| src.offset(k as isize * g.sp);
                let to = |k: usize| slot.add(start + k * g.unit);
                if dense && j + 1 < cell.q {
                    // The next column's unit is readable behind this one, and a slot has room.
                    (0..count).for_each(|k| unit.copy_with_next(from(k), to(k)));
                } else {
                    (0..count).for_each(|k| unit.copy(from(k), to(k)));
                }
                let end = start + count * g.unit;
                // Bytes of the slot that are not the column's: its first row's, before its start.
                let foreign = start.saturating_sub(i * g.unit);
                let done = flush::<T>(slot, dst.wrapping_sub(start), foreign, end);
                if i + count == cell.p {
                    let from = done.max(foreign);
                    let rest = dst.wrapping_sub(start).wrapping_add(from);
                    slot.add(from).copy_to_nonoverlapping(rest, end - from);
                } else if done > 0 {
                    slot.add(done).copy_to_nonoverlapping(slot, LINE);
                }
            }
        }
        i += count;
    }
}

/// Stores the whole lines among the first `end` bytes of a slot that stands for the destination at
/// `line`, without the `foreign` bytes at its front; returns the number of bytes that are done.
///
/// # Safety
/// The tier's features are there; the slot's bytes are initialized behind the foreign ones, and
/// writable at `line`, which is aligned.
#[inline(always)]
unsafe fn flush<T: Tier>(slot: *const u8, line: *mut u8, foreign: usize, end: usize) -> usize {
    let whole = end / LINE * LINE;
    let mut at = 0;
    while at < whole {
        let (from, to) = (slot.wrapping_add(at), line.wrapping_add(at));
        // SAFETY: a line of the slot, or the part of it that is the column's.
        unsafe {
            if at < foreign {
                from.add(foreign).copy_to_nonoverlapping(to.add(foreign), LINE - foreign);
            } else {
                stream_line::<T>(from, to);
            }
        }
        at += LINE;
    }
    whole
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::tier::{Avx2, Avx512};
    use super::{Cell, Geometry, Kernel, Unit, by_unit, cells};

    /// # Safety
    /// The obligations of [`cells`].
    #[target_feature(enable = "avx512f")]
    unsafe fn cells_avx512(unit: impl Unit, g: &Geometry, cell: Cell) {
        // SAFETY: passed on; the entry point has the tier's features.
        unsafe { cells::<Avx512>(unit, g, cell) }
    }

    /// # Safety
    /// The obligations of [`cells`].
    #[target_feature(enable = "avx2")]
    unsafe fn cells_avx2(unit: impl Unit, g: &Geometry, cell: Cell) {
        // SAFETY: passed on; the entry point has the tier's features.
        unsafe { cells::<Avx2>(unit, g, cell) }
    }

    pub(super) fn avx512(size: usize) -> Kernel {
        by_unit!(size, "collect_avx512", cells_avx512)
    }

    pub(super) fn avx2(size: usize) -> Kernel {
        by_unit!(size, "collect_avx2", cells_avx2)
    }
}
