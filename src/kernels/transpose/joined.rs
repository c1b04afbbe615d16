//! Streaming for destination rows that begin anywhere in a line.
//!
//! A store that passes the caches by must fill an aligned line, but with odd pitches every
//! destination row has a phase of its own, and a tile's vectors straddle two of its lines. So the
//! last two lines' worth of every row are kept in a slot of its own; the
//! line that lies across them is complete, and is streamed one step later. Only the ragged ends of
//! a row are stored through the caches.
//!
//! ```text
//!              slot of one destination row
//!            [ vector t-2   | vector t-1   ]
//!  phase ──────────┘[ a whole line ]           → streamed in step t, before vector t comes in
//! ```

use core::mem::MaybeUninit;

use super::super::tier::{Rows, Tier, stream_line};
use super::super::{Cell, LINE};
use super::patch::Ahead;
use super::{LaneTranspose, lines, starts};

/// Most columns of a cell. Their slots, 128 KiB, stay in the level-2 cache, and a walk along that many
/// columns is long enough for its prefetcher.
pub(crate) const JOINED_COLUMNS: usize = 1024;

/// What is kept of every destination row.
#[repr(align(64))]
struct Slots(MaybeUninit<[[u8; 2 * LINE]; JOINED_COLUMNS]>);

/// Transposes one cell of at least `64/unit × N` units.
///
/// # Safety
/// The obligations of [`super::cell`], `cell.p >= 64/unit`, and `cell.q <= JOINED_COLUMNS`.
#[inline(always)]
pub(super) unsafe fn cell<T: LaneTranspose<N>, const N: usize>(
    cell: &Cell,
    src_rows: impl Rows,
    dst_rows: impl Rows,
) {
    let unit = 16 / N;
    let per_line = LINE / unit;
    debug_assert!(cell.q <= JOINED_COLUMNS && cell.p >= per_line);
    let mut slots = Slots(MaybeUninit::uninit());
    let slots = slots.0.as_mut_ptr().cast::<u8>();
    // SAFETY: column j is the cell's, and has a slot.
    let place =
        |j: usize| unsafe { (slots.add(j * 2 * LINE), cell.dst.offset(dst_rows.offset(j))) };
    let strip = per_line.min(cell.q);
    let (steps, rest) = (cell.p / per_line, cell.p % per_line);

    for step in 0..steps + (rest > 0) as usize {
        // The last, incomplete step takes a whole line's worth of rows again, and puts it where
        // all but the new ones coincide with what the slot holds already.
        let (i, at) = match step < steps {
            true => (step * per_line, LINE),
            false => (cell.p - per_line, rest * unit),
        };
        let next = if step + 1 < steps { (cell.src, i + per_line) } else { (cell.next, 0) };
        let mut ahead = Ahead::new(src_rows, cell.q * unit, (cell.src, i..i + per_line), next);
        let mut advanced = 0;
        for j0 in starts(cell.q, strip) {
            // The last strip is moved back to end at the edge: some of its slots have advanced.
            for j in advanced..j0 + strip {
                let (slot, row) = place(j);
                // SAFETY: the slot is the row's, and has seen `step` vectors.
                unsafe { advance::<T>(slot, row, step) };
            }
            advanced = j0 + strip;
            ahead.ask::<T>(per_line);
            // SAFETY: rows i..i+64/unit and columns j0..j0+strip are the cell's, and the slots are
            // theirs; `at + LINE` bytes are within a slot.
            unsafe {
                let src = cell.src.add(j0 * unit);
                let to = |k: usize| place(j0 + k).0.add(at);
                lines::<T, N, false>(src, i, strip, src_rows, to);
            }
        }
    }
    for j in 0..cell.q {
        let (slot, row) = place(j);
        // SAFETY: the slot holds all of the row that is not yet stored.
        unsafe { finish::<T>(slot, row, cell.p * unit, rest * unit) };
    }
}

/// Makes room in a slot that has seen `step` vectors: stores what is complete, and moves the last
/// vector to the front.
///
/// # Safety
/// The tier's features are there; `slot` is that of the destination row at `row`, of which at
/// least `step` lines' worth of bytes are writable.
#[inline(always)]
unsafe fn advance<T: Tier>(slot: *mut u8, row: *mut u8, step: usize) {
    let head = row.align_offset(LINE);
    // SAFETY: the slot holds vectors step-2 (if there was one) and step-1.
    unsafe {
        match step {
            0 => return,
            1 => slot.add(LINE).copy_to_nonoverlapping(row, head),
            _ => stream_line::<T>(slot.add(head), row.add(head + (step - 2) * LINE)),
        }
        for part in (0..LINE).step_by(16 * T::LANES) {
            T::store(slot.add(part), T::load_row(slot.add(LINE + part)));
        }
    }
}

/// Stores what is left in a slot at the end of its row of `bytes` bytes, of which the last `rest`
/// did not make up a whole vector.
///
/// # Safety
/// The tier's features are there; `slot` is that of the destination row at `row`, whose `bytes`
/// bytes are writable.
#[inline(always)]
unsafe fn finish<T: Tier>(slot: *const u8, row: *mut u8, bytes: usize, rest: usize) {
    let head = row.align_offset(LINE);
    // The slot ends with the row: behind its first vector come the rest, or a whole one.
    let held = LINE + if rest > 0 { rest } else { LINE };
    // The first advance stored the head, every other one a line.
    let stored = match bytes / LINE - 1 + (rest > 0) as usize {
        0 => 0,
        advances => head + (advances - 1) * LINE,
    };
    // SAFETY: bytes stored..bytes of the row are the last ones of the slot.
    unsafe {
        let mut from = slot.add(held - (bytes - stored));
        let mut at = stored;
        while bytes - at >= LINE && row.add(at).addr().is_multiple_of(LINE) {
            stream_line::<T>(from, row.add(at));
            (from, at) = (from.add(LINE), at + LINE);
        }
        from.copy_to_nonoverlapping(row.add(at), bytes - at);
    }
}
