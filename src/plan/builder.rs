//! Puts a nest together, loop by loop.

use core::cmp::Reverse;
use core::mem;

use smallvec::SmallVec;

use super::nest::{Extent, Loop, Nest, blocks};
use crate::analysis::Axis;
use crate::kernels::{Geometry, Kernel};

/// `axes` without those at the given places.
pub(super) fn without<'a>(axes: &'a [Axis], places: &'a [usize]) -> impl Iterator<Item = &'a Axis> {
    axes.iter().enumerate().filter(|(i, _)| !places.contains(i)).map(|(_, axis)| axis)
}

/// A nest under construction: loops are added from the outside in.
///
/// Everything happens in place: moving loops about costs a small copy more than choosing them.
pub(super) struct Builder {
    pub grid: SmallVec<[Loop; 6]>,
    /// Loops that reread the source, kept innermost so that what they reread is still in a cache.
    rereads: SmallVec<[Loop; 6]>,
    pub p: Extent,
    pub q: Extent,
    pub geometry: Geometry,
    pub align_dst: bool,
    pub align_src: bool,
    pub src_shift: isize,
    pub dst_shift: isize,
}

impl Builder {
    #[inline(always)]
    pub fn new<'a>(unit: usize, outer: impl IntoIterator<Item = &'a Axis>) -> Self {
        let mut builder = Self {
            grid: SmallVec::new(),
            rereads: SmallVec::new(),
            p: Extent::Whole(1),
            q: Extent::Whole(1),
            geometry: Geometry { unit, ..Geometry::default() },
            align_dst: false,
            align_src: false,
            src_shift: 0,
            dst_shift: 0,
        };
        for &Axis { len, src, dst } in outer {
            let loops = if src == 0 { &mut builder.rereads } else { &mut builder.grid };
            loops.push(Loop { count: len, src, dst });
        }
        builder
    }

    /// The loops so far.
    pub fn loops(&self) -> impl Iterator<Item = &Loop> {
        self.grid.iter().chain(&self.rereads)
    }

    /// Lets cells run along `p` and `rows`, cut into blocks of at most the given units.
    pub fn along(
        &mut self,
        p: Axis,
        rows: Option<Axis>,
        p_block: usize,
        q_block: usize,
    ) -> &mut Self {
        (self.geometry.sp, self.geometry.dp) = (p.src, p.dst);
        if let Some(rows) = rows {
            (self.geometry.sq, self.geometry.dq) = (rows.src, rows.dst);
            self.q = self.cut(rows.len, q_block, rows.src, rows.dst);
        }
        self.p = self.cut(p.len, p_block, p.src, p.dst);
        self
    }

    /// Cuts `len` units into blocks, with a loop of its own when there is more than one.
    pub fn cut(&mut self, len: usize, block: usize, src: isize, dst: isize) -> Extent {
        let count = blocks(len, block);
        if count == 1 {
            return Extent::Whole(len);
        }
        let level = self.grid.len();
        let step = |step: isize| step * block as isize;
        self.grid.push(Loop { count, src: step(src), dst: step(dst) });
        Extent::Cut { len, block, level }
    }

    /// Orders the loops by their steps in the source, the longest outermost, so that cells follow
    /// one another as their data does there. Inside them come the loops that take steps of less than
    /// `near` bytes in the destination, and innermost those that reread the source.
    pub fn by_source(&mut self, near: usize) -> &mut Self {
        let key = |l: &Loop| (l.dst.unsigned_abs() >= near, l.src.unsigned_abs());
        let keys: SmallVec<[(bool, usize); 6]> = self.grid.iter().map(key).collect();
        let mut order: SmallVec<[usize; 6]> = (0..keys.len()).collect();
        order.sort_by_key(|&i| Reverse(keys[i]));
        self.grid = order.iter().map(|&i| self.grid[i]).collect();
        for extent in [&mut self.p, &mut self.q] {
            if let Extent::Cut { level, .. } = extent
                && let Some(place) = order.iter().position(|i| i == level)
            {
                *level = place;
            }
        }
        self
    }

    /// The nest, which leaves the builder empty.
    #[inline]
    pub fn build(&mut self, kernel: Kernel) -> Nest {
        for &reread in &self.rereads {
            self.grid.push(reread);
        }
        Nest {
            grid: mem::take(&mut self.grid),
            p: self.p,
            q: self.q,
            kernel,
            geometry: mem::take(&mut self.geometry),
            align_dst: self.align_dst,
            align_src: self.align_src,
            src_shift: self.src_shift,
            dst_shift: self.dst_shift,
        }
    }
}
