//! Tiles whose source is contiguous along one axis and whose destination along another.
//!
//! Unit `(i, j)` of a cell lies at `src + src_rows[i] + j*unit` and goes to
//! `dst + dst_rows[j] + i*unit`. Where a table is empty its rows are `sp` (`dq`) bytes apart. Tables
//! make no demand on the axes behind them: the product of many small axes runs through the same
//! code as a plain stride.
//!
//! One algorithm serves every tier. A vector is made of 16-byte lanes, and a lane holds
//! `N = 16/unit` units. The micro-kernel (`square`) takes a line of as many source rows as units
//! make up a line, and writes as many whole destination lines: it transposes the `N × N` units inside
//! every lane, then the `4 × 4` lanes. Where a cell is too narrow for it, `strip` puts 16 bytes of one
//! row into each lane instead, which leaves nothing to do across lanes:
//!
//! ```text
//!            j = 0 … N-1                             i = 0 … 4N-1
//!  row 0   [ a0 a1 a2 a3 ]   lane 0 of vector 0
//!  row 1   [ b0 b1 b2 b3 ]   lane 0 of vector 1      dst row 0  [ a0 b0 c0 d0 | e0 … ]
//!  row 2   [ c0 c1 c2 c3 ]   lane 0 of vector 2  →   dst row 1  [ a1 b1 c1 d1 | e1 … ]
//!  row 3   [ d0 d1 d2 d3 ]   lane 0 of vector 3      dst row 2  [ a2 b2 c2 d2 | e2 … ]
//!  row 4   [ e0 e1 e2 e3 ]   lane 1 of vector 0      dst row 3  [ a3 b3 c3 d3 | e3 … ]
//! ```
//!
//! The transpose inside a lane is `log2(N)` rounds of interleaving the first half of the vectors
//! with the second, the perfect-shuffle network of Stone (1971).
//!
//! Three ways to store: ordinary stores; whole lines straight from the registers past the caches,
//! where all destination rows of a cell begin at the same place in a line; and by way of a small
//! buffer in the level-2 cache, where every row's vectors are joined to its own lines (`joined`).
//!
//! Tiles that stream follow one another along the destination rows, while the lines of those to come
//! are asked for along the source rows (`patch`). All others follow the source.
//!
//! Edges need no masks: the last tile of a row or column is moved back to end at the edge, and the
//! units it shares with its neighbour are written twice with the same value. Beside lines that stream,
//! an edge stores only the units outside them.

mod joined;
#[cfg(target_arch = "aarch64")]
mod neon;
pub(crate) mod patch;
mod portable;
pub(crate) mod seams;
pub(super) mod square;
mod strip;
#[cfg(target_arch = "x86_64")]
mod x86;

use core::ops::Range;

use super::tier::{Rows, Step, Table, Tier};
use super::{Cell, Geometry, Kernel, LINE, Stores};
use crate::machine::Isa;
use square::square;

/// A tier that transposes whole lanes.
pub(super) trait Lanes: Tier {
    /// Whether cells wide enough for it go through the micro-kernel of whole lines.
    const SQUARE: bool = true;

    /// Transposes lanes within every `LANES` of the four vectors: lane `l` of vector `m` goes to lane
    /// `m` of vector `l`.
    ///
    /// # Safety
    /// The tier's features are there.
    unsafe fn transpose_lanes(vectors: [Self::Vector; 4]) -> [Self::Vector; 4];
}

/// A tier that transposes `N` vectors of `N` units per lane.
pub(super) trait LaneTranspose<const N: usize>: Lanes {
    /// Transposes the `N × N` units inside every lane.
    ///
    /// # Safety
    /// The tier's features are there.
    unsafe fn transpose(vectors: [Self::Vector; N]) -> [Self::Vector; N];
}

/// A transpose kernel and the smallest cell it takes.
pub(crate) struct Tile {
    pub kernel: Kernel,
    /// Least extent along `p` and along `q`, in units.
    pub p: usize,
    pub q: usize,
}

/// What is asked of a transpose kernel beyond its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Rows on both sides come from the tables, rather than from `sp` and `dq`.
    pub tables: bool,
    /// [`Stores::Lines`] relies on all destination rows of a cell beginning at the same place in a
    /// line, [`Stores::Joined`] on `cell.q <= JOINED_COLUMNS`.
    pub stores: Stores,
}

pub(crate) use joined::JOINED_COLUMNS;

