//! What is wrong with a `.npy` file: its header, or the file as a whole.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::error::{CopyError, LayoutError};

/// A header that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The first bytes are not the format's.
    #[error("not a .npy file: bad magic, it must begin with \\x93NUMPY")]
    BadMagic,
    /// A version of the format that does not exist yet.
    #[error("version {major}.{minor} of the .npy format is unknown; 1.0, 2.0 and 3.0 can be read")]
    UnknownVersion {
        /// Byte 6 of the file.
        major: u8,
        /// Byte 7 of the file.
        minor: u8,
    },
    /// The file ends inside its header.
    #[error("truncated header: need {need} bytes, have {have}")]
    Truncated {
        /// Bytes up to the declared end of the header.
        need: u64,
        /// Bytes in the file.
        have: u64,
    },
    /// The header's text is wrong at one place.
    #[error("header at byte {at}: {message}")]
    Text {
        /// Position of the fault in the file, in bytes.
        at: usize,
        /// What is wrong and what would be right.
        message: String,
    },
    /// The shape or the size of the data does not fit the address space.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// A file that cannot be read, or an output that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The header is wrong.
    #[error("{}: {source}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with its header.
        source: HeaderError,
    },
    /// The header declares more data than the file has.
    #[error("{}: truncated: need {need} bytes of data, have {have}", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes of data that dtype and shape ask for.
        need: usize,
        /// Bytes after the header.
        have: usize,
    },
    /// A path that can be neither input nor output.
    #[error("{}: {why}", path.display())]
    Unusable {
        /// The path.
        path: PathBuf,
        /// Why, for example `is a directory`.
        why: &'static str,
    },
    /// The operating system refused to open or create a file.
    #[error("{}: cannot {action}: {source}", path.display())]
    Open {
        /// The file or directory.
        path: PathBuf,
        /// What was tried, for example `open`.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The output failed after it had been begun: the disk is full or broken.
    #[error("{}: cannot {action}: {source}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// What was tried, for example `reserve 800 bytes`.
        action: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The copy was refused.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A layout could not be computed.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}
