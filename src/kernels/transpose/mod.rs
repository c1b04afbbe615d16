//! Tiles whose source is contiguous along one axis and whose destination along another.
//!
//! Unit `(i, j)` of a cell lies at `src + src_rows[i] + j*unit` and goes to
//! `dst + dst_rows[j] + i*unit`. Where a table is empty its rows are `sp` (`dq`) bytes apart. Tables
//! make no demand on the axes behind them: the product of many small axes runs through the same
//! code as a plain stride.
//!
//! One algorithm serves every tier. A vector is made of 16-byte lanes, and a lane holds
//! `N = 16/unit` units. Load `N` vectors, lane `l` of vector `k` from source row `l*N + k`; transpose
//! the `N × N` units inside every lane; vector `j` is then `lanes*N` units that are contiguous in
//! destination row `j`. Shuffles never cross lanes, and with four lanes a stored vector is a whole
//! cache line:
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
//! Tiles follow one another along the **source** rows. A core waits for memory with a dozen or so
//! lines under way, far too few to hide its latency; only the prefetcher of the level-2 cache goes
//! further, and it must see lines follow one another in a page. Walking 16 rows side by side for
//! some kilobytes shows it just that.
//!
//! Edges need no masks: the last tile of a row or column is moved back to end at the edge, and the
//! units it shares with its neighbour are written twice with the same value. Beside lines that stream,
//! an edge stores only the units outside them.

mod joined;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use core::mem::MaybeUninit;

use super::tier::{Rows, Step, Table, Tier};
use super::{Cell, Geometry, Kernel, LINE};
use crate::machine::Isa;

/// A tier that transposes `N` vectors of `N` units per lane.
trait LaneTranspose<const N: usize>: Tier {
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
    pub stores: Stores,
}

/// How a transpose kernel stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stores {
    /// Through the caches.
    Cached,
    /// Whole lines past the caches. Relies on all destination rows of a cell beginning at the
    /// same place in a line.
    Lines,
    /// Whole lines past the caches, by way of a buffer. Relies on `cell.q <= JOINED_COLUMNS`.
    Joined,
}

pub(crate) use joined::JOINED_COLUMNS;

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
    let columns = (LINE / unit).min(cell.q);
    let mut i = 0;
    while i < cell.p {
        let streamed = STORES == LINES && whole.contains(&i);
        // The last tile is moved back to end at the cell's edge.
        let at = if streamed { i } else { i.min(cell.p - tile_p) };
        for j in starts(cell.q, columns) {
            // SAFETY: columns j..j+columns are the cell's, and so are the tile's rows from `at`,
            // or the rows of one line, which `at` begins in every destination row.
            unsafe {
                if streamed {
                    lines::<T, N>(&cell, at, j, columns, src_rows, dst_rows);
                } else if whole.is_empty() {
                    tiles::<T, N>(&cell, at, j, columns, src_rows, dst_rows);
                } else {
                    // Not a byte of a line that streams: the caches would have to give it up.
                    let keep = if i < whole.start { i..whole.start } else { i..cell.p };
                    edges::<T, N>(&cell, at, keep, j, columns, src_rows, dst_rows);
                }
            }
        }
        i = if streamed {
            i + LINE / unit
        } else if i < whole.start {
            (i + tile_p).min(whole.start)
        } else {
            i + tile_p
        };
    }
}

/// Stores one tile of each of `columns` destination rows.
///
/// # Safety
/// As for [`cell`]; rows `i..i+LANES*N` and columns `j..j+columns` are the cell's, `columns >= N`.
#[inline(always)]
unsafe fn tiles<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    i: usize,
    j: usize,
    columns: usize,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    for k0 in starts(columns, N) {
        // SAFETY: passed on.
        unsafe {
            let vectors = load::<T, N>(cell.src.add((j + k0) * unit), i, src_rows);
            for (k, vector) in vectors.into_iter().enumerate() {
                T::store(cell.dst.offset(dst_rows.offset(j + k0 + k)).add(i * unit), vector);
            }
        }
    }
}

/// Stores rows `keep` of one tile, to each of `columns` destination rows.
///
/// # Safety
/// As for [`tiles`]; `keep` begins within `i..i+LANES*N`, and what lies in both is the cell's.
#[inline(always)]
unsafe fn edges<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    i: usize,
    keep: core::ops::Range<usize>,
    j: usize,
    columns: usize,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let end = keep.end.min(i + T::LANES * N);
    let (skipped, bytes) = ((keep.start - i) * unit, (end - keep.start) * unit);
    let mut line = MaybeUninit::<[u8; LINE]>::uninit();
    let line = line.as_mut_ptr().cast::<u8>();
    for k0 in starts(columns, N) {
        // SAFETY: passed on; a vector fits into a line, and the bytes kept are among its own.
        unsafe {
            let vectors = load::<T, N>(cell.src.add((j + k0) * unit), i, src_rows);
            for (k, vector) in vectors.into_iter().enumerate() {
                T::store(line, vector);
                let row = cell.dst.offset(dst_rows.offset(j + k0 + k)).add(keep.start * unit);
                line.add(skipped).copy_to_nonoverlapping(row, bytes);
            }
        }
    }
}

