//! From a spec's text to the copy it asks for last.

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
    let at_spec =
        |error| BenchError::Spec { case: entry.name.clone(), spec: entry.spec.clone(), error };
    let spec = Spec::parse(&entry.spec).map_err(at_spec)?;
    let mut trace = Trace::start(find_origin(&spec).map_err(at_spec)?);
    trace.apply_all(&spec.ops, &entry.spec).map_err(at_spec)?;

    let elem_size = trace.origin().elem_size;
    let steps = trace.steps();
    let last_copy = steps.iter().rposition(|step| step.effect == Effect::Copy);
    // A copy counts as the last word if nothing comes after it, or only views of all it wrote.
    let finished = |at: usize| at + 1 == steps.len() || trace.layout().is_contiguous();
    let (from, copy, reads_source) = match last_copy.filter(|&at| finished(at)) {
        Some(at) => {
            let (from, to) = (&steps[at].before, &steps[at].layout);
            // A reshape's copy keeps the shape it came from: its result is dense all the same.
            let copy = if from.shape() == to.shape() {
                CopySpec::between(from, to, elem_size)
            } else {
                CopySpec::to_contiguous(from, elem_size)
            };
            (from, copy, steps[..at].iter().all(|step| step.effect == Effect::View))
        }
        None => {
            let view = trace.layout();
            (view, CopySpec::to_contiguous(view, elem_size), trace.shares_storage())
        }
    };
    let overflow = |_| BenchError::Overflow { case: entry.name.clone(), what: "the copy" };
    let copy = copy.map_err(overflow)?;
    let offset = from.offset().wrapping_mul(elem_size);
    let case = Case::new(&*entry.name, &*entry.spec, copy, offset)?.because(entry.why.clone());
    Ok(match &spec.source {
        Source::File(path) if reads_source => case.reading(path.clone(), offset),
        _ => case,
    })
}
