//! Stores that pass the caches by, and the fence they need.

/// Orders all streaming stores of this thread before everything it does next, so that another
/// thread that is told of the copy's end sees its bytes.
#[inline(always)]
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has SSE.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
