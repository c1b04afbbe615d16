//! Files to write through maps: the output, whole or not at all, and scratch space beside it.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use memmap2::MmapMut;

use super::error::FileError;
use super::new_file::{NewFile, directory, refused, resolve};
use super::reserve::reserve;
use super::temporary::Temporary;

/// An output file: mapped, its disk space taken, and without its name until
/// [`commit`](Self::commit). Dropped before that, it leaves nothing behind, and what stood at the
/// target stays as it was.
pub struct Output {
    map: MmapMut,
    data_offset: usize,
    file: NewFile,
}

impl Output {
    /// Begins the file `target`: `header`, then `data_len` bytes of zeros to be written over.
    /// An existing file is replaced and keeps its permissions; a symbolic link is followed.
    ///
    /// # Errors
    /// [`FileError`]: [`Write`](FileError::Write) when the disk is full, another one when the
    /// target cannot be written.
    pub fn create(target: &Path, header: &[u8], data_len: usize) -> Result<Self, FileError> {
        let file = NewFile::create(target)?;
        let mut map = map_new(file.file(), header.len(), data_len, file.target(), "")?;
        map[..header.len()].copy_from_slice(header);
        Ok(Self { map, data_offset: header.len(), file })
    }

    /// The bytes after the header.
    pub fn data_mut(&mut self) -> &mut [u8] {
        &mut self.map[self.data_offset..]
    }

    /// Brings everything to the disk, then gives the file its name.
    ///
    /// # Errors
    /// [`FileError::Write`]; the target is then as it was.
    pub fn commit(self) -> Result<(), FileError> {
        self.map.flush().map_err(|source| self.file.failed("write".into(), source))?;
        self.file.commit()
    }
}

/// A mapped file, never given a name, for what lies between two copies: on the output's file
/// system, where there is room for things of that size.
pub struct Scratch {
    map: MmapMut,
    /// Where files need names, dropping it removes that of this one.
    _file: Temporary,
}

impl Scratch {
    /// `len` bytes of zeros in the directory of `target`.
    ///
    /// # Errors
    /// [`FileError`], as from [`Output::create`].
    pub fn create_beside(target: &Path, len: usize) -> Result<Self, FileError> {
        let (target, _) = resolve(target)?;
        let file = Temporary::create_in(directory(&target)).map_err(|e| refused(&target, e))?;
        // A file of no bytes cannot be mapped on every system.
        let map = map_new(file.file(), 1, len, &target, " for the scratch copy beside it")?;
        Ok(Self { map, _file: file })
    }

    /// All bytes.
    pub fn data(&self) -> &[u8] {
        &self.map[1..]
    }

    /// All bytes.
    pub fn data_mut(&mut self) -> &mut [u8] {
        &mut self.map[1..]
    }
}

/// Makes `file` `head + tail` bytes long and maps it for writing. Errors name `path` and say what
/// the space is `wanted` for.
fn map_new(
    file: &File,
    head: usize,
    tail: usize,
    path: &Path,
    wanted: &str,
) -> Result<MmapMut, FileError> {
    let failed = |action, source| FileError::Write { path: path.into(), action, source };
    let reserve_action = || format!("reserve {tail} bytes of disk space{wanted}");
    let len = head
        .checked_add(tail)
        .ok_or_else(|| failed(reserve_action(), ErrorKind::FileTooLarge.into()))?;
    reserve(file, len as u64).map_err(|source| failed(reserve_action(), source))?;
    // SAFETY: the file is this process's own and has no name, or one nobody was told, so nothing
    // else writes or shortens it. Any bytes are valid bytes.
    unsafe { MmapMut::map_mut(file) }.map_err(|source| failed("map".into(), source))
}
