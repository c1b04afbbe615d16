//! Which loop runs inside which.

use smallvec::SmallVec;

use crate::analysis::Normalized;
use crate::error::CopyError;
use crate::kernels::LINE;
use crate::layout::Layout;
use crate::plan::CopySpec;

/// One axis, with its steps in elements. The destination's is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub len: usize,
    pub dst: isize,
    pub src: isize,
}

pub(super) type Loops = SmallVec<[Loop; 6]>;

/// The loops of an accumulate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Nest {
    /// Loops around the body, outermost first.
    pub outer: Loops,
    /// Places of the first element in destination and source.
    pub start: (isize, isize),
    pub body: Body,
}

/// What runs for each index of the outer loops.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Rows along one axis, `block` elements at a time, and for each block all of `middle`.
    Rows { middle: Loops, row: Loop, block: usize },
    /// The source is nearly contiguous along `q`, the destination along `p`.
    Tile { p: Loop, q: Loop },
}

/// Bytes of either side that a block of rows may span: half of a small level-1 cache.
const BLOCK: usize = 16 << 10;

/// Elements from which an axis is worth a tile.
const TILE_FROM: usize = 8;

impl Nest {
    /// The loops that add `from` to `to`, with elements of `size` bytes; `None` for none.
    pub fn new(to: &Layout, from: &Layout, size: usize) -> Result<Option<Self>, CopyError> {
        // Elements of one "byte": all steps are then in elements.
        let copy = Normalized::of(&CopySpec::between(from, to, 1)?)?;
        if copy.bytes == 0 {
            return Ok(None);
        }
        // Offsets of layouts with elements fit isize.
        let mut start =
            (to.offset() as isize + copy.dst_shift, from.offset() as isize + copy.src_shift);
        let mut loops: Loops = copy
            .axes
            .iter()
            .map(|axis| Loop { len: axis.len, dst: axis.dst, src: axis.src })
            .collect();
        if copy.run > 1 {
            loops.push(Loop { len: copy.run, dst: 1, src: 1 });
        }
        for axis in loops.iter_mut().filter(|axis| axis.dst == 0 && axis.src < 0) {
            // What is summed up may be read forwards.
            start.1 += axis.src * (axis.len - 1) as isize;
            axis.src = -axis.src;
        }
        let body = match tile(&loops, size) {
            Some((p, q)) => {
                let body = Body::Tile { p: loops[p], q: loops[q] };
                loops.remove(p.max(q));
                loops.remove(p.min(q));
                body
            }
            None => rows(&mut loops, size),
        };
        Ok(Some(Self { outer: loops, start, body }))
    }
}

/// The axes, if any, of which one is (nearly) contiguous in the destination alone and the other in
/// the source alone, so that rows along either would jump from line to line on the other side.
fn tile(loops: &[Loop], size: usize) -> Option<(usize, usize)> {
    let kept = || (0..loops.len()).filter(|&axis| loops[axis].dst > 0);
    let p = kept().min_by_key(|&axis| loops[axis].dst)?;
    let q = kept()
        .filter(|&axis| loops[axis].src != 0)
        .min_by_key(|&axis| loops[axis].src.unsigned_abs())?;
    let jumps = |step: isize| step.unsigned_abs().saturating_mul(size) >= LINE;
    let closer_sum = loops
        .iter()
        .any(|axis| axis.dst == 0 && axis.src.unsigned_abs() < loops[q].src.unsigned_abs());
    let worth = p != q
        && loops[p].len >= TILE_FROM
        && loops[q].len >= TILE_FROM
        && jumps(loops[p].src)
        && jumps(loops[q].dst)
        && !closer_sum;
    worth.then_some((p, q))
}

/// Takes the row, and the loops that come back to its cache lines, out of `loops`.
fn rows(loops: &mut Loops, size: usize) -> Body {
    let cheapest = (0..loops.len()).min_by(|&a, &b| {
        let cost = |axis: usize| cost(loops[axis], size);
        cost(a).total_cmp(&cost(b))
    });
    let row = match cheapest {
        Some(axis) => loops.remove(axis),
        None => Loop { len: 1, dst: 1, src: 1 }, // one element
    };
    let inside = |step: isize, len: usize, row: isize| {
        step.unsigned_abs().saturating_mul(len) <= row.unsigned_abs()
    };
    let comes_back = |axis: &Loop| {
        axis.dst == 0
            || axis.dst == row.dst
            || inside(axis.src, axis.len, row.src)
            || inside(axis.dst, axis.len, row.dst)
    };
    let middle: Loops = loops.iter().copied().filter(comes_back).collect();
    loops.retain(|axis| !comes_back(axis));
    // A sum over rows that lie apart comes back to the destination alone.
    let source = if middle.iter().all(|axis| axis.dst == 0 && axis.src.abs() >= row.src.abs()) {
        0
    } else {
        row.src.unsigned_abs()
    };
    let step = row.dst.unsigned_abs().max(source).max(1);
    let block = (BLOCK / size.max(1).saturating_mul(step)).max(64);
    Body::Rows { middle, row, block }
}

