//! Cells of units that no vector kernel takes: one by one, in blocks, or collected into rows.

use super::builder::{Builder, without};
use super::context::Context;
use super::nest::Nest;
use super::options::Strategy;
use super::rows::lines;
use crate::analysis::Normalized;
use crate::kernels::{Kernel, LINE, collect, gather, strided};

/// Bytes of a collecting cell along a destination row, whose ragged ends long rows make few, and
/// along a source row.
const COLLECT_DST_BYTES: usize = 8192;
const COLLECT_SRC_BYTES: usize = 4096;
/// Destination rows from which collecting pays, ragged ends and all.
const COLLECT_LEAST_BYTES: usize = 512;
/// Source rows of a scalar tile, unless a destination line takes more, and bytes and units along each, at
/// most. Measured in the caches of a Zen 4: records of 48 bytes 0.9 of memcpy, 0.3 with two by two.
const SCALAR_TILE_ROWS: usize = 16;
const SCALAR_TILE_BYTES: usize = 1024;
const SCALAR_TILE_UNITS: usize = 64;

/// Between the last axis and axis `q`, unit by unit: by way of slots where rows stream, or where they
/// move units in vectors, else in blocks that stay in the level-1 cache.
pub(super) fn scalar_tiles(copy: &Normalized, q: usize, context: Context) -> Nest {
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
pub(super) fn unit_by_unit(copy: &Normalized, context: Context) -> Nest {
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
