//! Which kernel a copy gets, and how its loops are cut into cells.
//!
//! The decision reads only the normalized copy, so every condition here names layouts and steps of
//! both sides. In order:
//!
//! 1. rows: the run is a cache line or longer, or there is nothing else to do with it;
//! 2. no contiguous destination axis: unit by unit;
//! 3. the source repeats, or runs backwards, along that axis: fill, reverse;
//! 4. the source is contiguous along another axis: transposed tiles;
//! 5. anything else: a gather, blocked when another axis is nearer in the source.

use smallvec::SmallVec;

use super::nest::{Extent, LINE, Loop, Nest, blocks};
use super::options::Strategy;
use crate::analysis::{Axes, Axis, Normalized};
use crate::kernels::{
    Geometry, Kernel, fill, gather, interleave, reverse, rows, strided, transpose,
};
use crate::machine::Isa;

/// Bytes of a cell along a contiguous row: long enough to hide the cost of a cell, short enough
/// to share out among threads.
const ROW_BYTES: usize = 256 << 10;
/// The same where the row is read again for every index of a broadcast axis: half a level-1 cache.
const REREAD_BYTES: usize = 16 << 10;
/// Rows of one cell.
const ROWS: usize = 64;
/// A vector tile's cell: source rows, and bytes of every source row (four cache lines).
const TILE_ROWS: usize = 512;
const TILE_ROW_BYTES: usize = 256;
/// Step between units, in units, from which on transposed tiles beat gathers.
const TILED_STEP: usize = 8;
/// Bytes along either side of a scalar tile's cell, and the most units that may be.
const SCALAR_TILE_BYTES: usize = 128;
const SCALAR_TILE_UNITS: usize = 64;

/// What the choice rests on besides the copy itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub strategy: Strategy,
    pub isa: Isa,
    /// Stores pass the caches by where the kernel can.
    pub stream: bool,
}

/// Chooses the nest for `copy`, which is not empty.
pub(super) fn choose(copy: &Normalized, context: Context) -> Nest {
    let strategy = context.strategy;
    let unit = copy.run;
    let Some((&last, outer)) = copy.axes.split_last() else {
        return one_run(unit);
    };
    if unit > LINE {
        return long_rows(copy);
    }
    if last.dst != unit as isize {
        return unit_by_unit(copy, strategy);
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
            tiles(copy, q, context)
        }
        _ => unit_by_unit(copy, strategy),
    }
}

/// One run of `bytes`, cut so that threads can share it.
fn one_run(bytes: usize) -> Nest {
    let mut nest = Builder::new(1, &Axes::new());
    nest.geometry = Geometry { unit: 1, sp: 1, dp: 1, ..Geometry::default() };
    nest.p = nest.cut(bytes, ROW_BYTES, 1, 1);
    nest.build(rows::kernel())
}

/// Runs longer than a cache line.
fn long_rows(copy: &Normalized) -> Nest {
    let q = row_axis(&copy.axes);
    let mut nest = Builder::new(1, &without(&copy.axes, &[q]));
    let Axis { len, src, dst } = copy.axes[q];
    nest.geometry = Geometry { unit: 1, sp: 1, dp: 1, sq: src, dq: dst, ..Geometry::default() };
    nest.q = nest.cut(len, ROWS, src, dst);
    nest.p = nest.cut(copy.run, row_bytes(src), 1, 1);
    nest.build(rows::kernel())
}

/// A line kernel along the last axis, rows along another.
fn lines(copy: &Normalized, kernel: Kernel) -> Nest {
    let last = copy.axes.len() - 1;
    let p = copy.axes[last];
    if last == 0 {
        return Builder::new(copy.run, &Axes::new())
            .along(p, None, ROW_BYTES / copy.run, 1)
            .build(kernel);
    }
    let q = row_axis(&copy.axes[..last]);
    let rows = copy.axes[q];
    let block = (row_bytes(rows.src) / copy.run).max(1);
    Builder::new(copy.run, &without(&copy.axes, &[q, last]))
        .along(p, Some(rows), block, ROWS)
        .build(kernel)
}

/// A few contiguous source rows whose units alternate in the destination, without gaps.
fn interleaved(copy: &Normalized, context: Context) -> Option<Nest> {
    let (&p, outer) = copy.axes.split_last()?;
    let vectors = matches!(context.strategy, Strategy::Auto | Strategy::SimdTiles);
    let unit = copy.run as isize;
    let q = outer.iter().position(|a| a.src == unit && a.dst == p.dst * p.len as isize)?;
    // From a line's worth of rows on, transposed tiles write whole lines with fewer loads.
    if !vectors || outer[q].len * copy.run < LINE || p.len * copy.run >= LINE {
        return None;
    }
    let kernel = interleave::kernel(context.isa, copy.run, p.len, context.stream)?;
    let rows = ROW_BYTES / interleave::MAX_ROWS / copy.run;
    let nest = Builder::new(copy.run, &without(&copy.axes, &[q, outer.len()]));
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
                Builder::new(copy.run, &without(&copy.axes, &[q, outer.len()]))
                    .along(*p, Some(outer[q]), block, ROWS)
                    .build(kernel),
            )
        }
        _ => Some(lines(copy, kernel)),
    }
}

