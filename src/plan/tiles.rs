//! Cells of the vector transposes: which axes they span, and how they are cut.
//!
//! A tile needs a run of the destination on one side and a run of the source on the other. Where
//! the axis that is contiguous on a side is short, the next one in memory is chained to it, and
//! the next, until the run is long enough: `[2]*24` gives chains of six and ten axes. The kernel
//! sees a chain as one axis, whose rows on the other side lie wherever a table says.

use alloc::boxed::Box;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::builder::{Builder, without};
use super::context::Context;
use super::nest::{Extent, Loop, Nest, blocks};
use super::options::{Strategy, TileSize};
use crate::analysis::{Axis, Normalized};
use crate::error::PlanError;
use crate::kernels::transpose::{self, JOINED_COLUMNS, Tile, Variant};
use crate::kernels::{Kernel, LINE, Seams, Stores};
use crate::machine::Isa;

/// Bytes of a cell along the destination's run and along the source's. The kernel walks a line's
/// worth of source rows side by side; the longer the walk, the better its prefetching. Measured: 1.2
/// times memcpy at 4096² f32, where walks of 256 bytes gave 0.6. The longer the destination's run,
/// the fewer ragged ends, where the output does not begin on a line: 1 KiB gave 0.75 for a reversed
/// f32[64,64,64,64], 256 bytes 0.37.
const DST_BYTES: usize = 1024;
/// The same where several axes make up the run, which then has ragged ends in every cell.
const CHAIN_DST_BYTES: usize = 8192;
const SRC_BYTES: usize = 4096;
/// The same where destination rows have ragged ends, which long rows make few.
const JOINED_DST_BYTES: usize = 8192;
const JOINED_SRC_BYTES: usize = 4096;
/// Bytes of the shortest extent that a caller may ask for: what the longest shift of an aligned cell
/// leaves of it is still a tile.
const LEAST_BYTES: usize = 2 * LINE;
/// Units of the longest, which bounds the tables of rows.
const MOST_UNITS: u32 = 1 << 16;

/// The nest of vector tiles for `copy`, whose last axis is contiguous in the destination and whose
/// axis `q` is contiguous in the source, in either direction. `None` when the runs on either side
/// are too short for every tier's tile, or the strategy asks for none.
pub(super) fn vector_tiles(copy: &Normalized, q: usize, context: Context) -> Option<Nest> {
    if context.strategy == Strategy::ScalarTiles || copy.bytes < smallest(copy.run) {
        return None;
    }
    if !context.stream {
        return tiles(copy, q, context, Stores::Cached);
    }
    tiles(copy, q, context, Stores::Lines)
        .or_else(|| tiles(copy, q, context, Stores::Joined))
        .or_else(|| tiles(copy, q, context, Stores::Cached))
}

/// The nearest extents to `asked` that kernels for units of `unit` bytes can take.
fn possible(asked: TileSize, unit: usize, stores: Stores) -> TileSize {
    let least = (LEAST_BYTES / unit) as u32;
    let most_columns = match stores {
        Stores::Joined => JOINED_COLUMNS as u32 / 2,
        _ => MOST_UNITS,
    };
    TileSize {
        rows: asked.rows.clamp(least, MOST_UNITS),
        columns: asked.columns.clamp(least, most_columns),
    }
}

/// Refuses a plan whose cells are not those `asked` for.
pub(super) fn refuse_other_than(
    asked: TileSize,
    unit: usize,
    kernel: &Kernel,
) -> Result<(), PlanError> {
    if !transpose::is_transpose(kernel) {
        return Err(PlanError::NoTiles { kernel: kernel.name });
    }
    let possible = possible(asked, unit, kernel.stores);
    if possible == asked {
        return Ok(());
    }
    let TileSize { rows, columns } = asked;
    let (nearest_rows, nearest_columns) = (possible.rows, possible.columns);
    Err(PlanError::Tile { rows, columns, nearest_rows, nearest_columns })
}

