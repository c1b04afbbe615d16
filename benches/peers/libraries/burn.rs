//! burn's CPU backend: `to_contiguous` of a tensor with the task's strides. Each output is new, and
//! a dense tensor is not copied at all.

use burn_backend::{Bytes, DType, Shape};
use burn_flex::{FlexTensor, Layout};
use restride::bench::record::Destination;

use crate::entry::Entry;
use crate::task::Task;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    let dtype = match task.elem_size {
        1 => DType::U8,
        2 => DType::F16,
        4 => DType::F32,
        8 => DType::F64,
        _ => return None,
    };
    if task.destination != Destination::Fresh || task.is_dense() {
        return None;
    }
    let layout = Layout::new(Shape::from(task.shape.clone()), task.strides.clone(), task.first);
    let view = FlexTensor::new(Bytes::from_bytes_vec(task.source.to_vec()), layout, dtype);
    Some(Entry::New(Box::new(move |_, see| see(view.to_contiguous().bytes()))))
}
