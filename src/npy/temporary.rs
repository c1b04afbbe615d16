//! A file that gets its name only when it is whole.
//!
//! Where the system can (Linux, on most file systems), the file has no name while it is written:
//! whatever ends the process, nothing is left behind. Elsewhere it has a temporary name that is
//! removed unless a signal ends the process.

use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Permissions that the process's umask then narrows, as for any new file.
#[cfg(unix)]
const MODE: u32 = 0o666;

pub(super) enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl Temporary {
    /// A new empty file, readable and writable, in the file system of directory `dir`.
    pub(super) fn create_in(dir: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create_in(dir)? {
            return Ok(Self::Unnamed(file));
        }
        with_new_name(dir, |name| {
            let mut options = File::options();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            {
                use std::os::unix::fs::OpenOptionsExt;
                options.mode(MODE);
            }
            options.open(name)
        })
        .map(Self::Named)
    }

    pub(super) fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Names the file `target`, a path in the directory it was created in, in one step: whoever
    /// looks there finds what was there before, or the whole file.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => {
                let dir = super::new_file::directory(target);
                // Linking cannot replace a file, renaming can.
                let linked = with_new_name(dir, |name| unnamed::link(&file, name))?;
                linked.into_temp_path().persist(target).map_err(|error| error.error)
            }
            Self::Named(file) => file.persist(target).map(drop).map_err(|error| error.error),
        }
    }
}

/// What `make` returns for a name in `dir` that was not taken. Errors are the system's own, without
/// that name, which means nothing to anybody.
fn with_new_name<T>(
    dir: &Path,
    mut make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<NamedTempFile<T>> {
    let mut code = None;
    let noting = |name: &Path| make(name).inspect_err(|error| code = error.raw_os_error());
    let made = Builder::new().prefix(".restride-").make_in(dir, noting);
    made.map_err(|error| code.map_or(error, io::Error::from_raw_os_error))
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use rustix::io::Errno;

    /// An open file's path in `/proc`, the one way to name it later without privileges.
    fn proc_path(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }

    /// A file without a name, or nothing where the kernel or the file system has none.
    pub(super) fn create_in(dir: &Path) -> io::Result<Option<File>> {
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .mode(super::MODE)
            .custom_flags(OFlags::TMPFILE.bits() as i32)
            .open(dir);
        match opened {
            Ok(file) => Ok(proc_path(&file).exists().then_some(file)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Gives an unnamed file a name that is not taken.
    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, proc_path(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}
