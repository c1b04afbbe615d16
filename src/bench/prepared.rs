//! One strategy prepared for one case, to be run whenever somebody likes: by profiles and sweeps.

use crate::exec::HugePages;
use crate::plan::PlanOptions;

use super::BenchError;
use super::buffers::{self, Buffer};
use super::case::Case;
use super::strategy::{Copier, Role, Strategy};

/// A copy that runs in no other case than its own.
pub struct Prepared<'a> {
    case: &'a Case,
    role: Role,
    copier: Box<dyn Copier>,
}

impl<'a> Prepared<'a> {
    /// Prepares `strategy` for `case` on up to `threads` threads of the pool it will run in.
    ///
    /// # Errors
    /// [`BenchError::Plan`] when the planner refuses the copy.
    pub fn new(strategy: Strategy, case: &'a Case, threads: usize) -> Result<Self, BenchError> {
        let (role, copier) = strategy.copier(case, threads)?;
        Ok(Self { case, role, copier })
    }

    /// Prepares restride's plan with options of the caller's.
    ///
    /// # Errors
    /// [`BenchError::Plan`] when the planner refuses the copy.
    pub fn planned(case: &'a Case, options: &PlanOptions) -> Result<Self, BenchError> {
        Ok(Self { case, role: Role::Copy, copier: Box::new(case.plan(options)?) })
    }

    /// Copies once from `source` to `output`.
    ///
    /// # Panics
    /// When either is shorter than the case asks.
    pub fn run(&self, source: &Buffer, output: &mut Buffer) {
        self.run_in(source.bytes(), output.bytes_mut());
    }

    /// Copies once between memory of any kind.
    ///
    /// # Panics
    /// When either side is shorter than the case asks.
    pub fn run_in(&self, source: &[u8], output: &mut [u8]) {
        assert!(output.len() >= self.case.output_bytes);
        self.copy(source, output.as_mut_ptr());
    }

    /// Copies once from `source` to a new allocation, and frees it.
    ///
    /// # Errors
    /// [`BenchError::Allocation`] when the system refuses.
    ///
    /// # Panics
    /// When the source is shorter than the case asks.
    pub fn run_fresh(&self, source: &Buffer, pages: HugePages) -> Result<(), BenchError> {
        buffers::with_fresh(self.case.output_bytes, 0, pages, |to| self.copy(source.bytes(), to))
    }

    /// Copies once to `to`, where there is room for the case's output.
    fn copy(&self, source: &[u8], to: *mut u8) {
        assert!(source.len() >= self.case.source_bytes());
        let from = source.as_ptr().wrapping_add(self.case.first_byte(self.role));
        let (from, to) = core::hint::black_box((from, to));
        // SAFETY: the source spans what the case's view reads and what the dense copies read; `to`
        // is a buffer of the output's size, which this call alone writes. The copier was made
        // for this case.
        unsafe { self.copier.run(from, to) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::verify;
    use crate::plan::CopySpec;

    #[test]
    fn a_prepared_copy_writes_what_the_oracle_writes() {
        let copy = CopySpec::new(4, &[70, 50], &[4, 280], &[200, 4]);
        let case = Case::new("t", "", copy, 0).unwrap();
        let source = case.source(0).unwrap();
        let expected = verify::expected(&case, &source).unwrap();
        for strategy in [Strategy::Naive, Strategy::Rows, Strategy::Restride] {
            let mut output = Buffer::poisoned(case.output_bytes, 0).unwrap();
            let prepared = Prepared::new(strategy, &case, 1).unwrap();
            prepared.run(&source, &mut output);
            assert_eq!(output.bytes(), expected.bytes());
            prepared.run_fresh(&source, HugePages::Never).unwrap();
        }
    }
}
