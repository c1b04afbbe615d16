//! Why threads cannot be pinned.

use thiserror::Error;

/// A pool of pinned threads that cannot be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PinError {
    /// Fewer processors than threads.
    #[error("{threads} threads cannot have a processor each: this process may use {processors}")]
    TooFewProcessors {
        /// Threads asked for.
        threads: usize,
        /// Processors this process may use; 0 where the system does not tell.
        processors: usize,
    },
    /// The system left a thread free to move.
    #[error("the system pinned only {pinned} of {threads} threads")]
    Refused {
        /// Threads asked for.
        threads: usize,
        /// Threads that were pinned.
        pinned: usize,
    },
    /// The threads could not be started.
    #[error(transparent)]
    Pool(#[from] rayon::ThreadPoolBuildError),
}
