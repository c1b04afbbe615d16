//! Each adapter beside its crate's own copy, with criterion's statistics:
//! `cargo bench --all-features --bench adapters`, followed by the name of a crate for its lines alone.
#![allow(missing_docs)] // `criterion_group!` makes an undocumented function

mod burn;
mod candle;
mod dlpack;
mod faer;
mod nalgebra;
mod ndarray;

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};

/// Rows and columns of the matrices, of `f32`, that are transposed.
const MATRICES: [(usize, usize); 3] = [(64, 64), (1000, 1000), (4096, 4096)];

/// The lines of one copy of so many `f32`, under the crate's name.
fn copies<'a>(
    criterion: &'a mut Criterion,
    library: &str,
    copy: &str,
    elements: usize,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("{library}/{copy}"));
    group.throughput(Throughput::Bytes(2 * 4 * elements as u64)); // read plus written
    group
}

criterion_group! {
    name = adapters;
    config = Criterion::default()
        .sample_size(20)
        .measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(300));
    targets = burn::copies_of_tensors, candle::copies_of_tensors, dlpack::copies_of_tensors,
        faer::copies_of_matrices, nalgebra::copies_of_matrices, ndarray::copies_of_arrays
}
criterion_main!(adapters);
