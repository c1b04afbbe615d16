//! The x86-64 tiers.

/// Defines a tier's `kernel` function behind the token that proves the tier's features.
macro_rules! entries {
    ($tier:ty, $isa:literal, $proof:ty, $feature:meta) => {
        /// The kernel for units of `size` bytes.
        pub(in crate::kernels::collect) fn kernel(
            _proof: $proof,
            size: usize,
            stream: bool,
        ) -> Kernel {
            /// # Safety
            /// The obligations of [`cells`].
            #[$feature]
            unsafe fn run<B: Block<$tier>, const STREAM: bool>(block: B, g: &Geometry, cell: Cell) {
                // SAFETY: passed on; the entry point has the tier's features.
                unsafe { cells::<$tier, _, STREAM>(block, g, cell) }
            }

            /// # Safety
            /// The obligations of [`cells`].
            unsafe fn singly<const STREAM: bool>(unit: impl Unit, g: &Geometry, cell: Cell) {
                // SAFETY: passed on.
                unsafe { run::<_, STREAM>(Singly(unit), g, cell) }
            }

            /// # Safety
            /// The obligations of [`cells`].
            unsafe fn padded<const U: usize, const N: usize, const STREAM: bool>(
                g: &Geometry,
                cell: Cell,
            ) where
                Padded<U, N>: Block<$tier>,
            {
                // SAFETY: passed on.
                unsafe { run::<_, STREAM>(Padded::<U, N>, g, cell) }
            }

            fn by_size<const STREAM: bool>(size: usize) -> Kernel {
                let (name, run): (_, CellFn) = match size {
                    3 => (concat!("collect_", $isa, "_3B"), padded::<3, 4, STREAM>),
                    5 => (concat!("collect_", $isa, "_5B"), padded::<5, 2, STREAM>),
                    6 => (concat!("collect_", $isa, "_6B"), padded::<6, 2, STREAM>),
                    7 => (concat!("collect_", $isa, "_7B"), padded::<7, 2, STREAM>),
                    _ => return by_unit!(size, concat!("collect_", $isa), singly::<STREAM>),
                };
                Kernel::cached(name, run)
            }
            if stream { by_size::<true>(size) } else { by_size::<false>(size) }
        }
    };
}

pub(super) mod avx2 {
    use super::super::block::{Block, Singly};
    use super::super::cells;
    use core::arch::x86_64::*;

    use super::super::padded::{Closing, Padded};
    use crate::kernels::tier::{Avx2, Step, Tier};
    use crate::kernels::unit::{Unit, by_unit};
    use crate::kernels::{Cell, CellFn, Geometry, Kernel};

    impl Closing for Avx2 {
        #[inline(always)]
        unsafe fn load_lanes(at: *const u8, step: usize) -> __m256i {
            // SAFETY: passed on; the second lane ends within the vector's bytes.
            unsafe { Self::load(at, Step(step as isize), 0, 1) }
        }

        #[inline(always)]
        unsafe fn store_lanes(at: *mut u8, step: usize, vector: __m256i) {
            // SAFETY: passed on; the second lane ends within the vector's bytes.
            unsafe {
                _mm_storeu_si128(at.cast(), _mm256_castsi256_si128(vector));
                _mm_storeu_si128(at.add(step).cast(), _mm256_extracti128_si256::<1>(vector));
            }
        }
    }

    entries! {
        Avx2, "avx2", pulp::x86::V3, target_feature(enable = "avx2")
    }
}

/// The two tokens prove F, BW and VBMI.
pub(super) mod avx512 {
    use super::super::block::{Block, Singly};
    use super::super::cells;
    use core::arch::x86_64::__m512i;

    use super::super::padded::{Closing, Padded};
    use crate::kernels::tier::{Avx512, Tier};
    use crate::kernels::unit::{Unit, by_unit};
    use crate::kernels::{Cell, CellFn, Geometry, Kernel};

    impl Closing for Avx512 {
        #[inline(always)]
        unsafe fn load_lanes(at: *const u8, _step: usize) -> __m512i {
            // SAFETY: passed on.
            unsafe { Self::load_row(at) }
        }

        #[inline(always)]
        unsafe fn store_lanes(at: *mut u8, _step: usize, vector: __m512i) {
            // SAFETY: passed on.
            unsafe { Self::store(at, vector) }
        }
    }

    entries! {
        Avx512, "avx512", (pulp::x86::V4, pulp::core_arch::x86::Avx512vbmi),
        target_feature(enable = "avx512f,avx512bw,avx512vbmi")
    }
}
