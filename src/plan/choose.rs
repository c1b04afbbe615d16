//! Which kernel a copy gets, and how its loops are cut into cells.
//!
//! The decision reads only the normalized copy, so every condition here names layouts and steps of
//! both sides. A few units of any layout keep the loops they have. For more, in order:
//!
//! 1. the run is a cache line or longer: rows;
//! 2. no contiguous destination axis: unit by unit;
//! 3. a few rows that alternate in a dense destination: interleave;
//! 4. the source repeats, or runs backwards, along that axis: fill, reverse;
//! 5. the source takes a step of a few units along that axis: a gather by vectors, of several rows
//!    at a time where they interleave in the source;
//! 6. the source is contiguous along another axis: transposed tiles;
//! 7. anything else: a gather; or, when another axis is nearer in the source, collected into rows by
//!    way of slots, or moved in blocks.

use super::builder::{Builder, without};
use super::nest::{Extent, Nest};
use super::options::{Strategy, TileSize};
use super::tiles::vector_tiles;
use crate::analysis::{Axis, Normalized};
use crate::kernels::{
    Geometry, Kernel, LINE, Stores, collect, few, fill, gather, interleave, reverse, rows, strided,
};
use crate::machine::Isa;

/// Bytes of a cell along a contiguous row: long enough to hide the cost of a cell, short enough
/// to share out among threads.
const ROW_BYTES: usize = 256 << 10;
/// The same where the row is read again for every index of a broadcast axis: half a level-1 cache.
const REREAD_BYTES: usize = 16 << 10;
/// Rows of one cell.
const ROWS: usize = 64;
/// Step between units, in units, from which on transposed tiles beat gathers.
const TILED_STEP: usize = 8;
/// Rows from which on transposed tiles beat interleaves.
const TILED_ROWS: usize = 12;
/// Bytes of a cell of short rows.
const CELL_BYTES: usize = 64 << 10;
/// Rows from which streaming pays although the lines at either end are not streamed.
const EACH_ROW_BYTES: usize = 1024;
/// Bytes of a collecting cell along a destination row, whose ragged ends long rows make few, and
/// along a source row.
const COLLECT_DST_BYTES: usize = 8192;
const COLLECT_SRC_BYTES: usize = 4096;
/// Bytes of a cell of joined rows where the source goes on along another axis, and its rows at most:
/// what follows a row there is read in the next cell, so few rows keep the source's streams few. On a
/// Zen 4, rows of 1472 bytes: 1.1 of memcpy with one row, 0.6 with 16; of 128 bytes: 1.2 with eight
/// rows, 0.8 with 16.
const JOINED_CELL_BYTES: usize = 2048;
const JOINED_ROWS: usize = 8;
/// Bytes of rows between the one that is copied and the one that is asked for, where rows follow one
/// another along a single axis.
const ROWS_AHEAD_BYTES: usize = 2048;
/// Destination rows from which collecting pays, ragged ends and all.
const COLLECT_LEAST_BYTES: usize = 512;
/// Source rows of a scalar tile, unless a destination line takes more, and bytes and units along each, at
/// most. Measured in the caches of a Zen 4: records of 48 bytes 0.9 of memcpy, 0.3 with two by two.
const SCALAR_TILE_ROWS: usize = 16;
const SCALAR_TILE_BYTES: usize = 1024;
const SCALAR_TILE_UNITS: usize = 64;

/// What the choice rests on besides the copy itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub strategy: Strategy,
    pub isa: Isa,
    /// Stores pass the caches by where the kernel can.
    pub stream: bool,
    /// Extents of a transpose's cells.
    pub tile: Option<TileSize>,
}

/// The kernel of few units, where that is what `copy` has, and nothing else is asked for.
pub(super) fn few(copy: &Normalized, context: Context) -> Option<few::Few> {
    let few = copy.run <= few::MOST_BYTES && copy.bytes <= few::MOST_UNITS * copy.run;
    let free = context.strategy == Strategy::Auto && context.tile.is_none() && !context.stream;
    (few && free).then(|| few::kernel(copy.run))
}

/// Chooses the nest for `copy`, which is not empty.
pub(super) fn choose(copy: &Normalized, context: Context) -> Nest {
    let strategy = context.strategy;
    let unit = copy.run;
    let Some((&last, outer)) = copy.axes.split_last() else {
        return one_run(unit, context);
    };
    if unit >= LINE {
        return long_rows(copy, context);
    }
    if last.dst != unit as isize {
        return unit_by_unit(copy, context);
    }
    if let Some(nest) = interleaved(copy, context) {
        return nest;
    }
    let line_kernel = match last.src {
        0 => fill::kernel(context.isa, unit, context.stream),
        step if step == -last.dst => reverse::kernel(context.isa, unit, context.stream),
        _ => None,
    };
    if let Some(kernel) = line_kernel {
        return lines(copy, kernel);
    }
    if let Some(nest) = small_steps(copy, context) {
        return nest;
    }
    let src_unit = outer.iter().rposition(|axis| axis.src.abs() == last.dst);
    match src_unit {
        Some(q) if strategy != Strategy::Rows && last.src.abs() != last.dst => {
            vector_tiles(copy, q, context).unwrap_or_else(|| scalar_tiles(copy, q, context))
        }
        _ => unit_by_unit(copy, context),
    }
}

/// One run of `bytes`, cut so that threads can share it.
fn one_run(bytes: usize, context: Context) -> Nest {
    let stores = Stores::lines(context.stream);
    let mut nest = Builder::new(1, []);
    nest.geometry = Geometry { unit: 1, sp: 1, dp: 1, ..Geometry::default() };
    nest.p = nest.cut(bytes, ROW_BYTES, 1, 1);
    nest.build(rows::kernel(context.isa, stores))
}

