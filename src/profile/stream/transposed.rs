//! Transposed tiles stored from the registers: `kernels::transpose`, its squares, strips, edges and
//! seams.

use core::ops::Range;

use super::{Access, BETWEEN, Kind, Row, Sink, View, each, to_line};
use crate::kernels::transpose::{patch, seams};
use crate::kernels::{LINE, Seams};

/// Groups of rows of a square.
const GROUPS: usize = 4;

/// The numbers of a tier's tile: bytes of a unit, units of a lane, lanes of a vector.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub unit: usize,
    pub n: usize,
    pub lanes: usize,
}

impl Tile {
    /// The tile of units of `unit` bytes in vectors of `lanes` lanes.
    pub fn new(unit: usize, lanes: usize) -> Self {
        Self { unit, n: 16 / unit, lanes }
    }

    /// Units of a line.
    pub fn per_line(self) -> usize {
        LINE / self.unit
    }
}

/// The cell, in the order of `kernels::transpose::cell`.
pub(super) fn cell(view: &View<'_>, lanes: usize, stream: bool, sink: &mut impl Sink) {
    let tile = Tile::new(view.g.unit, lanes);
    let whole = if stream { whole_lines(view, tile) } else { 0..0 };
    if whole.is_empty() {
        return cached(view, tile, sink);
    }
    match view.g.seams {
        Some(of) if whole.start > 0 && seams::columns(of, &view.cell) >= tile.n => {
            seam_lines(view, tile, of, &whole, sink);
        }
        _ => {
            edges(view, tile, 0..whole.start, sink);
            edges(view, tile, whole.end..view.cell.p, sink);
        }
    }
    patches(view, tile, whole, sink);
}

/// The cell through the caches.
fn cached(view: &View<'_>, tile: Tile, sink: &mut impl Sink) {
    let columns = tile.per_line().min(view.cell.q);
    for i in starts(view.cell.p, tile.lanes * tile.n) {
        for j in starts(view.cell.q, columns) {
            let to = |k: usize| view.dst_row(j + k).plus(i * tile.unit);
            let from = |k: usize| view.src_row(i + k).plus(j * tile.unit);
            match tile.lanes {
                4 => lines((view, tile), columns, Kind::Write, from, to, sink),
                _ => strips((view, tile), columns, 0..16 * tile.lanes, from, to, sink),
            }
        }
    }
}

/// Rows beside those that stream: no byte more.
fn edges(view: &View<'_>, tile: Tile, rows: Range<usize>, sink: &mut impl Sink) {
    let tile_p = tile.lanes * tile.n;
    let columns = tile.per_line().min(view.cell.q);
    for i in rows.clone().step_by(tile_p) {
        let at = i.min(view.cell.p - tile_p);
        let part = (i - at) * tile.unit..(rows.end.min(at + tile_p) - at) * tile.unit;
        for j in starts(view.cell.q, columns) {
            let to = |k: usize| view.dst_row(j + k).plus(i * tile.unit);
            let from = |k: usize| view.src_row(at + k).plus(j * tile.unit);
            strips((view, tile), columns, part.clone(), from, to, sink);
        }
    }
}

/// Whole lines, in the order of `kernels::transpose::patch`.
fn patches(view: &View<'_>, tile: Tile, whole: Range<usize>, sink: &mut impl Sink) {
    let (q, per_line) = (view.cell.q, tile.per_line());
    let columns = per_line.min(q);
    let rows = patch::height(q * tile.unit, per_line);
    for first in whole.clone().step_by(rows) {
        for j in starts(q, columns) {
            for i in (first..(first + rows).min(whole.end)).step_by(per_line) {
                let to = |k: usize| view.dst_row(j + k).plus(i * tile.unit);
                let from = |k: usize| view.src_row(i + k).plus(j * tile.unit);
                lines((view, tile), columns, Kind::Stream, from, to, sink);
            }
        }
    }
}

/// Rows that lie in whole lines of every destination row.
fn whole_lines(view: &View<'_>, tile: Tile) -> Range<usize> {
    let to_line = to_line(view.cell.dst.addr());
    if !to_line.is_multiple_of(tile.unit) {
        return 0..0;
    }
    let start = (to_line / tile.unit).min(view.cell.p);
    start..start + (view.cell.p - start) / tile.per_line() * tile.per_line()
}

/// Starts of blocks that cover `0..len`, the last one moved back to end at `len`.
pub(super) fn starts(len: usize, block: usize) -> impl Iterator<Item = usize> {
    (0..len.div_ceil(block)).map(move |b| (b * block).min(len - block))
}

