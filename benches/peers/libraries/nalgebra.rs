//! nalgebra: matrices whose strides are positive. They are column-major, so the output is seen
//! as a matrix of `cols` rows.

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, Dyn};
use restride::bench::record::Destination;

use super::{Element, with_type};
use crate::entry::Entry;
use crate::task::Task;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    with_type!(of_type, task)
}

fn of_type<T: Element>(task: &Task<'_>) -> Option<Entry> {
    let flat = task.flat?;
    // Its iterators end at once where a stride is 0.
    let (row_stride, col_stride) = flat.forward().filter(|&(row, col)| row > 0 && col > 0)?;
    let (rows, cols, len) = (flat.rows, flat.cols, task.len);
    if flat.is_transpose() {
        return Some(match task.destination {
            Destination::Reused => task.writes::<T>(move |src, dst| {
                let from = DMatrixView::from_slice(&src[..len], rows, cols);
                from.transpose_to(&mut DMatrixViewMut::from_slice(dst, cols, rows));
            }),
            Destination::Fresh => task.makes::<T, _>(move |src| {
                let from = DMatrixView::from_slice(&src[..len], rows, cols);
                Vec::from(from.transpose().data)
            }),
        });
    }
    let strides = (Dyn(col_stride), Dyn(row_stride));
    Some(match task.destination {
        Destination::Reused => task.writes::<T>(move |src, dst| {
            let mut to = DMatrixViewMut::from_slice(dst, cols, rows);
            to.copy_from(&view(src, (cols, rows), strides));
        }),
        Destination::Fresh => task.makes::<T, _>(move |src| {
            let output: DMatrix<T> = view(src, (cols, rows), strides).clone_owned();
            Vec::from(output.data)
        }),
    })
}

/// The view of so many rows and columns, with the strides from row to row and column to column.
fn view<T: Element>(
    src: &[T],
    (rows, cols): (usize, usize),
    (row_stride, col_stride): (Dyn, Dyn),
) -> DMatrixView<'_, T, Dyn, Dyn> {
    let (rows, cols) = (Dyn(rows), Dyn(cols));
    DMatrixView::from_slice_with_strides_generic(src, rows, cols, row_stride, col_stride)
}
