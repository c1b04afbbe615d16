//! rten-tensor: `copy_from` and `to_tensor`; strides are not negative.

use restride::bench::record::Destination;
use rten_tensor::prelude::*;
use rten_tensor::{TensorView, TensorViewMut};

use super::{Element, with_type};
use crate::entry::Entry;
use crate::task::Task;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    with_type!(of_type, task)
}

fn of_type<T: Element>(task: &Task<'_>) -> Option<Entry> {
    let (shape, strides) = (task.shape.clone(), task.forward()?);
    Some(match task.destination {
        Destination::Reused => task.writes::<T>(move |src, dst| {
            TensorViewMut::from_data(&shape[..], dst).copy_from(&view(src, &shape, &strides));
        }),
        Destination::Fresh => {
            task.makes::<T, _>(move |src| view(src, &shape, &strides).to_tensor().into_data())
        }
    })
}

fn view<'a, T: Element>(src: &'a [T], shape: &[usize], strides: &[usize]) -> TensorView<'a, T> {
    let view = TensorView::from_slice_with_strides(shape, src, strides);
    view.expect("the source spans the view")
}
