//! The shapes of results.

use smallvec::SmallVec;

use crate::error::{ConsumeError, LayoutError};
use crate::layout::{Layout, Shape};

/// The shape that `a` and `b` broadcast to: aligned at their last axes, an axis of size 1 repeats
/// (PyTorch's and NumPy's rule).
///
/// # Errors
/// [`ConsumeError::Broadcast`] when two sizes differ and neither is 1.
pub fn broadcast(a: &[usize], b: &[usize]) -> Result<Shape, ConsumeError> {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], place: usize| {
        (place + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis])
    };
    (0..rank)
        .map(|place| match (size(a, place), size(b, place)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            _ => Err(ConsumeError::Broadcast { a: a.into(), b: b.into(), axis: place }),
        })
        .collect()
}

/// The shape of the matrix product of `a` and `b`, as PyTorch's `matmul` has it: the last two axes
/// are the matrices', those before them broadcast; a vector is a row on the left, a column on the
/// right, and its axis is not in the result.
///
/// # Errors
/// [`ConsumeError::Scalar`] without axes, [`ConsumeError::Inner`] when the axes to be summed over
/// differ in size, [`ConsumeError::Broadcast`] for the axes before.
pub fn product(a: &[usize], b: &[usize]) -> Result<Shape, ConsumeError> {
    let inner = || ConsumeError::Inner { a: a.into(), b: b.into() };
    let (Some(&k), true) = (a.last(), !b.is_empty()) else { return Err(ConsumeError::Scalar) };
    if b[b.len().saturating_sub(2)] != k {
        return Err(inner());
    }
    let batch = |shape: &[usize]| Shape::from(&shape[..shape.len().saturating_sub(2)]);
    let mut shape = broadcast(&batch(a), &batch(b))?;
    if a.len() > 1 {
        shape.push(a[a.len() - 2]);
    }
    if b.len() > 1 {
        shape.push(b[b.len() - 1]);
    }
    Ok(shape)
}

/// `shape` without `axis`, which counts from the end when negative; a scalar has one axis to name,
/// as in PyTorch.
///
/// # Errors
/// [`LayoutError::NoSuchAxis`].
pub fn without_axis(shape: &[usize], axis: isize) -> Result<Shape, ConsumeError> {
    let mut left = Shape::from(shape);
    if let Some(axis) = place(axis, shape.len())? {
        left.remove(axis);
    }
    Ok(left)
}

/// `axis` counted from the front; `None` for the one that a scalar is said to have.
pub(super) fn place(axis: isize, rank: usize) -> Result<Option<usize>, ConsumeError> {
    let from_front =
        if axis < 0 { rank.max(1).checked_add_signed(axis) } else { Some(axis.unsigned_abs()) };
    match from_front {
        Some(axis) if axis < rank => Ok(Some(axis)),
        Some(0) if rank == 0 => Ok(None),
        _ => Err(LayoutError::NoSuchAxis { axis, rank }.into()),
    }
}

/// `layout` expanded to `shape`, to which it is known to broadcast.
pub(super) fn expanded(layout: &Layout, shape: &[usize]) -> Result<Layout, LayoutError> {
    let sizes: SmallVec<[isize; 6]> = shape
        .iter()
        .map(|&size| isize::try_from(size).map_err(|_| LayoutError::count_overflow(shape)))
        .collect::<Result<_, _>>()?;
    layout.expand(&sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_from_their_last_axes() {
        assert_eq!(broadcast(&[3, 1], &[4]).unwrap()[..], [3, 4]);
        assert_eq!(broadcast(&[], &[2, 0]).unwrap()[..], [2, 0]);
        assert_eq!(broadcast(&[1], &[0]).unwrap()[..], [0]);
        let refused = broadcast(&[2, 3], &[2]).unwrap_err();
        assert!(refused.to_string().contains("axis 1"), "{refused}");
    }

    #[test]
    fn products_have_the_shapes_of_pytorch() {
        assert_eq!(product(&[2, 3], &[3, 4]).unwrap()[..], [2, 4]);
        assert_eq!(product(&[3], &[3]).unwrap()[..], [0usize; 0]);
        assert_eq!(product(&[3], &[5, 3, 4]).unwrap()[..], [5, 4]);
        assert_eq!(product(&[5, 2, 3], &[3]).unwrap()[..], [5, 2]);
        assert_eq!(product(&[7, 1, 2, 3], &[5, 3, 4]).unwrap()[..], [7, 5, 2, 4]);
        assert!(matches!(product(&[2, 3], &[2, 3]), Err(ConsumeError::Inner { .. })));
        assert!(matches!(product(&[], &[3]), Err(ConsumeError::Scalar)));
        assert!(matches!(product(&[2, 2, 2], &[3, 2, 2]), Err(ConsumeError::Broadcast { .. })));
    }

    #[test]
    fn an_axis_goes() {
        assert_eq!(without_axis(&[2, 3, 4], -2).unwrap()[..], [2, 4]);
        assert_eq!(without_axis(&[], -1).unwrap()[..], [0usize; 0]);
        assert!(without_axis(&[2], 1).is_err());
    }
}
