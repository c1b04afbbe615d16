//! Takes the points of a sweep.

use core::ops::Range;

use super::scaled::scaled;
use super::{Curve, Curves, Kind, Sweep, pages, tiles};
use crate::bench::BenchError;
use crate::bench::buffers::Buffer;
use crate::bench::case::Case;
use crate::bench::memory::in_words;
use crate::bench::prepared::Prepared;
use crate::bench::rounds::{self, Pace};
use crate::bench::stats::median;
use crate::bench::strategy::Strategy;
use crate::bench::team::{self, Team};
use crate::exec::HugePages;
use crate::machine::Machine;
use crate::plan::{CopySpec, PlanOptions, StorePolicy};

/// Learns how many points are done, of how many.
pub type Progress<'a> = &'a dyn Fn(usize, usize);

/// Bytes read and written by the smallest copy of a sweep over sizes.
const SMALLEST: usize = 8 << 10;
/// The largest unless somebody says so, or the last-level cache is larger still.
pub const LARGEST: usize = 256 << 20;
/// Elements of a copy with strides: as many lines as fit into any level-1 cache.
const STRIDED: usize = 512;
/// Strides, in bytes: every line up to here, then doubling.
const FINE: Range<usize> = 1..65;
const COARSE: Range<u32> = 13..19;
/// Seconds that a sample of a point lasts at least: with shorter ones, a hiccup of the system would be
/// longer than all of a point's samples.
const SAMPLE: f64 = 1e-3;
/// Bytes of an element of a copy with strides.
const ELEMENT: usize = 4;

/// How a sweep is taken.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Rounds of every point.
    pub pace: Pace,
    /// Bytes read and written by the largest copy of a sweep over sizes; `None` for [`LARGEST`], or
    /// twice the last-level cache.
    pub largest: Option<usize>,
}

/// Sweeps the copy of `case`; but for strides, whose copy is one of few elements.
///
/// # Errors
/// [`BenchError`] when a copy cannot be planned, memory is short, or threads cannot be started.
pub fn run(
    kind: Kind,
    case: &Case,
    settings: &Settings,
    progress: Progress<'_>,
) -> Result<Sweep, BenchError> {
    let curves = match kind {
        Kind::WorkingSet => working_set(case, settings, progress),
        Kind::Stride => stride(settings, progress),
        Kind::Tile => return tiles::sweep(case, settings, progress).map(Sweep::Map),
        Kind::Threads => threads(case, settings, progress),
        Kind::Stores => stores(case, settings, progress),
        Kind::Fresh => fresh(case, settings, progress),
        Kind::Pages => pages::sweep(case, settings, progress),
    };
    curves.map(Sweep::Curves)
}

/// What a sweep over sizes copies.
pub(super) fn by_size(case: &Case) -> String {
    format!("{}, made smaller and larger,", case.name)
}

/// Passes the case at every size to `point`: four steps to a doubling of the bytes.
pub(super) fn to_every_size(
    case: &Case,
    settings: &Settings,
    progress: Progress<'_>,
    point: &mut dyn FnMut(&Case) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let cache = 2 * Machine::current().l3;
    let largest = settings.largest.unwrap_or(LARGEST.max(cache).min(1 << 30)).max(SMALLEST);
    let steps = (4.0 * (largest as f64 / SMALLEST as f64).log2()).floor() as u32;
    let mut last = None;
    for step in 0..=steps {
        progress(step as usize, steps as usize + 1);
        let bytes = SMALLEST as f64 * 2f64.powf(f64::from(step) / 4.0);
        let case = scaled(case, bytes as usize)?;
        if last.replace(case.output_bytes) != Some(case.output_bytes) {
            point(&case)?;
        }
    }
    Ok(())
}

/// Bytes read and written.
pub(super) fn moved(case: &Case) -> f64 {
    2.0 * case.output_bytes as f64
}

/// GB/s of `count` ways to copy the case, measured in the same rounds. `copy(who, n)` carries out `n`
/// copies.
pub(super) fn measured(
    case: &Case,
    count: usize,
    pace: &Pace,
    warm: bool,
    copy: &mut impl FnMut(usize, u32) -> Result<(), BenchError>,
) -> Result<Vec<f64>, BenchError> {
    (0..count).try_for_each(|who| copy(who, 1))?;
    let pace = Pace { min_sample: pace.min_sample.max(SAMPLE), ..*pace };
    let samples = rounds::take(count, &pace, warm, copy)?;
    let seconds = samples.iter().map(|samples| median(&samples.seconds).unwrap_or(f64::NAN));
    Ok(seconds.map(|seconds| moved(case) / seconds / 1e9).collect())
}

