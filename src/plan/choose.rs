//! Which kernel a copy gets. How its loops are cut into cells stands in [`rows`](super::rows),
//! [`tiles`](super::tiles) and [`scalar`](super::scalar).
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
use super::context::Context;
use super::nest::Nest;
use super::options::Strategy;
use super::rows::{ROW_BYTES, ROWS, lines, long_rows, one_run};
use super::scalar::{scalar_tiles, unit_by_unit};
use super::tiles::vector_tiles;
use crate::analysis::Normalized;
use crate::kernels::{LINE, few, fill, gather, interleave, reverse};

/// Step between units, in units, from which on transposed tiles beat gathers.
const TILED_STEP: usize = 8;
/// Rows from which on transposed tiles beat interleaves.
const TILED_ROWS: usize = 12;

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
