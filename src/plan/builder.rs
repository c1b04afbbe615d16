//! Puts a nest together, loop by loop.

use smallvec::SmallVec;

use super::nest::{Extent, Loop, Nest, blocks};
use crate::analysis::{Axes, Axis};
use crate::kernels::{Geometry, Kernel};

/// `axes` without those at the given places.
pub(super) fn without(axes: &[Axis], places: &[usize]) -> Axes {
    axes.iter().enumerate().filter(|(i, _)| !places.contains(i)).map(|(_, &axis)| axis).collect()
}

/// A nest under construction: loops are added from the outside in.
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
    pub fn new(unit: usize, outer: &[Axis]) -> Self {
        let as_loop = |axis: &Axis| Loop { count: axis.len, src: axis.src, dst: axis.dst };
        Self {
            grid: outer.iter().filter(|axis| axis.src != 0).map(as_loop).collect(),
            rereads: outer.iter().filter(|axis| axis.src == 0).map(as_loop).collect(),
            p: Extent::Whole(1),
            q: Extent::Whole(1),
            geometry: Geometry { unit, ..Geometry::default() },
            align_dst: false,
            align_src: false,
            src_shift: 0,
            dst_shift: 0,
        }
    }

    /// The loops so far.
    pub fn loops(&self) -> impl Iterator<Item = &Loop> {
        self.grid.iter().chain(&self.rereads)
    }

    /// Lets cells run along `p` and `rows`, cut into blocks of at most the given units.
    pub fn along(mut self, p: Axis, rows: Option<Axis>, p_block: usize, q_block: usize) -> Self {
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

    pub fn build(mut self, kernel: Kernel) -> Nest {
        self.grid.extend(self.rereads);
        Nest {
            grid: self.grid,
            p: self.p,
            q: self.q,
            kernel,
            geometry: self.geometry,
            align_dst: self.align_dst,
            align_src: self.align_src,
            src_shift: self.src_shift,
            dst_shift: self.dst_shift,
        }
    }
}
