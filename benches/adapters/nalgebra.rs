//! nalgebra's `transpose`, `clone_owned`, `transpose_to` and `copy_from`.

use core::hint::black_box;

use criterion::Criterion;
use nalgebra::DMatrix;
use restride::interop::nalgebra::{ToDense, TryCopyFrom};

use super::{MATRICES, copies};

pub fn copies_of_matrices(criterion: &mut Criterion) {
    for (rows, columns) in MATRICES {
        transposed(criterion, rows, columns);
    }
    every_other_row(criterion, 2000, 1000);
}

fn transposed(criterion: &mut Criterion, rows: usize, columns: usize) {
    let name = format!("{rows}x{columns} transposed");
    let mut group = copies(criterion, "nalgebra", &name, rows * columns);
    let matrix = numbered(rows, columns);
    group.bench_function("transpose", |bencher| bencher.iter(|| black_box(&matrix).transpose()));
    group.bench_function("to_transposed", |bencher| {
        bencher.iter(|| black_box(&matrix).to_transposed().expect("a copy that fits memory"));
    });
    let mut to = DMatrix::zeros(columns, rows);
    group.bench_function("transpose_to", |bencher| {
        bencher.iter(|| black_box(&matrix).transpose_to(black_box(&mut to)));
    });
    group.bench_function("try_copy_from_transposed", |bencher| {
        bencher.iter(|| {
            let copied = black_box(&mut to).try_copy_from_transposed(black_box(&matrix));
            copied.expect("one shape");
        });
    });
    group.finish();
}

/// A view of steps 2 and the matrix' height.
fn every_other_row(criterion: &mut Criterion, rows: usize, columns: usize) {
    let name = format!("{rows}x{columns} every other row");
    let mut group = copies(criterion, "nalgebra", &name, rows / 2 * columns);
    let matrix = numbered(rows, columns);
    let view = matrix.view_with_steps((0, 0), (rows / 2, columns), (1, 0));
    group.bench_function("clone_owned", |bencher| {
        bencher.iter(|| black_box(&view).clone_owned());
    });
    group.bench_function("to_dense", |bencher| {
        bencher.iter(|| black_box(&view).to_dense().expect("a copy that fits memory"));
    });
    let mut to = DMatrix::zeros(rows / 2, columns);
    group.bench_function("copy_from", |bencher| {
        bencher.iter(|| black_box(&mut to).copy_from(black_box(&view)));
    });
    group.bench_function("try_copy_from", |bencher| {
        bencher.iter(|| {
            black_box(&mut to).try_copy_from(black_box(&view)).expect("one shape");
        });
    });
    group.finish();
}

fn numbered(rows: usize, columns: usize) -> DMatrix<f32> {
    DMatrix::from_fn(rows, columns, |row, column| (row * columns + column) as f32)
}
