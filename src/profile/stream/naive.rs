//! The loop people write by hand, and the dense copies beside it.

use super::{Access, Kind, Places, Sink, each, to_line};
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
    let mut axes: Vec<(usize, isize, isize)> = (0..copy.shape.len())
        .filter(|&axis| copy.shape[axis] > 1)
        .map(|axis| (copy.shape[axis], copy.src_strides[axis], copy.dst_strides[axis]))
        .collect();
    let (size, src_step, dst_step) = axes.pop().unwrap_or((1, 0, 0));
    let bytes = copy.elem_size;
    let mut index = vec![0usize; axes.len()];
    let (mut src, mut dst) = (places.src, places.dst);
    let mut written = 0;
    loop {
        let (mut from, mut to) = (src, dst);
        for _ in 0..size {
            sink.access(Access { address: from, bytes, kind: Kind::Read });
            sink.access(Access { address: to, bytes, kind: Kind::Write });
            from = from.wrapping_add_signed(src_step);
            to = to.wrapping_add_signed(dst_step);
        }
        written += (size * bytes) as u64;
        if sink.is_full() {
            return written;
        }
        let mut axis = axes.len();
        loop {
            if axis == 0 {
                return written;
            }
            axis -= 1;
            let (size, src_step, dst_step) = axes[axis];
            src = src.wrapping_add_signed(src_step);
            dst = dst.wrapping_add_signed(dst_step);
            index[axis] += 1;
            if index[axis] < size {
                break;
            }
            let back = (size as isize).wrapping_neg();
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
