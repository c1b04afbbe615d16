//! Layouts from numbers, checked against a storage.

use alloc::format;

use super::{Layout, Shape, Strides, check_rank, checked_count};
use crate::error::LayoutError;

impl Layout {
    /// The dense row-major layout of `shape`, at offset 0.
    ///
    /// # Errors
    /// [`LayoutError::Overflow`] when the non-zero sizes multiply past `isize::MAX`,
    /// [`LayoutError::RankTooLarge`].
    pub fn contiguous(shape: &[usize]) -> Result<Self, LayoutError> {
        check_rank(shape.len())?;
        checked_count(shape)?;
        Ok(Self::row_major(shape.into()))
    }

    /// The dense column-major layout of `shape` (NumPy's Fortran order), at offset 0.
    ///
    /// # Errors
    /// As [`Layout::contiguous`].
    pub fn column_major(shape: &[usize]) -> Result<Self, LayoutError> {
        check_rank(shape.len())?;
        checked_count(shape)?;
        Ok(Self::dense_from_innermost(shape.into(), 0..shape.len()))
    }

    /// The dense layout of `shape`, at offset 0, whose axes lie in memory in this order: `order[0]` is
    /// the outermost, with the largest stride, the last one is contiguous. Axes may be negative: they
    /// then count from the end. The shape stays as it is.
    ///
    /// ```
    /// use restride::Layout;
    /// // Images stored as NHWC that are indexed as NCHW.
    /// let images = Layout::dense_in_order(&[8, 3, 224, 320], &[0, 2, 3, 1])?;
    /// assert_eq!(images.shape(), [8, 3, 224, 320]);
    /// assert_eq!(images.strides(), [215_040, 1, 960, 3]);
    /// # Ok::<(), restride::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::WrongCount`], [`LayoutError::NoSuchAxis`], [`LayoutError::RepeatedAxis`]
    /// unless `order` names every axis once; and those of [`Layout::contiguous`].
    pub fn dense_in_order(shape: &[usize], order: &[isize]) -> Result<Self, LayoutError> {
        let order = Self::contiguous(shape)?.order_of_axes(order)?;
        Ok(Self::dense_from_innermost(shape.into(), order.into_iter().rev()))
    }

    /// The layout of these numbers over a storage of `storage_len` elements. Strides and offset
    /// are in elements; strides may have either sign.
    ///
    /// # Errors
    /// [`LayoutError::OutOfStorage`] when an element, or an empty layout's offset, lies outside
    /// the storage; [`LayoutError::WrongCount`] when there are not as many strides as sizes;
    /// [`LayoutError::Overflow`], [`LayoutError::RankTooLarge`] as in [`Layout::contiguous`].
    pub fn from_parts(
        shape: &[usize],
        strides: &[isize],
        offset: usize,
        storage_len: usize,
    ) -> Result<Self, LayoutError> {
        if shape.len() != strides.len() {
            return Err(LayoutError::WrongCount {
                what: "strides",
                given: strides.len(),
                needed: shape.len(),
            });
        }
        check_rank(shape.len())?;
        let count = checked_count(shape)?;
        let (mut first, mut last) = (offset as i128, offset as i128);
        if count > 0 {
            for (&size, &stride) in shape.iter().zip(strides) {
                // Sizes whose product fits isize have a sum that does: i128 cannot overflow.
                if size > 1 {
                    let extent = (size - 1) as i128 * stride as i128;
                    if extent < 0 {
                        first += extent;
                    } else {
                        last += extent;
                    }
                }
            }
        }
        let end = storage_len.min(isize::MAX as usize) as i128;
        let inside = if count > 0 { last < end } else { last <= end };
        if first < 0 || !inside {
            return Err(LayoutError::OutOfStorage { first, last, storage_len });
        }
        Ok(Self { shape: shape.into(), strides: strides.into(), offset })
    }