/// GB/s of every prepared copy between the same buffers.
pub(super) fn bandwidths(
    case: &Case,
    all: &[Prepared<'_>],
    pace: &Pace,
) -> Result<Vec<f64>, BenchError> {
    let source = case.source(0)?;
    let mut output = Buffer::poisoned(case.output_bytes, 0)?;
    measured(case, all.len(), pace, true, &mut |who, count| {
        (0..count).for_each(|_| all[who].run(&source, &mut output));
        Ok(())
    })
}

/// Curves without points.
pub(super) fn curves(names: impl IntoIterator<Item = impl Into<String>>) -> Vec<Curve> {
    names.into_iter().map(|name| Curve { name: name.into(), points: Vec::new() }).collect()
}

pub(super) fn extend(curves: &mut [Curve], x: f64, figures: Vec<f64>) {
    for (curve, y) in curves.iter_mut().zip(figures) {
        curve.points.push((x, y));
    }
}

fn cache_marks() -> Vec<(f64, String)> {
    let machine = Machine::current();
    [(machine.l1d, "L1d"), (machine.l2, "L2"), (machine.l3, "L3")]
        .map(|(bytes, name)| (bytes as f64, format!("{name} {}", in_words(bytes as u64))))
        .to_vec()
}

fn working_set(
    case: &Case,
    settings: &Settings,
    progress: Progress<'_>,
) -> Result<Curves, BenchError> {
    let strategies = [Strategy::Naive, Strategy::Restride, Strategy::Memcpy];
    let mut all = curves(strategies.map(Strategy::name));
    to_every_size(case, settings, progress, &mut |case| {
        let prepared: Result<Vec<_>, _> =
            strategies.iter().map(|&strategy| Prepared::new(strategy, case, 1)).collect();
        extend(&mut all, moved(case), bandwidths(case, &prepared?, &settings.pace)?);
        Ok(())
    })?;
    Ok(Curves {
        kind: Kind::WorkingSet,
        title: format!("{} beside a dense copy, one thread", by_size(case)),
        x: "bytes read and written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks: cache_marks(),
        notes: Vec::new(),
    })
}

fn stride(settings: &Settings, progress: Progress<'_>) -> Result<Curves, BenchError> {
    let fine = FINE.map(|lines| lines * 64);
    let beside = |power: u32| [(1usize << power) - 64, 1 << power, (1 << power) + 64];
    let strides: Vec<usize> = fine.chain(COARSE.flat_map(beside)).collect();
    let mut all = curves([Strategy::Naive.name()]);
    for (done, &stride) in strides.iter().enumerate() {
        progress(done, strides.len());
        let copy = CopySpec::new(ELEMENT, &[STRIDED], &[stride as isize], &[ELEMENT as isize]);
        let case = Case::new("stride", "", copy, 0)?;
        let prepared = [Prepared::new(Strategy::Naive, &case, 1)?];
        let rate = bandwidths(&case, &prepared, &settings.pace)?;
        // Nanoseconds an element are what a conflict adds to.
        let each = rate.into_iter().map(|rate| 2.0 * ELEMENT as f64 / rate).collect();
        extend(&mut all, stride as f64, each);
    }
    let marks = (10..19).map(|power| 1usize << power);
    Ok(Curves {
        kind: Kind::Stride,
        title: format!("{STRIDED} f32 elements by source stride, one thread"),
        x: "bytes from element to element",
        y: "ns an element",
        logarithmic: true,
        curves: all,
        marks: marks.map(|bytes| (bytes as f64, String::new())).collect(),
        notes: Vec::new(),
    })
}

fn threads(case: &Case, settings: &Settings, progress: Progress<'_>) -> Result<Curves, BenchError> {
    let strategies = [Strategy::Naive, Strategy::Restride, Strategy::Memcpy];
    let mut all = curves(strategies.map(Strategy::name));
    let mut notes = Vec::new();
    let most = team::processors();
    for threads in 1..=most {
        progress(threads - 1, most);
        let team = Team::new(threads, true)?;
        notes.extend(team.warning().map(|warning| warning.to_string()));
        let rates = team.install(|| {
            let prepared: Result<Vec<_>, _> =
                strategies.iter().map(|&strategy| Prepared::new(strategy, case, threads)).collect();
            bandwidths(case, &prepared?, &settings.pace)
        })?;
        extend(&mut all, threads as f64, rates);
    }
    Ok(Curves {
        kind: Kind::Threads,
        title: format!("{}, each thread on a processor of its own", case.name),
        x: "threads",
        y: "GB/s",
        logarithmic: false,
        curves: all,
        marks: Vec::new(),
        notes,
    })
}

fn stores(case: &Case, settings: &Settings, progress: Progress<'_>) -> Result<Curves, BenchError> {
    let policies = [StorePolicy::Cached, StorePolicy::Streaming];
    let mut all = curves(["cached stores", "streaming stores"]);
    to_every_size(case, settings, progress, &mut |case| {
        let prepared: Result<Vec<_>, _> = policies
            .iter()
            .map(|&stores| {
                Prepared::planned(case, &PlanOptions { stores, ..PlanOptions::serial() })
            })
            .collect();
        extend(&mut all, moved(case), bandwidths(case, &prepared?, &settings.pace)?);
        Ok(())
    })?;
    let from = 2 * Machine::current().stream_from;
    let mut marks = cache_marks();
    marks.push((from as f64, format!("streams from {}", in_words(from as u64))));
    Ok(Curves {
        kind: Kind::Stores,
        title: format!("{} with cached and with streaming stores, one thread", by_size(case)),
        x: "bytes read and written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks,
        notes: vec!["plans stream from the size marked on, unless told otherwise".into()],
    })
}

fn fresh(case: &Case, settings: &Settings, progress: Progress<'_>) -> Result<Curves, BenchError> {
    let mut all = curves(["reused", "fresh", "fresh, huge pages"]);
    to_every_size(case, settings, progress, &mut |case| {
        let prepared = Prepared::planned(case, &PlanOptions::serial())?;
        let source = case.source(0)?;
        let mut output = Buffer::poisoned(case.output_bytes, 0)?;
        let rates = measured(case, 3, &settings.pace, false, &mut |who, count| {
            (0..count).try_for_each(|_| match who {
                0 => {
                    prepared.run(&source, &mut output);
                    Ok(())
                }
                1 => prepared.run_fresh(&source, HugePages::Never),
                _ => prepared.run_fresh(&source, HugePages::Auto),
            })
        })?;
        extend(&mut all, moved(case), rates);
        Ok(())
    })?;
    Ok(Curves {
        kind: Kind::Fresh,
        title: format!("{} into reused and into new memory, one thread", by_size(case)),
        x: "bytes read and written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks: cache_marks(),
        notes: Vec::new(),
    })
}
