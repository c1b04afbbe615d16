//! What is wrong with a spec, and where.

use core::ops::Range;

use thiserror::Error;

use crate::error::ErrorKind;

/// A spec that cannot be read or carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SpecError {
    /// The cause.
    pub kind: ErrorKind,
    /// What is wrong, in words, with the numbers.
    pub message: String,
    /// The faulty part of the text: a byte range on character boundaries, empty at the end.
    pub at: Range<usize>,
}

impl SpecError {
    /// An error of any kind at `at`.
    pub fn new(kind: ErrorKind, message: impl Into<String>, at: Range<usize>) -> Self {
        Self { kind, message: message.into(), at }
    }

    /// Text that cannot be read.
    pub(super) fn syntax(message: impl Into<String>, at: Range<usize>) -> Self {
        Self::new(ErrorKind::BadSpec, message, at)
    }

    /// Where the fault begins, counted in characters (not bytes) of `spec`.
    pub fn char_index(&self, spec: &str) -> usize {
        spec.char_indices().take_while(|&(byte, _)| byte < self.at.start).count()
    }
}
