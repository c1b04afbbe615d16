//! Unit by unit, for units that no vector kernel takes, into destination rows that stream.
//!
//! As in `transpose::joined`, what does not yet fill a line of a destination row waits in a slot
//! of that row; here a step adds any number of bytes to it, and flushes the lines that are full.
//! Steps take few source rows and walk along all of them for as many columns as there are slots,
//! which is what the prefetcher of the level-2 cache follows.
//!
//! Relies on `dp == unit`, `unit <= MAX_UNIT` and `q <= columns(unit)`.

use core::mem::MaybeUninit;

use super::tier::{Tier, stream_line};
use super::unit::Unit;
#[cfg(target_arch = "x86_64")]
use super::unit::by_unit;
use super::{Cell, Geometry, Kernel, LINE, Stores};
use crate::machine::Isa;

/// The largest unit, in bytes.
const MAX_UNIT: usize = LINE;

/// Bytes of all slots, which stay in the level-2 cache.
const SLOTS: usize = 128 << 10;

/// Bytes that a step adds to a slot, at most, unless a single unit is larger.
const STEP_BYTES: usize = 128;
/// Source rows of a step, at most: as many streams as a prefetcher follows.
const STEP_ROWS: usize = 32;

/// Bytes of a slot: an incomplete line, a step, and a line of slack, so that the rest can be moved
/// whole.
const fn slot(unit: usize) -> usize {
    let step = if unit > STEP_BYTES { unit } else { STEP_BYTES };
    (LINE + step + LINE).next_multiple_of(LINE)
}

/// Most columns of a cell, for units of `unit` bytes.
pub(crate) const fn columns(unit: usize) -> usize {
    SLOTS / slot(unit)
}

#[repr(align(64))]
struct Slots(MaybeUninit<[u8; SLOTS]>);

/// The streaming kernel of tier `isa` for units of `size` bytes, where there is one.
pub(crate) fn kernel(isa: Isa, size: usize) -> Option<Kernel> {
    let kernel = match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if pulp::x86::V4::is_available() => x86::avx512(size),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 if pulp::x86::V3::is_available() => x86::avx2(size),
        _ => return None,
    };
    (size <= MAX_UNIT).then_some(Kernel { stores: Stores::Joined, ..kernel })
}

/// # Safety
/// The obligations of [`CellFn`](super::CellFn), what the module relies on, and the tier's features.
#[inline(always)]
unsafe fn cells<T: Tier>(unit: impl Unit, g: &Geometry, cell: Cell) {
    debug_assert!(g.dp == g.unit as isize && g.unit <= MAX_UNIT && cell.q <= columns(g.unit));
    let mut slots = Slots(MaybeUninit::uninit());
    let slots = slots.0.as_mut_ptr().cast::<u8>();
    let pitch = slot(g.unit);
    let dense = g.sq == g.unit as isize;
    let rows = (STEP_BYTES / g.unit).clamp(1, STEP_ROWS);
    // What a step that ended with row `end` has left in the slot of column `j`.
    let held = |j: usize, end: usize| {
        let first = (end - 1) / rows * rows;
        // SAFETY: row `first` of column `j` is the cell's.
        let dst = unsafe { cell.dst.offset(j as isize * g.dq).add(first * g.unit) };
        let start = dst.addr() % LINE;
        Held {
            slot: slots.wrapping_add(j * pitch),
            line: dst.wrapping_sub(start),
            foreign: start.saturating_sub(first * g.unit),
            end: start + (end - first) * g.unit,
        }
    };
    for i in (0..cell.p).step_by(rows) {
        let count = rows.min(cell.p - i);
        for j in 0..cell.q {
            if i > 0 {
                // Lines are read back from the slot only now: right after the many small stores
                // that made them, the core would have to wait for those.
                // SAFETY: the slot holds what the step before has left.
                unsafe { held(j, i).advance::<T>() };
            }
            // SAFETY: column `j` is the cell's, and its slot has room for a step and one unit more
            // behind the incomplete line.
            unsafe {
                let src = cell.src.offset(i as isize * g.sp + j as isize * g.sq);
                let dst = cell.dst.offset(j as isize * g.dq).add(i * g.unit);
                let slot = slots.add(j * pitch + dst.addr() % LINE);
                let from = |k: usize| src.offset(k as isize * g.sp);
                let to = |k: usize| slot.add(k * g.unit);
                if dense && j + 1 < cell.q {
                    // The next column's unit is readable behind this one.
                    (0..count).for_each(|k| unit.copy_with_next(from(k), to(k)));
                } else {
                    (0..count).for_each(|k| unit.copy(from(k), to(k)));
                }
            }
        }
    }
    for j in 0..cell.q {
        // SAFETY: the slot holds what the last step has left.
        unsafe { held(j, cell.p).finish::<T>() };
    }
}

/// A slot that stands for the destination from `line` on, up to its byte `end`. The first `foreign`
/// bytes are not the column's.
struct Held {
    slot: *mut u8,
    line: *mut u8,
    foreign: usize,
    end: usize,
}

impl Held {
    /// Stores the whole lines, and moves what is left to the front.
    ///
    /// # Safety
    /// As for [`Held::flush`].
    #[inline(always)]
    unsafe fn advance<T: Tier>(self) {
        // SAFETY: passed on; a line behind any whole line is within the slot.
        unsafe {
            match self.flush::<T>() {
                0 => {}
                whole => self.slot.add(whole).copy_to_nonoverlapping(self.slot, LINE),
            }
        }
    }

    /// Stores everything.
    ///
    /// # Safety
    /// As for [`Held::flush`].
    #[inline(always)]
    unsafe fn finish<T: Tier>(self) {
        // SAFETY: passed on; the rest of the slot is the end of the column.
        unsafe {
            let from = self.flush::<T>().max(self.foreign);
            let rest = self.line.wrapping_add(from);
            self.slot.add(from).copy_to_nonoverlapping(rest, self.end - from);
        }
    }

    /// Stores the whole lines; returns the number of bytes that are done.
    ///
    /// # Safety
    /// The tier's features are there; the slot's bytes are initialized behind the foreign ones, and
    /// writable at `line`, which is aligned.
    #[inline(always)]
    unsafe fn flush<T: Tier>(&self) -> usize {
        let whole = self.end / LINE * LINE;
        for at in (0..whole).step_by(LINE) {
            let (from, to) = (self.slot.wrapping_add(at), self.line.wrapping_add(at));
            // SAFETY: a line of the slot, or the part of it that is the column's.
            unsafe {
                if at < self.foreign {
                    let (from, to) = (from.add(self.foreign), to.add(self.foreign));
                    from.copy_to_nonoverlapping(to, LINE - self.foreign);
                } else {
                    stream_line::<T>(from, to);
                }
            }
        }
        whole
    }
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
