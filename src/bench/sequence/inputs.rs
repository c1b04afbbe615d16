//! What a sequence reads and where its results go.

use crate::bench::BenchError;
use crate::bench::buffers::mix;
use crate::consume::{add_into, sum, sum_axis_into};
use crate::copy::View;
use crate::error::{ConsumeError, CopyError};
use crate::layout::Layout;
use crate::npy::NpyFile;
use crate::plan::Threads;

use super::number::Number;
use super::resolve::{Kind, Operand, Reading, Sequence};

/// Memory that a sequence reads, every page touched.
pub struct Inputs<T> {
    /// The view's storage.
    pub storage: Vec<T>,
    /// Each consumer's second operand.
    arguments: Vec<Option<Vec<T>>>,
}

impl<T: Number> Inputs<T> {
    /// The inputs of `sequence`: a file's elements where they are what it reads, small numbers that
    /// do not repeat in any simple order otherwise.
    ///
    /// # Errors
    /// [`BenchError::Allocation`]; [`BenchError::File`] or [`BenchError::Changed`] for a file that is
    /// no longer what it was.
    pub fn of(sequence: &Sequence) -> Result<Self, BenchError> {
        let argument = |reading: &Reading| reading.kind.argument().map(storage).transpose();
        Ok(Self {
            storage: storage(&sequence.view)?,
            arguments: sequence.readings.iter().map(argument).collect::<Result<_, _>>()?,
        })
    }
}

/// The storage of `operand`, as far as its layout reaches.
fn storage<T: Number>(operand: &Operand) -> Result<Vec<T>, BenchError> {
    let len = operand.layout.required_len();
    let mut storage = allocate(len)?;
    let Some(path) = &operand.file else {
        storage.extend((0..len as u64).map(|position| T::small(mix(position))));
        return Ok(storage);
    };
    let file = NpyFile::open(path).map_err(|error| BenchError::File(error.into()))?;
    let wanted = file.data().get(..len * size_of::<T>());
    let wanted = wanted.ok_or_else(|| BenchError::Changed { path: path.clone() })?;
    storage.extend(wanted.chunks_exact(size_of::<T>()).map(T::from_bytes));
    Ok(storage)
}

/// An empty vector with room for `len` elements.
pub fn allocate<T>(len: usize) -> Result<Vec<T>, BenchError> {
    let mut room = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    room.try_reserve_exact(len).map_err(|_| BenchError::Allocation { bytes })?;
    Ok(room)
}

/// The consumers of a sequence, ready to read views of the same shape again and again.
pub struct Consumers<'a, T> {
    stages: Vec<Stage<'a, T>>,
    threads: Threads,
}

/// One consumer with the room for what it makes.
struct Stage<'a, T> {
    kind: &'a Kind,
    /// The second operand.
    argument: Option<View<'a, T>>,
    /// Dense and row-major.
    makes: Layout,
    result: Vec<T>,
}

impl<'a, T: Number> Consumers<'a, T> {
    /// The consumers of `sequence`, whose arguments are in `inputs`.
    ///
    /// # Errors
    /// [`BenchError::Allocation`] when there is no room for the results.
    pub fn new(
        sequence: &'a Sequence,
        inputs: &'a Inputs<T>,
        threads: Threads,
    ) -> Result<Self, BenchError> {
        let of = |error: ConsumeError| BenchError::Consume {
            case: sequence.name.clone(),
            error: error.into(),
        };
        let stage = |(reading, data): (&'a Reading, &'a Option<Vec<T>>)| {
            let makes = Layout::contiguous(&reading.makes).map_err(|error| of(error.into()))?;
            let mut result = allocate(makes.numel())?;
            result.resize(makes.numel(), T::ZERO);
            let argument = reading.kind.argument().zip(data.as_ref());
            let argument = argument
                .map(|(operand, data)| View::new(operand.layout.clone(), data))
                .transpose()
                .map_err(|error| of(error.into()))?;
            Ok(Stage { kind: &reading.kind, argument, makes, result })
        };
        let stages = sequence.readings.iter().zip(&inputs.arguments).map(stage);
        Ok(Self { stages: stages.collect::<Result<_, BenchError>>()?, threads })
    }

    /// Reads `view`, and after the first consumer what the one before made.
    ///
    /// # Errors
    /// [`ConsumeError`]; none for a view of the sequence's shape, memory permitting.
    pub fn read(&mut self, view: &View<'_, T>) -> Result<(), ConsumeError> {
        let threads = self.threads;
        for at in 0..self.stages.len() {
            let (before, rest) = self.stages.split_at_mut(at);
            let Some(stage) = rest.first_mut() else { break };
            match before.last() {
                None => stage.read(view, threads)?,
                Some(before) => stage.read(&before.made()?, threads)?,
            }
        }
        Ok(())
    }

    /// The last consumer's result.
    pub fn result(&self) -> &[T] {
        self.stages.last().map_or(&[], |stage| &stage.result)
    }
}

impl<T: Number> Stage<'_, T> {
    fn read(&mut self, view: &View<'_, T>, threads: Threads) -> Result<(), ConsumeError> {
        let out = &mut self.result[..];
        match (self.kind, &self.argument) {
            (Kind::Sum(Some(axis)), _) => sum_axis_into(view, *axis, threads, out),
            (Kind::Add(_), Some(argument)) => add_into(view, argument, threads, out),
            (Kind::Matmul(_), Some(argument)) => T::matmul_into(view, argument, threads, out),
            _ => {
                out[0] = sum(view, threads);
                Ok(())
            }
        }
    }

    fn made(&self) -> Result<View<'_, T>, CopyError> {
        View::new(self.makes.clone(), &self.result)
    }
}
