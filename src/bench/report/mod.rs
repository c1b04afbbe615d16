//! A [`super::record::Report`] as a table, as JSON, as CSV, as a picture, as a web page and as
//! Markdown.

pub mod chart;
pub mod csv;
pub mod figures;
pub mod html;
pub mod json;
pub mod markdown;
pub(crate) mod page;
pub mod svg;
pub mod table;

mod doubts;
mod facts;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::record::{Destination, Report};
use crate::npy::{FileError, NewFile};

/// Turns a report into the bytes of a file.
pub type Export = fn(&Report) -> io::Result<Vec<u8>>;

/// Writes `bytes` to `path`, whole or not at all. What is no ordinary file (a device, a pipe) is
/// written directly.
///
/// # Errors
/// [`FileError`]: [`Write`](FileError::Write) when there is no room, another one when `path`
/// cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let written = File::options().write(true).open(path);
        return written.and_then(|mut file| file.write_all(bytes)).map_err(|source| {
            FileError::Write { path: path.into(), action: "write".into(), source }
        });
    }
    let file = NewFile::create(path)?;
    file.write(bytes)?;
    file.commit()
}

/// How a group of runs is titled: `2 threads, fresh destination`.
pub fn group_title((threads, destination): (usize, Destination)) -> String {
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
