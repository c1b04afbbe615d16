//! faer's `to_owned` and `copy_from`.

use core::hint::black_box;

use criterion::Criterion;
use faer::{Mat, MatRef};
use restride::interop::faer::{ToDense, TryCopyFrom};

use super::{MATRICES, copies};

pub fn copies_of_matrices(criterion: &mut Criterion) {
    for (rows, columns) in MATRICES {
        let matrix = numbered(rows, columns);
        both(criterion, &format!("{rows}x{columns} transposed"), matrix.transpose());
    }
    let matrix = numbered(2000, 2000);
    both(criterion, "2000x2000 rows reversed", matrix.reverse_rows());
}

/// A new matrix and one that is there already, from the same view.
fn both(criterion: &mut Criterion, name: &str, view: MatRef<'_, f32>) {
    let mut group = copies(criterion, "faer", name, view.nrows() * view.ncols());
    group.bench_function("to_owned", |bencher| bencher.iter(|| black_box(view).to_owned()));
    group.bench_function("to_dense", |bencher| {
        bencher.iter(|| black_box(view).to_dense().expect("a copy that fits memory"));
    });
    let mut to = Mat::<f32>::zeros(view.nrows(), view.ncols());
    group.bench_function("copy_from", |bencher| {
        bencher.iter(|| black_box(&mut to).copy_from(black_box(view)));
    });
    group.bench_function("try_copy_from", |bencher| {
        bencher.iter(|| black_box(&mut to).try_copy_from(black_box(view)).expect("one shape"));
    });
    group.finish();
}

fn numbered(rows: usize, columns: usize) -> Mat<f32> {
    Mat::from_fn(rows, columns, |row, column| (row * columns + column) as f32)
}
