//! Measures sequences one after the other: every policy in every round.

use core::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;

use crate::bench::BenchError;
use crate::bench::allowance::Allowance;
use crate::bench::memory;
use crate::bench::record::{Destination, Report};
use crate::bench::rounds::{self, Pace, Samples};
use crate::bench::stats::{Estimate, median, paired_ratios};
use crate::bench::team::Team;
use crate::bench::warning;
use crate::copy::{View, ViewMut, contiguous_with, copy_with};
use crate::error::{ConsumeError, CopyError};
use crate::exec::HugePages;
use crate::layout::Layout;
use crate::plan::{PlanOptions, Threads};

use super::break_even::BreakEven;
use super::inputs::{Consumers, Inputs, allocate};
use super::model::{Prediction, Rates};
use super::number::{Number, Work};
use super::policy::{Policy, USES};
use super::record::{PolicyRecord, SequenceRecord, SequenceRun};
use super::resolve::{Kind, Sequence};

/// Side of the matrices whose product tells what an operation costs: they fit a second-level cache.
const SMALL: usize = 192;

/// Learns how the measurement of sequences goes on.
pub trait Watch<E> {
    /// The measurement of `sequence` on `threads` threads begins.
    ///
    /// # Errors
    /// Whatever should stop the benchmark.
    fn begins(&mut self, sequence: &Sequence, threads: usize) -> Result<(), E>;

    /// That measurement is over.
    fn ends(&mut self);

    /// A sequence was measured; `report` holds everything up to now.
    ///
    /// # Errors
    /// Whatever should stop the benchmark.
    fn measured(&mut self, report: &Report) -> Result<(), E>;
}

/// Refuses the first sequence that needs more memory than there is.
///
/// # Errors
/// [`BenchError::Memory`].
pub fn guard(sequences: &[Sequence]) -> Result<(), BenchError> {
    sequences
        .iter()
        .try_for_each(|sequence| memory::refuse_beyond(&sequence.name, sequence.memory_needed()))
}

/// Measures every sequence into `report`, with each of its thread counts. Where the time is limited,
/// some sequences are left out; the report names them.
///
/// # Errors
/// The first [`BenchError`], or what `watch` returned. What was measured before stays in `report`.
pub fn run<E: From<BenchError>>(
    sequences: &[Sequence],
    report: &mut Report,
    watch: &mut impl Watch<E>,
) -> Result<(), E> {
    let teams = Team::all(&report.settings)?;
    if report.cases.is_empty() {
        report.warnings.extend(teams.iter().filter_map(Team::warning));
    }
    let least = report.settings.pace.budget * teams.len() as f64;
    let bytes = sequences.iter().map(Sequence::viewed_bytes);
    let mut allowance = Allowance::new(report.share_of_time(sequences.len()), least, bytes);
    for sequence in sequences {
        if !allowance.admits(sequence.viewed_bytes()) {
            report.out_of_time.push(sequence.name.clone());
            continue;
        }
        let start = Instant::now();
        let mut runs = Vec::new();
        for team in &teams {
            if !runs.is_empty() && allowance.is_over() {
                let threads = team.threads();
                report.out_of_time.push(format!("{} with {threads} threads", sequence.name));
                continue;
            }
            watch.begins(sequence, team.threads())?;
            let measuring = Measuring {
                sequence,
                threads: team.threads(),
                pace: report.settings.pace,
                last_level: report.context.last_level_bytes(),
            };
            runs.push(team.install(|| sequence.number.with(measuring))?);
            watch.ends();
        }
        report.sequences.push(record(sequence, runs));
        allowance.book(start, sequence.viewed_bytes());
        watch.measured(report)?;
    }
    Ok(())
}

/// One run to be done, on a thread of the team.
struct Measuring<'a> {
    sequence: &'a Sequence,
    threads: usize,
    pace: Pace,
    last_level: usize,
}

impl Work for Measuring<'_> {
    type Output = Result<SequenceRun, BenchError>;

    fn with<T: Number>(self) -> Self::Output {
        let failed = |error: ConsumeError| BenchError::Consume {
            case: self.sequence.name.clone(),
            error: error.into(),
        };
        let inputs = Inputs::<T>::of(self.sequence)?;
        let threads =
            if self.threads == 1 { Threads::Serial } else { Threads::AtMost(self.threads) };
        let mut bench = Bench::new(self.sequence, &inputs, threads)?;
        if let Some(at) = bench.first_difference().map_err(failed)? {
            return Err(BenchError::WrongResult {
                case: self.sequence.name.clone(),
                strategy: Policy::View.name().into(),
                threads: self.threads,
                at: at * size_of::<T>(),
            });
        }
        let fits_cache = self.sequence.memory_needed() <= self.last_level as u64;
        let policies = Policy::ALL;
        let samples = rounds::take(policies.len(), &self.pace, fits_cache, &mut |who, times| {
            (0..times).try_for_each(|_| bench.carry_out(policies[who]))
        })
        .map_err(failed)?;
        let multiplies = |kind: &Kind| matches!(kind, Kind::Matmul(_));
        let operation = match self.sequence.readings.iter().any(|reading| multiplies(&reading.kind))
        {
            true => seconds_an_operation::<T>(&self.pace, threads).map_err(failed)?,
            false => 0.0,
        };
        judge(self.sequence, self.threads, &samples, operation)
    }
}

