//! Rows that are contiguous on both sides. The unit is one byte, so that a row may be cut anywhere.
//!
//! Relies on `unit == sp == dp == 1`; rows joined to one stream on `dq == p` as well, in every
//! cell, and on `JOINED_BYTES`.

use core::mem::MaybeUninit;

use super::tier::{Tier, stream_line};
use super::{Cell, CellFn, Geometry, Kernel, LINE, Stores};
use crate::machine::Isa;

/// Lengths of rows that can be joined, in bytes.
pub(crate) const JOINED_BYTES: core::ops::RangeInclusive<usize> = LINE..=2048;

/// The kernel of tier `isa`: each row on its own, or joined to one stream where rows follow one another
/// without a gap. [`Stores::Joined`] relies on `p` being the whole row, within [`JOINED_BYTES`].
pub(crate) fn kernel(isa: Isa, stores: Stores) -> Kernel {
    match (isa, stores) {
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Stores::Lines | Stores::Joined) if pulp::x86::V4::is_available() => {
            let (name, run): (_, CellFn) = match stores {
                Stores::Joined => ("rows_joined_avx512", x86::joined_avx512),
                _ => ("rows_avx512", x86::each_avx512),
            };
            Kernel { name, run, stores }
        }
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, Stores::Lines | Stores::Joined) if pulp::x86::V3::is_available() => {
            let (name, run): (_, CellFn) = match stores {
                Stores::Joined => ("rows_joined_avx2", x86::joined_avx2),
                _ => ("rows_avx2", x86::each_avx2),
            };
            Kernel { name, run, stores }
        }
        _ => Kernel::cached("rows_memcpy", memcpy),
    }
}

unsafe fn memcpy(g: &Geometry, cell: Cell) {
    debug_assert!(g.unit == 1 && g.sp == 1 && g.dp == 1);
    for j in 0..cell.q as isize {
        // SAFETY: the `p` bytes of row `j` are the cell's on both sides.
        unsafe {
            let src = cell.src.offset(j * g.sq);
            src.copy_to_nonoverlapping(cell.dst.offset(j * g.dq), cell.p);
        }
    }
}

/// Streams the whole lines of every row.
///
/// # Safety
/// The obligations of [`CellFn`], and the tier's features.
#[inline(always)]
unsafe fn each<T: Tier>(g: &Geometry, cell: Cell) {
    debug_assert!(g.unit == 1 && g.sp == 1 && g.dp == 1);
    for j in 0..cell.q as isize {
        // SAFETY: head, body and tail make up row `j`; the body begins on a destination line.
        unsafe {
            let (src, dst) = (cell.src.offset(j * g.sq), cell.dst.offset(j * g.dq));
            let head = dst.align_offset(LINE).min(cell.p);
            src.copy_to_nonoverlapping(dst, head);
            let tail = head + (cell.p - head) / LINE * LINE;
            for at in (head..tail).step_by(LINE) {
                stream_line::<T>(src.add(at), dst.add(at));
            }
            src.add(tail).copy_to_nonoverlapping(dst.add(tail), cell.p - tail);
        }
    }
}

/// Bytes put together before their lines are streamed.
const BATCH: usize = 4096;

/// A batch, and room for the row that completes it.
#[repr(align(64))]
struct Buffer(MaybeUninit<[u8; BATCH + *JOINED_BYTES.end()]>);

