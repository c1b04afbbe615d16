//! Lines that two destination rows share, where the rows follow one another without a gap.
//!
//! Such rows all begin at the same place in a line. Unless that is its start, the tail of a row and
//! the head of the next make up one line, which streams like any other: it is a square whose rows
//! are first the last ones of one column, then the first ones of the next.
//!
//! ```text
//!   destination row j                    row j + 1
//!  [ head | line | line | … | tail ][ head | line | …
//!                             └── one line ──┘
//! ```

use core::ops::Range;

use super::super::tier::Rows;
use super::super::{Cell, LINE, Seams};
use super::{LaneTranspose, lines, starts};

/// Rows `first..` of one column, and from row `tail` on the rows from 0 of the column that lies `step`
/// bytes further.
#[derive(Clone, Copy)]
struct Seam<R> {
    rows: R,
    first: usize,
    tail: usize,
    step: isize,
}

impl<R: Rows> Rows for Seam<R> {
    #[inline(always)]
    fn offset(self, row: usize) -> isize {
        if row < self.tail {
            self.rows.offset(self.first + row)
        } else {
            self.rows.offset(row - self.tail) + self.step
        }
    }

    /// What a seam reads next is not known here.
    #[inline(always)]
    fn guess(self, _row: usize) -> isize {
        0
    }
}

/// The columns of the first period, and how many of them have a seam behind them.
#[inline(always)]
pub(crate) fn period(seams: Seams, cell: &Cell) -> (usize, usize) {
    let (_, after) = cell.more;
    match seams.period {
        Some(period) => (period, period - seams.step),
        None if after => (cell.q, cell.q),
        None => (cell.q, cell.q - seams.step),
    }
}

/// Columns that lie side by side and have a seam behind them; 0 for cells that end in a period.
#[inline(always)]
pub(crate) fn columns(seams: Seams, cell: &Cell) -> usize {
    let (len, joined) = period(seams, cell);
    if cell.q.is_multiple_of(len) { joined } else { 0 }
}

/// Stores the rows of the cell before and behind `whole`, its whole lines. Of a line that two
/// cells share, the first of them takes all.
///
/// # Safety
/// The obligations of [`super::cell`], and of `seams`, which have at least N columns; `whole` are all
/// the whole lines of a row, at least one, and the row does not begin with one.
#[inline(always)]
pub(super) unsafe fn store<T: LaneTranspose<N>, const N: usize>(
    seams: Seams,
    cell: &Cell,
    whole: &Range<usize>,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let tail = cell.p - whole.end;
    debug_assert!((tail + whole.start) * unit == LINE);
    let (len, joined) = period(seams, cell);
    let (before, after) = match seams.period {
        Some(_) => (false, false),
        None => cell.more,
    };
    let rows = Seam { rows: src_rows, first: whole.end, tail, step: (seams.step * unit) as isize };
    let width = (LINE / unit).min(joined);
    for first in (0..cell.q).step_by(len) {
        for j in starts(joined, width).map(|j| first + j) {
            // SAFETY: the columns are the copy's, and so are those behind the seams; a line begins
            // with the tail of a column's row, and ends with the head of the one that follows.
            unsafe {
                let to = |k: usize| cell.dst.offset(dst_rows.offset(j + k)).add(whole.end * unit);
                lines::<T, N, true>(cell.src.add(j * unit), 0, width, rows, to);
            }
        }
        // SAFETY: the heads and tails that no seam covers are the cell's.
        unsafe {
            if !before {
                ends::<N>(cell, first..first + seams.step, 0..whole.start, src_rows, dst_rows);
            }
            if !after {
                let columns = first + len - seams.step..first + len;
                ends::<N>(cell, columns, whole.end..cell.p, src_rows, dst_rows);
            }
        }
    }
}

/// Stores the given rows of the given columns, through the caches.
///
/// # Safety
/// They are the cell's.
#[inline(always)]
unsafe fn ends<const N: usize>(
    cell: &Cell,
    columns: Range<usize>,
    rows: Range<usize>,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    for j in columns {
        for i in rows.clone() {
            // SAFETY: the caller vouches for the unit on both sides.
            unsafe {
                let from = cell.src.offset(src_rows.offset(i)).add(j * unit);
                let to = cell.dst.offset(dst_rows.offset(j)).add(i * unit);
                from.copy_to_nonoverlapping(to, unit);
            }
        }
    }
}
