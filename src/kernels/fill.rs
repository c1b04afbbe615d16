//! One source unit repeated along a contiguous destination row.
//!
//! Relies on `dp == unit` and `sp == 0`, and on a unit that divides sixteen bytes. One algorithm
//! serves every tier: a row begins and ends with one vector of copies each, wherever they lie, and
//! between them whole lines are stored, or streamed past the caches.

use super::{Cell, Geometry, Kernel};
use crate::machine::Isa;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The kernel of tier `isa` for units of `size` bytes, where there is one; `gather` serves every
/// other.
pub(crate) fn kernel(isa: Isa, size: usize, stream: bool) -> Option<Kernel> {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::kernel(pulp::x86::V4::try_new()?, size, stream),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::kernel(pulp::x86::V3::try_new()?, size, stream),
        _ => portable::kernel(size),
    }
}

/// A tier's way to store a line.
trait Tier {
    /// Stores the line, which may have any alignment.
    ///
    /// # Safety
    /// The tier's features are there, and 64 bytes at `at` are writable.
    unsafe fn store(at: *mut u8, line: &[u8; LINE]);

    /// Stores the line past the caches, where the tier can.
    ///
    /// # Safety
    /// As for [`Tier::store`], and `at` begins a line.
    unsafe fn stream(at: *mut u8, line: &[u8; LINE]);
}

/// # Safety
/// The obligations of [`CellFn`](super::CellFn); and the tier's features.
#[inline(always)]
unsafe fn cell<T: Tier, const UNIT: usize, const STREAM: bool>(g: &Geometry, cell: Cell) {
    debug_assert!(g.unit == UNIT && g.sp == 0 && g.dp == UNIT as isize);
    let bytes = cell.p * UNIT;
    for j in 0..cell.q as isize {
        // SAFETY: row `j` exists on both sides; its source is one unit.
        let (unit, dst) = unsafe {
            let src = cell.src.offset(j * g.sq).cast::<[u8; UNIT]>();
            (src.read(), cell.dst.offset(j * g.dq))
        };
        let copies: [u8; LINE] = core::array::from_fn(|byte| unit[byte % UNIT]);
        if bytes < LINE {
            // SAFETY: the row is shorter than the copies.
            unsafe { copies.as_ptr().copy_to_nonoverlapping(dst, bytes) };
            continue;
        }
        let to_line = dst.addr().wrapping_neg() % LINE;
        let line = if to_line.is_multiple_of(UNIT) {
            copies
        } else {
            // Units straddle lines: a line begins in the middle of one.
            core::array::from_fn(|byte| unit[(to_line + byte) % UNIT])
        };
        let mut at = to_line;
        // SAFETY: every line lies in the row, which is one line long at least, and shows the bytes
        // of a unit in their places: the last one ends with a unit.
        unsafe {
            if to_line > 0 {
                T::store(dst, &copies);
            }
            while at + LINE <= bytes {
                if STREAM {
                    T::stream(dst.add(at), &line);
                } else {
                    T::store(dst.add(at), &line);
                }
                at += LINE;
            }
            if at < bytes {
                T::store(dst.add(bytes - LINE), &copies);
            }
        }
    }
}

/// Defines a tier's `kernel` function behind the token that proves the tier's features.
macro_rules! entries {
    (
        $tier:ty, $isa:literal, ($($token:ident: $proof:ty, $stream:ident)?), [$($feature:meta)?]
    ) => {
        pub(super) fn kernel($($token: $proof,)? size: usize, $($stream: bool)?) -> Option<Kernel> {
            /// # Safety
            /// The obligations of `CellFn`.
            $(#[$feature])?
            unsafe fn run<const UNIT: usize, const STREAM: bool>(g: &Geometry, c: Cell) {
                // SAFETY: passed on; the entry point has the tier's features.
                unsafe { cell::<$tier, UNIT, STREAM>(g, c) }
            }

            fn entry<const UNIT: usize>(name: &'static str, streams: bool) -> Kernel {
                let run = if streams { run::<UNIT, true> } else { run::<UNIT, false> as CellFn };
                Kernel { name, run, streams }
            }

            $(let _proof: $proof = $token;)?
            let streams = false $(| $stream)?;
            Some(match size {
                1 => entry::<1>(concat!("fill_u8_", $isa), streams),
                2 => entry::<2>(concat!("fill_u16_", $isa), streams),
                4 => entry::<4>(concat!("fill_u32_", $isa), streams),
                8 => entry::<8>(concat!("fill_u64_", $isa), streams),
                16 => entry::<16>(concat!("fill_u128_", $isa), streams),
                _ => return None,
            })
        }
    };
}

mod portable {
    use super::{LINE, Tier, cell};
    use crate::kernels::{Cell, CellFn, Geometry, Kernel};

    struct Portable;

    impl Tier for Portable {
        #[inline(always)]
        unsafe fn store(at: *mut u8, line: &[u8; LINE]) {
            // SAFETY: the caller vouches for 64 writable bytes; arrays of bytes need no alignment.
            unsafe { at.cast::<[u8; LINE]>().write(*line) }
        }

        /// There is no portable streaming store.
        #[inline(always)]
        unsafe fn stream(at: *mut u8, line: &[u8; LINE]) {
            // SAFETY: passed on.
            unsafe { Self::store(at, line) }
        }
    }

    entries! { Portable, "portable", (), [] }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::*;

    use super::{LINE, Tier, cell};
    use crate::kernels::{Cell, CellFn, Geometry, Kernel};

    struct Avx2;

    impl Tier for Avx2 {
        #[inline(always)]
        unsafe fn store(at: *mut u8, line: &[u8; LINE]) {
            let halves = line.as_ptr().cast::<__m256i>();
            // SAFETY: the caller vouches for the features and for 64 writable bytes.
            unsafe {
                _mm256_storeu_si256(at.cast(), _mm256_loadu_si256(halves));
                _mm256_storeu_si256(at.add(32).cast(), _mm256_loadu_si256(halves.add(1)));
            }
        }

        #[inline(always)]
        unsafe fn stream(at: *mut u8, line: &[u8; LINE]) {
            let halves = line.as_ptr().cast::<__m256i>();
            // SAFETY: the caller vouches for the features and for 64 writable, aligned bytes.
            unsafe {
                _mm256_stream_si256(at.cast(), _mm256_loadu_si256(halves));
                _mm256_stream_si256(at.add(32).cast(), _mm256_loadu_si256(halves.add(1)));
            }
        }
    }

    entries! { Avx2, "avx2", (token: pulp::x86::V3, stream), [target_feature(enable = "avx2")] }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use core::arch::x86_64::*;

    use super::{LINE, Tier, cell};
    use crate::kernels::{Cell, CellFn, Geometry, Kernel};

    struct Avx512;

    impl Tier for Avx512 {
        #[inline(always)]
        unsafe fn store(at: *mut u8, line: &[u8; LINE]) {
            // SAFETY: the caller vouches for the features and for 64 writable bytes.
            unsafe { _mm512_storeu_si512(at.cast(), _mm512_loadu_si512(line.as_ptr().cast())) }
        }

        #[inline(always)]
        unsafe fn stream(at: *mut u8, line: &[u8; LINE]) {
            // SAFETY: the caller vouches for the features and for 64 writable, aligned bytes.
            unsafe { _mm512_stream_si512(at.cast(), _mm512_loadu_si512(line.as_ptr().cast())) }
        }
    }

    entries! { Avx512, "avx512", (token: pulp::x86::V4, stream), [target_feature(enable = "avx512f")] }
}
