//! Disk space taken before a map is written: a page that finds the disk full would be a signal,
//! not an error value.

use std::fs::File;
use std::io;

/// Makes `file` `len` bytes long with all of its blocks allocated.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &File, len: u64) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    if len == 0 {
        return file.set_len(0); // the call below refuses empty ranges
    }
    if len > size_limit()? {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let end = libc::off64_t::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
    loop {
        // SAFETY: a plain system call on a descriptor that `file` keeps open.
        match unsafe { libc::posix_fallocate64(file.as_raw_fd(), 0, end) } {
            0 => return Ok(()),
            libc::EINTR => {}
            // File systems that cannot allocate ahead (and C libraries that do not imitate it).
            libc::EOPNOTSUPP | libc::EINVAL | libc::ENOSYS => return write_zeros(file, len),
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    }
}

/// Makes `file` `len` bytes long with all of its blocks allocated.
#[cfg(not(target_os = "linux"))]
pub(super) fn reserve(file: &File, len: u64) -> io::Result<()> {
    write_zeros(file, len)
}

/// The process's limit on the size of a file, in bytes. Growing past it would be a signal that
/// ends the process with its temporary file left behind.
#[cfg(target_os = "linux")]
fn size_limit() -> io::Result<u64> {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the answer.
    match unsafe { libc::getrlimit64(libc::RLIMIT_FSIZE, &mut limit) } {
        0 => Ok(limit.rlim_cur),
        _ => Err(io::Error::last_os_error()),
    }
}

fn write_zeros(mut file: &File, len: u64) -> io::Result<()> {
    use io::{Read, Seek, Write};
    file.rewind()?;
    io::copy(&mut io::repeat(0).take(len), &mut file)?;
    file.flush()
}
