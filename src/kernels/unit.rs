//! Moving one unit whose size is known to the compiler, or not.

use core::mem::MaybeUninit;

/// Copies one unit.
pub(crate) trait Unit: Copy {
    /// Bytes of the unit.
    fn bytes(self) -> usize;

    /// Moves the unit at `src` to `dst`.
    ///
    /// # Safety
    /// The unit's bytes are readable at `src`, writable at `dst`, and the two do not overlap.
    /// Neither needs any alignment.
    unsafe fn copy(self, src: *const u8, dst: *mut u8);

    /// Moves the unit at `src` to `dst`, and with it any of the bytes that follow, fewer than the
    /// unit has: one register move where the unit alone would take two.
    ///
    /// # Safety
    /// As for [`Unit::copy`], for two units' bytes.
    #[inline(always)]
    unsafe fn copy_with_next(self, src: *const u8, dst: *mut u8) {
        // SAFETY: passed on.
        unsafe { self.copy(src, dst) }
    }
}

/// A unit of exactly `N` bytes: one or two register moves.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<const N: usize>;

impl<const N: usize> Unit for Fixed<N> {
    #[inline(always)]
    fn bytes(self) -> usize {
        N
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, dst: *mut u8) {
        // SAFETY: N bytes that need be neither aligned nor, as a value's padding is not,
        // initialized; the caller vouches for them on both sides.
        unsafe {
            let unit = src.cast::<MaybeUninit<[u8; N]>>().read();
            dst.cast::<MaybeUninit<[u8; N]>>().write(unit);
        }
    }

    #[inline(always)]
    unsafe fn copy_with_next(self, src: *const u8, dst: *mut u8) {
        // SAFETY: none of these sizes is more than twice the unit's.
        unsafe {
            match N {
                3 => Fixed::<4>.copy(src, dst),
                5..=7 => Fixed::<8>.copy(src, dst),
                9..=15 => Fixed::<16>.copy(src, dst),
                17..=31 => Fixed::<32>.copy(src, dst),
                33..=63 => Fixed::<64>.copy(src, dst),
                _ => self.copy(src, dst),
            }
        }
    }
}

/// A unit of any size.
#[derive(Clone, Copy)]
pub(crate) struct Bytes(pub usize);

impl Unit for Bytes {
    #[inline(always)]
    fn bytes(self) -> usize {
        self.0
    }

    #[inline(always)]
    unsafe fn copy(self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller vouches for that many bytes on both sides.
        unsafe { src.copy_to_nonoverlapping(dst, self.0) }
    }
}

/// Expands to a `match` on a unit's size that names a kernel instantiated for each common size and
/// one for all others: `by_unit!(size, "gather", cells)` gives a [`Kernel`](super::Kernel) that
/// runs `cells::<Fixed<4>>` for 4 bytes.
macro_rules! by_unit {
    ($size:expr, $family:expr, $function:expr) => {
        $crate::kernels::unit::by_unit!(
            $size, $family, $function,
            [1 2 3 4 5 6 7 8 9 10 12 14 16 20 24 28 32 40 48 56 64]
        )
    };
    ($size:expr, $family:expr, $function:expr, [$($n:literal)*]) => {
        match $size {
            $($n => $crate::kernels::Kernel::cached(
                concat!($family, "_", stringify!($n), "B"),
                |g, c| {
                    // SAFETY: the obligations of `CellFn`, passed on.
                    unsafe { ($function)($crate::kernels::unit::Fixed::<$n>, g, c) }
                },
            ),)*
            _ => $crate::kernels::Kernel::cached(
                concat!($family, "_any"),
                |g, c| {
                    // SAFETY: the obligations of `CellFn`, passed on.
                    unsafe { ($function)($crate::kernels::unit::Bytes(g.unit), g, c) }
                },
            ),
        }
    };
}
pub(crate) use by_unit;
