//! The threads of a run: a pool of their own, each kept on one processor where permitted.

use core::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::BenchError;
use super::warning::Warning;

/// A rayon pool of a known number of threads.
#[derive(Debug)]
pub struct Team {
    threads: usize,
    pinned: usize,
    pool: rayon::ThreadPool,
}

impl Team {
    /// Starts `threads` threads. They are pinned to processors, one each, unless there are more
    /// threads than processors.
    ///
    /// # Errors
    /// [`BenchError::Threads`] when the system refuses.
    pub fn new(threads: usize) -> Result<Self, BenchError> {
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        let pinned = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&pinned);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("bench-{index}"))
            .start_handler(move |index| {
                let own = cores.get(index).filter(|_| threads <= cores.len());
                if own.is_some_and(|&core| core_affinity::set_for_current(core)) {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            })
            .build()
            .map_err(|error| BenchError::Threads { threads, error })?;
        pool.broadcast(|_| ()); // every thread has come past its start handler
        let pinned = pinned.load(Ordering::Relaxed);
        Ok(Self { threads, pinned, pool })
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether every thread keeps to a processor of its own.
    pub fn is_pinned(&self) -> bool {
        self.pinned == self.threads
    }

    /// What is doubtful about this team.
    pub fn warning(&self) -> Option<Warning> {
        let (threads, processors) = (self.threads, processors());
        if threads > processors {
            Some(Warning::Oversubscribed { threads, processors })
        } else {
            (!self.is_pinned()).then_some(Warning::Unpinned { threads })
        }
    }

    /// Runs `work` on a thread of the team; rayon calls inside it use the team.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }
}

/// Processors this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_runs_on_the_teams_threads() {
        for threads in [1, 3] {
            let team = Team::new(threads).unwrap();
            assert_eq!(team.install(rayon::current_num_threads), threads);
        }
    }
}
