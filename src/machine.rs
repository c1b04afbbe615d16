//! The machine a plan is made for: instruction-set tier, cache sizes, line and page size.
//!
//! Detected once per process; a caller may plan for another machine by filling in a [`Machine`].

#[cfg(feature = "std")]
mod linux;

use core::fmt;
#[cfg(feature = "std")]
use std::ffi::OsString;
#[cfg(feature = "std")]
use std::sync::OnceLock;

#[cfg(feature = "std")]
use thiserror::Error;

/// An instruction-set tier. A tier is available only when **every** feature its kernels use is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// What the compiler's target promises (SSE2 on x86-64, NEON on aarch64), through `wide`.
    Portable,
    /// x86-64-v3: AVX2, BMI, FMA.
    Avx2,
    /// x86-64-v4: AVX-512 F, BW, CD, DQ, VL.
    Avx512,
    /// aarch64: NEON. Copies, fills, and moves unit by unit are the portable ones; no store passes
    /// the caches by, for which there is no stable intrinsic.
    Neon,
}

impl Isa {
    /// Every tier, those of one architecture lowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512, Self::Neon];

    /// The tier's name, as `RESTRIDE_ISA` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Whether this CPU, and the operating system on it, can run the tier. Without the feature `std`
    /// a tier of x86-64 has to be the compiler's target as well.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            // Without std nobody asks whether the system saves the wide registers; the CPU's word
            // alone would not do.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                cfg!(any(feature = "std", target_feature = "avx2"))
                    && pulp::x86::V3::try_new().is_some()
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                cfg!(any(feature = "std", target_feature = "avx512f"))
                    && pulp::x86::V4::try_new().is_some()
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => pulp::aarch64::Neon::try_new().is_some(),
            // A tier of another architecture.
            _ => false,
        }
    }

    /// Whether the tier has kernels whose stores pass the caches by.
    pub(crate) fn streams(self) -> bool {
        matches!(self, Self::Avx2 | Self::Avx512)
    }

    /// The tier named by the environment variable `RESTRIDE_ISA`, if it is set.
    ///
    /// # Errors
    /// [`IsaError`] when it names no tier, or one this CPU lacks.
    #[cfg(feature = "std")]
    pub fn requested() -> Result<Option<Self>, IsaError> {
        let Some(wanted) = std::env::var_os("RESTRIDE_ISA") else { return Ok(None) };
        match Self::ALL.into_iter().find(|isa| wanted == isa.as_str()) {
            Some(isa) if isa.is_available() => Ok(Some(isa)),
            Some(isa) => Err(IsaError::Unavailable { isa }),
            None => Err(IsaError::Unknown { wanted }),
        }
    }

    /// The requested tier, or else the highest available one.
    ///
    /// # Panics
    /// When the requested tier cannot be had: a forced tier that silently is another would make
    /// every test of it worthless.
    fn detect() -> Self {
        #[cfg(feature = "std")]
        match Self::requested() {
            Ok(Some(isa)) => return isa,
            Ok(None) => {}
            Err(error) => panic!("{error}"),
        }
        Self::ALL.into_iter().rfind(|isa| isa.is_available()).unwrap_or(Self::Portable)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A value of `RESTRIDE_ISA` that cannot be obeyed.
#[cfg(feature = "std")]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IsaError {
    /// The value is no tier's name.
    #[error("RESTRIDE_ISA={wanted:?} is no tier; use portable, avx2, avx512 or neon")]
    Unknown {
        /// The variable's value.
        wanted: OsString,
    },
    /// The CPU, or the operating system on it, cannot run the tier.
    #[error("RESTRIDE_ISA={isa} asks for what this CPU does not have")]
    Unavailable {
        /// The tier asked for.
        isa: Isa,
    },
}

/// What the planner knows of the machine. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Tier of the kernels.
    pub isa: Isa,
    /// Level-1 data cache of one core.
    pub l1d: usize,
    /// Level-2 cache of one core.
    pub l2: usize,
    /// Last-level cache.
    pub l3: usize,
    /// Bytes of output from which streaming stores pay.
    pub stream_from: usize,
    /// Cache line.
    pub line: usize,
    /// Base page.
    pub page: usize,
}

impl Machine {
    /// The machine this process runs on. Where the system does not tell a cache's size, a common
    /// one is assumed (32 KiB, 1 MiB, 32 MiB), and pages of 4 KiB where it does not tell theirs;
    /// without the feature `std` nobody asks.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` names no tier or one this CPU lacks.
    pub fn current() -> &'static Self {
        #[cfg(feature = "std")]
        {
            static CURRENT: OnceLock<Machine> = OnceLock::new();
            CURRENT.get_or_init(Self::detect)
        }
        #[cfg(not(feature = "std"))]
        {
            static ASSUMED: [Machine; Isa::ALL.len()] = [
                Machine::assumed(Isa::ALL[0]),
                Machine::assumed(Isa::ALL[1]),
                Machine::assumed(Isa::ALL[2]),
                Machine::assumed(Isa::ALL[3]),
            ];
            &ASSUMED[Isa::detect() as usize]
        }
    }

    /// A machine of common sizes.
    const fn assumed(isa: Isa) -> Self {
        let (l2, l3) = (1 << 20, 32 << 20);
        let stream_from = stream_from(l2, l3);
        Self { isa, l1d: 32 << 10, l2, l3, stream_from, line: 64, page: 4096 }
    }

    #[cfg(feature = "std")]
    fn detect() -> Self {
        let assumed = Self::assumed(Isa::detect());
        let l2 = linux::cache(2).unwrap_or(assumed.l2);
        let l3 = linux::cache(3).unwrap_or(assumed.l3);
        Self {
            l1d: linux::cache(1).unwrap_or(assumed.l1d),
            l2,
            l3,
            stream_from: stream_from(l2, l3),
            page: linux::base_page().unwrap_or(assumed.page),
            ..assumed
        }
    }
}

/// Bytes of output from which streaming stores pay.
///
/// From a quarter of the last-level cache on, source and destination crowd each other out of it.
/// The largest last-level caches are shared by a whole socket and hardly faster than memory, so
/// there streaming pays as soon as a copy leaves the level-2 cache. Measured: beside 32 MiB (Zen 5)
/// a streaming copy is at 0.65 of memcpy with 4 MB of output and at 1.3 with 17 MB; beside 260 MiB
/// (Sapphire Rapids) a streamed transpose with 1 to 8 MB of output is three times as fast as a
/// cached one.
const fn stream_from(l2: usize, l3: usize) -> usize {
    match l3 / 4 {
        _ if l3 > 64 << 20 => l2 / 2,
        quarter if quarter < 1 << 20 => 1 << 20,
        quarter if quarter > 8 << 20 => 8 << 20,
        quarter => quarter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forced_tier_is_the_tier_in_use() {
        let forced = std::env::var("RESTRIDE_ISA").ok();
        let isa = Machine::current().isa;
        assert!(isa.is_available());
        if let Some(forced) = forced {
            assert_eq!(isa.as_str(), forced);
        }
    }
}
