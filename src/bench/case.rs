//! One thing to time: the last copy that a spec makes, and the memory it reads.

use std::path::PathBuf;

use crate::npy::NpyFile;
use crate::plan::{CopySpec, Plan, PlanOptions};

use super::BenchError;
use super::buffers::Buffer;
use super::strategy::Role;

/// Bytes of a cache line: the source keeps its phase within one.
const LINE: usize = 64;

/// One copy to time. Sizes and positions are in bytes.
#[derive(Clone, Debug)]
pub struct Case {
    /// Short name for tables.
    pub name: String,
    /// The spec it comes from.
    pub spec: String,
    /// What the case stands for, if its suite says so.
    pub why: Option<String>,
    /// The copy: the spec's last one.
    pub copy: CopySpec,
    /// Where the view's element `[0, …, 0]` is, counted from the lowest byte that the view reads.
    pub first: usize,
    /// Bytes written.
    pub output_bytes: usize,
    /// Bytes from the lowest to the highest that the view reads.
    span: usize,
    /// Where the lowest byte lies within a cache line of the view's storage.
    phase: usize,
    /// The data, if the spec's source is a file and its last copy reads it directly.
    file: Option<FileData>,
}

/// The part of a file that a view reads.
#[derive(Clone, Debug)]
struct FileData {
    path: PathBuf,
    /// Position of the view's lowest byte in the file's data.
    lowest: usize,
}

impl Case {
    /// The case of `copy`, whose source element `[0, …, 0]` is `offset` bytes into its storage.
    ///
    /// # Errors
    /// [`BenchError::Empty`] without elements, [`BenchError::NotDense`] for a destination with
    /// gaps, [`BenchError::Overflow`] when the numbers do not fit.
    pub fn new(
        name: impl Into<String>,
        spec: impl Into<String>,
        copy: CopySpec,
        offset: usize,
    ) -> Result<Self, BenchError> {
        let (case, spec) = (name.into(), spec.into());
        if copy.shape.contains(&0) {
            return Err(BenchError::Empty { case });
        }
        let overflow = |what| BenchError::Overflow { case: case.clone(), what };
        let (below, above) =
            reach(&copy, &copy.src_strides).ok_or_else(|| overflow("the source"))?;
        let written = reach(&copy, &copy.dst_strides).ok_or_else(|| overflow("the destination"))?;
        let output_bytes = copy
            .shape
            .iter()
            .try_fold(copy.elem_size, |bytes, &size| bytes.checked_mul(size))
            .ok_or_else(|| overflow("the destination"))?;
        if written != (0, output_bytes) {
            return Err(BenchError::NotDense { case });
        }
        let span = below.checked_add(above).ok_or_else(|| overflow("the source"))?;
        Ok(Self {
            name: case,
            spec,
            why: None,
            copy,
            first: below,
            output_bytes,
            span,
            phase: offset.wrapping_sub(below) % LINE,
            file: None,
        })
    }

    /// The same case with what it stands for.
    pub fn because(mut self, why: Option<String>) -> Self {
        self.why = why;
        self
    }

    /// The same case reading the data of the `.npy` file `path`, in which the view's element
    /// `[0, …, 0]` is `offset` bytes into the data.
    pub fn reading(mut self, path: PathBuf, offset: usize) -> Self {
        self.file = Some(FileData { path, lowest: offset.wrapping_sub(self.first) });
        self
    }

    /// A plan of the copy.
    ///
    /// # Errors
    /// [`BenchError::Plan`] when the planner refuses it.
    pub fn plan(&self, options: &PlanOptions) -> Result<Plan, BenchError> {
        Plan::new(&self.copy, options)
            .map_err(|error| BenchError::Plan { case: self.name.clone(), error })
    }

    /// Where the lowest byte that the view reads lies within a cache line of its storage.
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Bytes of the source buffer: what the view reads, and no less than the dense copies read.
    pub fn source_bytes(&self) -> usize {
        self.span.max(self.output_bytes)
    }

