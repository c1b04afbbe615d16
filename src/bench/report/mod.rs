//! A [`super::record::Report`] as a table, as JSON, as CSV and as a picture.

pub mod csv;
pub mod json;
pub mod svg;
pub mod table;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::record::{Destination, Report};

/// Turns a report into the bytes of a file.
pub type Export = fn(&Report) -> io::Result<Vec<u8>>;

/// Writes `bytes` to `path`, whole or not at all: into a temporary file beside it that then takes
/// its name. What is no ordinary file (a device, a pipe) is written directly.
///
/// # Errors
/// What the system said.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".restride-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // less what umask takes away
    }
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|refused| refused.error)?;
    Ok(())
}

/// How a group of runs is titled: `2 threads, fresh destination`.
fn group_title((threads, destination): (usize, Destination)) -> String {
    let plural = if threads == 1 { "" } else { "s" };
    format!("{threads} thread{plural}, {} destination", destination.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        write_file(&path, b"first, longer").unwrap();
        write_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_file(&folder.path().join("no/out.json"), b"").is_err());
        assert!(write_file(folder.path(), b"").is_err());
    }

    #[test]
    fn a_device_stays_a_device() {
        let null = Path::new("/dev/null");
        if null.exists() {
            write_file(null, b"gone").unwrap();
            assert!(!fs::metadata(null).unwrap().is_file());
        }
    }
}
