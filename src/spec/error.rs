//! What is wrong with a spec, and where.

use core::fmt;
use core::ops::Range;

use thiserror::Error;

/// The cause of a [`SpecError`], named as in `restride explain --json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text cannot be read.
    BadSpec,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadSpec => "bad_spec",
        })
    }
}

/// A spec that cannot be read or carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SpecError {
    /// The cause.
    pub kind: ErrorKind,
    /// What is wrong, in words, with the numbers.
    pub message: String,
    /// The faulty part of the text, as a byte range on character boundaries.
    pub at: Range<usize>,
}