/// Whether `kernel` is one of these.
pub(crate) fn is_transpose(kernel: &Kernel) -> bool {
    kernel.name.starts_with("transpose_")
}

/// The vector kernel of tier `isa` for units of `size` bytes, where there is one.
pub(crate) fn kernel(isa: Isa, size: usize, variant: Variant) -> Option<Tile> {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::avx512::kernel(pulp::x86::V4::try_new()?, size, variant),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::avx2::kernel(pulp::x86::V3::try_new()?, size, variant),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => neon::kernel(pulp::aarch64::Neon::try_new()?, size, variant),
        _ => portable::kernel(size, variant),
    }
}

// `Stores` as constants that a kernel can be compiled for.
const CACHED: u8 = 0;
const LINES: u8 = 1;
const JOINED: u8 = 2;

/// Transposes one cell of at least `LANES*N × N` units.
///
/// # Safety
/// The obligations of [`CellFn`](super::CellFn); and the tier's features.
#[inline(always)]
unsafe fn cell<T: LaneTranspose<N>, const N: usize, const STORES: u8>(
    g: &Geometry,
    cell: Cell,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let tile_p = T::LANES * N;
    debug_assert!(g.unit == unit && cell.p >= tile_p && cell.q >= N);
    if STORES == JOINED {
        // SAFETY: passed on.
        return unsafe { joined::cell::<T, N>(&cell, src_rows, dst_rows) };
    }
    let whole = if STORES == LINES { whole_lines(&cell, unit) } else { 0..0 };
    if whole.is_empty() {
        // SAFETY: passed on.
        return unsafe { cached::<T, N>(&cell, src_rows, dst_rows) };
    }
    // SAFETY: passed on; the three parts make up the cell, and the whole lines begin with one in every
    // destination row.
    unsafe {
        match g.seams {
            Some(seams) if whole.start > 0 && seams::columns(seams, &cell) >= N => {
                seams::store::<T, N>(seams, &cell, &whole, src_rows, dst_rows);
            }
            _ => {
                edges::<T, N>(&cell, 0..whole.start, src_rows, dst_rows);
                edges::<T, N>(&cell, whole.end..cell.p, src_rows, dst_rows);
            }
        }
        patch::store::<T, N>(&cell, whole, src_rows, dst_rows);
    }
}

/// Transposes one cell through the caches.
///
/// # Safety
/// The obligations of [`cell`].
#[inline(always)]
unsafe fn cached<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let tile_p = T::LANES * N;
    let columns = (LINE / unit).min(cell.q);
    for i in starts(cell.p, tile_p) {
        for j in starts(cell.q, columns) {
            // SAFETY: columns j..j+columns are the cell's, and so are the tile's rows from `i`.
            unsafe {
                let src = cell.src.add(j * unit);
                let to = |k: usize| cell.dst.offset(dst_rows.offset(j + k)).add(i * unit);
                if T::LANES == 4 {
                    lines::<T, N, false>(src, i, columns, src_rows, to);
                } else {
                    strip::tiles::<T, N>(src, i, columns, src_rows, to);
                }
            }
        }
    }
}

/// Transposes rows `rows` of a cell, which lie beside lines that stream: not a byte more, or the caches
/// would have to give those lines up.
///
/// # Safety
/// The obligations of [`cell`]; the rows are the cell's.
#[inline(always)]
unsafe fn edges<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    rows: Range<usize>,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let tile_p = T::LANES * N;
    let columns = (LINE / unit).min(cell.q);
    for i in rows.clone().step_by(tile_p) {
        // A tile that reaches beyond the cell is moved back.
        let at = i.min(cell.p - tile_p);
        for j in starts(cell.q, columns) {
            // Stores leave the core in order: one that waits for its line holds up all.
            for k in columns..2 * columns {
                let next = cell.dst.wrapping_offset(dst_rows.guess(j + k));
                T::prefetch(next.wrapping_add(i * unit));
            }
            // SAFETY: columns j..j+columns are the cell's, and so are the tile's rows from `at`.
            unsafe {
                let src = cell.src.add(j * unit);
                let to = |k: usize| cell.dst.offset(dst_rows.offset(j + k)).add(at * unit);
                strip::edges::<T, N>(src, at, i..rows.end, columns, src_rows, to);
            }
        }
    }
}

