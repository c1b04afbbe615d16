//! The adjoint of one view: each element of a gradient goes to the storage element that its place
//! in the view shows, and meets there those of other places that show the same one.

use core::cmp::Reverse;

use super::Additive;
use super::accumulate::accumulate;
use crate::copy::{View, ViewMut, contiguous, copy};
use crate::error::{CopyError, LayoutError};
use crate::layout::Layout;
use crate::layout::overlap::{Overlap, self_overlap};

/// A storage of `len` elements, zero but for the sums of the elements of `grad`, laid out as
/// `from`, at their places in `view`.
///
/// A view that leaves out no element and repeats none needs no sum and no zeros: it is the copy that
/// puts the gradient in the storage's order. One that repeats none is a copy into zeros. Only the
/// others are added up.
pub(super) fn scatter<T: Additive>(
    view: &Layout,
    len: usize,
    grad: &[T],
    from: &Layout,
) -> Result<Vec<T>, CopyError> {
    let (ordered, from) = in_storage_order(view, from)?;
    if ordered.numel() == len && ordered.is_contiguous() {
        return contiguous(&from, grad);
    }
    let mut storage = zeros(len)?;
    if ordered.is_empty() {
        return Ok(storage);
    }
    if self_overlap(&ordered) == Overlap::No {
        copy(&View::new(from, grad)?, ViewMut::new(ordered, &mut storage)?)?;
    } else {
        accumulate(&mut storage, &ordered, grad, &from)?;
    }
    Ok(storage)
}

/// `len` zeros.
fn zeros<T: Additive>(len: usize) -> Result<Vec<T>, CopyError> {
    let bytes = len.saturating_mul(size_of::<T>());
    if isize::try_from(bytes).is_err() {
        return Err(CopyError::Allocation { bytes });
    }
    // Fresh pages are zeros already: an allocation that is asked for zeros does not touch them.
    Ok(vec![T::ZERO; len])
}

/// `to`, and `from` in lockstep, with the axes of `to` walked forwards and the longest steps
/// outermost. A `to` that is dense in some order, in whatever directions, is then row-major.
pub(super) fn in_storage_order(
    to: &Layout,
    from: &Layout,
) -> Result<(Layout, Layout), LayoutError> {
    let axes = || 0..to.rank() as isize; // at most MAX_RANK
    let stride = |axis: isize| to.strides()[axis as usize];
    let backwards: Vec<isize> = axes().filter(|&axis| stride(axis) < 0).collect();
    let mut order: Vec<isize> = axes().collect();
    // Stable: a row-major layout, unit axes included, stays as it is.
    order.sort_by_key(|&axis| match to.shape()[axis as usize] {
        1 => Reverse(usize::MAX),
        _ => Reverse(stride(axis).unsigned_abs()),
    });
    let along = |layout: &Layout| layout.flip(&backwards)?.permute(&order);
    Ok((along(to)?, along(from)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dense_order_becomes_row_major() {
        let dense = Layout::contiguous(&[2, 1, 3, 4]).unwrap();
        for view in [
            dense.clone(),
            dense.t(),
            dense.flip(&[0, 3]).unwrap(),
            dense.permute(&[2, 0, 3, 1]).unwrap().flip(&[0, 1]).unwrap(),
        ] {
            let (ordered, from) = in_storage_order(&view, &view).unwrap();
            assert!(ordered.is_contiguous() && ordered.offset() == 0, "{view:?}");
            assert_eq!(ordered, from);
        }
    }

    #[test]
    fn a_storage_that_cannot_exist_is_an_error() {
        let one = Layout::contiguous(&[]).unwrap();
        let refused = scatter(&one, usize::MAX, &[1f32], &one);
        assert_eq!(refused, Err(CopyError::Allocation { bytes: usize::MAX }));
    }
}
