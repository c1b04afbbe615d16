//! Threads that keep to one processor each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::PinError;

/// A rayon pool of `threads` threads, each kept on one of the processors that this process may
/// use. Copies run in it through [`ThreadPool::install`].
///
/// Pinning pays where threads would otherwise wander between processors during a copy, and while
/// measuring. It hurts where other programs want the same processors.
///
/// # Errors
/// [`PinError`] when there are fewer processors than threads, or the system refuses a thread or
/// its place.
///
/// ```no_run
/// # let (layout, data) = (restride::Layout::contiguous(&[4])?, [1, 2, 3, 4]);
/// let pool = restride::pinned_pool(2)?;
/// let dense = pool.install(|| restride::contiguous(&layout, &data))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pinned_pool(threads: usize) -> Result<ThreadPool, PinError> {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    // Rayon takes 0 for "as many as there are processors".
    let threads = if threads == 0 { processors.len() } else { threads };
    if threads > processors.len() || threads == 0 {
        return Err(PinError::TooFewProcessors { threads, processors: processors.len() });
    }
    let pinned = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pinned);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("pinned-{index}"))
        .start_handler(move |index| {
            if core_affinity::set_for_current(processors[index]) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        })
        .build()?;
    pool.broadcast(|_| ()); // every thread has come past its start handler
    match pinned.load(Ordering::Relaxed) {
        all if all == threads => Ok(pool),
        pinned => Err(PinError::Refused { threads, pinned }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_keeps_to_a_processor_of_its_own() {
        let processors = core_affinity::get_core_ids().unwrap_or_default().len();
        for threads in 1..=processors.min(4) {
            let pool = pinned_pool(threads).unwrap();
            assert_eq!(pool.current_num_threads(), threads);
            let mut places = pool.broadcast(|_| {
                let own = core_affinity::get_core_ids().unwrap_or_default();
                assert_eq!(own.len(), 1);
                own[0].id
            });
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), threads);
        }
    }

    #[test]
    fn more_threads_than_processors_are_refused() {
        let refused = pinned_pool(100_000).err();
        assert!(matches!(refused, Some(PinError::TooFewProcessors { threads: 100_000, .. })));
    }
}
