//! What a sequence would cost if cache lines and operations were all there is.
//!
//! Every consumer reads the distinct lines of its operands and writes those of its result, at the
//! speed at which memcpy was measured to move lines; a matrix product takes no less than its
//! operations at the speed of a small product of matrices that fit the cache. Materializing reads
//! the view's lines and writes the dense ones. Page faults, prefetchers, TLBs and caches that hold
//! a part of the data are not in it: where the figures differ from the measured ones, these are why.

use serde::{Deserialize, Serialize};

use crate::analysis::{Normalized, Traffic};
use crate::bench::{BenchError, digits};
use crate::layout::Layout;
use crate::machine::Machine;
use crate::plan::CopySpec;

use super::break_even::BreakEven;
use super::resolve::{Kind, Reading, Sequence};

/// The model's figures. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Distinct cache lines of the view.
    pub view_lines: u64,
    /// Cache lines of the same elements in dense memory.
    pub dense_lines: u64,
    /// Consuming the view.
    #[serde(serialize_with = "digits::one")]
    pub view: f64,
    /// Consuming dense memory.
    #[serde(serialize_with = "digits::one")]
    pub dense: f64,
    /// Materializing the view into memory that is reused.
    #[serde(serialize_with = "digits::one")]
    pub copy: f64,
    /// From how many uses on that pays.
    pub break_even: BreakEven,
}

/// What the model is told of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Seconds of a memcpy of the viewed bytes.
    pub memcpy: f64,
    /// Seconds of one floating-point operation of a product in the cache; 0 when there is none.
    pub operation: f64,
}

impl Prediction {
    /// The model's figures for `sequence`.
    ///
    /// # Errors
    /// [`BenchError::Overflow`] when the lines of an operand cannot be counted.
    pub fn of(sequence: &Sequence, rates: Rates) -> Result<Self, BenchError> {
        let size = sequence.number.size();
        let lines = |layout: &Layout| {
            lines(layout, size).ok_or_else(|| BenchError::Overflow {
                case: sequence.name.clone(),
                what: "an operand",
            })
        };
        let dense_of = |shape: &[usize]| Layout::contiguous(shape).map_or(Ok(0), |l| lines(&l));
        let view_lines = lines(&sequence.view.layout)?;
        let dense_lines = dense_of(sequence.view.layout.shape())?;
        let second_a_line = rates.memcpy / (2 * dense_lines.max(1)) as f64;

        let (mut view, mut dense) = (0.0, 0.0);
        for (at, reading) in sequence.readings.iter().enumerate() {
            let argument =
                reading.kind.argument().map_or(Ok(0), |argument| lines(&argument.layout));
            let others = argument? + dense_of(&reading.makes)?;
            let read = dense_of(&reading.reads)?;
            let arithmetic = operations(reading) * rates.operation;
            let takes = |lines: u64| (lines as f64 * second_a_line).max(arithmetic);
            view += takes(if at == 0 { view_lines } else { read } + others);
            dense += takes(read + others);
        }
        let copy = (view_lines + dense_lines) as f64 * second_a_line;
        let break_even = BreakEven::of(view, dense, copy);
        Ok(Self { view_lines, dense_lines, view, dense, copy, break_even })
    }
}

/// Distinct cache lines of `layout`'s elements.
fn lines(layout: &Layout, elem_size: usize) -> Option<u64> {
    let machine = Machine::current();
    let copy = Normalized::of(&CopySpec::to_contiguous(layout, elem_size).ok()?).ok()?;
    Some(Traffic::of(&copy, machine.line, machine.page, machine.l1d).src.lines as u64)
}

/// Floating-point operations of a matrix product; other consumers wait for memory.
fn operations(reading: &Reading) -> f64 {
    match (&reading.kind, reading.reads.last()) {
        (Kind::Matmul(_), Some(&inner)) => {
            2.0 * inner as f64 * reading.makes.iter().map(|&size| size as f64).product::<f64>()
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::suite::Entry;
    use crate::spec::{Origin, Source, Spec, SpecError};

    fn predict(spec: &str) -> Prediction {
        let origin = |spec: &Spec| -> Result<Origin, SpecError> {
            match &spec.source {
                Source::Dense { dtype, shape } => Ok(Origin::dense(*dtype, shape).unwrap()),
                Source::File(_) => unreachable!(),
            }
        };
        let entry = Entry { name: "s".into(), spec: spec.into(), why: None };
        let sequence = Sequence::of(&entry, origin).unwrap().unwrap();
        Prediction::of(&sequence, Rates { memcpy: 2.0, operation: 0.0 }).unwrap()
    }

    #[test]
    fn a_transpose_has_the_lines_of_dense_memory() {
        let model = predict("f32[1024,1024].T.sum()");
        assert_eq!((model.view_lines, model.dense_lines), (65536, 65536));
        assert_eq!(model.break_even, BreakEven::Never);
        assert!((model.copy - 2.0).abs() < 1e-9 && (model.view - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_column_of_lines_is_worth_a_copy() {
        // One element of every line: 16 times the lines.
        let model = predict("f32[4096,4096][:, ::16].sum()");
        assert_eq!(model.view_lines, 16 * model.dense_lines);
        assert_eq!(model.break_even, BreakEven::From { uses: 2 });
    }

    #[test]
    fn a_repeated_row_is_never_worth_a_copy() {
        let model = predict("f32[1024].expand(1024,1024).sum(0)");
        assert!(model.view < model.dense / 100.0);
        assert_eq!(model.break_even, BreakEven::Never);
    }
}
