//! The threads of a run: a pool of their own, each kept on one processor where permitted.

use core::num::NonZeroUsize;

use super::BenchError;
use super::record::Settings;
use super::warning::Warning;
use crate::error::PinError;
use crate::exec::pinned_pool;

/// A rayon pool of a known number of threads.
#[derive(Debug)]
pub struct Team {
    threads: usize,
    /// Whether the threads should be pinned and are not.
    refused: bool,
    pool: rayon::ThreadPool,
}

impl Team {
    /// Starts `threads` threads. With `pin` they are pinned to processors, one each, unless there
    /// are more threads than processors or the system refuses.
    ///
    /// # Errors
    /// [`BenchError::Threads`] when the threads cannot be started.
    pub fn new(threads: usize, pin: bool) -> Result<Self, BenchError> {
        let unpinned = || rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let (pinned, pool) = match pin.then(|| pinned_pool(threads)) {
            Some(Ok(pool)) => (true, Ok(pool)),
            Some(Err(PinError::Pool(error))) => (false, Err(error)),
            Some(Err(_)) | None => (false, unpinned()),
        };
        let pool = pool.map_err(|error| BenchError::Threads { threads, error })?;
        Ok(Self { threads, refused: pin && !pinned, pool })
    }

    /// A team for each of the thread counts asked for.
    ///
    /// # Errors
    /// As [`Team::new`].
    pub fn all(settings: &Settings) -> Result<Vec<Self>, BenchError> {
        settings.threads.iter().map(|&threads| Self::new(threads, settings.pin)).collect()
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What is doubtful about this team.
    pub fn warning(&self) -> Option<Warning> {
        let (threads, processors) = (self.threads, processors());
        if threads > processors {
            Some(Warning::Oversubscribed { threads, processors })
        } else {
            self.refused.then_some(Warning::Unpinned { threads })
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
            let team = Team::new(threads, threads == 1).unwrap();
            assert_eq!(team.install(rayon::current_num_threads), threads);
        }
    }
}
