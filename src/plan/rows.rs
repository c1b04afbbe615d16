//! Cells of rows: runs of a line or longer, and the line kernels, which make a row at a time.

use super::builder::{Builder, without};
use super::context::Context;
use super::nest::{Extent, Loop, Nest};
use crate::analysis::{Axis, Normalized};
use crate::kernels::{Geometry, Kernel, Stores, rows};

/// Bytes of a cell along a contiguous row: long enough to hide the cost of a cell, short enough
/// to share out among threads.
pub(super) const ROW_BYTES: usize = 256 << 10;
/// The same where the row is read again for every index of a broadcast axis: half a level-1 cache.
const REREAD_BYTES: usize = 16 << 10;
/// Rows of one cell.
pub(super) const ROWS: usize = 64;
/// Bytes of a cell of short rows.
const CELL_BYTES: usize = 64 << 10;
/// Rows from which streaming pays although the lines at either end are not streamed.
const EACH_ROW_BYTES: usize = 1024;
/// Bytes of a cell of joined rows where the source goes on along another axis, and its rows at most:
/// what follows a row there is read in the next cell, so few rows keep the source's streams few. On a
/// Zen 4, rows of 1472 bytes: 1.1 of memcpy with one row, 0.6 with 16; of 128 bytes: 1.2 with eight
/// rows, 0.8 with 16.
const JOINED_CELL_BYTES: usize = 2048;
const JOINED_ROWS: usize = 8;
/// Bytes of the destination, at most, that are written front to back whatever order the source has.
const FORWARD_BYTES: usize = 8192;
/// Bytes of rows between the one that is copied and the one that is asked for, where rows follow one
/// another along a single axis.
const ROWS_AHEAD_BYTES: usize = 2048;

/// One run of `bytes`, cut so that threads can share it.
pub(super) fn one_run(bytes: usize, context: Context) -> Nest {
    let stores = Stores::lines(context.stream);
    let mut nest = Builder::new(1, []);
    nest.geometry = Geometry { unit: 1, sp: 1, dp: 1, ..Geometry::default() };
    nest.p = nest.cut(bytes, ROW_BYTES, 1, 1);
    nest.build(rows::kernel(context.isa, stores))
}

/// Runs of a cache line or longer.
pub(super) fn long_rows(copy: &Normalized, context: Context) -> Nest {
    let run = copy.run;
    let last = copy.axes.len() - 1;
    let dense = copy.axes[last].dst == run as isize && rows::JOINED_BYTES.contains(&run);
    let (q, stores) = match (context.stream, dense) {
        (true, true) => (last, Stores::Joined),
        (true, false) if run >= EACH_ROW_BYTES => (row_axis(&copy.axes), Stores::Lines),
        _ => (row_axis(&copy.axes), Stores::Cached),
    };
    let Axis { len, src, dst } = copy.axes[q];
    let mut nest = Builder::new(1, without(&copy.axes, &[q]));
    nest.geometry = Geometry { unit: 1, sp: 1, dp: 1, sq: src, dq: dst, ..Geometry::default() };
    let nearer = nest.loops().any(|l| (1..src.unsigned_abs()).contains(&l.src.unsigned_abs()));
    let rows = match stores {
        Stores::Joined if nearer => (JOINED_CELL_BYTES / run).clamp(1, JOINED_ROWS),
        _ => ROWS.max(CELL_BYTES / run),
    };
    nest.q = nest.cut(len, rows, src, dst);
    nest.p = match stores {
        Stores::Joined => Extent::Whole(run),
        _ => nest.cut(run, row_bytes(src), 1, 1),
    };
    let near = match (stores, nest.q) {
        (Stores::Joined, Extent::Whole(_)) => forward_step(&nest),
        _ => 0,
    };
    if context.stream {
        nest.by_source(near);
    }
    let onward = nest.grid.iter().rfind(|l| l.dst.unsigned_abs() >= near);
    nest.geometry.ahead = match onward {
        Some(next) if nearer => next.src,
        _ => src.saturating_mul((ROWS_AHEAD_BYTES / run).max(1) as isize),
    };
    nest.build(rows::kernel(context.isa, stores))
}

/// Step in the destination (bytes) of the loop that walks both sides forwards: a long one, with the
/// shortest step in the source of all that take steps as long in the destination. Within its steps the
/// destination is small enough to be written front to back, which leaves no line that is stored in part
/// now and again when another loop comes round. 0 if there is none.
///
/// Measured for pieces of 128 bytes from four places, into memory 16 bytes behind a line: 1.0 of memcpy,
/// 0.25 in the order of the source.
fn forward_step(nest: &Builder) -> usize {
    let steps = |l: &Loop| (l.dst.unsigned_abs(), l.src.unsigned_abs());
    let forward = |l: &&Loop| {
        let (dst, src) = steps(l);
        let first = nest.loops().map(steps).all(|other| other.0 < dst || other.1 >= src);
        dst <= FORWARD_BYTES && dst.saturating_mul(l.count) > FORWARD_BYTES && first
    };
    nest.loops().filter(forward).map(|l| steps(l).0).min().unwrap_or(0)
}

/// A line kernel along the last axis, rows along another.
pub(super) fn lines(copy: &Normalized, kernel: Kernel) -> Nest {
    let last = copy.axes.len() - 1;
    let p = copy.axes[last];
    if last == 0 {
        return Builder::new(copy.run, []).along(p, None, ROW_BYTES / copy.run, 1).build(kernel);
    }
    let q = row_axis(&copy.axes[..last]);
    let rows = copy.axes[q];
    let block = (row_bytes(rows.src) / copy.run).max(1);
    Builder::new(copy.run, without(&copy.axes, &[q, last]))
        .along(p, Some(rows), block, ROWS)
        .build(kernel)
}

/// The axis that becomes a cell's rows: one that rereads its source, or else the innermost.
fn row_axis(axes: &[Axis]) -> usize {
    axes.iter().rposition(|axis| axis.src == 0).unwrap_or(axes.len() - 1)
}

fn row_bytes(row_step: isize) -> usize {
    if row_step == 0 { REREAD_BYTES } else { ROW_BYTES }
}
