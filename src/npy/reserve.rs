//! Disk space taken before a map is written: a page that finds the disk full would be a signal,
//! not an error value.

use std::fs::File;
use std::io;

#[cfg(target_os = "linux")]
use rustix::{
    fs::{FallocateFlags, fallocate},
    io::{Errno, retry_on_intr},
    process::{Resource, getrlimit},
};

/// Makes `file` `len` bytes long with all of its blocks allocated.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &File, len: u64) -> io::Result<()> {
    if len == 0 {
        return file.set_len(0); // the call below refuses empty ranges
    }
    // Growing past the process's limit would be a signal that ends it.
    let limit = getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX);
    if len > limit.min(i64::MAX as u64) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, len)) {
        // File systems that cannot allocate ahead.
        Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => write_zeros(file, len),
        done => Ok(done?),
    }
}

/// Makes `file` `len` bytes long with all of its blocks allocated.
#[cfg(not(target_os = "linux"))]
pub(super) fn reserve(file: &File, len: u64) -> io::Result<()> {
    write_zeros(file, len)
}

fn write_zeros(mut file: &File, len: u64) -> io::Result<()> {
    use io::{Read, Seek, Write};
    file.rewind()?;
    io::copy(&mut io::repeat(0).take(len), &mut file)?;
    file.flush()
}