/// Everything that the policies of one run need.
struct Bench<'a, T> {
    consumers: Consumers<'a, T>,
    view: View<'a, T>,
    /// The layout of the dense copy.
    dense_layout: Layout,
    /// The dense copy, which always holds the view's values.
    dense: Vec<T>,
    /// As many elements, for memcpy to write.
    scratch: Vec<T>,
    options: PlanOptions,
}

impl<'a, T: Number> Bench<'a, T> {
    fn new(
        sequence: &'a Sequence,
        inputs: &'a Inputs<T>,
        threads: Threads,
    ) -> Result<Self, BenchError> {
        let failed = |error: CopyError| BenchError::Consume {
            case: sequence.name.clone(),
            error: Box::new(error.into()),
        };
        let layout = &sequence.view.layout;
        let room = || {
            let mut room = allocate(layout.numel())?;
            room.resize(layout.numel(), T::ZERO);
            Ok::<Vec<T>, BenchError>(room)
        };
        Ok(Self {
            consumers: Consumers::new(sequence, inputs, threads)?,
            view: View::new(layout.clone(), &inputs.storage).map_err(failed)?,
            dense_layout: Layout::contiguous(layout.shape())
                .map_err(|error| failed(error.into()))?,
            dense: room()?,
            scratch: room()?,
            options: PlanOptions { threads, ..PlanOptions::default() },
        })
    }

    /// Makes the dense copy, and compares it with the view element by element and the results of
    /// consuming either with each other: where they begin to differ, if they do.
    fn first_difference(&mut self) -> Result<Option<usize>, ConsumeError> {
        self.carry_out(Policy::Once(Destination::Reused))?;
        let (storage, order) = (self.view.data(), self.view.layout().storage_order());
        let same = |a: T, b: T| a == b || a.to_f64().is_nan() && b.to_f64().is_nan();
        let copied = order.zip(&self.dense).position(|(at, &copy)| !same(storage[at], copy));
        if copied.is_some() {
            return Ok(copied);
        }
        let of_dense: Vec<f64> = self.consumers.result().iter().map(|x| x.to_f64()).collect();
        self.carry_out(Policy::View)?;
        // Sums in another order are rounded elsewhere.
        let largest = of_dense.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let near = |a: f64, b: f64| {
            a == b || (a - b).abs() <= 1e-3 * largest || !a.is_finite() && !b.is_finite()
        };
        let results = self.consumers.result().iter().zip(of_dense);
        Ok(results.map(|(x, dense)| near(x.to_f64(), dense)).position(|near| !near))
    }

    /// Carries the sequence out once under `policy`.
    fn carry_out(&mut self, policy: Policy) -> Result<(), ConsumeError> {
        match policy {
            Policy::View => self.consumers.read(black_box(&self.view))?,
            Policy::Dense => {
                let dense = View::new(self.dense_layout.clone(), &self.dense)?;
                self.consumers.read(black_box(&dense))?;
            }
            Policy::Once(Destination::Reused) => self.reused(1)?,
            Policy::Many(Destination::Reused) => self.reused(USES)?,
            Policy::Once(Destination::Fresh) => self.fresh(1)?,
            Policy::Many(Destination::Fresh) => self.fresh(USES)?,
            Policy::Memcpy => self.memcpy(),
        }
        black_box(self.consumers.result().as_ptr());
        Ok(())
    }

    fn reused(&mut self, uses: u32) -> Result<(), ConsumeError> {
        let to = ViewMut::new(self.dense_layout.clone(), &mut self.dense)?;
        copy_with(black_box(&self.view), to, &self.options)?;
        let dense = View::new(self.dense_layout.clone(), &self.dense)?;
        (0..uses).try_for_each(|_| self.consumers.read(black_box(&dense)))
    }

    fn fresh(&mut self, uses: u32) -> Result<(), ConsumeError> {
        let (layout, data) = (self.view.layout(), black_box(self.view.data()));
        let dense = contiguous_with(layout, data, &self.options, HugePages::Auto)?;
        let dense = View::new(self.dense_layout.clone(), &dense)?;
        (0..uses).try_for_each(|_| self.consumers.read(black_box(&dense)))
    }

