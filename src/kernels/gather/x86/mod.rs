//! The x86-64 tiers.

pub(super) mod avx2;
pub(super) mod avx512;
