//! The loops around a kernel: a grid of cells, each addressed by index.

use core::ops::Range;

use smallvec::SmallVec;

use crate::kernels::{Cell, Geometry, Kernel, LINE, stream};
use crate::layout::MAX_RANK;

/// One loop over cells. Steps are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub count: usize,
    pub src: isize,
    pub dst: isize,
}

/// One of a cell's two extents, in units.
///
/// A whole extent is the same in every cell. A cut one is `block` in every cell but the last,
/// which takes what is left over as well, so that no cell is ever smaller than a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole(usize),
    Cut {
        len: usize,
        block: usize,
        /// The grid loop that counts the blocks.
        level: usize,
    },
}

impl Extent {
    /// The whole length, over all cells.
    fn whole(self) -> usize {
        match self {
            Self::Whole(len) | Self::Cut { len, .. } => len,
        }
    }

    /// The extent of a cell: of all but the last.
    pub fn block(self) -> usize {
        match self {
            Self::Whole(len) | Self::Cut { block: len, .. } => len,
        }
    }

    /// Whether there are blocks before and after that of the cell at `index`.
    #[inline(always)]
    fn more(self, index: &[usize]) -> (bool, bool) {
        match self {
            Self::Whole(_) => (false, false),
            Self::Cut { len, block, level } => {
                (index[level] > 0, index[level] + 1 < blocks(len, block))
            }
        }
    }

    /// Where the cell at `index` of the grid begins, in units behind the place that its grid
    /// index gives, and its extent.
    ///
    /// With a `shift` (less than a block) every cut lies that many units later, which makes the
    /// first cell longer and the last one shorter.
    #[inline(always)]
    fn at(self, index: &[usize], shift: usize) -> (usize, usize) {
        match self {
            Self::Whole(len) => (0, len),
            Self::Cut { len, block, level } => {
                let i = index[level];
                let start = if i == 0 { 0 } else { shift };
                let last = i + 1 == blocks(len, block);
                let end = if last { len - i * block } else { block + shift };
                (start, end - start)
            }
        }
    }
}

/// Blocks of `block` in `len`, none of them smaller than `block`, at least one.
pub(crate) fn blocks(len: usize, block: usize) -> usize {
    (len / block).max(1)
}

/// A kernel and the grid of cells it runs on.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    /// Loops over cells, outermost first. At most two more than the rank.
    pub grid: SmallVec<[Loop; 6]>,
    pub p: Extent,
    pub q: Extent,
    pub kernel: Kernel,
    pub geometry: Geometry,
    /// All destination rows begin at the same place in a line, in every cell: cuts along `p` are
    /// shifted so that cells begin where a destination line does.
    pub align_dst: bool,
    /// The same for source rows and cuts along `q`.
    pub align_src: bool,
    /// Bytes from the copy's first unit to the first unit of cell 0.
    pub src_shift: isize,
    pub dst_shift: isize,
}

impl Nest {
    /// Cells in the grid.
    pub fn cells(&self) -> usize {
        self.grid.iter().map(|l| l.count).product()
    }

    /// Runs the kernel on the cells numbered `cells` in row-major order of the grid.
    ///
    /// # Safety
    /// - `cells` is within `0..self.cells()`.
    /// - `src` and `dst` are the addresses of the first unit of cell 0, and every unit of every
    ///   cell of the range is readable (writable) at its address.
    /// - What [`crate::kernels::CellFn`] asks.
    pub unsafe fn run(&self, cells: Range<usize>, src: *const u8, dst: *mut u8) {
        self.visit(cells, src, dst, |cell| {
            // SAFETY: the cell is one of the range's.
            unsafe { (self.kernel.run)(&self.geometry, cell) }
        });
        if self.kernel.streams() {
            stream::fence();
        }
    }

