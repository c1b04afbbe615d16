//! The x86-64 tiers.

pub(super) mod avx2;
pub(super) mod avx512;

/// Transposes inside lanes: `log2($n)` rounds of interleaving the first half of the vectors with the
/// second. `$pair` counts the vectors of a half. Rounds and pairs are written out, because a loop over
/// sixteen vectors would be left one, and keep them in memory.
macro_rules! interleave {
    ($tier:ty, $n:literal, $low:ident, $high:ident, [$($pair:literal)*]) => {
        impl $crate::kernels::transpose::LaneTranspose<$n> for $tier {
            #[inline(always)]
            unsafe fn transpose(
                vectors: [<Self as $crate::kernels::tier::Tier>::Vector; $n],
            ) -> [<Self as $crate::kernels::tier::Tier>::Vector; $n] {
                type Vectors = [<$tier as $crate::kernels::tier::Tier>::Vector; $n];

                /// # Safety
                /// The tier's features are there.
                #[inline(always)]
                unsafe fn round(v: Vectors) -> Vectors {
                    // SAFETY: the caller vouches for the tier's features.
                    unsafe {
                        [$(
                            $low(v[$pair], v[$pair + $n / 2]),
                            $high(v[$pair], v[$pair + $n / 2]),
                        )*]
                    }
                }

                // SAFETY: the caller vouches for the tier's features.
                unsafe {
                    let vectors = round(vectors);
                    let vectors = if $n > 2 { round(vectors) } else { vectors };
                    let vectors = if $n > 4 { round(vectors) } else { vectors };
                    if $n > 8 { round(vectors) } else { vectors }
                }
            }
        }
    };
}
use interleave;
