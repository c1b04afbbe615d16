//! A file written whole or not at all: the one way in which this program writes any.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::error::FileError;
use super::reserve::reserve;
use super::temporary::Temporary;

/// A file without its name until [`commit`](Self::commit). Dropped before that, it leaves nothing
/// behind, and what stood at the target stays as it was.
pub(crate) struct NewFile {
    temporary: Temporary,
    target: PathBuf,
    permissions: Option<Permissions>,
}

impl NewFile {
    /// Begins the file `target`, empty. An existing file is replaced and keeps its permissions; a
    /// symbolic link is followed.
    ///
    /// # Errors
    /// [`FileError`]: [`Write`](FileError::Write) when the disk is full, another one when the
    /// target cannot be written.
    pub(crate) fn create(target: &Path) -> Result<Self, FileError> {
        let (target, permissions) = resolve(target)?;
        let temporary =
            Temporary::create_in(directory(&target)).map_err(|e| refused(&target, e))?;
        Ok(Self { temporary, target, permissions })
    }

    /// The file, readable and writable.
    pub(super) fn file(&self) -> &File {
        self.temporary.file()
    }

    /// Where it will be.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Makes `bytes` the content.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), FileError> {
        // Writing past the process's limit on the size of files would be a signal that ends it.
        reserve(self.file(), bytes.len() as u64).map_err(|source| {
            self.failed(format!("reserve {} bytes of disk space", bytes.len()), source)
        })?;
        let written =
            io::Seek::rewind(&mut self.file()).and_then(|()| self.file().write_all(bytes));
        written.map_err(|source| self.failed("write".into(), source))
    }

    /// Brings everything to the disk, then gives the file its name.
    ///
    /// # Errors
    /// [`FileError::Write`]; the target is then as it was.
    pub(crate) fn commit(self) -> Result<(), FileError> {
        if let Some(permissions) = &self.permissions {
            let set = self.file().set_permissions(permissions.clone());
            set.map_err(|source| self.failed("set permissions".into(), source))?;
        }
        self.file().sync_all().map_err(|source| self.failed("write".into(), source))?;
        let Self { temporary, target, .. } = self;
        temporary.persist(&target).map_err(|source| FileError::Write {
            path: target,
            action: "rename to its name".into(),
            source,
        })
    }

    pub(super) fn failed(&self, action: String, source: io::Error) -> FileError {
        FileError::Write { path: self.target.clone(), action, source }
    }
}

/// Where to write for `target`, and the permissions of what stands there.
pub(super) fn resolve(target: &Path) -> Result<(PathBuf, Option<Permissions>), FileError> {
    let open = |action, source| FileError::Open { path: target.into(), action, source };
    let unusable = |why| Err(FileError::Unusable { path: target.into(), why });
    let target_path = match fs::symlink_metadata(target) {
        Ok(found) if found.is_symlink() => {
            if leads_through_a_descriptor(target) {
                return unusable("is an open file of a process, so it cannot be replaced");
            }
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

pub(super) fn directory(target: &Path) -> &Path {
    match target.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    }
}

pub(super) fn refused(target: &Path, source: io::Error) -> FileError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            FileError::Write { path: target.into(), action: "create".into(), source }
        }
        _ => FileError::Open { path: target.into(), action: "create", source },
    }
}

/// Whether the link `target` is one of those in `/proc`, or leads there, as `/dev/stdout` does:
/// renaming would replace the file's name, and whoever holds it open would keep the old one.
fn leads_through_a_descriptor(target: &Path) -> bool {
    let mut link = target.to_owned();
    // As many links as the kernel follows; it says itself when there are more.
    for _ in 0..40 {
        let folder = directory(&link).to_owned();
        let Ok(next) = fs::read_link(&link) else { return false };
        if fs::canonicalize(&folder).is_ok_and(|folder| folder.starts_with("/proc")) {
            return true;
        }
        link = folder.join(next);
    }
    false
}
