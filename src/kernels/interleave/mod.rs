//! A few rows that are contiguous in the source, their units alternating in the destination.
//!
//! Relies on `dp == unit`, `sq == unit`, `dq == p * unit`, and `p` no more than [`MAX_ROWS`]: the
//! destination is one dense stream of units, in which unit `o` is unit `o / p` of row `o % p`. Rows
//! may lie anywhere, or all be the same.

#[cfg(target_arch = "aarch64")]
mod neon;
mod pattern;
mod weave;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::Kernel;
use crate::machine::Isa;

/// The most rows that are interleaved.
pub(crate) const MAX_ROWS: usize = 16;

/// The kernel of tier `isa` that interleaves `rows` rows of units of `size` bytes, where there is
/// one.
pub(crate) fn kernel(isa: Isa, size: usize, rows: usize, stream: bool) -> Option<Kernel> {
    if !(2..=MAX_ROWS).contains(&rows) {
        return None;
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => match pulp::core_arch::x86::Avx512vbmi::try_new() {
            Some(vbmi) => {
                x86::avx512::kernel((pulp::x86::V4::try_new()?, vbmi), size, rows, stream)
            }
            // Without byte permutes the narrower tier is the faster one.
            None => x86::avx2::kernel(pulp::x86::V3::try_new()?, size, rows, stream),
        },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::avx2::kernel(pulp::x86::V3::try_new()?, size, rows, stream),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => neon::kernel(pulp::aarch64::Neon::try_new()?, size, rows, stream),
        _ => None,
    }
}
