//! Rows whose source units lie a few units apart.
//!
//! One algorithm serves every tier: a vector of `LANES` lanes is put together from blended loads
//! and one permutation, as [`super::pattern`] describes, and stored. Where the rows of a cell
//! interleave in the source (a deinterleave), a few source lines are used up for all of them before
//! the next are read.
//!
//! Streaming kernels write whole lines past the caches. Every row has its own place in a line;
//! rows whose units straddle lines get ordinary stores.

use super::pattern::{MAX_STEP, Pattern, patterns};
use super::scalars;
use crate::kernels::blend::Blending;
use crate::kernels::{Cell, Geometry, LINE};

/// Source bytes that are used up for all rows before the next are read.
const BLOCK_BYTES: usize = 8 << 10;

/// A pattern in registers, with the step it serves.
struct Picker<T: Blending, const LOADS: usize> {
    offsets: [isize; LOADS],
    masks: [T::Mask; LOADS],
    index: T::Vector,
    /// Bytes from one unit to the next, and from one lane's units to the next lane's.
    step: isize,
    lane_step: isize,
}

impl<T: Blending, const LOADS: usize> Picker<T, LOADS> {
    /// # Safety
    /// The tier's features are there.
    #[inline(always)]
    unsafe fn new(pattern: &Pattern, unit: usize, step: isize) -> Self {
        let units = (T::LANE / unit) as isize;
        // Backwards, the first byte of a lane is its last unit's.
        let back = if step < 0 { step * (units - 1) } else { 0 };
        let index = if step < 0 { &pattern.reversed } else { &pattern.blend.index };
        // SAFETY: passed on.
        unsafe {
            Self {
                offsets: core::array::from_fn(|i| pattern.blend.offsets[i] as isize + back),
                masks: core::array::from_fn(|i| T::mask(pattern.blend.masks[i])),
                index: T::index(index),
                step,
                lane_step: step * units,
            }
        }
    }

    /// The vector of units `i` and up of the row that begins at `src`.
    ///
    /// # Safety
    /// The tier's features are there, and a vector's worth of units from `i` on; if the tier is
    /// not exact, also what the loads touch beyond them.
    #[inline(always)]
    unsafe fn pick(&self, src: *const u8, i: usize) -> T::Vector {
        let src = src.wrapping_offset(i as isize * self.step);
        // SAFETY: passed on.
        unsafe {
            let at = |load: usize| src.wrapping_offset(self.offsets[load]);
            let mut vector = T::load_bytes(at(0), self.lane_step, self.masks[0]);
            for load in 1..LOADS {
                vector = T::blend(vector, at(load), self.lane_step, self.masks[load]);
            }
            T::permute(vector, self.index)
        }
    }
}

/// Gathers the rows of one cell. `LOADS` is the number of loads of the pattern.
///
/// # Safety
/// The obligations of [`CellFn`](crate::kernels::CellFn); and the tier's features.
#[inline(always)]
pub(super) unsafe fn cell<T: Blending, const LOADS: usize, const STREAM: bool>(
    g: &Geometry,
    cell: Cell,
) {
    let unit = g.unit;
    let step = g.sp.unsigned_abs() / unit;
    debug_assert!(g.dp == unit as isize && step <= MAX_STEP && unit.is_power_of_two());
    let pattern = patterns(T::LANE, unit, step);
    debug_assert_eq!(pattern.blend.loads, LOADS);
    // Loads end within a step of the last unit wanted. Where they are not exact and the step is
    // no power of two, there must be another unit behind it.
    let spare = usize::from(!T::EXACT && !step.is_power_of_two());
    let (from, to) = if g.sp < 0 { (spare, cell.p) } else { (0, cell.p.saturating_sub(spare)) };
    let width = 16 * T::LANES / unit;
    if to < from + width {
        // SAFETY: passed on.
        return unsafe { scalars(g, cell) };
    }
    // SAFETY: passed on; the units left out are fewer than there are.
    unsafe {
        part(g, cell, 0, from);
        part(g, cell, to, cell.p);
    }
    // SAFETY: passed on.
    let picker = unsafe { Picker::<T, LOADS>::new(pattern, unit, g.sp) };
    let rows = Rows { g, cell, from, to };
    let line = LINE / unit;
    let interleaved = cell.q > 1 && g.sq.unsigned_abs() < g.sp.unsigned_abs();
    let block = if interleaved { (BLOCK_BYTES / (step * LINE)).max(1) * line } else { to };
    let mut at = 0;
    while at < to {
        for j in 0..cell.q {
            let (src, dst) = rows.row(j);
            let whole = if STREAM { rows.whole_lines(dst) } else { from..to };
            // SAFETY: the ranges lie in the row's.
            unsafe {
                if at == 0 {
                    edge(&picker, &rows, (src, dst), from, whole.start);
                }
                let start = (whole.start + at).min(whole.end);
                let end = (start + block).min(whole.end);
                let mut i = start;
                if STREAM {
                    while i < end {
                        if 16 * T::LANES == LINE {
                            T::stream(dst.add(i * unit), picker.pick(src, i));
                        } else {
                            // A line's stores are neighbours, and leave the core as one.
                            let (low, high) = (picker.pick(src, i), picker.pick(src, i + width));
                            T::stream(dst.add(i * unit), low);
                            T::stream(dst.add(i * unit + LINE / 2), high);
                        }
                        i += line;
                    }
                } else {
                    while i + width <= end {
                        T::store(dst.add(i * unit), picker.pick(src, i));
                        i += width;
                    }
                }
                if start < end && end == whole.end || at == 0 && whole.is_empty() {
                    edge(&picker, &rows, (src, dst), i, to);
                }
            }
        }
        at += block;
    }
}

