//! Outputs compared with the oracle's: a wrong copy is never timed.

use crate::oracle;

use super::BenchError;
use super::buffers::Buffer;
use super::case::Case;
use super::strategy::{Contender, Role};

/// The output that `case` must produce from `source`, made by the oracle.
///
/// # Errors
/// [`BenchError::Allocation`] when the system refuses the memory.
pub fn expected(case: &Case, source: &Buffer) -> Result<Buffer, BenchError> {
    let output = Buffer::poisoned(case.output_bytes, 0)?;
    // SAFETY: `source` holds the bytes that the case's view spans and `output` those of its
    // dense result; both pointers address element [0, …, 0].
    unsafe {
        oracle::naive_copy(&case.copy, source.as_ptr().add(case.first), output.as_mut_ptr());
    }
    Ok(output)
}

/// Where `output` begins to differ from what `contender` had to write; `None` if it does not.
pub fn first_difference(
    contender: &Contender,
    source: &[u8],
    expected: &[u8],
    output: &[u8],
) -> Option<usize> {
    let right = match contender.role {
        Role::Copy => expected,
        Role::Dense => &source[..expected.len()],
    };
    if output == right {
        return None;
    }
    let differs = output.iter().zip(right).position(|(is, should)| is != should);
    differs.or(Some(output.len().min(right.len())))
}

#[cfg(test)]
mod tests {
    use super::super::strategy::{Copier, Strategy, Way};
    use crate::exec::HugePages;

    use super::*;
    use crate::plan::CopySpec;

    struct Lazy;

    impl Copier for Lazy {
        unsafe fn run(&self, _src: *const u8, _dst: *mut u8) {}
    }

    fn transpose() -> Case {
        let copy = CopySpec::new(2, &[5, 7], &[2, 10], &[14, 2]);
        Case::new("t", "u16[7,5].T", copy, 0).unwrap()
    }

    #[test]
    fn every_strategy_is_right_on_a_transpose() {
        let case = transpose();
        let source = Buffer::noise(case.source_bytes(), 0).unwrap();
        let expected = expected(&case, &source).unwrap();
        for strategy in Strategy::all() {
            for threads in [1, 3] {
                let contender = strategy.prepare(&case, threads).unwrap();
                let output = Buffer::poisoned(case.output_bytes, 1).unwrap();
                let first = case.first_byte(contender.role);
                let Way::Into(copier) = &contender.way else { panic!("{}", contender.name) };
                // SAFETY: the buffers have the sizes the case asks for.
                unsafe { copier.run(source.as_ptr().add(first), output.as_mut_ptr()) };
                let (source, expected) = (source.bytes(), expected.bytes());
                let found = first_difference(&contender, source, expected, output.bytes());
                assert_eq!(found, None, "{} on {threads}", contender.name);
            }
        }
    }

    #[test]
    fn an_unwritten_output_is_noticed() {
        let case = transpose();
        let source = Buffer::noise(case.source_bytes(), 0).unwrap();
        let expected = expected(&case, &source).unwrap();
        let output = Buffer::poisoned(case.output_bytes, 0).unwrap();
        let lazy = Contender {
            name: "lazy".into(),
            role: Role::Copy,
            pages: HugePages::Never,
            way: Way::Into(Box::new(Lazy)),
            peer: false,
        };
        let found = first_difference(&lazy, source.bytes(), expected.bytes(), output.bytes());
        assert_eq!(found, Some(0));
    }
}
