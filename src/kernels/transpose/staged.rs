//! Streaming for destination rows that begin anywhere in a line.
//!
//! A store that passes the caches by must fill an aligned line, but with odd pitches every
//! destination row has its own phase, and a tile's vectors straddle two lines of it. So a strip of
//! rows is first put together in a buffer that stays in the level-1 cache, each row at the phase it
//! has in the destination; then every row streams its whole lines, and stores its ragged ends.

use core::mem::MaybeUninit;

use super::super::Cell;
use super::{LaneTranspose, Rows, load, starts};

/// Most units along `p` of a cell: a strip of that many fills two thirds of a 48 KiB cache.
pub(crate) const STAGED_ROWS: usize = 511;

const LINE: usize = 64;

/// A strip's rows: `64/unit` of them, each of up to `STAGED_ROWS` units and a line of slack.
#[repr(align(64))]
struct Strip([MaybeUninit<u8>; LINE * (STAGED_ROWS + 1) + LINE * LINE]);

/// Transposes one cell of at least `LANES*N × N` units.
///
/// # Safety
/// The obligations of [`super::cell`], and `cell.p <= STAGED_ROWS`.
#[inline(always)]
pub(super) unsafe fn cell<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    debug_assert!(cell.p <= STAGED_ROWS);
    let mut strip = Strip([MaybeUninit::uninit(); _]);
    let strip = strip.0.as_mut_ptr().cast::<u8>();
    let bytes = cell.p * unit;
    // Any phase fits: rows are a whole number of lines apart, with at least a line to spare.
    let pitch = bytes.next_multiple_of(LINE) + LINE;
    let columns = (LINE / unit).min(cell.q);
    for j in starts(cell.q, columns) {
        let row = |k: usize| {
            // SAFETY: column j + k is the cell's.
            let dst = unsafe { cell.dst.offset(dst_rows.offset(j + k)) };
            // SAFETY: at most 64/unit rows of `pitch <= (STAGED_ROWS + 1)*unit + 64` bytes fit.
            (dst, unsafe { strip.add(k * pitch + dst.addr() % LINE) })
        };
        for i in starts(cell.p, T::LANES * N) {
            for k0 in starts(columns, N) {
                // SAFETY: rows i..i+LANES*N and columns j+k0..j+k0+N are the cell's, and a
                // buffer row has room for all its units behind its phase.
                unsafe {
                    let vectors = load::<T, N>(cell, i, j + k0, src_rows);
                    for (k, vector) in vectors.into_iter().enumerate() {
                        T::store(row(k0 + k).1.add(i * unit), vector);
                    }
                }
            }
        }
        for k in 0..columns {
            let (dst, staged) = row(k);
            // SAFETY: both are `bytes` long, at the same place in a line.
            unsafe { stream_row::<T, N>(staged, dst, bytes) };
        }
    }
}

/// Copies `bytes` bytes to `dst`, whole lines past the caches.
///
/// # Safety
/// The tier's features are there; the bytes are readable (writable), do not overlap, and begin at
/// the same place in a line.
#[inline(always)]
unsafe fn stream_row<T: LaneTranspose<N>, const N: usize>(
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
) {
    let head = dst.align_offset(LINE).min(bytes);
    let body = (bytes - head) / LINE * LINE;
    // SAFETY: head, body and tail make up the row; the body begins on a line.
    unsafe {
        src.copy_to_nonoverlapping(dst, head);
        for at in (head..head + body).step_by(LINE) {
            for part in (0..LINE).step_by(16 * T::LANES) {
                T::stream(dst.add(at + part), T::load_row(src.add(at + part)));
            }
        }
        let tail = head + body;
        src.add(tail).copy_to_nonoverlapping(dst.add(tail), bytes - tail);
    }
}