/// Bytes of the smallest tile of any tier for units of `unit` bytes: as many vectors of 16 bytes as
/// there are units in one.
fn smallest(unit: usize) -> usize {
    16 * (16 / unit)
}

/// The nest of tiles that store in the given way; `None` when they cannot.
fn tiles(copy: &Normalized, q: usize, context: Context, stores: Stores) -> Option<Nest> {
    let unit = copy.run;
    let last = copy.axes.len() - 1;
    // Blocks are at least two lines long, which leaves a tile when an aligned cell is shifted.
    let asked = context.tile.map(|asked| possible(asked, unit, stores));
    let mut wanted = match (asked, stores) {
        (Some(TileSize { rows, columns }), _) => (rows as usize, columns as usize),
        (None, Stores::Joined) => {
            (JOINED_DST_BYTES / unit, (JOINED_SRC_BYTES / unit).min(JOINED_COLUMNS / 2))
        }
        _ => (DST_BYTES / unit, SRC_BYTES / unit),
    };
    let (mut p, mut q) = (Chain::new(copy, last), Chain::new(copy, q));
    grow(copy, &mut p, &mut q, wanted);
    if asked.is_none() && stores == Stores::Lines && copy.axes[last].len < wanted.0 {
        wanted.0 = CHAIN_DST_BYTES / unit;
        grow(copy, &mut p, &mut q, wanted);
    }
    let used: SmallVec<[usize; 8]> = p.places.iter().chain(&q.places).copied().collect();
    let mut nest = Builder::new(unit, without(&copy.axes, &used));
    // Walk the source forwards: start both sides at the other end of axes that run backwards.
    for axis in q.axes.iter_mut().filter(|axis| axis.src < 0) {
        let end = (axis.len - 1) as isize;
        nest.src_shift += axis.src * end;
        nest.dst_shift += axis.dst * end;
        *axis = Axis { len: axis.len, src: -axis.src, dst: -axis.dst };
    }

    let in_lines = |step: isize| step.unsigned_abs().is_multiple_of(LINE);
    let plain = p.axes.len() == 1 && q.axes.len() == 1;
    let even_dst =
        q.axes.iter().all(|axis| in_lines(axis.dst)) && nest.loops().all(|l| in_lines(l.dst));
    let even_src =
        p.axes.iter().all(|axis| in_lines(axis.src)) && nest.loops().all(|l| in_lines(l.src));
    nest.align_dst = plain && even_dst;
    nest.align_src = plain && even_src;
    if stores == Stores::Lines && !even_dst {
        return None;
    }
    if stores != Stores::Cached {
        nest.by_source(0);
    }
    let tile = widest(context.isa, unit, Variant { tables: !plain, stores }, p.len, q.len)?;

    if plain {
        nest.along(p.axes[0], Some(q.axes[0]), wanted.0, wanted.1);
    } else {
        nest.geometry.src_rows = p.table(wanted.0, |axis| axis.src);
        nest.geometry.dst_rows = q.table(wanted.1, |axis| axis.dst);
        nest.q = q.cut(&mut nest.grid, wanted.1);
        nest.p = p.cut(&mut nest.grid, wanted.0);
    }
    nest.geometry.seams = match nest.p {
        Extent::Whole(_) => q.seams((p.len * unit) as isize),
        Extent::Cut { .. } => None,
    };
    Some(nest.build(tile.kernel))
}

/// The kernel with the widest vectors, of tier `isa` or lower, whose tile fits into `p × q` units.
fn widest(isa: Isa, unit: usize, variant: Variant, p: usize, q: usize) -> Option<Tile> {
    let tiers = Isa::ALL.into_iter().rev().filter(|&tier| tier <= isa);
    tiers.filter_map(|tier| transpose::kernel(tier, unit, variant)).find(|t| p >= t.p && q >= t.q)
}

