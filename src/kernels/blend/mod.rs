//! Vectors put together from several loads: the common ground of gathers and interleaves.
//!
//! A lane is filled by blending loads whose wanted bytes arrive at different places, and one
//! permutation then puts them in order: one shuffle for a whole vector, where a network of
//! two-operand shuffles would take one for every load.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2Lane;

use super::tier::Tier;

/// How to put one lane together.
#[derive(Clone, Copy)]
pub(crate) struct Blend {
    /// Loads that bear a unit.
    pub loads: usize,
    /// Where each load begins, in bytes.
    pub offsets: [i16; 16],
    /// Bytes wanted of each load, the lowest bit for the lowest byte.
    pub masks: [u64; 16],
    /// Byte of the blend that becomes each byte of the lane.
    pub index: [u8; 64],
}

impl Blend {
    /// A blend of nothing.
    pub const NONE: Self = Self { loads: 0, offsets: [0; 16], masks: [0; 16], index: [0; 64] };
}

/// A tier that blends and permutes bytes. A vector is made of lanes of `LANE` bytes that are put
/// together alike, each for itself. Loads take the address for the first lane and the bytes from one
/// lane to the next.
pub(crate) trait Blending: Tier {
    /// Which bytes of a lane are wanted.
    type Mask: Copy;
    const LANE: usize;
    /// Loads touch no byte that their mask excludes.
    const EXACT: bool;

    /// The lowest bit stands for a lane's lowest byte.
    ///
    /// # Safety
    /// The tier's features are there.
    unsafe fn mask(bits: u64) -> Self::Mask;

    /// The permutation `index`, of which `LANE` bytes count, for every lane.
    ///
    /// # Safety
    /// The tier's features are there.
    unsafe fn index(index: &[u8; 64]) -> Self::Vector;

    /// Loads bytes, those of the mask at least.
    ///
    /// # Safety
    /// The tier's features are there; the bytes of the mask, or all if the tier is not exact, are
    /// readable for every lane.
    unsafe fn load_bytes(at: *const u8, step: isize, mask: Self::Mask) -> Self::Vector;

    /// Replaces the bytes of the mask by loaded ones.
    ///
    /// # Safety
    /// As for [`Blending::load_bytes`].
    unsafe fn blend(
        vector: Self::Vector,
        at: *const u8,
        step: isize,
        mask: Self::Mask,
    ) -> Self::Vector;

    /// Byte `i` of every lane becomes what was byte `index[i]` of it.
    ///
    /// # Safety
    /// The tier's features are there.
    unsafe fn permute(vector: Self::Vector, index: Self::Vector) -> Self::Vector;
}

/// Names the entry point `run` compiled for as many loads a vector as are asked for, at most 16.
macro_rules! by_loads {
    ($loads:expr, $run:ident, $stream:ident) => {
        $crate::kernels::blend::by_loads!(
            $loads, $run, $stream, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
        )
    };
    ($loads:expr, $run:ident, $stream:ident, [$($n:literal)*]) => {
        match $loads {
            $($n => $run::<$n, $stream>,)*
            _ => $run::<16, $stream>,
        }
    };
}
pub(crate) use by_loads;
