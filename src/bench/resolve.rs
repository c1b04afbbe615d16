//! From a spec's text to the copy it asks for last.

use crate::layout::Layout;
use crate::plan::CopySpec;
use crate::spec::{Effect, Origin, Source, Spec, SpecError, Trace};

use super::BenchError;
use super::case::Case;
use super::suite::Entry;

/// Finds what a spec starts from; reads a file's header where the source is a file.
pub type FindOrigin = fn(&Spec) -> Result<Origin, SpecError>;

/// The case of a suite's entry.
///
/// A spec that ends in a copy is timed by that copy. One that ends in a view is timed by
/// materializing the view, as if `.contiguous()` stood at its end; a view that is dense already is
/// copied all the same.
///
/// # Errors
/// [`BenchError::Spec`] for a wrong spec, and those of [`Case::new`].
pub fn case(entry: &Entry, find_origin: FindOrigin) -> Result<Case, BenchError> {
    let at_spec = |error| BenchError::Spec {
        case: entry.name.clone(),
        spec: entry.spec.clone(),
        error,
    };
    let spec = Spec::parse(&entry.spec).map_err(at_spec)?;
    let mut trace = Trace::start(find_origin(&spec).map_err(at_spec)?);
    trace.apply_all(&spec.ops, &entry.spec).map_err(at_spec)?;

    let overflow = |_| BenchError::Overflow { case: entry.name.clone(), what: "the result" };
    let elem_size = trace.origin().elem_size;
    let last_copy = trace.steps().iter().rposition(|step| step.effect == Effect::Copy);
    let views_after = last_copy.map_or(trace.steps(), |at| &trace.steps()[at + 1..]);
    let (from, to, reads_source) = match last_copy {
        Some(at) if views_after.iter().all(|step| step.layout == trace.steps()[at].layout) => {
            let step = &trace.steps()[at];
            (&step.before, step.layout.clone(), at == 0 || trace.steps()[at - 1].storage == 0)
        }
        _ => {
            let view = trace.layout();
            let dense = Layout::contiguous(view.shape()).map_err(overflow)?;
            (view, dense, trace.shares_storage())
        }
    };
    let copy = CopySpec::between(from, &to, elem_size).map_err(overflow)?;
    let offset = from.offset().wrapping_mul(elem_size);
    let case = Case::new(&*entry.name, &*entry.spec, copy, offset)?.because(entry.why.clone());
    Ok(match &spec.source {
        Source::File(path) if reads_source => case.reading(path.clone(), offset),
        _ => case,
    })
}
