//! Specs of dense sources, carried out.

use restride::spec::{Origin, Source, Spec, SpecError, Trace};

/// The trace of `text`.
pub fn run(text: &str) -> Result<Trace, SpecError> {
    let spec = Spec::parse(text)?;
    let Source::Dense { dtype, shape } = &spec.source else { panic!("{text}: not dense") };
    let origin = Origin::dense(*dtype, shape)
        .map_err(|e| SpecError::new(e.kind(), e.to_string(), spec.source_at.clone()))?;
    let mut trace = Trace::start(origin);
    trace.apply_all(&spec.ops, text)?;
    Ok(trace)
}