/// Runs of a cache line or longer.
fn long_rows(copy: &Normalized, context: Context) -> Nest {
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
    if context.stream {
        nest.by_source();
    }
    nest.geometry.ahead = match nest.grid.last() {
        Some(next) if nearer => next.src,
        _ => src.saturating_mul((ROWS_AHEAD_BYTES / run).max(1) as isize),
    };
    nest.build(rows::kernel(context.isa, stores))
}

/// A line kernel along the last axis, rows along another.
fn lines(copy: &Normalized, kernel: Kernel) -> Nest {
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

/// A few contiguous source rows whose units alternate in the destination, without gaps.
fn interleaved(copy: &Normalized, context: Context) -> Option<Nest> {
    let (&p, outer) = copy.axes.split_last()?;
    let vectors = matches!(context.strategy, Strategy::Auto | Strategy::SimdTiles);
    let unit = copy.run as isize;
    let q = outer.iter().position(|a| a.src == unit && a.dst == p.dst * p.len as isize)?;
    // With many rows, transposed tiles take fewer loads for a line of the destination; from a
    // line's worth of rows on they write whole lines as well.
    let tiled = p.len * copy.run >= if p.len >= TILED_ROWS { 16 } else { LINE };
    if !vectors || tiled || outer[q].len * copy.run < LINE {
        return None;
    }
    let kernel = interleave::kernel(context.isa, copy.run, p.len, context.stream)?;
    let rows = ROW_BYTES / interleave::MAX_ROWS / copy.run;
    let mut nest = Builder::new(copy.run, without(&copy.axes, &[q, outer.len()]));
    Some(nest.along(p, Some(outer[q]), p.len, rows).build(kernel))
}

/// Rows whose units lie a few units apart in the source. Rows that interleave there share a cell, so
/// that a source line is read once for all of them.
fn small_steps(copy: &Normalized, context: Context) -> Option<Nest> {
    let (p, outer) = copy.axes.split_last()?;
    let vectors = matches!(context.strategy, Strategy::Auto | Strategy::SimdTiles);
    if !vectors || p.len * copy.run < LINE {
        return None;
    }
    let kernel = gather::steps(context.isa, copy.run, p.src, context.stream)?;
    let step = |i: &usize| outer[*i].src.unsigned_abs();
    let nearest = (0..outer.len()).filter(|i| step(i) > 0).min_by_key(step);
    match nearest {
        // With many units between, transposed tiles load less for a line of the destination.
        Some(q)
            if step(&q) == copy.run
                && p.src.unsigned_abs() >= TILED_STEP * copy.run
                && outer[q].len * copy.run >= 16 =>
        {
            None
        }
        Some(q) if step(&q) < p.src.unsigned_abs() => {
            let block = ROW_BYTES / copy.run;
            Some(
                Builder::new(copy.run, without(&copy.axes, &[q, outer.len()]))
                    .along(*p, Some(outer[q]), block, ROWS)
                    .build(kernel),
            )
        }
        _ => Some(lines(copy, kernel)),
    }
}

/// Between the last axis and axis `q`, unit by unit: by way of slots where rows stream, or where they
/// move units in vectors, else in blocks that stay in the level-1 cache.
fn scalar_tiles(copy: &Normalized, q: usize, context: Context) -> Nest {
    let unit = copy.run;
    let last = copy.axes.len() - 1;
    let mut nest = Builder::new(unit, without(&copy.axes, &[q, last]));
    let (p, q) = (copy.axes[last], Some(copy.axes[q]));
    let long = p.len * unit >= COLLECT_LEAST_BYTES && p.dst == unit as isize;
    if long
        && context.strategy == Strategy::Auto
        && (context.stream || collect::is_padded(unit))
        && let Some(kernel) = collect::kernel(context.isa, unit, context.stream)
    {
        let columns = (COLLECT_SRC_BYTES / unit).min(collect::columns(unit) / 2);
        return nest.along(p, q, COLLECT_DST_BYTES / unit, columns).build(kernel);
    }
    let rows = SCALAR_TILE_ROWS.max(LINE / unit);
    let columns = (SCALAR_TILE_BYTES / unit).clamp(1, SCALAR_TILE_UNITS);
    nest.along(p, q, rows, columns).build(scalar(copy))
}

/// No tile applies: unit by unit along the last axis, in blocks when another axis is nearer in
/// the source and shares its cache lines.
fn unit_by_unit(copy: &Normalized, context: Context) -> Nest {
    let last = copy.axes.len() - 1;
    let step = |i: &usize| copy.axes[*i].src.unsigned_abs();
    let nearest = (0..last).filter(|i| step(i) > 0).min_by_key(step);
    match nearest {
        Some(q) if context.strategy != Strategy::Rows && step(&q) < step(&last).min(LINE) => {
            scalar_tiles(copy, q, context)
        }
        _ => lines(copy, scalar(copy)),
    }
}

/// The scalar kernel that `copy`'s last axis allows.
fn scalar(copy: &Normalized) -> Kernel {
    match copy.axes.last() {
        Some(axis) if axis.dst == copy.run as isize => gather::kernel(copy.run),
        _ => strided::kernel(copy.run),
    }
}

/// The axis that becomes a cell's rows: one that rereads its source, or else the innermost.
fn row_axis(axes: &[Axis]) -> usize {
    axes.iter().rposition(|axis| axis.src == 0).unwrap_or(axes.len() - 1)
}

fn row_bytes(row_step: isize) -> usize {
    if row_step == 0 { REREAD_BYTES } else { ROW_BYTES }
}
