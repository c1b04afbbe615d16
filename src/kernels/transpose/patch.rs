//! The whole lines of a cell, patch by patch: reads in the order of the source, writes in the order of
//! the destination.
//!
//! A core waits for memory with a dozen or so lines under way, far too few to hide its latency; only
//! the prefetcher of the level-2 cache goes further, and it must see lines follow one another in a
//! page. That asks for a long walk along a few source rows, which stores one line here and one
//! there: as many pages are open as there are columns. So the two sides go their own ways. A patch is
//! some rows by all columns of the cell, small enough for the level-2 cache. While its squares are
//! stored down the columns, lines that follow one another in each destination row, the lines of
//! the next patch are asked for along the source rows, as many as a square has read.
//!
//! ```text
//!               source                                 destination
//!   this patch  [ 1 | 3 | 5 | 7 | …                    rows j     [ 1 2 ]
//!               [ 2 | 4 | 6 | 8 | …                    rows j+16  [ 3 4 ]
//!   next patch  [ → → → asked for, row group by group
//! ```
//!
//! Measured on f32, against memcpy, before (line by line along the source rows) and after: on a
//! Sapphire Rapids 7264² 0.70 and 0.94, batches of 96×608 0.64 and 0.79; without asking ahead, 0.3 from
//! 64 rows on. On a Zen 4 the suite `ttc57` as a whole 0.90 and 1.01; cells of a few kilobytes far
//! apart in the source lost up to a quarter (`f32[28,28,48,28,48].permute(1,3,0,4,2)`).

use core::ops::Range;

use super::super::tier::{Rows, Tier};
use super::super::{Cell, LINE};
use super::{LaneTranspose, lines, starts};

/// Bytes of a patch. Two of them, this and the next, fit into any level-2 cache.
const BYTES: usize = 128 << 10;
/// Rows of a patch at least: two lines of units of four bytes. Rows that are a large power of two
/// apart share a few sets of the cache, which have room for as many.
const LEAST_ROWS: usize = 32;
/// Source rows walked side by side, at most: as many streams as the prefetcher follows.
const STREAMS: usize = 16;
/// Bytes of a page.
const PAGE: usize = 4096;

/// Stores rows `whole` of the cell, which are whole lines of every destination row.
///
/// # Safety
/// The obligations of [`super::cell`]; `whole` begins a line in every destination row.
#[inline(always)]
pub(super) unsafe fn store<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    whole: Range<usize>,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let per_line = LINE / unit;
    let columns = per_line.min(cell.q);
    let rows = height(cell.q * unit, per_line);
    for first in whole.clone().step_by(rows) {
        let patch = first..(first + rows).min(whole.end);
        let next = if patch.end < whole.end { (cell.src, patch.end) } else { (cell.next, 0) };
        let mut ahead = Ahead::new(src_rows, cell.q * unit, (cell.src, patch.clone()), next);
        for j in starts(cell.q, columns) {
            for i in patch.clone().step_by(per_line) {
                ahead.ask::<T>(per_line);
                // SAFETY: columns j..j+columns are the cell's, and so are the rows of one line, which
                // `i` begins in every destination row.
                unsafe {
                    let to = |k: usize| cell.dst.offset(dst_rows.offset(j + k)).add(i * unit);
                    lines::<T, N, true>(cell.src.add(j * unit), i, columns, src_rows, to);
                }
            }
        }
    }
}

/// Rows of a patch of rows of `bytes` bytes: lines of `per_line` rows.
#[inline(always)]
pub(crate) fn height(bytes: usize, per_line: usize) -> usize {
    (BYTES / bytes).max(LEAST_ROWS).next_multiple_of(per_line)
}

/// Lines that will be read later, in the order in which they are asked for.
pub(crate) enum Ahead<R> {
    /// Rows of `bytes` bytes, side by side from row `row` on, of which `at` bytes were walked and
    /// `asked` rows were asked for the next line. `src` is the first unit of row 0.
    Rows { src: *const u8, rows: R, bytes: usize, row: usize, at: usize, asked: usize },
    /// The next block of memory, its pages side by side, where `at` is what is read of this one.
    Pages { at: *const u8, far: usize },
}

impl<R: Rows> Ahead<R> {
    /// What follows a patch of `count` rows from row `row` on, of `bytes` bytes each. `src` and `next`
    /// are the first units of row 0 of the patch and of the one that follows it, which begins with its
    /// row `next_row`.
    #[inline(always)]
    pub fn new(
        rows: R,
        bytes: usize,
        (src, patch): (*const u8, Range<usize>),
        (next, next_row): (*const u8, usize),
    ) -> Self {
        let at = src.wrapping_offset(rows.guess(patch.start));
        let last = src.wrapping_offset(rows.guess(patch.end - 1));
        let follows = next.wrapping_offset(rows.guess(next_row));
        let whole = patch.len() * bytes;
        let dense = last.wrapping_add(bytes) == at.wrapping_add(whole);
        match dense && follows == at.wrapping_add(whole) {
            true => Self::Pages { at, far: whole.next_multiple_of(STREAMS * PAGE) },
            false => Self::Rows { src: next, rows, bytes, row: next_row, at: 0, asked: 0 },
        }
    }

    /// Asks for `count` lines.
    #[inline(always)]
    pub fn ask<T: Tier>(&mut self, count: usize) {
        for _ in 0..count {
            T::prefetch(self.line());
        }
    }

    #[inline(always)]
    fn line(&mut self) -> *const u8 {
        match self {
            Self::Rows { src, rows, bytes, row, at, asked } => {
                let line = src.wrapping_offset(rows.guess(*row + *asked)).wrapping_add(*at);
                *asked += 1;
                if *asked == STREAMS {
                    (*asked, *at) = (0, *at + LINE);
                    if *at >= *bytes {
                        (*at, *row) = (0, *row + STREAMS);
                    }
                }
                line
            }
            Self::Pages { at, far } => {
                let within = at.addr() % (STREAMS * PAGE);
                let turn = within / LINE;
                let to = turn % STREAMS * PAGE + turn / STREAMS * LINE;
                let line = at.wrapping_sub(within).wrapping_add(*far + to);
                *at = at.wrapping_add(LINE);
                line
            }
        }
    }
}
