//! The text form of a view: a source, then operations as PyTorch and NumPy write them.

mod error;

pub use error::{ErrorKind, SpecError};
