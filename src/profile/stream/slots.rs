//! Rows that stream by way of slots on the stack: `kernels::transpose::joined`, `kernels::collect`.

use super::transposed::{Tile, lines, starts};
use super::{Access, Kind, Row, Sink, View, each, to_line};
use crate::kernels::LINE;

/// A transposed cell; a slot holds the last two lines' worth of its destination row.
pub(super) fn transposed(view: &View<'_>, lanes: usize, sink: &mut impl Sink) {
    let tile = Tile::new(view.g.unit, lanes);
    let (p, q) = (view.cell.p, view.cell.q);
    let per_line = tile.per_line();
    let vector = 16 * lanes;
    let slot = |j: usize| view.own + j * 2 * LINE;
    let strip = per_line.min(q);
    let (steps, rest) = (p / per_line, p % per_line);
    for step in 0..steps + usize::from(rest > 0) {
        let (i, at) = match step < steps {
            true => (step * per_line, LINE),
            false => (p - per_line, rest * tile.unit),
        };
        let mut advanced = 0;
        for j0 in starts(q, strip) {
            for j in advanced..j0 + strip {
                let row = view.dst_row(j).found(sink);
                let head = to_line(row);
                match step {
                    0 => continue,
                    1 => {
                        each(sink, Kind::Read, slot(j) + LINE, head, vector);
                        each(sink, Kind::Write, row, head, vector);
                    }
                    _ => {
                        each(sink, Kind::Read, slot(j) + head, LINE, vector);
                        each(sink, Kind::Stream, row + head + (step - 2) * LINE, LINE, vector);
                    }
                }
                each(sink, Kind::Read, slot(j) + LINE, LINE, vector);
                each(sink, Kind::Write, slot(j), LINE, vector);
            }
            advanced = j0 + strip;
            let to = |k: usize| Row { address: slot(j0 + k) + at, entry: None };
            let from = |k: usize| view.src_row(i + k).plus(j0 * tile.unit);
            lines((view, tile), strip, Kind::Write, from, to, sink);
        }
    }
    for j in 0..q {
        let (row, bytes) = (view.dst_row(j).found(sink), p * tile.unit);
        let head = to_line(row);
        let stored = match bytes / LINE - 1 + usize::from(rest > 0) {
            0 => 0,
            advances => head + (advances - 1) * LINE,
        };
        let held = LINE + if rest > 0 { rest * tile.unit } else { LINE };
        each(sink, Kind::Read, slot(j) + held - (bytes - stored), bytes - stored, vector);
        let mut at = stored;
        while bytes - at >= LINE && (row + at).is_multiple_of(LINE) {
            each(sink, Kind::Stream, row + at, LINE, vector);
            at += LINE;
        }
        each(sink, Kind::Write, row + at, bytes - at, vector);
    }
}

/// Bytes that a step adds to a slot of `kernels::collect`, at most, and source rows of a step.
const STEP_BYTES: usize = 128;
const STEP_ROWS: usize = 32;

/// A collected cell: units go into their row's slot one by one, whole lines leave it.
pub(super) fn collected(view: &View<'_>, lanes: usize, sink: &mut impl Sink) {
    let (unit, vector) = (view.g.unit, 16 * lanes);
    let pitch = (LINE + STEP_BYTES.max(unit) + LINE).next_multiple_of(LINE);
    let rows = (STEP_BYTES / unit).clamp(1, STEP_ROWS);
    for first in (0..view.cell.p).step_by(rows) {
        let end = view.cell.p.min(first + rows);
        for j in 0..view.cell.q {
            let slot = view.own + j * pitch;
            if first > 0 {
                let held = (view.unit(0, j).1, first - rows, first);
                let (whole, _) = flush(slot, held, unit, vector, sink);
                if whole > 0 {
                    each(sink, Kind::Read, slot + whole, LINE, vector);
                    each(sink, Kind::Write, slot, LINE, vector);
                }
            }
            let to = slot + view.unit(first, j).1 % LINE;
            for i in first..end {
                let (src, _) = view.unit(i, j);
                let place = to + (i - first) * unit;
                sink.access(Access { address: src, bytes: unit, kind: Kind::Read });
                sink.access(Access { address: place, bytes: unit, kind: Kind::Write });
            }
        }
    }
    let (p, last) = (view.cell.p, (view.cell.p - 1) / rows * rows);
    for j in 0..view.cell.q {
        let slot = view.own + j * pitch;
        let dst = view.unit(0, j).1;
        let (whole, foreign) = flush(slot, (dst, last, p), unit, vector, sink);
        let line = (dst + last * unit) / LINE * LINE;
        let (from, to) = (whole.max(foreign), dst + p * unit - line);
        each(sink, Kind::Read, slot + from, to - from, vector);
        each(sink, Kind::Write, line + from, to - from, vector);
    }
}

/// Stores the whole lines of what a step from row `first` to `end` has left in the slot of the
/// destination row at `dst`. Returns the bytes that are done, and those that are not the row's.
fn flush(
    slot: usize,
    (dst, first, end): (usize, usize, usize),
    unit: usize,
    vector: usize,
    sink: &mut impl Sink,
) -> (usize, usize) {
    let begin = dst + first * unit;
    let start = begin % LINE;
    let foreign = start.saturating_sub(first * unit);
    let whole = (start + (end - first) * unit) / LINE * LINE;
    for at in (0..whole).step_by(LINE) {
        let line = begin - start + at;
        let skipped = if at < foreign { foreign } else { 0 };
        let kind = if skipped > 0 { Kind::Write } else { Kind::Stream };
        each(sink, Kind::Read, slot + at + skipped, LINE - skipped, vector);
        each(sink, kind, line + skipped, LINE - skipped, vector);
    }
    (whole, foreign)
}
