//! The loop people write by hand, and the dense copies beside it.

use super::{Access, Kind, Places, Sink, each, to_line};
use crate::analysis::Axis;
use crate::kernels::LINE;
use crate::plan::CopySpec;

/// Bytes of a dense copy's loads and stores.
const VECTOR: usize = 32;

/// Nested loops in the order of the destination's axes, an element at a time. Returns the bytes
/// written, as [`super::plan`] does.
///
/// The loop over the last axis of two and more elements is the innermost, as in
/// [`crate::bench::naive`].
pub fn naive(copy: &CopySpec, places: Places, sink: &mut impl Sink) -> u64 {
    if copy.shape.contains(&0) {
        return 0;
    }
    let axes = (0..copy.shape.len()).filter(|&axis| copy.shape[axis] > 1).map(|axis| Axis {
        len: copy.shape[axis],
        src: copy.src_strides[axis],
        dst: copy.dst_strides[axis],
    });
    loops(copy.elem_size, &axes.collect::<Vec<_>>(), places, sink)
}

/// Units of `unit` bytes in the order of `axes`, the last one innermost: [`naive`], and what
/// `kernels::few` does.
pub(super) fn loops(unit: usize, axes: &[Axis], places: Places, sink: &mut impl Sink) -> u64 {
    let one = Axis { len: 1, src: 0, dst: 0 };
    let (&inner, axes) = axes.split_last().unwrap_or((&one, &[]));
    let mut index = vec![0usize; axes.len()];
    let (mut src, mut dst) = (places.src, places.dst);
    let mut written = 0;
    loop {
        let (mut from, mut to) = (src, dst);
        for _ in 0..inner.len {
            sink.access(Access { address: from, bytes: unit, kind: Kind::Read });
            sink.access(Access { address: to, bytes: unit, kind: Kind::Write });
            from = from.wrapping_add_signed(inner.src);
            to = to.wrapping_add_signed(inner.dst);
        }
        written += (inner.len * unit) as u64;
        if sink.is_full() {
            return written;
        }
        let mut axis = axes.len();
        loop {
            if axis == 0 {
                return written;
            }
            axis -= 1;
            let Axis { len, src: src_step, dst: dst_step } = axes[axis];
            src = src.wrapping_add_signed(src_step);
            dst = dst.wrapping_add_signed(dst_step);
            index[axis] += 1;
            if index[axis] < len {
                break;
            }
            let back = (len as isize).wrapping_neg();
            src = src.wrapping_add_signed(src_step.wrapping_mul(back));
            dst = dst.wrapping_add_signed(dst_step.wrapping_mul(back));
            index[axis] = 0;
        }
    }
}

/// A dense copy of `bytes` bytes, forwards; with `stream`, whole destination lines past the caches.
/// Returns the bytes written, as [`super::plan`] does.
pub fn dense(bytes: usize, places: Places, stream: bool, sink: &mut impl Sink) -> u64 {
    let head = to_line(places.dst).min(bytes);
    let mut copy = |from: usize, to: usize, kind| {
        each(sink, Kind::Read, places.src + from, to - from, VECTOR);
        each(sink, kind, places.dst + from, to - from, VECTOR);
        !sink.is_full()
    };
    let mut at = head;
    let mut going = copy(0, head, Kind::Write);
    while going && at < bytes {
        let whole = bytes - at >= LINE;
        let end = if whole { at + LINE } else { bytes };
        going = copy(at, end, if stream && whole { Kind::Stream } else { Kind::Write });
        at = end;
    }
    at as u64
}