    /// Calls `each` with the cells numbered `cells`, one after the other. `src` and `dst` are the
    /// addresses of the first unit of cell 0; nothing is read or written there.
    #[inline]
    pub fn visit(
        &self,
        cells: Range<usize>,
        src: *const u8,
        dst: *mut u8,
        mut each: impl FnMut(Cell),
    ) {
        match self.grid.len() {
            0 => {
                // There is one cell, and it begins where the copy does.
                let (p, q) = (self.p.whole(), self.q.whole());
                each(Cell { src, dst, p, q, next: src, more: (false, false) });
            }
            // Eight indices are few enough to keep a small copy cheap.
            1..=8 => self.walk::<8>(cells, src, dst, each),
            _ => self.walk::<{ MAX_RANK + 2 }>(cells, src, dst, each),
        }
    }

    /// [`Nest::visit`] for a grid of at most `LEVELS` loops.
    fn walk<const LEVELS: usize>(
        &self,
        cells: Range<usize>,
        src: *const u8,
        dst: *mut u8,
        mut each: impl FnMut(Cell),
    ) {
        let mut levels = [0usize; LEVELS];
        let index = &mut levels[..self.grid.len()];
        let unit = self.geometry.unit;
        let shift = |align: bool, address: usize| {
            let to_line = address.wrapping_neg() % LINE;
            if align && to_line.is_multiple_of(unit) { to_line / unit } else { 0 }
        };
        let shift = (shift(self.align_dst, dst.addr()), shift(self.align_src, src.addr()));
        // Addresses are kept as wrapping offsets: between two cells the odometer passes through
        // values that belong to no cell.
        let (mut src, mut dst) = (src, dst);
        let mut rest = cells.start;
        for (i, l) in index.iter_mut().zip(&self.grid).rev() {
            *i = rest % l.count;
            rest /= l.count;
            src = src.wrapping_offset(l.src.wrapping_mul(*i as isize));
            dst = dst.wrapping_offset(l.dst.wrapping_mul(*i as isize));
        }
        let mut cell = self.cell(src, dst, index, shift);
        for left in (0..cells.len()).rev() {
            if left == 0 {
                return each(cell);
            }
            for (i, l) in index.iter_mut().zip(&self.grid).rev() {
                *i += 1;
                src = src.wrapping_offset(l.src);
                dst = dst.wrapping_offset(l.dst);
                if *i < l.count {
                    break;
                }
                *i = 0;
                src = src.wrapping_offset(l.src.wrapping_mul(l.count as isize).wrapping_neg());
                dst = dst.wrapping_offset(l.dst.wrapping_mul(l.count as isize).wrapping_neg());
            }
            let next = self.cell(src, dst, index, shift);
            each(Cell { next: next.src, ..cell });
            cell = next;
        }
    }

    /// The cell at `index`, whose place without shifts is `src` and `dst`.
    #[inline(always)]
    fn cell(&self, src: *const u8, dst: *mut u8, index: &[usize], shift: (usize, usize)) -> Cell {
        let ((p_start, p), (q_start, q)) = (self.p.at(index, shift.0), self.q.at(index, shift.1));
        let g = &self.geometry;
        let (i, j) = (p_start as isize, q_start as isize);
        let src = src.wrapping_offset(i * g.sp + j * g.sq);
        Cell {
            src,
            next: src,
            dst: dst.wrapping_offset(i * g.dp + j * g.dq),
            p,
            q,
            more: self.q.more(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_block_is_smaller_than_asked_unless_there_is_only_one() {
        for len in 1..200 {
            for block in 1..40 {
                let count = blocks(len, block);
                let cut = Extent::Cut { len, block, level: 0 };
                let sizes: Vec<usize> = (0..count).map(|i| cut.at(&[i], 0).1).collect();
                assert_eq!(sizes.iter().sum::<usize>(), len);
                assert!(sizes.iter().all(|&s| s >= block.min(len) && s < 2 * block));
                for shift in 0..block.min(len) {
                    let mut end = 0;
                    for i in 0..count {
                        let (start, size) = cut.at(&[i], shift);
                        assert_eq!(i * block + start, end);
                        end += size;
                    }
                    assert_eq!(end, len);
                }
            }
        }
    }
}