/// Streams rows that follow one another in the destination as one run: they are put together in a
/// buffer that stays in the level-1 cache, at the place in a line that they have in the destination.
///
/// Of a line that the rows of two cells share, the first of them takes all: no line but the run's
/// first and last is stored in part, through the caches.
///
/// # Safety
/// The obligations of [`CellFn`]; `dq == p`, within [`JOINED_BYTES`], also of the rows before and after
/// the cell's; and the tier's features.
#[inline(always)]
unsafe fn joined<T: Tier>(g: &Geometry, cell: Cell) {
    let row = cell.p;
    debug_assert!(g.dq == row as isize && JOINED_BYTES.contains(&row));
    let mut buffer = Buffer(MaybeUninit::uninit());
    let buffer = buffer.0.as_mut_ptr().cast::<u8>();
    // The buffer stands for the destination from the line on in which the first row begins.
    let mut start = cell.dst.addr() % LINE;
    let mut line = cell.dst.wrapping_sub(start);
    let mut filled = start;
    if cell.more.0 {
        start = start.next_multiple_of(LINE);
    }
    for j in 0..cell.q as isize {
        // Rows may lie anywhere: no prefetcher but this one knows the next.
        let next = cell.src.wrapping_offset(j * g.sq).wrapping_offset(g.ahead);
        for at in (0..row).step_by(LINE) {
            T::prefetch(next.wrapping_add(at));
        }
        // SAFETY: row `j` is the cell's; `filled < BATCH`, so the buffer has room for it.
        unsafe { copy_row::<T>(cell.src.offset(j * g.sq), buffer.add(filled), row) };
        filled += row;
        if filled >= BATCH {
            // SAFETY: the batch holds rows of the destination from `start` on.
            unsafe {
                flush::<T>(buffer, line, start, BATCH);
                buffer.add(BATCH).copy_to(buffer, filled - BATCH);
            }
            line = line.wrapping_add(BATCH);
            filled -= BATCH;
            start = 0;
        }
    }
    if cell.more.1 {
        let rest = filled.next_multiple_of(LINE) - filled;
        // SAFETY: row `q` exists, and is no shorter than a line; the buffer has room for a row.
        unsafe {
            let next = cell.src.offset(cell.q as isize * g.sq);
            next.copy_to_nonoverlapping(buffer.add(filled), rest);
        }
        filled += rest;
    }
    // SAFETY: what is left of the rows.
    unsafe { flush::<T>(buffer, line, start, filled) };
}

/// Stores bytes `start..end` of `buffer`, which begins a line as `line` does.
///
/// # Safety
/// The tier's features are there; the bytes are initialized, and writable at `line`.
#[inline(always)]
unsafe fn flush<T: Tier>(buffer: *const u8, line: *mut u8, start: usize, end: usize) {
    let first = start.next_multiple_of(LINE).min(end);
    let last = first.max(end / LINE * LINE);
    // SAFETY: the three parts make up the bytes; those in the middle are whole lines.
    unsafe {
        let part = |from: usize, to: usize| {
            buffer.add(from).copy_to_nonoverlapping(line.wrapping_add(from), to - from);
        };
        part(start, first);
        for at in (first..last).step_by(LINE) {
            stream_line::<T>(buffer.add(at), line.wrapping_add(at));
        }
        part(last, end);
    }
}

/// Copies a row of at least one line, the last line's worth of bytes moved back to end with it.
///
/// # Safety
/// The tier's features are there; the bytes are readable and writable and do not overlap.
#[inline(always)]
unsafe fn copy_row<T: Tier>(src: *const u8, dst: *mut u8, bytes: usize) {
    let vector = 16 * T::LANES;
    let mut at = 0;
    while at < bytes {
        let from = at.min(bytes - vector);
        // SAFETY: from..from+vector is within the row.
        unsafe { T::store(dst.add(from), T::load_row(src.add(from))) };
        at += vector;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::tier::{Avx2, Avx512};
    use super::{Cell, Geometry, each, joined};

    macro_rules! entries {
        ($($name:ident: $generic:ident::<$tier:ty>, $features:literal;)*) => {
            $(
                /// # Safety
                #[doc = concat!("The obligations of `", stringify!($generic), "`.")]
                #[target_feature(enable = $features)]
                pub(super) unsafe fn $name(g: &Geometry, cell: Cell) {
                    // SAFETY: passed on; the entry point has the tier's features.
                    unsafe { $generic::<$tier>(g, cell) }
                }
            )*
        };
    }

    entries! {
        each_avx512: each::<Avx512>, "avx512f";
        each_avx2: each::<Avx2>, "avx2";
        joined_avx512: joined::<Avx512>, "avx512f";
        joined_avx2: joined::<Avx2>, "avx2";
    }
}
