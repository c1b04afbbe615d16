//! ndarray: `assign`, `as_standard_layout`, and with several threads `Zip`.

use ndarray::{
    ArrayView, ArrayViewMut, Axis, Dimension, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn, ShapeBuilder,
    Zip,
};

use super::{Element, with_type};
use crate::entry::Entry;
use crate::task::Task;
use restride::bench::record::Destination;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    with_type!(of_type, task)
}

fn of_type<T: Element>(task: &Task<'_>) -> Option<Entry> {
    Some(match task.shape.len() {
        1 => of_rank::<T, Ix1>(task),
        2 => of_rank::<T, Ix2>(task),
        3 => of_rank::<T, Ix3>(task),
        4 => of_rank::<T, Ix4>(task),
        5 => of_rank::<T, Ix5>(task),
        6 => of_rank::<T, Ix6>(task),
        _ => of_rank::<T, IxDyn>(task),
    })
}

fn of_rank<T: Element, D: Dimension + 'static>(task: &Task<'_>) -> Entry {
    let view = View::of(task);
    if task.threads > 1 {
        return task.writes::<T>(move |src, dst| {
            let to = view.destination::<T, D>(dst);
            Zip::from(to).and(view.source::<T, D>(src)).par_for_each(|to, from| *to = *from);
        });
    }
    match task.destination {
        Destination::Reused => task.writes::<T>(move |src, dst| {
            view.destination::<T, D>(dst).assign(&view.source::<T, D>(src));
        }),
        Destination::Fresh => task.makes::<T, _>(move |src| {
            let (elements, _) = view
                .source::<T, D>(src)
                .as_standard_layout()
                .into_owned()
                .into_raw_vec_and_offset();
            elements
        }),
    }
}

/// Views are made of non-negative strides, then axes are turned round.
struct View {
    shape: Vec<usize>,
    strides: Vec<usize>,
    backward: Vec<usize>,
}

impl View {
    fn of(task: &Task<'_>) -> Self {
        let axes = 0..task.shape.len();
        Self {
            shape: task.shape.clone(),
            strides: task.strides.iter().map(|stride| stride.unsigned_abs()).collect(),
            backward: axes.filter(|&axis| task.strides[axis] < 0).collect(),
        }
    }

    fn source<'a, T: Element, D: Dimension>(&self, src: &'a [T]) -> ArrayView<'a, T, D> {
        let layout = IxDyn(&self.shape).strides(IxDyn(&self.strides));
        let view = ArrayView::from_shape(layout, src).expect("the source spans the view");
        let mut view = view.into_dimensionality::<D>().expect("chosen by the rank");
        self.backward.iter().for_each(|&axis| view.invert_axis(Axis(axis)));
        view
    }

    fn destination<'a, T: Element, D: Dimension>(
        &self,
        dst: &'a mut [T],
    ) -> ArrayViewMut<'a, T, D> {
        let view = ArrayViewMut::from_shape(IxDyn(&self.shape), dst).expect("the output's size");
        view.into_dimensionality::<D>().expect("chosen by the rank")
    }
}
