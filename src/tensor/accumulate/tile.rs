//! Two axes, one contiguous on either side: tiles of the source are transposed into a buffer by
//! the planned copies, and the buffer's rows are added.

use super::nest::Loop;
use crate::copy::copy_by;
use crate::error::{CopyError, PlanError};
use crate::kernels::accumulate::{Additive, Run, add_run};
use crate::kernels::on_tier::{Loops, on_tier};
use crate::plan::{CopySpec, Plan, PlanOptions};

/// Bytes of the source's rows in a tile: a few whole lines.
const ROW: usize = 256;

/// Bytes of the buffer: it stays in the level-2 cache.
const BUFFER: usize = 64 << 10;

/// Adds the elements from `at` on, along `p` and `q`.
pub(super) fn add<T: Additive>(
    dst: &mut [T],
    src: &[T],
    at: (isize, isize),
    p: Loop,
    q: Loop,
) -> Result<(), CopyError> {
    let size = size_of::<T>(); // not 0: steps of 0 bytes jump over no line
    let q_tile = (ROW / size).max(4).min(q.len);
    let p_tile = (BUFFER / (q_tile * size)).max(4).min(p.len);
    let mut buffer = vec![T::ZERO; p_tile * q_tile];
    for p_first in (0..p.len).step_by(p_tile) {
        let p_len = p_tile.min(p.len - p_first);
        let mut plan = transpose(p, q, p_len, q_tile, size)?;
        for q_first in (0..q.len).step_by(q_tile) {
            let q_len = q_tile.min(q.len - q_first);
            if q_len < q_tile {
                plan = transpose(p, q, p_len, q_len, size)?;
            }
            let place = |start: isize, p_step: isize, q_step: isize| {
                start + p_first as isize * p_step + q_first as isize * q_step
            };
            // The tile's first element exists, so its place is no negative one.
            copy_by(&plan, src, place(at.1, p.src, q.src) as usize, &mut buffer, 0)?;
            on_tier(Rows {
                dst,
                to: Run { first: place(at.0, p.dst, q.dst), len: p_len, step: p.dst },
                pitch: q.dst,
                buffer: &buffer[..p_len * q_len],
            });
        }
    }
    Ok(())
}

/// The plan that brings a tile of `p_len × q_len` elements of `size` bytes into a buffer, those
/// along `p` contiguous.
fn transpose(p: Loop, q: Loop, p_len: usize, q_len: usize, size: usize) -> Result<Plan, CopyError> {
    let bytes = |elements: isize| {
        let size = isize::try_from(size).ok()?;
        elements.checked_mul(size)
    };
    let (Some(q_src), Some(p_src)) = (bytes(q.src), bytes(p.src)) else {
        return Err(PlanError::Overflow { what: "the span of the source" }.into());
    };
    // The buffer is a vector: its strides in bytes fit.
    let (q_dst, p_dst) = ((p_len * size) as isize, size as isize);
    let spec = CopySpec::new(size, &[q_len, p_len], &[q_src, p_src], &[q_dst, p_dst]);
    Ok(Plan::new(&spec, &PlanOptions::serial())?)
}

/// The rows of a buffer, each added to a row of the destination.
struct Rows<'a, T> {
    dst: &'a mut [T],
    /// Where the first one goes.
    to: Run,
    /// Distance from each row to the next in the destination.
    pitch: isize,
    buffer: &'a [T],
}

impl<T: Additive> Loops for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Run { mut first, len, step } = self.to;
        for row in self.buffer.chunks_exact(len) {
            add_run(self.dst, Run { first, len, step }, row, Run { first: 0, len, step: 1 });
            first += self.pitch;
        }
    }
}
