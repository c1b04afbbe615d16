//! The interleave of every tier: one vector of the destination after the other.

use core::ops::Range;

use super::MAX_ROWS;
use super::pattern::pattern;
use crate::kernels::blend::Blending;
use crate::kernels::gather::scalars;
use crate::kernels::{Cell, Geometry, LINE};

/// A pattern in registers, and the rows it is applied to.
struct Weaver<T: Blending, const LOADS: usize> {
    offsets: [isize; LOADS],
    masks: [T::Mask; LOADS],
    index: T::Vector,
    /// Unit 0 of every row, then unit 1: a vector that begins with row `c` takes `LOADS` of them
    /// from `c` on.
    rows: [*const u8; 2 * MAX_ROWS],
    k: usize,
    unit: usize,
}

/// A place in the destination: unit `i` of row `row`.
#[derive(Clone, Copy)]
struct Place {
    row: usize,
    i: usize,
}

impl<T: Blending, const LOADS: usize> Weaver<T, LOADS> {
    const LANES_ARE_ONE: () = assert!(16 * T::LANES == T::LANE);

    /// # Safety
    /// The tier's features are there.
    #[inline(always)]
    unsafe fn new(g: &Geometry, cell: &Cell) -> Self {
        let () = Self::LANES_ARE_ONE;
        let blend = pattern(T::LANE, g.unit, cell.p);
        debug_assert_eq!(blend.loads, LOADS);
        let mut rows = [cell.src; 2 * MAX_ROWS];
        for c in 0..cell.p {
            rows[c] = cell.src.wrapping_offset(c as isize * g.sp);
            rows[c + cell.p] = rows[c].wrapping_add(g.unit);
        }
        // SAFETY: passed on.
        unsafe {
            Self {
                offsets: core::array::from_fn(|i| blend.offsets[i] as isize),
                masks: core::array::from_fn(|i| T::mask(blend.masks[i])),
                index: T::index(&blend.index),
                rows,
                k: cell.p,
                unit: g.unit,
            }
        }
    }

    /// Where unit `o` of the destination comes from.
    #[inline(always)]
    fn place(&self, o: usize) -> Place {
        Place { row: o % self.k, i: o / self.k }
    }

    /// The place one vector on.
    #[inline(always)]
    fn next(&self, Place { row, i }: Place, step: Place) -> Place {
        let (row, i) = (row + step.row, i + step.i);
        if row < self.k { Place { row, i } } else { Place { row: row - self.k, i: i + 1 } }
    }

    /// The vector that begins at `place`.
    ///
    /// # Safety
    /// The tier's features are there, and a vector's worth of units from `place` on; if the tier is
    /// not exact, also a vector's bytes before and behind, in every row.
    #[inline(always)]
    unsafe fn vector(&self, place: Place) -> T::Vector {
        debug_assert!(place.row < self.k && self.k <= MAX_ROWS);
        // SAFETY: `row + LOADS` is at most `2 * k`, since there are no more loads than rows. The
        // rest is passed on.
        unsafe {
            let at = |load: usize| {
                let row = *self.rows.get_unchecked(place.row + load);
                row.wrapping_add(place.i * self.unit).wrapping_offset(self.offsets[load])
            };
            let mut vector = T::load_bytes(at(0), 0, self.masks[0]);
            for load in 1..LOADS {
                vector = T::blend(vector, at(load), 0, self.masks[load]);
            }
            T::permute(vector, self.index)
        }
    }
}

