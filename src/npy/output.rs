//! Files to write: the output, whole or not at all, and scratch space beside it.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use memmap2::MmapMut;

use super::error::FileError;
use super::reserve::reserve;
use super::temporary::Temporary;

/// An output file: mapped, its disk space taken, and without its name until
/// [`commit`](Self::commit). Dropped before that, it leaves nothing behind, and what stood at the
/// target stays as it was.
pub struct Output {
    map: MmapMut,
    data_offset: usize,
    temporary: Temporary,
    target: PathBuf,
    permissions: Option<Permissions>,
}

impl Output {
    /// Begins the file `target`: `header`, then `data_len` bytes of zeros to be written over.
    /// An existing file is replaced and keeps its permissions; a symbolic link is followed.
    ///
    /// # Errors
    /// [`FileError`]: [`Write`](FileError::Write) when the disk is full, another one when the
    /// target cannot be written.
    pub fn create(target: &Path, header: &[u8], data_len: usize) -> Result<Self, FileError> {
        let (target, permissions) = resolve(target)?;
        let temporary =
            Temporary::create_in(directory(&target)).map_err(|e| refused(&target, e))?;
        let mut map = map_new(temporary.file(), header.len(), data_len, &target)?;
        map[..header.len()].copy_from_slice(header);
        Ok(Self { map, data_offset: header.len(), temporary, target, permissions })
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
        let failed = |action: &str| {
            let (path, action) = (self.target.clone(), action.to_owned());
            move |source| FileError::Write { path, action, source }
        };
        self.map.flush().map_err(failed("write"))?;
        let file = self.temporary.file();
        if let Some(permissions) = self.permissions {
            file.set_permissions(permissions).map_err(failed("set permissions"))?;
        }
        file.sync_all().map_err(failed("write"))?;
        self.temporary.persist(&self.target).map_err(failed("rename to its name"))
    }
}

/// A nameless mapped file for what lies between two copies, on the output's file system, where
/// there is room for things of that size.
pub struct Scratch {
    map: MmapMut,
}

impl Scratch {
    /// `len` bytes of zeros in the directory of `target`.
    ///
    /// # Errors
    /// [`FileError`], as from [`Output::create`].
    pub fn create_beside(target: &Path, len: usize) -> Result<Self, FileError> {
        let (target, _) = resolve(target)?;
        let file = tempfile::tempfile_in(directory(&target)).map_err(|e| refused(&target, e))?;
        // A file of no bytes cannot be mapped on every system.
        map_new(&file, 1, len, &target).map(|map| Self { map })
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

/// Where to write for `target`, and the permissions of what stands there.
fn resolve(target: &Path) -> Result<(PathBuf, Option<Permissions>), FileError> {
    let open = |action, source| FileError::Open { path: target.into(), action, source };
    let unusable = |why| Err(FileError::Unusable { path: target.into(), why });
    let target_path = match fs::symlink_metadata(target) {
        Ok(found) if found.is_symlink() => {
            fs::canonicalize(target).map_err(|source| open("follow the link", source))?
        }
        Ok(_) => target.to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if target.file_name().is_none() {
                return unusable("does not name a file");
            }
            return Ok((target.into(), None));
        }
        Err(source) => return Err(open("create", source)),
    };
    let found = fs::metadata(&target_path).map_err(|source| open("write", source))?;
    if found.is_dir() {
        return unusable("is a directory");
    }
    if !found.is_file() {
        return unusable("is not a regular file, so it cannot be replaced");
    }
    // Renaming would ask the directory only; a file that may not be written stays.
    OpenOptions::new().write(true).open(&target_path).map_err(|source| open("write", source))?;
    Ok((target_path, Some(found.permissions())))
}

fn directory(target: &Path) -> &Path {
    match target.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    }
}

fn refused(target: &Path, source: io::Error) -> FileError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            FileError::Write { path: target.into(), action: "create".into(), source }
        }
        _ => FileError::Open { path: target.into(), action: "create", source },
    }
}

/// Makes `file` `head + tail` bytes long and maps it for writing.
fn map_new(file: &File, head: usize, tail: usize, path: &Path) -> Result<MmapMut, FileError> {
    let failed = |action, source| FileError::Write { path: path.into(), action, source };
    let reserve_action = || format!("reserve {tail} bytes of disk space");
    let len = head
        .checked_add(tail)
        .ok_or_else(|| failed(reserve_action(), ErrorKind::FileTooLarge.into()))?;
    reserve(file, len as u64).map_err(|source| failed(reserve_action(), source))?;
    // SAFETY: the file is this process's own and has no name, or one nobody was told, so nothing
    // else writes or shortens it. Any bytes are valid bytes.
    unsafe { MmapMut::map_mut(file) }.map_err(|source| failed("map".into(), source))
}
