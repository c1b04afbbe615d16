//! From a spec that ends in consumers to the layouts they read.

use std::path::PathBuf;

use crate::bench::BenchError;
use crate::bench::resolve::FindOrigin;
use crate::bench::suite::Entry;
use crate::consume::{broadcast, product, without_axis};
use crate::error::{ConsumeError, ErrorKind};
use crate::layout::{Layout, Shape};
use crate::spec::{Consumer, ConsumerAt, Source, Spec, SpecError, Trace};

use super::number::NumberType;

/// A view, and what reads it.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Short name for tables.
    pub name: String,
    /// The spec it comes from.
    pub spec: String,
    /// What the case stands for, if its suite says so.
    pub why: Option<String>,
    /// The element type of all operands and results.
    pub number: NumberType,
    /// What the first consumer reads.
    pub view: Operand,
    /// The consumers; each reads what the one before made, a dense row-major array.
    pub readings: Vec<Reading>,
}

/// A view of memory that exists before the sequence begins.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Where the elements are.
    pub layout: Layout,
    /// The file that holds the storage, if the spec's source is one and nothing was copied since.
    pub file: Option<PathBuf>,
}

/// One consumer.
#[derive(Clone, Debug)]
pub struct Reading {
    /// As the spec writes it.
    pub text: String,
    /// What it does.
    pub kind: Kind,
    /// The shape of what it reads first.
    pub reads: Vec<usize>,
    /// The shape of what it makes.
    pub makes: Vec<usize>,
}

/// What a consumer does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Sums everything, or along an axis.
    Sum(Option<isize>),
    /// Adds this.
    Add(Operand),
    /// Multiplies by this.
    Matmul(Operand),
}

impl Sequence {
    /// The sequence of a suite's entry; `None` when its spec ends in no consumer.
    ///
    /// # Errors
    /// [`BenchError::Spec`] for a wrong spec, [`BenchError::Empty`] when the view or a result has
    /// no elements.
    pub fn of(entry: &Entry, find_origin: FindOrigin) -> Result<Option<Self>, BenchError> {
        let text = &entry.spec;
        let at_spec =
            |error| BenchError::Spec { case: entry.name.clone(), spec: text.clone(), error };
        let spec = Spec::parse(text).map_err(at_spec)?;
        let Some(first) = spec.consumers.first() else { return Ok(None) };
        let trace = carried_out(&spec, text, find_origin).map_err(at_spec)?;
        let number = number(&trace, first).map_err(at_spec)?;
        let readings = readings(&spec, &trace, text, find_origin).map_err(at_spec)?;
        let nothing = readings.iter().any(|reading| reading.makes.contains(&0));
        if nothing || trace.layout().is_empty() {
            return Err(BenchError::Empty { case: entry.name.clone() });
        }
        Ok(Some(Self {
            name: entry.name.clone(),
            spec: text.clone(),
            why: entry.why.clone(),
            number,
            view: Operand::of(&spec, &trace),
            readings,
        }))
    }

    /// Bytes of the view's elements, each counted as often as it is seen.
    pub fn viewed_bytes(&self) -> usize {
        self.view.layout.numel().saturating_mul(self.number.size())
    }

    /// Bytes of memory that measuring takes at most: everything read and made, the dense copy, a
    /// fresh one, and one to copy it to.
    pub fn memory_needed(&self) -> u64 {
        let elements = |operand: &Operand| operand.layout.required_len() as u64;
        let of_readings = self.readings.iter().map(|reading| {
            let made = reading.makes.iter().product::<usize>() as u64;
            made.saturating_mul(2).saturating_add(reading.kind.argument().map_or(0, elements))
        });
        let dense = (self.view.layout.numel() as u64).saturating_mul(3);
        of_readings
            .fold(elements(&self.view).saturating_add(dense), u64::saturating_add)
            .saturating_mul(self.number.size() as u64)
    }
}

impl Kind {
    /// The second operand.
    pub fn argument(&self) -> Option<&Operand> {
        match self {
            Self::Sum(_) => None,
            Self::Add(argument) | Self::Matmul(argument) => Some(argument),
        }
    }
}

impl Operand {
    fn of(spec: &Spec, trace: &Trace) -> Self {
        let file = match &spec.source {
            Source::File(path) if trace.shares_storage() => Some(path.clone()),
            _ => None,
        };
        Self { layout: trace.layout().clone(), file }
    }
}

/// The view that `spec`'s operations lead to.
fn carried_out(spec: &Spec, text: &str, find_origin: FindOrigin) -> Result<Trace, SpecError> {
    let mut trace = Trace::start(find_origin(spec)?);
    trace.apply_all(&spec.ops, text)?;
    Ok(trace)
}

