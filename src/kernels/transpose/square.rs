//! The micro-kernel: a line of as many source rows as fill a destination line.
//!
//! Every source line is read once, whole, and every destination line written whole. Rows a
//! multiple of 4 KiB apart fall into the same few sets of the level-1 cache, which would lose a
//! line between one part of it and the next; and stores and loads of parts of lines take turns
//! waiting for each other where their addresses agree in the last 12 bits.
//!
//! ```text
//!  row 0      [ a0 a1 a2 a3 | a4 … | a8 … | a12 … ]        group 0: rows 0 … N-1
//!  …                                                        …
//!  row 4N-1   [                                   ]        group 3
//!
//!  inside lanes, group by group      vector k of group g:  columns k, N+k, 2N+k, 3N+k of its rows
//!  across lanes, one vector a group  lane l of each:       column l*N + k of all rows
//! ```
//!
//! Four lanes and units of 4 bytes or more need no memory in between; the others keep the vectors
//! of the first half on the stack, one destination line's worth of lines.

use core::mem::MaybeUninit;

use super::super::LINE;
use super::super::tier::Rows;
use super::LaneTranspose;

/// Lanes of a line, and groups of rows.
const GROUPS: usize = 4;

/// The vectors of a square between the two halves of the work.
#[repr(align(64))]
struct Between<const N: usize>(MaybeUninit<[[[u8; LINE]; N]; GROUPS]>);

/// Transposes the line at `src` of `LINE/unit` rows from row `i` on, and writes a line to each of the
/// places that `to` gives for the columns; past the caches with `STREAM`.
///
/// # Safety
/// The tier's features are there; a line is readable at `src` in each row, and writable at each
/// place, which with `STREAM` is aligned to it.
#[inline(always)]
pub(super) unsafe fn square<T: LaneTranspose<N>, const N: usize, const STREAM: bool>(
    src: *const u8,
    i: usize,
    rows: impl Rows,
    to: impl Fn(usize) -> *mut u8,
) {
    let size = 16 * T::LANES;
    // SAFETY: passed on; parts of a line are vectors one behind the other.
    unsafe {
        transpose::<T, N>(
            |row, part| T::load_row(src.offset(rows.offset(i + row)).add(part * size)),
            |column, part, vector| T::write::<STREAM>(to(column).add(part * size), vector),
        );
    }
}

/// Transposes a line of `LINE/unit` rows: `load(row, part)` gives the vectors that make up the line
/// of a row, `put(column, part, vector)` takes those of a column.
///
/// # Safety
/// The tier's features are there.
#[inline(always)]
pub(in crate::kernels) unsafe fn transpose<T: LaneTranspose<N>, const N: usize>(
    load: impl Fn(usize, usize) -> T::Vector,
    put: impl Fn(usize, usize, T::Vector),
) {
    let per_row = GROUPS / T::LANES;
    let mut between = Between::<N>(MaybeUninit::uninit());
    let between = between.0.as_mut_ptr().cast::<[T::Vector; N]>();
    for group in 0..GROUPS {
        let first = group * N;
        for part in 0..per_row {
            let mut vectors = [load(first, part); N];
            for (k, vector) in vectors.iter_mut().enumerate().skip(1) {
                *vector = load(first + k, part);
            }
            // SAFETY: `between` holds as many vectors as the lines do.
            unsafe { between.add(group * per_row + part).write(T::transpose(vectors)) };
        }
    }
    for part in 0..per_row {
        for k in 0..N {
            // SAFETY: all vectors were written above.
            let lanes = unsafe {
                T::transpose_lanes([
                    (*between.add(part))[k],
                    (*between.add(per_row + part))[k],
                    (*between.add(2 * per_row + part))[k],
                    (*between.add(3 * per_row + part))[k],
                ])
            };
            // A line's stores are neighbours, so that they leave the core as one.
            for l in 0..T::LANES {
                let column = (part * T::LANES + l) * N + k;
                for piece in 0..per_row {
                    put(column, piece, lanes[piece * T::LANES + l]);
                }
            }
        }
    }
}
