//! `dst += src` over strided layouts: every element of the source is added at its place in the
//! destination, and a place that several elements share gets all of them.
//!
//! The loops are those of a copy ([`Normalized`](crate::analysis::Normalized), with elements for
//! bytes), so unit axes, directions and neighbours in lockstep are dealt with there. What differs
//! is that the destination may repeat places. An axis along which it stands still is a sum
//! ([`Nest`] keeps it in registers), and where rows overlap they are added one after another.
//!
//! The order of the additions follows from the layouts and the element size alone: floating-point
//! results are the same in every run and on every tier. Sums along contiguous elements are formed
//! block by block, which also keeps their rounding errors small. One thread does it all.

mod nest;
mod tile;

use nest::{Body, Loop, Nest, Positions};

use super::Additive;
use crate::copy::check_reach;
use crate::error::CopyError;
use crate::kernels::accumulate::{Run, add_rows, add_run};
use crate::kernels::on_tier::{Loops, on_tier};
use crate::layout::Layout;

/// Adds element `i` of `src`, laid out as `from`, to element `i` of `dst`, laid out as `to`, for
/// all `i`.
///
/// # Errors
/// [`CopyError`] when the shapes differ, or a layout reaches outside its slice. Nothing is added
/// then.
pub(super) fn accumulate<T: Additive>(
    dst: &mut [T],
    to: &Layout,
    src: &[T],
    from: &Layout,
) -> Result<(), CopyError> {
    check_reach("destination", to, dst.len())?;
    check_reach("source", from, src.len())?;
    match Nest::new(to, from, size_of::<T>())? {
        None => {} // nothing to add
        Some(Nest { outer, start, body: Body::Tile { p, q } }) => {
            for at in Positions::new(&outer, start) {
                tile::add(dst, src, at, p, q)?;
            }
        }
        Some(Nest { outer, start, body: Body::Rows { middle, row, block } }) => {
            on_tier(Rows { dst, src, outer: &outer, start, middle: &middle, row, block });
        }
    }
    Ok(())
}

/// Rows along one axis, in blocks short enough that what a block's `middle` loops come back to is
/// still in the cache.
struct Rows<'a, T> {
    dst: &'a mut [T],
    src: &'a [T],
    outer: &'a [Loop],
    start: (isize, isize),
    middle: &'a [Loop],
    row: Loop,
    block: usize,
}

impl<T: Additive> Loops for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { dst, src, outer, start, middle, row, block } = self;
        // A sum over contiguous rows: several at once.
        let (middle, summed) = match middle {
            [others @ .., last] if last.dst == 0 && (row.dst, row.src) == (1, 1) => {
                (others, Some(last))
            }
            _ => (middle, None),
        };
        for at in Positions::new(outer, start) {
            for first in (0..row.len).step_by(block) {
                let len = block.min(row.len - first);
                let steps = first as isize;
                let at = (at.0 + steps * row.dst, at.1 + steps * row.src);
                for (to, from) in Positions::new(middle, at) {
                    match summed {
                        Some(rows) => add_rows(
                            &mut dst[to as usize..][..len],
                            src,
                            Run { first: from, len: rows.len, step: rows.src },
                        ),
                        None => add_run(
                            dst,
                            Run { first: to, len, step: row.dst },
                            src,
                            Run { first: from, len, step: row.src },
                        ),
                    }
                }
            }
        }
    }
}
