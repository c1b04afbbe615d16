//! Rows that are contiguous on both sides: `kernels::rows`.

use super::{Kind, Sink, View, each as vectors, to_line};
use crate::kernels::LINE;

/// Bytes of a load or store.
const VECTOR: usize = 32;
/// Bytes put together before their lines are streamed.
const BATCH: usize = 4096;

/// Row by row; with `stream`, the whole lines of each past the caches.
pub(super) fn each(view: &View<'_>, stream: bool, sink: &mut impl Sink) {
    for j in 0..view.cell.q {
        let (src, dst) = view.unit(0, j);
        let bytes = view.cell.p;
        let head = to_line(dst).min(bytes);
        let tail = head + (bytes - head) / LINE * LINE;
        let mut part = |from: usize, to: usize, kind| {
            vectors(sink, Kind::Read, src + from, to - from, VECTOR);
            vectors(sink, kind, dst + from, to - from, VECTOR);
        };
        part(0, head, Kind::Write);
        let kind = if stream { Kind::Stream } else { Kind::Write };
        (head..tail).step_by(LINE).for_each(|at| part(at, at + LINE, kind));
        part(tail, bytes, Kind::Write);
    }
}

/// Rows that follow one another in the destination, put together on the stack.
pub(super) fn joined(view: &View<'_>, sink: &mut impl Sink) {
    let row = view.cell.p;
    let (_, dst) = view.unit(0, 0);
    let mut start = dst % LINE;
    let mut line = dst - start;
    let mut filled = start;
    let (before, after) = view.cell.more;
    if before {
        start = start.next_multiple_of(LINE);
    }
    for j in 0..view.cell.q {
        let (src, _) = view.unit(0, j);
        for at in (0..row).step_by(VECTOR) {
            let at = at.min(row - VECTOR);
            vectors(sink, Kind::Read, src + at, VECTOR, VECTOR);
            vectors(sink, Kind::Write, view.own + filled + at, VECTOR, VECTOR);
        }
        filled += row;
        if filled >= BATCH {
            flush(view.own, line, start, BATCH, sink);
            vectors(sink, Kind::Read, view.own + BATCH, filled - BATCH, VECTOR);
            vectors(sink, Kind::Write, view.own, filled - BATCH, VECTOR);
            line += BATCH;
            filled -= BATCH;
            start = 0;
        }
    }
    if after {
        let rest = filled.next_multiple_of(LINE) - filled;
        let (src, _) = view.unit(0, view.cell.q);
        vectors(sink, Kind::Read, src, rest, VECTOR);
        vectors(sink, Kind::Write, view.own + filled, rest, VECTOR);
        filled += rest;
    }
    flush(view.own, line, start, filled, sink);
}

/// Bytes `start..end` of the buffer, to their place behind `line`.
fn flush(stack: usize, line: usize, start: usize, end: usize, sink: &mut impl Sink) {
    let first = start.next_multiple_of(LINE).min(end);
    let last = first.max(end / LINE * LINE);
    let mut part = |from: usize, to: usize, kind| {
        vectors(sink, Kind::Read, stack + from, to - from, VECTOR);
        vectors(sink, kind, line + from, to - from, VECTOR);
    };
    part(start, first, Kind::Write);
    (first..last).step_by(LINE).for_each(|at| part(at, at + LINE, Kind::Stream));
    part(last, end, Kind::Write);
}
