//! Takes the points of a sweep.

use core::ops::Range;

use super::{Curve, Kind, Sweep};
use crate::bench::BenchError;
use crate::bench::buffers::Buffer;
use crate::bench::case::Case;
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
/// The largest, unless the last-level cache is larger still.
const LARGEST: usize = 256 << 20;
/// Elements of a copy with strides: as many lines as fit into any level-1 cache.
const STRIDED: usize = 512;
/// Strides, in bytes: every line up to here, then doubling.
const FINE: Range<usize> = 1..65;
const COARSE: Range<u32> = 13..19;
/// Bytes of an element, everywhere.
const ELEMENT: usize = 4;

/// Sweeps; `case` is what several threads are measured on.
///
/// # Errors
/// [`BenchError`] when a copy cannot be planned, memory is short, or threads cannot be started.
pub fn run(
    kind: Kind,
    case: &Case,
    pace: Pace,
    progress: Progress<'_>,
) -> Result<Sweep, BenchError> {
    match kind {
        Kind::WorkingSet => working_set(pace, progress),
        Kind::Stride => stride(pace, progress),
        Kind::Threads => threads(case, pace, progress),
        Kind::Stores => stores(pace, progress),
        Kind::Fresh => fresh(pace, progress),
    }
}

/// Sides of squares whose copies read and write from [`SMALLEST`] on, four steps to a doubling of
/// the bytes, every side a multiple of a line.
fn sides() -> Vec<usize> {
    let largest = LARGEST.max(2 * Machine::current().l3).min(1 << 30);
    let per_line = 64 / ELEMENT;
    let steps = 4 * (largest / SMALLEST).ilog2();
    let side = |step: u32| {
        let bytes = SMALLEST as f64 * 2f64.powf(f64::from(step) / 4.0);
        ((bytes / 2.0 / ELEMENT as f64).sqrt() as usize).next_multiple_of(per_line)
    };
    let mut sides: Vec<usize> = (0..=steps).map(side).collect();
    sides.dedup();
    sides
}

/// A square transpose of elements of 4 bytes.
fn square(side: usize) -> Result<Case, BenchError> {
    let (unit, pitch) = (ELEMENT as isize, (side * ELEMENT) as isize);
    let copy = CopySpec::new(ELEMENT, &[side, side], &[unit, pitch], &[pitch, unit]);
    Case::new(format!("f32[{side},{side}].T"), "", copy, 0)
}

/// Bytes read and written.
fn moved(case: &Case) -> f64 {
    2.0 * case.output_bytes as f64
}

