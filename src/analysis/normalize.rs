//! The fewest loops that visit the same bytes.
//!
//! Unit axes are dropped, axes that run backwards through the destination are flipped, axes are
//! ordered by destination stride, and neighbours that advance in lockstep **on both sides** are
//! merged. What is left is unique for a copy, so later stages never meet two spellings of it.

use core::ops::Range;

use smallvec::SmallVec;

use crate::error::PlanError;
use crate::layout::MAX_RANK;
use crate::plan::CopySpec;

/// One loop of a normalized copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Iterations, at least 2.
    pub len: usize,
    /// Source step, in bytes; any sign, 0 for a broadcast.
    pub src: isize,
    /// Destination step, in bytes; positive.
    pub dst: isize,
}

/// Loops of a copy, outermost first; up to six are stored inline.
pub type Axes = SmallVec<[Axis; 6]>;

/// A copy reduced to its essential loops.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Normalized {
    /// Bytes that are contiguous on both sides: one element, or a whole run of them.
    pub run: usize,
    /// Loops around the run, in order of falling destination step. Empty for one run.
    pub axes: Axes,
    /// Bytes from the spec's source pointer to the first run's source.
    pub src_shift: isize,
    /// Bytes from the spec's destination pointer to the first run's destination.
    pub dst_shift: isize,
    /// Bytes the copy writes; 0 for an empty shape, which has no loops and no run.
    pub bytes: usize,
}

impl Normalized {
    /// Normalizes `spec`.
    ///
    /// The stride of an axis of size 1 is never read, and an empty shape ends the analysis before
    /// any stride is.
    ///
    /// # Errors
    /// [`PlanError`] when the element size is 0, the ranks disagree or exceed 64, or either side
    /// spans more than `isize::MAX` bytes.
    pub fn of(spec: &CopySpec) -> Result<Self, PlanError> {
        let mut copy = Self::empty();
        copy.fill(spec)?;
        Ok(copy)
    }

    /// [`Normalized::of`] in place, into an empty copy. What an error leaves behind means nothing.
    pub(crate) fn fill(&mut self, spec: &CopySpec) -> Result<(), PlanError> {
        let rank = spec.shape.len();
        if spec.elem_size == 0 {
            return Err(PlanError::ZeroElementSize);
        }
        if rank != spec.src_strides.len() || rank != spec.dst_strides.len() {
            return Err(PlanError::RankMismatch {
                shape: rank,
                src: spec.src_strides.len(),
                dst: spec.dst_strides.len(),
            });
        }
        if rank > MAX_RANK {
            return Err(PlanError::RankTooLarge { rank });
        }
        if spec.shape.contains(&0) {
            return Ok(());
        }

        // Sums and products stay at their highest value once they reach it, which is too high.
        let elem = spec.elem_size;
        let (mut bytes, mut src_span, mut dst_span) = (elem, elem, elem);
        let reach = |step: isize, len: usize| step.unsigned_abs().saturating_mul(len - 1);
        let sides = spec.src_strides.iter().zip(&spec.dst_strides);
        for (&len, (&src, &dst)) in spec.shape.iter().zip(sides) {
            if len > 1 {
                bytes = bytes.saturating_mul(len);
                src_span = src_span.saturating_add(reach(src, len));
                dst_span = dst_span.saturating_add(reach(dst, len));
                self.axes.push(Axis { len, src, dst });
            }
        }
        check(bytes, "the size of the copy")?;
        // Every address of a side, and one element past it, is within so many bytes of every other.
        // All later pointer arithmetic rests on this.
        check(src_span, "the span of the source")?;
        check(dst_span, "the span of the destination")?;

        self.bytes = bytes;
        (self.src_shift, self.dst_shift) = flip_backward(&mut self.axes);
        order_by_destination(&mut self.axes);
        coalesce(&mut self.axes);
        self.run = absorb_run(elem, &mut self.axes);
        Ok(())
    }

    /// The bytes the source touches, relative to the spec's source pointer.
    pub(crate) fn src_reach(&self) -> Range<isize> {
        self.reach(self.src_shift, |axis| axis.src)
    }

    /// The bytes the destination touches, relative to the spec's destination pointer.
    pub(crate) fn dst_reach(&self) -> Range<isize> {
        self.reach(self.dst_shift, |axis| axis.dst)
    }

    fn reach(&self, shift: isize, step: impl Fn(&Axis) -> isize) -> Range<isize> {
        // Within the spans checked before, so nothing can overflow.
        let (mut first, mut last) = (shift, shift);
        for axis in &self.axes {
            let reach = step(axis) * (axis.len - 1) as isize;
            if reach < 0 { first += reach } else { last += reach }
        }
        first..last + self.run as isize
    }

    /// Whether each axis steps over all that those inside it span in the destination, which then
    /// addresses no byte twice. It may address none twice all the same when not.
    pub(crate) fn is_nested_in_destination(&self) -> bool {
        let mut span = self.run as isize;
        self.axes.iter().rev().all(|axis| {
            let nested = axis.dst >= span;
            span += axis.dst * (axis.len - 1) as isize;
            nested
        })
    }

    /// A copy of no element.
    pub(crate) fn empty() -> Self {
        Self { run: 0, axes: Axes::new(), src_shift: 0, dst_shift: 0, bytes: 0 }
    }
}

fn check(bytes: usize, what: &'static str) -> Result<(), PlanError> {
    if isize::try_from(bytes).is_err() { Err(PlanError::Overflow { what }) } else { Ok(()) }
}

