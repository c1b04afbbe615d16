//! candle: `force_contiguous` of a view of a dense tensor. Each output is new.

use candle_core::{CpuStorage, DType, Device, Result, Storage, Tensor};
use restride::bench::record::Destination;

use crate::entry::Entry;
use crate::task::{Embedding, Task};

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    let dtype = match task.elem_size {
        1 => DType::U8,
        2 => DType::F16,
        4 => DType::F32,
        8 => DType::F64,
        _ => return None,
    };
    if task.destination != Destination::Fresh {
        return None;
    }
    let view = view(task, &task.embedding()?, dtype).ok()?;
    Some(Entry::New(Box::new(move |_, see| {
        let output = view.force_contiguous().expect("a view of a dense tensor");
        let (storage, _) = output.storage_and_layout();
        match &*storage {
            Storage::Cpu(CpuStorage::U8(elements)) => see(elements),
            Storage::Cpu(CpuStorage::F16(elements)) => see(bytemuck::cast_slice(elements)),
            Storage::Cpu(CpuStorage::F32(elements)) => see(bytemuck::cast_slice(elements)),
            Storage::Cpu(CpuStorage::F64(elements)) => see(bytemuck::cast_slice(elements)),
            _ => {}
        }
    })))
}

/// The task's source as a view of a dense tensor.
fn view(task: &Task<'_>, embedding: &Embedding, dtype: DType) -> Result<Tensor> {
    let bytes = embedding.dims.iter().product::<usize>() * task.elem_size;
    let mut source = task.source[..bytes.min(task.source.len())].to_vec();
    source.resize(bytes, 0); // what the view skips at its end
    let dense = Tensor::from_raw_buffer(&source, dtype, &embedding.dims, &Device::Cpu)?;
    let mut view = dense;
    for (axis, &size) in embedding.sizes.iter().enumerate() {
        view = view.narrow(axis, 0, size)?;
    }
    let kept: Vec<usize> = embedding.axes.iter().copied().flatten().collect();
    if kept.len() < embedding.dims.len() {
        view = view.squeeze(embedding.dims.len() - 1)?;
    }
    view = view.permute(kept)?;
    for (axis, from) in embedding.axes.iter().enumerate() {
        if from.is_none() {
            view = view.unsqueeze(axis)?;
        }
    }
    view.broadcast_as(&task.shape[..])
}
