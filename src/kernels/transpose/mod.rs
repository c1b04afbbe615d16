//! Tiles whose source is contiguous along one axis and whose destination along another.
//!
//! Unit `(i, j)` of a cell lies at `src + src_rows[i] + j*unit` and goes to
//! `dst + dst_rows[j] + i*unit`. The row tables make no demand on the axes behind them: a plain
//! stride, or the product of many small axes, runs through the same code.
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
//! Edges need no masks: the last tile of a row or column is moved back to end at the edge, and the
//! units it shares with its neighbour are written twice with the same value.

mod portable;

use super::{Cell, Geometry, Kernel};

/// Vectors of one instruction-set tier.
///
/// Methods are always inlined into a kernel's entry point, which carries the tier's target
/// features; they have none themselves.
pub(super) trait Tier {
    /// One vector.
    type Vector: Copy;
    /// Its 16-byte lanes.
    const LANES: usize;

    /// Reads 16 bytes into each lane, lane `l` from `at + rows[l * step]`.
    ///
    /// # Safety
    /// The tier's features are there; `rows` has more than `(LANES - 1) * step` entries; the 16
    /// bytes at each address are readable.
    unsafe fn load(at: *const u8, rows: &[isize], step: usize) -> Self::Vector;

    /// Writes the vector to `at`, which may have any alignment.
    ///
    /// # Safety
    /// The tier's features are there; `16 * LANES` bytes at `at` are writable.
    unsafe fn store(at: *mut u8, vector: Self::Vector);
}

/// A tier that transposes `N` vectors of `N` units per lane.
pub(super) trait LaneTranspose<const N: usize>: Tier {
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

/// The vector kernel for units of `size` bytes, where there is one.
pub(crate) fn kernel(size: usize) -> Option<Tile> {
    portable::kernel(size)
}

/// Transposes one cell of at least `LANES*N × N` units.
///
/// # Safety
/// The obligations of [`CellFn`](super::CellFn), with the tables; and the tier's features.
#[inline(always)]
unsafe fn cell<T: LaneTranspose<N>, const N: usize>(g: &Geometry, cell: Cell) {
    let unit = 16 / N;
    let tile_p = T::LANES * N;
    debug_assert!(g.unit == unit && cell.p >= tile_p && cell.q >= N);
    let (src_rows, dst_rows) = (&g.src_rows[..cell.p], &g.dst_rows[..cell.q]);
    // As many columns as make up a 64-byte line of every source row, so that a line is used up
    // while it is in the level-1 cache.
    let line = (64 / unit).min(cell.q);
    for j0 in starts(cell.q, line) {
        for i in starts(cell.p, tile_p) {
            for j in starts(line, N) {
                let j = j0 + j;
                // SAFETY: rows i..i+tile_p and columns j..j+N are the cell's, and 16 bytes are
                // exactly N columns.
                unsafe {
                    let src = cell.src.add(j * unit);
                    let mut vectors = [T::load(src, &src_rows[i..i + tile_p], N); N];
                    for (k, vector) in vectors.iter_mut().enumerate().skip(1) {
                        *vector = T::load(src, &src_rows[i + k..i + tile_p], N);
                    }
                    let vectors = T::transpose(vectors);
                    for (k, vector) in vectors.into_iter().enumerate() {
                        T::store(cell.dst.offset(dst_rows[j + k]).add(i * unit), vector);
                    }
                }
            }
        }
    }
}

/// Starts of the blocks of `block` that cover `0..len`, the last one moved back to end at `len`.
/// `len >= block > 0`.
#[inline(always)]
fn starts(len: usize, block: usize) -> impl Iterator<Item = usize> {
    (0..len.div_ceil(block)).map(move |b| (b * block).min(len - block))
}
