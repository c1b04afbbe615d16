//! Finds what a spec starts from.

use crate::error::ErrorKind;
use crate::npy::{FileError, Header, HeaderError, NpyFile};
use crate::spec::{Origin, Source, Spec, SpecError};

/// The origin of `spec`: computed for a dense source, read from the header of a file.
///
/// # Errors
/// [`SpecError`] pointing at the source.
pub fn origin(spec: &Spec) -> Result<Origin, SpecError> {
    let fault = |kind, message| SpecError::new(kind, message, spec.source_at.clone());
    match &spec.source {
        Source::Dense { dtype, shape } => {
            Origin::dense(*dtype, shape).map_err(|error| fault(error.kind(), error.to_string()))
        }
        Source::File(path) => match NpyFile::open(path) {
            Ok(file) => Ok(of_file(file.header())),
            Err(error) => Err(fault(kind(&error), error.to_string())),
        },
    }
}

/// The array that a `.npy` header describes.
pub fn of_file(header: &Header) -> Origin {
    Origin {
        dtype: header.dtype().to_owned(),
        elem_size: header.item_size,
        layout: header.layout().clone(),
        storage_len: header.layout().numel(),
    }
}

fn kind(error: &FileError) -> ErrorKind {
    match error {
        FileError::Header { source: HeaderError::Layout(error), .. } => error.kind(),
        _ => ErrorKind::BadSpec,
    }
}
