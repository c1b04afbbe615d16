//! Finds what a spec starts from.

use crate::error::ErrorKind;
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
            let message = format!("cannot read {}", path.display());
            Err(SpecError::new(ErrorKind::Unsupported, message, at))
        }
    }
}