/// Vector tiles between the last axis and axis `q`, along which the source is contiguous.
fn tiles(copy: &Normalized, q: usize, context: Context) -> Nest {
    let last = copy.axes.len() - 1;
    let (p_axis, q_axis) = (copy.axes[last], copy.axes[q]);
    let mut nest = Builder::new(copy.run, &without(&copy.axes, &[q, last]));
    let in_lines = |step: isize| step.unsigned_abs().is_multiple_of(LINE);
    nest.align_dst = in_lines(q_axis.dst) && nest.loops().all(|l| in_lines(l.dst));
    nest.align_src = in_lines(p_axis.src) && nest.loops().all(|l| in_lines(l.src));
    let variant = transpose::Variant { tables: false, stream: context.stream && nest.align_dst };
    let tile = match context.strategy {
        Strategy::ScalarTiles => None,
        _ => transpose::kernel(context.isa, copy.run, variant),
    };
    match tile {
        Some(tile) if p_axis.len >= tile.p && q_axis.len >= tile.q => {
            vector_tiles(nest, p_axis, q_axis, tile)
        }
        _ => scalar_tiles(copy, q),
    }
}

fn vector_tiles(mut nest: Builder, p: Axis, mut q: Axis, tile: transpose::Tile) -> Nest {
    let unit = nest.geometry.unit;
    if q.src < 0 {
        // Walk the source forwards: start both sides at the axis' other end.
        let end = (q.len - 1) as isize;
        nest.src_shift = q.src * end;
        nest.dst_shift = q.dst * end;
        q = Axis { len: q.len, src: -q.src, dst: -q.dst };
    }
    // Blocks stay larger than a tile when the first line of an aligned cell is cut off.
    let p_block = TILE_ROWS.max(2 * LINE / unit).max(2 * tile.p);
    let q_block = (TILE_ROW_BYTES / unit).max(2 * tile.q);
    nest.along(p, Some(q), p_block, q_block).build(tile.kernel)
}

/// Scalar moves in blocks that stay in the level-1 cache.
fn scalar_tiles(copy: &Normalized, q: usize) -> Nest {
    let last = copy.axes.len() - 1;
    let side = (SCALAR_TILE_BYTES / copy.run).clamp(1, SCALAR_TILE_UNITS);
    Builder::new(copy.run, &without(&copy.axes, &[q, last]))
        .along(copy.axes[last], Some(copy.axes[q]), side, side)
        .build(scalar(copy))
}

/// No tile applies: unit by unit along the last axis, in blocks when another axis is nearer in
/// the source and shares its cache lines.
fn unit_by_unit(copy: &Normalized, strategy: Strategy) -> Nest {
    let last = copy.axes.len() - 1;
    let step = |i: &usize| copy.axes[*i].src.unsigned_abs();
    let nearest = (0..last).filter(|i| step(i) > 0).min_by_key(step);
    match nearest {
        Some(q) if strategy != Strategy::Rows && step(&q) < step(&last).min(LINE) => {
            scalar_tiles(copy, q)
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

/// `axes` without those at the given places.
fn without(axes: &[Axis], places: &[usize]) -> Axes {
    axes.iter().enumerate().filter(|(i, _)| !places.contains(i)).map(|(_, &axis)| axis).collect()
}

/// A nest under construction: loops are added from the outside in.
struct Builder {
    grid: SmallVec<[Loop; 6]>,
    /// Loops that reread the source, kept innermost so that what they reread is still in a cache.
    rereads: SmallVec<[Loop; 6]>,
    p: Extent,
    q: Extent,
    geometry: Geometry,
    align_dst: bool,
    align_src: bool,
    src_shift: isize,
    dst_shift: isize,
}

impl Builder {
    fn new(unit: usize, outer: &[Axis]) -> Self {
        let as_loop = |axis: &Axis| Loop { count: axis.len, src: axis.src, dst: axis.dst };
        Self {
            grid: outer.iter().filter(|axis| axis.src != 0).map(as_loop).collect(),
            rereads: outer.iter().filter(|axis| axis.src == 0).map(as_loop).collect(),
            p: Extent::Whole(1),
            q: Extent::Whole(1),
            geometry: Geometry { unit, ..Geometry::default() },
            align_dst: false,
            align_src: false,
            src_shift: 0,
            dst_shift: 0,
        }
    }

    /// The loops so far.
    fn loops(&self) -> impl Iterator<Item = &Loop> {
        self.grid.iter().chain(&self.rereads)
    }

    /// Lets cells run along `p` and `rows`, cut into blocks of at most the given units.
    fn along(mut self, p: Axis, rows: Option<Axis>, p_block: usize, q_block: usize) -> Self {
        (self.geometry.sp, self.geometry.dp) = (p.src, p.dst);
        if let Some(rows) = rows {
            (self.geometry.sq, self.geometry.dq) = (rows.src, rows.dst);
            self.q = self.cut(rows.len, q_block, rows.src, rows.dst);
        }
        self.p = self.cut(p.len, p_block, p.src, p.dst);
        self
    }

    /// Cuts `len` units into blocks, with a loop of its own when there is more than one.
    fn cut(&mut self, len: usize, block: usize, src: isize, dst: isize) -> Extent {
        let count = blocks(len, block);
        if count == 1 {
            return Extent::Whole(len);
        }
        let level = self.grid.len();
        let step = |step: isize| step * block as isize;
        self.grid.push(Loop { count, src: step(src), dst: step(dst) });
        Extent::Cut { len, block, level }
    }

    fn build(mut self, kernel: Kernel) -> Nest {
        self.grid.extend(self.rereads);
        Nest {
            grid: self.grid,
            p: self.p,
            q: self.q,
            kernel,
            geometry: self.geometry,
            align_dst: self.align_dst,
            align_src: self.align_src,
            src_shift: self.src_shift,
            dst_shift: self.dst_shift,
        }
    }
}