/// Streams one line of each of `columns` destination rows.
///
/// # Safety
/// As for [`cell`]; rows `i..i+LINE/unit` and columns `j..j+columns` are the cell's, `columns >= N`,
/// and unit `i` begins a line of every destination row.
#[inline(always)]
unsafe fn lines<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    i: usize,
    j: usize,
    columns: usize,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    // SAFETY: passed on; `Patch::fetch` reads the line that the columns are, of the same rows.
    unsafe {
        let src = cell.src.add(j * unit);
        let to = |k: usize| cell.dst.offset(dst_rows.offset(j + k)).add(i * unit);
        if columns * unit == LINE {
            let mut patch = Patch::EMPTY;
            let src = patch.fetch::<T>(src, i, LINE / unit, src_rows, cell.q * unit < WALK);
            stream_columns::<T, N>(src, 0, columns, Step(LINE as isize), to);
        } else {
            stream_columns::<T, N>(src, i, columns, src_rows, to);
        }
    }
}

/// Streams `columns` lines, each of one column at `src` of the rows from row `i` on, to the places
/// that `to` gives.
///
/// # Safety
/// The tier's features are there; the columns are readable in each of `LINE/unit` rows, at least N
/// of them; the places are aligned and a line is writable at each.
#[inline(always)]
unsafe fn stream_columns<T: LaneTranspose<N>, const N: usize>(
    src: *const u8,
    i: usize,
    columns: usize,
    rows: impl Rows,
    to: impl Fn(usize) -> *mut u8,
) {
    for k0 in starts(columns, N) {
        // SAFETY: passed on; a line's vectors follow one another at multiples of their size.
        unsafe {
            let src = src.add(k0 * (16 / N));
            // All vectors of a line are made before the first is stored, so that a line's stores
            // are neighbours and leave the core as one.
            let low = load::<T, N>(src, i, rows);
            if T::LANES == 4 {
                for (k, vector) in low.into_iter().enumerate() {
                    T::stream(to(k0 + k), vector);
                }
            } else {
                let high = load::<T, N>(src, i + T::LANES * N, rows);
                for (k, (low, high)) in low.into_iter().zip(high).enumerate() {
                    T::stream(to(k0 + k), low);
                    T::stream(to(k0 + k).add(16 * T::LANES), high);
                }
            }
        }
    }
}

/// Loads and transposes `LANES*N` rows from row `i` on, of `N` columns at `src`: vector `k` of the
/// result belongs to the `k`-th column.
///
/// # Safety
/// The tier's features are there; 16 bytes, which are exactly N columns, are readable in each row.
#[inline(always)]
unsafe fn load<T: LaneTranspose<N>, const N: usize>(
    src: *const u8,
    i: usize,
    rows: impl Rows,
) -> [T::Vector; N] {
    // SAFETY: passed on.
    unsafe {
        let mut vectors = [T::load(src, rows, i, N); N];
        for (k, vector) in vectors.iter_mut().enumerate().skip(1) {
            *vector = T::load(src, rows, i + k, N);
        }
        T::transpose(vectors)
    }
}

/// Bytes along a source row from which the prefetcher of the level-2 cache does well by itself.
const WALK: usize = 4096;

/// One line of each of as many source rows as make up a destination line, copied side by side.
///
/// Rows a multiple of 4 KiB apart fall into the same few sets of the level-1 cache, which would
/// lose them between one quarter of a line and the next. So every line is read once, whole.
#[repr(align(64))]
struct Patch(MaybeUninit<[[u8; LINE]; LINE]>);

impl Patch {
    const EMPTY: Self = Self(MaybeUninit::uninit());

    /// Copies the line at `src` of `count` rows from row `i` on, and returns where they are. Where
    /// the walk along the rows is `short`, asks for the same line of the rows that come next: the
    /// prefetcher, which takes some lines to catch on, would be too late for most of it.
    ///
    /// # Safety
    /// The tier's features are there; `count <= 64`; a line is readable at `src` in each row.
    #[inline(always)]
    unsafe fn fetch<T: Tier>(
        &mut self,
        src: *const u8,
        i: usize,
        count: usize,
        rows: impl Rows,
        short: bool,
    ) -> *const u8 {
        let patch = self.0.as_mut_ptr().cast::<u8>();
        for k in 0..count {
            if short {
                T::prefetch(src.wrapping_offset(rows.guess(i + count + k)));
            }
            for part in (0..LINE).step_by(16 * T::LANES) {
                // SAFETY: a part of row i + k's line, and of its place in the patch.
                unsafe {
                    let vector = T::load_row(src.offset(rows.offset(i + k)).add(part));
                    T::store(patch.add(k * LINE + part), vector);
                }
            }
        }
        patch
    }
}

/// The rows `i` of the cell that lie in whole lines of every destination row; empty when units
/// straddle lines.
#[inline(always)]
fn whole_lines(cell: &Cell, unit: usize) -> core::ops::Range<usize> {
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
                CACHED, LINES, JOINED, Step, Stores, Table, Tile, Tier, cell,
            };
            use $crate::kernels::{Cell, CellFn, Geometry, Kernel};

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
            let kernel = Kernel { name, run, streams: stores != Stores::Cached };
            Some(Tile { kernel, p: lanes * n, q: n })
        }
    };
}
use entries;