    fn memcpy(&mut self) {
        let (from, to) = (black_box(&self.dense[..]), &mut self.scratch[..]);
        let parts = match self.options.threads {
            Threads::Serial => 1,
            _ => rayon::current_num_threads().min(size_of_val(from) / self.options.grain),
        };
        if parts <= 1 {
            to.copy_from_slice(from);
        } else {
            let part = from.len().div_ceil(parts);
            let parts = from.par_chunks(part).zip(to.par_chunks_mut(part));
            parts.for_each(|(from, to)| to.copy_from_slice(from));
        }
        black_box(to.as_ptr());
    }
}

/// Seconds of one operation of a small matrix product.
fn seconds_an_operation<T: Number>(pace: &Pace, threads: Threads) -> Result<f64, ConsumeError> {
    let layout = Layout::contiguous(&[SMALL; 2])?;
    let data: Vec<T> = (0..(SMALL * SMALL) as u64).map(T::small).collect();
    let matrix = View::new(layout, &data)?;
    let mut out = vec![T::ZERO; data.len()];
    let samples = rounds::take(1, pace, true, &mut |_, times| {
        (0..times).try_for_each(|_| T::matmul_into(&matrix, &matrix, threads, black_box(&mut out)))
    })?;
    let seconds = median(&samples[0].seconds).unwrap_or(0.0);
    Ok(seconds / (2 * SMALL * SMALL * SMALL) as f64)
}

/// Makes figures of the samples.
fn judge(
    sequence: &Sequence,
    threads: usize,
    samples: &[Samples],
    operation: f64,
) -> Result<SequenceRun, BenchError> {
    let of = |policy: Policy| {
        let place = Policy::ALL.iter().position(|other| *other == policy);
        place.map_or(&[][..], |place| &samples[place].seconds)
    };
    let (view, dense, memcpy) = (of(Policy::View), of(Policy::Dense), of(Policy::Memcpy));
    let estimate = |samples: &[f64]| {
        Estimate::of(samples).unwrap_or(Estimate { median: 0.0, low: 0.0, high: 0.0 })
    };
    let policies = Policy::ALL.iter().zip(samples).map(|(policy, samples)| PolicyRecord {
        policy: policy.name().into(),
        destination: policy.destination(),
        uses: policy.uses(),
        repetitions: samples.repetitions,
        rounds: samples.seconds.clone(),
        seconds: estimate(&samples.seconds),
        memcpys: estimate(&paired_ratios(&samples.seconds, memcpy)),
        page_faults: samples.page_faults,
    });
    let view_to_dense = estimate(&paired_ratios(view, dense));
    // Per round, as everything that is compared: a slow spell is in all three.
    let middle = |figures: Vec<f64>| median(&figures).unwrap_or(0.0);
    let break_even = |destination| {
        if view_to_dense.low <= 1.0 {
            return BreakEven::Never; // no difference that the rounds agree on
        }
        let once = of(Policy::Once(destination));
        let copy = middle(once.iter().zip(dense).map(|(once, dense)| once - dense).collect());
        let saved = middle(view.iter().zip(dense).map(|(view, dense)| view - dense).collect());
        BreakEven::of(saved, 0.0, copy)
    };
    let rates = Rates { memcpy: middle(memcpy.to_vec()), operation };
    let doubts = Policy::ALL
        .iter()
        .zip(samples)
        .filter_map(|(policy, samples)| warning::of_samples(policy.name(), &samples.seconds));
    Ok(SequenceRun {
        threads,
        warnings: warning::of_ceiling(memcpy).into_iter().chain(doubts).collect(),
        policies: policies.collect(),
        view_to_dense,
        break_even_reused: break_even(Destination::Reused),
        break_even_fresh: break_even(Destination::Fresh),
        prediction: Prediction::of(sequence, rates)?,
    })
}

fn record(sequence: &Sequence, runs: Vec<SequenceRun>) -> SequenceRecord {
    SequenceRecord {
        name: sequence.name.clone(),
        spec: sequence.spec.clone(),
        why: sequence.why.clone(),
        element: sequence.number.to_string(),
        shape: sequence.view.layout.shape().to_vec(),
        strides: sequence.view.layout.strides().to_vec(),
        consumers: sequence.readings.iter().map(|reading| reading.text.clone()).collect(),
        result: sequence.readings.last().map_or(vec![], |reading| reading.makes.clone()),
        viewed_bytes: sequence.viewed_bytes() as u64,
        runs,
    }
}