/// Makes every destination step positive by starting such axes at their other end. An axis that
/// steps 0 in the destination is left for the overlap check to refuse.
fn flip_backward(axes: &mut [Axis]) -> (isize, isize) {
    let (mut src_shift, mut dst_shift) = (0, 0);
    for axis in axes.iter_mut().filter(|axis| axis.dst < 0) {
        // Within the spans checked before, so neither product nor sum can overflow.
        let last = (axis.len - 1) as isize;
        src_shift += axis.src * last;
        dst_shift += axis.dst * last;
        axis.src = -axis.src;
        axis.dst = -axis.dst;
    }
    (src_shift, dst_shift)
}

/// Orders axes by falling destination step; an insertion sort, since ranks are small and mostly
/// in order already.
fn order_by_destination(axes: &mut [Axis]) {
    for i in 1..axes.len() {
        let mut j = i;
        while j > 0 && axes[j - 1].dst < axes[j].dst {
            axes.swap(j - 1, j);
            j -= 1;
        }
    }
}

/// Merges each axis with the next inner one where the outer step is exactly the inner axis'
/// extent, on both sides.
fn coalesce(axes: &mut Axes) {
    let loops = axes.as_mut_slice();
    let mut kept = 0;
    for i in 1..loops.len() {
        let (outer, inner) = (loops[kept], loops[i]);
        let extent = |step: isize| step.checked_mul(inner.len as isize);
        if extent(inner.src) == Some(outer.src) && extent(inner.dst) == Some(outer.dst) {
            loops[kept] = Axis { len: outer.len * inner.len, ..inner };
        } else {
            kept += 1;
            loops[kept] = inner;
        }
    }
    axes.truncate(kept + 1);
}

/// Turns an innermost axis that is dense on both sides into a longer run.
fn absorb_run(elem: usize, axes: &mut Axes) -> usize {
    match axes.last() {
        Some(axis) if axis.src == elem as isize && axis.dst == elem as isize => {
            let run = elem * axis.len;
            axes.pop();
            run
        }
        _ => elem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(elem: usize, shape: &[usize], src: &[isize], dst: &[isize]) -> Normalized {
        Normalized::of(&CopySpec::new(elem, shape, src, dst)).unwrap()
    }

    fn loops(n: &Normalized) -> Vec<(usize, isize, isize)> {
        n.axes.iter().map(|a| (a.len, a.src, a.dst)).collect()
    }

    #[test]
    fn a_dense_copy_is_one_run_whatever_its_rank() {
        let n = normal(4, &[2, 3, 4], &[48, 16, 4], &[48, 16, 4]);
        assert_eq!((n.run, loops(&n)), (96, vec![]));
    }

    #[test]
    fn unit_axes_and_their_strides_have_no_say() {
        let n = normal(8, &[3, 1, 3], &[24, isize::MIN, 8], &[24, isize::MAX, 8]);
        assert_eq!((n.run, loops(&n)), (72, vec![]));
    }

    #[test]
    fn an_empty_shape_reads_no_stride() {
        let n = normal(8, &[4, 0], &[isize::MAX, isize::MIN], &[isize::MAX, 8]);
        assert_eq!((n.run, n.bytes, loops(&n)), (0, 0, vec![]));
    }

    #[test]
    fn a_transpose_keeps_two_axes_in_destination_order() {
        // f32[3,4].T → [4,3]
        let n = normal(4, &[4, 3], &[4, 16], &[12, 4]);
        assert_eq!((n.run, loops(&n)), (4, vec![(4, 4, 12), (3, 16, 4)]));
        // The same pairs of addresses, written with the axes exchanged.
        assert_eq!(normal(4, &[3, 4], &[16, 4], &[4, 12]), n);
    }

    #[test]
    fn neighbours_merge_only_when_both_sides_agree() {
        // NHWC → NCHW: H and W advance together on both sides.
        let n = normal(4, &[2, 3, 5, 7], &[420, 4, 84, 12], &[420, 140, 28, 4]);
        assert_eq!(loops(&n), vec![(2, 420, 420), (3, 4, 140), (35, 12, 4)]);
        // A padded destination row keeps its axis although the source would merge.
        let n = normal(4, &[3, 4], &[16, 4], &[20, 4]);
        assert_eq!((n.run, loops(&n)), (16, vec![(3, 16, 20)]));
    }

    #[test]
    fn backward_destinations_are_flipped_on_both_sides() {
        let n = normal(4, &[5], &[4], &[-4]);
        assert_eq!((loops(&n), n.src_shift, n.dst_shift), (vec![(5, -4, 4)], 16, -16));
        // Backwards on both sides is forwards.
        let n = normal(4, &[5], &[-4], &[-4]);
        assert_eq!((n.run, loops(&n), n.src_shift, n.dst_shift), (20, vec![], -16, -16));
    }

    #[test]
    fn spans_past_the_address_range_are_refused() {
        let huge = isize::MAX / 2;
        for spec in [
            CopySpec::new(1, &[4], &[huge], &[1]),
            CopySpec::new(1, &[4], &[1], &[isize::MIN]),
            CopySpec::new(8, &[1 << 32, 1 << 32], &[0, 0], &[0, 0]),
            CopySpec::new(usize::MAX, &[], &[], &[]),
        ] {
            assert!(matches!(Normalized::of(&spec), Err(PlanError::Overflow { .. })), "{spec:?}");
        }
    }
}