/// Interleaves the rows of one cell. `LOADS` is the number of loads of the pattern.
///
/// # Safety
/// The obligations of [`CellFn`](crate::kernels::CellFn); and the tier's features.
#[inline(always)]
pub(super) unsafe fn cell<T: Blending, const LOADS: usize, const STREAM: bool>(
    g: &Geometry,
    cell: Cell,
) {
    let (unit, k) = (g.unit, cell.p);
    debug_assert!(g.dp == unit as isize && g.sq == g.dp && (2..=MAX_ROWS).contains(&k));
    debug_assert!(cell.q == 1 || g.dq == (k * unit) as isize);
    let width = T::LANE / unit;
    // Loads reach less than a vector before and behind what they want of a row.
    let spare = if T::EXACT { 0 } else { width };
    let inner = spare..cell.q.saturating_sub(spare + usize::from(!T::EXACT)).max(spare);
    if inner.len() * k < width {
        // SAFETY: passed on.
        return unsafe { scalars(g, cell) };
    }
    let units = |rows: Range<usize>| Cell {
        src: cell.src.wrapping_add(rows.start * unit),
        dst: cell.dst.wrapping_add(rows.start * k * unit),
        p: k,
        q: rows.len(),
        ..cell
    };
    // SAFETY: passed on.
    let weaver = unsafe {
        if !T::EXACT {
            scalars(g, units(0..inner.start));
            scalars(g, units(inner.end..cell.q));
        }
        Weaver::<T, LOADS>::new(g, &cell)
    };
    let (from, to) = (inner.start * k, inner.end * k);
    let (start, aligned) = first_line(cell.dst, unit, from);
    let mut o = start.min(to);
    // SAFETY: all vectors begin in from..=to-width; streamed ones begin in whole lines.
    unsafe {
        edge(&weaver, &cell, from..to, from..o);
        let step = weaver.place(width);
        let mut place = weaver.place(o);
        if STREAM && aligned {
            while o + LINE / unit <= to {
                for _ in 0..LINE / T::LANE {
                    T::stream(cell.dst.add(o * unit), weaver.vector(place));
                    place = weaver.next(place, step);
                    o += width;
                }
            }
        } else {
            while o + width <= to {
                T::store(cell.dst.add(o * unit), weaver.vector(place));
                place = weaver.next(place, step);
                o += width;
            }
        }
        edge(&weaver, &cell, from..to, o..to);
    }
}

/// The first unit from `from` on that begins a line, if units do.
#[inline(always)]
fn first_line(dst: *mut u8, unit: usize, from: usize) -> (usize, bool) {
    let to_line = dst.wrapping_add(from * unit).addr().wrapping_neg() % LINE;
    let aligned = to_line.is_multiple_of(unit);
    (if aligned { from + to_line / unit } else { from }, aligned)
}

/// Ordinary stores of the units `part` of the destination, the last one moved back to end with
/// `all`.
///
/// # Safety
/// As for [`cell`]; `part` lies in `all`, which is a vector long at least and has what vectors
/// touch around it.
#[inline(always)]
unsafe fn edge<T: Blending, const LOADS: usize>(
    weaver: &Weaver<T, LOADS>,
    cell: &Cell,
    all: Range<usize>,
    part: Range<usize>,
) {
    let width = T::LANE / weaver.unit;
    for o in part.step_by(width) {
        let o = o.min(all.end - width);
        // SAFETY: passed on.
        unsafe { T::store(cell.dst.add(o * weaver.unit), weaver.vector(weaver.place(o))) };
    }
}

/// Defines a tier's `kernel` function behind the token that proves the tier's features.
macro_rules! entries {
    ($tier:ty, $isa:literal, $proof:ty, $feature:meta, streams: $streams:literal) => {
        /// The kernel that interleaves `rows` rows of units of `size` bytes.
        pub(in crate::kernels::interleave) fn kernel(
            _proof: $proof,
            size: usize,
            rows: usize,
            stream: bool,
        ) -> Option<$crate::kernels::Kernel> {
            use $crate::kernels::blend::{Blending, by_loads};
            use $crate::kernels::interleave::pattern::pattern;
            use $crate::kernels::interleave::weave::cell;
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

            let name = match size {
                1 => concat!("interleave_u8_", $isa),
                2 => concat!("interleave_u16_", $isa),
                4 => concat!("interleave_u32_", $isa),
                8 => concat!("interleave_u64_", $isa),
                16 => concat!("interleave_u128_", $isa),
                _ => return None,
            };
            let loads = pattern(<$tier as Blending>::LANE, size, rows).loads;
            let streams = $streams && stream;
            let run = if streams { entry::<$streams>(loads) } else { entry::<false>(loads) };
            Some(Kernel { name, run, stores: $crate::kernels::Stores::lines(streams) })
        }
    };
}
pub(super) use entries;
