//! `.npy` files: headers read exactly, data mapped, output written whole or not at all.
//!
//! An item is a run of opaque bytes here, so big-endian numbers, records and types NumPy has yet
//! to invent all move alike; the header's dtype text is carried over verbatim.
//!
//! The header has its own reader (`literal`, `descr`, `header`) because the crate for the
//! format, `npyz` 0.9, does not serve this purpose: it writes dtypes in its own spelling, refuses
//! field titles, `<M8[25s]` and Python 2's `3L`, trusts the declared header length before
//! looking at the file, and panics on shapes whose product overflows.

mod descr;
mod error;
mod header;
mod input;
mod literal;
mod materialize;
mod new_file;
mod output;
mod reserve;
mod stages;
mod temporary;

pub use error::{FileError, HeaderError};
pub use header::Header;
pub use input::NpyFile;
pub use materialize::materialize;
pub(crate) use new_file::NewFile;
pub use output::{Output, Scratch};
pub use stages::stages;
