//! The x86-64 tiers.

pub(super) mod avx2;
pub(super) mod avx512;

/// Transposes inside lanes by `$rounds` rounds of interleaving the first half of the vectors with
/// the second.
macro_rules! interleave {
    ($($tier:ty, $n:literal, $rounds:literal, $low:ident, $high:ident;)*) => {
        $(impl $crate::kernels::transpose::LaneTranspose<$n> for $tier {
            #[inline(always)]
            unsafe fn transpose(
                mut vectors: [<Self as $crate::kernels::tier::Tier>::Vector; $n],
            ) -> [<Self as $crate::kernels::tier::Tier>::Vector; $n] {
                for _ in 0..$rounds {
                    let previous = vectors;
                    for i in 0..$n / 2 {
                        // SAFETY: the caller vouches for the tier's features.
                        unsafe {
                            vectors[2 * i] = $low(previous[i], previous[i + $n / 2]);
                            vectors[2 * i + 1] = $high(previous[i], previous[i + $n / 2]);
                        }
                    }
                }
                vectors
            }
        })*
    };
}
use interleave;