/// The lines that two destination rows share, and the ends of rows that share none, in the order of
/// `kernels::transpose::seams`.
fn seam_lines(view: &View<'_>, tile: Tile, of: Seams, whole: &Range<usize>, sink: &mut impl Sink) {
    let (p, q, unit) = (view.cell.p, view.cell.q, tile.unit);
    let tail = p - whole.end;
    let (len, joined) = seams::period(of, &view.cell);
    let (before, after) = if of.period.is_some() { (false, false) } else { view.cell.more };
    let width = tile.per_line().min(joined);
    for first in (0..q).step_by(len) {
        for j in starts(joined, width).map(|j| first + j) {
            let from = |k: usize| match k.checked_sub(tail) {
                None => view.src_row(whole.end + k).plus(j * unit),
                Some(k) => view.src_row(k).plus((j + of.step) * unit),
            };
            let to = |k: usize| view.dst_row(j + k).plus(whole.end * unit);
            lines((view, tile), width, Kind::Stream, from, to, sink);
        }
        let mut ends = |columns: Range<usize>, rows: Range<usize>| {
            for (j, i) in columns.flat_map(|j| rows.clone().map(move |i| (j, i))) {
                let (from, to) = (view.src_row(i).found(sink), view.dst_row(j).found(sink));
                each(sink, Kind::Read, from + j * unit, unit, unit);
                each(sink, Kind::Write, to + i * unit, unit, unit);
            }
        };
        if !before {
            ends(first..first + of.step, 0..whole.start);
        }
        if !after {
            ends(first + len - of.step..first + len, whole.end..p);
        }
    }
}

/// A line's worth of rows of `columns` columns, the first of them where `from` says: a square, or
/// strips of vectors that make up lines.
pub(super) fn lines(
    (view, tile): (&View<'_>, Tile),
    columns: usize,
    kind: Kind,
    from: impl Fn(usize) -> Row,
    to: impl Fn(usize) -> Row,
    sink: &mut impl Sink,
) {
    let Tile { unit, n, lanes } = tile;
    let vector = 16 * lanes;
    if columns * unit != LINE {
        for k0 in starts(columns, n) {
            for i in (0..tile.per_line()).step_by(lanes * n) {
                load(tile, |k| from(i + k).plus(k0 * unit), sink);
            }
            for k in k0..k0 + n {
                let to = to(k).found(sink);
                each(sink, kind, to, LINE, vector);
            }
        }
        return;
    }
    let parts = GROUPS / lanes;
    // Vectors of groups and parts between the halves, where registers do not hold them.
    let kept = lanes < 4 || unit < 4;
    let between = |row: usize, k: usize| view.own + BETWEEN + (row * n + k) * vector;
    for group in 0..GROUPS {
        for part in 0..parts {
            for k in 0..n {
                let from = from(group * n + k).found(sink) + part * vector;
                each(sink, Kind::Read, from, vector, vector);
            }
            for k in (0..n).filter(|_| kept) {
                each(sink, Kind::Write, between(group * parts + part, k), vector, vector);
            }
        }
    }
    for part in 0..parts {
        for k in 0..n {
            for group in (0..GROUPS).filter(|_| kept) {
                each(sink, Kind::Read, between(group * parts + part, k), vector, vector);
            }
            for lane in 0..lanes {
                let to = to((part * lanes + lane) * n + k).found(sink);
                each(sink, kind, to, LINE, vector);
            }
        }
    }
}

/// Strips of 16 bytes of every source row, of which the bytes `part` go to each destination row:
/// by way of a line on the stack if they are not all.
fn strips(
    (view, tile): (&View<'_>, Tile),
    columns: usize,
    part: Range<usize>,
    from: impl Fn(usize) -> Row,
    to: impl Fn(usize) -> Row,
    sink: &mut impl Sink,
) {
    let (vector, line) = (16 * tile.lanes, view.own + BETWEEN);
    for k0 in starts(columns, tile.n) {
        load(tile, |k| from(k).plus(k0 * tile.unit), sink);
        for k in k0..k0 + tile.n {
            let to = to(k).found(sink);
            if part.len() < vector {
                each(sink, Kind::Write, line, vector, vector);
                each(sink, Kind::Read, line + part.start, part.len(), vector);
            }
            each(sink, Kind::Write, to, part.len(), vector);
        }
    }
}

/// 16 bytes of each of the rows of `n` vectors.
fn load(tile: Tile, from: impl Fn(usize) -> Row, sink: &mut impl Sink) {
    for k in 0..tile.n {
        for lane in 0..tile.lanes {
            let address = from(k + lane * tile.n).found(sink);
            sink.access(Access { address, bytes: 16, kind: Kind::Read });
        }
    }
}
