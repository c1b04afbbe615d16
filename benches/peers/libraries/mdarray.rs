//! mdarray: `assign` and `to_array`.

use mdarray::{Dense, DenseMapping, Dyn, DynRank, Shape, Strided, StridedMapping, View, ViewMut};
use restride::bench::record::Destination;

use super::{Element, with_type};
use crate::entry::Entry;
use crate::task::Task;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    with_type!(of_type, task)
}

fn of_type<T: Element>(task: &Task<'_>) -> Option<Entry> {
    Some(match task.shape.len() {
        1 => of_shape::<T, (Dyn,)>(task),
        2 => of_shape::<T, (Dyn, Dyn)>(task),
        3 => of_shape::<T, (Dyn, Dyn, Dyn)>(task),
        4 => of_shape::<T, (Dyn, Dyn, Dyn, Dyn)>(task),
        5 => of_shape::<T, (Dyn, Dyn, Dyn, Dyn, Dyn)>(task),
        6 => of_shape::<T, (Dyn, Dyn, Dyn, Dyn, Dyn, Dyn)>(task),
        _ => of_shape::<T, DynRank>(task),
    })
}

fn of_shape<T: Element, S: Shape>(task: &Task<'_>) -> Entry {
    let (shape, strides) = (task.shape.clone(), task.strides.clone());
    let (first, len) = (task.first, task.len);
    let source = move |src: &[T]| {
        let mapping = StridedMapping::new(S::from_dims(&shape), &strides);
        let first = src[first..].as_ptr();
        // SAFETY: the task's numbers reach elements of `src` only, from its first one on; the
        // callers use the view while they hold `src`.
        unsafe { View::<T, S, Strided>::new_unchecked(first, mapping) }
    };
    let shape = task.shape.clone();
    match task.destination {
        Destination::Reused => task.into_slice::<T>(move |src, dst| {
            assert_eq!(dst.len(), len);
            let mapping = DenseMapping::new(S::from_dims(&shape));
            // SAFETY: `dst` has as many elements as the shape, and nobody else uses it.
            let mut to =
                unsafe { ViewMut::<T, S, Dense>::new_unchecked(dst.as_mut_ptr(), mapping) };
            to.assign(source(src));
        }),
        Destination::Fresh => task.into_new::<T, _>(move |src| source(src).to_array().into_vec()),
    }
}
