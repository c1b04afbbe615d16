//! Transposed tiles stored from the registers: `kernels::transpose`, its squares, strips and edges.

use core::ops::Range;

use super::{Access, Kind, Sink, View, to_line};
use crate::kernels::LINE;

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
    let (p, q) = (view.cell.p, view.cell.q);
    let tile_p = lanes * tile.n;
    let whole = if stream { whole_lines(view, tile) } else { 0..0 };
    let columns = tile.per_line().min(q);
    let mut i = 0;
    while i < p {
        let streamed = whole.contains(&i);
        let at = if streamed { i } else { i.min(p - tile_p) };
        for j in starts(q, columns) {
            let to = |k: usize| view.dst_row(j + k) + at * tile.unit;
            if streamed {
                lines(view, tile, (at, j), columns, Kind::Stream, to, sink);
            } else if !whole.is_empty() {
                let keep = if i < whole.start { i..whole.start } else { i..p };
                edges(view, tile, (at, j), keep, columns, sink);
            } else if lanes == 4 {
                lines(view, tile, (at, j), columns, Kind::Write, to, sink);
            } else {
                strips(view, tile, (at, j), columns, to, sink);
            }
        }
        i = if streamed {
            i + tile.per_line()
        } else if i < whole.start {
            (i + tile_p).min(whole.start)
        } else {
            i + tile_p
        };
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

/// A line's worth of rows from row `i` on, of `columns` columns from `j` on: a square, or strips of
/// vectors that make up lines.
pub(super) fn lines(
    view: &View<'_>,
    tile: Tile,
    (i, j): (usize, usize),
    columns: usize,
    kind: Kind,
    to: impl Fn(usize) -> usize,
    sink: &mut impl Sink,
) {
    let Tile { unit, n, lanes } = tile;
    let vector = 16 * lanes;
    if columns * unit != LINE {
        for k0 in starts(columns, n) {
            for i in (i..i + tile.per_line()).step_by(lanes * n) {
                load(view, tile, (i, j + k0), sink);
            }
            for k in k0..k0 + n {
                vectors(sink, kind, to(k), LINE, vector);
            }
        }
        return;
    }
    let parts = GROUPS / lanes;
    for group in 0..GROUPS {
        for part in 0..parts {
            for k in 0..n {
                let row = view.src_row(i + group * n + k) + j * unit;
                vectors(sink, Kind::Read, row + part * vector, vector, vector);
            }
        }
    }
    for part in 0..parts {
        for k in 0..n {
            for lane in 0..lanes {
                vectors(sink, kind, to((part * lanes + lane) * n + k), LINE, vector);
            }
        }
    }
}

/// Vectors of destination rows, 16 bytes of every source row.
fn strips(
    view: &View<'_>,
    tile: Tile,
    (i, j): (usize, usize),
    columns: usize,
    to: impl Fn(usize) -> usize,
    sink: &mut impl Sink,
) {
    let vector = 16 * tile.lanes;
    for k0 in starts(columns, tile.n) {
        load(view, tile, (i, j + k0), sink);
        for k in k0..k0 + tile.n {
            vectors(sink, Kind::Write, to(k), vector, vector);
        }
    }
}

/// Rows `keep` of the vectors from row `i` on.
fn edges(
    view: &View<'_>,
    tile: Tile,
    (i, j): (usize, usize),
    keep: Range<usize>,
    columns: usize,
    sink: &mut impl Sink,
) {
    let end = keep.end.min(i + tile.lanes * tile.n);
    let bytes = (end - keep.start) * tile.unit;
    for k0 in starts(columns, tile.n) {
        load(view, tile, (i, j + k0), sink);
        for k in k0..k0 + tile.n {
            let to = view.dst_row(j + k) + keep.start * tile.unit;
            vectors(sink, Kind::Write, to, bytes, 16 * tile.lanes);
        }
    }
}

/// 16 bytes of each of a vector's rows for every one of `n` vectors.
fn load(view: &View<'_>, tile: Tile, (i, j): (usize, usize), sink: &mut impl Sink) {
    for k in 0..tile.n {
        for lane in 0..tile.lanes {
            let address = view.src_row(i + k + lane * tile.n) + j * tile.unit;
            sink.access(Access { address, bytes: 16, kind: Kind::Read });
        }
    }
}

fn vectors(sink: &mut impl Sink, kind: Kind, address: usize, bytes: usize, width: usize) {
    super::each(sink, kind, address, bytes, width);
}
