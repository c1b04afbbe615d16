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
    let view = Numbers {
        shape: task.shape.clone(),
        strides: task.strides.clone(),
        first: task.first,
        len: task.len,
    };
    match task.destination {
        Destination::Reused => task.writes::<T>(move |src, dst| {
            view.destination::<T, S>(dst).assign(view.source::<T, S>(src));
        }),
        Destination::Fresh => {
            task.makes::<T, _>(move |src| view.source::<T, S>(src).to_array().into_vec())
        }
    }
}

/// A task's numbers.
struct Numbers {
    shape: Vec<usize>,
    strides: Vec<isize>,
    first: usize,
    len: usize,
}

impl Numbers {
    fn source<'a, T, S: Shape>(&self, src: &'a [T]) -> View<'a, T, S, Strided> {
        let mapping = StridedMapping::new(S::from_dims(&self.shape), &self.strides);
        // SAFETY: the numbers reach elements of `src` only, from its first one on.
        unsafe { View::new_unchecked(src[self.first..].as_ptr(), mapping) }
    }

    fn destination<'a, T, S: Shape>(&self, dst: &'a mut [T]) -> ViewMut<'a, T, S, Dense> {
        assert_eq!(dst.len(), self.len);
        let mapping = DenseMapping::new(S::from_dims(&self.shape));
        // SAFETY: `dst` has as many elements as the shape, and it is borrowed mutably.
        unsafe { ViewMut::new_unchecked(dst.as_mut_ptr(), mapping) }
    }
}
