//! Why a benchmark did not happen.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::error::{ConsumeError, PlanError};
use crate::npy::FileError;
use crate::spec::SpecError;

/// A benchmark that cannot be run, or was stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// No suite of this name, and no such file.
    #[error("no suite `{name}`: neither a file nor one of {known}")]
    UnknownSuite {
        /// What was asked for.
        name: String,
        /// The built-in names.
        known: String,
    },
    /// A suite file that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A suite file that is not a suite.
    #[error("{}: not a suite: {error}", path.display())]
    NotASuite {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        error: serde_json::Error,
    },
    /// A file that is not a report.
    #[error("{}: not a report of `restride bench`: {why}", path.display())]
    NotAReport {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Two reports that have nothing to be compared.
    #[error("the reports cannot be compared: {why}")]
    NotComparable {
        /// What keeps them apart.
        why: String,
    },
    /// A case's spec is wrong.
    #[error("{case}: {error}")]
    Spec {
        /// The case.
        case: String,
        /// Its spec.
        spec: String,
        /// What is wrong and where.
        error: SpecError,
    },
    /// A data file that cannot be read.
    #[error(transparent)]
    File(Box<FileError>),
    /// A data file that became shorter since its header was read.
    #[error("{}: changed while it was being read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A case without elements: there is nothing to time.
    #[error("{case}: the result has no elements, so there is nothing to time")]
    Empty {
        /// The case.
        case: String,
    },
    /// A case's numbers do not fit the address space.
    #[error("{case}: {what} exceeds isize::MAX bytes")]
    Overflow {
        /// The case.
        case: String,
        /// What was being computed.
        what: &'static str,
    },
    /// A copy into memory with gaps, which the dense copies beside it could not be compared with.
    #[error("{case}: the destination is not dense from its first byte to its last")]
    NotDense {
        /// The case.
        case: String,
    },
    /// Filters left nothing to do.
    #[error("no case left to run: {why}")]
    NothingLeft {
        /// Which limit removed the last ones.
        why: String,
    },
    /// A case would not fit into memory.
    #[error(
        "{case} needs {} of memory, but only {} are available; \
         choose smaller cases, for example with --max-bytes",
        super::memory::in_words(*needed), super::memory::in_words(*available)
    )]
    Memory {
        /// The case.
        case: String,
        /// Bytes it needs.
        needed: u64,
        /// Bytes the system can give.
        available: u64,
    },
    /// The allocator refused.
    #[error("cannot allocate {}", super::memory::in_words(*bytes as u64))]
    Allocation {
        /// Bytes asked for.
        bytes: usize,
    },
    /// A copy could not be planned.
    #[error("{case}: {error}")]
    Plan {
        /// The case.
        case: String,
        /// The planner's reason.
        error: PlanError,
    },
    /// A consumer could not read its operands, for want of memory.
    #[error("{case}: {error}")]
    Consume {
        /// The case.
        case: String,
        /// The consumer's reason.
        error: Box<ConsumeError>,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {error}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the thread pool said.
        error: rayon::ThreadPoolBuildError,
    },
    /// A strategy's output differs from the oracle's. Nothing of it was timed.
    #[error(
        "{case}: wrong result of {strategy} with {threads} thread(s): byte {at} of the output \
         differs from the oracle's; nothing of it was timed"
    )]
    WrongResult {
        /// The case.
        case: String,
        /// Whose output.
        strategy: String,
        /// Threads it ran on.
        threads: usize,
        /// First differing byte.
        at: usize,
    },
}

impl BenchError {
    /// Whether the request was wrong, rather than its execution.
    pub fn is_bad_input(&self) -> bool {
        !matches!(
            self,
            Self::Allocation { .. }
                | Self::Consume { .. }
                | Self::Threads { .. }
                | Self::WrongResult { .. }
        )
    }
}
