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
    let view = move |src| {
        let view = TensorView::<T>::from_slice_with_strides(&shape[..], src, &strides);
        view.expect("the source spans the view")
    };
    let shape = task.shape.clone();
    Some(match task.destination {
        Destination::Reused => task.into_slice::<T>(move |src, dst| {
            TensorViewMut::from_data(&shape[..], dst).copy_from(&view(src));
        }),
        Destination::Fresh => task.into_new::<T, _>(move |src| view(src).to_tensor().into_data()),
    })
}