/// GB/s of every prepared copy, measured in the same rounds.
fn bandwidths(case: &Case, all: &[Prepared<'_>], pace: &Pace) -> Result<Vec<f64>, BenchError> {
    let source = case.source(0)?;
    let mut output = Buffer::poisoned(case.output_bytes, 0)?;
    all.iter().for_each(|prepared| prepared.run(&source, &mut output));
    let samples = rounds::take(all.len(), pace, true, &mut |who, count| {
        (0..count).for_each(|_| all[who].run(&source, &mut output));
        Ok::<(), BenchError>(())
    })?;
    let seconds = samples.iter().map(|samples| median(&samples.seconds).unwrap_or(f64::NAN));
    Ok(seconds.map(|seconds| moved(case) / seconds / 1e9).collect())
}

fn curves(names: &[&str]) -> Vec<Curve> {
    names.iter().map(|name| Curve { name: (*name).into(), points: Vec::new() }).collect()
}

fn extend(curves: &mut [Curve], x: f64, figures: Vec<f64>) {
    for (curve, y) in curves.iter_mut().zip(figures) {
        curve.points.push((x, y));
    }
}

fn cache_marks() -> Vec<(f64, String)> {
    let machine = Machine::current();
    [(machine.l1d, "L1d"), (machine.l2, "L2"), (machine.l3, "L3")]
        .map(|(bytes, name)| (bytes as f64, name.to_owned()))
        .to_vec()
}

fn working_set(pace: Pace, progress: Progress<'_>) -> Result<Sweep, BenchError> {
    let strategies = [Strategy::Naive, Strategy::Restride, Strategy::Memcpy];
    let mut all = curves(&strategies.map(Strategy::name));
    let sides = sides();
    for (done, &side) in sides.iter().enumerate() {
        progress(done, sides.len());
        let case = square(side)?;
        let prepared: Result<Vec<_>, _> =
            strategies.iter().map(|&strategy| Prepared::new(strategy, &case, 1)).collect();
        extend(&mut all, moved(&case), bandwidths(&case, &prepared?, &pace)?);
    }
    Ok(Sweep {
        kind: Kind::WorkingSet,
        title: "Square f32 transposes of growing size, one thread".into(),
        x: "bytes read and written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks: cache_marks(),
    })
}

fn stride(pace: Pace, progress: Progress<'_>) -> Result<Sweep, BenchError> {
    let fine = FINE.map(|lines| lines * 64);
    let beside = |power: u32| [(1usize << power) - 64, 1 << power, (1 << power) + 64];
    let strides: Vec<usize> = fine.chain(COARSE.flat_map(beside)).collect();
    let mut all = curves(&[Strategy::Naive.name()]);
    for (done, &stride) in strides.iter().enumerate() {
        progress(done, strides.len());
        let copy = CopySpec::new(ELEMENT, &[STRIDED], &[stride as isize], &[ELEMENT as isize]);
        let case = Case::new("stride", "", copy, 0)?;
        let prepared = [Prepared::new(Strategy::Naive, &case, 1)?];
        let rate = bandwidths(&case, &prepared, &pace)?;
        // Nanoseconds an element are what a conflict adds to.
        let each = rate.into_iter().map(|rate| 2.0 * ELEMENT as f64 / rate).collect();
        extend(&mut all, stride as f64, each);
    }
    Ok(Sweep {
        kind: Kind::Stride,
        title: format!("{STRIDED} f32 elements by source stride, one thread"),
        x: "bytes from element to element",
        y: "ns an element",
        logarithmic: true,
        curves: all,
        marks: (10..19).map(|power| (f64::from(1u32 << power), String::new())).collect(),
    })
}

fn threads(case: &Case, pace: Pace, progress: Progress<'_>) -> Result<Sweep, BenchError> {
    let strategies = [Strategy::Naive, Strategy::Restride, Strategy::Memcpy];
    let mut all = curves(&strategies.map(Strategy::name));
    let most = team::processors();
    for threads in 1..=most {
        progress(threads - 1, most);
        let team = Team::new(threads, true)?;
        let rates = team.install(|| {
            let prepared: Result<Vec<_>, _> =
                strategies.iter().map(|&strategy| Prepared::new(strategy, case, threads)).collect();
            bandwidths(case, &prepared?, &pace)
        })?;
        extend(&mut all, threads as f64, rates);
    }
    Ok(Sweep {
        kind: Kind::Threads,
        title: format!("{}, threads pinned to a processor each", case.name),
        x: "threads",
        y: "GB/s",
        logarithmic: false,
        curves: all,
        marks: Vec::new(),
    })
}

fn stores(pace: Pace, progress: Progress<'_>) -> Result<Sweep, BenchError> {
    let policies = [StorePolicy::Cached, StorePolicy::Streaming];
    let mut all = curves(&["cached stores", "streaming stores"]);
    let sides = sides();
    for (done, &side) in sides.iter().enumerate() {
        progress(done, sides.len());
        let case = square(side)?;
        let prepared: Result<Vec<_>, _> = policies
            .iter()
            .map(|&stores| {
                Prepared::planned(&case, &PlanOptions { stores, ..PlanOptions::serial() })
            })
            .collect();
        extend(&mut all, moved(&case), bandwidths(&case, &prepared?, &pace)?);
    }
    Ok(Sweep {
        kind: Kind::Stores,
        title: "Square f32 transposes, cached against streaming stores, one thread".into(),
        x: "bytes read and written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks: cache_marks(),
    })
}

fn fresh(pace: Pace, progress: Progress<'_>) -> Result<Sweep, BenchError> {
    let mut all = curves(&["reused", "fresh", "fresh, huge pages"]);
    let sides = sides();
    for (done, &side) in sides.iter().enumerate() {
        progress(done, sides.len());
        let case = square(side)?;
        let prepared = Prepared::planned(&case, &PlanOptions::serial())?;
        let source = case.source(0)?;
        let mut output = Buffer::poisoned(case.output_bytes, 0)?;
        let samples = rounds::take(3, &pace, false, &mut |who, count| {
            (0..count).try_for_each(|_| match who {
                0 => {
                    prepared.run(&source, &mut output);
                    Ok(())
                }
                1 => prepared.run_fresh(&source, HugePages::Never),
                _ => prepared.run_fresh(&source, HugePages::Auto),
            })
        })?;
        let rate = |seconds: &[f64]| {
            median(seconds).map_or(f64::NAN, |seconds| moved(&case) / seconds / 1e9)
        };
        let rates = samples.iter().map(|samples| rate(&samples.seconds)).collect();
        extend(&mut all, case.output_bytes as f64, rates);
    }
    Ok(Sweep {
        kind: Kind::Fresh,
        title: "Square f32 transposes into memory new in every call, one thread".into(),
        x: "bytes written",
        y: "GB/s",
        logarithmic: true,
        curves: all,
        marks: cache_marks(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_grow_from_the_smallest_to_beyond_the_last_cache() {
        let sides = sides();
        assert!(sides.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(sides.iter().all(|side| side.is_multiple_of(16)));
        let bytes = |side: usize| 2 * ELEMENT * side * side;
        assert!(bytes(sides[0]) <= 2 * SMALLEST);
        assert!(bytes(sides[sides.len() - 1]) >= Machine::current().l3.min(1 << 29));
    }
}
