//! Rows that stream by way of slots on the stack: `kernels::transpose::joined`, `kernels::collect`.

use super::transposed::{Tile, lines, starts};
use super::{Access, Kind, Row, Sink, View, each, to_line};
use crate::kernels::LINE;
use crate::kernels::collect::Step;

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

/// A collected cell: a block's units go into their rows' slots, whole lines leave them.
pub(super) fn collected(view: &View<'_>, lanes: usize, stream: bool, sink: &mut impl Sink) {
    let (unit, vector) = (view.g.unit, 16 * lanes);
    let lines = if stream { Kind::Stream } else { Kind::Write };
    let (p, q) = (view.cell.p, view.cell.q);
    let step = Step::new(unit);
    let columns = (LINE / unit).max(1);
    let slot = |j: usize| view.own + j * step.slot();
    for (turn, first) in (0..p).step_by(step.rows).enumerate() {
        let end = p.min(first + step.rows);
        for j0 in (0..q).step_by(columns) {
            let block = j0..q.min(j0 + columns);
            for j in block.clone() {
                advance(slot(j), view.unit(0, j).1, (turn, step.lines), (lines, vector), sink);
            }
            for i in first..end {
                for j in block.clone() {
                    let (address, _) = view.unit(i, j);
                    let place = slot(j) + LINE + (i - first) * unit;
                    sink.access(Access { address, bytes: unit, kind: Kind::Read });
                    sink.access(Access { address: place, bytes: unit, kind: Kind::Write });
                }
            }
        }
    }
    let before = (p - 1) / step.rows * step.lines * LINE;
    for j in 0..q {
        let (row, bytes) = (view.unit(0, j).1, p * unit);
        let head = to_line(row);
        let stored = if before > 0 { before - LINE + head } else { head.min(bytes) };
        let from = slot(j) + LINE + stored - before;
        if before == 0 {
            each(sink, Kind::Read, slot(j) + LINE, stored, vector);
            each(sink, Kind::Write, row, stored, vector);
        }
        let whole = (bytes - stored) / LINE * LINE;
        each(sink, Kind::Read, from, bytes - stored, vector);
        each(sink, lines, row + stored, whole, vector);
        each(sink, Kind::Write, row + stored + whole, bytes - stored - whole, vector);
    }
}

/// Makes room in the slot of the destination row at `row`, which has seen `turns` steps of `lines`
/// lines.
fn advance(
    slot: usize,
    row: usize,
    (turns, lines): (usize, usize),
    (kind, vector): (Kind, usize),
    sink: &mut impl Sink,
) {
    let head = to_line(row);
    let first = match turns {
        0 => return,
        1 => {
            each(sink, Kind::Read, slot + LINE, head, vector);
            each(sink, Kind::Write, row, head, vector);
            LINE
        }
        _ => 0,
    };
    let before = (turns - 1) * lines * LINE;
    let bytes = lines * LINE - first;
    each(sink, Kind::Read, slot + head + first, bytes, vector);
    each(sink, kind, row + before + head + first - LINE, bytes, vector);
    each(sink, Kind::Read, slot + lines * LINE, LINE, vector);
    each(sink, Kind::Write, slot, LINE, vector);
}
