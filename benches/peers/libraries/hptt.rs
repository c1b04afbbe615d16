//! HPTT: permutations of whole dense tensors of `f32` and `f64`. It plans in every call, by its
//! own estimate.

use hptt::{MemoryOrder, Result, transpose_f32, transpose_f64};

use super::Element;
use crate::entry::Entry;
use crate::task::Task;

/// Transposes: permutation, alpha, source, its shape, beta, output, threads, order.
type Transpose<T> = fn(&[usize], T, &[T], &[usize], T, &mut [T], usize, MemoryOrder) -> Result<()>;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    match task.elem_size {
        4 => by(task, 1f32, transpose_f32),
        8 => by(task, 1f64, transpose_f64),
        _ => None,
    }
}

fn by<T: Element>(task: &Task<'_>, one: T, transpose: Transpose<T>) -> Option<Entry> {
    let dense = task.embedding().filter(|embedding| embedding.is_permutation())?;
    let axes: Vec<usize> = dense.axes.into_iter().flatten().collect();
    let (len, threads) = (task.len, task.threads);
    Some(task.writes::<T>(move |src, dst| {
        let (src, zero, order) = (&src[..len], T::default(), MemoryOrder::RowMajor);
        transpose(&axes, one, src, &dense.dims, zero, dst, threads, order).expect("valid sizes");
    }))
}
