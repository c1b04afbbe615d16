//! A view and what reads it, consumed as it is or materialized first, with criterion's statistics:
//! `cargo bench --features consume --bench sequences`.
//!
//! For comparing versions. For figures to quote use `restride bench` with a SPEC that ends in a
//! consumer: it interleaves the policies and finds the break-even.
#![allow(missing_docs)] // `criterion_group!` makes an undocumented function

use core::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use restride::{Layout, Threads, View, ViewMut, consume, contiguous, copy};

/// Rows and columns of the source.
const SIDE: usize = 2048;
/// Columns of the right operand of the product.
const COLUMNS: usize = 32;

/// What reads the view, given the view and room for the result.
type Read<'a> = &'a dyn Fn(&View<'_, f32>, &mut [f32]);

fn sequences(criterion: &mut Criterion) {
    let source: Vec<f32> = (0..SIDE * SIDE).map(|i| (i % 9) as f32).collect();
    let dense = Layout::contiguous(&[SIDE; 2]).expect("a small shape");
    let stepped = dense.slice(1, None, None, 16).expect("an axis that exists");
    let tall = Layout::contiguous(&[SIDE, COLUMNS]).expect("a small shape");
    let right = View::new(tall, &source).expect("inside the source");
    let other = View::new(dense.clone(), &source).expect("inside the source");

    let sum: Read = &|view, out| {
        consume::sum_axis_into(view, 0, Threads::Auto, out).expect("an axis that exists");
    };
    let add: Read = &|view, out| {
        consume::add_into(view, &other, Threads::Auto, out).expect("shapes that fit");
    };
    let matmul: Read = &|view, out| {
        consume::matmul_into(view, &right, Threads::Auto, out).expect("shapes that fit");
    };
    for (name, layout, result, read) in [
        ("T.sum(0)", dense.t(), SIDE, sum),
        ("[:, ::16].sum(0)", stepped, SIDE / 16, sum),
        ("T.add", dense.t(), SIDE * SIDE, add),
        ("T.matmul", dense.t(), SIDE * COLUMNS, matmul),
    ] {
        policies(
            criterion,
            name,
            &View::new(layout, &source).expect("inside the source"),
            result,
            read,
        );
    }
}

/// Every policy for one view, whose consumer has `result` results.
fn policies(
    criterion: &mut Criterion,
    name: &str,
    view: &View<'_, f32>,
    result: usize,
    read: Read<'_>,
) {
    let layout = Layout::contiguous(view.layout().shape()).expect("the view's shape");
    let mut out = vec![0f32; result];
    let mut memory = contiguous(view.layout(), view.data()).expect("memory for a copy");

    let mut group = criterion.benchmark_group(name);
    // The viewed bytes, whatever is done with them.
    group.throughput(Throughput::Bytes(size_of_val(&memory[..]) as u64));
    group.bench_function("consume the view", |bencher| {
        bencher.iter(|| read(black_box(view), &mut out));
    });
    group.bench_function("consume dense memory", |bencher| {
        let dense = seen(&layout, &memory);
        bencher.iter(|| read(black_box(&dense), &mut out));
    });
    group.bench_function("materialize (reused), consume", |bencher| {
        bencher.iter(|| {
            let to = ViewMut::new(layout.clone(), &mut memory).expect("a dense copy");
            copy(black_box(view), to).expect("a copy of one shape");
            read(&seen(&layout, &memory), &mut out);
        });
    });
    group.bench_function("materialize (fresh), consume", |bencher| {
        bencher.iter(|| {
            let fresh = contiguous(view.layout(), black_box(view.data())).expect("memory");
            read(&seen(&layout, &fresh), &mut out);
        });
    });
    group.bench_function("memcpy", |bencher| {
        let mut to = memory.clone();
        bencher.iter(|| to.copy_from_slice(black_box(&memory)));
    });
    group.finish();
}

/// The dense copy of `layout` in `memory`.
fn seen<'a>(layout: &Layout, memory: &'a [f32]) -> View<'a, f32> {
    View::new(layout.clone(), memory).expect("a dense copy")
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(300));
    targets = sequences
}
criterion_main!(benches);
