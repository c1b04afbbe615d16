//! burn's `to_contiguous`.

use core::hint::black_box;

use burn_backend::TensorData;
use burn_flex::FlexTensor;
use criterion::Criterion;
use restride::interop::burn::contiguous;

use super::{MATRICES, copies};

pub fn copies_of_tensors(criterion: &mut Criterion) {
    for (rows, columns) in MATRICES {
        let matrix = numbered(&[rows, columns]).transpose(0, 1);
        both(criterion, &format!("{rows}x{columns} transposed"), &matrix);
    }
    let images = numbered(&[8, 224, 224, 3]).permute(&[0, 3, 1, 2]);
    both(criterion, "8x224x224x3 channels first", &images);
    let row = numbered(&[1 << 22]);
    let reversed = row.layout().flip(&[0]);
    both(criterion, "2^22 reversed", &row.with_layout(reversed));
}

fn both(criterion: &mut Criterion, name: &str, view: &FlexTensor) {
    let mut group = copies(criterion, "burn", name, view.layout().num_elements());
    group.bench_function("to_contiguous", |bencher| {
        bencher.iter(|| black_box(view).to_contiguous());
    });
    group.bench_function("contiguous", |bencher| {
        bencher.iter(|| contiguous(black_box(view)).expect("a type that burn-flex has"));
    });
    group.finish();
}

fn numbered(dims: &[usize]) -> FlexTensor {
    let numbers: Vec<f32> = (0..dims.iter().product()).map(|i: usize| i as f32).collect();
    FlexTensor::from_data(TensorData::new(numbers, dims.to_vec()))
}
