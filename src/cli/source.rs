//! Finds what a spec starts from.

use crate::error::ErrorKind;
use crate::npy::NpyFile;
use crate::spec::{Origin, Source, Spec, SpecError};

/// The origin of `spec`: computed for a dense source, read from the header of a file.
///
/// # Errors
/// [`SpecError`] pointing at the source.
pub fn origin(spec: &Spec) -> Result<Origin, SpecError> {
    let at = spec.source_at.clone();
    match &spec.source {
        Source::Dense { dtype, shape } => Origin::dense(*dtype, shape)
            .map_err(|error| SpecError::new(error.kind(), error.to_string(), at)),
        Source::File(path) => {
            let file = NpyFile::open(path)
                .map_err(|error| SpecError::new(ErrorKind::Unsupported, error.to_string(), at))?;
            let header = file.header();
            Ok(Origin {
                dtype: header.descr.clone(),
                elem_size: header.item_size,
                layout: header.layout().clone(),
                storage_len: header.layout().numel(),
            })
        }
    }
}