    /// The layout of byte strides and a byte offset over a storage of `storage_len` elements of
    /// `elem_size` bytes. Unit axes and empty shapes are not looked at: their strides may be any
    /// number of bytes.
    ///
    /// # Errors
    /// [`LayoutError::NotWholeElements`] when the offset, or a stride that is stepped along, is
    /// not a multiple of `elem_size`; [`LayoutError::ZeroElementSize`]; and those of
    /// [`Layout::from_parts`].
    pub fn from_byte_strides(
        shape: &[usize],
        byte_strides: &[isize],
        byte_offset: usize,
        elem_size: usize,
        storage_len: usize,
    ) -> Result<Self, LayoutError> {
        if elem_size == 0 {
            return Err(LayoutError::ZeroElementSize);
        }
        let unit = isize::try_from(elem_size)
            .map_err(|_| LayoutError::Overflow { what: format!("element size {elem_size}") })?;
        let first_byte = isize::try_from(byte_offset)
            .map_err(|_| LayoutError::Overflow { what: format!("byte offset {byte_offset}") })?;
        if first_byte % unit != 0 {
            return Err(LayoutError::NotWholeElements {
                what: "the offset".into(),
                bytes: first_byte,
                elem_size,
            });
        }
        let empty = shape.contains(&0);
        let mut strides = Strides::with_capacity(byte_strides.len());
        for (axis, &bytes) in byte_strides.iter().enumerate() {
            let stepped = !empty && shape.get(axis).is_some_and(|&size| size > 1);
            if stepped && bytes % unit != 0 {
                return Err(LayoutError::NotWholeElements {
                    what: format!("the stride of axis {axis}"),
                    bytes,
                    elem_size,
                });
            }
            strides.push(bytes / unit);
        }
        Self::from_parts(shape, &strides, byte_offset / elem_size, storage_len)
    }

    /// The layout of these numbers over the same storage, whatever this layout looks like.
    /// Without an `offset` this layout's is kept. Unlike in PyTorch, strides may be negative and
    /// the elements must lie inside the storage, of `storage_len` elements.
    ///
    /// # Errors
    /// [`LayoutError::BadDim`] for a negative size, [`LayoutError::OutOfStorage`] for elements
    /// outside the storage or a negative offset (kind `bad_index`), and those of [`Layout::from_parts`].
    pub fn as_strided(
        &self,
        shape: &[isize],
        strides: &[isize],
        offset: Option<isize>,
        storage_len: usize,
    ) -> Result<Self, LayoutError> {
        let sizes = shape
            .iter()
            .map(|&size| {
                usize::try_from(size)
                    .map_err(|_| LayoutError::BadDim { size, target: shape.into() })
            })
            .collect::<Result<Shape, _>>()?;
        let offset = match offset {
            None => self.offset,
            Some(offset) => usize::try_from(offset).map_err(|_| LayoutError::OutOfStorage {
                first: offset as i128,
                last: offset as i128,
                storage_len,
            })?,
        };
        // No element can lie outside: any offset will do, as in PyTorch.
        let storage_len = if sizes.contains(&0) { usize::MAX } else { storage_len };
        Self::from_parts(&sizes, strides, offset, storage_len)
    }

    /// [`Layout::contiguous`] for a shape that is known to be one.
    pub(super) fn row_major(shape: Shape) -> Self {
        let rank = shape.len();
        Self::dense_from_innermost(shape, (0..rank).rev())
    }

    /// The dense layout, at offset 0, whose axes get ever larger strides in the order given.
    /// Like PyTorch, an axis of size 0 counts as 1 in the strides of those after it.
    pub(super) fn dense_from_innermost(shape: Shape, order: impl Iterator<Item = usize>) -> Self {
        let mut strides = Strides::from_elem(0, shape.len());
        let mut step = 1;
        for axis in order {
            strides[axis] = step as isize;
            step *= shape[axis].max(1);
        }
        Self { shape, strides, offset: 0 }
    }
}