/// Axes that together make up one run of a side, innermost first.
struct Chain {
    /// Their places in the copy.
    places: SmallVec<[usize; 8]>,
    axes: SmallVec<[Axis; 8]>,
    /// Units of the run.
    len: usize,
}

impl Chain {
    fn new(copy: &Normalized, place: usize) -> Self {
        let axis = copy.axes[place];
        Self { places: [place].as_slice().into(), axes: [axis].as_slice().into(), len: axis.len }
    }

    /// Units of the run inside the last axis.
    fn inner(&self) -> usize {
        self.len / self.axes[self.axes.len() - 1].len
    }

    /// Which rows of this chain follow one another in the destination, rows of `row` bytes.
    fn seams(&self, row: isize) -> Option<Seams> {
        let place = self.axes.iter().position(|axis| axis.dst == row)?;
        let step = self.axes[..place].iter().map(|axis| axis.len).product();
        let last = place + 1 == self.axes.len();
        let period = if last { None } else { Some(step * self.axes[place].len) };
        Some(Seams { step, period })
    }

    /// Indices of the last axis in a block of about `target` units.
    fn block(&self, target: usize) -> usize {
        (target / self.inner()).max(1)
    }

    /// Cuts the chain's last axis into blocks of about `target` units, with a loop of its own when
    /// there is more than one.
    fn cut(&self, grid: &mut SmallVec<[Loop; 6]>, target: usize) -> Extent {
        let (inner, block) = (self.inner(), self.block(target));
        let axis = self.axes[self.axes.len() - 1];
        let count = blocks(axis.len, block);
        if count == 1 {
            return Extent::Whole(self.len);
        }
        let level = grid.len();
        let step = |step: isize| step * block as isize;
        grid.push(Loop { count, src: step(axis.src), dst: step(axis.dst) });
        Extent::Cut { len: self.len, block: inner * block, level }
    }

    /// Offset of every index of the largest cell, in bytes.
    fn table(&self, target: usize, step: fn(&Axis) -> isize) -> Box<[isize]> {
        let mut table = Vec::with_capacity(self.inner() * 2 * self.block(target));
        table.push(0);
        for (i, axis) in self.axes.iter().enumerate() {
            let last = i + 1 == self.axes.len();
            // A cell is less than two blocks long.
            let len = if last { axis.len.min(2 * self.block(target)) } else { axis.len };
            let inner = table.len();
            for index in 1..len as isize {
                for k in 0..inner {
                    table.push(table[k] + index * step(axis));
                }
            }
        }
        table.into_boxed_slice()
    }
}

/// Lengthens both chains towards `wanted` units, the shorter one (as a share of what is wanted)
/// first, by the axes that come next in memory.
fn grow(copy: &Normalized, p: &mut Chain, q: &mut Chain, wanted: (usize, usize)) {
    loop {
        // Products of plans that no memory can hold may not fit.
        let p_first = p.len.saturating_mul(wanted.1) <= q.len.saturating_mul(wanted.0);
        let next = |chain: &Chain, wanted: usize, step: fn(&Axis) -> isize| {
            let run = (copy.run * chain.len) as isize;
            let follows = |&i: &usize| step(&copy.axes[i]) == run;
            let free = |i: &usize| !p.places.contains(i) && !q.places.contains(i);
            (0..copy.axes.len()).filter(follows).find(free).filter(|_| chain.len < wanted)
        };
        let p_next = next(p, wanted.0, |axis| axis.dst);
        let q_next = next(q, wanted.1, |axis| axis.src.abs());
        let (chain, place) = match (p_next, q_next) {
            (Some(place), _) if p_first || q_next.is_none() => (&mut *p, place),
            (_, Some(place)) => (&mut *q, place),
            (Some(place), None) => (&mut *p, place),
            (None, None) => return,
        };
        chain.len *= copy.axes[place].len;
        chain.axes.push(copy.axes[place]);
        chain.places.push(place);
    }
}