/// The rows of a cell, and the units `from..to` of each that vectors may fetch.
struct Rows<'a> {
    g: &'a Geometry,
    cell: Cell,
    from: usize,
    to: usize,
}

impl Rows<'_> {
    /// Where row `j` begins on either side.
    #[inline(always)]
    fn row(&self, j: usize) -> (*const u8, *mut u8) {
        let (g, cell) = (self.g, &self.cell);
        (cell.src.wrapping_offset(j as isize * g.sq), cell.dst.wrapping_offset(j as isize * g.dq))
    }

    /// The units of the destination row at `dst` that fill whole lines; none if units straddle
    /// lines.
    #[inline(always)]
    fn whole_lines(&self, dst: *mut u8) -> core::ops::Range<usize> {
        let unit = self.g.unit;
        let to_line = dst.wrapping_add(self.from * unit).addr().wrapping_neg() % LINE;
        let start = self.from + to_line / unit;
        if !to_line.is_multiple_of(unit) || start >= self.to {
            return self.from..self.from;
        }
        let line = LINE / unit;
        start..start + (self.to - start) / line * line
    }
}

/// Ordinary stores of units `from..to` of a row, the last one moved back to end with the row's
/// vectors.
///
/// # Safety
/// As for [`cell`]; the range lies in `rows.from..rows.to`, which is a vector long at least.
#[inline(always)]
unsafe fn edge<T: Blending, const LOADS: usize>(
    picker: &Picker<T, LOADS>,
    rows: &Rows<'_>,
    (src, dst): (*const u8, *mut u8),
    from: usize,
    to: usize,
) {
    let unit = rows.g.unit;
    let width = 16 * T::LANES / unit;
    for i in (from..to).step_by(width) {
        let i = i.min(rows.to - width);
        // SAFETY: units i..i+width are the row's, and vectors may fetch them.
        unsafe { T::store(dst.add(i * unit), picker.pick(src, i)) };
    }
}

/// Units `from..to` of every row.
///
/// # Safety
/// As for [`cell`].
#[inline(always)]
unsafe fn part(g: &Geometry, cell: Cell, from: usize, to: usize) {
    let src = cell.src.wrapping_offset(from as isize * g.sp);
    let dst = cell.dst.wrapping_add(from * g.unit);
    // SAFETY: the units are the cell's.
    unsafe { scalars(g, Cell { src, dst, p: to - from, ..cell }) }
}

/// Defines a tier's `kernel` function behind the token that proves the tier's features.
macro_rules! entries {
    ($tier:ty, $isa:literal, $proof:ty, $feature:meta, streams: $streams:literal) => {
        /// The kernel for what is asked, with the name it deserves.
        pub(in crate::kernels::gather) fn kernel(
            _proof: $proof,
            ask: $crate::kernels::gather::Ask,
        ) -> Option<$crate::kernels::Kernel> {
            use $crate::kernels::blend::{Blending, by_loads};
            use $crate::kernels::gather::pattern::patterns;
            use $crate::kernels::gather::steps::cell;
            use $crate::kernels::{Cell, CellFn, Geometry, Kernel};

            /// # Safety
            /// The obligations of `CellFn`.
            #[$feature]
            unsafe fn run<const LOADS: usize, const STREAM: bool>(g: &Geometry, c: Cell) {
                // SAFETY: passed on; the entry point has the tier's features.
                unsafe { cell::<$tier, LOADS, STREAM>(g, c) }
            }

            fn entry<const STREAM: bool>(loads: usize) -> CellFn {
                by_loads!(loads, run, STREAM)
            }

            let name = match (ask.size, ask.reverse) {
                (1, true) => concat!("reverse_u8_", $isa),
                (2, true) => concat!("reverse_u16_", $isa),
                (4, true) => concat!("reverse_u32_", $isa),
                (8, true) => concat!("reverse_u64_", $isa),
                (16, true) => concat!("reverse_u128_", $isa),
                (1, false) => concat!("steps_u8_", $isa),
                (2, false) => concat!("steps_u16_", $isa),
                (4, false) => concat!("steps_u32_", $isa),
                (8, false) => concat!("steps_u64_", $isa),
                (16, false) => concat!("steps_u128_", $isa),
                _ => return None,
            };
            let loads = patterns(<$tier as Blending>::LANE, ask.size, ask.units).blend.loads;
            let streams = $streams && ask.stream;
            let run = if streams { entry::<$streams>(loads) } else { entry::<false>(loads) };
            Some(Kernel { name, run, stores: $crate::kernels::Stores::lines(streams) })
        }
    };
}
pub(super) use entries;
