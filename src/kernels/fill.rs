//! One source unit repeated along a contiguous destination row.
//!
//! Relies on `dp == unit` and `sp == 0`, and on a unit that divides sixteen bytes. One algorithm
//! serves every tier: a row begins and ends with a line's worth of copies, wherever those lie, and
//! between them whole lines are stored, or streamed past the caches.

use core::mem::MaybeUninit;

use super::tier::{Portable, Tier, stream_line};
use super::{Cell, CellFn, Geometry, Kernel, LINE};
use crate::machine::Isa;

/// The kernel of tier `isa` for units of `size` bytes, where there is one; `gather` serves every
/// other.
pub(crate) fn kernel(isa: Isa, size: usize, stream: bool) -> Option<Kernel> {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::avx512(pulp::x86::V4::try_new()?, size, stream),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::avx2(pulp::x86::V3::try_new()?, size, stream),
        // NEON registers are the portable vectors.
        _ => portable((), size, stream),
    }
}

/// A line's worth of copies. The bytes of a unit, as a value's padding, need not be initialized.
type Line = [MaybeUninit<u8>; LINE];

/// # Safety
/// The obligations of [`CellFn`](super::CellFn); and the tier's features.
#[inline(always)]
unsafe fn cell<T: Tier, const UNIT: usize, const STREAM: bool>(g: &Geometry, cell: Cell) {
    debug_assert!(g.unit == UNIT && g.sp == 0 && g.dp == UNIT as isize);
    let bytes = cell.p * UNIT;
    for j in 0..cell.q as isize {
        // SAFETY: row `j` exists on both sides; its source is one unit.
        let (unit, dst) = unsafe {
            let src = cell.src.offset(j * g.sq).cast::<[MaybeUninit<u8>; UNIT]>();
            (src.read(), cell.dst.offset(j * g.dq))
        };
        let copies: Line = core::array::from_fn(|byte| unit[byte % UNIT]);
        if bytes < LINE {
            // SAFETY: the row is shorter than the copies.
            unsafe { copies.as_ptr().cast::<u8>().copy_to_nonoverlapping(dst, bytes) };
            continue;
        }
        let to_line = dst.addr().wrapping_neg() % LINE;
        let line: Line = if to_line.is_multiple_of(UNIT) {
            copies
        } else {
            // Units straddle lines: a line begins in the middle of one.
            core::array::from_fn(|byte| unit[(to_line + byte) % UNIT])
        };
        let mut at = to_line;
        // SAFETY: every line lies in the row, which is one long at least, and shows the bytes of a
        // unit in their places; the last one ends with a unit.
        unsafe {
            if STREAM {
                // Not a byte of a line that streams: the caches would have to give it up.
                copies.as_ptr().cast::<u8>().copy_to_nonoverlapping(dst, to_line);
            } else if to_line > 0 {
                store_line::<T>(&copies, dst);
            }
            while at + LINE <= bytes {
                if STREAM {
                    stream_line::<T>(line.as_ptr().cast(), dst.add(at));
                } else {
                    store_line::<T>(&line, dst.add(at));
                }
                at += LINE;
            }
            if STREAM {
                let rest = line.as_ptr().cast::<u8>();
                rest.copy_to_nonoverlapping(dst.add(at), bytes - at);
            } else if at < bytes {
                store_line::<T>(&copies, dst.add(bytes - LINE));
            }
        }
    }
}

/// # Safety
/// The tier's features are there, and a line is writable at `to`, which may have any alignment.
#[inline(always)]
unsafe fn store_line<T: Tier>(line: &Line, to: *mut u8) {
    for part in (0..LINE).step_by(16 * T::LANES) {
        // SAFETY: passed on.
        unsafe { T::store(to.add(part), T::load_row(line.as_ptr().cast::<u8>().add(part))) };
    }
}

/// Defines a tier's lookup function behind the token that proves the tier's features.
macro_rules! entries {
    ($function:ident, $tier:ty, $proof:ty $(, $feature:meta)?) => {
        /// The kernel for units of `size` bytes.
        pub(super) fn $function(_proof: $proof, size: usize, stream: bool) -> Option<Kernel> {
            /// # Safety
            /// The obligations of `CellFn`.
            $(#[$feature])?
            unsafe fn run<const UNIT: usize, const STREAM: bool>(g: &Geometry, c: Cell) {
                // SAFETY: passed on; the entry point has the tier's features.
                unsafe { cell::<$tier, UNIT, STREAM>(g, c) }
            }

            fn entry<const UNIT: usize>(name: &'static str, streams: bool) -> Option<Kernel> {
                let run = if streams { run::<UNIT, true> } else { run::<UNIT, false> as CellFn };
                Some(Kernel { name, run, stores: $crate::kernels::Stores::lines(streams) })
            }

            match size {
                1 => entry::<1>(concat!("fill_u8_", stringify!($function)), stream),
                2 => entry::<2>(concat!("fill_u16_", stringify!($function)), stream),
                4 => entry::<4>(concat!("fill_u32_", stringify!($function)), stream),
                8 => entry::<8>(concat!("fill_u64_", stringify!($function)), stream),
                16 => entry::<16>(concat!("fill_u128_", stringify!($function)), stream),
                _ => None,
            }
        }
    };
}

entries! { portable, Portable, () }

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::cell;
    use crate::kernels::tier::{Avx2, Avx512};
    use crate::kernels::{Cell, CellFn, Geometry, Kernel};

    entries! { avx2, Avx2, pulp::x86::V3, target_feature(enable = "avx2") }
    entries! { avx512, Avx512, pulp::x86::V4, target_feature(enable = "avx512f") }
}