/// Transposes a line's worth of rows from row `i` on, of `columns` columns at `src`, and writes a line
/// to each of the places that `to` gives; past the caches with `STREAM`.
///
/// # Safety
/// The tier's features are there; the columns are readable in each of `LINE/unit` rows, at least N
/// of them and at most a line; a line is writable at each place, which with `STREAM` is aligned to it.
#[inline(always)]
unsafe fn lines<T: LaneTranspose<N>, const N: usize, const STREAM: bool>(
    src: *const u8,
    i: usize,
    columns: usize,
    rows: impl Rows,
    to: impl Fn(usize) -> *mut u8,
) {
    // SAFETY: passed on.
    unsafe {
        if T::SQUARE && columns * (16 / N) == LINE {
            square::<T, N, STREAM>(src, i, rows, to);
        } else {
            strip::lines::<T, N, STREAM>(src, i, columns, rows, to);
        }
    }
}

/// The rows `i` of the cell that lie in whole lines of every destination row; empty when units
/// straddle lines.
#[inline(always)]
fn whole_lines(cell: &Cell, unit: usize) -> Range<usize> {
    let to_line = cell.dst.align_offset(LINE);
    if !to_line.is_multiple_of(unit) {
        return 0..0;
    }
    let start = (to_line / unit).min(cell.p);
    let per_line = LINE / unit;
    start..start + (cell.p - start) / per_line * per_line
}

/// Starts of the blocks of `block` that cover `0..len`, the last one moved back to end at `len`.
/// `len >= block > 0`.
#[inline(always)]
fn starts(len: usize, block: usize) -> impl Iterator<Item = usize> {
    (0..len.div_ceil(block)).map(move |b| (b * block).min(len - block))
}

/// Defines a tier's `kernel` function: an entry point with the tier's features for every unit and
/// variant, behind a token that proves the features.
macro_rules! entries {
    (
        $tier:ty, ($($token:ident: $proof:ty)?), [$($feature:meta)?], streams: $streams:literal,
        $($size:literal: $n:literal, $name:literal;)*
    ) => {
        /// The kernel for units of `size` bytes.
        pub(in crate::kernels::transpose) fn kernel(
            $($token: $proof,)?
            size: usize,
            variant: $crate::kernels::transpose::Variant,
        ) -> Option<$crate::kernels::transpose::Tile> {
            use $crate::kernels::transpose::{
                CACHED, LINES, JOINED, Step, Table, Tile, Tier, cell,
            };
            use $crate::kernels::{Cell, CellFn, Geometry, Kernel, Stores};

            /// # Safety
            /// The obligations of `CellFn`.
            $(#[$feature])?
            unsafe fn steps<const N: usize, const STORES: u8>(g: &Geometry, c: Cell)
            where
                $tier: $crate::kernels::transpose::LaneTranspose<N>,
            {
                // SAFETY: passed on; the entry point has the tier's features.
                unsafe { cell::<$tier, N, STORES>(g, c, Step(g.sp), Step(g.dq)) }
            }

            /// # Safety
            /// The obligations of `CellFn`.
            $(#[$feature])?
            unsafe fn tables<const N: usize, const STORES: u8>(g: &Geometry, c: Cell)
            where
                $tier: $crate::kernels::transpose::LaneTranspose<N>,
            {
                let (src, dst) = (Table(&g.src_rows[..c.p]), Table(&g.dst_rows[..c.q]));
                // SAFETY: passed on; the entry point has the tier's features.
                unsafe { cell::<$tier, N, STORES>(g, c, src, dst) }
            }

            $(let _proof: $proof = $token;)?
            let stores = if $streams { variant.stores } else { Stores::Cached };
            let (n, name, run): (usize, &'static str, CellFn) = match size {
                $($size => ($n, $name, match (variant.tables, stores) {
                    (false, Stores::Cached) => steps::<$n, CACHED>,
                    (false, Stores::Lines) => steps::<$n, { LINES * $streams as u8 }>,
                    (false, Stores::Joined) => steps::<$n, { JOINED * $streams as u8 }>,
                    (true, Stores::Cached) => tables::<$n, CACHED>,
                    (true, Stores::Lines) => tables::<$n, { LINES * $streams as u8 }>,
                    (true, Stores::Joined) => tables::<$n, { JOINED * $streams as u8 }>,
                }),)*
                _ => return None,
            };
            let lanes = if stores == Stores::Joined { 4 } else { <$tier as Tier>::LANES };
            let kernel = Kernel { name, run, stores };
            Some(Tile { kernel, p: lanes * n, q: n })
        }
    };
}
use entries;