/// The consumers of `spec`, read from `text`, the first of which reads the end of `trace`.
///
/// # Errors
/// [`SpecError`] pointing at the consumer or argument that cannot be: shapes that do not fit, an
/// element type without arithmetic, or another one in an argument.
pub fn readings(
    spec: &Spec,
    trace: &Trace,
    text: &str,
    find_origin: FindOrigin,
) -> Result<Vec<Reading>, SpecError> {
    let mut shape = Shape::from(trace.layout().shape());
    let mut readings = Vec::with_capacity(spec.consumers.len());
    for consumer in &spec.consumers {
        let number = number(trace, consumer)?;
        let refused = |error: ConsumeError| {
            SpecError::new(error.kind(), error.to_string(), consumer.at.clone())
        };
        let argument = |spec: &Spec| {
            let argument = carried_out(spec, text, find_origin)?;
            match NumberType::of(&argument.origin().dtype) {
                Some(same) if same == number => Ok(Operand::of(spec, &argument)),
                _ => {
                    let dtype = &argument.origin().dtype;
                    let message = format!("an argument of {dtype} for a view of {number}");
                    Err(SpecError::new(ErrorKind::Unsupported, message, spec.source_at.clone()))
                }
            }
        };
        let (kind, makes) = match &consumer.consumer {
            Consumer::Sum(None) => (Kind::Sum(None), Ok(Shape::new())),
            Consumer::Sum(Some(axis)) => (Kind::Sum(Some(*axis)), without_axis(&shape, *axis)),
            Consumer::Add(spec) => {
                let argument = argument(spec)?;
                let makes = broadcast(&shape, argument.layout.shape());
                (Kind::Add(argument), makes)
            }
            Consumer::Matmul(_) if !number.multiplies() => {
                let message = format!("no matrix product of {number}; there are f32 and f64");
                let at = consumer.at.clone();
                return Err(SpecError::new(ErrorKind::Unsupported, message, at));
            }
            Consumer::Matmul(spec) => {
                let argument = argument(spec)?;
                let makes = product(&shape, argument.layout.shape());
                (Kind::Matmul(argument), makes)
            }
        };
        let makes = makes.map_err(refused)?;
        // A result has to be countable, also in bytes.
        Layout::contiguous(&makes)
            .map_err(ConsumeError::from)
            .and_then(|layout| {
                let bytes = layout.numel().saturating_mul(number.size());
                isize::try_from(bytes).map_err(|_| ConsumeError::Allocation { bytes })
            })
            .map_err(refused)?;
        let reads = core::mem::replace(&mut shape, makes);
        readings.push(Reading {
            text: text[consumer.at.clone()].to_owned(),
            kind,
            reads: reads.to_vec(),
            makes: shape.to_vec(),
        });
    }
    Ok(readings)
}

/// The type that `consumer` works on.
fn number(trace: &Trace, consumer: &ConsumerAt) -> Result<NumberType, SpecError> {
    let dtype = &trace.origin().dtype;
    NumberType::of(dtype).ok_or_else(|| {
        let message = format!("no arithmetic on {dtype}; consumers know {}", NumberType::names());
        SpecError::new(ErrorKind::Unsupported, message, consumer.at.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Origin;

    fn origin(spec: &Spec) -> Result<Origin, SpecError> {
        match &spec.source {
            Source::Dense { dtype, shape } => Ok(Origin::dense(*dtype, shape).unwrap()),
            Source::File(_) => unreachable!(),
        }
    }

    fn sequence(spec: &str) -> Result<Option<Sequence>, BenchError> {
        Sequence::of(&Entry { name: "s".into(), spec: spec.into(), why: None }, origin)
    }

    fn fault(spec: &str) -> (ErrorKind, String) {
        match sequence(spec) {
            Err(BenchError::Spec { error, .. }) => (error.kind, spec[error.at].to_owned()),
            other => panic!("{spec}: {other:?}"),
        }
    }

    #[test]
    fn shapes_follow_from_one_consumer_to_the_next() {
        let spec = "f32[3,4].T.add(f32[3]).matmul(f32[5,3].T).sum(0).sum()";
        let sequence = sequence(spec).unwrap().unwrap();
        let shapes: Vec<_> =
            sequence.readings.iter().map(|reading| reading.makes.clone()).collect();
        assert_eq!(shapes, [vec![4, 3], vec![4, 5], vec![5], vec![]]);
        assert_eq!(sequence.view.layout.strides(), [1, 4]);
        assert_eq!(sequence.viewed_bytes(), 48);
        assert_eq!(sequence.readings[1].text, ".matmul(f32[5,3].T)");
    }

    #[test]
    fn a_spec_without_consumers_is_no_sequence() {
        assert!(sequence("f32[3,4].T").unwrap().is_none());
        assert!(matches!(sequence("f32[0,4].sum()"), Err(BenchError::Empty { .. })));
    }

    #[test]
    fn faults_keep_their_place() {
        use ErrorKind::*;
        for (spec, kind, at) in [
            ("f32[3,4].sum(2)", BadAxis, ".sum(2)"),
            ("f32[3,4].T.add(f32[4])", SizeMismatch, ".add(f32[4])"),
            ("f32[3,4].matmul(f32[3,4])", SizeMismatch, ".matmul(f32[3,4])"),
            ("f32[3,4].matmul(f32[])", BadAxis, ".matmul(f32[])"),
            ("bf16[3,4].sum()", Unsupported, ".sum()"),
            ("i32[3,4].matmul(i32[4,3])", Unsupported, ".matmul(i32[4,3])"),
            ("f32[3,4].add(f64[3,4])", Unsupported, "f64[3,4]"),
            ("f32[3,4].add(f32[3,4].permute(0,2))", BadAxis, ".permute(0,2)"),
            ("f32[3,4].sum().T", Unsupported, "."),
            ("f32[3,4].add(f32[4].sum())", Unsupported, "."),
            ("f32[3,4].add(3)", BadSpec, "3"),
            ("f32[3,4].sum((0,1))", BadSpec, "(0,1)"),
            ("f32[3,4].sum", BadSpec, ".sum"),
            ("f32[3,4].add(f32[4]", BadSpec, ""),
        ] {
            assert_eq!(fault(spec), (kind, at.to_owned()), "{spec}");
        }
    }
}