    /// Bytes of memory that measuring takes at most: the source, the right output and one more.
    pub fn memory_needed(&self, offset: usize) -> u64 {
        let output = self.output_bytes as u64 + offset as u64;
        self.source_bytes() as u64 + (LINE + offset) as u64 + 2 * output
    }

    /// Where a contender of this role begins to read, counted from the source's first byte.
    pub fn first_byte(&self, role: Role) -> usize {
        match role {
            Role::Copy => self.first,
            Role::Dense => 0,
        }
    }

    /// The source: the file's bytes where they are what the copy reads, non-repeating data
    /// otherwise. Every page is touched. It begins `offset` bytes past where it would otherwise.
    ///
    /// # Errors
    /// [`BenchError::Allocation`]; [`BenchError::File`] or [`BenchError::Changed`] for a file that is no
    /// longer what it was.
    pub fn source(&self, offset: usize) -> Result<Buffer, BenchError> {
        let mut source = Buffer::noise(self.source_bytes(), self.phase + offset)?;
        if let Some(file) = &self.file {
            let npy = NpyFile::open(&file.path).map_err(|error| BenchError::File(error.into()))?;
            let wanted = npy.data().get(file.lowest..).and_then(|from| from.get(..self.span));
            let wanted = wanted.ok_or_else(|| BenchError::Changed { path: file.path.clone() })?;
            source.bytes_mut()[..self.span].copy_from_slice(wanted);
        }
        Ok(source)
    }
}

/// How many bytes of memory `strides` reach below element `[0, …, 0]`, and from its first byte
/// upwards; `None` when that does not fit `isize`. The shape has no zero.
fn reach(copy: &CopySpec, strides: &[isize]) -> Option<(usize, usize)> {
    let mut below = 0isize;
    let mut above = isize::try_from(copy.elem_size).ok()?;
    for (&size, &stride) in copy.shape.iter().zip(strides).filter(|&(&size, _)| size > 1) {
        let way = isize::try_from(size - 1).ok()?.checked_mul(stride)?;
        if way < 0 {
            below = below.checked_sub(way)?;
        } else {
            above = above.checked_add(way)?;
        }
    }
    Some((below.unsigned_abs(), above.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversed_view_begins_at_its_end() {
        // f32[10].flip(0): element 0 is the storage's element 9.
        let case = Case::new("flip", "", CopySpec::new(4, &[10], &[-4], &[4]), 36).unwrap();
        assert_eq!((case.first, case.span, case.output_bytes), (36, 40, 40));
        assert_eq!(case.phase, 0);
    }

    #[test]
    fn a_broadcast_view_reads_little_but_the_ceiling_needs_a_full_source() {
        let case = Case::new("row", "", CopySpec::new(4, &[8, 4], &[0, 4], &[16, 4]), 0).unwrap();
        assert_eq!((case.span, case.source_bytes()), (16, 128));
        assert_eq!(case.memory_needed(0), 128 + 64 + 2 * 128);
    }

    #[test]
    fn a_slice_keeps_its_phase_within_a_line() {
        let case = Case::new("s", "", CopySpec::new(4, &[8], &[8], &[4]), 4 * 33).unwrap();
        assert_eq!(case.phase, 4);
        let source = case.source(0).unwrap();
        assert_eq!(source.as_ptr() as usize % 16, 4);
    }

    #[test]
    fn numbers_that_make_no_case_are_errors() {
        let case = |shape: &[usize], src: &[isize], dst: &[isize]| {
            Case::new("c", "", CopySpec::new(4, shape, src, dst), 0)
        };
        assert!(matches!(case(&[3, 0], &[4, 4], &[4, 4]), Err(BenchError::Empty { .. })));
        assert!(matches!(case(&[3], &[4], &[8]), Err(BenchError::NotDense { .. })));
        assert!(matches!(case(&[3], &[isize::MAX], &[4]), Err(BenchError::Overflow { .. })));
        assert!(matches!(case(&[usize::MAX], &[0], &[4]), Err(BenchError::Overflow { .. })));
        // A unit axis' stride decides nothing.
        assert!(case(&[3, 1], &[4, isize::MIN], &[4, isize::MAX]).is_ok());
    }
}
