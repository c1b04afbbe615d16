//! ndarray's `as_standard_layout().into_owned()` and `assign`.

use core::hint::black_box;

use criterion::Criterion;
use ndarray::{Array1, Array2, Array4, ArrayD, ArrayViewD, s};
use restride::interop::ndarray::{ToDense, TryAssign};

use super::{MATRICES, copies};

pub fn copies_of_arrays(criterion: &mut Criterion) {
    for (rows, columns) in MATRICES {
        let matrix = numbered(rows * columns).into_shape_with_order((rows, columns));
        let matrix: Array2<f32> = matrix.expect("as many elements");
        both(criterion, &format!("{rows}x{columns} transposed"), matrix.t().into_dyn());
    }
    let images = numbered(8 * 224 * 224 * 3).into_shape_with_order((8, 224, 224, 3));
    let images: Array4<f32> = images.expect("as many elements");
    let channels_first = images.view().permuted_axes([0, 3, 1, 2]);
    both(criterion, "8x224x224x3 channels first", channels_first.into_dyn());
    let row = numbered(1 << 22);
    both(criterion, "2^22 reversed", row.slice(s![..;-1]).into_dyn());
}

/// A new array and one that is there already, from the same view.
fn both(criterion: &mut Criterion, name: &str, view: ArrayViewD<'_, f32>) {
    let mut group = copies(criterion, "ndarray", name, view.len());
    group.bench_function("as_standard_layout().into_owned()", |bencher| {
        bencher.iter(|| black_box(&view).as_standard_layout().into_owned());
    });
    group.bench_function("to_standard", |bencher| {
        bencher.iter(|| black_box(&view).to_standard().expect("a copy that fits memory"));
    });
    let mut to = ArrayD::<f32>::zeros(view.raw_dim());
    group.bench_function("assign", |bencher| {
        bencher.iter(|| black_box(&mut to).assign(black_box(&view)));
    });
    group.bench_function("try_assign", |bencher| {
        bencher.iter(|| black_box(&mut to).try_assign(black_box(&view)).expect("one shape"));
    });
    group.finish();
}

fn numbered(len: usize) -> Array1<f32> {
    Array1::from_shape_fn(len, |i| i as f32)
}
