//! Carries a plan out over raw pointers: on the calling thread, or with helpers from its rayon pool.

#[cfg(feature = "affinity")]
mod affinity;
mod alloc;
#[cfg(feature = "rayon")]
mod parallel;

#[cfg(feature = "affinity")]
pub use affinity::pinned_pool;
pub use alloc::HugePages;
#[cfg(feature = "cli")]
pub(crate) use alloc::advise;
#[cfg(feature = "faer")]
pub(crate) use alloc::advise_aligned;
pub(crate) use alloc::uninit_vec;

use crate::plan::Nest;

/// Runs every cell of `nest`, on the calling thread and as many of the current rayon pool's as make
/// it up to `worth`.
///
/// # Safety
/// `src` and `dst` are the addresses of the first unit of cell 0, and [`Nest::run`]'s obligations
/// hold for all cells, from any thread.
pub(crate) unsafe fn run(nest: &Nest, worth: usize, src: *const u8, dst: *mut u8) {
    // Asking rayon for its size starts the global pool, which a small copy must not do.
    #[cfg(feature = "rayon")]
    if worth > 1 && nest.cells() > 1 {
        let threads = worth.min(rayon::current_num_threads());
        if threads > 1 {
            // SAFETY: passed on.
            return unsafe { parallel::run(nest, threads, src, dst) };
        }
    }
    #[cfg(not(feature = "rayon"))]
    let _ = worth;
    // SAFETY: passed on.
    unsafe { nest.run(0..nest.cells(), src, dst) }
}
