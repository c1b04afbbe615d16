//! A destination line at a time: `kernels::fill`, `reverse`, the steps of `gather`, `interleave`.
//!
//! Which loads bring a line's units together is the kernels' affair; here every unit is read once,
//! neighbours of one source line at once.

use core::ops::Range;

use super::{Access, Kind, Sink, View, each, to_line};
use crate::kernels::LINE;

/// Bytes of a store.
const VECTOR: usize = 32;
/// Source bytes that interleaved rows use up before the next are read.
const BLOCK_BYTES: usize = 8 << 10;

/// The cell line by line. Rows whose units alternate, on either side, take turns.
pub(super) fn cell(view: &View<'_>, stream: bool, sink: &mut impl Sink) {
    let (g, cell) = (view.g, &view.cell);
    if g.dq == (cell.p * g.unit) as isize && cell.p * g.unit < LINE {
        return woven(view, stream, sink);
    }
    let interleaved = cell.q > 1 && g.sq != 0 && g.sq.unsigned_abs() < g.sp.unsigned_abs();
    let step = g.sp.unsigned_abs().max(1);
    let block = if interleaved { (BLOCK_BYTES / step).max(1) } else { cell.p };
    for from in (0..cell.p).step_by(block) {
        for j in 0..cell.q {
            row(view, j, from..cell.p.min(from + block), stream, sink);
        }
    }
}

/// Units `units` of row `j`.
fn row(view: &View<'_>, j: usize, units: Range<usize>, stream: bool, sink: &mut impl Sink) {
    let unit = view.g.unit;
    let (_, dst) = view.unit(units.start, j);
    let bytes = units.len() * unit;
    let whole_lines = to_line(dst).is_multiple_of(unit);
    let mut at = 0;
    while at < bytes {
        let gap = to_line(dst + at);
        let end = bytes.min(at + if gap > 0 { gap } else { LINE });
        // Units that straddle lines are read with the first of them.
        let (first, last) = (at.div_ceil(unit), end.div_ceil(unit));
        read(view, units.start + first..units.start + last, j..j + 1, sink);
        let stream = stream && whole_lines && end - at == LINE;
        each(sink, if stream { Kind::Stream } else { Kind::Write }, dst + at, end - at, VECTOR);
        at = end;
    }
}

/// A few source rows whose units alternate in the destination: it is one run.
fn woven(view: &View<'_>, stream: bool, sink: &mut impl Sink) {
    let (k, unit) = (view.cell.p, view.g.unit);
    let (_, dst) = view.unit(0, 0);
    let bytes = k * view.cell.q * unit;
    let (mut at, mut read_to) = (0, 0);
    while at < bytes {
        let gap = to_line(dst + at);
        let end = bytes.min(at + if gap > 0 { gap } else { LINE });
        let columns = end.div_ceil(k * unit);
        for i in 0..k {
            read(view, i..i + 1, read_to..columns, sink);
        }
        read_to = columns;
        let stream = stream && end - at == LINE;
        each(sink, if stream { Kind::Stream } else { Kind::Write }, dst + at, end - at, VECTOR);
        at = end;
    }
}

/// Reads units, those of one line at once. One of the ranges has one element at most.
fn read(view: &View<'_>, along: Range<usize>, across: Range<usize>, sink: &mut impl Sink) {
    let unit = view.g.unit;
    let mut pending: Option<Range<usize>> = None;
    let mut pass = |range: Range<usize>| {
        let Range { start: address, end } = range;
        sink.access(Access { address, bytes: end - address, kind: Kind::Read });
    };
    for i in along {
        for j in across.clone() {
            let (src, _) = view.unit(i, j);
            let one = src..src + unit;
            pending = match pending {
                Some(run) => {
                    let both = run.start.min(one.start)..run.end.max(one.end);
                    if both.start / LINE == (both.end - 1) / LINE {
                        Some(both)
                    } else {
                        pass(run);
                        Some(one)
                    }
                }
                None => Some(one),
            };
        }
    }
    if let Some(run) = pending {
        pass(run);
    }
}
