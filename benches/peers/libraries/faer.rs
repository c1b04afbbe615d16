//! faer: matrices of `f32` and `f64`. They are column-major, so the output is seen as a matrix of
//! `cols` rows. A new one may have gaps between its columns: fresh outputs are slices all the same.

use faer::traits::ComplexField;
use faer::{MatMut, MatRef};

use super::Element;
use crate::entry::Entry;
use crate::task::Task;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    match task.elem_size {
        4 => of_type::<f32>(task),
        8 => of_type::<f64>(task),
        _ => None,
    }
}

fn of_type<T: Element + ComplexField>(task: &Task<'_>) -> Option<Entry> {
    let flat = task.flat?;
    let first = task.first;
    Some(task.writes::<T>(move |src, dst| {
        let (rows, cols) = (flat.cols, flat.rows);
        let first = src[first..].as_ptr();
        // SAFETY: the task's numbers reach elements of `src` only, from its first one on.
        let from =
            unsafe { MatRef::from_raw_parts(first, rows, cols, flat.col_stride, flat.row_stride) };
        MatMut::from_column_major_slice_mut(dst, rows, cols).copy_from(from);
    }))
}
