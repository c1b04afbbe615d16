//! A `.npy` file to read: checked, then mapped.

use std::fs::{self, File};
use std::path::Path;

use memmap2::Mmap;

use super::error::FileError;
use super::header::Header;

/// A `.npy` file mapped into memory. Pages are read when they are touched, so the file may be
/// larger than memory.
#[derive(Debug)]
pub struct NpyFile {
    header: Header,
    map: Mmap,
}

impl NpyFile {
    /// Opens `path`, reads its header and checks that all declared data are there. Bytes after
    /// the data are left alone, as NumPy leaves them.
    ///
    /// # Errors
    /// [`FileError`] when the path is not a readable regular file, or its header is wrong or
    /// declares more than the file has.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let refused = |source| FileError::Open { path: path.into(), action: "open", source };
        let unusable = |why| Err(FileError::Unusable { path: path.into(), why });
        // Asked before opening: opening a pipe waits for a writer.
        let kind = fs::metadata(path).map_err(refused)?.file_type();
        if kind.is_dir() {
            return unusable("is a directory");
        }
        if !kind.is_file() {
            return unusable(
                "is not a regular file, so it cannot be mapped; save it to disk first",
            );
        }
        let file = File::open(path).map_err(refused)?;
        // SAFETY: the mapping is private to this value and only read. Its bytes have no invalid
        // values. What remains is the hazard of every map: another process that shortens the
        // file meanwhile makes reads fail with a signal, never with foreign memory.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| FileError::Open {
            path: path.into(),
            action: "map",
            source,
        })?;

        let header = Header::parse(&map)
            .map_err(|source| FileError::Header { path: path.into(), source })?;
        let have = map.len() - header.data_offset;
        if have < header.data_len() {
            return Err(FileError::Truncated { path: path.into(), need: header.data_len(), have });
        }
        Ok(Self { header, map })
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The items' bytes, exactly [`Header::data_len`] of them.
    pub fn data(&self) -> &[u8] {
        &self.map[self.header.data_offset..][..self.header.data_len()]
    }
}
