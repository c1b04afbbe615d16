//! The loops around a kernel: a grid of cells, each addressed by index.

use core::ops::Range;

use smallvec::SmallVec;

use crate::kernels::{Cell, Geometry, Kernel};
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
    /// The extent of the cell at `index` of the grid.
    fn at(self, index: &[usize]) -> usize {
        match self {
            Self::Whole(len) => len,
            Self::Cut { len, block, level } => {
                let i = index[level];
                if i + 1 == blocks(len, block) { len - i * block } else { block }
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
        match self.grid.len() {
            // SAFETY: there is one cell, the one at index [].
            0 => unsafe { (self.kernel.run)(&self.geometry, self.cell(src, dst, &[])) },
            // SAFETY: passed on. Eight indices are few enough to keep a small copy cheap.
            1..=8 => unsafe { self.walk::<8>(cells, src, dst) },
            // SAFETY: passed on.
            _ => unsafe { self.walk::<{ MAX_RANK + 2 }>(cells, src, dst) },
        }
    }

    /// [`Nest::run`] for a grid of at most `LEVELS` loops.
    ///
    /// # Safety
    /// As for [`Nest::run`].
    unsafe fn walk<const LEVELS: usize>(&self, cells: Range<usize>, src: *const u8, dst: *mut u8) {
        let mut levels = [0usize; LEVELS];
        let index = &mut levels[..self.grid.len()];
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
        for _ in cells {
            // SAFETY: the cell at `index` is one of the range's.
            unsafe { (self.kernel.run)(&self.geometry, self.cell(src, dst, index)) };
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
        }
    }

    #[inline(always)]
    fn cell(&self, src: *const u8, dst: *mut u8, index: &[usize]) -> Cell {
        Cell { src, dst, p: self.p.at(index), q: self.q.at(index) }
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
                let sizes: Vec<usize> =
                    (0..count).map(|i| Extent::Cut { len, block, level: 0 }.at(&[i])).collect();
                assert_eq!(sizes.iter().sum::<usize>(), len);
                assert!(sizes.iter().all(|&s| s >= block.min(len) && s < 2 * block));
            }
        }
    }
}
