//! The loop over indices that takers of DLPack tensors write.

use core::hint::black_box;

use criterion::Criterion;
use restride::Layout;
use restride::interop::dlpack::{DLTensor, Export, Imported};

use super::{MATRICES, copies};

pub fn copies_of_tensors(criterion: &mut Criterion) {
    for (rows, columns) in MATRICES {
        let matrix = Layout::contiguous(&[rows, columns]).expect("a small shape").t();
        let numbers: Vec<f32> = (0..matrix.numel()).map(|i| i as f32).collect();
        let given = Export::of_vec(numbers, matrix).expect("as many elements").into_raw();
        // SAFETY: the tensor was just made, and is alive until `taken` is dropped.
        let tensor = unsafe { (*given).dl_tensor };
        // SAFETY: the tensor was just made and is taken once; nobody writes its memory.
        let taken = unsafe { Imported::from_raw(given) }.expect("a tensor of the CPU");

        let name = format!("{rows}x{columns} transposed");
        let mut group = copies(criterion, "dlpack", &name, rows * columns);
        group.bench_function("loop over indices", |bencher| {
            // SAFETY: an aligned `f32` matrix with strides, alive.
            bencher.iter(|| unsafe { loop_over_indices(black_box(&tensor)) });
        });
        group.bench_function("to_vec", |bencher| {
            bencher.iter(|| black_box(&taken).to_vec::<f32>().expect("elements of this type"));
        });
        group.finish();
    }
}

/// # Safety
/// A tensor of rank 2 and `f32` elements in the CPU's memory, aligned, strides not null.
unsafe fn loop_over_indices(tensor: &DLTensor) -> Vec<f32> {
    // SAFETY: passed on: every index is inside the shape.
    unsafe {
        let (rows, columns) = (*tensor.shape, *tensor.shape.add(1));
        let (down, right) = (*tensor.strides, *tensor.strides.add(1));
        let first = tensor.data.byte_add(tensor.byte_offset as usize).cast::<f32>();
        let mut dense = Vec::with_capacity((rows * columns) as usize);
        for i in 0..rows {
            for j in 0..columns {
                dense.push(*first.offset((i * down + j * right) as isize));
            }
        }
        dense
    }
}