/// What an element costs in rows along `axis`: in the row's loop, in lines that are touched for
/// it alone, and as its share of starting the row. The unit is about a nanosecond.
fn cost(axis: Loop, size: usize) -> f32 {
    let jumps = |step: isize| step.unsigned_abs().saturating_mul(size) >= LINE;
    let element = match (axis.dst, axis.src) {
        (0, 0) => 0.0,
        (0 | 1, 0 | 1) => 0.1,
        (1, -1) => 0.2,
        (dst, src) => 0.5 + f32::from(u8::from(jumps(dst)) + u8::from(jumps(src))),
    };
    element + 4.0 / axis.len as f32
}

/// The places of every index of some loops, outermost loop first: (destination, source).
pub(super) struct Positions<'a> {
    loops: &'a [Loop],
    index: SmallVec<[usize; 6]>,
    next: Option<(isize, isize)>,
}

impl<'a> Positions<'a> {
    #[inline(always)]
    pub fn new(loops: &'a [Loop], start: (isize, isize)) -> Self {
        Self { loops, index: SmallVec::from_elem(0, loops.len()), next: Some(start) }
    }
}

impl Iterator for Positions<'_> {
    type Item = (isize, isize);

    #[inline(always)]
    fn next(&mut self) -> Option<(isize, isize)> {
        let here = self.next?;
        let (mut dst, mut src) = here;
        for (axis, index) in self.loops.iter().zip(self.index.iter_mut()).rev() {
            if *index + 1 < axis.len {
                *index += 1;
                self.next = Some((dst + axis.dst, src + axis.src));
                return Some(here);
            }
            dst -= axis.dst * *index as isize;
            src -= axis.src * *index as isize;
            *index = 0;
        }
        self.next = None;
        Some(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(to: &Layout, from: &Layout) -> Nest {
        Nest::new(to, from, 4).unwrap().unwrap()
    }

    fn dense(shape: &[usize]) -> Layout {
        Layout::contiguous(shape).unwrap()
    }

    #[test]
    fn a_dense_sum_is_one_row() {
        let nest = nest(&dense(&[30, 40]), &dense(&[30, 40]));
        assert!(nest.outer.is_empty());
        let Body::Rows { middle, row, .. } = nest.body else { panic!("{nest:?}") };
        assert_eq!((middle.len(), row), (0, Loop { len: 1200, dst: 1, src: 1 }));
    }

    #[test]
    fn rows_that_are_summed_up_run_inside_a_block() {
        // The gradient of a row that was expanded to many.
        let nest = nest(&dense(&[1, 4096]).expand(&[500, -1]).unwrap(), &dense(&[500, 4096]));
        let Body::Rows { middle, row, block } = nest.body else { panic!("{nest:?}") };
        assert_eq!(middle[..], [Loop { len: 500, dst: 0, src: 4096 }]);
        assert_eq!((row, block), (Loop { len: 4096, dst: 1, src: 1 }, 4096));
    }

    #[test]
    fn a_sum_along_contiguous_elements_is_a_row() {
        // The gradient of a column that was expanded to many.
        let nest = nest(&dense(&[500, 1]).expand(&[-1, 4096]).unwrap(), &dense(&[500, 4096]));
        assert_eq!(nest.outer[..], [Loop { len: 500, dst: 1, src: 4096 }]);
        let Body::Rows { middle, row, .. } = nest.body else { panic!("{nest:?}") };
        assert_eq!((middle.len(), row), (0, Loop { len: 4096, dst: 0, src: 1 }));
    }

    #[test]
    fn a_transpose_goes_by_tiles() {
        let nest = nest(&dense(&[300, 400]).t(), &dense(&[400, 300]));
        let (p, q) = (Loop { len: 400, dst: 1, src: 300 }, Loop { len: 300, dst: 400, src: 1 });
        assert_eq!(nest.body, Body::Tile { p, q });
        assert!(nest.outer.is_empty());
    }

    #[test]
    fn short_windows_run_inside_a_block() {
        let windows = dense(&[1000]).unfold(0, 3, 1).unwrap();
        let nest = nest(&windows, &dense(&[998, 3]));
        assert!(nest.outer.is_empty());
        let Body::Rows { middle, row, .. } = nest.body else { panic!("{nest:?}") };
        assert_eq!(middle[..], [Loop { len: 3, dst: 1, src: 1 }]);
        assert_eq!(row, Loop { len: 998, dst: 1, src: 3 });
    }
}
