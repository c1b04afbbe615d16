//! candle's `contiguous`.

use core::hint::black_box;

use candle_core::{Device, Tensor};
use criterion::Criterion;
use restride::interop::candle::contiguous;

use super::{MATRICES, copies};

pub fn copies_of_tensors(criterion: &mut Criterion) {
    for (rows, columns) in MATRICES {
        let matrix = numbered(&[rows, columns]).t().expect("two axes");
        both(criterion, &format!("{rows}x{columns} transposed"), &matrix);
    }
    let images = numbered(&[8, 224, 224, 3]).permute((0, 3, 1, 2)).expect("four axes");
    both(criterion, "8x224x224x3 channels first", &images);
    let heads = numbered(&[8, 512, 12, 64]).transpose(1, 2).expect("four axes");
    both(criterion, "8x512x12x64 heads first", &heads);
}

fn both(criterion: &mut Criterion, name: &str, view: &Tensor) {
    let mut group = copies(criterion, "candle", name, view.elem_count());
    group.bench_function("Tensor::contiguous", |bencher| {
        bencher.iter(|| black_box(view).contiguous().expect("a tensor of the CPU"));
    });
    group.bench_function("contiguous", |bencher| {
        bencher.iter(|| contiguous(black_box(view)).expect("a tensor of the CPU"));
    });
    group.finish();
}

fn numbered(dims: &[usize]) -> Tensor {
    let numbers: Vec<f32> = (0..dims.iter().product()).map(|i: usize| i as f32).collect();
    Tensor::from_vec(numbers, dims, &Device::Cpu).expect("as many elements")
}
