//! From a spec's text to the copy it asks for last.

use crate::plan::CopySpec;
use crate::spec::{Origin, Source, Spec, SpecError, Trace};

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
    let last_copy = steps.iter().rposition(|step| step.copy.is_some());
    // A copy counts as the last word if nothing comes after it, or only views of all it wrote.
    let finished = |at: usize| at + 1 == steps.len() || trace.layout().is_contiguous();
    let last_copy = last_copy.filter(|&at| finished(at));
    let earlier = &steps[..last_copy.unwrap_or(steps.len())];
    let reads_source = earlier.iter().all(|step| step.copy.is_none());
    let (from, copy) = match last_copy.and_then(|at| steps[at].copy.as_ref()) {
        Some(copy) => (&copy.from, CopySpec::between(&copy.from, &copy.to, elem_size)),
        None => (trace.layout(), CopySpec::to_contiguous(trace.layout(), elem_size)),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Only dense sources: these tests need no file.
    fn origin(spec: &Spec) -> Result<Origin, SpecError> {
        match &spec.source {
            Source::Dense { dtype, shape } => Ok(Origin::dense(*dtype, shape).unwrap()),
            Source::File(_) => unreachable!(),
        }
    }

    fn case_of(spec: &str) -> Result<Case, BenchError> {
        case(&Entry { name: "c".into(), spec: spec.into(), why: None }, origin)
    }

    /// Shape, source strides and destination strides (bytes) of the copy that `spec` is timed by.
    fn copy_of(spec: &str) -> (Vec<usize>, Vec<isize>, Vec<isize>) {
        let copy = case_of(spec).unwrap().copy;
        (copy.shape.to_vec(), copy.src_strides.to_vec(), copy.dst_strides.to_vec())
    }

    #[test]
    fn a_view_is_timed_by_materializing_it() {
        assert_eq!(copy_of("f32[3,4].T"), (vec![4, 3], vec![4, 16], vec![12, 4]));
        // Dense already: copied all the same.
        assert_eq!(copy_of("u8[3,4]"), (vec![3, 4], vec![4, 1], vec![4, 1]));
    }

    #[test]
    fn a_final_copy_is_timed_as_it_stands() {
        let transposed = (vec![4, 3], vec![4, 16], vec![12, 4]);
        for spec in ["f32[3,4].T.contiguous()", "f32[3,4].T.reshape(-1)"] {
            assert_eq!(copy_of(spec), transposed, "{spec}");
        }
        // Only views of everything it wrote may follow.
        assert_eq!(copy_of("f32[3,4].T.contiguous().view(2,6)"), transposed);
        assert_eq!(copy_of("f32[3,4].rearrange('a b -> (b a)')"), transposed);
        // Without an argument, clone keeps the order of the strides.
        assert_eq!(copy_of("f32[3,4].T.clone()").2, [4, 16]);
        let nhwc = "f32[1,2,3,4].contiguous(memory_format=channels_last)";
        assert_eq!(copy_of(nhwc).2, [0, 4, 32, 8]);
    }

    #[test]
    fn a_view_of_a_copy_is_materialized_again() {
        assert_eq!(copy_of("f32[3,4].T.contiguous().T"), (vec![3, 4], vec![4, 12], vec![16, 4]));
    }

    #[test]
    fn a_view_begins_at_its_offset() {
        let case = case_of("f32[10].flip(0)").unwrap();
        assert_eq!((case.first, case.source_bytes()), (36, 40));
    }

    #[test]
    fn faults_keep_their_place() {
        let Err(BenchError::Spec { error, .. }) = case_of("f32[3,4].view(5)") else { panic!() };
        assert_eq!(error.at.start, 8);
        assert!(matches!(case_of("f32[0,4].T"), Err(BenchError::Empty { .. })));
    }
}
