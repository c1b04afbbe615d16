//! Cells narrower than a line, and edges: 16 bytes of every source row, which are `N` columns.
//!
//! Lane `l` of vector `k` comes from source row `l*N + k`; once the `N × N` units inside every lane are
//! transposed, vector `j` is `LANES*N` units that are contiguous in destination row `j`.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::LINE;
use super::super::tier::Rows;
use super::{LaneTranspose, starts};

/// Stores `LANES*N` rows from row `i` on, of `columns` columns at `src`, to the places that `to` gives.
///
/// # Safety
/// The tier's features are there; the columns, at least N, are readable in each row; a vector is
/// writable at each place.
#[inline(always)]
pub(super) unsafe fn tiles<T: LaneTranspose<N>, const N: usize>(
    src: *const u8,
    i: usize,
    columns: usize,
    rows: impl Rows,
    to: impl Fn(usize) -> *mut u8,
) {
    for k0 in starts(columns, N) {
        // SAFETY: passed on.
        unsafe {
            let vectors = load::<T, N>(src.add(k0 * (16 / N)), i, rows);
            for (k, vector) in vectors.into_iter().enumerate() {
                T::store(to(k0 + k), vector);
            }
        }
    }
}

/// Stores rows `keep` of the same, and nothing else. The places are those of row `i`.
///
/// # Safety
/// As for [`tiles`], but for the places; `keep` begins within `i..i+LANES*N`, and what lies in both
/// is writable.
#[inline(always)]
pub(super) unsafe fn edges<T: LaneTranspose<N>, const N: usize>(
    src: *const u8,
    i: usize,
    keep: Range<usize>,
    columns: usize,
    rows: impl Rows,
    to: impl Fn(usize) -> *mut u8,
) {
    let unit = 16 / N;
    let end = keep.end.min(i + T::LANES * N);
    let (skipped, bytes) = ((keep.start - i) * unit, (end - keep.start) * unit);
    let mut line = MaybeUninit::<[u8; LINE]>::uninit();
    let line = line.as_mut_ptr().cast::<u8>();
    for k0 in starts(columns, N) {
        // SAFETY: passed on; a vector fits into a line, and the bytes kept are among its own.
        unsafe {
            let vectors = load::<T, N>(src.add(k0 * unit), i, rows);
            for (k, vector) in vectors.into_iter().enumerate() {
                T::store(line, vector);
                line.add(skipped).copy_to_nonoverlapping(to(k0 + k).add(skipped), bytes);
            }
        }
    }
}

/// Writes a line's worth of rows from row `i` on, of `columns` columns at `src`, to the places that
/// `to` gives; past the caches with `STREAM`.
///
/// # Safety
/// The tier's features are there, and its vectors are a line or half of one; the columns, at least
/// N, are readable in each of `LINE/unit` rows; a line is writable at each place, which with `STREAM`
/// is aligned to it.
#[inline(always)]
pub(super) unsafe fn lines<T: LaneTranspose<N>, const N: usize, const STREAM: bool>(
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
                    T::write::<STREAM>(to(k0 + k), vector);
                }
            } else {
                let high = load::<T, N>(src, i + T::LANES * N, rows);
                for (k, (low, high)) in low.into_iter().zip(high).enumerate() {
                    T::write::<STREAM>(to(k0 + k), low);
                    T::write::<STREAM>(to(k0 + k).add(16 * T::LANES), high);
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
pub(super) unsafe fn load<T: LaneTranspose<N>, const N: usize>(
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
