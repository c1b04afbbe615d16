//! The x86-64 tiers.

/// Vectors of 16 bytes: rows are different ones in every lane of a longer vector.
pub(super) mod avx2 {
    use crate::kernels::blend::Avx2Lane;
    use crate::kernels::interleave::weave::entries;

    entries! {
        Avx2Lane, "avx2", pulp::x86::V3, target_feature(enable = "avx2"), streams: true
    }
}

/// Vectors of 64 bytes. The two tokens prove F, BW and VBMI.
pub(super) mod avx512 {
    use crate::kernels::interleave::weave::entries;
    use crate::kernels::tier::Avx512;

    entries! {
        Avx512, "avx512", (pulp::x86::V4, pulp::core_arch::x86::Avx512vbmi),
        target_feature(enable = "avx512f,avx512bw,avx512vbmi"), streams: true
    }
}
