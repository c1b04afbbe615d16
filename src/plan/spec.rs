//! The numbers of one copy, in bytes.

use alloc::format;

use smallvec::SmallVec;

use crate::error::LayoutError;
use crate::layout::Layout;

/// What a copy does: for every index of `shape`, move `elem_size` bytes from the source's
/// address to the destination's. Strides are in **bytes** and of either sign; both pointers
/// given later point at element `[0, …, 0]`.
///
/// The fields are public and unchecked; [`crate::Plan::new`] checks them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopySpec {
    /// Bytes of one element, at least 1.
    pub elem_size: usize,
    /// Sizes of the axes, in elements.
    pub shape: SmallVec<[usize; 6]>,
    /// Source stride of each axis, in bytes.
    pub src_strides: SmallVec<[isize; 6]>,
    /// Destination stride of each axis, in bytes.
    pub dst_strides: SmallVec<[isize; 6]>,
}

impl CopySpec {
    /// A copy between byte-strided layouts.
    pub fn new(
        elem_size: usize,
        shape: &[usize],
        src_strides: &[isize],
        dst_strides: &[isize],
    ) -> Self {
        Self {
            elem_size,
            shape: SmallVec::from_slice(shape),
            src_strides: SmallVec::from_slice(src_strides),
            dst_strides: SmallVec::from_slice(dst_strides),
        }
    }

    /// A copy from one layout to another of the same shape, with elements of `elem_size` bytes.
    /// The layouts' offsets are not part of the spec: add them to the pointers.
    ///
    /// # Errors
    /// [`LayoutError`] when the shapes differ or a stride in bytes overflows.
    pub fn between(src: &Layout, dst: &Layout, elem_size: usize) -> Result<Self, LayoutError> {
        if src.shape() != dst.shape() {
            return Err(LayoutError::ShapesDiffer {
                src: src.shape().into(),
                dst: dst.shape().into(),
            });
        }
        Self::in_elements(elem_size, src.shape(), src.strides(), dst.strides())
    }

    /// A copy between layouts whose strides are in elements of `elem_size` bytes.
    ///
    /// # Errors
    /// [`LayoutError::Overflow`] when a stride in bytes overflows.
    pub(crate) fn in_elements(
        elem_size: usize,
        shape: &[usize],
        src_strides: &[isize],
        dst_strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let empty = shape.contains(&0);
        let bytes = |strides: &[isize]| -> Result<SmallVec<[isize; 6]>, LayoutError> {
            strides
                .iter()
                .zip(shape)
                .map(|(&stride, &size)| {
                    if empty || size <= 1 {
                        return Ok(0); // never stepped along: its stride decides nothing
                    }
                    isize::try_from(elem_size).ok().and_then(|e| stride.checked_mul(e)).ok_or_else(
                        || LayoutError::Overflow { what: format!("stride {stride} in bytes") },
                    )
                })
                .collect()
        };
        Ok(Self {
            elem_size,
            shape: shape.into(),
            src_strides: bytes(src_strides)?,
            dst_strides: bytes(dst_strides)?,
        })
    }

    /// The copy that materializes `src` into dense row-major memory.
    ///
    /// # Errors
    /// [`LayoutError`] when the element count or a stride in bytes overflows.
    pub fn to_contiguous(src: &Layout, elem_size: usize) -> Result<Self, LayoutError> {
        Self::between(src, &Layout::contiguous(src.shape())?, elem_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_shape_multiplies_no_stride() {
        let empty = Layout::from_parts(&[0, 5], &[1, isize::MAX], 0, 12).unwrap();
        let spec = CopySpec::to_contiguous(&empty, 4).unwrap();
        assert_eq!((&spec.shape[..], &spec.src_strides[..]), (&[0, 5][..], &[0, 0][..]));
        assert_eq!(crate::contiguous(&empty, &[0f32; 12]), Ok(Vec::new()));
    }
}
